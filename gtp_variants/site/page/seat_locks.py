"""The seats of people: the owners of taken seats, and the invitations to open seats, as SHA-256 digests."""

import secrets
from dataclasses import dataclass, replace
from hashlib import sha256
from hmac import compare_digest

_KEY_BYTES = 16


def new_token() -> str:
    """Return a random text that nobody can guess: an invitation or a game's name."""
    return secrets.token_urlsafe(_KEY_BYTES)


def digest(token: str) -> str:
    """Return the SHA-256 digest of a token. The digest is stored in place of the token."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def is_token(token: object, kept: str) -> bool:
    """Return True if `kept` is the digest of the token; no token matches ""."""
    return isinstance(token, str) and bool(kept) and compare_digest(digest(token), kept)


@dataclass(frozen=True, slots=True)
class SeatLock:
    """The lock of a seat: its `owner`, a visitor of the site, and the digest of the invitation to the seat.

    A used invitation is kept, to tell latecomers that the seat is taken. `token` is for links of older versions.
    """

    owner: str = ""
    invitation: str = ""
    token: str = ""

    @property
    def is_claimed(self) -> bool:
        return bool(self.owner or self.token)


def invite(lock: SeatLock = SeatLock()) -> tuple[SeatLock, str]:
    """Return the lock with a new invitation, which replaces any earlier invitation, and the new invitation."""
    code = new_token()
    return replace(lock, invitation=digest(code)), code
