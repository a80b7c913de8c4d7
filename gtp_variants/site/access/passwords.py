"""Password checks: a slow hash once, and a fast check for the rest of a session.

Slow hashes run in threads of their own, beside the games. A session recognises a password by an HMAC under a key in a
separate file, `session.key`, so that a stolen account file alone does not help to guess passwords. A session is stored
until its account has left and has no game: after a crash, two hundred players can return without a slow hash each.
"""

import asyncio
import hashlib
import heapq
import hmac
import itertools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
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


class Urgency(IntEnum):
    """The order in which passwords are checked, the lowest value first."""

    PLAYING = 0
    KNOWN = 1
    SUSPECT = 2


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


@dataclass(order=True, slots=True)
class _Turn:
    urgency: Urgency
    number: int
    has_come: asyncio.Event = field(compare=False, default_factory=asyncio.Event)


class HashQueue:
    """Runs slow work in one thread per processor, the most urgent first. At most `most` SUSPECT passwords may wait."""

    def __init__(self, threads: int | None = None, most: int = 200) -> None:
        self._most = most
        self._turns: list[_Turn] = []
        self._numbers = itertools.count()
        self._free = threads or available_cores()
        self._threads = ThreadPoolExecutor(self._free, "passwords", _give_way)

    def __len__(self) -> int:
        return len(self._turns)

    async def run(self, work: Callable[[], T], urgency: Urgency) -> T:
        """Run `work` when its turn comes, and return its result. Raises Refused if too many suspects wait."""
        if urgency == Urgency.SUSPECT and sum(turn.urgency == urgency for turn in self._turns) >= self._most:
            raise Refused("login", "too many logins at the moment; come back in a minute")
        turn = _Turn(urgency, next(self._numbers))
        heapq.heappush(self._turns, turn)
        self._go_on()
        try:
            await turn.has_come.wait()
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            if turn.has_come.is_set():
                self._free += 1
                self._go_on()
            else:
                self._turns.remove(turn)
                heapq.heapify(self._turns)

    def _go_on(self) -> None:
        while self._turns and self._free:
            self._free -= 1
            heapq.heappop(self._turns).has_come.set()

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
