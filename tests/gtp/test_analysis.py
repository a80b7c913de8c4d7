"""Thinking aloud: the forms that Sabaki and others read, and that a word of the host ends it at once (gtp.md 3)."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gtp_variants.errors import NotationError
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game
from tests.gtp.pipes import Process
from tests.gtp.talk import SPECS, Talk

OPEN = [spec for spec in SPECS if not spec.startswith("phantom")]
# As Sabaki takes a line apart.
SEGMENT = re.compile(
    r"info move (?P<move>[A-Z]{1,2}\d+|pass) visits (?P<visits>\d+) winrate (?P<winrate>[\d.]+) prior [\d.]+ "
    r"lcb [\d.]+ order (?P<order>\d+) pv(?P<pv>( ([A-Z]{1,2}\d+|pass))+)"
)


def moves_of(line: str) -> list[dict[str, str]]:
    """The moves of an answer's lines, every one of which must be made of nothing but segments."""
    found = []
    for part in line.strip().split("\n"):
        text = part.partition(" ownership ")[0]
        segments = list(SEGMENT.finditer(text))
        assert " ".join(segment[0] for segment in segments) == text
        found = [segment.groupdict() for segment in segments]
    return found


def mover(talk: Talk) -> str:
    return str(talk.state()["to_play"])


@pytest.mark.parametrize("spec", OPEN)
def test_every_open_game_is_analysed_and_stays_as_it_was(spec: str) -> None:
    talk = Talk(spec, seed="analysis")
    for _ in range(3):
        talk(f"genmove {mover(talk)}")
    before = talk.snapshot()
    for dialect in ("lz", "kata"):
        answer = talk(f"{dialect}-analyze {mover(talk)} 5")
        found = moves_of(answer)
        legal = set(talk("variant-legal_moves").split())
        assert found
        assert {move["move"] for move in found} <= legal
        assert [int(move["order"]) for move in found] == list(range(len(found)))
        assert int(found[0]["visits"]) > 0
        for move in found:
            win = float(move["winrate"])
            assert (0 <= win <= 1) if dialect == "kata" else (0 <= win <= 10_000 and "." not in move["winrate"])
            assert move["pv"].split()[0] == move["move"]
    assert talk.snapshot() == before


def test_only_open_points_are_told_under_the_dice() -> None:
    talk = Talk("aleago:size=9", seed="x")
    talk("aleago-draw b 2")
    found = {move["move"] for move in moves_of(talk("lz-analyze"))}
    assert found - {"pass"} == set(talk("aleago-open").split())


def test_both_draws_of_a_crystal_ball_are_searched_on() -> None:
    talk = Talk("aleago:size=9,crystal_ball=true", seed="x")
    assert moves_of(talk("kata-analyze b interval 5"))


def test_the_other_side_may_be_asked_for_where_the_rules_have_a_pass() -> None:
    talk = Talk("go:size=5")
    before = talk.snapshot()
    assert moves_of(talk("lz-analyze w 10"))
    assert talk.snapshot() == before
    talk = Talk("pentalath")
    talk("play w A1")
    assert talk.reason("lz-analyze w") == "not your turn"


def test_arguments() -> None:
    talk = Talk("go:size=5")
    assert len(moves_of(talk("lz-analyze minmoves 3 maxmoves 3"))) == 3
    assert len(moves_of(talk("lz-analyze minmoves 20"))) >= 20
    assert len(moves_of(talk("lz-analyze maxmoves 1"))) == 1
    assert moves_of(talk("kata-analyze B interval 1 minmoves 2 maxmoves 4"))
    assert moves_of(talk("lz-analyze 10"))
    for wrong in ("b x", "b 10 interval", "b 10 allow b D4 1", "b -5", "x 10", "b interval -1", "r", "b maxmoves x"):
        assert talk.fails(f"lz-analyze {wrong}").startswith(("syntax error: ", "invalid colour or vertex: ")), wrong


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=9", "rosette:n=2", "alter-igo:size=4", "pentalath"])
def test_ownership_is_a_number_for_each_cell_of_the_grid(spec: str) -> None:
    talk = Talk(spec, seed="x")
    line = talk("kata-analyze ownership true")
    numbers = line.partition(" ownership ")[2].split()
    board = talk.session.rules.board
    assert len(numbers) == board.width * board.height
    assert all(-1 <= float(number) <= 1 for number in numbers)
    holes = sum(board.at(x, y) is None for x in range(board.width) for y in range(board.height))
    assert numbers.count("0") >= holes


def test_ownership_is_the_players_own_and_begins_at_the_top_left() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:A4 w:E2 b:B4 w:D2 b:B5 w:D1 b:C4 w:C2 b:D4 w:B2 b:E4 w:A2")
    for colour, sign in (("b", 1), ("w", -1)):
        numbers = [
            float(word) for word in talk(f"kata-analyze {colour} ownership true").partition("ership ")[2].split()
        ]
        assert sign * numbers[5] > 0.5
        assert sign * numbers[-5 - 4] < -0.5


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze", "cgos-genmove_analyze"])
def test_a_move_that_is_told_is_played(spec: str, command: str) -> None:
    talk = Talk(spec, seed="x")
    side = mover(talk)
    *told, last = talk(f"{command} {side} 10" if "cgos" not in command else f"{command} {side}").strip().split("\n")
    word = last.removeprefix("play ")
    assert last.startswith("play ")
    assert talk.state()["last"] == {"colour": side, "vertex": word, "captured": []}
    if spec.startswith("phantom"):
        assert not told
    elif "cgos" in command:
        found = json.loads(told[0])
        assert found["moves"][0]["move"] == word
        assert 0 <= found["winrate"] <= 1
    else:
        assert moves_of("\n".join(told))[0]["move"] == word


def test_after_the_end_there_is_nothing_to_analyse_and_moves_say_who_won() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A2 w:B1 b:B2 w:C1 b:C2 w:D1 b:D2 w:E1")
    assert talk.fails("lz-analyze b") == "game over"
    assert talk("lz-genmove_analyze b").strip() == "play resign"
    assert talk("lz-genmove_analyze w").strip() == "play pass"
    assert talk.fails("kata-genmove_analyze").startswith("syntax error: ")


def test_in_a_hidden_game_positions_that_agree_with_the_view_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they are is the game's business: here as if all white stones stood on the first line."""
    talk = Talk("phantom:size=5")
    rules: Any = talk.session.rules
    assert moves_of(talk("lz-analyze b 10")), "by positions that agree with all the news"
    seen: list[Any] = []

    def unimaginable(self: object, view: Any, rng: object) -> Any:
        raise NotationError("no position agrees with the news")

    def imagine(self: object, view: Any, rng: object) -> Any:
        seen.append(view)
        return Game(rules, {0: WHITE, 2: WHITE}, BLACK).position

    monkeypatch.setattr(type(rules), "imagine", imagine)
    talk.plays("b:C3 w:D4")
    found = moves_of(talk("kata-analyze b 10"))
    assert {move["move"] for move in found} <= set(talk("variant-legal_moves b").split())
    assert all(view.colour == BLACK and view.position is None for view in seen)
    assert "LABEL" in talk("show-win_rates")
    monkeypatch.setattr(type(rules), "imagine", unimaginable)
    talk.plays("b:E5")
    assert talk.fails("lz-analyze b").startswith("cannot be analysed: ")


def test_a_won_position_is_told_as_won() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A7 w:B1 b:C7 w:C1 b:E7 w:D1 b:G7")
    best = moves_of(talk("kata-analyze w"))[0]
    assert (best["move"], float(best["winrate"])) == ("E1", 1.0)


# -- a real process ----------------------------------------------------------------------------------------------------


@pytest.fixture
def process() -> Iterator[Process]:
    engine = Process("go:size=9", "--bot", "mcts:playouts=20")
    yield engine
    engine.close()


def test_analysis_goes_on_until_anything_is_said_and_nothing_said_is_lost(process: Process) -> None:
    for stop in (
        b"protocol_version\n",
        b"\n8 protocol_version\n",
        b"# nothing\nPROTOCOL_VERSION\r\nprotocol_version\r\n",
    ):
        process.send(b"7 lz-analyze b 1\n")
        assert process.until(b"=7 \n") == b"=7 \n"
        for _ in range(3):
            assert process.until(b"\n").startswith(b"info move ")
        process.send(stop)
        rest = process.until(b" 2\n\n")
        assert b"\n\n=" in b"\n" + rest or b"\n\n?" in b"\n" + rest
    process.send(b"1 lz-analyze b 1\n2 play b E5\n3 lz-analyze w 1\n4 genmove w\n5 name\n")
    answers = process.until(b"GTP Variants\n\n").split(b"\n\n")
    assert [answer[:2] for answer in answers if answer] == [b"=1", b"=2", b"=3", b"=4", b"=5"]


def test_analysis_ends_with_the_input(process: Process) -> None:
    process.send(b"kata-analyze 1\n")
    process.until(b"info move ")


def test_the_host_that_speaks_is_soon_answered(process: Process) -> None:
    """A generous bound on a loaded machine; the engine listens after every 10 ms."""
    took = []
    for _ in range(5):
        process.send(b"lz-analyze b 100\n")
        process.until(b"=")
        time.sleep(0.05)
        begun = time.monotonic()
        process.send(b"name\n")
        process.until(b"GTP Variants\n\n")
        took.append(time.monotonic() - begun)
    assert min(took) < 0.05, took


def test_gogui_interrupts_a_search_by_a_comment(process: Process) -> None:
    process.send(b"show-search\n")
    time.sleep(0.2)
    process.send(b"# interrupt\nname\n")
    answer = process.until(b"GTP Variants\n\n")
    assert answer.startswith(b"= COLOR #")
    # What was said while nothing could be interrupted interrupts nothing later.
    process.send(b"# interrupt\nshow-win_rates\nname\n")
    assert b"LABEL" in process.until(b"GTP Variants\n\n")
