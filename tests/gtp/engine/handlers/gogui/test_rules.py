"""GoGui as host: formats, layouts and the two roles of its processes (gtp.md 5)."""

import json
import re

import pytest

from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.traits import faces_of
from tests.gtp.talk import Talk

SQUARE = ["go:size=5", "go", "aleago", "aleago:size=19", "aleago:size=9", "phantom", "alter-igo", "alter-igo:size=25"]
HEX = ["rosette:n=1", "rosette:n=2", "rosette", "rosette:n=13", "pentalath", "pentalath:board=hexhex5"]
IDS = {"go": "Go", "aleago": "Aleago", "phantom": "Phantom", "alter-igo": "Alterigo", "rosette": "Rosette"}
GFX = re.compile(
    r"(COLOR #[0-9a-f]{6}( [A-Z]+[0-9]+)+|(MARK|SQUARE|CIRCLE|TRIANGLE|BLACK|WHITE)( [A-Z]+[0-9]+)+"
    r"|LABEL( [A-Z]+[0-9]+ [0-9]{1,3})+)"
)


def rows(talk: Talk) -> list[str]:
    """The board as GoGui reads it: rows from the top, every character that is none of its four skipped."""
    return ["".join(mark for mark in row if mark in "XO.?") for row in talk("gogui-rules_board").strip().split("\n")]


def cells(talk: Talk) -> dict[str, str]:
    """Return the content of each cell by vertex."""
    board = rows(talk)
    found = {}
    for row, marks in enumerate(board):
        for x, mark in enumerate(marks):
            letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
            column = letters[x] if x < 25 else letters[x // 25 - 1] + letters[x % 25]
            found[f"{column}{len(board) - row}"] = mark
    return found


def coloured(talk: Talk) -> dict[str, str]:
    """Which cells are coloured, and how."""
    found = {}
    for line in talk("gogui-rules_board_gfx").split("\n"):
        assert line == "" or GFX.fullmatch(line), line
        words = line.split()
        if words[:1] == ["COLOR"]:
            found.update(dict.fromkeys(words[2:], words[1]))
    return found


def marked(talk: Talk, kind: str) -> list[str]:
    """The points of a kind of mark."""
    return [
        word for line in talk("gogui-rules_board_gfx").split("\n") if line.startswith(kind) for word in line.split()[1:]
    ]


@pytest.mark.parametrize("spec", SQUARE + HEX)
def test_ids_and_sizes(spec: str) -> None:
    talk = Talk(spec)
    game = spec.partition(":")[0]
    assert talk("gogui-rules_game_id") == IDS.get(game, "Pentalath")
    size = talk("gogui-rules_board_size")
    width = talk.session.rules.board.width
    assert size == (f"{width} hex" if spec in HEX else f"{width}")
    assert talk("gogui-rules_side_to_move").startswith("w" if game == "pentalath" else "b")
    assert talk("gogui-rules_captured_count") == "0 0"
    assert talk("gogui-rules_final_result") == ""
    assert talk("gogui-title")


@pytest.mark.parametrize("spec", SQUARE)
def test_square_boards(spec: str) -> None:
    talk = Talk(spec)
    size = int(talk("gogui-rules_board_size"))
    assert rows(talk) == ["." * size] * size


@pytest.mark.parametrize("spec", HEX)
def test_hexagonal_boards_lie_in_a_square_and_holes_are_symmetric(spec: str) -> None:
    talk = Talk(spec)
    size = int(talk("gogui-rules_board_size").split()[0])
    board = rows(talk)
    assert [len(row) for row in board] == [size] * size
    upward = board[::-1]
    for y in range(size):
        for x in range(size):
            assert (upward[y][x] == "?") == (upward[x][y] == "?")
    marks = cells(talk)
    points = set(talk("variant-legal_moves").split()) - {"pass"}
    dark = coloured(talk)
    # Every cell is a point, or drawn and darkened, or a hole.
    assert {vertex for vertex, mark in marks.items() if mark != "?"} == points | set(dark)
    assert not points & set(dark)
    assert len(set(dark.values())) <= 1
    assert "?" not in {marks[vertex] for vertex in dark}


def test_the_layouts_that_gogui_was_seen_to_show() -> None:
    talk = Talk("pentalath")
    marks, dark = cells(talk), coloured(talk)
    assert len([mark for mark in marks.values() if mark == "."]) == 127
    assert len(dark) == 57
    assert {int(re.sub("[A-Z]", "", vertex)) for vertex in dark} == set(range(8, 14))
    talk = Talk("rosette")
    marks, dark = cells(talk), coloured(talk)
    assert len(dark) == 127
    assert len([mark for mark in marks.values() if mark == "."]) == 127 + 294
    assert "O14" in dark


LONG = ("rosette:n=13", "alter-igo:size=25", "aleago:size=19", "go")


@pytest.mark.slow
@pytest.mark.parametrize("spec", [spec for spec in [*SQUARE, *HEX] if spec not in LONG])
def test_formats_hold_through_a_game_and_nothing_listed_fails(spec: str) -> None:
    talk = Talk(spec, seed="gogui")
    for number in range(60):
        words = talk("gogui-rules_legal_moves").split()
        marks = cells(talk)
        assert set(marks.values()) <= set("XO.?")
        for line in talk("gogui-rules_board_gfx").split("\n"):
            assert line == "" or GFX.fullmatch(line), line
            if line.startswith("LABEL"):
                assert all(marks[vertex] != "?" for vertex in line.split()[1::2])
            else:
                assert all(marks[vertex] != "?" for vertex in line.split()[1:] if not vertex.startswith("#"))
        assert re.fullmatch(r"[0-9]+ [0-9]+", talk("gogui-rules_captured_count"))
        side = talk("gogui-rules_side_to_move")
        assert side in ("black", "white")
        assert (talk("gogui-rules_final_result") == "") == (not talk.state()["over"])
        if not words:
            assert talk.state()["over"]
            break
        assert all(re.fullmatch(r"[A-Z]{1,2}[0-9]+|pass", word) for word in words)
        before = talk.state()
        assert {v: m for v, m in marks.items() if m in "XO"} == {
            v: {"b": "X", "w": "O"}[c] for v, c in before["stones"].items()
        }
        for word in words if number % 10 == 0 else words[:: max(1, len(words) // 5)]:
            assert marks.get(word, ".") == "."
            talk(f"play {side} {word}")
            talk("undo")
        assert talk.state() == before
        talk(f"genmove {side}")


def test_captures_are_counted_by_taker_and_marked() -> None:
    talk = Talk("alter-igo:size=3")
    talk.plays("b:A1 w:B1 b:C3 w:A2")
    assert talk("gogui-rules_captured_count") == "0 1"
    assert marked(talk, "MARK") == ["A1"]
    assert talk("gogui-rules_side_to_move") == "black"
    talk("play b A1")
    assert "A1" in marked(talk, "MARK")


def test_the_five_and_immune_rosettes_are_marked() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A2 w:B1 b:B2 w:C1 b:C2 w:D1 b:D2 w:E1")
    assert talk("gogui-rules_legal_moves") == ""
    assert "White" in talk("gogui-rules_final_result")
    gfx = talk("gogui-rules_board_gfx")
    five = {"A1", "B1", "C1", "D1", "E1"}
    assert any(five <= set(line.split()) for line in gfx.split("\n"))
    talk = Talk("rosette:n=2")
    points = json.loads(talk("variant-describe"))["faces"][0]
    for point in points:
        talk(f"play b {point}")
    assert any(set(points) <= set(line.split()) for line in talk("gogui-rules_board_gfx").split("\n"))


def test_the_die_is_a_label_and_the_open_line_a_colour() -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b 3")
    lines = talk("gogui-rules_board_gfx").split("\n")
    label = next(line.split()[1:] for line in lines if line.startswith("LABEL"))
    assert set(label[1::2]) == {"3"}
    assert set(label[::2]) <= set(talk("aleago-open").split())
    assert set(coloured(talk)) == set(talk("aleago-open").split())
    talk.does("play b C3/aleago-draw w free")
    assert not coloured(talk)


# -- who cannot be a host's game ---------------------------------------------------------------------------------------

RULES = "game_id board_size board board_gfx legal_moves side_to_move captured_count final_result".split()


@pytest.mark.parametrize("command", RULES)
def test_three_players_are_no_game_for_two(command: str) -> None:
    assert Talk("pentalath:players=3").fails(f"gogui-rules_{command}") == "not a game for two"


def test_a_board_that_is_no_square_has_no_size_for_gogui() -> None:
    Talk("alter-igo:width=5,height=4").fails("gogui-rules_board_size")


# -- a process that was asked for the game's id ------------------------------------------------------------------------


def test_komi_has_no_effect_once_the_id_was_asked() -> None:
    talk = Talk("aleago:size=9")
    talk.does("komi 0.5/gogui-rules_game_id")
    assert talk("komi 6.5") == ""
    assert "komi=0.5," in talk("variant-get")
    assert talk.fails("komi x").startswith("syntax error: ")
    talk.does("variant-set go:size=5/komi 6.5")
    assert "komi=6.5," in talk("variant-get")
    talk.does("gogui-rules_game_id/komi 5.5")
    assert "komi=5.5," in talk("variant-get")


def test_a_stone_off_the_line_is_taken_as_the_hosts_word() -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b 1")
    assert talk.reason("play b D4") == "line"
    talk.does("gogui-rules_game_id/play b D4/undo/aleago-draw b 1/play b E5")
    assert talk.state()["stones"] == {"E5": "b"}
    assert talk.reason("play w E5") == "occupied"
    assert talk.reason("play w Z9") == "off board"
    for number, vertex in enumerate(["A1", "B2", "C3", "D4", "J9", "H8", "G7", "F6"]):
        colour = "wb"[number % 2]
        for face in (1, 2, 3, 4):
            talk(f"aleago-draw {colour} {face}")
            talk(f"play {colour} {vertex}")
            talk("undo")
        talk(f"play {colour} {vertex}")
    assert talk.state()["move_number"] == 9


def test_the_draw_is_then_one_that_opens_the_stones_line() -> None:
    talk = Talk("aleago:size=9,crystal_ball=true")
    talk.does("gogui-rules_game_id/aleago-draw b 1/play b C3")
    game = talk.session.table.game
    before = next(
        position for position, event in zip(game.positions, game.events, strict=False) if event.actor == BLACK
    )
    assert faces_of(game.rules, before, before.draws[0]) == (3,)


@pytest.mark.parametrize("ask", ["gogui-rules_game_id", "name"])
def test_a_line_that_the_host_overruled_comes_back_as_thrown(ask: str) -> None:
    """Another process of the window, which replays the shorter game, knows nothing of the stone that was undone."""
    talk = Talk("aleago:size=9")
    talk(ask)
    thrown = talk("aleago-draw")
    vertex = "E5" if thrown != "b 4" else "A1"
    if ask == "name":
        assert talk.reason(f"play b {vertex}") == "line"
    else:
        talk(f"play b {vertex}")
        talk("undo")
    assert talk("aleago-draw") == thrown


def test_a_sequence_that_fails_leaves_no_word_of_the_host_behind() -> None:
    talk = Talk("aleago:size=9")
    talk("gogui-rules_game_id")
    before = talk.snapshot()
    talk.fails("gogui-play_sequence b E5 w A1 b B2 w B2")
    assert talk.snapshot() == before


# -- a ruler -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", ["gogui-rules_legal_moves", "gogui-rules_board"])
def test_in_a_ruler_a_refused_try_succeeds_and_keeps_the_turn(ask: str) -> None:
    talk = Talk("phantom:size=5")
    talk("play b C3")
    assert talk.fails("play w C3") == "impossible move"
    talk(ask)
    before = rows(talk)
    assert talk("play w C3") == ""
    assert rows(talk) == before
    assert talk("gogui-rules_side_to_move") == "white"
    talk.plays("w:C3 w:D4 b:E5")
    assert talk.state()["stones"] == {"C3": "b", "D4": "w", "E5": "b"}
    assert talk("phantom-announcements all").count("impossible move") == 3


def test_asking_for_the_id_alone_makes_no_ruler() -> None:
    talk = Talk("phantom:size=5")
    talk.does("gogui-rules_game_id/gogui-rules_board_size/gogui-title/play b C3")
    assert talk.fails("play w C3") == "impossible move"


@pytest.mark.parametrize("view", [BLACK, WHITE])
def test_a_ruler_with_a_view_shows_what_that_player_knows(view: int) -> None:
    talk = Talk("phantom:size=5", view=view)
    talk("gogui-rules_board")
    talk.plays("b:C3 w:D4 b:C4")
    own = {BLACK: {"C3": "X", "C4": "X"}, WHITE: {"D4": "O"}}[view]
    assert {vertex: mark for vertex, mark in cells(talk).items() if mark != "."} == own
    legal = talk("gogui-rules_legal_moves").split()
    assert len(legal) == 25 - len(own) + 1
    assert not set(legal) & set(own)
    # Every point that may be tried can be played.
    for word in legal:
        talk(f"play w {word}")
        if talk("gogui-rules_side_to_move") == "black":
            talk("undo")
    # After two passes it may go on, so nothing is shown yet.
    talk.plays("b:pass w:pass")
    assert {vertex: mark for vertex, mark in cells(talk).items() if mark != "."} == own
    assert talk("gogui-rules_legal_moves") != ""
    assert talk("gogui-rules_final_result") == "The game is suspended by passes"
    talk.plays("b:pass")
    assert talk("gogui-rules_final_result").startswith("White wins")
    assert {vertex: mark for vertex, mark in cells(talk).items() if mark != "."} == {"C3": "X", "C4": "X", "D4": "O"}
    assert talk("gogui-rules_legal_moves") == ""


@pytest.mark.parametrize(("view", "mark"), [(BLACK, "MARK A1\nCIRCLE B1"), (WHITE, ""), (None, "MARK A1\nCIRCLE B1")])
def test_a_ruler_marks_what_was_taken_and_refused_only_where_it_is_shown(view: int | None, mark: str) -> None:
    talk = Talk("phantom:size=5,captures=owner", view=view)
    for move in ("b A1", "w A2", "b C3", "w B1", "b B1"):
        talk("gogui-rules_board")
        talk(f"play {move}")
    assert talk("gogui-rules_board_gfx") == mark


def test_a_ruler_without_a_view_shows_the_referees_board() -> None:
    talk = Talk("phantom:size=5")
    talk("gogui-rules_board")
    talk.plays("b:C3 w:D4")
    assert {vertex: mark for vertex, mark in cells(talk).items() if mark != "."} == {"C3": "X", "D4": "O"}


def test_a_view_makes_no_difference_where_nothing_is_hidden() -> None:
    talk = Talk("alter-igo:size=4", view=BLACK)
    talk.plays("b:A1 w:B2")
    assert cells(talk)["B2"] == "O"
    assert set(talk("gogui-rules_legal_moves").split()) == set(talk.state()["legal"])


def test_a_ruler_marks_what_each_side_would_get_as_long_as_the_end_is_provisional() -> None:
    talk = Talk("go:size=3")
    talk.plays("b:B1 b:B2 b:B3 w:pass b:pass")
    assert talk("gogui-rules_board_gfx") == "BLACK A1 A2 A3 C1 C2 C3"
    talk.plays("w:C2")
    assert "BLACK" not in talk("gogui-rules_board_gfx")


def test_a_bot_that_suspends_the_game_tells_it_in_the_status_bar(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("rosette:n=1,komi=0", bot="greedy")
    talk("gogui-rules_game_id")
    first, second = "bw" if talk.state()["to_play"] == "b" else "wb"
    talk.plays(f"{first}:pass")
    while talk(f"genmove {second}") != "pass":
        talk.plays(f"{first}:pass")
    assert "gogui-gfx: TEXT the game is suspended by passes" in capsys.readouterr().err


def test_a_persons_suspending_pass_is_announced_in_the_ruler_too(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("rosette:n=1,komi=0", bot="greedy")
    talk.plays("b:pass w:pass")
    assert "gogui-gfx" not in capsys.readouterr().err
    talk("clear_board")
    talk("gogui-rules_game_id")
    first, second = "bw" if talk.state()["to_play"] == "b" else "wb"
    talk.plays(f"{first}:pass {second}:pass")
    assert capsys.readouterr().err.count("gogui-gfx: TEXT the game is suspended by passes") == 1
