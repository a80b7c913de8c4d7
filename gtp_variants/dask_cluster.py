"""A Dask cluster that works for this package: one on this machine, or one whose scheduler is given by address.

Its workers need this package in the same version.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.errors import ConfigError
from gtp_variants.installation import install_command

LOCAL = "local"
# What `read_executor` takes, as people are told.
EXECUTORS = "local, dask or dask:tcp://HOST:PORT"
# So many workers may be lost with a task before the task is blamed.
TRIES = 10


def read_executor(word: str) -> str:
    """Where work is done: `local`, `dask` for a cluster on this machine, `dask:` and an address. Raises ValueError."""
    if word not in (LOCAL, "dask") and not word.startswith(("dask:tcp://", "dask:tls://")):
        raise ValueError
    return word


@dataclass(frozen=True, slots=True)
class DaskCluster:
    """A cluster while it is open: Dask's `client`, and the module `distributed` it is of."""

    client: Any
    distributed: Any

    @property
    def threads(self) -> int:
        """Threads of all its workers; there may be more of them than a moment ago, or fewer."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))


@contextmanager
def open_cluster(executor: str, workers: int) -> Iterator[DaskCluster]:
    """The cluster that `dask` or `dask:ADDRESS` means; one on this machine has so many workers.

    Raises ConfigError where Dask is missing or its workers are of another version, OSError where its scheduler cannot
    be reached.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise ConfigError([f"executor: dask is not installed; {install_command('dask')}"]) from None
    address = executor.partition(":")[2]
    with ExitStack() as opened:
        if not address:
            opened.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": TRIES}))
            cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            address = opened.enter_context(cluster)
        client = opened.enter_context(distributed.Client(address))
        for worker, version in client.run(_version).items():
            if version != __version__:
                raise ConfigError([f"executor: worker {worker} has gtp-variants {version}, this is {__version__}"])
        yield DaskCluster(client, distributed)


def _version() -> str:
    return __version__
