"""`kill -9` at any moment: the same command goes on, and in the end the same games were played, each of them once."""

import signal
import time
from pathlib import Path
from random import Random

import pytest

from tests.arena.matches import COMPLETE, Process, played, run

MATCH = """
arena: 1
name: kills
seed: 9
players: {a: {command: bot:greedy}, b: {command: bot:uniform}, c: {command: bot:uniform}}
defaults: {variant: "aleago:size=5,dice=1d2"}
tournament: {type: roundrobin, pairs: PAIRS}
outputs: {dir: DIR, report: {every: 7, format: [text, json]}}
"""


def write(folder: Path, pairs: int, where: str) -> None:
    (folder / "kills.yaml").write_text(MATCH.replace("PAIRS", str(pairs)).replace("DIR", where))


def kill_often(folder: Path, pairs: int, kills: int, jobs: int, rng: Random) -> int:
    """How often the match was killed before it was over, at moments spread over starting, playing and writing."""
    for killed in range(kills):
        with Process(folder, "kills.yaml", "-j", str(jobs)) as match:
            if rng.random() < 0.4:
                assert match.process.stderr is not None
                match.process.stderr.readline()
                time.sleep(rng.random() * 0.1)
            else:
                time.sleep(rng.random())
            match.process.send_signal(signal.SIGKILL)
            if match.process.wait(timeout=60) != -signal.SIGKILL:
                return killed
    return kills


def expect_the_same(folder: Path, pairs: int, jobs: int) -> None:
    assert run("kills.yaml", "--quiet", "-j", str(jobs)) == COMPLETE
    found = played(folder / "killed")
    write(folder, pairs, "whole")
    assert run("kills.yaml", "--quiet", "-j", "2") == COMPLETE
    assert found == played(folder / "whole")
    assert len(found) == 3 * 2 * pairs
    files = [
        sorted(path.relative_to(folder / where) for path in (folder / where).rglob("*.sgf"))
        for where in ("killed", "whole")
    ]
    assert files[0] == files[1]
    assert (folder / "killed" / "report.json").read_text() == (folder / "whole" / "report.json").read_text()


@pytest.mark.slow
def test_a_few_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, 5, "killed")
    assert kill_often(tmp_path, 5, 4, 2, Random(1)) > 1
    expect_the_same(tmp_path, 5, 2)


@pytest.mark.long
def test_two_hundred_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pairs, rng, kills = 34, Random(200), 0
    write(tmp_path, pairs, "killed")
    while kills < 200:
        kills += kill_often(tmp_path, pairs, 200 - kills, rng.choice((1, 2)), rng)
        if kills < 200:
            # It was over before: with games taken away there is more to kill.
            assert run("kills.yaml", "reset", "--only", rng.choice("abc")) == COMPLETE
    expect_the_same(tmp_path, pairs, 2)
