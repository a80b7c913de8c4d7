"""Accounts: names, passwords as salted hashes, ratings, and how many new ones an address may make.

Bots and people are rated apart: a person moves no bot's rating, and the ratings of people have a list of their own.
"""

import hashlib
import hmac
import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from secrets import token_bytes

from gtp_variants.errors import Refused

# Names as CGOS has them; a rating is shown with a question mark for so many games.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,17}")
_PASSWORD = re.compile(r"[!-~]{6,64}")
_PROVISIONAL = 20
_START = 1500.0
_STEP, _FIRST_STEP = 16.0, 48.0
# 16 MiB and some 0.15 s each. Source: OWASP, Password Storage Cheat Sheet, "scrypt".
_COST, _BLOCK, _PARALLEL = 2**14, 8, 5
_MOST_MEMORY = 64 * 2**20
_HOUR_S = 3600.0

# What an account may be of.
BOT, PERSON = "bot", "person"


@dataclass(frozen=True, slots=True)
class Account:
    """Who may log in. `password` is what `hash_password` makes of it."""

    name: str
    password: str
    rating: float = _START
    games: int = 0
    kind: str = BOT

    @property
    def shown(self) -> str:
        """The rating as others see it."""
        return f"{self.rating:.0f}" + ("?" if self.games < _PROVISIONAL else "")


class Anchors:
    """Accounts whose rating is fixed, by name: what all other ratings of a server are measured by."""

    def __init__(self, ratings: Mapping[str, float]) -> None:
        self._ratings = {name.lower(): rating for name, rating in ratings.items()}

    def fix(self, account: Account) -> Account:
        """An account with the rating it is shown and reckoned with."""
        rating = self._ratings.get(account.name.lower())
        return account if rating is None else replace(account, rating=rating, games=max(account.games, _PROVISIONAL))

    def rate_game(self, black: Account, white: Account, score: float) -> list[Account]:
        """Both as they are after a rated game in which Black scored 1, 0.5 or 0."""
        pair = [self.fix(black), self.fix(white)]
        ratings = rate(pair[0], pair[1], score)
        found = []
        for account, other, rating in zip((black, white), pair[::-1], ratings, strict=True):
            is_fixed = account.name.lower() in self._ratings or (account.kind == BOT and other.kind == PERSON)
            new = self.fix(account).rating if is_fixed else rating
            found.append(replace(account, rating=new, games=account.games + 1))
        return found


class Newcomers:
    """Lets each address make at most so many new accounts an hour."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: deque[tuple[float, str]] = deque()
        self._counts: Counter[str] = Counter()

    def admit(self, address: str, now_s: float) -> bool:
        """Whether this address may make one more now; then it has."""
        while self._made and self._made[0][0] <= now_s - _HOUR_S:
            self._counts[self._made.popleft()[1]] -= 1
            self._counts += Counter()
        if self._counts[address] >= self._most:
            return False
        self._made.append((now_s, address))
        self._counts[address] += 1
        return True


def is_name(text: str) -> bool:
    """Whether an account may have this name."""
    return _NAME.fullmatch(text) is not None


def check_name(name: str) -> str:
    """A name that an account may have. Raises Refused."""
    if not is_name(name):
        raise Refused("login", "user name: expected 3 to 18 letters, digits and _ . -, a letter first")
    return name


def check_password(name: str, password: str) -> str:
    """A password that the account of this name may have. Raises Refused."""
    if not _PASSWORD.fullmatch(password):
        raise Refused("login", "password: expected 6 to 64 printable characters without blanks")
    if password.lower() == name.lower():
        raise Refused("login", "password: expected another one than the name")
    return password


def hash_password(password: str) -> str:
    """What is kept of a password: how it was hashed, a fresh salt and the key. Takes a while on purpose."""
    salt = token_bytes(16)
    key = hashlib.scrypt(password.encode(), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, maxmem=_MOST_MEMORY)
    return f"scrypt {_COST} {_BLOCK} {_PARALLEL} {salt.hex()} {key.hex()}"


def fits(kept: str, password: str) -> bool:
    """Whether this is the password of which that was kept."""
    _, cost, block, parallel, salt, key = kept.split()
    found = hashlib.scrypt(
        password.encode(), salt=bytes.fromhex(salt), n=int(cost), r=int(block), p=int(parallel), maxmem=_MOST_MEMORY
    )
    return hmac.compare_digest(found, bytes.fromhex(key))


def rate(one: Account, other: Account, score: float) -> tuple[float, float]:
    """The ratings of both after a game in which the first scored 1, 0.5 or 0.

    Elo's; an account's first games move it more. Source: A. Elo, The Rating of Chessplayers, 1978.
    """
    expected = 1 / (1 + 10 ** ((other.rating - one.rating) / 400))
    gain = score - expected
    return one.rating + _step(one) * gain, other.rating - _step(other) * gain


def _step(account: Account) -> float:
    return max(_STEP, _FIRST_STEP * (1 - account.games / _PROVISIONAL))
