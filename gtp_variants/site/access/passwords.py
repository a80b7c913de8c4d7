"""Password checks: a slow hash once, and a fast check for the rest of a session.

Slow hashes run in threads of their own, beside the games. A session recognises a password by an HMAC under a key in a
separate file, `session.key`, so that a stolen account file alone does not help to guess passwords. A session is stored
until its account has left and has no game: after a crash, two hundred players can return without a slow hash each.
"""

import asyncio
import hashlib
import hmac
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_bytes
from typing import TypeVar

from gtp_variants.base.processes.cores import available_cores
from gtp_variants.errors import Refused
from gtp_variants.records.files import write

T = TypeVar("T")

# The beginning of the quick hash that older versions kept of a new account's password.
KEYED = "keyed "
# Maximum sessions kept in memory.
_MOST_SESSIONS = 20_000
# Slow hashes have a lower priority than the thread of the games.
_NICENESS = 5
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class LoginSession:
    """Recognises a password quickly, by its `mac`, as long as the account's stored hash has this `tag`."""

    tag: str
    mac: str


def load_key(path: Path) -> bytes:
    """Return the key in a private file, which is made if missing or damaged. Raises OSError if that fails."""
    with suppress(FileNotFoundError):
        key = path.read_bytes()
        if len(key) == _KEY_BYTES:
            return key
    key = token_bytes(_KEY_BYTES)
    write(path, key, 0o600)
    return key


class HashQueue:
    """Runs slow work in one thread per processor. At most `most` passwords of suspects may wait."""

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
        self._sessions = OrderedDict[str, LoginSession]()

    def recognise(self, name: str, kept: str, password: str) -> bool | None:
        """Return True if the password is right, False if it is wrong, or None if only a slow hash can tell."""
        if kept.startswith(KEYED):
            _, salt, mac = kept.split()
            return hmac.compare_digest(mac, self._mac(name, salt, password))
        session = self._sessions.get(name.lower())
        if session is None or session.tag != _tag(kept):
            return None
        return hmac.compare_digest(session.mac, self._mac(name, kept, password))

    def remember(self, name: str, kept: str, password: str) -> LoginSession:
        """Start a session that recognises this password, which is known to be right, and return it."""
        session = LoginSession(_tag(kept), self._mac(name, kept, password))
        self.restore(name, session)
        return session

    def restore(self, name: str, session: LoginSession) -> None:
        """Add a session, perhaps from an earlier process."""
        self._sessions[name.lower()] = session
        self._sessions.move_to_end(name.lower())
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)

    def _mac(self, name: str, salt: str, password: str) -> str:
        return hmac.new(self._key, f"{name.lower()}\0{salt}\0{password}".encode(), "sha256").hexdigest()


def _tag(kept: str) -> str:
    return hashlib.sha256(kept.encode()).hexdigest()[:16]
