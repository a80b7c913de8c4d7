"""Plays what is left of a match, here or on a cluster, and keeps every game as soon as it is over."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import ILLEGAL, TIME, FinishedGame
from gtp_variants.arena.run import pool
from gtp_variants.arena.run.observer import MatchObserver
from gtp_variants.arena.run.pool import WorkerFailed
from gtp_variants.arena.schedule import WHOLE, Fixture, Shard, Unit, count_games, units
from gtp_variants.arena.statistics.stopping import StoppingRules
from gtp_variants.arena.statistics.tally import tally_matchups, too_many_failures
from gtp_variants.arena.store import MatchStore

COMPLETE, WRONG, INTERRUPTED, FAILED = range(4)


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
        part: RunOptions,
        observers: Sequence[MatchObserver] = (),
    ) -> None:
        self.config = config
        self.store = store
        self.part = part
        self.observers = observers
        self.rows = store.rows()
        self.stopping = StoppingRules(config, self.rows, part.shard)
        self.total = count_games(config, part.shard)
        self._found = tally_matchups(config, self.rows.values())
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
        if self.stopping.decision is not None:
            return RunStatus(COMPLETE, self.stopping.decision.why)
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
            return pool.play_in_processes(self._next, self.part.jobs, self.config.folder / "logs", self.observers)
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
            for observer in self.observers:
                observer.on_result(game, sum(tally.count for tally in self._found), self.total)
        self.stopping.update()
        failed = too_many_failures(self._found)
        if failed:
            return RunStatus(FAILED, failed)
        if self.stopping.decision is not None:
            return RunStatus(COMPLETE, self.stopping.decision.why)
        if self.store.is_asked_to_stop and not self.stopping.is_over:
            return RunStatus(INTERRUPTED, "stopped as asked")
        return None

    def _next(self) -> Fixture | None:
        """The next game that nobody plays yet."""
        if self._left == 0:
            return None
        if not self._waiting:
            self._waiting = self._next_games()
        if not self._waiting:
            return None
        if self._left is not None:
            self._left -= 1
        return self._waiting.pop()

    def _next_games(self) -> list[Fixture]:
        """The games left of the next pair that has any, the first one last."""
        while (unit := self._next_unit()) is not None:
            left = [each for each in unit.fixtures(self.config) if each.id not in self.rows]
            if left:
                return left[::-1]
        return []

    def _next_unit(self) -> Unit | None:
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
    part: RunOptions,
    observers: Sequence[MatchObserver] = (),
) -> RunStatus:
    """Play the games that are not in the store yet."""
    return Run(config, store, part, observers).play()
