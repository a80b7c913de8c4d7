"""The `gogui-rules_*` commands for GoGui as host, with answers in the form that GoGui 1.6 needs.

GoGui runs a second copy of the engine, the ruler, and replays the whole game there before it asks for the board. GoGui
draws the holes of hexagonal boards transposed, so the '?' cells must be symmetric, and no command may colour a hole.
"""

from collections.abc import Iterable

from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.lang import say
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.boards.board import Board, Cell, column_name, honeycomb_centres
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.options import text_of
from gtp_variants.rules.position import Position
from gtp_variants.rules.traits import DicedRules

_LETTERS = ".XO"
_OFF_BOARD = "#303030"
_TERRITORY = {BLACK: "BLACK", WHITE: "WHITE"}
OPEN_LINE = "#9acd6a"
# The shape that GoGui draws for each mark. Any other mark is drawn as a circle.
_MARKS = {"line": "SQUARE", "immune": "TRIANGLE"}


def fillers(board: Board) -> list[Cell]:
    """Return the cells to draw dark: cells inside the board's outline that are not points."""
    if board.geometry == "rect":
        return []
    if board.faces:
        return honeycomb_centres(board)
    widest = max(abs(x - y) for x, y in board.cells)
    cells = [(x, y) for y in range(board.height) for x in range(board.width)]
    return [(x, y) for x, y in cells if abs(x - y) <= widest and board.at(x, y) is None]


def board_rows(board: Board, stones: bytes) -> str:
    """Return the rows from the top: X and O for stones, '.' for empty points and dark cells, '?' for holes."""
    filled = set(fillers(board))

    def letter(x: int, y: int) -> str:
        point = board.at(x, y)
        if point is None:
            return "." if (x, y) in filled else "?"
        return _LETTERS[stones[point]]

    rows = range(board.height - 1, -1, -1)
    return "\n".join(" ".join(letter(x, y) for x in range(board.width)) for y in rows)


def visible_stones(session: Session) -> bytes:
    """Return the stones that may be shown: all of them, or only the stones that the viewer knows."""
    view = session.play.shown_view
    stones: bytes = session.position.stones if view is None else view.stones
    return stones


@command("gogui-rules_game_id")
def game_id(session: Session, arguments: list[str]) -> str:
    session.is_asked_id = True
    return session.rules.name.replace("-", "").capitalize()


@command("gogui-rules_board_size")
def board_size(session: Session, arguments: list[str]) -> str:
    board = session.rules.board
    if board.width != board.height:
        raise CommandFailed("not a square board")
    return f"{board.width} hex" if board.geometry == "hex" else str(board.width)


@command("gogui-rules_board")
def board(session: Session, arguments: list[str]) -> str:
    session.is_ruler = True
    return session.remember("gogui board", lambda: "\n" + board_rows(session.rules.board, visible_stones(session)))


@command("gogui-rules_legal_moves")
def legal_moves(session: Session, arguments: list[str]) -> str:
    session.is_ruler = True
    return session.remember("gogui legal", lambda: _legal_moves(session))


def _legal_moves(session: Session) -> str:
    if session.play.is_over:
        return ""
    rules = session.rules
    if session.table_play.viewer is not None:
        known = visible_stones(session)
        actions = (*(point for point, colour in enumerate(known) if not colour), PASS)
    else:
        actions = tuple(rules.legal(session.position))
    vertices = rules.board.vertices_of(action for action in actions if action >= 0)
    return " ".join([*vertices, "pass"] if PASS in actions else vertices)


@command("gogui-rules_final_result")
def final_result(session: Session, arguments: list[str]) -> str:
    outcome = session.table.game.outcome
    if outcome is None:
        return ""
    if session.table_play.viewer is not None and session.table.suspended:
        # Leave the score out, because it would reveal hidden stones that may still matter.
        sentence = say("game.suspended", session.rules.lang)
    else:
        sentence = outcome.sentence(session.rules.lang)
    return sentence[:1].upper() + sentence[1:]


def _gfx(session: Session) -> Iterable[str]:
    rules, position = session.rules, session.position
    dark = [f"{column_name(x)}{y + 1}" for x, y in fillers(rules.board)]
    if dark:
        yield f"COLOR {_OFF_BOARD} {' '.join(dark)}"
    if isinstance(rules, DicedRules):
        yield from _draw_gfx(rules, position)
    for name, points in rules.find_marks(position).items():
        if points:
            yield f"{_MARKS.get(name, 'CIRCLE')} {' '.join(rules.board.vertices_of(points))}"
    captured = _last_captures(session)
    if captured:
        yield f"MARK {' '.join(rules.board.vertices_of(captured))}"
    refused = _refused_point(session)
    if refused is not None:
        yield f"CIRCLE {rules.board.vertex(refused)}"
    if rules.is_scored and rules.is_suspended(position) and session.table_play.viewer is None:
        # Show the territory that each side would have if the game ended now.
        for colour, points in enumerate(areas(rules.board, position.stones)):
            empty = rules.board.vertices_of(point for point in points if not position.stones[point])
            if colour and empty:
                yield f"{_TERRITORY[colour]} {' '.join(empty)}"


def _refused_point(session: Session) -> int | None:
    """Return the point of the last try if the try was refused and may be shown, else None."""
    view = session.play.shown_view
    if view is None:
        game = session.table.game
        last = len(game.events) - 1
        return game.events[last].action if last >= 0 and game.is_refused(last) else None
    news = view.news[-1] if view.news else None
    return news.action if news is not None and news.refused else None


def _draw_gfx(rules: DicedRules, position: Position) -> Iterable[str]:
    draw = rules.describe_draw(position)
    if draw is None:
        return
    points = rules.board.vertices_of(rules.open_points(position))
    if points:
        yield f"COLOR {OPEN_LINE} {' '.join(points)}"
    # GoGui's status bar would lose the total after the first move, so it is written at both ends of the open line, or
    # of the drawn line if the mover must pass.
    drawn = points or rules.board.vertices_of(rules.on_line.get(draw["total"], ()))
    ends = dict.fromkeys((*drawn[:1], *drawn[-1:]))
    if ends:
        yield "LABEL " + " ".join(f"{vertex} {draw['total']}" for vertex in ends)


def _last_captures(session: Session) -> Iterable[int]:
    """Return the points of the most recent captures that may be shown."""
    view = session.play.shown_view
    if view is None:
        points: Iterable[int] = session.position.captured
        return points
    return next((one.captured for one in reversed(view.news) if one.actor and not one.refused), ())


@command("gogui-title")
def title(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    dice = f" {rules.dice_of(session.position)}" if isinstance(rules, DicedRules) else ""
    # Give the size of a hexagonal board as the first option does, because its grid has other dimensions.
    is_square = rules.board.geometry == "rect"
    size = f"{rules.board.width}x{rules.board.height}" if is_square else text_of(rules.values[rules.options[0].key])
    return f"{rules.title} {size}{dice} - {session.bot.title}"


register_all(
    {
        "gogui-rules_side_to_move": lambda session, _: "black" if session.position.mover == BLACK else "white",
        "gogui-rules_captured_count": lambda session, _: (
            f"{session.position.taken[BLACK]} {session.position.taken[WHITE]}"
        ),
        "gogui-rules_board_gfx": lambda session, _: session.remember("gogui gfx", lambda: "\n".join(_gfx(session))),
    }
)
