"""The boards: their numbers of points, edges, faces and fives, adjacency, and the names of points."""

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS, SWAP
from gtp_variants.rules.boards.board import (
    Board,
    column_name,
    hexhex5,
    honeycomb,
    honeycomb_centres,
    read_vertex,
    rectangle,
    rings,
    trapezoid,
)
from tests.boards import picture, setup

BOARDS = [
    rectangle(1, 1),
    rectangle(1, 3),
    rectangle(9, 9),
    rectangle(5, 8),
    rectangle(25, 25),
    *(honeycomb(n) for n in range(1, 10)),
    trapezoid(),
    hexhex5(),
]


def degrees(board: Board) -> dict[int, int]:
    return dict(Counter(len(near) for near in board.neighbours))


def named(board: Board) -> str:
    return f"{board.geometry}-{board.width}x{board.height}-{len(board)}"


# -- what holds on every board -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS, ids=named)
def test_neighbours_are_mutual_and_in_order(board: Board) -> None:
    for point, near in enumerate(board.neighbours):
        assert list(near) == sorted(set(near))
        assert point not in near
        assert all(point in board.neighbours[other] for other in near)


@pytest.mark.parametrize("board", BOARDS, ids=named)
def test_points_are_numbered_row_by_row_from_the_bottom_and_listed_by_column(board: Board) -> None:
    """gtp.md 2: "Lists of vertices are in order of column, then row"."""
    assert list(board.cells) == sorted(board.cells, key=lambda cell: (cell[1], cell[0]))
    assert [board.cells[point] for point in board.order] == sorted(board.cells)
    assert board.in_order(range(len(board))) == list(board.order)


@pytest.mark.parametrize("board", BOARDS, ids=named)
def test_every_vertex_names_its_point(board: Board) -> None:
    assert len(set(board.vertices)) == len(board)
    for point in range(len(board)):
        assert board.point(board.vertex(point)) == point
        assert board.point(board.vertex(point).lower()) == point
        assert board.at(*board.cells[point]) == point


@pytest.mark.parametrize("board", BOARDS, ids=named)
def test_rows_are_those_of_the_grid_from_the_top_left(board: Board) -> None:
    rows = board.rows()
    assert (len(rows), {len(row) for row in rows}) == (board.height, {board.width})
    places = {point: (x, y) for y, row in enumerate(rows) for x, point in enumerate(row) if point is not None}
    assert places == {point: (x, board.height - 1 - y) for point, (x, y) in enumerate(board.cells)}


def test_rows_have_nothing_where_there_is_no_point() -> None:
    assert rectangle(2, 3).rows() == [[4, 5], [2, 3], [0, 1]]
    # There are six points around the only hexagon, and none in its centre.
    assert [[point is not None for point in row] for row in honeycomb(1).rows()][1] == [True, False, True]


@pytest.mark.parametrize("board", BOARDS, ids=named)
def test_neighbours_are_drawn_at_distance_one_and_others_further(board: Board) -> None:
    for point in range(len(board)):
        for other in range(len(board)):
            distance = math.dist(board.drawn_at(point), board.drawn_at(other))
            assert (abs(distance - 1) < 1e-9) == (other in board.neighbours[point])


@pytest.mark.parametrize("board", BOARDS, ids=named)
def test_a_diagram_reads_back(board: Board) -> None:
    stones = bytes(point % 4 for point in range(len(board)))
    assert setup(board, picture(board, stones)) == {p: c for p, c in enumerate(stones) if c}


# -- squares -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (9, [32, 24, 16, 8, 1]),
        (13, [48, 40, 32, 24, 16, 8, 1]),
        (19, [72, 64, 56, 48, 40, 32, 24, 16, 8, 1]),
        (8, [28, 20, 12, 4]),
        (2, [4]),
        (1, [1]),
    ],
)
def test_lines_are_concentric_squares(size: int, expected: list[int]) -> None:
    """rules.md 1.1.1; 000_b028ddfe0fa096f3.txt, "carrés concentriques, jusqu'à se réduire au tengen"."""
    counted = Counter(rings(size))
    assert [counted[line] for line in sorted(counted)] == expected
    assert sorted(counted) == list(range(1, math.ceil(size / 2) + 1))


def test_lines_of_the_13_by_13_goban_as_the_source_draws_them() -> None:
    """000_b028ddfe0fa096f3.txt, the diagram after "Tirage de la ligne", in which the centre has no number."""
    source = """
        1 1 1 1 1 1 1 1 1 1 1 1 1
        1 2 2 2 2 2 2 2 2 2 2 2 1
        1 2 3 3 3 3 3 3 3 3 3 2 1
        1 2 3 4 4 4 4 4 4 4 3 2 1
        1 2 3 4 5 5 5 5 5 4 3 2 1
        1 2 3 4 5 6 6 6 5 4 3 2 1
        1 2 3 4 5 6 7 6 5 4 3 2 1
        1 2 3 4 5 6 6 6 5 4 3 2 1
        1 2 3 4 5 5 5 5 5 4 3 2 1
        1 2 3 4 4 4 4 4 4 4 3 2 1
        1 2 3 3 3 3 3 3 3 3 3 2 1
        1 2 2 2 2 2 2 2 2 2 2 2 1
        1 1 1 1 1 1 1 1 1 1 1 1 1
    """
    assert list(rings(13)) == [int(number) for number in source.split()]


def test_rings_need_a_board() -> None:
    with pytest.raises(ValueError, match="size 0"):
        rings(0)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 7), (3, 2), (9, 9), (25, 1)])
def test_a_rectangle_has_the_edges_of_a_grid(width: int, height: int) -> None:
    board = rectangle(width, height)
    assert len(board) == width * height
    assert len(board.edges()) == width * (height - 1) + height * (width - 1)
    assert board.vertex(0) == "A1"


# -- honeycomb ---------------------------------------------------------------------------------------------------------


def test_rosette_has_294_intersections() -> None:
    """rules.md 3.1; 002_de0d3e2916539ccb.txt, "formant 294 intersections"."""
    board = parse("rosette").board
    assert (len(board), len(board.edges()), len(board.faces)) == (294, 420, 127)
    assert degrees(board) == {2: 42, 3: 252}
    assert (board.width, board.height) == (27, 27)


@pytest.mark.parametrize("n", range(1, 10))
def test_honeycomb_formulae(n: int) -> None:
    """rules.md 3.1: 6n² points, 9n² - 3n edges, 3n(n-1)+1 hexagons; 6n of degree 2, the others of degree 3."""
    board = honeycomb(n)
    assert len(board) == 6 * n * n
    assert len(board.edges()) == 9 * n * n - 3 * n
    assert len(board.faces) == 3 * n * (n - 1) + 1
    assert len(board) - len(board.edges()) + len(board.faces) == 1
    assert degrees(board) == {2: 6 * n, 3: 6 * n * n - 6 * n} if n > 1 else {2: 6}
    assert (board.width, board.height) == (4 * n - 1, 4 * n - 1)


@pytest.mark.parametrize("n", range(1, 10))
def test_every_face_is_a_ring_of_six(n: int) -> None:
    """rules.md 3.1: "The six cells around a centre are that hexagon's vertices"."""
    board = honeycomb(n)
    for face in board.faces:
        assert len(set(face)) == 6
        assert all(sum(near in face for near in board.neighbours[point]) == 2 for point in face)
    on_faces = Counter(point for face in board.faces for point in face)
    # Every point is on as many hexagons as lines meet there; on the rim, on one fewer.
    rim = [point for point in range(len(board)) if on_faces[point] < 3]
    assert len([point for point in rim if len(board.neighbours[point]) == 3]) == 6 * (n - 1)
    assert len([point for point in rim if len(board.neighbours[point]) == 2]) == 6 * n


def test_a_mindsports_edge_has_six_points_with_three_liberties_and_seven_with_two() -> None:
    """rules.md 3.4, "Rim detail": 36 rim points of degree 3 and 42 of degree 2 make 6 edges of 6 and 7."""
    board = honeycomb(7)
    on_faces = Counter(point for face in board.faces for point in face)
    assert Counter(len(board.neighbours[p]) for p in range(len(board)) if on_faces[p] < 3) == {2: 42, 3: 36}


@pytest.mark.parametrize("n", range(1, 8))
def test_honeycomb_is_that_of_hexagons_drawn_on_paper(n: int) -> None:
    """rules.md 3.1, checked with plane geometry: hexagons of side 1 within n - 1 steps of the middle one."""
    corners: dict[tuple[int, int], set[int]] = {}
    hexagons = 0
    for a in range(1 - n, n):
        for b in range(1 - n, n):
            if abs(a + b) >= n:
                continue
            hexagons += 1
            middle = (1.5 * a, math.sqrt(3) * (a / 2 + b))
            for turn in range(6):
                px = middle[0] + math.cos(turn * math.pi / 3)
                py = middle[1] + math.sin(turn * math.pi / 3)
                y = round(py / (math.sqrt(3) / 2))
                x = round(px + y / 2)
                corners.setdefault((x + 2 * n - 1, y + 2 * n - 1), set()).add(hexagons)
    board = honeycomb(n)
    assert set(board.cells) == set(corners)
    faces: dict[int, set[tuple[int, int]]] = {}
    for cell, around in corners.items():
        for hexagon in around:
            faces.setdefault(hexagon, set()).add(cell)
    assert {frozenset(board.cells[p] for p in face) for face in board.faces} == {
        frozenset(face) for face in faces.values()
    }


def test_rosette_vertices_run_from_a7_to_ab21() -> None:
    """rules.md 3.1: "letter column without I, going on with AA, AB after Z; number = y+1): A7 to AB21"."""
    board = honeycomb(7)
    by_column = [board.vertex(point) for point in board.order]
    assert by_column[0] == "A7"
    assert by_column[-1] == "AB21"
    assert not any("I" in vertex for vertex in by_column)
    assert board.cells[board.point("A7")] == (0, 6)
    assert board.cells[board.point("AB21")] == (26, 20)


def test_the_centres_of_hexagons_are_no_points() -> None:
    board = honeycomb(7)
    centres = honeycomb_centres(board)
    assert len(centres) == 127
    assert (13, 13) in centres
    assert all(board.at(x, y) is None for x, y in centres)
    with pytest.raises(IllegalMove) as caught:
        board.point("O14")
    assert caught.value.reason == "off board"


# -- hexagons ----------------------------------------------------------------------------------------------------------


def test_trapezoid_has_rows_of_seven_to_thirteen() -> None:
    """rules.md 5.1; 004_245878c87de04f55.txt, "seven cells on the short sides, giving a total of 70 cells"."""
    board = trapezoid()
    assert len(board) == 70
    assert [sum(1 for _, y in board.cells if y == row) for row in range(13)] == [7, 8, 9, 10, 11, 12, 13, *[0] * 6]
    assert len(board.edges()) == 177
    assert degrees(board) == {6: 40, 4: 26, 3: 2, 2: 2}


def test_corners_of_the_trapezoid() -> None:
    """rules.md 5.1.2; 004_245878c87de04f55.txt, "two types of corners: obtuse and acute"."""
    board = trapezoid()
    of_degree = {
        degree: {board.vertex(p) for p, near in enumerate(board.neighbours) if len(near) == degree} for degree in (2, 3)
    }
    assert of_degree == {2: {"A7", "N7"}, 3: {"A1", "G1"}}


@pytest.mark.parametrize(
    ("vertex", "neighbours"),
    [
        ("A1", "A2 B1 B2"),
        ("G1", "F1 G2 H2"),
        ("A7", "A6 B7"),
        ("N7", "M6 M7"),
        ("D4", "C3 C4 D3 D5 E4 E5"),
    ],
)
def test_neighbours_on_the_trapezoid(vertex: str, neighbours: str) -> None:
    """rules.md 5.1.2: "neighbours of a cell (x,y) are (x+-1,y), (x,y+-1), (x+1,y+1), (x-1,y-1)"."""
    board = trapezoid()
    near = board.in_order(board.neighbours[board.point(vertex)])
    assert " ".join(board.vertex(point) for point in near) == neighbours


def test_hexhex5_is_the_board_of_yavalath() -> None:
    """rules.md 5.1: 61 cells, "all cells with |x-y| <= 4" on a 9 x 9 grid."""
    board = hexhex5()
    assert len(board) == 61
    assert len(board.edges()) == 156
    assert degrees(board) == {3: 6, 4: 18, 6: 37}
    assert all(abs(x - y) <= 4 for x, y in board.cells)
    assert (board.width, board.height) == (9, 9)


@pytest.mark.parametrize(("board", "expected"), [(trapezoid(), 90), (hexhex5(), 75)], ids=["trapezoid", "hexhex5"])
def test_lines_of_five(board: Board, expected: int) -> None:
    """rules.md 5.1.2: "90 lines of five on the trapezoid, 75 on hexhex5"."""
    assert len(board.fives) == len(set(map(frozenset, board.fives))) == expected
    for five in board.fives:
        cells = [board.cells[point] for point in five]
        steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)}
        assert len(five) == 5
        assert len(steps) == 1
        assert steps <= {(1, 0), (0, 1), (1, 1)}


@pytest.mark.parametrize("board", [trapezoid(), hexhex5()], ids=["trapezoid", "hexhex5"])
def test_adjacent_cells_have_a_common_neighbour(board: Board) -> None:
    """rules.md 5.2: "any two adjacent cells have a common neighbour on both boards (machine-checked, minimum 1)"."""
    shared = [len(set(board.neighbours[p]) & set(board.neighbours[q])) for p, q in board.edges()]
    assert min(shared) == 1
    assert max(shared) == 2


# -- names -------------------------------------------------------------------------------------------------------------


def test_columns_have_no_letter_i() -> None:
    """gtp.md 2: "A..Z without I, then AA, AB, ... (no I there either)"."""
    names = [column_name(x) for x in range(25 + 25 * 25)]
    assert names[:10] == list("ABCDEFGHJK")
    assert names[23:27] == ["Y", "Z", "AA", "AB"]
    assert names[33] == "AJ"
    assert names[49:51] == ["AZ", "BA"]
    assert names[-1] == "ZZ"
    assert len(set(names)) == len(names)
    assert not any("I" in name for name in names)


@pytest.mark.parametrize("x", [0, 7, 8, 24, 25, 49, 50, 649, 650])
def test_a_column_reads_back(x: int) -> None:
    assert read_vertex(f"{column_name(x)}12") == (x, 11)
    assert read_vertex(f"{column_name(x).lower()}12") == (x, 11)


@pytest.mark.parametrize(
    "word",
    [
        "",
        "A",
        "7",
        "I9",
        "i9",
        "AI3",
        "7A",
        "A-1",
        "A1.5",
        "A 1",
        " A1",
        "A1 ",
        "A0",
        "A00",
        "Á1",
        "A١",
        "A1\n",
        "pass",
    ],
)
def test_other_words_are_not_read_as_vertices(word: str) -> None:
    """gtp.md 3: "`invalid colour or vertex` only for what cannot be read"."""
    with pytest.raises(NotationError, match="invalid colour or vertex"):
        rectangle(9, 9).point(word)


@pytest.mark.parametrize("given", [None, 5, b"A1"])
def test_only_text_is_read_as_a_vertex(given: Any) -> None:
    with pytest.raises(NotationError, match=r"invalid colour or vertex: .* \(a vertex is like D4\)"):
        rectangle(9, 9).point(given)


@pytest.mark.parametrize("word", ["K1", "A10", "AA1", "ZZZZ99", "A" * 400 + "1", "A" + "9" * 5000])
def test_a_vertex_off_the_board_is_read_and_refused(word: str) -> None:
    """gtp.md 3: "`off board`: a vertex that can be read but is no point of this board, however far outside"."""
    with pytest.raises(IllegalMove) as caught:
        rectangle(9, 9).point(word)
    assert caught.value.reason == "off board"


@pytest.mark.parametrize(
    ("spec", "vertex"),
    [
        ("pentalath", "H1"),
        ("pentalath", "A8"),
        ("pentalath:board=hexhex5", "A6"),
        ("rosette", "A1"),
        ("rosette", "AB22"),
    ],
)
def test_a_cell_of_the_grid_that_is_no_point_is_off_board(spec: str, vertex: str) -> None:
    """gtp.md 2: "Rosette and Pentalath use the cells that rules.md 3.1 and 5.1 name"."""
    rules = parse(spec)
    with pytest.raises(IllegalMove) as caught:
        rules.board.point(vertex)
    assert caught.value.reason == "off board"


@pytest.mark.parametrize("action", [PASS, SWAP, 81, 10**20])
def test_an_action_that_is_no_point_has_no_vertex(action: int) -> None:
    with pytest.raises(NotationError, match=f"^{action} is not a point of this board: expected 0 to 80$"):
        rectangle(9, 9).vertex(action)


def test_a_row_may_be_written_with_zeros_in_front() -> None:
    assert rectangle(9, 9).point("A007") == rectangle(9, 9).point("A7")
