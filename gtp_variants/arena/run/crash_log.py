"""A memory-mapped flight recorder: the current game of a worker process, readable after the process has died.

The worker and the process that watches it map the same file. A write costs a few microseconds, and the file outlives
its writer. The watcher reads while the worker writes, and the worker may be killed at any byte. Therefore notes
carry a digest and are written beside their predecessors, never over them. A reader sees either the complete new notes
or the complete old ones.
"""

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import inf
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from gtp_variants.records.record import MAX_EVENTS
from gtp_variants.rules.actions import Event

_DIGEST_SIZE = 16
# The fields of `_Notes`.
_NOTES = struct.Struct(f"<q?7xdq{_DIGEST_SIZE}s64s")
# An event's actor and action.
_EVENT = struct.Struct("<qq")
# The serial number of the notes, counted from 1.
_NUMBER = struct.Struct("<q")
_SLOT_SIZE = _DIGEST_SIZE + _NUMBER.size + _NOTES.size
_EVENTS_AT = 2 * _SLOT_SIZE
SIZE = _EVENTS_AT + _EVENT.size * (MAX_EVENTS + 16)
# Maximum attempts to read what a writer may be changing. If all fail, something else overwrote the memory.
_READS = 100
# Maximum seconds for work outside the players, such as writing the record.
_OWN_WORK_S = 600.0


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_SIZE).digest()


class _Notes(NamedTuple):
    """The notes about a game. Of its events, they contain only the number and a digest.

    The first three fields are those of `Asked`. `seed` is the game's own, 64 hexadecimal digits or no bytes.
    """

    colour: int = 0
    is_here: bool = False
    until: float = inf
    written: int = 0
    digest: bytes = _digest(b"")
    seed: bytes = b""


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

    def on_seed(self, seed: str) -> None:
        """Take note of the seed that the game has made for itself, 64 hexadecimal digits."""

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """Take note of a player that is asked to act and of its deadline; the arguments are as in `Asked`."""

    def on_answer(self) -> None:
        """Take note that the player has answered."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Take note of all events so far."""


class CrashLog(GameObserver):
    """A game observer whose notes outlive it. Their file is created at its full size, filled with zeros.

    There are two slots for notes, with one writer at a time. Notes number n go to slot n % 2, with a digest; notes
    number n - 1 stay in the other slot.
    """

    def __init__(self, path: Path) -> None:
        with path.open("a+b") as file:
            file.truncate(SIZE)
            self._memory = mmap.mmap(file.fileno(), SIZE)
        # The number and content of the latest complete notes seen, and of those that this object has written.
        self._seen = 0, _Notes()
        self._number, self._notes = self._seen
        self._known_events: list[Event] = []
        self._hash = blake2b(digest_size=_DIGEST_SIZE)

    def _read(self) -> tuple[int, _Notes]:
        for _ in range(_READS):
            both = self._memory[:_EVENTS_AT]
            slots = both[:_SLOT_SIZE], both[_SLOT_SIZE:]
            whole = [slot[_DIGEST_SIZE:] for slot in slots if _digest(slot[_DIGEST_SIZE:]) == slot[:_DIGEST_SIZE]]
            if whole:
                content = max(whole, key=_NUMBER.unpack_from)
                self._seen = _NUMBER.unpack_from(content)[0], _Notes(*_NOTES.unpack_from(content, _NUMBER.size))
                break
            if not any(both):
                break
        return self._seen

    def _write(self, notes: _Notes) -> None:
        """Write changed notes into the slot that holds the older ones."""
        self._number, self._notes = self._number + 1, notes
        content = _NUMBER.pack(self._number) + _NOTES.pack(*notes)
        start = self._number % 2 * _SLOT_SIZE
        self._memory[start : start + _SLOT_SIZE] = _digest(content) + content

    def on_seed(self, seed: str) -> None:
        self._write(self._notes._replace(seed=seed.encode()))

    @property
    def seed(self) -> str:
        """The seed noted last; "" if none was. It lies in memory that only the worker and its starter can read."""
        return self._read()[1].seed.rstrip(b"\0").decode()

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        self._write(self._notes._replace(colour=colour, is_here=is_here, until=until))

    def on_answer(self) -> None:
        self.on_ask(0, monotonic() + _OWN_WORK_S, False)

    def begin(self) -> None:
        """Start a new game without events. From now on no other process may write."""
        self._number, self._notes = self._read()
        self._hash = blake2b(digest_size=_DIGEST_SIZE)
        self._write(self._notes._replace(written=0, digest=self._hash.digest()))
        self.on_answer()

    def on_events(self, events: Sequence[Event]) -> None:
        if len(events) < self._notes.written:
            self.begin()
        written = self._notes.written
        content = b"".join(_EVENT.pack(event.actor, event.action) for event in events[written:])
        start = _EVENTS_AT + written * _EVENT.size
        self._memory[start : start + len(content)] = content
        self._hash.update(content)
        # Write the notes last, so that no reader sees an incomplete event.
        self._write(self._notes._replace(written=len(events), digest=self._hash.digest()))

    @property
    def asked(self) -> Asked:
        """The colour asked to act, and its deadline; before anything is noted, nobody and no deadline."""
        return Asked(*self._read()[1][:3])

    @property
    def count(self) -> int:
        """The number of events noted."""
        return self._read()[1].written

    @property
    def events(self) -> list[Event]:
        """The events noted, all of them from the same game."""
        for _ in range(_READS):
            _, notes = self._read()
            content = self._memory[_EVENTS_AT : _EVENTS_AT + notes.written * _EVENT.size]
            if _digest(content) == notes.digest:
                self._known_events = [Event(*words) for words in _EVENT.iter_unpack(content)]
                break
        return self._known_events

    def close(self) -> None:
        """Release the file."""
        self._memory.close()
