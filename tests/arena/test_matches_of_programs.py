"""Programs in a match: the trial before it, logs and identity."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants.arena.store import MatchStore
from gtp_variants.records.record import verify
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.rules.actions import BLACK, WHITE
from tests.arena.matches import COMPLETE, WRONG, played, run, write_match

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are ended by the signals of POSIX")


@pytest.fixture
def here(here: Path) -> Path:
    (here / "bot.py").write_bytes(configs.template_bot().read_bytes())
    return here


def write(folder: Path, spec: str = "go:size=5", more: str = "threads: 1", log: str = "always", game: str = "") -> None:
    template = f'{{command: [{sys.executable}, bot.py, "{{game}}"], cwd: ., {more}}}'
    write_match(
        *(folder, {"template": template, "uniform": "bot:uniform"}, 2),
        spec=spec,
        game=f"{game}move_limit: 40",
        outputs=f"dir: out, gtp_log: {log}",
    )


@pytest.mark.slow
def test_program_plays_and_its_log_is_kept(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here)
    assert run("small.yaml", "check") == COMPLETE
    assert "bot.py {game} is ready (Template" in capsys.readouterr().out
    assert run("small.yaml", "--quiet", "--json", "-j", "2") == COMPLETE
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 4
    assert not any(count for player in found["players"] for count in player["failures"].values())
    talk = here / "out" / "logs" / "template-uniform" / "0001a" / "template-b.gtp"
    assert "> genmove b" in talk.read_text(encoding="utf-8")
    assert not (here / "out" / "logs" / "start").exists()
    before = played(here / "out")
    assert run("small.yaml", "reset") == COMPLETE
    assert not (here / "out").exists()
    assert run("small.yaml", "--quiet") == COMPLETE
    assert played(here / "out") == before


@pytest.mark.slow
def test_log_is_kept_only_when_a_game_fails(here: Path) -> None:
    bot = here / "bot.py"
    crash = "import os, sys\nif sys.argv[1].endswith('2b'): os.abort()\nimport"
    bot.write_text(bot.read_text(encoding="utf-8").replace("import", crash, 1))
    write(here, log="on-failure")
    assert run("small.yaml", "--quiet") == COMPLETE
    with MatchStore(here / "out" / "arena.db") as store:
        statuses = {id[-2:]: row.status for id, row in store.rows().items()}
    assert statuses["2b"] == "forfeit:crash"
    assert sum(status.startswith("forfeit") for status in statuses.values()) == 1
    logs = here / "out" / "logs" / "template-uniform"
    assert [file.parent.name for file in logs.rglob("*.gtp")] == ["0002b"]


def test_changed_program_is_another_player(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here)
    assert run("small.yaml", "--quiet", "--max-games", "1") == COMPLETE
    bot = here / "bot.py"
    bot.write_text(bot.read_text(encoding="utf-8") + "\n# stronger\n")
    capsys.readouterr()
    assert run("small.yaml") == WRONG
    assert "template-uniform: template's files was" in capsys.readouterr().err
    assert run("small.yaml", "show") == COMPLETE
    assert "played with other settings: template-uniform: template's files" in capsys.readouterr().err


@pytest.mark.slow
def test_program_that_cannot_play_is_rejected_with_the_reason(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bot.py").write_text("import sys\nfor line in sys.stdin:\n    print('= \\n', flush=True)\n")
    write(here, "rosette:n=3")
    for action in ("run", "check"):
        assert run("small.yaml", action) == WRONG
        said = capsys.readouterr().err
        assert "players.template: cannot play rosette: " in said
        assert "logs/start" in said
    assert list((here / "out" / "logs" / "start").glob("template-*.gtp"))
    text = configs.template_bot().read_text(encoding="utf-8")
    (here / "bot.py").write_text(text)
    write(here, "go:size=9", game="handicap: 2, ")
    assert run("small.yaml") == WRONG
    assert "players.template: cannot play go: it refused the game so far: " in capsys.readouterr().err
    write(here, more="limits: {startup: 200ms}")
    (here / "bot.py").write_text("import time\ntime.sleep(100)\n")
    assert run("small.yaml") == WRONG
    assert "was not answered in time" in capsys.readouterr().err


@pytest.mark.slow
def test_standard_error_goes_to_its_configured_place(here: Path) -> None:
    bot = here / "bot.py"
    bot.write_text("import sys\nprint('thinking hard', file=sys.stderr)\n" + bot.read_text(encoding="utf-8"))
    found = {}
    for stderr in ("file", "sgf", "discard"):
        write(here, more=f"stderr: {stderr}", log="never")
        assert run("small.yaml", "--quiet", "--max-games", "1") == COMPLETE
        with MatchStore(here / "out" / "arena.db") as store:
            record = store.record("template-uniform/0001a")
        found[stderr] = "thinking hard" in record, len(list((here / "out" / "logs").rglob("*.stderr")))
        assert run("small.yaml", "reset") == COMPLETE
    assert found == {"file": (False, 1), "sgf": (True, 0), "discard": (False, 0)}


@pytest.mark.slow
def test_engine_plays_the_template_in_go_fantome(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both players are programs. Neither is told more than its seat's news, and the match is repeatable."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    ours = f"{{command: [{sys.executable}, -m, gtp_variants, gtp, --bot, 'phantom:playouts=40,worlds=4']}}"
    players = {"ours": ours, "template": f"{{command: [{sys.executable}, bot.py]}}"}
    write_match(here, players, 1, spec="phantom:size=5", game="move_limit: 80", outputs="dir: out, gtp_log: always")
    assert run("small.yaml", "--quiet", "-j", "2") == COMPLETE
    before = played(here / "out")
    assert [row.status for row, _ in before.values()] == ["played", "played"]
    assert not any(row.failures for row, _ in before.values())
    refused = 0
    for id, (row, text) in before.items():
        record = from_sgf(text)
        assert verify(record).ok
        game = record.game
        for colour, name in ((BLACK, row.players[0]), (WHITE, row.players[1])):
            letter = "bw"[colour - BLACK]
            talk = (here / "out" / "logs" / id / f"{name}-{letter}.gtp").read_text(encoding="utf-8")
            told = [line for line in talk.splitlines() if re.search(r"> (play|phantom-hear|phantom-seat)\b", line)]
            assert f"> phantom-seat {letter}" in told[0]
            assert "> play " not in "".join(told)
            board, other = game.rules.board, 3 - colour
            moves = [event for event in game.turns() if event.actor == other and event.action >= 0]
            # The program hears that the other player has played, but not where.
            assert not any(f"phantom-hear {'bw'[other - BLACK]} {board.vertex(move.action)}" in talk for move in moves)
            assert f"phantom-hear {'bw'[other - BLACK]} ?" in talk
        refused += sum(game.is_refused(number) for number in range(len(game.events)))
    assert refused > 0
    assert run("small.yaml", "reset") == COMPLETE
    assert run("small.yaml", "--quiet") == COMPLETE
    assert played(here / "out") == before
