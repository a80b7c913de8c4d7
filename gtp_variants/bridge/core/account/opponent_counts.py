"""Whom we played: games a day with each, and how many with people since the last one with a program.

It is kept in a file, so that whoever ends the bridge and starts it again changes no limit.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import date
from pathlib import Path

from gtp_variants.records.files import write

# More games with people than anybody asks for are not told apart.
_MOST_PEOPLE = 1_000_000


class OpponentCounts:
    """The counts of one account; `today` is any calendar."""

    def __init__(self, path: Path, log: Callable[[str], None], today: Callable[[], date] = date.today) -> None:
        self._path, self._log, self._today = path, log, today
        self._day = today().isoformat()
        self._games = Counter[str]()
        # Games with people since the last one with a program.
        self.people = 0
        # Who was said to be a program, in small letters.
        self._programs: set[str] = set()
        with suppress(OSError, ValueError, OverflowError, RecursionError, LookupError, TypeError, AttributeError):
            kept = json.loads(path.read_bytes())
            self.people = max(0, min(int(kept["people"]), _MOST_PEOPLE))
            if kept["day"] == self._day:
                self._games.update({str(name): int(count) for name, count in kept["games"].items()})

    def today(self, user: str) -> int:
        """How many games this player had with us today."""
        if self._day != self._today().isoformat():
            self._day = self._today().isoformat()
            self._games.clear()
        return self._games[user.lower()]

    def note_programs(self, users: Collection[str]) -> None:
        """The server, or its operator, says that these are programs."""
        self._programs |= {user.lower() for user in users}

    def is_program(self, user: str, known: Collection[str]) -> bool:
        """Whether a player is a program: one of those that are `known` to be, or of whom the server said it."""
        return user.lower() in self._programs or user.lower() in {name.lower() for name in known}

    def add(self, user: str, *, is_program: bool) -> None:
        """A new game with this player."""
        self.today(user)
        self._games[user.lower()] += 1
        self.people = 0 if is_program else min(self.people + 1, _MOST_PEOPLE)
        kept = {"day": self._day, "games": dict(self._games), "people": self.people}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write(self._path, (json.dumps(kept) + "\n").encode())
        except OSError as error:
            self._log(f"{self._path}: whom we played cannot be kept: {error}")
