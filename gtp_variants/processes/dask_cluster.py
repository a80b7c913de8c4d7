"""A Dask cluster that works for this package: one on this machine, or one whose scheduler is given by address.

Its scheduler and workers need this package, the workers in the same version.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.errors import ConfigError
from gtp_variants.installation import install_command
from gtp_variants.processes.worker_processes import deaf_to_interrupts

LOCAL = "local"
# What `read_executor` takes, as people are told.
EXECUTORS = "local, dask or dask:tcp://HOST:PORT"
# So many workers may be lost with a task before the task is blamed.
TRIES = 10
_EXECUTOR = re.compile(r"local|dask(:(tcp|tls)://[^/\s]+:\d{1,5})?")
# So long a scheduler without workers is waited for.
_WORKERS_S = 30.0


def read_executor(word: str) -> str:
    """Where work is done: `local`, `dask` for a cluster on this machine, `dask:` and an address. Raises ValueError."""
    if not _EXECUTOR.fullmatch(word):
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
def open_cluster(
    executor: str, workers: int, find_missing: Callable[[], list[str]] | None = None
) -> Iterator[DaskCluster]:
    """The cluster that `dask` or `dask:ADDRESS` means; one on this machine has so many workers.

    `find_missing` runs on each worker and names what its work needs and is not there. Raises ConfigError where Dask is
    missing, and where the cluster has no workers, or they are of another version or lack something; OSError where its
    scheduler cannot be reached.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise ConfigError([f"executor: dask is not installed; {install_command('dask')}"]) from None
    address = executor.partition(":")[2]
    with ExitStack() as opened:
        try:
            if not address:
                opened.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": TRIES}))
                with deaf_to_interrupts():
                    local = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
                address = opened.enter_context(local)
            client = opened.enter_context(distributed.Client(address))
            faults = _faults(client, find_missing or _miss_nothing)
        except OSError:
            raise
        except Exception as error:
            # Whatever Dask makes of an address, of keys that are missing, or of a scheduler without this package.
            raise ConfigError([f"executor: {address or executor}: {error}"]) from error
        if faults:
            raise ConfigError(faults)
        yield DaskCluster(client, distributed)


def _faults(client: Any, find_missing: Callable[[], list[str]]) -> list[str]:
    """Why the workers cannot do what they shall, a sentence each."""
    try:
        client.wait_for_workers(1, timeout=_WORKERS_S)
    except TimeoutError:
        return [f"executor: it has no workers; `dask worker {client.scheduler.address}` starts one"]
    faults = []
    for worker, (version, lacks) in client.run(_say_what_is_there, find_missing).items():
        if version != __version__:
            faults.append(f"executor: worker {worker} has gtp-variants {version}, this is {__version__}")
        elif lacks:
            faults.append(f"executor: worker {worker} has no {' and no '.join(lacks)}")
    return faults


def _say_what_is_there(find_missing: Callable[[], list[str]]) -> tuple[str, list[str]]:
    """Return the version of a worker, on which this runs, and what it lacks."""
    return __version__, find_missing()


def _miss_nothing() -> list[str]:
    return []
