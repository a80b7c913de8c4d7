"""Matches on a Dask cluster have the same games as on one machine, even if a worker is lost."""

import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.run import runner
from gtp_variants.arena.schedule import Fixture, units
from gtp_variants.base.installation import install_command
from gtp_variants.base.processes.dask_cluster import TlsFiles, open_cluster
from gtp_variants.errors import ConfigError
from tests.arena.matches import COMPLETE, FAILED, TWO, WRONG, Process, played, run, write_match
from tests.support.tls_cluster import make_certificate, need_dask, tls_cluster

pytestmark = pytest.mark.usefixtures("here")


SEED = "seed: 5"


def write(folder: Path, executor: str, pairs: int, more: str = SEED, players: Mapping[str, str] = TWO) -> None:
    outputs = f"dir: {executor.partition(':')[0]}, sgf: none"
    write_match(folder, players, pairs=pairs, outputs=outputs, more=f"{more}\nexecutor: {executor}")


def tls_block(files: TlsFiles) -> str:
    return f"{SEED}\ntls: {{ca: '{files.ca}', cert: '{files.cert}', key: '{files.key}'}}"


def expect_the_local_games(folder: Path, pairs: int) -> None:
    write(folder, "local", pairs)
    assert run("small.yaml", "--quiet", "-j", "2") == COMPLETE
    assert played(folder / "dask") == played(folder / "local")
    assert len(played(folder / "dask")) == 2 * pairs


def test_missing_dask_is_reported_with_the_install_command(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    write(here, "dask", 1)
    assert run("small.yaml") == WRONG
    assert install_command("dask") in capsys.readouterr().err


@pytest.mark.slow
def test_cluster_plays_the_same_games(here: Path) -> None:
    need_dask()
    write(here, "dask", 10)
    with Process(here, "--quiet", "-j", "2") as match:
        assert match.end(120)[0] == COMPLETE
    expect_the_local_games(here, 10)


@pytest.mark.slow
def test_silent_cluster_is_reported(here: Path) -> None:
    need_dask()
    write(here, "dask:tcp://127.0.0.1:1", 1)
    with Process(here, "--quiet") as match:
        status, said = match.end(120)
    assert status == WRONG
    assert "127.0.0.1:1" in said
    assert "Traceback" not in said


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
def test_games_of_a_lost_worker_are_played_again(here: Path) -> None:
    need_dask()
    write(here, "dask", 500)
    with Process(here, "-j", "2") as match:
        match.wait_for_games(100)
        command = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in match.children()}
        workers = [child for child, words in command.items() if b"spawn_main" in words]
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        assert match.end(600)[0] == COMPLETE
    expect_the_local_games(here, 500)


@pytest.mark.long
def test_machines_with_tls_play_the_same_games_after_losing_a_worker(here: Path) -> None:
    need_dask()
    files = make_certificate(here / "tls")
    with tls_cluster(files, 2) as cluster:
        write(here, f"dask:{cluster.address}", 20, tls_block(files))
        with Process(here) as match:
            match.wait_for_games(5)
            cluster.kill_worker()
            assert match.end(200)[0] == COMPLETE
    expect_the_local_games(here, 20)


@pytest.mark.long
def test_match_continues_after_losing_the_scheduler(here: Path) -> None:
    need_dask()
    files = make_certificate(here / "tls")
    with tls_cluster(files, 1) as cluster:
        write(here, f"dask:{cluster.address}", 200, tls_block(files))
        with Process(here) as match:
            match.wait_for_games(2)
            cluster.kill_scheduler()
            status, said = match.end(120)
    assert status == FAILED
    assert "Run the same command again to continue." in said
    kept = played(here / "dask")
    assert kept
    with tls_cluster(files, 1) as cluster:
        write(here, f"dask:{cluster.address}", 2, tls_block(files))
        with Process(here, "--quiet") as match:
            assert match.end(120)[0] == COMPLETE
    assert kept.items() <= played(here / "dask").items()


@pytest.mark.slow
def test_program_missing_on_a_machine_is_named(here: Path) -> None:
    need_dask()
    files = make_certificate(here / "tls")
    with tls_cluster(files, 1) as cluster:
        players = {"bot": "bot:greedy", "program": "nowhere/program"}
        write(here, f"dask:{cluster.address}", 1, tls_block(files), players)
        with Process(here, "--quiet") as match:
            status, said = match.end(120)
    assert status == WRONG
    worker = re.escape(cluster.address.rpartition(":")[0])
    assert re.search(
        rf"worker {worker}:\d+: players.program: cannot play aleago: cannot start .nowhere/program.", said
    ), said


def greet(listening: socket.socket) -> None:
    line = listening.accept()[0]
    with line:
        line.sendall(bytes(64))
        line.recv(4096)


@pytest.mark.slow
def test_failed_connection_is_reported_with_its_cause(here: Path) -> None:
    need_dask()
    files, others = make_certificate(here / "tls"), make_certificate(here / "others")

    def fault_of(address: str, given: TlsFiles | None) -> str:
        with pytest.raises(ConfigError) as error, open_cluster(f"dask:{address}", 1, given):
            pass
        return "; ".join(error.value.faults)

    with tls_cluster(files, 1) as cluster:
        address = cluster.address
        with open_cluster(f"dask:{address}", 1, files) as found:
            assert found.threads == 1
        assert fault_of(address, None) == f"executor: {address} needs certificates: the files ca, cert and key of tls"
        missing = here / "tls" / "nothing.pem"
        assert fault_of(address, replace(files, ca=missing)) == f"tls.ca: there is no file {missing}"
        assert "the key of tls.cert in PEM files: KEY_VALUES_MISMATCH" in fault_of(
            address, replace(files, key=others.key)
        )
        assert "its certificate was not signed by one in tls.ca (self-signed" in fault_of(address, others)
        assert "it rejects tls.cert (" in fault_of(address, replace(others, ca=files.ca))
    with socket.create_server(("127.0.0.1", 0)) as plain:
        # A scheduler without TLS greets every client.
        thread = threading.Thread(target=lambda: greet(plain))
        thread.start()
        address = f"tls://127.0.0.1:{plain.getsockname()[1]}"
        assert "expected TLS, got an unencrypted answer" in fault_of(address, files)
        thread.join()
    refused = fault_of("tls://127.0.0.1:1", files)
    assert refused == "executor: tls://127.0.0.1:1: cannot be reached: Connection refused"


def test_tls_block_without_a_tls_address_is_rejected(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = TlsFiles(Path("ca.pem"), Path("cert.pem"), Path("key.pem"))
    write(here, "dask:tcp://127.0.0.1:1", 1, tls_block(files))
    assert run("small.yaml") == WRONG
    said = capsys.readouterr().err
    assert "tls: expected executor: dask:tls://HOST:PORT with it, got dask:tcp://127.0.0.1:1" in said
    write(here, "dask:tls://127.0.0.1:1", 1, f"{SEED}\ntls: {{ca: ca.pem, cert: cert.pem}}")
    assert run("small.yaml") == WRONG
    assert "tls.key: is missing; a PEM file" in capsys.readouterr().err


def test_game_of_a_lost_worker_has_other_dice_without_a_seed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who saw the dice before its worker was lost must not get them again."""
    write(here, "local", 1)
    config = resolve.load(here / "small.yaml")
    first = next(next(units(config, {})).fixtures(config))
    played_seeds: list[str] = []

    class Recorder:
        def __init__(self, logs: Path, slot: int) -> None:
            assert logs == here / "logs"

        def play(self, fixture: Fixture) -> None:
            played_seeds.append(fixture.seed)

    monkeypatch.setattr(runner, "Worker", Recorder)
    monkeypatch.setattr(runner, "protect_memory", lambda: None)
    monkeypatch.setattr(runner, "_processes", {})
    for asked in (first, replace(first, seed="", has_fresh_seed=True)):
        runner._play_on_worker(asked, here / "logs")
    assert played_seeds == ["5", ""]
