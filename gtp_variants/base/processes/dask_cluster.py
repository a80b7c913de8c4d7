"""A Dask cluster for matches and training: on this machine, or with a scheduler at a given address.

The scheduler and the workers need this package, and the workers need the same version of it.
"""

import pickle
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gtp_variants._version import __version__
from gtp_variants.base.installation import install_command
from gtp_variants.base.processes.worker_processes import deaf_to_interrupts
from gtp_variants.errors import ConfigError

LOCAL = "local"
# The values that `read_executor` accepts, described for people.
EXECUTORS = "local, dask, dask:tls://HOST:PORT or dask:tcp://HOST:PORT"
TLS = "dask:tls://"
# Number of workers that may be lost while running a task before the task is blamed.
TRIES = 10
_EXECUTOR = re.compile(r"local|dask(:(tcp|tls)://[^/\s]+:\d{1,5})?")
# Seconds to wait for a scheduler's greeting, and seconds to wait for its first worker.
_GREETING_S = 10.0
_WORKERS_S = 30.0


def read_executor(word: str) -> str:
    """Return the word if it is `local`, `dask` (a cluster on this machine) or `dask:ADDRESS`, else raise ValueError."""
    if not _EXECUTOR.fullmatch(word):
        raise ValueError
    return word


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files for a TLS connection: the certificates to trust, our own certificate, and its key."""

    ca: Path
    cert: Path
    key: Path


@dataclass(frozen=True, slots=True)
class DaskCluster:
    """An open cluster: Dask's `client`, and the module `distributed` that it comes from."""

    client: Any
    distributed: Any

    @property
    def threads(self) -> int:
        """The number of threads of all workers at this moment, at least 1."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, work: Callable[..., Any], *given: Any) -> Any:
        """Submit a task and return its future. The task fails on a worker with another version of this package."""
        return self.client.submit(_run_task, __version__, work, pickle.dumps(given), pure=False)

    def run_on_hosts(self, work: Callable[..., Any], *given: Any) -> dict[str, Any]:
        """Call a function on one worker of each machine; return the results by worker."""
        hosts = {urlsplit(worker).hostname: worker for worker in self.client.nthreads()}
        found: dict[str, Any] = self.client.run(work, *given, workers=list(hosts.values()))
        return found


@contextmanager
def open_cluster(
    executor: str, workers: int, tls: TlsFiles | None = None, find_missing: Callable[[], list[str]] | None = None
) -> Iterator[DaskCluster]:
    """Open the cluster that `dask` or `dask:ADDRESS` names; a cluster on this machine has `workers` workers.

    Without `tls` the files named in Dask's own configuration are used. `find_missing` runs on each worker and returns
    the names of everything that the work needs but that is missing there. Raises ConfigError if Dask is missing, the
    scheduler cannot be reached, the cluster has no workers, or they have another version or lack something.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise ConfigError([f"executor: dask is not installed; {install_command('dask')}"]) from None
    address = executor.partition(":")[2]
    with ExitStack() as opened:
        security = _check_scheduler(address, tls, distributed) if address else None
        try:
            if not address:
                opened.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": TRIES}))
                with deaf_to_interrupts():
                    local = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
                address = opened.enter_context(local)
            client = opened.enter_context(distributed.Client(address, security=security))
            faults = _faults(client, find_missing or list)
        except Exception as error:
            # Dask raises exceptions of many types, for example if the scheduler lacks this package.
            raise ConfigError([f"executor: {address or executor}: {error}"]) from error
        if faults:
            raise ConfigError(faults)
        yield DaskCluster(client, distributed)


def _check_scheduler(address: str, tls: TlsFiles | None, distributed: Any) -> Any:
    """Return Dask's security settings. Raises ConfigError without a greeting: Dask itself would wait for ever."""
    parts = urlsplit(address)
    security, context = distributed.Security(), None
    if parts.scheme == "tls":
        if tls is not None:
            security = _make_security(tls, distributed)
        context = security.get_connection_args("client")["ssl_context"]
        if context is None:
            raise ConfigError([f"executor: {address} needs certificates: the files ca, cert and key of tls"])
    try:
        with ExitStack() as opened:
            line = opened.enter_context(socket.create_connection((parts.hostname, parts.port), _GREETING_S))
            if context is not None:
                line = opened.enter_context(context.wrap_socket(line))
            if not line.recv(1):
                raise ConnectionResetError("it closed the connection")
    except ssl.SSLCertVerificationError as error:
        why = f"its certificate was not signed by one in tls.ca ({error.verify_message})"
    except TimeoutError:
        other = "; for a scheduler with TLS use dask:tls://" if context is None else ""
        why = f"expected a Dask scheduler, got no greeting in {_GREETING_S:g} s{other}"
    except ssl.SSLError as error:
        is_plain = error.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")
        why = "expected TLS, got an unencrypted answer" if is_plain else f"it rejects tls.cert ({error.reason})"
    except (OSError, OverflowError) as error:
        why = f"cannot be reached: {getattr(error, 'strerror', None) or error}"
    else:
        return security
    raise ConfigError([f"executor: {address}: {why}"])


def _make_security(tls: TlsFiles, distributed: Any) -> Any:
    files = {"ca": tls.ca, "cert": tls.cert, "key": tls.key}
    if missing := [f"tls.{name}: there is no file {file}" for name, file in files.items() if not file.is_file()]:
        raise ConfigError(missing)
    security = distributed.Security(
        tls_ca_file=str(tls.ca), tls_client_cert=str(tls.cert), tls_client_key=str(tls.key), require_encryption=True
    )
    try:
        security.get_connection_args("client")
    except (ssl.SSLError, OSError) as error:
        why = getattr(error, "reason", None) or error.strerror
        raise ConfigError([f"tls: expected certificates and the key of tls.cert in PEM files: {why}"]) from None
    return security


def _faults(client: Any, find_missing: Callable[[], list[str]]) -> list[str]:
    """Return the reasons why workers cannot do their work, one sentence each."""
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
    """On a worker: return its version, and the names of what it lacks."""
    return __version__, find_missing()


def _run_task(version: str, work: Callable[..., Any], given: bytes) -> Any:
    """Do the work on a worker. Raises RuntimeError if the client has another version than this worker."""
    if version != __version__:
        raise RuntimeError(f"worker {socket.gethostname()} has gtp-variants {__version__}, expected {version}")
    return work(*pickle.loads(given))
