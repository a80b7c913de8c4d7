"""Commands for use before the first move: board size, komi, server rules, setup stones, handicap and time controls."""

from collections.abc import Callable, Sequence
from math import inf

from gtp_variants.errors import CommandFailed, NotationError, SpecError
from gtp_variants.gtp.engine.commands import COMMANDS, command, need, read_seconds, read_whole, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.clock import TimeControl
from gtp_variants.records.katago_rules import rules_of_play
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.handicap import fixed_points, free_points
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.options import read_number
from gtp_variants.rules.rule_sets import KGS_RULES


@command("boardsize", "rectangular_boardsize")
def boardsize(session: Session, arguments: list[str]) -> None:
    width, *more = (read_whole(word, "a whole number") for word in arguments)
    height = more[0] if more else width
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


@command("komi")
def komi(session: Session, arguments: list[str]) -> None:
    try:
        value = read_number(arguments[0])
    except ValueError as error:
        raise NotationError(f"komi {arguments[0]}: expected {error}") from None
    # GoGui sends the komi to only one of its processes, so under GoGui it must have no effect.
    if session.rules.is_scored and not session.is_hosted:
        session.change(komi=format_number(value))


@command("kgs-rules")
def kgs_rules(session: Session, arguments: list[str]) -> None:
    name = arguments[0].lower()
    if name not in KGS_RULES:
        raise NotationError(f"{arguments[0][:20]}: expected {', '.join(KGS_RULES)}")
    if KGS_RULES[name] in session.rules.options.rule_sets:
        session.change(**rules_of_play(KGS_RULES[name]))
    elif session.rules.is_scored:
        raise CommandFailed(f"{session.rules.title} has no {name} rules")


@command("gogui-setup")
def setup(session: Session, arguments: list[str]) -> None:
    _expect_empty(session)
    session.new_game(_read_stones(session, arguments))


def _read_stones(session: Session, arguments: Sequence[str]) -> dict[int, int]:
    """Return the colour of each point named in pairs of COLOUR VERTEX. Raises NotationError for a bad pair."""
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
def setup_player(session: Session, arguments: list[str]) -> None:
    game = session.table.game
    if game.turns():
        raise CommandFailed("board not empty")
    session.new_game(game.setup, session.colour(arguments[0]))


# -- handicap ----------------------------------------------------------------------------------------------------------


def _place_chosen(session: Session, word: str, choose: Callable[[Board, int], list[int] | None]) -> str:
    """Place handicap stones on the points that `choose` returns, and return their vertices, or raise CommandFailed."""
    count = read_whole(word, "a number of stones")
    _expect_empty(session)
    points = choose(session.rules.board, count)
    if points is None:
        raise CommandFailed("invalid number of stones")
    session.new_game(dict.fromkeys(points, BLACK), WHITE)
    return " ".join(session.rules.board.vertices_of(points))


@command("set_free_handicap")
def set_free_handicap(session: Session, arguments: list[str]) -> None:
    _expect_empty(session)
    try:
        points = [session.rules.board.point(vertex) for vertex in arguments]
    except ValueError:
        raise CommandFailed("bad vertex list") from None
    if not 2 <= len(points) < len(session.rules.board) or len(set(points)) < len(points):
        raise CommandFailed("bad vertex list")
    session.new_game(dict.fromkeys(points, BLACK), WHITE)


def _expect_empty(session: Session) -> None:
    game = session.table.game
    if game.setup or game.turns():
        raise CommandFailed("board not empty")


# -- time --------------------------------------------------------------------------------------------------------------


@command("time_settings")
def time_settings(session: Session, arguments: list[str]) -> None:
    usage = COMMANDS["time_settings"].usage
    main, period = (read_seconds(word, usage) for word in arguments[:2])
    stones = read_whole(arguments[2], usage, 0)
    # In GTP, a period with 0 stones means that there is no time limit.
    kind = "absolute" if period == 0 else "canadian" if stones else "none"
    session.clocks.set_control(TimeControl(kind, main, period, stones))


@command("time_left")
def time_left(session: Session, arguments: list[str]) -> None:
    usage = COMMANDS["time_left"].usage
    colour = session.colour(arguments[0])
    left_s = read_seconds(arguments[1], usage, least=-inf)
    session.clocks.tell(colour, max(0.0, left_s), max(0, read_whole(arguments[2], usage)))


def _fischer(main: float, increment: float, limit: float = -1.0, move: float = -1.0) -> TimeControl:
    # A value below 0 means no limit. KataGo uses it for the clock, and gtp2ogs also for a single move.
    limit_s, move_s = (None if each < 0 else each for each in (limit, move))
    return TimeControl("fischer", main, increment_s=increment, limit_s=limit_s, move_s=move_s)


# By name: how many numbers a control needs, how many of the last may be below 0, and the function that takes them all.
_NamedTimes = dict[str, tuple[int, int, Callable[..., TimeControl]]]
_KGS_TIMES: _NamedTimes = {
    "none": (0, 0, lambda: TimeControl()),
    "absolute": (1, 0, lambda main: TimeControl("absolute", main)),
    "canadian": (3, 0, lambda main, period, stones: TimeControl("canadian", main, period, int(stones))),
    "byoyomi": (3, 0, lambda main, period, count: TimeControl("byoyomi", main, period, periods=int(count))),
}
_KATA_TIMES: _NamedTimes = {**_KGS_TIMES, "fischer": (2, 0, _fischer), "fischer-capped": (4, 2, _fischer)}


def _set_named_time(session: Session, arguments: list[str], name: str, known: _NamedTimes) -> None:
    if arguments[0].lower() not in known:
        raise NotationError(f"{arguments[0][:20]}: expected {', '.join(known)}")
    count, signed, make = known[arguments[0].lower()]
    need(arguments, 1 + count, f"{name} {arguments[0]} and {count} numbers")
    numbers = arguments[1 : 1 + count]
    unsigned = [read_seconds(word, "0 or more") for word in numbers[: count - signed]]
    limits = [read_seconds(word, "a number", least=-inf) for word in numbers[count - signed :]]
    session.clocks.set_control(make(*unsigned, *limits))


register_all(
    {
        "clear_board": lambda session, _: session.new_game(),
        "set_position": lambda session, given: session.new_game(_read_stones(session, given)),
        "fixed_handicap": lambda session, given: _place_chosen(session, given[0], fixed_points),
        "place_free_handicap": lambda session, given: _place_chosen(session, given[0], free_points),
        "kgs-time_settings": lambda session, given: _set_named_time(session, given, "kgs-time_settings", _KGS_TIMES),
        "kata-time_settings": lambda session, given: _set_named_time(session, given, "kata-time_settings", _KATA_TIMES),
        "kata-list_time_settings": lambda session, _: " ".join(_KATA_TIMES),
    }
)
