"""Shapes of 3x3 points that playouts of Go answer in the kernel: hane, cuts, and what is played at the edge.

A shape is one number: two bits for each of the eight points around the one in question, empty, black, white or off
the board.
Source: S. Gelly, Y. Wang, R. Munos, O. Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go", 2006, figure 3.
"""

from functools import cache
from itertools import product

from gtp_variants.rules.actions import BLACK, EMPTY, WHITE
from gtp_variants.rules.boards.board import Board

OFF = 3

# The points around, row by row from the lower left; the fourth and the fifth lie beside it.
STEPS = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))

# X and O are the two sides, either of them to move; x: not X; o: not O; .: empty; #: off the board; ?: anything.
# Each stands for itself turned, mirrored and with the sides exchanged.
SHAPES = (
    "XOX .+. ???",  # hane around the head of a stone
    "XO. .+. ?.?",  # hane that cuts nothing
    "XO? X+. x.?",  # hane at a bent chain
    ".O. X+. ...",  # diagonal contact
    "XO? O+o ?o?",  # cut nobody guards
    "XO? O+X ???",  # cut into which one side has peeped
    "?X? O+O ooo",  # pushing between two stones
    "OX? o+O ???",  # cut of a knight's move
    "X.? O+? ##?",  # at the edge: chase
    "OX? X+O ###",  # at the edge: cut stopped
    "?X? x+O ###",  # at the edge: link stopped
    "?XO x+x ###",  # at the edge: descent
    "?OX X+O ###",  # at the edge: cut
)

_MEANINGS = {
    ".": (EMPTY,),
    "X": (BLACK,),
    "O": (WHITE,),
    "x": (EMPTY, WHITE, OFF),
    "o": (EMPTY, BLACK, OFF),
    "#": (OFF,),
    "?": (EMPTY, BLACK, WHITE, OFF),
}
_AS_DRAWN, _EXCHANGED = (EMPTY, BLACK, WHITE, OFF), (EMPTY, WHITE, BLACK, OFF)


@cache
def surroundings(board: Board) -> tuple[tuple[int, ...], ...]:
    """The eight points around each point of a square grid in the order of `STEPS`, -1 where there is none."""
    around = []
    for x, y in board.cells:
        points = [board.at(x + dx, y + dy) for dx, dy in STEPS]
        around.append(tuple(-1 if point is None else point for point in points))
    return tuple(around)


@cache
def shape_table() -> bytes:
    """For every shape whether it is worth a move: 1 or 0."""
    marks = bytearray(4 ** len(STEPS))
    for drawing, order, sides in product(SHAPES, _symmetries(), (_AS_DRAWN, _EXCHANGED)):
        cells = drawing.replace(" ", "").replace("+", "")
        shapes = [0]
        for place, index in enumerate(order):
            colours = [sides[colour] << (2 * place) for colour in _MEANINGS[cells[index]]]
            shapes = [shape | colour for shape in shapes for colour in colours]
        for shape in shapes:
            marks[shape] = 1
    return bytes(marks)


def _symmetries() -> list[tuple[int, ...]]:
    """The eight ways to turn and mirror the points around, as orders of them."""
    orders = []
    for swap, flip_x, flip_y in product((False, True), (1, -1), (1, -1)):
        turned = [(flip_x * dx, flip_y * dy) for dx, dy in STEPS]
        orders.append(tuple(STEPS.index((dy, dx) if swap else (dx, dy)) for dx, dy in turned))
    return orders
