"""A memory-mapped flight recorder: the current game of a worker process, readable after the process has died.

The worker and the process that watches it map the same file. A write costs a few microseconds, and the file outlives
its writer. The watcher reads while the worker writes, and the worker may be killed at any byte. Therefore every value
carries a digest and is written beside its predecessor, never over it. A reader sees the new value or the old, whole.
"""

import mmap
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import inf
from pathlib import Path
from time import monotonic

from gtp_variants.records.record import MAX_EVENTS
from gtp_variants.rules.actions import Event

# The colour that is asked (0: nobody), whether its bot plays in that process, and the deadline.
_ASKED = struct.Struct("<q?7xd")
# The number of events and their digest.
_PROGRESS = struct.Struct("<q16s")
_PID = struct.Struct("<q")
# Actor and action.
_EVENT = struct.Struct("<qq")
# The number of a value, counted from 1.
_NUMBER = struct.Struct("<q")
_DIGEST_SIZE = 16
# Attempts to read a value that a live writer is changing. After them all, something else has overwritten the memory.
_READS = 100
# Seconds that work outside the players may take, such as writing the record.
_OWN_WORK_S = 600.0


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_SIZE).digest()


class _SharedValue:
    """Some bytes in shared memory with one writer at a time, which are always read whole.

    There are two slots. Value number n goes to slot n % 2, with a digest, and leaves value n - 1 in the other slot.
    """

    def __init__(self, memory: mmap.mmap, place: int, size: int) -> None:
        self._memory = memory
        self._place = place
        self._slot_size = _slot_size(size)
        # Number and bytes of the latest whole value seen.
        self._known = 0, b""

    def write(self, value: bytes) -> None:
        """Store a value in the slot of the older one."""
        number = self._latest()[0] + 1
        content = _NUMBER.pack(number) + value
        start = self._place + number % 2 * self._slot_size
        self._memory[start : start + self._slot_size] = _digest(content) + content

    def read(self) -> bytes:
        """Return the latest value that was written whole, or nothing if there is none."""
        return self._latest()[1]

    def _latest(self) -> tuple[int, bytes]:
        size = self._slot_size
        for _ in range(_READS):
            both = self._memory[self._place : self._place + 2 * size]
            slots = [(slot[:_DIGEST_SIZE], slot[_DIGEST_SIZE:]) for slot in (both[:size], both[size:])]
            whole = [content for digest, content in slots if _digest(content) == digest]
            if whole:
                self._known = max((_NUMBER.unpack_from(each)[0], each[_NUMBER.size :]) for each in whole)
                break
            if not any(both):
                break
        return self._known


def _slot_size(size: int) -> int:
    return _DIGEST_SIZE + _NUMBER.size + size


_PROGRESS_AT = 2 * _slot_size(_ASKED.size)
_PID_AT = _PROGRESS_AT + 2 * _slot_size(_PROGRESS.size)
_EVENTS_AT = _PID_AT + 2 * _slot_size(_PID.size)
SIZE = _EVENTS_AT + _EVENT.size * (MAX_EVENTS + 16)


@dataclass(frozen=True, slots=True)
class Asked:
    """The colour that is asked, 0 for nobody, and its deadline by the monotonic clock.

    `is_here` means that the player is a bot in the process itself, which only the end of the process stops.
    """

    colour: int
    is_here: bool
    until: float


class GameObserver:
    """Follows one game from within the process that plays it."""

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """Take note of a player that is asked, and its deadline by the monotonic clock; `is_here` as in `Asked`."""

    def on_answer(self) -> None:
        """Take note that the player has answered."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Take note of all events so far."""


class CrashLog(GameObserver):
    """A game observer whose memory outlives it. The file is made at its full size, filled with zeros."""

    def __init__(self, path: Path) -> None:
        with path.open("a+b") as file:
            file.truncate(SIZE)
            self._memory = mmap.mmap(file.fileno(), SIZE)
        self._asked = _SharedValue(self._memory, 0, _ASKED.size)
        self._progress = _SharedValue(self._memory, _PROGRESS_AT, _PROGRESS.size)
        self._pid = _SharedValue(self._memory, _PID_AT, _PID.size)
        self._written = 0
        self._hash = blake2b(digest_size=_DIGEST_SIZE)
        self._known_events: list[Event] = []

    def note_process(self) -> None:
        """Note that this process plays the game."""
        self._pid.write(_PID.pack(os.getpid()))

    @property
    def pid(self) -> int:
        """The number of the process that plays the game, 0 before it is noted."""
        return int.from_bytes(self._pid.read(), "little")

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """Note the colour that is asked, and its deadline."""
        self._asked.write(_ASKED.pack(colour, is_here, until))

    def on_answer(self) -> None:
        """Note that nobody is asked."""
        self.on_ask(0, monotonic() + _OWN_WORK_S, False)

    def begin(self) -> None:
        """Start a new game without events."""
        self.on_answer()
        self._forget_events()

    def _forget_events(self) -> None:
        self._written = 0
        self._hash = blake2b(digest_size=_DIGEST_SIZE)
        self._write_progress()

    def _write_progress(self) -> None:
        self._progress.write(_PROGRESS.pack(self._written, self._hash.digest()))

    def _read_progress(self) -> tuple[int, bytes]:
        value = self._progress.read()
        count, digest = _PROGRESS.unpack(value) if value else (0, _digest(b""))
        return count, digest

    def on_events(self, events: Sequence[Event]) -> None:
        """Note the new events. The count follows them, so no reader sees an event before it is whole."""
        if len(events) < self._written:
            self._forget_events()
        content = b"".join(_EVENT.pack(event.actor, event.action) for event in events[self._written :])
        start = _EVENTS_AT + self._written * _EVENT.size
        self._memory[start : start + len(content)] = content
        self._hash.update(content)
        self._written = len(events)
        self._write_progress()

    @property
    def asked(self) -> Asked:
        """The colour that is asked, and its deadline; nobody and no deadline before anything is noted."""
        value = self._asked.read()
        return Asked(*_ASKED.unpack(value)) if value else Asked(0, False, inf)

    @property
    def count(self) -> int:
        """The number of events noted."""
        return self._read_progress()[0]

    @property
    def events(self) -> list[Event]:
        """The events noted, all of one game."""
        for _ in range(_READS):
            count, digest = self._read_progress()
            content = self._memory[_EVENTS_AT : _EVENTS_AT + count * _EVENT.size]
            if _digest(content) == digest:
                self._known_events = [Event(*words) for words in _EVENT.iter_unpack(content)]
                break
        return self._known_events

    def close(self) -> None:
        """Release the file."""
        self._memory.close()
