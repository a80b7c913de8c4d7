"""`match --watch`: shows the games in progress on a server's page.

A thread polls the workers' crash logs, so that games never wait for the server. A game that begins and ends between two
polls is not shown. The secret of the dice is never sent, because the other games of a pair may have the same dice.
"""

import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import monotonic

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.worker import MatchObserver
from gtp_variants.arena.schedule import COLOURS, Fixture
from gtp_variants.errors import VariantsError
from gtp_variants.players.agreements import agreed_rules
from gtp_variants.players.publisher import Place, Publisher, Shown, open_publisher
from gtp_variants.rules import parse
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules

# Seconds between two polls, and seconds between two finished games of a cluster, which has no logs to poll.
_EVERY_S, _OVER_EVERY_S = 0.05, 2.0
# Maximum number of finished games waiting to be sent.
_MOST_OVER = 100
# Seconds to wait at the end for the last games to be sent.
_PATIENCE_S = 2.0


class MatchBroadcast(MatchObserver):
    """Follows the games of a match in a thread of its own and passes them to a publisher."""

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

    def on_begin(self, fixture: Fixture, log: CrashLog) -> None:
        with self._lock:
            self._on[fixture.id] = fixture, log, None

    def on_end(self, fixture: Fixture) -> None:
        with self._lock:
            self._on.pop(fixture.id, None)

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        self._over.append(game)

    def close(self) -> None:
        """Poll one last time and end the thread."""
        self._closing.set()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._closing.wait(_EVERY_S)
            with self._lock:
                ids = list(self._on)
            for id in ids:
                self._poll(id)
            while self._over:
                self._finish(self._over.popleft())

    def _poll(self, id: str) -> None:
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
                # The log is closed because the match has ended, so there is nothing more to publish.
                return
        if begun is None:
            dice = DiceStream(fixture.secret)
            game, players = fixture.begin(dice).game, dict(zip(COLOURS, fixture.names, strict=False))
            commitment = dice.commitment if isinstance(game.rules, DicedRules) else None
            begun = Shown.of(self._name, fixture.id, game, players, commitment)
            with self._lock:
                if id in self._on:
                    self._on[id] = fixture, log, begun
        rules = agreed_rules(parse(begun.spec), [event.action for event in events])
        shown = replace(begun, spec=rules.spec, events=events or begun.events)
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


@contextmanager
def broadcast(config: MatchConfig, place: Place | None) -> Iterator[list[MatchObserver]]:
    """Yield an observer that shows the match on a server's page, or no observer if `place` is None."""
    with open_publisher(place, lambda text: print(text, file=sys.stderr)) as publisher:
        if publisher is None:
            yield []
            return
        shown = MatchBroadcast(config, publisher)
        try:
            yield [shown]
        finally:
            shown.close()
