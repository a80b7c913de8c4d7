"""A memory-mapped flight recorder: the current game of a worker process, readable after the process has died.

The worker and the process that watches it map the same file. A write costs a few microseconds, and the file outlives
its writer. The watcher reads while the worker writes, and the worker may be killed at any byte. Therefore every value
carries a digest and is written beside its predecessor, never over it. A reader sees either the complete new value or
the complete old one.
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

# The colour asked to act (0: nobody), whether its bot plays in the worker process, and the deadline.
_ASKED = struct.Struct("<q?7xd")
# The number of events and their digest.
_PROGRESS = struct.Struct("<q16s")
_PID = struct.Struct("<q")
# An event's actor and action.
_EVENT = struct.Struct("<qq")
# The serial number of a value, counted from 1.
_NUMBER = struct.Struct("<q")
_DIGEST_SIZE = 16
# Maximum attempts to read a value that a writer may be changing. If all fail, something else overwrote the memory.
_READS = 100
# Maximum seconds for work outside the players, such as writing the record.
_OWN_WORK_S = 600.0


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_SIZE).digest()


class _SharedValue:
    """A value of fixed size in shared memory, with one writer at a time. It is always read completely.

    There are two slots. Value number n goes to slot n % 2, with a digest; value n - 1 stays in the other slot.
    """

    def __init__(self, memory: mmap.mmap, place: int, size: int) -> None:
        self._memory = memory
        self._place = place
        self._slot_size = _slot_size(size)
        # Number and bytes of the latest complete value seen.
        self._known = 0, b""

    def write(self, value: bytes) -> None:
        """Store a value in the slot that holds the older one."""
        number = self._latest()[0] + 1
        content = _NUMBER.pack(number) + value
        start = self._place + number % 2 * self._slot_size
        self._memory[start : start + self._slot_size] = _digest(content) + content

    def read(self) -> bytes:
        """Return the latest value that was written completely, or no bytes if there is none."""
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
    """The colour that has been asked to act, or 0 for nobody, and its deadline by the monotonic clock.

    `is_here` means that the player is a bot in the game's own process, so that only ending this process can stop it.
    """

    colour: int
    is_here: bool
    until: float


class GameObserver:
    """Follows one game from within the process that plays it."""

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """Take note of a player that is asked to act and of its deadline; the arguments are as in `Asked`."""

    def on_answer(self) -> None:
        """Take note that the player has answered."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Take note of all events so far."""


class CrashLog(GameObserver):
    """A game observer whose notes outlive it. Their file is created at its full size, filled with zeros."""

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
        """The id of the process that plays the game, or 0 before it has been noted."""
        return int.from_bytes(self._pid.read(), "little")

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """Note the colour that is asked to act, and its deadline."""
        self._asked.write(_ASKED.pack(colour, is_here, until))

    def on_answer(self) -> None:
        """Note that nobody is being asked."""
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
        """Note the new events. Their count is written after them, so that no reader sees an incomplete event."""
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
        """The colour asked to act, and its deadline; before anything is noted, nobody and no deadline."""
        value = self._asked.read()
        return Asked(*_ASKED.unpack(value)) if value else Asked(0, False, inf)

    @property
    def count(self) -> int:
        """The number of events noted."""
        return self._read_progress()[0]

    @property
    def events(self) -> list[Event]:
        """The events noted, all of them from the same game."""
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
