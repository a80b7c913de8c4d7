"""Plays the games of a match on a Dask cluster.

The workers need the programs and files that the match names. A game is one task;
it is played in a process of its own beside the Dask worker, as it is on one machine, so the games are the same.
"""

import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.pool import Feed, Worker, WorkerFailed
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import VariantsError
from gtp_variants.processes.dask_cluster import TRIES, DaskCluster, open_cluster

# Games that wait beside each that is played, so that nobody is idle while results travel.
_WAITING = 1

# In a Dask worker: the process for games of each of its threads.
_processes: dict[int, Worker] = {}


def play_on_dask(feed: Feed, jobs: int, config: MatchConfig) -> Generator[FinishedGame, None, None]:
    """Games as they end. `jobs` are the workers of a cluster on this machine; another one brings its own.

    Raises what `open_cluster` raises, and WorkerFailed for a game that could not be played.
    """
    with open_cluster(config.executor, jobs) as cluster:
        try:
            yield from _Games(cluster, feed, config.folder / "logs").run()
        except (VariantsError, OSError):
            raise
        except Exception as error:
            # Dask's own, as when its scheduler is lost.
            raise WorkerFailed(f"executor: {str(error) or type(error).__name__}") from error


class _Games:
    """Games that are played by the workers of a cluster."""

    def __init__(self, cluster: DaskCluster, feed: Feed, logs: Path) -> None:
        self.cluster = cluster
        self.killed = cluster.distributed.KilledWorker
        self.feed = feed
        self.logs = str(logs.absolute())
        self.finished = cluster.distributed.as_completed()
        self.playing: dict[Any, tuple[Fixture, int]] = {}

    def run(self) -> Generator[FinishedGame, None, None]:
        """Games as they end."""
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
        future = self.cluster.client.submit(_play, fixture, self.logs, pure=False)
        self.playing[future] = fixture, tries
        self.finished.add(future)


def _play(fixture: Fixture, logs: str) -> FinishedGame:
    """In a Dask worker: one game."""
    here = threading.get_ident()
    if here not in _processes:
        _processes[here] = Worker(Path(logs), len(_processes) + 1)
    try:
        return _processes[here].play(fixture)
    except Exception as error:
        # As it travels, whatever it was.
        raise WorkerFailed(str(error)) from None
