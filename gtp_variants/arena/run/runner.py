"""Plays the remaining games of a match, here or on a cluster, and stores each game as soon as it ends."""

import tempfile
import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import ILLEGAL, TIME, FinishedGame
from gtp_variants.arena.run.worker import MatchObserver, Worker, WorkerFailed
from gtp_variants.arena.schedule import WHOLE, Fixture, Schedule, Shard, count_games
from gtp_variants.arena.stopping import StoppingRules
from gtp_variants.arena.store import MatchStore, SampleFiles
from gtp_variants.arena.tally import interfered_matchups, tally_matchups, too_many_failures
from gtp_variants.base.processes.dask_cluster import LOCAL, TRIES, open_cluster
from gtp_variants.base.processes.secrecy import protect_memory
from gtp_variants.errors import VariantsError

# The exit statuses of `gtp-variants match`.
COMPLETE, WRONG, FAILED, INTERRUPTED = 0, 2, 3, 130
# Games queued on a cluster for each game in progress, so that no worker is idle while results are sent.
_WAITING = 1


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run ended: COMPLETE (also after all the games requested), INTERRUPTED or FAILED, and why."""

    status: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The part of a match to play in this run: at most `games` games of a shard, `jobs` at a time."""

    jobs: int = 1
    games: int | None = None
    shard: Shard = WHOLE


class _Stopped(Exception):
    """A player's failure that ends the match because the settings say so."""


class Run:
    """One run of a match."""

    def __init__(
        self, config: MatchConfig, store: MatchStore, part: RunOptions, observers: Sequence[MatchObserver] = ()
    ) -> None:
        self.config, self.store, self.part, self.observers = config, store, part, observers
        self.rows = store.rows()
        self.stopping = StoppingRules(config, self.rows, part.shard)
        self.total = count_games(config, part.shard)
        self._samples = SampleFiles(config)
        self._found = tally_matchups(config, self.rows.values())
        self._tally_of = {tally.matchup.id: tally for tally in self._found}
        self._schedule = Schedule(config, self.rows, part.shard)
        self._waiting: list[Fixture] = []
        self._left = part.games
        self._is_stopping = False
        self.status: RunStatus | None = None

    @property
    def count(self) -> int:
        """The number of games of the match that are over."""
        return sum(tally.count for tally in self._found)

    def games(self) -> Generator[FinishedGame, None, None]:
        """Yield each stored game; `status` then says how the run ended. Leaving early abandons games in progress."""
        self.store.begin(self.config)
        self._samples.settle(self.rows)
        self.status = self._verdict()
        if self.status is not None:
            return
        jobs, logs = self.part.jobs, self.config.folder / "logs"
        if self.config.executor == LOCAL:
            games = play_in_processes(self._next, jobs, logs, self.observers)
        else:
            games = play_on_dask(self._next, jobs, self.config)
        try:
            for game in games:
                self._keep(game)
                self.status = self._verdict()
                yield game
                if self.status is not None:
                    return
            if interfered := "; ".join(interfered_matchups(self._found).values()):
                self.status = RunStatus(FAILED, interfered)
            elif self._is_stopping and not self.stopping.is_over:
                self.status = RunStatus(INTERRUPTED, "stopped as asked")
            else:
                self.status = RunStatus(COMPLETE)
        except (WorkerFailed, _Stopped) as error:
            self.status = RunStatus(FAILED, str(error))
        finally:
            games.close()

    def stop(self) -> None:
        """Begin no more games; finish those in progress."""
        self._is_stopping = True

    def _keep(self, game: FinishedGame) -> None:
        row = game.row
        settings = self._tally_of[row.matchup].matchup.game
        for player, kind, why in row.failures[:1] if row.kind == "forfeit" else ():
            if (settings.on_timeout if kind == TIME else settings.on_crash) == "stop" and kind != ILLEGAL:
                raise _Stopped(f"{player} failed in {row.id} ({kind}: {why}), and the settings say stop")
        self._samples.prepare(game)
        if self.store.add(game):
            self._samples.publish(game)
            self.rows[row.id] = row
            self._tally_of[row.matchup].add(row)
            for observer in self.observers:
                observer.on_result(game, self.count, self.total)
        else:
            self._samples.discard(game)
        self.stopping.update()
        if self.store.is_asked_to_stop and not self.stopping.is_over:
            self.stop()

    def _verdict(self) -> RunStatus | None:
        """Return the status with which the run ends now, before its last game; None if it continues."""
        failed = too_many_failures(self._found)
        if failed:
            return RunStatus(FAILED, failed)
        if self.stopping.decision is not None:
            return RunStatus(COMPLETE, self.stopping.decision.why)
        return None

    def _next(self) -> Fixture | None:
        if self._left == 0 or self._is_stopping:
            return None
        stopped = interfered_matchups(self._found)
        self._waiting = [each for each in self._waiting if each.matchup not in stopped] or self._next_games(stopped)
        if not self._waiting:
            return None
        if self._left is not None:
            self._left -= 1
        fixture = self._waiting.pop()
        return replace(fixture, interferences=self._tally_of[fixture.matchup].interferences)

    def _next_games(self, stopped: Collection[str]) -> list[Fixture]:
        """Return, in reverse order, the unplayed games of the next pair that has any, without the stopped matchups."""
        while (unit := self._schedule.next()) is not None:
            if unit.matchup.id in stopped:
                continue
            left = [each for each in unit.fixtures(self.config) if each.id not in self.rows]
            if left:
                return left[::-1]
        return []


def run(config: MatchConfig, store: MatchStore, part: RunOptions, observers: Sequence[MatchObserver] = ()) -> RunStatus:
    """Play the games that are not yet in the store; return how the run ended."""
    playing = Run(config, store, part, observers)
    try:
        deque(playing.games(), maxlen=0)
    except KeyboardInterrupt:
        return RunStatus(INTERRUPTED, "interrupted")
    assert playing.status is not None
    return playing.status


# Returns the next game to play, or None if there is none at present; there may be one once another game is over.
Feed = Callable[[], Fixture | None]


def play_in_processes(
    feed: Feed, jobs: int, logs: Path, observers: Sequence[MatchObserver] = ()
) -> Generator[FinishedGame, None, None]:
    """Play `jobs` games at a time and yield each as it ends. If the caller stops early, end the processes and games."""
    answers: SimpleQueue[tuple[int, FinishedGame | Exception]] = SimpleQueue()
    workers = [Worker(logs, slot, observers) for slot in range(1, jobs + 1)]
    asked: list[SimpleQueue[Fixture | None]] = [SimpleQueue() for _ in workers]
    idle = list(range(jobs))

    def serve(slot: int) -> None:
        while (fixture := asked[slot].get()) is not None:
            try:
                answers.put((slot, workers[slot].play(fixture)))
            except Exception as error:
                answers.put((slot, error))

    def give_work() -> None:
        while idle and (fixture := feed()) is not None:
            asked[idle.pop(0)].put(fixture)

    for slot in range(jobs):
        threading.Thread(target=serve, args=(slot,), daemon=True).start()
    try:
        give_work()
        while len(idle) < jobs:
            slot, answer = answers.get()
            idle.append(slot)
            if isinstance(answer, Exception):
                raise answer
            # Begin a game before the yield, so that no process is idle while the caller stores this one. Try again
            # afterwards, because the schedule may have been waiting for the stored result.
            if not answer.row.interferences:
                give_work()
            yield answer
            give_work()
    finally:
        for queue in asked:
            queue.put(None)
        for worker in workers:
            worker.dismiss()
        for worker in workers:
            worker.close()


def play_on_dask(feed: Feed, jobs: int, config: MatchConfig) -> Generator[FinishedGame, None, None]:
    """Play games on a cluster and yield each as it ends. A cluster on this machine has `jobs` workers.

    Raises the same errors as `open_cluster`, and WorkerFailed if a game cannot be played.
    """
    logs = (config.folder / "logs").absolute()
    # By future: the game and the number of the attempt.
    playing: dict[Any, tuple[Fixture, int]] = {}
    with open_cluster(config.executor, jobs, config.tls) as cluster:
        finished = cluster.distributed.as_completed()

        def submit(fixture: Fixture, attempt: int) -> None:
            future = cluster.submit(_play_on_worker, fixture, logs)
            playing[future] = fixture, attempt
            finished.add(future)

        def give_work() -> None:
            most = (1 + _WAITING) * cluster.threads
            while len(playing) < most and (fixture := feed()) is not None:
                submit(fixture, 1)

        try:
            give_work()
            while playing:
                future = next(finished)
                fixture, attempt = playing.pop(future)
                # Replay the game of a lost worker.
                if isinstance(future.exception(), cluster.distributed.KilledWorker) and attempt < TRIES:
                    submit(fixture, attempt + 1)
                    continue
                game: FinishedGame = future.result()
                give_work()
                yield game
                give_work()
        except VariantsError:
            raise
        except Exception as error:
            # The exception comes from Dask, for example because its scheduler was lost.
            why = str(error).partition("\n")[0] or type(error).__name__
            raise WorkerFailed(f"executor: {why} Run the same command again to continue.") from error


# In a Dask worker: for each thread, the process that plays its games.
_processes: dict[int, Worker] = {}


def _play_on_worker(fixture: Fixture, logs: Path) -> FinishedGame:
    """Play one game in a Dask worker."""
    here = threading.get_ident()
    if here not in _processes:
        protect_memory()
        # The match's folder exists on this machine only if the machines share a disk.
        logs = logs if logs.parent.is_dir() else Path(tempfile.mkdtemp(prefix="gtp-variants-"))
        _processes[here] = Worker(logs, len(_processes) + 1)
    try:
        return _processes[here].play(fixture)
    except Exception as error:
        # Send only the message, because other exceptions may not survive pickling.
        raise WorkerFailed(str(error)) from None
