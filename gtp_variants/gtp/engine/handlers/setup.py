"""Commands before the first move: board size, komi, rules of servers, stones on the board, handicap."""

from collections.abc import Callable, Sequence

from gtp_variants.errors import CommandFailed, NotationError, SpecError
from gtp_variants.gtp.engine.commands import command, read_whole
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.handicap import fixed_points, free_points
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.options import read_number


@command("boardsize")
def boardsize(session: Session, arguments: list[str]) -> str:
    width = read_whole(arguments[0], "a whole number")
    height = read_whole(arguments[1], "a whole number") if len(arguments) > 1 else width
    return _resize(session, width, height)


@command("rectangular_boardsize")
def rectangular_boardsize(session: Session, arguments: list[str]) -> str:
    return _resize(session, *(read_whole(word, "a whole number") for word in arguments[:2]))


def _resize(session: Session, width: int, height: int) -> str:
    keys = {option.key for option in session.game_class.options}
    board = session.rules.board
    if "width" in keys:
        changed = {"width": str(width), "height": str(height)}
    elif "size" in keys and width == height:
        changed = {"size": str(width)}
    elif (width, height) == (board.width, board.height):
        changed = {}
    else:
        raise CommandFailed("unacceptable size")
    try:
        rules = session.with_options(**changed)
    except SpecError:
        raise CommandFailed("unacceptable size") from None
    session.resize(rules, **changed)
    return ""


@command("clear_board")
def clear_board(session: Session, arguments: list[str]) -> str:
    session.new_game()
    return ""


@command("komi")
def komi(session: Session, arguments: list[str]) -> str:
    try:
        value = read_number(arguments[0])
    except ValueError as error:
        raise NotationError(f"komi {arguments[0]}: expected {error}") from None
    # GoGui tells the komi to only one of its processes, so it must have no effect there.
    if session.rules.is_scored and not session.is_hosted:
        session.change(komi=format_number(value))
    return ""


@command("kgs-rules")
def kgs_rules(session: Session, arguments: list[str]) -> str:
    repetition = {"chinese": "psk", "new_zealand": "psk", "aga": "ssk", "japanese": "psk"}.get(arguments[0].lower())
    if repetition is None:
        raise NotationError(f"{arguments[0][:20]}: expected chinese, aga, new_zealand or japanese")
    if session.rules.profile.is_go:
        if arguments[0].lower() == "japanese":
            log("japanese rules are scored by area here")
        session.change(repetition=repetition)
    return ""


@command("gogui-setup")
def setup(session: Session, arguments: list[str]) -> str:
    _expect_empty(session)
    session.new_game(read_stones(session, arguments))
    return ""


def read_stones(session: Session, arguments: Sequence[str]) -> dict[int, int]:
    """Pairs of COLOUR VERTEX, as the colour of each point. Raises NotationError."""
    if len(arguments) % 2:
        raise NotationError("expected pairs of COLOUR VERTEX")
    stones: dict[int, int] = {}
    for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True):
        point = session.rules.board.point(vertex)
        if point in stones:
            raise NotationError(f"{vertex[:20]}: named twice")
        stones[point] = session.colour(colour)
    return stones


@command("gogui-setup_player")
def setup_player(session: Session, arguments: list[str]) -> str:
    game = session.table.game
    if game.turns():
        raise CommandFailed("board not empty")
    session.new_game(game.setup, session.colour(arguments[0]))
    return ""


# -- handicap ----------------------------------------------------------------------------------------------------------


@command("fixed_handicap")
def fixed_handicap(session: Session, arguments: list[str]) -> str:
    points = _handicap(session, arguments, fixed_points)
    return _place_handicap(session, points)


@command("place_free_handicap")
def place_free_handicap(session: Session, arguments: list[str]) -> str:
    points = _handicap(session, arguments, free_points)
    return _place_handicap(session, points)


def _handicap(session: Session, arguments: list[str], choose: Callable[[Board, int], list[int] | None]) -> list[int]:
    count = read_whole(arguments[0], "a number of stones")
    _expect_empty(session)
    points = choose(session.rules.board, count)
    if points is None:
        raise CommandFailed("invalid number of stones")
    return points


@command("set_free_handicap")
def set_free_handicap(session: Session, arguments: list[str]) -> str:
    _expect_empty(session)
    try:
        points = [session.rules.board.point(vertex) for vertex in arguments]
    except ValueError:
        raise CommandFailed("bad vertex list") from None
    if not 2 <= len(points) < len(session.rules.board) or len(set(points)) < len(points):
        raise CommandFailed("bad vertex list")
    return _place_handicap(session, points) and ""


def _place_handicap(session: Session, points: Sequence[int]) -> str:
    session.new_game(dict.fromkeys(points, BLACK), WHITE)
    return " ".join(session.rules.board.vertices_of(points))


def _expect_empty(session: Session) -> None:
    game = session.table.game
    if game.setup or game.turns():
        raise CommandFailed("board not empty")
