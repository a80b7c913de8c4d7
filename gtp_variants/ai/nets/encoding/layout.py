"""The geometry of boards as tables for convolutions, pictures and symmetries."""

from itertools import product

from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.rules import Rules

_Step = tuple[int, int]
# On squares: the four neighbours, then the four diagonal points, as in a 3 x 3 convolution.
SQUARE_STEPS: tuple[_Step, ...] = ((0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))
# One step along each of the three lines through a hexagon; the other three steps are the opposites.
_HEX_AXES: tuple[_Step, ...] = ((1, 0), (0, 1), (1, 1))


def tap_table(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return for each point the point itself, then its neighbours by direction.

    A missing neighbour is given as the number of points. A row has 9 numbers on squares (with diagonals), 7 on hexagons
    and 4 on a honeycomb. On a honeycomb two opposite directions share a column, because a point has only one of the two
    neighbours.
    """
    off = len(board)
    if board.geometry == "rect":
        columns: list[tuple[_Step, ...]] = [(step,) for step in SQUARE_STEPS]
    else:
        columns = [(axis, (-axis[0], -axis[1])) for axis in _HEX_AXES]
        if any(
            all(board.at(x + dx, y + dy) is not None for dx, dy in pair) for x, y in board.cells for pair in columns
        ):
            # On hexagons points have neighbours in opposite directions, so each direction needs a column.
            columns = [(step,) for pair in columns for step in pair]
    table = []
    for point, (x, y) in enumerate(board.cells):
        row = [point]
        for steps in columns:
            near = [there for dx, dy in steps if (there := board.at(x + dx, y + dy)) is not None]
            row.append(near[-1] if near else off)
        table.append(tuple(row))
    return tuple(table)


def picture_cells(board: Board) -> tuple[tuple[int, int], tuple[tuple[int, int], ...]]:
    """Return the size (rows, columns) of a picture, and the (row, column) of each point; row 0 is at the top.

    On hexagons and honeycombs these are axial coordinates: rows shift by half a cell, and some cells are empty.
    """
    columns = [x for x, _ in board.cells]
    rows = [y for _, y in board.cells]
    left, top = min(columns), max(rows)
    cells = tuple((top - y, x - left) for x, y in board.cells)
    return (top - min(rows) + 1, max(columns) - left + 1), cells


def _lattice_maps(board: Board) -> list[tuple[int, int, int, int]]:
    """Return the rotations and reflections of the grid as matrices (a, b, c, d): x' = ax + by, y' = cx + dy.

    The identity is first. There are 8 matrices on squares and 12 on hexagons, whatever the shape of the board.
    """
    steps = set(SQUARE_STEPS[:4] if board.geometry == "rect" else (*_HEX_AXES, *((-x, -y) for x, y in _HEX_AXES)))
    matrices = sorted(product((1, 0, -1), repeat=4), key=lambda matrix: matrix != (1, 0, 0, 1))
    return [(a, b, c, d) for a, b, c, d in matrices if {(a * x + b * y, c * x + d * y) for x, y in steps} == steps]


def point_symmetries(rules: Rules) -> tuple[tuple[int, ...], ...]:
    """Return the permutations that `encoder.symmetries` describes, as tuples."""
    board, classes = rules.board, rules.profile.point_classes(rules)
    found: list[tuple[int, ...]] = []
    for matrix in _lattice_maps(board):
        goes_to = _permutation(board, matrix)
        if goes_to is None or goes_to in found or not _keeps(board, goes_to):
            continue
        if all(classes[point] == classes[goes_to[point]] for point in range(len(classes))):
            found.append(goes_to)
    return tuple(found)


def _permutation(board: Board, matrix: tuple[int, int, int, int]) -> tuple[int, ...] | None:
    """Return the point to which a map of the grid moves each point; None if any point would leave the board."""
    a, b, c, d = matrix
    moved = [(a * x + b * y, c * x + d * y) for x, y in board.cells]
    right = min(x for x, _ in board.cells) - min(x for x, _ in moved)
    up = min(y for _, y in board.cells) - min(y for _, y in moved)
    points = [board.at(x + right, y + up) for x, y in moved]
    return None if None in points else tuple(point for point in points if point is not None)


def _keeps(board: Board, goes_to: tuple[int, ...]) -> bool:
    """Return True if a permutation preserves neighbours, faces and runs of five."""
    near = board.neighbours
    return all({goes_to[q] for q in near[p]} == set(near[goes_to[p]]) for p in range(len(board))) and all(
        {frozenset(goes_to[p] for p in each) for each in sets} == {frozenset(each) for each in sets}
        for sets in (board.faces, board.fives)
    )
