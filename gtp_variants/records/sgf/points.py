"""Points, moves and setups in the properties of an SGF node, whichever program wrote it."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from gtp_variants.errors import RecordError
from gtp_variants.records.record import printable
from gtp_variants.records.sgf.dialects import first_value
from gtp_variants.records.sgf.syntax import Node
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, RED, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import place, sacrifice
from gtp_variants.rules.colour_names import COLOUR_LETTERS, COLOUR_WORDS
from gtp_variants.rules.rules import Rules

MOVES = {"B": BLACK, "W": WHITE, "R": RED}
SETUP = {"AB": BLACK, "AW": WHITE, "ADDRED": RED}
EDITS = {"AE": EMPTY, "AB": BLACK, "AW": WHITE}
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# The values of PL. Some programs write numbers, because a document about FF[3] had them.
_PLAYERS = {**COLOUR_WORDS, "1": BLACK, "2": WHITE}
_TT_LIMIT = 19
# Maximum number of points that a game may set up, and of points that it may mark, counting repetitions.
_MAX_POINTS = 200_000


def letter_of(colour: int) -> str:
    """Return a colour as the name of its moves: B, W or R."""
    return COLOUR_LETTERS[colour].upper()


def coordinates(board: Board, point: int) -> str:
    """Return a point as SGF writes it."""
    x, y = board.cells[point]
    return _LETTERS[x] + _LETTERS[board.height - 1 - y]


def moves_of(board: Board, node: Node, number: int) -> Iterator[tuple[int, int]]:
    """Yield the moves of node `number` as colour and point or PASS. Raises RecordError if one is unreadable."""
    for name, colour in MOVES.items():
        for value in node.get(name, ()):
            yield colour, action_of(board, name, value, number)


def move_of(board: Board, node: Node) -> tuple[int, int] | None:
    """Return the colour and the point (or PASS) of a node's first move, or None. Raises RecordError if unreadable."""
    return next(moves_of(board, node, 0), None)


def player_to_move(rules: Rules, node: Node) -> int | None:
    """Return the colour in PL, or None without one. Raises RecordError for other values."""
    text = first_value(node, "PL")
    if text is None:
        return None
    colour = _PLAYERS.get(text.lower().split()[0])
    if colour not in rules.colours:
        raise RecordError(f"PL[{text[:20]}]: expected a colour of this game")
    return colour


def action_of(board: Board, name: str, value: str, number: int) -> int:
    """Return the point of a move, or PASS. Raises RecordError, with the node's `number`, if there is no such point."""
    if is_pass(board, value):
        return PASS
    try:
        return point_of(board, name, value.strip())
    except RecordError as error:
        raise RecordError(printable(f"node {number}: {error}")) from error


def is_pass(board: Board, value: str) -> bool:
    """Return True if the value of a move is a pass: no point, or tt on a board that has no such point."""
    text = value.strip()
    return not text or (text == "tt" and max(board.width, board.height) <= _TT_LIMIT)


def point_of(board: Board, name: str, text: str) -> int:
    """Return the point that a property names. Raises RecordError if it is not on the board."""
    if len(text) == 2 and text[0] in _LETTERS and text[1] in _LETTERS:
        point = board.at(_LETTERS.index(text[0]), board.height - 1 - _LETTERS.index(text[1]))
        if point is not None:
            return point
    raise RecordError(f"{name}[{text[:20]}]: expected a point of a board of {board.width} by {board.height}")


def points_of(board: Board, name: str, value: str) -> list[int]:
    """Return the points of a property value: one point, or a rectangle given by two corners. Raises RecordError."""
    start, colon, end = value.strip().partition(":")
    if not colon:
        return [point_of(board, name, start)]
    (x1, y1), (x2, y2) = (board.cells[point_of(board, name, corner)] for corner in (start, end))
    cells = [(x, y) for x in range(min(x1, x2), max(x1, x2) + 1) for y in range(min(y1, y2), max(y1, y2) + 1)]
    return [point for point in (board.at(x, y) for x, y in cells) if point is not None]


def check_points(count: int) -> None:
    """Raise RecordError if a game names too many points."""
    if count > _MAX_POINTS:
        raise RecordError(f"more than {_MAX_POINTS} points set up or marked in one game")


def setup_of(
    rules: Rules, node: Node, names: Mapping[str, int], read: Callable[[str, str], list[int]] | None = None
) -> dict[int, int]:
    """Return the colour that the properties `names` put on each point, as `read` reads values. Raises RecordError."""
    found: dict[int, int] = {}
    read = read or partial(points_of, rules.board)
    for name, colour in names.items():
        values = node.get(name, [])
        if len(values) > len(rules.board):
            raise RecordError(f"{name}: more values than the board has points")
        for value in values:
            found.update(dict.fromkeys(read(name, value), colour))
    return found


def execute(board: Board, stones: bytes, colour: int, point: int) -> bytes:
    """Return the stones after a move that is carried out although it is illegal, as FF[4] requires."""
    bare = bytes(0 if each == point else there for each, there in enumerate(stones))
    placed = place(board, bare, colour, point) or sacrifice(board, bare, colour, point)
    # Without `placed`, only the new stone was removed, so other stones stay.
    return placed[0] if placed else bare
