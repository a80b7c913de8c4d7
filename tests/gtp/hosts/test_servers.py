"""Clients of servers and match runners: kgsGtp, gtp2ogs, gomill, gogui-statistics, gogui-adapter (what they send)."""

import re
from collections.abc import Iterator

import pytest

from tests.gtp.pipes import Process
from tests.gtp.talk import Talk


@pytest.fixture
def engine() -> Iterator[Process]:
    process = Process("go:size=9", "--bot", "greedy", "--seed", "servers")
    yield process
    process.close()


def ask(engine: Process, line: str, newline: str = "\n") -> str:
    engine.send((line + newline).encode())
    return engine.answers(1)[0]


def test_kgsgtp_plays_a_game_with_a_dispute_at_the_end(engine: Process) -> None:
    listed = ask(engine, "list_commands").split()
    for command in ("kgs-rules", "kgs-time_settings", "kgs-genmove_cleanup", "kgs-game_over", "final_status_list"):
        assert command in listed
    for line in (
        "boardsize 9",
        "komi 7.5",
        "clear_board",
        "kgs-rules chinese",
        "kgs-time_settings byoyomi 600 30 5",
    ):
        assert ask(engine, line) == "= "
    for number in range(20):
        ask(engine, "time_left b 600 0")
        ask(engine, "time_left w 30 5")
        assert re.fullmatch(r"= ([A-HJ][1-9]|pass|resign)", ask(engine, f"genmove {'bw'[number % 2]}"))
    for line in ("play b pass", "play w pass"):
        ask(engine, line)
    assert re.fullmatch(r"= ([A-HJ][1-9][ \n]?)*", ask(engine, "final_status_list dead"))
    assert re.fullmatch(r"= ([A-HJ][1-9]|pass|resign)", ask(engine, "kgs-genmove_cleanup b"))
    before = ask(engine, "showboard")
    assert ask(engine, "kgs-game_over") == "= "
    assert ask(engine, "showboard") == before
    assert re.fullmatch(r"= ([A-HJ][1-9]|pass|resign)", ask(engine, "genmove w"))


def test_gtp2ogs_writes_colours_in_full_vertices_small_and_crlf(engine: Process) -> None:
    assert "genmove" in ask(engine, "list_commands", "\r\n").split()
    for line in ("boardsize 9", "clear_board", "komi 7.5", "play black d4", "play white e5", "time_settings 600 30 1"):
        assert ask(engine, line, "\r\n") == "= "
    assert ask(engine, "time_left black 600 0", "\r\n") == "= "
    assert re.fullmatch(r"= ([A-HJ][1-9]|pass|resign)", ask(engine, "genmove black", "\r\n"))
    assert ask(engine, "set_free_handicap d4 f6", "\r\n") == "? board not empty"


def test_gtp2ogs_asks_for_a_rectangle_by_width_and_height(engine: Process) -> None:
    for line in ("boardsize 9 13", "clear_board", "komi 7.5", "play black j13", "play white a1"):
        assert ask(engine, line, "\r\n") == "= "
    assert re.fullmatch(r"= ([A-HJ]([1-9]|1[0-3]))", ask(engine, "genmove black", "\r\n"))
    assert ask(engine, "play white j9", "\r\n") == "= "
    assert ask(engine, "play black k9", "\r\n").startswith("? illegal move (off board)")


def test_gomill_asks_who_plays(engine: Process) -> None:
    assert ask(engine, "gomill-describe_engine").startswith("= GTP Variants ")
    assert float(ask(engine, "gomill-cpu_time").removeprefix("= ")) > 0
    assert ask(engine, "gomill-explain_last_move").startswith("=")


@pytest.mark.parametrize("spec", ["aleago:size=9", "go:size=5", "rosette:n=2", "alter-igo:size=4", "pentalath"])
def test_gogui_statistics_asks_for_numbers_in_every_position(spec: str) -> None:
    talk = Talk(spec, seed="statistics")
    game = Talk(spec, seed="statistics")
    for _ in range(10):
        colour = game.state()["to_play"]
        vertex = game(f"genmove {colour}")
        talk(f"play {colour} {vertex}")
        assert float(talk("cputime")) >= 0


def test_gogui_adapter_keeps_the_rules_commands_alive() -> None:
    """It forwards whatever it does not know, and brings the engine to a position by undo and play."""
    talk = Talk("aleago:size=9", seed="adapter")
    for command in talk("list_commands").split("\n"):
        assert talk(f"known_command {command}") == "true"
    talk("gogui-rules_game_id")
    talk.plays("b:C3 w:D4")
    talk.does("undo/play w E5")
    assert talk.state()["stones"] == {"C3": "b", "E5": "w"}
