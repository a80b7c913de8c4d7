"""Accounts: names, hashed passwords, ratings, and a limit on new accounts per address.

Bots and people are rated separately: a person's results do not change a bot's rating.
"""

import hashlib
import hmac
import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from secrets import token_bytes

from gtp_variants.errors import Refused

# Names are valid as on CGOS. A rating is provisional, with a question mark, for the first games.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,17}")
_PASSWORD = re.compile(r"[!-~]{6,64}")
_PROVISIONAL = 20
_START = 1500.0
_STEP, _FIRST_STEP = 16.0, 48.0
# The cost of scrypt: 16 MiB and about 0.15 s per hash. Source: OWASP, Password Storage Cheat Sheet, "scrypt".
_COST, _BLOCK, _PARALLEL = 2**14, 8, 5
_MOST_MEMORY = 64 * 2**20
_HOUR_S = 3600.0

# The kinds of account.
BOT, PERSON = "bot", "person"


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a bot or a person. `password` is the result of `hash_password`."""

    name: str
    password: str
    rating: float = _START
    games: int = 0
    kind: str = BOT

    @property
    def shown(self) -> str:
        """The rating as shown to others, with a question mark if it is provisional."""
        return f"{self.rating:.0f}" + ("?" if self.games < _PROVISIONAL else "")


class Anchors:
    """The fixed ratings of some accounts, by name. They set the scale for all other ratings of a server."""

    def __init__(self, ratings: Mapping[str, float]) -> None:
        self._ratings = {name.lower(): rating for name, rating in ratings.items()}

    def fix(self, account: Account) -> Account:
        """Return the account with its fixed rating, if it has one."""
        rating = self._ratings.get(account.name.lower())
        return account if rating is None else replace(account, rating=rating, games=max(account.games, _PROVISIONAL))

    def rate_game(self, black: Account, white: Account, score: float) -> list[Account]:
        """Return both accounts with their ratings after a game in which Black scored 1, 0.5 or 0."""
        pair = [self.fix(black), self.fix(white)]
        ratings = rate(pair[0], pair[1], score)
        found = []
        for account, other, rating in zip((black, white), pair[::-1], ratings, strict=True):
            is_fixed = account.name.lower() in self._ratings or (account.kind == BOT and other.kind == PERSON)
            new = self.fix(account).rating if is_fixed else rating
            found.append(replace(account, rating=new, games=account.games + 1))
        return found


class Newcomers:
    """Limits how many new accounts one address may create per hour."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: deque[tuple[float, str]] = deque()
        self._counts: Counter[str] = Counter()

    def admit(self, address: str, now_s: float) -> bool:
        """Return True if this address may create another account now, and count that account."""
        while self._made and self._made[0][0] <= now_s - _HOUR_S:
            self._counts[self._made.popleft()[1]] -= 1
            self._counts += Counter()
        if self._counts[address] >= self._most:
            return False
        self._made.append((now_s, address))
        self._counts[address] += 1
        return True


def is_name(text: str) -> bool:
    """Return True if this text is a valid account name."""
    return _NAME.fullmatch(text) is not None


def check_name(name: str) -> str:
    """Return the name if it is valid for an account. Raises Refused."""
    if not is_name(name):
        raise Refused("login", "user name: expected 3 to 18 letters, digits and _ . -, a letter first")
    return name


def check_password(name: str, password: str) -> str:
    """Return the password if it is valid for the account of this name. Raises Refused."""
    if not _PASSWORD.fullmatch(password):
        raise Refused("login", "password: expected 6 to 64 printable characters without blanks")
    if password.lower() == name.lower():
        raise Refused("login", "password: expected a string different from the name")
    return password


def hash_password(password: str) -> str:
    """Return the stored form of a password, with a fresh salt. Hashing is slow on purpose."""
    salt = token_bytes(16)
    key = hashlib.scrypt(password.encode(), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, maxmem=_MOST_MEMORY)
    return f"scrypt {_COST} {_BLOCK} {_PARALLEL} {salt.hex()} {key.hex()}"


def fits(kept: str, password: str) -> bool:
    """Return True if `kept` is the stored form of this password."""
    _, cost, block, parallel, salt, key = kept.split()
    found = hashlib.scrypt(
        password.encode(), salt=bytes.fromhex(salt), n=int(cost), r=int(block), p=int(parallel), maxmem=_MOST_MEMORY
    )
    return hmac.compare_digest(found, bytes.fromhex(key))


def rate(one: Account, other: Account, score: float) -> tuple[float, float]:
    """Return both new Elo ratings after `one` scored 1, 0.5 or 0. Source: A. Elo, The Rating of Chessplayers, 1978."""
    expected = 1 / (1 + 10 ** ((other.rating - one.rating) / 400))
    gain = score - expected
    return one.rating + _step(one) * gain, other.rating - _step(other) * gain


def _step(account: Account) -> float:
    return max(_STEP, _FIRST_STEP * (1 - account.games / _PROVISIONAL))
