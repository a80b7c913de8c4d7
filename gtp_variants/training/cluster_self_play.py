"""Self-play on this machine or on a cluster. A game depends on its number alone, so both play the same games."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.network import Network
from gtp_variants.base.processes.dask_cluster import TRIES, DaskCluster
from gtp_variants.errors import VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules
from gtp_variants.training.hidden_self_play import HiddenSelfPlayer
from gtp_variants.training.self_play import CPU, PlayedGames, SelfPlayer
from gtp_variants.training.settings import SelfPlaySettings

# Tasks per thread of the cluster: games differ in length, and small tasks keep few threads idle at the end.
_TASKS_A_THREAD = 4


def find_missing() -> list[str]:
    """Return the requirements of training games that this machine lacks."""
    lacks = [] if search_backend() == "native" else ["compiled kernel"]
    return lacks if find_spec("numpy") else [*lacks, "numpy"]


class GamesPlayer(Protocol):
    """Plays games of one SPEC with one network."""

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play games number `first` to `first + count - 1` of a seed."""
        ...


def self_player(
    rules: Rules, network: Network, threads: int, cluster: DaskCluster | None = None, device: str = CPU
) -> GamesPlayer:
    """Return the player of these rules: on a cluster, or on threads of this machine with a device for the network."""
    if cluster is not None:
        return ClusterSelfPlayer(rules, network, cluster)
    if not rules.is_open:
        return HiddenSelfPlayer(rules, network, threads)
    if device == CPU:
        return SelfPlayer(rules, network, threads)
    from gtp_variants.training.pytorch.self_play import TorchSelfPlayer

    return TorchSelfPlayer(rules, network, device, threads)


class ClusterFailed(VariantsError):
    """The loss of the cluster, or workers that cannot play."""


@dataclass(frozen=True, slots=True)
class _Task:
    """The part of a chunk that one thread of a worker plays."""

    spec: str
    network: Network
    settings: SelfPlaySettings
    seed: int
    first: int
    count: int


class ClusterSelfPlayer:
    """Plays games of one SPEC on a cluster, which used `workers_s` processor seconds so far."""

    def __init__(self, rules: Rules, network: Network, cluster: DaskCluster) -> None:
        self._spec, self._network, self._cluster = rules.spec, network, cluster
        self.workers_s = 0.0

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play games as any GamesPlayer. Raises ClusterFailed if the games kill workers, or the scheduler is lost."""
        size = max(1, count // (_TASKS_A_THREAD * self._cluster.threads))
        tasks = [
            _Task(self._spec, self._network, settings, seed, first + start, min(size, count - start))
            for start in range(0, count, size)
        ]
        return PlayedGames.join(self._results(tasks))

    def _results(self, tasks: Sequence[_Task]) -> list[PlayedGames]:
        results = []
        futures = [self._submit(task) for task in tasks]
        for task, future in zip(tasks, futures, strict=True):
            games, seconds = self._result(task, future)
            self.workers_s += seconds
            results.append(games)
        return results

    def _result(self, task: _Task, future: Any) -> tuple[PlayedGames, float]:
        killed = self._cluster.distributed.KilledWorker
        try:
            for _ in range(TRIES - 1):
                if not isinstance(future.exception(), killed):
                    break
                future = self._submit(task)
            found: tuple[PlayedGames, float] = future.result()
        except Exception as error:
            why = str(error) or type(error).__name__
            raise ClusterFailed(f"executor: games were not played: {why}; the same command goes on") from error
        return found

    def _submit(self, task: _Task) -> Any:
        return self._cluster.submit(_play, task)


def _play(task: _Task) -> tuple[PlayedGames, float]:
    """Play a task on a worker. Return the games and their processor time in seconds."""
    began = time.thread_time()
    games = self_player(parse(task.spec), task.network, 1).play(task.settings, task.seed, task.first, task.count)
    return games, time.thread_time() - began
