"""The command `match`: in process where that is enough, as real processes where their end is the subject."""

import json
import os
import select
import signal
from pathlib import Path

import pytest

from gtp_variants.arena.store import MatchStore
from gtp_variants.cli import main
from gtp_variants.mcts import announcement
from tests.arena import matches
from tests.arena.matches import COMPLETE, FAILED, INTERRUPTED, WRONG

MATCH = """
arena: 1
name: small
seed: "1"
players: {greedy: {command: bot:greedy}, uniform: {command: bot:uniform}}
defaults: {variant: "aleago:size=7,dice=1d3"}
tournament: {type: playoff, pairs: PAIRS}
outputs: {dir: games}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that we are in, with a match of three pairs."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path


def write(folder: Path, pairs: int = 3, **changes: str) -> None:
    text = MATCH.replace("PAIRS", str(pairs))
    for old, new in changes.items():
        text = text.replace(f"bot:{old}", new)
    (folder / "small.yaml").write_text(text)


def run(*arguments: str) -> int:
    return matches.run("small.yaml", *arguments)


def records(folder: Path) -> dict[str, str]:
    """Every record, without the times, in which no two runs agree."""
    with MatchStore(folder / "games" / "arena.db") as store:
        return {id: matches.without_times(record) for id, record in store.records()}


def test_a_match_is_played_shown_and_reset(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == COMPLETE
    played = capsys.readouterr()
    assert played.out.startswith("Results of greedy vs uniform (aleago:size=7,dice=1d3; 6 of 6 games):\nElo: ")
    assert [line.split()[0] for line in played.err.splitlines()[1:-1]] == [f"{number}/6" for number in range(1, 7)]
    assert len(records(here)) == 6
    assert run("show") == COMPLETE
    assert capsys.readouterr().out == played.out
    files = {f"greedy-uniform/{file.stem}": file for file in (here / "games" / "greedy-uniform").iterdir()}
    with MatchStore(here / "games" / "arena.db") as store:
        assert {id: file.read_text(encoding="utf-8") for id, file in files.items()} == dict(store.records())
    assert main(["verify", *map(str, files.values())]) == 0
    assert run("reset") == COMPLETE
    assert not (here / "games").exists()


def test_the_first_line_says_what_searches(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, greedy='"bot:mcts:playouts=2,threads=2"')
    assert run("--max-games", "1", "-j", "1") == COMPLETE
    assert capsys.readouterr().err.splitlines()[0] == announcement(2)
    assert run("--max-games", "1", "--quiet") == COMPLETE
    assert capsys.readouterr().err == ""


def test_threads_of_bots_are_counted_against_the_cores(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    write(here, greedy='"bot:mcts:playouts=2,threads=2"')
    assert run("--max-games", "1", "--quiet", "-j", "2") == COMPLETE
    assert capsys.readouterr().err == "warning: 2 games at a time with 2 threads each on 2 cores\n"


def test_a_run_says_how_it_ended_and_show_how_the_match_stands(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, status, is_complete in [(("--max-games", "2"), 0, False), (("show",), 2, False), ((), 0, True)]:
        assert run(*arguments, "--json") == COMPLETE
        said = json.loads(capsys.readouterr().out)
        assert (said["exit"], said["complete"]) == (status, is_complete)
    write(here, pairs=4, greedy="bot:bad.py")
    text = (here / "small.yaml").read_text().replace('1d3"', '1d3", on_crash: stop')
    (here / "small.yaml").write_text(text.replace("dir: games", "dir: other"))
    (here / "bad.py").write_text(
        "import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, *about): 1 / 0\n"
    )
    assert run("--json") == FAILED
    assert json.loads(capsys.readouterr().out)["exit"] == FAILED


def test_results_can_be_looked_at_where_nothing_can_be_written(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--quiet") == COMPLETE
    said, files = capsys.readouterr().out, sorted((here / "games").iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert run("show") == COMPLETE
    assert capsys.readouterr().out == said
    assert sorted((here / "games").iterdir()) == files
    assert run("--seed", "1") == WRONG
    assert capsys.readouterr().err.endswith("arena.db: cannot be written: attempt to write a readonly database\n")


def test_a_report_in_every_form(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (here / "small.yaml").read_text().replace("{dir: games}", "{dir: games, report: {every: 2, format: [html]}}")
    (here / "small.yaml").write_text(text)
    assert run("--quiet", "--max-games", "3") == COMPLETE
    first = (here / "games" / "report.html").read_text(encoding="utf-8")
    replays = sorted(file.name for file in (here / "games" / "greedy-uniform").glob("*.html"))
    assert replays == ["0001a.html", "0001b.html", "0002a.html"]
    assert all(f"greedy-uniform/{name}" in first for name in replays)
    # Lost ones are drawn anew from the records.
    for name in replays:
        (here / "games" / "greedy-uniform" / name).unlink()
    capsys.readouterr()
    assert run("report") == COMPLETE
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert {path.name for path in written} == {"games.csv", "report.txt", "report.json", "report.html"}
    assert (here / "games" / "report.html").read_text(encoding="utf-8") == first
    assert sorted(file.name for file in (here / "games" / "greedy-uniform").glob("*.html")) == replays
    assert json.loads((here / "games" / "report.json").read_text())["complete"] is False
    assert len((here / "games" / "games.csv").read_text().splitlines()) == 4
    assert run("reset") == COMPLETE
    assert not (here / "games").exists()


def test_the_records_are_the_same_however_they_are_played(here: Path) -> None:
    assert run("--max-games", "1", "--quiet") == COMPLETE
    first = records(here)
    assert list(first) == ["greedy-uniform/0001a"]
    assert run("-j", "2", "--quiet") == COMPLETE
    in_pieces = records(here)
    assert run("reset") == COMPLETE
    assert run("--quiet") == COMPLETE
    assert records(here) == in_pieces


def test_what_was_played_is_not_played_again(here: Path) -> None:
    assert run("--quiet") == COMPLETE
    before = {file: file.stat().st_mtime_ns for file in (here / "games").rglob("*.sgf")}
    assert len(before) == 6
    assert run("--quiet") == COMPLETE
    assert {file: file.stat().st_mtime_ns for file in (here / "games").rglob("*.sgf")} == before


def test_a_lost_record_is_written_again_and_more_pairs_go_on(here: Path) -> None:
    assert run("--quiet") == COMPLETE
    kept = records(here)
    lost = here / "games" / "greedy-uniform" / "0002b.sgf"
    lost.unlink()
    write(here, pairs=4)
    assert run("--quiet") == COMPLETE
    assert matches.without_times(lost.read_text(encoding="utf-8")) == kept["greedy-uniform/0002b"]
    assert {id: text for id, text in records(here).items() if id in kept} == kept
    assert len(records(here)) == 8


def seed_of(folder: Path) -> str:
    with MatchStore(folder / "games" / "arena.db") as store:
        return store.seed()


def test_a_match_without_a_seed_draws_its_own_and_keeps_it(here: Path) -> None:
    """gtp.md 4, "Dice": 32 fresh random bytes in every game that our arena hosts."""
    text = (here / "small.yaml").read_text().replace('seed: "1"\n', "")
    (here / "small.yaml").write_text(text)
    assert run("--quiet", "--max-games", "2") == COMPLETE
    kept, seed = records(here), seed_of(here)
    assert len(bytes.fromhex(seed)) == 32
    assert run("--quiet") == COMPLETE
    assert kept.items() <= records(here).items()
    assert run("reset") == COMPLETE
    assert run("--quiet", "--max-games", "2") == COMPLETE
    assert seed_of(here) != seed


def test_what_is_no_store_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "games").mkdir()
    (here / "games" / "arena.db").write_bytes(b"this is not a database, however long it may be" * 100)
    for action in ("run", "show", "reset"):
        assert run(action) == WRONG
        assert "arena.db: cannot be read: file is not a database" in capsys.readouterr().err


def test_records_of_another_match_are_not_mixed_in(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--quiet", "--max-games", "2") == COMPLETE
    assert run("--seed", "other") == WRONG
    assert "greedy-uniform: seed was 1, is now other" in capsys.readouterr().err
    assert run("show", "--seed", "other") == COMPLETE
    assert "played otherwise: greedy-uniform: seed" in capsys.readouterr().err
    write(here, greedy="bot:uniform")
    assert run() == WRONG
    said = capsys.readouterr().err
    assert "greedy-uniform: greedy's bot was greedy, is now uniform" in said
    assert "reset --only greedy" in said
    assert run("reset", "--only", "greedy") == COMPLETE
    assert run("--quiet") == COMPLETE


def test_check_plays_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check") == COMPLETE
    assert "greedy-uniform: 3 pairs of aleago:size=7" in capsys.readouterr().out
    assert sorted(file.name for file in here.iterdir()) == ["small.yaml"]


def test_a_player_that_keeps_failing_stops_the_match(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.py").write_text(
        "import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, *about): 1 / 0\n"
    )
    write(here, greedy="bot:bad.py")
    assert run("--quiet") == FAILED
    said = capsys.readouterr()
    assert "failures: greedy 5 crash, uniform 0" in said.out
    assert said.err == "greedy failed 5 times (max_failures: 5)\n"
    assert run("--quiet") == FAILED
    assert "5 of 6 games" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [("fly",), ("-j", "0"), ("--max-games", "-1"), ("--nonsense",), ("stop",)],
)
def test_wrong_usage_is_no_interruption(here: Path, arguments: tuple[str, ...]) -> None:
    assert run(*arguments) == WRONG


def test_an_unknown_file_lists_ours(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "aleago-frist"]) == WRONG
    assert "aleago-first" in capsys.readouterr().err
    assert main(["match", "aleago-first", "check"]) == COMPLETE


def test_every_fault_is_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "small.yaml").write_text("arena: 2\nnmae: x\n")
    assert run() == WRONG
    said = capsys.readouterr().err
    assert said.startswith("small.yaml: ")
    assert "\n  nmae: unknown key; did you mean name?\n" in said
    assert "\n  arena: expected 1, not '2'\n" in said


# -- real processes --------------------------------------------------------------------------------------------------


@pytest.fixture
def whole(here: Path) -> dict[str, str]:
    """The records of 20 pairs played without a break; the folder is as before."""
    write(here, pairs=20)
    assert run("--quiet") == COMPLETE
    found = records(here)
    assert run("reset") == COMPLETE
    return found


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
def test_a_killed_match_goes_on_and_leaves_no_process(here: Path, whole: dict[str, str], jobs: int) -> None:
    with matches.Process(here, "small.yaml", "-j", str(jobs)) as match:
        match.wait_for_games(3)
        handles = [os.pidfd_open(child) for child in match.children()]
        match.process.kill()
        match.process.wait(timeout=60)
    for handle in handles:
        assert select.select([handle], [], [], 60)[0], "a worker lives on"
        os.close(handle)
    kept = records(here)
    assert 3 <= len(kept) < 40
    with matches.Process(here, "small.yaml", "-j", str(jobs)) as match:
        status, _ = match.end()
    assert status == COMPLETE
    assert records(here) == whole


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_interrupts_and_the_same_command_goes_on(here: Path, whole: dict[str, str], jobs: int) -> None:
    with matches.Process(here, "small.yaml", "-j", str(jobs)) as match:
        match.wait_for_games(2)
        os.killpg(match.process.pid, signal.SIGINT)
        status, said = match.end()
    assert status == INTERRUPTED
    assert said.endswith("interrupted; the same command goes on\n")
    assert "Traceback" not in said
    assert 2 <= len(records(here)) < 40
    assert run("--quiet") == COMPLETE
    assert records(here) == whole


@pytest.mark.slow
def test_a_running_match_can_be_stopped_but_not_played_or_reset(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, pairs=400)
    with matches.Process(here, "small.yaml") as match:
        match.wait_for_games(1)
        for arguments in [(), ("reset",)]:
            assert run(*arguments) == WRONG
            assert "another process is playing this match" in capsys.readouterr().err
        assert run("show") == COMPLETE
        assert run("stop") == COMPLETE
        status, said = match.end()
    assert status == INTERRUPTED
    assert said.endswith("stopped as asked; the same command goes on\n")
    assert run("--quiet", "--max-games", "1") == COMPLETE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "kind", "why"),
    [
        ("os._exit(3)", "crash", "ended its process (exit status 3)"),
        ("os.abort()", "crash", "ended its process (SIGABRT)"),
        ("time.sleep(600)", "hang", "did not come back and was ended"),
        ("print('= D4\\n'); sys.stdout.flush(); 1 / 0", "crash", "in choose: ZeroDivisionError"),
    ],
)
def test_a_bot_that_takes_its_process_with_it_loses_and_the_table_goes_on(
    here: Path, capsys: pytest.CaptureFixture[str], act: str, kind: str, why: str
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
    write(here, greedy="bot:bad.py", pairs=2)
    match = (here / "small.yaml").read_text().replace("{variant:", "{limits: {command: 500ms}, variant:")
    (here / "small.yaml").write_text(match)
    assert run("--json") == COMPLETE
    said = capsys.readouterr()
    assert json.loads(said.out)["players"][1]["failures"][kind] >= 1
    with MatchStore(here / "games" / "arena.db") as store:
        rows = list(store.rows().values())
    # The first game in each process is played, the second is not.
    assert len(rows) == 4
    failed = [row for row in rows if row.failures]
    assert {(row.status, row.winner, row.moves >= 4) for row in failed} == {(f"forfeit:{kind}", "uniform", True)}
    assert all(why in row.why for row in failed)
    assert main(["verify", *map(str, (here / "games" / "greedy-uniform").iterdir())]) == COMPLETE


def test_a_bot_that_must_see_the_stones_is_turned_away(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "--variant", "phantom:size=5", "--player", "bot:mcts:level=1", "--player", "bot:greedy"]
    assert main(words) == WRONG
    assert "players.mcts: mcts:level=1 cannot play phantom" in capsys.readouterr().err
