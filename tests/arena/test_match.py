"""The command `match`, in the test's own process."""

import json
import os
from pathlib import Path

import pytest

from gtp_variants.ai.backend import announcement
from gtp_variants.arena.report import text_report
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.store import MatchStore
from gtp_variants.cli import main
from tests.arena import matches
from tests.arena.matches import COMPLETE, FAILED, INTERRUPTED, TWO, WRONG, write_match

pytestmark = pytest.mark.usefixtures("in_one_process")


BAD = "import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, *about): 1 / 0\n"
SEARCH = {**TWO, "greedy": "bot:mcts:playouts=2,threads=2"}


@pytest.fixture
def here(here: Path) -> Path:
    """Return a folder with a match of three pairs and a bot that always fails."""
    write_match(here)
    (here / "bad.py").write_text(BAD)
    return here


def run(*arguments: str) -> int:
    return matches.run("small.yaml", *arguments)


def test_match_is_played_shown_and_reset(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == COMPLETE
    played = capsys.readouterr()
    assert played.out.startswith("Results of greedy vs uniform (aleago:size=5,dice=1d2; 6 of 6 games):\nElo ")
    assert [line.split()[0] for line in played.err.splitlines()[1:7]] == [f"{number}/6" for number in range(1, 7)]
    assert len(matches.records()) == 6
    assert run("show") == COMPLETE
    assert capsys.readouterr().out == played.out
    files = {f"greedy-uniform/{file.stem}": file for file in (here / "out" / "greedy-uniform").iterdir()}
    with MatchStore(here / "out" / "arena.db") as store:
        assert {id: file.read_text(encoding="utf-8") for id, file in files.items()} == dict(store.records())
    assert main(["verify", *map(str, files.values())]) == 0
    assert run("reset") == COMPLETE
    assert not (here / "out").exists()


def test_first_line_names_the_search(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_match(here, SEARCH)
    assert run("--max-games", "1", "-j", "1") == COMPLETE
    assert capsys.readouterr().err.splitlines()[0] == announcement(2)
    assert run("--max-games", "1", "--quiet") == COMPLETE
    assert capsys.readouterr().err == ""


def test_warning_counts_threads_of_bots_against_cores(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtp_variants.cli.compete.match.available_cores", lambda: 2)
    write_match(here, SEARCH)
    assert run("--max-games", "1", "--quiet", "-j", "2") == COMPLETE
    assert capsys.readouterr().err == "warning: 2 games at a time with 2 threads each on 2 cores\n"


def test_exit_status_of_run_is_its_end_and_of_show_the_state(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, status, is_complete in [
        (("--max-games", "2"), 0, False),
        (("show",), INTERRUPTED, False),
        ((), 0, True),
    ]:
        assert run(*arguments, "--json") == COMPLETE
        said = json.loads(capsys.readouterr().out)
        assert (said["exit"], said["complete"]) == (status, is_complete)
    write_match(here, {**TWO, "greedy": "bot:bad.py"}, 4, game="on_crash: stop", outputs="dir: other")
    assert run("--json") == FAILED
    assert json.loads(capsys.readouterr().out)["exit"] == FAILED


def test_show_reads_a_store_in_a_read_only_folder(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--quiet") == COMPLETE
    said, files = capsys.readouterr().out, sorted((here / "out").iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert run("show") == COMPLETE
    assert capsys.readouterr().out == said
    assert sorted((here / "out").iterdir()) == files
    assert run("--seed", "1") == WRONG
    assert capsys.readouterr().err.endswith("arena.db: cannot be written: attempt to write a readonly database\n")


def test_report_writes_every_format(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_match(here, outputs="dir: out, report: {every: 2, format: [html]}")
    assert run("--quiet", "--max-games", "3") == COMPLETE
    first = (here / "out" / "report.html").read_text(encoding="utf-8")
    replays = sorted(file.name for file in (here / "out" / "greedy-uniform").glob("*.html"))
    assert replays == ["0001a.html", "0001b.html", "0002a.html"]
    assert '"rounds":{"greedy-uniform":[[1,1],[2,"a"]]}' in first
    # Lost pages are recreated from the records.
    for name in replays:
        (here / "out" / "greedy-uniform" / name).unlink()
    capsys.readouterr()
    assert run("report") == COMPLETE
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert {path.name for path in written} == {"games.csv", "report.txt", "report.json", "report.html"}
    assert (here / "out" / "report.html").read_text(encoding="utf-8") == first
    assert sorted(file.name for file in (here / "out" / "greedy-uniform").glob("*.html")) == replays
    assert json.loads((here / "out" / "report.json").read_text())["complete"] is False
    assert len((here / "out" / "games.csv").read_text().splitlines()) == 4
    assert run("reset") == COMPLETE
    assert not (here / "out").exists()


def test_stored_games_are_not_played_again(here: Path) -> None:
    assert run("--quiet") == COMPLETE
    before = {file: file.stat().st_mtime_ns for file in (here / "out").rglob("*.sgf")}
    assert len(before) == 6
    assert run("--quiet") == COMPLETE
    assert {file: file.stat().st_mtime_ns for file in (here / "out").rglob("*.sgf")} == before


def test_lost_record_is_rewritten_when_pairs_are_added(here: Path) -> None:
    assert run("--quiet") == COMPLETE
    kept = matches.records()
    lost = here / "out" / "greedy-uniform" / "0002b.sgf"
    lost.unlink()
    write_match(here, pairs=4)
    assert run("--quiet") == COMPLETE
    assert matches.without_times(lost.read_text(encoding="utf-8")) == kept["greedy-uniform/0002b"]
    assert {id: text for id, text in matches.records().items() if id in kept} == kept
    assert len(matches.records()) == 8


def seed_of(folder: Path) -> str:
    with MatchStore(folder / "out" / "arena.db") as store:
        return store.seed()


def test_match_without_a_seed_makes_and_keeps_its_own(here: Path) -> None:
    """gtp.md 4, "Dice": 32 fresh random bytes in every game that our arena hosts."""
    write_match(here, more="")
    assert run("--quiet", "--max-games", "2") == COMPLETE
    kept, seed = matches.records(), seed_of(here)
    assert len(bytes.fromhex(seed)) == 32
    assert run("--quiet") == COMPLETE
    assert kept.items() <= matches.records().items()
    assert run("reset") == COMPLETE
    assert run("--quiet", "--max-games", "2") == COMPLETE
    assert seed_of(here) != seed


def test_invalid_store_is_reported(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "out").mkdir()
    (here / "out" / "arena.db").write_bytes(b"this is not a database, however long it may be" * 100)
    for action in ("run", "show", "reset"):
        assert run(action) == WRONG
        assert "arena.db: cannot be read: file is not a database" in capsys.readouterr().err


def test_store_is_rescued_when_it_is_deleted_during_a_match(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = here / "out" / "arena.db"

    class Vandal(text_report.Lines):
        def on_result(self, game: FinishedGame, number: int, of: int) -> None:
            if number == 3:
                store.unlink()

    monkeypatch.setattr(text_report, "Lines", Vandal)
    assert run() == WRONG
    assert f"{store.relative_to(here)}: was deleted or replaced while the match was played" in capsys.readouterr().err
    rescued = store.with_name("arena.db.rescued")
    assert rescued.stat().st_mode & 0o777 == 0o600
    rescued.rename(store)
    assert len(matches.records()) == 3
    assert run("--quiet") == COMPLETE
    assert len(matches.records()) == 6


def test_records_of_another_match_are_rejected(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--quiet", "--max-games", "2") == COMPLETE
    assert run("--seed", "other") == WRONG
    assert "greedy-uniform: seed was 1, is now other" in capsys.readouterr().err
    assert run("show", "--seed", "other") == COMPLETE
    assert "played with other settings: greedy-uniform: seed" in capsys.readouterr().err
    write_match(here, {**TWO, "greedy": "bot:uniform"})
    assert run() == WRONG
    said = capsys.readouterr().err
    assert "greedy-uniform: greedy's bot was greedy, is now uniform" in said
    assert "reset --only greedy" in said
    assert run("reset", "--only", "greedy") == COMPLETE
    assert run("--quiet") == COMPLETE


def test_check_plays_no_games(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check") == COMPLETE
    assert "greedy-uniform: 3 pairs of aleago:size=5" in capsys.readouterr().out
    assert sorted(file.name for file in here.iterdir()) == ["bad.py", "small.yaml"]


def test_match_stops_when_a_player_keeps_failing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_match(here, {**TWO, "greedy": "bot:bad.py"})
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
def test_wrong_usage_has_its_own_exit_status(here: Path, arguments: tuple[str, ...]) -> None:
    assert run(*arguments) == WRONG


def test_unknown_file_lists_built_in_configs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "aleago-frist"]) == WRONG
    assert "aleago-first" in capsys.readouterr().err
    assert main(["match", "aleago-first", "check"]) == COMPLETE


def test_every_fault_is_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "small.yaml").write_text("arena: 2\nnmae: x\n")
    assert run() == WRONG
    said = capsys.readouterr().err
    assert said.startswith("small.yaml: ")
    assert "\n  small.yaml:2:1: nmae: unknown key; did you mean name?\n" in said
    assert "\n  small.yaml:1:8: arena: expected 1, not '2'\n" in said


def test_bot_that_cannot_play_hidden_games_is_rejected(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "--variant", "phantom:size=5", "--player", "bot:mcts:level=1", "--player", "bot:greedy"]
    assert main(words) == WRONG
    assert "players.mcts: mcts:level=1 cannot play phantom" in capsys.readouterr().err


def test_changed_bot_plays_as_a_new_version_beside_the_old_results(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, text = here / "mine.py", "import gtp_variants as gv\nclass Mine(gv.Seat): pass\n"
    line = ["match", "--variant", "go:size=5", "--player", "me=bot:mine.py", "--player", "bot:uniform", "--pairs", "1"]

    def rows(name: str) -> int:
        with MatchStore(here / "out" / name / "arena.db") as store:
            return len(store.rows())

    for version in (text, f"{text}# changed\n", text):
        bot.write_text(version)
        assert main([*line, "--quiet"]) == COMPLETE
    # The first version was not played again.
    assert [rows(name) for name in ("me-uniform-go", "me-uniform-go-2")] == [2, 2]
    assert "the earlier games stay in out/me-uniform-go\n" in capsys.readouterr().err
    assert sorted(path.name for path in (here / "out").iterdir()) == ["me-uniform-go", "me-uniform-go-2"]
    bot.write_text(f"{text}# changed\n")
    assert main([*line, "reset", "--only", "me"]) == COMPLETE
    assert [rows(name) for name in ("me-uniform-go", "me-uniform-go-2")] == [2, 0]
