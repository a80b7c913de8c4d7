"""`match --watch`: the games that are on, shown on the page of a server.

The workers' crash logs are looked into from time to time, so that a game neither knows nor waits; what is over before
anybody looked is not shown. The dice's secret is never told: the other games of a pair may have the same dice.
"""

import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import monotonic

from gtp_variants.arena import openings
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.worker import MatchObserver
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import VariantsError
from gtp_variants.players.publisher import Place, Publisher, Shown, open_publisher
from gtp_variants.rules import parse
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules

# How often the logs are looked into, and how often a game is shown that nobody saw while it was played.
_EVERY_S, _OVER_EVERY_S = 0.05, 2.0
_MOST_OVER = 100
_PATIENCE_S = 2.0


class MatchBroadcast(MatchObserver):
    """Follows the games of a match, and hands them to a publisher from a thread of its own."""

    def __init__(self, config: MatchConfig, publisher: Publisher) -> None:
        self._name = config.name
        self._is_cluster = config.executor != "local"
        self._publisher = publisher
        self._lock = threading.Lock()
        self._on: dict[str, tuple[Fixture, CrashLog, Shown | None]] = {}
        self._over: deque[FinishedGame] = deque(maxlen=_MOST_OVER)
        self._shown: dict[str, Shown] = {}
        self._over_s = -_OVER_EVERY_S
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="broadcast", daemon=True)
        self._thread.start()

    # -- told by those who play ----------------------------------------------------------------------------------------

    def on_begin(self, fixture: Fixture, log: CrashLog) -> None:
        """A game begins; what happens in it comes to be in the log."""
        with self._lock:
            self._on[fixture.id] = fixture, log, None

    def on_end(self, fixture: Fixture) -> None:
        """What is in the log is no longer that game."""
        with self._lock:
            self._on.pop(fixture.id, None)

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        """A game is over and kept."""
        self._over.append(game)

    def close(self) -> None:
        """Look a last time."""
        self._closing.set()
        self._thread.join(_PATIENCE_S)

    # -- the thread ----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.wait(_EVERY_S):
            self._look()
        self._look()

    def _look(self) -> None:
        with self._lock:
            on = list(self._on)
        for id in on:
            self._look_at(id)
        while self._over:
            self._finish(self._over.popleft())

    def _look_at(self, id: str) -> None:
        with self._lock:
            fixture, log, begun = self._on.get(id, (None, None, None))
            if fixture is None or log is None:
                return
            known = self._shown.get(id)
            try:
                if known is not None and len(known.events) == log.count:
                    return
                events = tuple(log.events)
            except ValueError:
                # The match is being put away.
                return
        if begun is None:
            begun = _show_start(self._name, fixture)
            with self._lock:
                if id in self._on:
                    self._on[id] = fixture, log, begun
        shown = replace(begun, events=events or begun.events)
        self._shown[id] = shown
        self._publisher.show(id, shown)

    def _finish(self, kept: FinishedGame) -> None:
        row, shown = kept.row, self._shown.pop(kept.row.id, None)
        if shown is None and (not self._is_cluster or monotonic() - self._over_s < _OVER_EVERY_S):
            return
        self._over_s = monotonic()
        with suppress(VariantsError):
            game = kept.record.game
            players = dict(zip(game.rules.colours, row.players, strict=True))
            head = shown or Shown.of(self._name, row.id, game, players)
            events = tuple(game.events)
            self._publisher.show(row.id, replace(head, events=events, is_over=True, result=row.result, why=row.why))


def _show_start(name: str, fixture: Fixture) -> Shown:
    """A game before its players' first move."""
    rules = parse(fixture.game.spec)
    dice = DiceStream(fixture.secret)
    game = openings.begin(rules, lambda: dice, fixture.opening, fixture.game.handicap).game
    players = {colour: fixture.player(colour).name for colour in rules.colours}
    return Shown.of(name, fixture.id, game, players, dice.commitment if isinstance(rules, DicedRules) else None)


@contextmanager
def broadcast(config: MatchConfig, place: Place | None) -> Iterator[list[MatchObserver]]:
    """The observer that shows the match on the page of a server at a place; none without one."""
    with open_publisher(place, lambda text: print(text, file=sys.stderr)) as publisher:
        if publisher is None:
            yield []
            return
        shown = MatchBroadcast(config, publisher)
        try:
            yield [shown]
        finally:
            shown.close()
