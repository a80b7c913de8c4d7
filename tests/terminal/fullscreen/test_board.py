"""The cursor and the drawn board: every point is reached, seen and named, however small the screen."""

import pytest

from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.rules import parse
from gtp_variants.rules.boards.board import Board, column_name
from gtp_variants.terminal.fullscreen.board_drawing import BoardDrawing, Overlay, Row
from gtp_variants.terminal.fullscreen.screen_model import BoardCursor
from gtp_variants.terminal.games.scene import SceneBoard
from tests.terminal.session_lines import text_of

SPECS = "go:size=9|go:size=25|aleago|phantom|rosette:n=7|rosette:n=2|alter-igo|pentalath".split("|")
DIAGONALS = ("up-left", "up-right", "down-left", "down-right")


def board_of(spec: str) -> Board:
    return parse(spec).board


def shown_of(spec: str) -> SceneBoard:
    rules = parse(spec)
    return SceneBoard("", picture(rules, rules.start()))


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
def test_arrows_alone_reach_every_point(spec: str) -> None:
    board = board_of(spec)
    reached = {BoardCursor(board).point}
    border = list(reached)
    while border:
        point = border.pop()
        for direction in ("left", "right", "up", "down"):
            cursor = BoardCursor(board)
            cursor.go_to(point)
            cursor.move(direction)
            if cursor.point not in reached:
                reached.add(cursor.point)
                border.append(cursor.point)
    assert len(reached) == len(board)


@pytest.mark.slow
def test_steps_of_a_hexagonal_board_go_to_neighbours_or_over_a_hole(spec: str) -> None:
    board = board_of(spec)
    for point in range(len(board)):
        x, y = board.drawn_at(point)
        for direction in ("left", "right", *DIAGONALS):
            cursor = BoardCursor(board)
            cursor.go_to(point)
            if not cursor.move(direction):
                assert cursor.point == point
                continue
            to_x, to_y = board.drawn_at(cursor.point)
            assert (to_x < x) == ("left" in direction)
            assert (to_y < y) == ("up" in direction)
            assert (to_y > y) == ("down" in direction)
            if not board.faces and (board.geometry == "hex" or direction in ("left", "right")):
                assert cursor.point in board.neighbours[point]


def test_up_and_down_keep_to_their_line(spec: str) -> None:
    board = board_of(spec)
    cursor = BoardCursor(board)
    wanted = board.drawn_at(cursor.point)[0]
    while cursor.move("up"):
        near = [p for p in range(len(board)) if board.cells[p][1] == board.cells[cursor.point][1]]
        best = min(abs(board.drawn_at(p)[0] - wanted) for p in near)
        assert abs(board.drawn_at(cursor.point)[0] - wanted) == best


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(55, 22), (40, 15), (20, 8), (120, 50)])
def test_the_cursor_its_row_and_its_column_are_always_seen(spec: str, width: int, height: int) -> None:
    board, shown = board_of(spec), shown_of(spec)
    drawing = BoardDrawing(board)
    for point in [*range(0, len(board), 7), len(board) - 1, 0]:
        window = drawing.draw(shown, point, Overlay(), width, height)
        assert len(window.rows) <= height
        assert {len(row) for row in window.rows} == {width}
        row, column = window.where[point]
        assert "cursor" in window.rows[row][column][0]
        assert window.point_near(row, column) == point
        x, y = board.cells[point]
        assert lit(window.rows) >= {column_name(x), str(y + 1)}, board.vertex(point)


def lit(rows: tuple[Row, ...]) -> set[str]:
    """The labels that are lit, as words."""
    words = ("".join(letter if "label.lit" in style else " " for style, letter in row) for row in rows)
    return {word for line in words for word in line.split()}


def test_a_honeycomb_of_294_points_is_seen_whole_in_few_screens() -> None:
    spec = "rosette:n=7"
    board, drawing, seen = board_of(spec), BoardDrawing(board_of(spec)), set[int]()
    cursor = BoardCursor(board)
    for direction in ("up", "down"):
        while cursor.move(direction):
            seen |= set(drawing.draw(shown_of(spec), cursor.point, Overlay(), 55, 22).where)
    assert len(seen) == 294


def test_overlays_never_hide_a_stone() -> None:
    rules = parse("go:size=5")
    position = rules.play(rules.start(), rules.board.point("C3"))
    points = range(len(rules.board))
    overlay = Overlay(dict.fromkeys(points, "7"), dict.fromkeys(points, 0.7))
    window = BoardDrawing(rules.board).draw(SceneBoard("", picture(rules, position)), None, overlay, 30, 10)
    text = "\n".join(map(text_of, window.rows))
    assert text.count("●") == 1
    assert text.count("7") == 24


def test_dead_stones_are_marked() -> None:
    rules = parse("go:size=5")
    position = rules.play(rules.start(), rules.board.point("C3"))
    point = rules.board.point("C3")
    board = SceneBoard("", picture(rules, position), frozenset({point}))
    for is_plain, mark in ((False, "×"), (True, "x")):
        window = BoardDrawing(rules.board, is_plain).draw(board, None, Overlay(), 30, 10)
        row, column = window.where[point]
        assert window.rows[row][column][1] == mark
