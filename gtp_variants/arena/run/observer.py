"""Who is told what goes on in a match: base classes whose methods do nothing, to be overridden where one likes."""

from collections.abc import Sequence
from typing import Protocol

from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.schedule import Fixture
from gtp_variants.rules.actions import Event


class GameObserver:
    """Follows one game from within the process that plays it."""

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        """A player is asked and ought to answer before this time of the monotonic clock; `is_here`: a bot in here."""

    def on_answer(self) -> None:
        """Nobody is asked any more."""

    def on_events(self, events: Sequence[Event]) -> None:
        """All that has happened so far."""


class GameLog(Protocol):
    """What has happened so far in a game that another process plays."""

    @property
    def count(self) -> int: ...

    @property
    def events(self) -> list[Event]: ...


class MatchObserver:
    """Follows a match from the process that keeps its games. It must not keep anybody waiting."""

    def on_begin(self, fixture: Fixture, log: GameLog) -> None:
        """A game begins here, not on a cluster; what happens in it comes to be in the log."""

    def on_end(self, fixture: Fixture) -> None:
        """What is in the log is no longer that game."""

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        """A game is over and kept, the `number`th of all those of the match."""
