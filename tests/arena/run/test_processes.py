"""Matches as real processes: even if interrupted or killed, they end with the same games."""

import json
import os
import select
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from gtp_variants import configs
from gtp_variants.arena.run import runner
from gtp_variants.arena.store import MatchStore
from gtp_variants.cli import main
from tests.arena import matches
from tests.arena.conftest import play_here
from tests.arena.matches import COMPLETE, FAILED, INTERRUPTED, SPEC, TWO, WRONG, Process, write_match

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
SLOW = pytest.mark.slow


def run(*arguments: str) -> int:
    return matches.run("small.yaml", *arguments)


@pytest.fixture
def whole(here: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the records of 20 pairs played without a break, and reset the folder."""
    write_match(here, pairs=20)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "play_in_processes", play_here)
        assert run("--quiet") == COMPLETE
    found = matches.records()
    assert run("reset") == COMPLETE
    return found


@pytest.mark.slow
@NEEDS_PROC
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=SLOW)])
def test_killed_match_continues_and_leaves_no_process(here: Path, whole: dict[str, str], jobs: int) -> None:
    with Process(here, "-j", str(jobs)) as match:
        match.wait_for_games(3)
        handles = [os.pidfd_open(child) for child in match.children()]
        match.process.kill()
        match.process.wait(timeout=60)
    for handle in handles:
        assert select.select([handle], [], [], 60)[0], "a worker lives on"
        os.close(handle)
    kept = matches.records()
    assert 3 <= len(kept) < 40
    with Process(here, "-j", str(jobs)) as match:
        status, _ = match.end()
    assert status == COMPLETE
    assert matches.records() == whole


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=SLOW), 2])
def test_match_continues_after_ctrl_c(here: Path, whole: dict[str, str], jobs: int) -> None:
    with Process(here, "-j", str(jobs)) as match:
        match.wait_for_games(2)
        os.killpg(match.process.pid, signal.SIGINT)
        status, said = match.end()
    assert status == INTERRUPTED
    assert said.endswith("interrupted; the same command continues the match\n")
    assert "Traceback" not in said
    assert 2 <= len(matches.records()) < 40
    assert run("--quiet") == COMPLETE
    assert matches.records() == whole


@pytest.mark.slow
def test_running_match_can_be_stopped_but_not_played_or_reset(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_match(here, pairs=400)
    with Process(here) as match:
        match.wait_for_games(1)
        for arguments in [(), ("reset",)]:
            assert run(*arguments) == WRONG
            assert "another process is playing this match" in capsys.readouterr().err
        assert run("show") == COMPLETE
        assert run("stop") == COMPLETE
        status, said = match.end()
    assert status == INTERRUPTED
    assert said.endswith("stopped as asked; the same command continues the match\n")
    assert run("--quiet", "--max-games", "1") == COMPLETE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "trusted", "kind", "why"),
    [
        ("os._exit(3)", "true", "crash", "ended its process (exit status 3)"),
        ("os._exit(3)", "false", "crash", "ended before it answered 'choose' (exit status 3)"),
        pytest.param("os.abort()", "true", "crash", "ended its process (signal SIGABRT)", marks=SLOW),
        pytest.param("os.abort()", "false", "crash", "ended before it answered 'choose' (signal SIGABRT)", marks=SLOW),
        pytest.param("time.sleep(600)", "true", "hang", "did not answer and was killed", marks=SLOW),
        ("time.sleep(600)", "false", "hang", "took more than 12.000 s for a move"),
        pytest.param(
            "print('= D4\\n'); sys.stdout.flush(); 1 / 0", "false", "crash", "in choose: ZeroDivisionError", marks=SLOW
        ),
    ],
)
def test_bot_that_ends_its_process_loses_and_the_match_continues(
    here: Path, capsys: pytest.CaptureFixture[str], act: str, trusted: str, kind: str, why: str
) -> None:
    text = f"""import gtp_variants as gv, os, sys, time
class Bad(gv.Seat):
    games = 0
    def sit(self, *about):
        Bad.games += 1
        super().sit(*about)
    def choose(self, view, clock):
        if view.turn > 4 and Bad.games > 1: {act}
        return super().choose(view, clock)
"""
    (here / "bad.py").write_text(text)
    bad = f"{{command: bot:bad.py, trusted: {trusted}}}"
    # Long enough for the moves of a bot that does not hang, even if the computer stands still for some seconds.
    write_match(here, {**TWO, "greedy": bad}, 2, game=f"limits: {{command: {'12s' if kind == 'hang' else '600s'}}}")
    assert run("--json") == COMPLETE
    said = capsys.readouterr()
    assert json.loads(said.out)["players"][1]["failures"][kind] >= 1
    with MatchStore(here / "out" / "arena.db") as store:
        rows = list(store.rows().values())
    # The first game of each process is played to its end; the second one crashes.
    assert len(rows) == 4
    failed = [row for row in rows if row.failures]
    assert {(row.status, row.winner, row.moves >= 4) for row in failed} == {(f"forfeit:{kind}", "uniform", True)}
    assert all(why in row.why for row in failed)
    assert main(["verify", *map(str, (here / "out" / "greedy-uniform").iterdir())]) == COMPLETE


@pytest.mark.slow
def test_records_do_not_depend_on_jobs_or_interruptions(here: Path) -> None:
    write_match(here)
    assert run("--max-games", "1", "--quiet") == COMPLETE
    first = matches.records()
    assert list(first) == ["greedy-uniform/0001a"]
    assert run("-j", "2", "--quiet") == COMPLETE
    in_pieces = matches.records()
    assert run("reset") == COMPLETE
    assert run("--quiet") == COMPLETE
    assert matches.records() == in_pieces


@pytest.mark.slow
def test_crash_is_replayed_or_stops_the_match_as_configured(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bot crashes in the first game of each process, so the second attempt succeeds."""
    text = """import gtp_variants as gv
class Mine(gv.Seat):
    games = 0
    def sit(self, *about):
        Mine.games += 1
        super().sit(*about)
    def choose(self, view, clock):
        if Mine.games == 1: raise OSError("not yet")
        return super().choose(view, clock)
"""
    (here / "mine.py").write_text(text)
    players = {"b": "bot:uniform", "mine": "{command: bot:mine.py:Mine, trusted: true}"}
    write_match(here, players, 1, game="on_crash: replay:2")
    assert run("--quiet") == COMPLETE
    with MatchStore(here / "out" / "arena.db") as store:
        rows = sorted(store.rows().values(), key=lambda row: row.id)
    assert [row.kind for row in rows] == ["played", "played"]
    assert [[kind for _, kind, _ in row.failures] for row in rows] == [["crash"], []]
    assert run("reset") == COMPLETE
    write_match(here, players, 1, game="on_crash: stop")
    capsys.readouterr()
    assert run("--quiet") == FAILED
    assert "mine failed in b-mine/0001a (crash: in choose: OSError: not yet" in capsys.readouterr().err
    assert matches.played() == {}


# -- kill -9 at any moment ---------------------------------------------------------------------------------------------


def write_three(folder: Path, pairs: int, where: str) -> None:
    players = {"a": "bot:greedy", "b": "bot:uniform", "c": "bot:uniform"}
    outputs = f"dir: {where}, report: {{every: 7, format: [text, json]}}"
    write_match(folder, players, pairs, tournament="roundrobin", outputs=outputs)


def kill_often(folder: Path, pairs: int, kills: int, jobs: int, rng: Random) -> int:
    """Kill the match at random moments of its start, play and writing, until it is over; return the number of kills."""
    for killed in range(kills):
        with Process(folder, "-j", str(jobs)) as match:
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
    assert matches.run("small.yaml", "--quiet", "-j", str(jobs)) == COMPLETE
    found = matches.played(folder / "killed")
    write_three(folder, pairs, "whole")
    assert matches.run("small.yaml", "--quiet", "-j", "2") == COMPLETE
    assert found == matches.played(folder / "whole")
    assert len(found) == 3 * 2 * pairs
    files = [
        sorted(path.relative_to(folder / where) for path in (folder / where).rglob("*.sgf"))
        for where in ("killed", "whole")
    ]
    assert files[0] == files[1]
    assert (folder / "killed" / "report.json").read_text() == (folder / "whole" / "report.json").read_text()


@pytest.mark.slow
def test_match_survives_a_few_kills(here: Path) -> None:
    write_three(here, 5, "killed")
    assert kill_often(here, 5, 4, 2, Random(1)) > 1
    expect_the_same(here, 5, 2)


@pytest.mark.long
def test_match_survives_two_hundred_kills(here: Path) -> None:
    pairs, rng, kills = 34, Random(200), 0
    write_three(here, pairs, "killed")
    while kills < 200:
        kills += kill_often(here, pairs, 200 - kills, rng.choice((1, 2)), rng)
        if kills < 200:
            # The match is over: delete games, so that there is more to kill.
            assert matches.run("small.yaml", "reset", "--only", rng.choice("abc")) == COMPLETE
    expect_the_same(here, pairs, 2)


# -- SIGKILL of single parts ------------------------------------------------------------------------------------------

# Kinds of a match's descendant processes, by a word of their commands.
PARTS = {
    "worker": "arena.run.worker",
    "guardian": "guardian.py",
    "reaper": "orphan_reaper.py",
    "engine": "bot.py",
}


def processes_below(pid: int) -> dict[int, str]:
    """Return all descendants of a process with their commands."""
    parents: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            parents.setdefault(int(file.read_bytes().rpartition(b")")[2].split()[1]), []).append(int(file.parent.name))
    found: dict[int, str] = {}
    left = list(parents.get(pid, ()))
    while left:
        child = left.pop()
        with suppress(OSError):
            found[child] = Path(f"/proc/{child}/cmdline").read_text(errors="replace")
            left += parents.get(child, ())
    return found


def part_of(command: str) -> str:
    # A guardian's command ends with its worker's command.
    order = ("guardian", "reaper", "worker", "engine")
    return next((part for part in order if PARTS[part] in command), "")


def write_programs(folder: Path, spec: str, pairs: int, where: str) -> None:
    (folder / "bot.py").write_bytes(configs.template_bot().read_bytes())
    template = f"{{command: [{sys.executable}, bot.py], cwd: ., restart: {{restart}}}}"
    players = {name: template.replace("{restart}", word) for name, word in (("fresh", "game"), ("kept", "never"))}
    game = "move_limit: 60, max_failures: none"
    write_match(folder, players, pairs, spec=spec, game=game, outputs=f"dir: {where}, gtp_log: never")


def kill_parts(folder: Path, kills: int, rng: Random) -> Counter[str]:
    """Kill the runner or the reaper of a match `kills` times in all. The runner is restarted."""
    killed: Counter[str] = Counter()
    seen: set[int] = set()
    while killed.total() < kills:
        with Process(folder, "-j", "2", "--quiet") as match:
            while killed.total() < kills and match.process.poll() is None:
                time.sleep(0.05 + rng.random() * 0.4)
                below = processes_below(match.process.pid)
                seen |= below.keys()
                pids: dict[str, list[int]] = {}
                for pid, command in below.items():
                    pids.setdefault(part_of(command), []).append(pid)
                if "engine" not in pids:
                    continue  # No game has begun yet.
                # After other kills the game is void and has other dice: see test_interference.py.
                pids = {"runner": [match.process.pid], "reaper": pids.get("reaper", [match.process.pid])}
                # Kill the kind that has been killed least often.
                part = min(sorted(pids), key=lambda part: (killed[part], rng.random()))
                with suppress(ProcessLookupError):
                    os.kill(rng.choice(pids[part]), signal.SIGKILL)
                    killed[part] += 1
        if match.process.returncode == COMPLETE:
            # Delete games, so that there is more to kill.
            assert run("reset", "--only", "kept") == COMPLETE
    deadline = time.monotonic() + 60
    while any(part_of(command) for pid, command in _commands(seen).items()):
        assert time.monotonic() < deadline, "somebody lives on"
        time.sleep(0.1)
    return killed


def _commands(pids: set[int]) -> dict[int, str]:
    found = {}
    for pid in pids:
        with suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    return found


@NEEDS_PROC
@pytest.mark.long
@pytest.mark.parametrize("spec", [SPEC, "phantom:size=5"])
def test_match_survives_kills_of_its_runner_and_reaper(here: Path, spec: str) -> None:
    """The environment variable GTP_VARIANTS_KILLS sets another number of kills."""
    kills, pairs = int(os.environ.get("GTP_VARIANTS_KILLS", "300")) // 2, 12
    write_programs(here, spec, pairs, "whole")
    assert run("--quiet", "-j", "2") == COMPLETE
    write_programs(here, spec, pairs, "killed")
    killed = kill_parts(here, kills, Random(300))
    assert run("--quiet", "-j", "2") == COMPLETE
    whole, found = matches.records(here / "whole"), matches.records(here / "killed")
    assert found == whole
    assert len(found) == 2 * pairs
    print(killed)
