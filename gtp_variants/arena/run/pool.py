"""Plays games in processes, several at a time: on this machine, or beside the workers of a Dask cluster."""

import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from secrets import token_hex
from typing import Any

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.worker import MatchObserver, Worker, WorkerFailed
from gtp_variants.arena.schedule import Fixture
from gtp_variants.base.processes.dask_cluster import TRIES, DaskCluster, open_cluster
from gtp_variants.errors import VariantsError
from gtp_variants.players.isolated.description import protect_memory

# Games of a cluster that wait for each that is played, so that no worker is idle while results travel.
_WAITING = 1

# The next game to play, None if there is none now; there may be one when a game is over.
Feed = Callable[[], Fixture | None]


def play_in_processes(
    feed: Feed, jobs: int, logs: Path, observers: Sequence[MatchObserver] = ()
) -> Generator[FinishedGame, None, None]:
    """Games as they end, `jobs` at a time. Left early, the processes are ended with the games they play."""
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
            # The processes go on while somebody keeps the game; and that may be what the next one waits for.
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
    """Yield games as they end. A cluster on this machine has `jobs` workers; another one brings its own.

    Raises what `open_cluster` raises, and WorkerFailed for a game that could not be played.
    """
    with open_cluster(config.executor, jobs, config.tls) as cluster:
        try:
            yield from _ClusterGames(cluster, feed, config.folder / "logs").run()
        except VariantsError:
            raise
        except Exception as error:
            # Dask's own, as when its scheduler is lost.
            why = str(error).partition("\n")[0] or type(error).__name__
            raise WorkerFailed(f"executor: {why} The same command goes on.") from error


class _ClusterGames:
    """Games played beside the workers of a cluster. Each is a task, and those of a lost worker are played again."""

    def __init__(self, cluster: DaskCluster, feed: Feed, logs: Path) -> None:
        self.cluster = cluster
        self.killed = cluster.distributed.KilledWorker
        self.feed = feed
        self.logs = logs.absolute()
        self.finished = cluster.distributed.as_completed()
        self.playing: dict[Any, tuple[Fixture, int]] = {}

    def run(self) -> Generator[FinishedGame, None, None]:
        """Yield games as they end."""
        self.give_work()
        while self.playing:
            future = next(self.finished)
            fixture, tries = self.playing.pop(future)
            if isinstance(future.exception(), self.killed) and tries < TRIES:
                self.submit(fixture, tries + 1)
                continue
            game: FinishedGame = future.result()
            self.give_work()
            yield game
            self.give_work()

    def give_work(self) -> None:
        """Keep every thread of every worker busy."""
        most = (1 + _WAITING) * self.cluster.threads
        while len(self.playing) < most and (fixture := self.feed()) is not None:
            self.submit(fixture, 1)

    def submit(self, fixture: Fixture, tries: int) -> None:
        future = self.cluster.submit(_play_on_worker, fixture, self.logs)
        self.playing[future] = fixture, tries
        self.finished.add(future)


# In a Dask worker: the process for games of each of its threads.
_processes: dict[int, Worker] = {}


def _play_on_worker(fixture: Fixture, logs: Path) -> FinishedGame:
    """In a Dask worker: play one game."""
    here = threading.get_ident()
    if here not in _processes:
        protect_memory()
        # The folder of the match lies on the machine of the match, or on a disk that the machines share.
        logs = logs if logs.parent.is_dir() else Path(tempfile.mkdtemp(prefix="gtp-variants-"))
        _processes[here] = Worker(logs, len(_processes) + 1)
    if fixture.has_fresh_seed:
        # Only now: nobody can know the dice of a game that waits, and that of a lost worker gets other dice.
        fixture = replace(fixture, seed=token_hex(32))
    try:
        return _processes[here].play(fixture)
    except Exception as error:
        # Other exceptions may not survive pickling.
        raise WorkerFailed(str(error)) from None
