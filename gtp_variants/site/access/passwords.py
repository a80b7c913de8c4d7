"""Password checks: a slow hash once, and a fast check for as long as this process lives.

Slow hashes run in threads of their own, beside the games. Later a password is recognised by an HMAC in memory, under a
key in a separate file, `session.key`.
"""

import asyncio
import hmac
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes
from typing import TypeVar

from gtp_variants.base.processes.cores import available_cores
from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.errors import Refused
from gtp_variants.records.files import write

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

# The beginning of the quick hash that older versions kept of a new account's password.
KEYED = "keyed "
# Maximum number of passwords to remember.
_MOST_KNOWN = 20_000
# Slow hashes have a lower priority than the thread of the games.
_NICENESS = 5
_KEY_BYTES = 32


def load_key(path: Path) -> bytes:
    """Return the key in a private file, which is made if missing or damaged. Raises OSError if that fails."""
    SECRET_PLACES.add(path.absolute())
    with suppress(FileNotFoundError):
        key = path.read_bytes()
        if len(key) == _KEY_BYTES:
            return key
    key = token_bytes(_KEY_BYTES)
    write(path, key, 0o600)
    return key


def remember(latest: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Set a key, the latest one, and forget the oldest beyond `most`."""
    latest[key] = value
    latest.move_to_end(key)
    if len(latest) > most:
        latest.popitem(last=False)


class HashQueue:
    """Runs slow work in one thread per processor. At most `most` jobs of suspected password guessers may wait."""

    def __init__(self, threads: int | None = None, most: int = 20) -> None:
        self._most, self._waiting, self._suspects = most, 0, 0
        self._threads = ThreadPoolExecutor(threads or available_cores(), "passwords", _give_way)

    def __len__(self) -> int:
        return self._waiting

    async def run(self, work: Callable[[], T], *, is_suspect: bool = False) -> T:
        """Run `work`, and return its result. Raises Refused if too many suspects wait."""
        if is_suspect and self._suspects >= self._most:
            raise Refused("login", "too many logins at the moment; come back in a minute")
        self._waiting += 1
        self._suspects += is_suspect
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1
            self._suspects -= is_suspect

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _give_way() -> None:
    # Only Linux has a niceness per thread; elsewhere this would slow the whole program.
    if hasattr(os, "setpriority") and Path("/proc/self/task").is_dir():
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


class PasswordChecks:
    """Checks passwords without slow hashes. `kept` is the stored hash."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        # The stored hash and the HMAC of each password that was right lately, by the name of its account.
        self._known = OrderedDict[str, tuple[str, str]]()

    def recognise(self, name: str, kept: str, password: str) -> bool | None:
        """Return True if the password is right, False if it is wrong, or None if only a slow hash can tell."""
        if kept.startswith(KEYED):
            _, salt, mac = kept.split()
            return hmac.compare_digest(mac, self._mac(name, salt, password))
        known, mac = self._known.get(name.lower(), ("", ""))
        return hmac.compare_digest(mac, self._mac(name, kept, password)) if known == kept else None

    def remember(self, name: str, kept: str, password: str) -> None:
        """Recognise this password, which is known to be right, from now on."""
        remember(self._known, name.lower(), (kept, self._mac(name, kept, password)), _MOST_KNOWN)

    def _mac(self, name: str, salt: str, password: str) -> str:
        return hmac.new(self._key, f"{name.lower()}\0{salt}\0{password}".encode(), "sha256").hexdigest()
