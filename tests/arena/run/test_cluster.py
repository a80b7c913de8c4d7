"""Matches on a Dask cluster: the same games as here, also when a worker is lost."""

import os
import signal
from pathlib import Path

import pytest

from tests.arena.matches import COMPLETE, WRONG, Process, played, run

MATCH = """
arena: 1
name: cluster
seed: 5
executor: EXECUTOR
players: {a: {command: bot:greedy}, b: {command: bot:uniform}}
defaults: {variant: "aleago:size=5,dice=1d2"}
tournament: {type: playoff, pairs: PAIRS}
outputs: {dir: DIR, sgf: none}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, executor: str, pairs: int) -> None:
    where = executor.partition(":")[0]
    text = MATCH.replace("EXECUTOR", executor).replace("PAIRS", str(pairs)).replace("DIR", where)
    (folder / f"{where}.yaml").write_text(text)


def need_dask() -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'gtp-variants[dask]'")


def expect_the_local_games(folder: Path, pairs: int) -> None:
    write(folder, "local", pairs)
    assert run("local.yaml", "--quiet", "-j", "2") == COMPLETE
    assert played(folder / "dask") == played(folder / "local")
    assert len(played(folder / "dask")) == 2 * pairs


def test_without_dask_it_is_said_what_to_install(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        import distributed
    except ImportError:
        write(here, "dask", 1)
        assert run("dask.yaml") == WRONG
        assert "pip install 'gtp-variants[dask]'" in capsys.readouterr().err
    else:
        pytest.skip(f"distributed {distributed.__version__} is installed")


@pytest.mark.slow
def test_a_cluster_plays_the_same_games(here: Path) -> None:
    need_dask()
    write(here, "dask", 10)
    with Process(here, "dask.yaml", "--quiet", "-j", "2") as match:
        assert match.end(120)[0] == COMPLETE
    expect_the_local_games(here, 10)


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_told(here: Path) -> None:
    need_dask()
    write(here, "dask:tcp://127.0.0.1:1", 1)
    with Process(here, "dask.yaml", "--quiet") as match:
        status, said = match.end(120)
    assert status == WRONG
    assert "127.0.0.1:1" in said
    assert "Traceback" not in said


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
def test_a_lost_workers_games_are_played_again(here: Path) -> None:
    need_dask()
    write(here, "dask", 500)
    with Process(here, "dask.yaml", "-j", "2") as match:
        match.wait_for_games(100)
        command = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in match.children()}
        workers = [child for child, words in command.items() if b"spawn_main" in words]
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        assert match.end(600)[0] == COMPLETE
    expect_the_local_games(here, 500)
