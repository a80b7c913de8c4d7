"""A Dask cluster with TLS on this machine, started with the commands from the documentation."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gtp_variants.base.processes.dask_cluster import TlsFiles


def need_dask() -> None:
    """Skip the test if Dask is not installed."""
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'gtp-variants[dask]'")


def make_certificate(folder: Path) -> TlsFiles:
    """Make a certificate for all machines, as in the documentation. Skip the test if openssl is not installed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates and is not installed")
    folder.mkdir()
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=matches"
    usage = ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    command = ["openssl", *words.split(), *usage, "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    return TlsFiles(cert, cert, key)


class TlsCluster:
    """A Dask scheduler at `address`, and its `workers`."""

    def __init__(self, scheduler: "subprocess.Popen[str]", files: TlsFiles) -> None:
        self.scheduler, self.files = scheduler, files
        self.address = _wait_for(scheduler, r"Scheduler at:\s+(tls://[0-9.:]+)")
        self.workers: list[subprocess.Popen[str]] = []

    def add_worker(self) -> None:
        """Start a worker and wait until it is connected to the scheduler."""
        self.workers.append(_start(self.files, "worker", self.address, "--nthreads", "1", "--no-nanny"))
        _wait_for(self.workers[-1], r"Registered to:")

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        os.killpg(self.scheduler.pid, signal.SIGKILL)

    def kill_worker(self) -> None:
        """Kill a worker."""
        os.killpg(self.workers.pop().pid, signal.SIGKILL)


@contextmanager
def tls_cluster(files: TlsFiles, workers: int) -> Iterator[TlsCluster]:
    """Yield a cluster, and end it afterwards."""
    command = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--protocol", "tls"]
    scheduler = _start(files, *command)
    started = [scheduler]
    try:
        cluster = TlsCluster(scheduler, files)
        for _ in range(workers):
            cluster.add_worker()
            started.append(cluster.workers[-1])
        yield cluster
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _start(files: TlsFiles, part: str, *words: str) -> "subprocess.Popen[str]":
    tls = ["--tls-ca-file", str(files.ca), "--tls-cert", str(files.cert), "--tls-key", str(files.key)]
    quiet = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{part}", *words, *quiet, *tls],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _wait_for(process: "subprocess.Popen[str]", pattern: str) -> str:
    """Wait for a pattern in a process's error output; return its last group or, without groups, the match."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(pattern, line):
            return found[found.re.groups]
    raise AssertionError("it ended")
