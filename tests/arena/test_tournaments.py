"""Whole tournaments run with the command: all types, all kinds of ending, and programs with all faults."""

import ast
import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gtp_variants import configs
from gtp_variants.arena.store import MatchStore
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from tests.arena.faulty import ENGINE, end_patience_at_half_answers
from tests.arena.matches import COMPLETE, FAILED, TWO, run, write_match

pytestmark = pytest.mark.usefixtures("here", "in_one_process")

NEEDS_SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="programs are ended by the signals of POSIX")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run a match to its end; return its JSON report."""
    capsys.readouterr()
    assert run(*arguments, "--quiet", "--json") == COMPLETE
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", configs.names())
def test_built_in_configs_are_played(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the first games of each are played, with faster bots."""
    text = configs.path(name).read_text(encoding="utf-8")
    (here / f"{name}.yaml").write_text(re.sub(r"(playouts)=\d+", r"\1=5", text))
    found = told(capsys, f"{name}.yaml", "--max-games", "6")
    assert found["games"] == 6
    assert not any(count for player in found["players"] for count in player["failures"].values())
    assert (here / "out" / name / "arena.db").is_file()


def test_match_of_two_games_is_reported_as_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = "match: 2, tiebreak: black_moves, move_limit: 60, on_move_limit: draw"
    write_match(here, pairs=4, spec="alter-igo:size=4", game=game)
    assert run("small.yaml", "--quiet") == COMPLETE
    found = re.search(r"Two-game matches: (\d+) won, (\d+) tied, (\d+) lost", capsys.readouterr().out)
    assert found is not None
    assert sum(map(int, found.groups())) == 4
    # Each record says which game of the match it is.
    games = [load_record(path).game for path in sorted(here.rglob("*.sgf"))]
    assert [write_game(game)[0] for game in games] == [("chance", f"match {n}/2 black_moves") for n in (1, 2)] * 4


@pytest.mark.parametrize(
    ("stop", "verdict"),
    [
        ("{sprt: {elo0: 0, elo1: 200}}", "H1"),
        ("{sprt: {elo0: 0, elo1: 200, players: [uniform, greedy]}}", "H0"),
        ("{elo_error: 400}", None),
        ("{games: 5}", None),
    ],
)
def test_stop_rule_ends_a_match_early(
    stop: str, verdict: str | None, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_match(here, pairs=30, more=f"seed: x\nstop: {stop}")
    found = told(capsys, "small.yaml")
    assert (found["complete"], found["exit"], found["matchups"][0]["sprt"]) == (True, COMPLETE, verdict)
    assert 0 < found["games"] < 60


@pytest.mark.slow
def test_match_stops_on_timeout_when_configured(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "late.py").write_text(
        "import time\nimport gtp_variants as gv\nclass Late(gv.Seat):\n"
        "    def choose(self, view, clock):\n        time.sleep(600)\n"
    )
    players = {**TWO, "greedy": "{command: bot:late.py:Late, limits: {time: 300ms, margin: 0}}"}
    write_match(here, players, game="on_timeout: stop")
    assert run("small.yaml", "--quiet") == FAILED
    assert "greedy failed in greedy-uniform/0001a (time: in choose: took " in capsys.readouterr().err
    write_match(here, players, game="max_failures: 2")
    assert run("small.yaml", "--quiet", "--json") == FAILED
    found = json.loads(capsys.readouterr().out)
    assert (found["complete"], found["exit"], found["games"]) == (False, FAILED, 2)
    assert {player["name"]: player["failures"]["time"] for player in found["players"]} == {"greedy": 2, "uniform": 0}


def test_store_and_records_are_in_their_configured_places(here: Path) -> None:
    write_match(here, pairs=2, outputs="dir: 'there/{name}', db: mine.db, sgf: collection")
    assert run("small.yaml", "--quiet") == COMPLETE
    folder = here / "there" / "small"
    with closing(sqlite3.connect(folder / "mine.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with MatchStore(folder / "mine.db") as store:
        assert (folder / "small.sgf").read_text(encoding="utf-8") == "".join(text for _, text in store.records())
    assert not list(folder.glob("*/*.sgf"))


# -- programs ----------------------------------------------------------------------------------------------------------


def test_template_engine_does_not_import_the_package() -> None:
    tree = ast.parse(configs.template_bot().read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert names == {"random", "sys"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))


@NEEDS_SIGNALS
def test_command_line_plays_two_programs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{sys.executable} {configs.template_bot()}"
    players = ("--player", f"one={command}", "--player", f"two={command}", "--pairs", "1", "--seed", "x")
    found = told(capsys, "--variant", "phantom:size=5", "--move-limit", "60", *players)
    assert (found["games"], [player["name"] for player in found["players"]]) == (2, ["one", "two"])
    assert not any(count for player in found["players"] for count in player["failures"].values())


@NEEDS_SIGNALS
def test_program_gets_its_environment_folder_and_clock(here: Path) -> None:
    (here / "there").mkdir()
    text = (
        configs.template_bot()
        .read_text(encoding="utf-8")
        .replace("COMMANDS = (", "COMMANDS += 'time_settings time_left '\nCOMMANDS = (", 1)
    )
    (here / "there" / "bot.py").write_text(text + "\nprint(__import__('os').environ['MOOD'], file=sys.stderr)\n")
    program = f"{{command: [{sys.executable}, bot.py], cwd: there, env: {{MOOD: no}}, limits: {{time: 2:00+1s}}}}"
    write_match(here, {**TWO, "greedy": program}, 1, outputs="dir: out, gtp_log: always")
    assert run("small.yaml", "--quiet") == COMPLETE
    logs = here / "out" / "logs" / "greedy-uniform" / "0001a"
    assert (logs / "greedy-b.stderr").read_text() == "no\n"
    talk = (logs / "greedy-b.gtp").read_text(encoding="utf-8")
    assert "> time_settings 120 0 0\n" in talk
    assert "> time_left b 120 0\n" in talk
    record = (here / "out" / "greedy-uniform" / "0001a.sgf").read_text(encoding="utf-8")
    assert re.search(r"B\[..\]BL\[1\d\d\.\d+\]", record)


FAULTS = {
    "exit": "forfeit:crash",
    "abort": "forfeit:crash",
    "half and hangs": "forfeit:hang",
    "occupied": "forfeit:illegal",
    "refuses genmove": "forfeit:protocol",
    "garbage": "forfeit:protocol",
}


@pytest.mark.slow
@NEEDS_SIGNALS
def test_faulty_programs_lose_and_the_match_continues(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "engine.py").write_text(ENGINE, encoding="utf-8")
    # No program has to hurry, also the one that hangs later.
    end_patience_at_half_answers(monkeypatch)
    players = {
        fault.replace(" ", "-"): f"{{command: [{sys.executable}, engine.py, {fault}, pids], "
        "limits: {startup: 60s, command: 60s}}"
        for fault in FAULTS
    }
    write_match(
        *(here, {"good": "bot:uniform", **players}, 1),
        tournament="gauntlet, seeds: [good]",
        spec="go:size=5",
        game="move_limit: 12",
    )
    found = told(capsys, "small.yaml")
    assert (found["complete"], found["games"]) == (True, 2 * len(FAULTS))
    with MatchStore(here / "out" / "arena.db") as store:
        rows = store.rows().values()
    for fault, status in FAULTS.items():
        name = fault.replace(" ", "-")
        games = [row for row in rows if name in row.players]
        assert [(row.status, row.winner) for row in games] == [(status, "good")] * 2
        # Every failure has a log.
        assert all(list((here / "out" / "logs" / row.id).glob(f"{name}-?.gtp")) for row in games)
