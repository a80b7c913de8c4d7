"""Self-play on this machine or a cluster. Both play the same games: a game depends only on its seed and number."""

import time
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

# Tasks per thread of the cluster. Games differ in length, so small tasks leave fewer threads idle at the end.
_TASKS_A_THREAD = 4


def find_missing() -> list[str]:
    """Return the requirements for playing training games that this machine does not meet."""
    lacks = [] if search_backend() == "native" else ["compiled kernel"]
    return lacks if find_spec("numpy") else [*lacks, "numpy"]


class GamesPlayer(Protocol):
    """Plays games of one SPEC with one network."""

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play the games numbered `first` to `first + count - 1` for a seed."""


def self_player(
    rules: Rules, network: Network, threads: int, cluster: DaskCluster | None = None, device: str = CPU
) -> GamesPlayer:
    """Return a games player for these rules, on a cluster or this machine, where `device` evaluates open games."""
    if cluster is not None:
        return ClusterSelfPlayer(rules, network, cluster)
    if not rules.is_open:
        return HiddenSelfPlayer(rules, network, threads)
    if device == CPU:
        return SelfPlayer(rules, network, threads)
    from gtp_variants.training.pytorch.integer_network import TorchSelfPlayer

    return TorchSelfPlayer(rules, network, device, threads)


class ClusterFailed(VariantsError):
    """An error for a cluster that was lost, or whose workers cannot play."""


class ClusterSelfPlayer:
    """Plays games of one SPEC on a cluster. Its workers have used `workers_s` processor seconds so far."""

    def __init__(self, rules: Rules, network: Network, cluster: DaskCluster) -> None:
        self._spec, self._network, self._cluster = rules.spec, network, cluster
        self.workers_s = 0.0

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play games like any GamesPlayer. Raises ClusterFailed if a task fails or the scheduler is lost."""
        size = max(1, count // (_TASKS_A_THREAD * self._cluster.threads))
        games_of = self._spec, self._network, settings, seed
        tasks = [(*games_of, first + start, min(size, count - start)) for start in range(0, count, size)]
        futures = [self._cluster.submit(_play, *task) for task in tasks]
        found = [self._result(task, future) for task, future in zip(tasks, futures, strict=True)]
        self.workers_s += sum(seconds for _, seconds in found)
        return PlayedGames.join([games for games, _ in found])

    def _result(self, task: tuple[Any, ...], future: Any) -> tuple[PlayedGames, float]:
        killed = self._cluster.distributed.KilledWorker
        try:
            for _ in range(TRIES - 1):
                if not isinstance(future.exception(), killed):
                    break
                future = self._cluster.submit(_play, *task)
            found: tuple[PlayedGames, float] = future.result()
        except Exception as error:
            why = str(error) or type(error).__name__
            raise ClusterFailed(f"executor: games were not played: {why}; the same command continues") from error
        return found


def _play(
    spec: str, network: Network, settings: SelfPlaySettings, seed: int, first: int, count: int
) -> tuple[PlayedGames, float]:
    """Play a task on a worker. Return the games and their processor time in seconds."""
    began = time.thread_time()
    games = self_player(parse(spec), network, 1).play(settings, seed, first, count)
    return games, time.thread_time() - began
