"""The symmetries of a game's board: permutations of its points under which nothing changes but where things lie."""

import numpy as np
from numpy.typing import NDArray

from gtp_variants.nets.encoding.layout import lattice_maps
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.rules import Rules


def symmetries(rules: Rules) -> NDArray[np.int32]:
    """Where each point goes under each symmetry that rules, draws and encoder respect; the first is the identity.

    Shape (S, points): 8 rows on a square board, up to 12 on hexagons, fewer where the shape of the board, its runs of
    five or the lines that dice name allow no more. `moved[:, symmetries[s]] = planes` moves planes along.

    >>> import gtp_variants as gv
    >>> gv.symmetries(gv.parse("go:size=9")).shape
    (8, 81)
    >>> gv.symmetries(gv.parse("pentalath")).shape
    (2, 70)
    >>> gv.symmetries(gv.parse("rosette:n=3"))[0][:4].tolist()
    [0, 1, 2, 3]
    """
    board, classes = rules.board, rules.point_classes
    found: list[tuple[int, ...]] = []
    for matrix in lattice_maps(board):
        goes_to = _permutation(board, matrix)
        if goes_to is None or goes_to in found or not _keeps(board, goes_to):
            continue
        if all(classes[point] == classes[goes_to[point]] for point in range(len(classes))):
            found.append(goes_to)
    return np.array(found, np.int32)


def _permutation(board: Board, matrix: tuple[int, int, int, int]) -> tuple[int, ...] | None:
    """Where each point goes under a map of the grid, None if some leave the board."""
    a, b, c, d = matrix
    moved = [(a * x + b * y, c * x + d * y) for x, y in board.cells]
    right = min(x for x, _ in board.cells) - min(x for x, _ in moved)
    up = min(y for _, y in board.cells) - min(y for _, y in moved)
    points = [board.at(x + right, y + up) for x, y in moved]
    return None if None in points else tuple(point for point in points if point is not None)


def _keeps(board: Board, goes_to: tuple[int, ...]) -> bool:
    """Whether neighbours, hexagons and runs of five stay what they are."""
    near = board.neighbours
    return all({goes_to[q] for q in near[p]} == set(near[goes_to[p]]) for p in range(len(board))) and all(
        {frozenset(goes_to[p] for p in each) for each in sets} == {frozenset(each) for each in sets}
        for sets in (board.faces, board.fives)
    )
