"""Accounts: names and hashed passwords."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from secrets import token_bytes

from gtp_variants.errors import Refused

# The names that CGOS allows.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,17}")
_PASSWORD = re.compile(r"[!-~]{6,64}")
# The cost of scrypt: 16 MiB and about 0.15 s per hash. Source: OWASP, Password Storage Cheat Sheet, "scrypt".
_COST, _BLOCK, _PARALLEL = 2**14, 8, 5
_MOST_MEMORY = 64 * 2**20

# The kinds of account; a guest has none that is stored.
BOT, PERSON, GUEST = "bot", "person", "guest"
# How the shown names of guests begin, and names that could be taken for the server or for all players.
GUESTS = "guest-"
RESERVED = frozenset(
    "admin administrator all anonymous everybody moderator nobody operator referee root server staff system".split()
)


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a bot or a person. `password` is the result of `hash_password`."""

    name: str
    password: str
    kind: str = BOT


def is_name(text: str) -> bool:
    """Return True if this text is a valid account name."""
    return _NAME.fullmatch(text) is not None


def check_name(name: str) -> str:
    """Return the name if it is valid for an account. Raises Refused otherwise."""
    if not is_name(name):
        raise Refused("login", "user name: expected 3 to 18 letters, digits and _ . -, a letter first")
    return name


def check_password(name: str, password: str) -> str:
    """Return the password if it is valid for the account of this name. Raises Refused otherwise."""
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
    """Return True if `kept` is the stored form of this password; "" is of none."""
    if not kept:
        return False
    _, cost, block, parallel, salt, key = kept.split()
    found = hashlib.scrypt(
        password.encode(), salt=bytes.fromhex(salt), n=int(cost), r=int(block), p=int(parallel), maxmem=_MOST_MEMORY
    )
    return hmac.compare_digest(found, bytes.fromhex(key))
