"""Matches on a Dask cluster: the same games as here, also when a worker is lost."""

import os
import signal
import sys
from pathlib import Path

import pytest

from gtp_variants.installation import install_command
from tests.arena.matches import COMPLETE, WRONG, Process, played, run, write_match

pytestmark = pytest.mark.usefixtures("here")


def write(folder: Path, executor: str, pairs: int) -> None:
    outputs = f"dir: {executor.partition(':')[0]}, sgf: none"
    write_match(folder, pairs=pairs, outputs=outputs, more=f"seed: 5\nexecutor: {executor}")


def need_dask() -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'gtp-variants[dask]'")


def expect_the_local_games(folder: Path, pairs: int) -> None:
    write(folder, "local", pairs)
    assert run("small.yaml", "--quiet", "-j", "2") == COMPLETE
    assert played(folder / "dask") == played(folder / "local")
    assert len(played(folder / "dask")) == 2 * pairs


def test_without_dask_it_is_said_what_to_install(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    write(here, "dask", 1)
    assert run("small.yaml") == WRONG
    assert install_command("dask") in capsys.readouterr().err


@pytest.mark.slow
def test_a_cluster_plays_the_same_games(here: Path) -> None:
    need_dask()
    write(here, "dask", 10)
    with Process(here, "--quiet", "-j", "2") as match:
        assert match.end(120)[0] == COMPLETE
    expect_the_local_games(here, 10)


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_told(here: Path) -> None:
    need_dask()
    write(here, "dask:tcp://127.0.0.1:1", 1)
    with Process(here, "--quiet") as match:
        status, said = match.end(120)
    assert status == WRONG
    assert "127.0.0.1:1" in said
    assert "Traceback" not in said


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
def test_a_lost_workers_games_are_played_again(here: Path) -> None:
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
