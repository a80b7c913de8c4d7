"""A memory-mapped flight recorder: the game so far of a worker process, readable after the process has died.

A file that both processes map into memory: writing costs less than a microsecond a move, and the file outlives whoever
wrote it.
"""

import mmap
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from gtp_variants.arena.run.observer import GameObserver
from gtp_variants.records.record import MAX_EVENTS
from gtp_variants.rules.actions import Event

# Who is asked (0: nobody), whether in that process, until when; then how many events there are, and each as actor and
# action. The number of the process stands last.
_ASKED = struct.Struct("<q?7xd")
_COUNT = struct.Struct("<q")
_EVENT = struct.Struct("<qq")
_EVENTS_AT = _ASKED.size + _COUNT.size
_PID_AT = _EVENTS_AT + _EVENT.size * (MAX_EVENTS + 16)
SIZE = _PID_AT + _COUNT.size
# What no player is asked for, such as to write the record, may take so long.
_OWN_WORK_S = 600.0


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked, 0 for nobody, and until when something must have happened by the monotonic clock.

    `is_here` says that the player is a bot in the process itself, which nothing but its end stops.
    """

    colour: int
    is_here: bool
    until: float


class CrashLog(GameObserver):
    """A game observer whose memory outlives it. The file is made as large as it must be, full of zeros."""

    def __init__(self, path: Path) -> None:
        with path.open("a+b") as file:
            file.truncate(SIZE)
            self._memory = mmap.mmap(file.fileno(), SIZE)
        self._count = 0

    def note_process(self) -> None:
        """Note that it is this process whose game this is."""
        _COUNT.pack_into(self._memory, _PID_AT, os.getpid())

    @property
    def pid(self) -> int:
        """The number of the process whose game this is, 0 before it said so."""
        return int(_COUNT.unpack_from(self._memory, _PID_AT)[0])

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """Note who is asked, and until when at most."""
        _ASKED.pack_into(self._memory, 0, colour, is_here, until)

    def on_answer(self) -> None:
        """Note that nobody is asked."""
        _ASKED.pack_into(self._memory, 0, 0, False, monotonic() + _OWN_WORK_S)

    def begin(self) -> None:
        """A new game."""
        self.on_answer()
        self._count = 0
        _COUNT.pack_into(self._memory, _ASKED.size, 0)

    def on_events(self, events: Sequence[Event]) -> None:
        """Note the events that are new."""
        for number in range(self._count, len(events)):
            event = events[number]
            _EVENT.pack_into(self._memory, _EVENTS_AT + number * _EVENT.size, event.actor, event.action)
        self._count = len(events)
        _COUNT.pack_into(self._memory, _ASKED.size, self._count)

    @property
    def asked(self) -> Asked:
        """Who is asked."""
        return Asked(*_ASKED.unpack_from(self._memory, 0))

    @property
    def count(self) -> int:
        """How many events had happened when it was last told."""
        return int(_COUNT.unpack_from(self._memory, _ASKED.size)[0])

    @property
    def events(self) -> list[Event]:
        """What had happened when it was last told."""
        places = (_EVENTS_AT + number * _EVENT.size for number in range(self.count))
        return [Event(*_EVENT.unpack_from(self._memory, place)) for place in places]

    def close(self) -> None:
        """Let go of the file."""
        self._memory.close()
