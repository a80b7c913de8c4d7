"""Shapes of 3x3 points: the table against drawn ones."""

import pytest

from gtp_variants.ai.kernel import states
from gtp_variants.rules.boards.board import rectangle

WORTHY = """
    X O X   . . .   . . .
    X O .   . . .   . . .
    X O O   X . .   . . .
    . O .   X . .   . . .
    X O .   O . .   . . .
    X O .   O . X   . . .
    . X .   O . O   . . .
    O X .   . . O   . . .
    X . .   O . .   # # #
    O X .   X . O   # # #
    . X .   . . O   # # #
    . X O   . . .   # # #
    . O X   X . O   # # #
"""
UNWORTHY = """
    . . .   . . .   . . .
    X . .   . . .   . . .
    X O .   O . .   . O .
    X X .   X . .   . . .
    O O O   . . .   . . .
    . . .   . . .   # # #
    X . #   . . #   # # #
    . X X   X . O   # # #
"""


def rows(drawing: str) -> list[str]:
    """Each line as the nine cells of its three rows, from the top."""
    return [line.replace(" ", "") for line in drawing.strip().splitlines()]


def shapes(cells: str) -> set[int]:
    """The number of a drawn shape, turned, mirrored and with the sides exchanged."""
    found = set()
    grid = [cells[0:3], cells[3:6], cells[6:9]]
    for _ in range(4):
        grid = ["".join(row[x] for row in reversed(grid)) for x in range(3)]
        for mirrored in (grid, grid[::-1]):
            around = [mirrored[1 - dy][1 + dx] for dx, dy in states.STEPS]
            for marks in (".XO#", ".OX#"):
                found.add(sum(marks.index(cell) << (2 * place) for place, cell in enumerate(around)))
    return found


@pytest.mark.parametrize("cells", rows(WORTHY))
def test_worthy_shapes(cells: str) -> None:
    table = states.shape_table()
    assert {table[shape] for shape in shapes(cells)} == {1}


@pytest.mark.parametrize("cells", rows(UNWORTHY))
def test_other_shapes(cells: str) -> None:
    table = states.shape_table()
    assert {table[shape] for shape in shapes(cells)} == {0}


def test_the_points_around_seen_from_each_other() -> None:
    board = rectangle(4, 3)
    around = states.surroundings(board)
    for point in range(len(board)):
        for place, near in enumerate(around[point]):
            assert near < 0 or around[near][7 - place] == point
        assert {near for near in around[point] if near >= 0} == {*board.neighbours[point], *board.diagonals[point]}
