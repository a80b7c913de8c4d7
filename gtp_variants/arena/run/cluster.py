"""Plays games on a Dask cluster: one on this machine, or one whose scheduler is given by address.

The workers need this package in the same version, and the programs and files that the match names. A game is one task;
it is played in a process of its own beside the Dask worker, as it is on one machine, so the games are the same.
"""

import threading
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.pool import Feed, Worker, WorkerFailed
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import ConfigError
from gtp_variants.installation import install_command

# So many workers may be lost with a game before the game is blamed.
_TRIES = 10
# Games that wait beside each that is played, so that nobody is idle while results travel.
_WAITING = 1

# In a Dask worker: the process for games of each of its threads.
_processes: dict[int, Worker] = {}


def play_on_dask(feed: Feed, jobs: int, config: MatchConfig) -> Generator[FinishedGame, None, None]:
    """Games as they end. `jobs` are the workers of a cluster on this machine; another one brings its own.

    Raises ConfigError where Dask is missing or its workers are of another version, OSError where its scheduler cannot
    be reached, WorkerFailed for a game that could not be played.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise ConfigError([f"executor: dask is not installed; {install_command('dask')}"]) from None
    address = config.executor.partition(":")[2]
    with ExitStack() as opened:
        if not address:
            opened.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": _TRIES}))
            cluster = distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
            address = opened.enter_context(cluster)
        client = opened.enter_context(distributed.Client(address))
        _expect_our_version(client)
        yield from _Games(client, distributed, feed, config.folder / "logs").run()


def _expect_our_version(client: Any) -> None:
    for worker, version in client.run(_version).items():
        if version != __version__:
            raise ConfigError([f"executor: worker {worker} has gtp-variants {version}, this is {__version__}"])


def _version() -> str:
    return __version__


class _Games:
    """Games that are played by the workers of a cluster."""

    def __init__(self, client: Any, distributed: Any, feed: Feed, logs: Path) -> None:
        self.client = client
        self.killed = distributed.KilledWorker
        self.feed = feed
        self.logs = str(logs.absolute())
        self.finished = distributed.as_completed()
        self.playing: dict[Any, tuple[Fixture, int]] = {}

    def run(self) -> Generator[FinishedGame, None, None]:
        """Games as they end."""
        self.give_work()
        while self.playing:
            future = next(self.finished)
            fixture, tries = self.playing.pop(future)
            if isinstance(future.exception(), self.killed) and tries < _TRIES:
                self.submit(fixture, tries + 1)
                continue
            game: FinishedGame = future.result()
            self.give_work()
            yield game
            self.give_work()

    def give_work(self) -> None:
        """Keep every thread of every worker busy; there may be more of them than a moment ago, or fewer."""
        threads = max(1, sum(self.client.nthreads().values()))
        while len(self.playing) < (1 + _WAITING) * threads and (fixture := self.feed()) is not None:
            self.submit(fixture, 1)

    def submit(self, fixture: Fixture, tries: int) -> None:
        future = self.client.submit(_play, fixture, self.logs, pure=False)
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
