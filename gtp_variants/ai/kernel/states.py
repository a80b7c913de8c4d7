"""The conversion of games for the kernel: rules to its tables, positions to its states.

Importing this module raises ImportError if the kernel was not built; check `backend.search_backend()` first.

`shape_table` holds the 3x3 shapes that playouts of Go respond to: hane, cuts and moves at the edge. A shape is a number
with two bits for each of the eight surrounding points: empty, black, white or off the board. Source: S. Gelly, Y. Wang,
R. Munos, O. Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go", 2006, figure 3.
"""

from dataclasses import fields
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from gtp_variants.ai.kernel._kernel import KernelRules, KernelState
from gtp_variants.lang import load
from gtp_variants.rules.actions import BLACK, EMPTY, WHITE, Event
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import AreaRules

_SHAPES = Path(__file__).with_name("shapes.toml")
OFF = 3

# The surrounding points, row by row from the lower left; the fourth and fifth are left and right.
STEPS = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))

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
    """Return the eight points around each point of a square grid, in the order of `STEPS`; -1 means off the board."""
    around = []
    for x, y in board.cells:
        points = [board.at(x + dx, y + dy) for dx, dy in STEPS]
        around.append(tuple(-1 if point is None else point for point in points))
    return tuple(around)


@cache
def shape_table() -> bytes:
    """Return one byte per shape: 1 if the shape is worth a move, else 0."""
    marks = bytearray(4 ** len(STEPS))
    for drawing, order, sides in product(load(_SHAPES)["shapes"], _symmetries(), (_AS_DRAWN, _EXCHANGED)):
        cells = drawing.replace(" ", "").replace("+", "")
        shapes = [0]
        for place, index in enumerate(order):
            colours = [sides[colour] << (2 * place) for colour in _MEANINGS[cells[index]]]
            shapes = [shape | colour for shape in shapes for colour in colours]
        for shape in shapes:
            marks[shape] = 1
    return bytes(marks)


def _symmetries() -> list[tuple[int, ...]]:
    """Return the eight rotations and reflections of the surrounding points, as permutations."""
    orders = []
    for swap, flip_x, flip_y in product((False, True), (1, -1), (1, -1)):
        turned = [(flip_x * dx, flip_y * dy) for dx, dy in STEPS]
        orders.append(tuple(STEPS.index((dy, dx) if swap else (dx, dy)) for dx, dy in turned))
    return orders


# The fields of a position that the kernel's state has under the same names.
_STATE_FIELDS = frozenset(
    """turn passes last earlier captured taken out dead settled button tried seen tries dice draws casts final
    passes_left""".split()
)


@lru_cache(maxsize=64)
def kernel_rules(rules: Rules) -> KernelRules:
    """Return the kernel's tables for a configured game."""
    board = rules.board
    has_shapes = board.geometry == "rect"
    facts: dict[str, object] = {
        "game": rules.profile.kernel_game,
        "neighbours": board.neighbours,
        "diagonals": board.diagonals,
        "is_grid": has_shapes,
        "surroundings": surroundings(board) if has_shapes else (),
        "rings": board.rings,
        "shapes": shape_table() if has_shapes else b"",
        "faces": board.faces,
        "fives": board.fives,
        "colours": rules.colours,
    }
    return KernelRules(facts | dict(rules.profile.kernel_facts(rules)))


def state_of(rules: Rules, position: Position) -> KernelState:
    """Return the kernel's state for a position, with its history."""
    state = KernelState(kernel_rules(rules), position.stones, position.mover)
    state.forget()
    for key, count in position.history.counts().items():
        state.remember(key, count)
    if position.ended is not None:
        state.end(position.ended.winner or 0, position.ended.how)
    if isinstance(rules, AreaRules):
        state.komi = rules.game_komi(position.handicap)
    for field in fields(position):
        value = getattr(position, field.name)
        if field.name == "before":
            state.set_before(value)
        elif field.name in _STATE_FIELDS:
            setattr(state, field.name, _to_kernel(value))
    return state


def _to_kernel(value: object) -> object:
    """Convert the value of a position's field: sets become sorted lists, dice and events become pairs."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, DiceKind):
        return value.count, value.sides
    if isinstance(value, Event):
        return value.actor, value.action
    if isinstance(value, tuple):
        return [_to_kernel(each) for each in value]
    return value
