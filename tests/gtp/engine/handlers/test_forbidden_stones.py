"""Stones that the rules of Go forbid and a host says were played: the host is right about the past (gtp.md 3)."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from gtp_variants.ai.backend import search_backend
from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.gtp.engine.session import Session
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import verify
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.records.steps import RecordSteps
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, TOLERATE, WHITE
from gtp_variants.rules.game import Game
from tests.gtp.talk import Talk

KO = "b:B1 w:C1 b:A2 w:D2 b:B3 w:C3 b:C2 w:B2"
# White's stones on A1 and A2 lose their last liberty to White's own stone.
SUICIDE = "b:B1 w:A1 b:B2 w:E5 b:A3"


def kernel_legal(session: Session) -> Sequence[int]:
    """Return what the compiled search takes for legal; without it, what the rules do."""
    if search_backend() != "native":
        return session.rules.legal(session.position)
    from gtp_variants.ai.kernel.states import state_of

    found: Sequence[int] = state_of(session.rules, session.position).legal()
    return found


@pytest.mark.parametrize("repetition", ["simple", "psk", "ssk"])
def test_repetition_in_go_is_taken_in_from_the_host_with_a_warning(
    repetition: str, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Talk(f"go:size=4,repetition={repetition}")
    talk.plays(KO)
    assert "C2" not in talk.state()["legal"]
    assert "C2" not in talk("variant-legal_moves b").split()
    assert talk("is_legal b C2") == "0"
    assert capsys.readouterr().err == ""
    talk("play b C2")
    said = capsys.readouterr().err
    assert said.startswith("warning: a stone on C2 would repeat an earlier position")
    assert said.count("\n") == 1
    state = talk.state()
    assert (state["stones"]["C2"], "B2" in state["stones"], state["last"]["captured"]) == ("b", False, ["B2"])
    assert (state["to_play"], state["move_number"], state["captures"]) == ("w", 9, {"b": 1, "w": 1})


def test_lawful_stone_in_go_is_played_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("go:size=4,repetition=none")
    talk.plays(f"{KO} b:C2")
    assert capsys.readouterr().err == ""
    assert "tolerate" not in talk("variant-record")


@pytest.mark.parametrize("spec", ["aleago:size=5,repetition=psk,dice=1d4", "rosette:n=2"])
def test_variants_refuse_what_their_rules_forbid(spec: str) -> None:
    talk = Talk(spec)
    rules = talk.session.rules
    with pytest.raises(NotationError, match="accepts no stone"):
        rules.play(rules.start(), TOLERATE, CHANCE)


def test_only_the_host_may_take_in_a_forbidden_stone() -> None:
    game = Game(parse("go:size=5"))
    for actor in (BLACK, WHITE):
        with pytest.raises((IllegalMove, NotationError)):
            game.play(actor, TOLERATE)
    assert not game.events


def test_suicide_of_several_stones_in_go_removes_them_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("go:size=5")
    talk.plays(SUICIDE)
    assert "A2" not in talk.state()["legal"]
    talk("play w A2")
    assert capsys.readouterr().err.startswith("warning: a stone on A2 would have no liberty")
    state = talk.state()
    assert state["stones"] == {"B1": "b", "B2": "b", "A3": "b", "E5": "w"}
    assert (state["last"]["vertex"], state["last"]["captured"]) == ("A2", ["A1", "A2"])
    # The removed stones count as Black's captures, and the kernel sees the same board.
    assert state["captures"] == {"b": 2, "w": 0}
    assert talk("captures black") == "2"
    assert {"A1", "A2"} <= set(state["legal"])


def test_repetition_after_a_suicide_is_seen() -> None:
    """A board can come back though no stone was captured: its own player removed some."""
    talk = Talk("go:size=3")
    talk.plays("b:B1 w:A1 b:B2 w:C3 b:A3 w:A2 b:pass")
    # White on A1 makes the board before the suicide again.
    assert "A1" not in talk.state()["legal"]
    session = talk.session
    assert set(kernel_legal(session)) == set(session.rules.legal(session.position))


def test_suicide_of_one_stone_in_go_is_refused() -> None:
    talk = Talk("go:size=3")
    talk.plays("b:A2 b:B1")
    before = talk.snapshot()
    assert talk.reason("play w A1") == "suicide"
    assert talk.snapshot() == before
    assert talk.reason("play w B1") == "occupied"
    assert talk.reason("play w A9") == "off board"
    assert talk.snapshot() == before


@pytest.mark.parametrize("moves", [f"{KO} b:pass w:pass b:C2 w:B2", f"{SUICIDE} w:A2 b:D4 w:A1", f"{KO} b:C2"])
def test_game_with_forbidden_stones_is_undone_written_and_read_exactly(moves: str, tmp_path: Path) -> None:
    talk = Talk("go:size=5")
    snapshots = [talk.snapshot()]
    for move in moves.split():
        talk.plays(move)
        snapshots.append(talk.snapshot())
    record, file = talk("variant-record"), tmp_path / "game.sgf"
    talk(f"printsgf {file}")
    assert verify(from_json(record)).ok
    assert to_json(from_json(record)) == record
    other = Talk("aleago")
    other(f"loadsgf {file}")
    assert other.snapshot() == snapshots[-1]
    for number in range(1, len(snapshots)):
        other(f"loadsgf {file} {number}")
        assert other.snapshot() == snapshots[number - 1], number
    for snapshot in reversed(snapshots[:-1]):
        talk("undo")
        assert talk.snapshot() == snapshot
    assert talk.fails("undo") == "cannot undo"


def test_forbidden_stones_of_a_move_list_and_a_file_are_taken_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played, listed, loaded, changed = (Talk("go:size=5") for _ in range(4))
    moves = f"{KO} b:C2".split()
    played.plays(" ".join(moves))
    listed(f"gogui-play_sequence {' '.join(moves).replace(':', ' ')}")
    assert listed.snapshot() == played.snapshot()
    before = listed.snapshot()
    assert listed.fails("gogui-play_sequence w B2 b E5 w E5").startswith("illegal move (occupied)")
    assert listed.snapshot() == before
    capsys.readouterr()
    points = {vertex: f"{'abcde'[ord(vertex[0]) - 65]}{'edcba'[int(vertex[1]) - 1]}" for _, vertex in map(_pair, moves)}
    file = tmp_path / "foreign.sgf"
    nodes = "".join(f";{colour.upper()}[{points[vertex]}]" for colour, vertex in map(_pair, moves))
    file.write_text(f"(;GM[1]FF[4]SZ[5]KM[7.5]{nodes})", encoding="ascii")
    loaded(f"loadsgf {file}")
    assert loaded.snapshot() == played.snapshot()
    assert capsys.readouterr().err == (
        "warning: the rules of go:size=5 forbid C2; the stones stay, as the file has them\n"
    )
    # Rules may also come after the moves that they forbid.
    changed("kata-set-rule ko NONE")
    changed.plays(" ".join(moves))
    assert "tolerate" not in changed("variant-record")
    changed("kata-set-rule ko POSITIONAL")
    assert changed.snapshot() == played.snapshot()


def _pair(move: str) -> tuple[str, str]:
    colour, _, vertex = move.partition(":")
    return colour, vertex


def test_record_with_a_forbidden_stone_is_shown_and_other_programs_are_told_to_execute_it() -> None:
    talk = Talk("go:size=5")
    talk.plays(f"{KO} b:C2")
    record = from_json(talk("variant-record"))
    assert ";EVENT[chance tolerate]B[cd]KO[]" in to_sgf(record)
    for lang, sentence in (("en", "the rules forbid the next stone"), ("fr", "la règle interdit la pierre suivante")):
        steps = RecordSteps(record, lang=lang)
        told = [" ".join(steps.caption(step)) for step in steps.all[-2:]]
        assert sentence in told[0]
        assert "C2" in told[1]


def test_tried_move_that_repeats_is_taken_back() -> None:
    talk = Talk("go:size=5")
    talk.plays(KO)
    before = talk.snapshot()
    talk("trymove b C2")
    talk("popgo")
    assert talk.snapshot() == before
    assert "C2" not in before[0].partition('"legal"')[2].partition("]")[0]


@pytest.mark.parametrize("bot", ["mcts:playouts=60,seconds=0", "mcts:playouts=60,seconds=0,net=none", "greedy"])
@pytest.mark.parametrize("moves", [f"{KO} b:C2 w:B2", f"{SUICIDE} w:A2"])
def test_bots_keep_the_rules_after_forbidden_stones(bot: str, moves: str) -> None:
    talk = Talk("go:size=5", bot=bot)
    talk.plays(moves)
    session = talk.session
    allowed = set(session.rules.legal(session.position))
    assert set(kernel_legal(session)) == allowed
    words = {session.word(action) for action in allowed}
    found = set(re.findall(r"info move (\S+)", talk("kata-analyze b 1 minmoves 99")))
    assert found
    assert found <= words
    events = len(session.table.game.events)
    for colour in "bwbwbw":
        talk(f"genmove {colour}")
    later = session.table.game.events[events:]
    assert later
    assert TOLERATE not in {event.action for event in later}
