"""Plays what is left of a match, here or on a cluster, and keeps every game as soon as it is over."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import ILLEGAL, TIME, FinishedGame
from gtp_variants.arena.run import pool
from gtp_variants.arena.run.pool import WorkerFailed
from gtp_variants.arena.run.store import MatchStore
from gtp_variants.arena.schedule import WHOLE, Fixture, Shard, Unit, count_games, units
from gtp_variants.arena.statistics.stopping import MatchProgress
from gtp_variants.arena.statistics.tally import tallies, too_many_failures

COMPLETE, WRONG, INTERRUPTED, FAILED = range(4)


class MatchObserver(Protocol):
    """Whoever follows a match."""

    def game(self, game: FinishedGame, number: int, of: int) -> None:
        """A game is over and kept, the `number`th of all those of the match."""
        ...


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run ended: COMPLETE (also when as many games were played as were asked for), INTERRUPTED or FAILED."""

    status: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What of a match is to be played now: at most `games` games of a shard, `jobs` at a time."""

    jobs: int = 1
    games: int | None = None
    shard: Shard = WHOLE


class _Stopped(Exception):
    """A player failed, and the settings say that this ends the match."""


class Run:
    """One run of a match."""

    def __init__(
        self,
        config: MatchConfig,
        store: MatchStore,
        watch: MatchObserver,
        part: RunOptions,
        stage: pool.LiveObserver | None = None,
    ) -> None:
        self.config = config
        self.store = store
        self.watch = watch
        self.part = part
        self.stage = stage
        self.rows = store.rows()
        self.course = MatchProgress(config, self.rows, part.shard)
        self.total = count_games(config, part.shard)
        self._found = tallies(config, self.rows.values())
        self._tally_of = {tally.matchup.id: tally for tally in self._found}
        self._source = units(config, self.rows, part.shard)
        self._units: set[str] = set()
        self._waiting: list[Fixture] = []
        self._left = part.games

    def play(self) -> RunStatus:
        """Play to the end, or until something ends it."""
        self.store.begin(self.config)
        why = too_many_failures(self._found)
        if why:
            return RunStatus(FAILED, why)
        if self.course.decision is not None:
            return RunStatus(COMPLETE, self.course.decision.why)
        games = self._games()
        try:
            for game in games:
                ending = self._keep(game)
                if ending is not None:
                    return ending
        except KeyboardInterrupt:
            return RunStatus(INTERRUPTED, "interrupted")
        except (WorkerFailed, _Stopped) as error:
            return RunStatus(FAILED, str(error))
        finally:
            games.close()
        return RunStatus(COMPLETE)

    def _games(self) -> Generator[FinishedGame, None, None]:
        if self.config.executor == "local":
            return pool.play_in_processes(self._next, self.part.jobs, self.config.folder / "logs", self.stage)
        from gtp_variants.arena.run.cluster import play_on_dask

        return play_on_dask(self._next, self.part.jobs, self.config)

    def _keep(self, game: FinishedGame) -> RunStatus | None:
        row = game.row
        settings = self._tally_of[row.matchup].matchup.game
        for player, kind, why in row.failures[:1] if row.kind == "forfeit" else ():
            if (settings.on_timeout if kind == TIME else settings.on_crash) == "stop" and kind != ILLEGAL:
                raise _Stopped(f"{player} failed in {row.id} ({kind}: {why}), and the settings say stop")
        if self.store.add(game):
            self.rows[row.id] = row
            self._tally_of[row.matchup].add(row)
            self.watch.game(game, sum(tally.count for tally in self._found), self.total)
        self.course.look()
        failed = too_many_failures(self._found)
        if failed:
            return RunStatus(FAILED, failed)
        if self.course.decision is not None:
            return RunStatus(COMPLETE, self.course.decision.why)
        if self.store.is_asked_to_stop and not self.course.is_over:
            return RunStatus(INTERRUPTED, "stopped as asked")
        return None

    def _next(self) -> Fixture | None:
        """The next game that nobody plays yet."""
        if self._left == 0:
            return None
        if not self._waiting:
            self._waiting = self._fresh()
        if not self._waiting:
            return None
        if self._left is not None:
            self._left -= 1
        return self._waiting.pop()

    def _fresh(self) -> list[Fixture]:
        """The games left of the next pair that has any, the first one last."""
        while (unit := self._unseen()) is not None:
            left = [each for each in unit.fixtures(self.config) if each.id not in self.rows]
            if left:
                return left[::-1]
        return []

    def _unseen(self) -> Unit | None:
        unit = next(self._source, None)
        if unit is None and self.config.type == "swiss":
            # When a round is over there are more; those of the rounds before are seen again.
            self._source = units(self.config, self.rows, self.part.shard)
            unit = next((unit for unit in self._source if unit.id not in self._units), None)
        if unit is not None:
            self._units.add(unit.id)
        return unit


def run(
    config: MatchConfig,
    store: MatchStore,
    watch: MatchObserver,
    part: RunOptions,
    stage: pool.LiveObserver | None = None,
) -> RunStatus:
    """Play the games that are not in the store yet, before the eyes of a stage if there is one."""
    return Run(config, store, watch, part, stage).play()
