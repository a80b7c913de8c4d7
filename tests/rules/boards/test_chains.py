"""Chains, liberties, eyes and areas on all kinds of board."""

import pytest

from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import Board, honeycomb, rectangle
from gtp_variants.rules.boards.chains import area, areas, breathless, chain, chains, is_eye, last_liberties, liberties
from tests.boards import setup, vertices

SQUARE = rectangle(5, 5)
DIAGRAM = """
    . X O . .
    X X O . O
    . O O O .
    O . X . .
    . X X . X
"""


def stones_of(board: Board, diagram: str) -> bytes:
    placed = setup(board, diagram)
    return bytes(placed.get(point, 0) for point in range(len(board)))


STONES = stones_of(SQUARE, DIAGRAM)


def at(vertex: str) -> int:
    return SQUARE.point(vertex)


def test_a_chain_is_a_set_of_neighbours_of_one_colour() -> None:
    """002_de0d3e2916539ccb.txt: "un ensemble d'un ou plusieurs pions de même couleur voisines de proche en proche"."""
    assert vertices(SQUARE, chain(SQUARE, STONES, at("B5"))) == "A4 B4 B5"
    assert chain(SQUARE, STONES, at("B5"))[0] == at("B5")
    assert vertices(SQUARE, chain(SQUARE, STONES, at("E5"))) == "D4 D5 E5"
    assert len(chains(SQUARE, STONES)) == 6


def test_liberties_are_empty_neighbours() -> None:
    """002_de0d3e2916539ccb.txt: "Les libertés d'une chaîne sont les intersections inoccupées voisines"."""
    members = chain(SQUARE, STONES, at("B5"))
    assert vertices(SQUARE, liberties(SQUARE, STONES, members)) == "A3 A5"
    assert breathless(SQUARE, STONES, at("B5")) is None


def test_the_last_liberties_of_either_side() -> None:
    """002_de0d3e2916539ccb.txt: "Lorsqu'une chaîne n'a plus qu'une liberté, on dit qu'elle est en atari"."""
    diagram = """
        . X O . .
        . O . . .
        X O O . .
        O O . . .
        . X . . X
    """
    stones = stones_of(SQUARE, diagram)
    assert vertices(SQUARE, last_liberties(SQUARE, stones, spared=WHITE)) == "A4 A5"
    assert vertices(SQUARE, last_liberties(SQUARE, stones, spared=BLACK)) == ""


def test_a_chain_without_a_liberty_is_found_whole() -> None:
    stones = stones_of(rectangle(3, 3), "X X O\nO X O\nO O .")
    assert sorted(breathless(rectangle(3, 3), stones, 7) or ()) == [4, 6, 7]


def test_areas_add_up_to_the_board() -> None:
    owned = areas(SQUARE, STONES)
    assert sorted(point for points in owned for point in points) == list(range(25))
    assert area(SQUARE, STONES) == [len(points) for points in owned]
    assert vertices(SQUARE, owned[BLACK]) == "A4 A5 B1 B4 B5 C1 C2 E1"


@pytest.mark.parametrize(
    ("diagram", "vertex", "expected"),
    [
        ("X . X . .\nX X X . .\n. . . . .\n. . . . .\n. . . . .", "B5", True),
        ("X . X . .\nO X X . .\n. . . . .\n. . . . .\n. . . . .", "B5", False),
        (". . . . .\n. . X . .\n. X . X .\n. . X . .\n. . . . .", "C3", True),
        (". . . . .\n. O X . .\n. X . X .\n. . X . .\n. . . . .", "C3", True),
        (". . . . .\n. O X . .\n. X . X .\n. . X O .\n. . . . .", "C3", False),
        (". . . . .\n. . X . .\n. X . O .\n. . X . .\n. . . . .", "C3", False),
        (". . . . .\n. . X . .\n. X X X .\n. . X . .\n. . . . .", "C3", False),
        (". X . . .\nX . . . .\n. . . . .\n. . . . .\n. . . . .", "A5", True),
        (". X . . .\nX O . . .\n. . . . .\n. . . . .\n. . . . .", "A5", False),
    ],
)
def test_eyes_on_squares(diagram: str, vertex: str, expected: bool) -> None:
    assert is_eye(SQUARE, stones_of(SQUARE, diagram), at(vertex), BLACK) == expected


def test_eyes_on_a_honeycomb() -> None:
    board = honeycomb(2)
    both = [board.point(vertex) for vertex in ("E7", "F6")]
    stones = bytearray(len(board))
    for point in both:
        stones[point] = BLACK
    eye = board.point("F7")
    assert is_eye(board, stones, eye, BLACK)
    assert not is_eye(board, stones, eye, WHITE)
    # If this is the chain's only liberty, the chain is in atari and the point is not an eye.
    stones[board.point("D6")] = WHITE
    assert not is_eye(board, stones, eye, BLACK)
