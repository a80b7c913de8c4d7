"""Seat locks, as SHA-256 digests. A token opens a seat; an invitation or recovery word is exchanged for a token."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from hmac import compare_digest

from gtp_variants.rules.colour_names import COLOUR_LETTERS

_KEY_BYTES = 16
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")
# Letters and digits that are hard to confuse: twelve of them give 59 bits.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 3, 4
_MOST_WORD = 100


def new_token() -> str:
    """Return a random text that nobody can guess: a token, an invitation or a game's name."""
    return secrets.token_urlsafe(_KEY_BYTES)


def is_made_well(token: str) -> bool:
    """Return True if a token made by a client has the same form as ours."""
    return bool(_TOKEN.fullmatch(token))


def digest(token: str) -> str:
    """Return the digest of a token, which is stored in its place."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def is_token(token: object, kept: str) -> bool:
    """Return True if this token has the stored digest; nothing matches ""."""
    return isinstance(token, str) and bool(kept) and compare_digest(digest(token), kept)


@dataclass(frozen=True, slots=True)
class SeatLock:
    """The digests that guard a seat. A used invitation is kept, to tell latecomers that the seat is taken."""

    token: str = ""
    invitation: str = ""
    recovery: str = ""

    @property
    def is_claimed(self) -> bool:
        return bool(self.token)


@dataclass(frozen=True, slots=True)
class SeatClaim:
    """The answer to a person who takes a seat. `creator` is a new token to renew invitations. "" stands for none."""

    colour: int
    token: str
    recovery: str = ""
    creator: str = ""

    def as_json(self) -> dict[str, str]:
        answer = {"token": self.token, "recovery": self.recovery, "creator": self.creator}
        return {"colour": COLOUR_LETTERS[self.colour], **{key: value for key, value in answer.items() if value}}


@dataclass(slots=True)
class NewSeats:
    """The answer to the creator of a game: the keys to its seats."""

    # The seats the creator takes, and the invitations to give away, by colour.
    claims: list[SeatClaim] = field(default_factory=list)
    invitations: dict[int, str] = field(default_factory=dict)
    # The token of a referee, and the one that renews invitations; "" for none.
    referee: str = ""
    creator: str = ""

    def as_json(self) -> dict[str, object]:
        referee = {"referee": self.referee} if self.referee else {}
        answer: dict[str, object] = {
            "seats": referee | {COLOUR_LETTERS[each.colour]: each.token for each in self.claims},
            "recovery": {COLOUR_LETTERS[each.colour]: each.recovery for each in self.claims},
            "invitations": {COLOUR_LETTERS[colour]: code for colour, code in self.invitations.items()},
        }
        return answer | ({"creator": self.creator} if self.creator else {})


def claim_seat(game: str, colour: int, lock: SeatLock = SeatLock(), token: str = "") -> tuple[SeatLock, SeatClaim]:
    """Take a seat, perhaps again, with the given `token` or a new one. Return its new lock and the claim."""
    letters = [secrets.choice(_ALPHABET) for _ in range(_GROUPS * _GROUP)]
    word = "-".join("".join(letters[at : at + _GROUP]) for at in range(0, len(letters), _GROUP))
    claim = SeatClaim(colour, token or new_token(), word)
    return replace(lock, token=digest(claim.token), recovery=_digest_word(game, colour, word)), claim


def invite(lock: SeatLock = SeatLock()) -> tuple[SeatLock, str]:
    """Return a lock with a new invitation, the only valid one from now on, and the invitation."""
    code = new_token()
    return replace(lock, invitation=digest(code)), code


def find_by_token(locks: Mapping[int, SeatLock], token: object) -> int | None:
    """Return the colour whose seat a token opens."""
    return next((colour for colour, lock in locks.items() if is_token(token, lock.token)), None)


def find_by_invitation(locks: Mapping[int, SeatLock], code: object) -> int | None:
    """Return the colour an invitation is for, whether or not the seat is taken."""
    return next((colour for colour, lock in locks.items() if is_token(code, lock.invitation)), None)


def find_by_recovery(game: str, locks: Mapping[int, SeatLock], word: str) -> int | None:
    """Return the colour of the seat whose holder was given this word."""
    found = (
        colour
        for colour, lock in locks.items()
        if lock.recovery and compare_digest(_digest_word(game, colour, word), lock.recovery)
    )
    return next(found, None)


def _digest_word(game: str, colour: int, word: str) -> str:
    """Return the digest of a recovery word for one seat, ignoring case and punctuation."""
    letters = "".join(letter for letter in word[:_MOST_WORD].lower() if letter.isalnum())
    return digest(f"{game} {COLOUR_LETTERS[colour]} {letters}")
