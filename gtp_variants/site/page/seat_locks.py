"""Who may open a person's seat: by a token of their own, for which they exchange an invitation or a recovery word once.

Of every secret only the SHA-256 is kept.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from hmac import compare_digest

from gtp_variants.rules.colour_names import COLOUR_LETTERS

_KEY_BYTES = 16
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")
# Letters and digits that nobody takes for others: twelve of them are 59 bits.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 3, 4
_MOST_WORD = 100


def new_token() -> str:
    """A name nobody can guess."""
    return secrets.token_urlsafe(_KEY_BYTES)


def is_made_well(token: str) -> bool:
    """Whether a token that somebody else made is as long as ours and of the same letters."""
    return bool(_TOKEN.fullmatch(token))


def digest(token: str) -> str:
    """What is kept of a token."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def is_token(token: object, kept: str) -> bool:
    """Whether this is the token that was kept as its SHA-256; nothing is where nothing was kept."""
    return isinstance(token, str) and bool(kept) and compare_digest(digest(token), kept)


@dataclass(frozen=True, slots=True)
class SeatLock:
    """What opens one seat of a person, as SHA-256: the token; the invitation to it; the recovery word of who took it.

    An invitation that was taken is kept, so that whoever comes with it later is told that the seat is taken.
    """

    token: str = ""
    invitation: str = ""
    recovery: str = ""

    @property
    def is_claimed(self) -> bool:
        """Whether somebody has taken the seat."""
        return bool(self.token)


@dataclass(frozen=True, slots=True)
class SeatClaim:
    """What whoever takes a seat is told: the token that opens it and the word to come back by.

    `creator` is the new token that renews invitations, for who began the game and came back. "" stands for none.
    """

    colour: int
    token: str
    recovery: str = ""
    creator: str = ""

    def as_json(self) -> dict[str, str]:
        """The claim as the answer to who made it."""
        answer = {"token": self.token, "recovery": self.recovery, "creator": self.creator}
        return {"colour": COLOUR_LETTERS[self.colour], **{key: value for key, value in answer.items() if value}}


@dataclass(slots=True)
class NewSeats:
    """What whoever begins a game is told of its seats.

    `claims` are the seats they take themselves, `invitations` those to give away, by colour, `referee` the token of a
    referee and `creator` the one that renews invitations, "" for none.
    """

    claims: list[SeatClaim] = field(default_factory=list)
    invitations: dict[int, str] = field(default_factory=dict)
    referee: str = ""
    creator: str = ""

    @property
    def tokens(self) -> dict[str, str]:
        """The tokens of whoever begins the game, by letter of colour or under `referee`."""
        referee = {"referee": self.referee} if self.referee else {}
        return referee | {COLOUR_LETTERS[each.colour]: each.token for each in self.claims}

    def as_json(self) -> dict[str, object]:
        """All of it as the answer to who began the game."""
        answer: dict[str, object] = {
            "seats": self.tokens,
            "recovery": {COLOUR_LETTERS[each.colour]: each.recovery for each in self.claims},
            "invitations": {COLOUR_LETTERS[colour]: code for colour, code in self.invitations.items()},
        }
        return answer | ({"creator": self.creator} if self.creator else {})


def claim_seat(game: str, colour: int, lock: SeatLock = SeatLock(), token: str = "") -> tuple[SeatLock, SeatClaim]:
    """Take a seat, for the first time or anew, by a token if one is given: its lock from now on, and what opens it."""
    letters = [secrets.choice(_ALPHABET) for _ in range(_GROUPS * _GROUP)]
    word = "-".join("".join(letters[at : at + _GROUP]) for at in range(0, len(letters), _GROUP))
    claim = SeatClaim(colour, token or new_token(), word)
    return replace(lock, token=digest(claim.token), recovery=_digest_word(game, colour, word)), claim


def invite(lock: SeatLock = SeatLock()) -> tuple[SeatLock, str]:
    """A new invitation to a seat, the only one that is good from now on."""
    code = new_token()
    return replace(lock, invitation=digest(code)), code


def find_by_token(locks: Mapping[int, SeatLock], token: object) -> int | None:
    """The colour whose seat a token opens."""
    return next((colour for colour, lock in locks.items() if is_token(token, lock.token)), None)


def find_by_invitation(locks: Mapping[int, SeatLock], code: object) -> int | None:
    """The colour to whose seat an invitation is, or was before it was taken."""
    return next((colour for colour, lock in locks.items() if is_token(code, lock.invitation)), None)


def find_by_recovery(game: str, locks: Mapping[int, SeatLock], word: str) -> int | None:
    """The colour of whoever was given this word when they took their seat."""
    found = (
        colour
        for colour, lock in locks.items()
        if lock.recovery and compare_digest(_digest_word(game, colour, word), lock.recovery)
    )
    return next(found, None)


def _digest_word(game: str, colour: int, word: str) -> str:
    """What is kept of a recovery word: how it is typed does not matter, and it is good for one seat of one game."""
    letters = "".join(letter for letter in word[:_MOST_WORD].lower() if letter.isalnum())
    return digest(f"{game} {COLOUR_LETTERS[colour]} {letters}")
