"""Accounts: names, passwords as salted hashes, ratings."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from secrets import token_bytes

from gtp_variants.errors import Refused

# As CGOS has it; a rating is shown with a question mark for so many games.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,17}")
_PASSWORD = re.compile(r"[!-~]{3,64}")
_PROVISIONAL = 20
_START = 1500.0
_STEP, _FIRST_STEP = 16.0, 48.0
# scrypt as OWASP recommends it for interactive logins: 16 MiB and some 50 ms each.
_COST, _BLOCK, _PARALLEL = 2**14, 8, 1


@dataclass(frozen=True, slots=True)
class Account:
    """Who may log in. `salt` and `key` are what is kept of the password."""

    name: str
    salt: bytes
    key: bytes
    rating: float = _START
    games: int = 0

    @property
    def shown(self) -> str:
        """The rating as others see it."""
        return f"{self.rating:.0f}" + ("?" if self.games < _PROVISIONAL else "")


def check_name(name: str) -> str:
    """A name that an account may have. Raises Refused."""
    if not _NAME.fullmatch(name):
        raise Refused("login", "user name: expected 3 to 18 letters, digits and _ . -, a letter first")
    return name


def check_password(password: str) -> str:
    """A password that an account may have. Raises Refused."""
    if not _PASSWORD.fullmatch(password):
        raise Refused("login", "password: expected 3 to 64 printable characters without blanks")
    return password


def hashed(password: str, salt: bytes | None = None) -> tuple[bytes, bytes]:
    """Salt and key of a password; the salt is fresh unless it is given. Takes some 50 ms on purpose."""
    salt = token_bytes(16) if salt is None else salt
    return salt, hashlib.scrypt(password.encode(), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, maxmem=64 * 2**20)


def fits(account: Account, password: str) -> bool:
    """Whether this is the account's password."""
    return hmac.compare_digest(hashed(password, account.salt)[1], account.key)


def rated(one: Account, other: Account, score: float) -> tuple[float, float]:
    """The ratings of both after a game in which the first scored 1, 0.5 or 0.

    Elo's; an account's first games move it more. Source: A. Elo, The Rating of Chessplayers, 1978.
    """
    expected = 1 / (1 + 10 ** ((other.rating - one.rating) / 400))
    gain = score - expected
    return one.rating + _step(one) * gain, other.rating - _step(other) * gain


def _step(account: Account) -> float:
    return max(_STEP, _FIRST_STEP * (1 - account.games / _PROVISIONAL))
