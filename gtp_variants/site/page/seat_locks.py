"""The seats of people: who has each of them, and the invitations to the others, as SHA-256 digests."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from hmac import compare_digest

_KEY_BYTES = 16


def new_token() -> str:
    """Return a random text that nobody can guess: an invitation or a game's name."""
    return secrets.token_urlsafe(_KEY_BYTES)


def digest(token: str) -> str:
    """Return the digest of a token, which is stored in its place."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def is_token(token: object, kept: str) -> bool:
    """Return True if this token has the stored digest; nothing matches ""."""
    return isinstance(token, str) and bool(kept) and compare_digest(digest(token), kept)


@dataclass(frozen=True, slots=True)
class SeatLock:
    """What guards a seat: its `owner`, a visitor of the site, and the digest of the invitation to it.

    A used invitation is kept, to tell latecomers that the seat is taken. Links of older versions have a `token`.
    """

    owner: str = ""
    invitation: str = ""
    token: str = ""

    @property
    def is_claimed(self) -> bool:
        return bool(self.owner or self.token)


def invite(lock: SeatLock = SeatLock()) -> tuple[SeatLock, str]:
    """Return a lock with a new invitation, the only valid one from now on, and the invitation."""
    code = new_token()
    return replace(lock, invitation=digest(code)), code


def find_by_token(locks: Mapping[int, SeatLock], token: object) -> int | None:
    """Return the colour whose seat a link of an older version opens."""
    return next((colour for colour, lock in locks.items() if is_token(token, lock.token)), None)


def find_by_invitation(locks: Mapping[int, SeatLock], code: object) -> int | None:
    """Return the colour an invitation is for, whether or not the seat is taken."""
    return next((colour for colour, lock in locks.items() if is_token(code, lock.invitation)), None)
