"""The standard commands of GTP version 2 and those that GoGui, KGS, gomill and KataGo's users added to it."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.errors import CommandFailed, GameOver, NotationError, RecordError, SpecError
from gtp_variants.gtp.engine.session import OGS, Session
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.table import is_undoable
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.boards.chains import chains
from gtp_variants.rules.boards.handicap import fixed_points, free_points
from gtp_variants.rules.options import read_number

ENGINE_NAME = "GTP Variants"


def wanted(arguments: Sequence[str], count: int, usage: str) -> None:
    """Raises NotationError unless at least so many arguments are given; more are ignored, as GTP programs do."""
    if len(arguments) < count:
        raise NotationError(f"expected {usage}")


def whole(word: str, usage: str) -> int:
    """A whole number, a very large one as some large number. Raises NotationError."""
    if word.isascii() and word.isdigit():
        return int(word.lstrip("0")[:12] or "0")
    try:
        number = read_number(word)
    except ValueError:
        raise NotationError(f"{word[:20]}: expected {usage}") from None
    if number != int(number):
        raise NotationError(f"{word[:20]}: expected {usage}")
    return int(number)


def seconds(word: str, usage: str) -> float:
    """A time of 0 seconds or more. Raises NotationError."""
    try:
        number = read_number(word)
    except ValueError:
        number = -1.0
    if number < 0:
        raise NotationError(f"{word[:20]}: expected {usage}")
    return float(number)


# -- the engine itself -------------------------------------------------------------------------------------------------


def protocol_version(session: Session, arguments: list[str]) -> str:
    return "2"


def name(session: Session, arguments: list[str]) -> str:
    return ENGINE_NAME


def version(session: Session, arguments: list[str]) -> str:
    return __version__


def quit_engine(session: Session, arguments: list[str]) -> str:
    session.done = True
    return ""


def nothing(session: Session, arguments: list[str]) -> str:
    """A command that is accepted and has nothing to do."""
    return ""


def cputime(session: Session, arguments: list[str]) -> str:
    return f"{time.process_time():.3f}"


def set_random_seed(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "set_random_seed NUMBER")
    session.set_seed(arguments[0])
    return ""


def describe_engine(session: Session, arguments: list[str]) -> str:
    return f"{ENGINE_NAME} {__version__}\ngame {session.rules.spec}\nbot {session.bot_name}"


def explain_last_move(session: Session, arguments: list[str]) -> str:
    return session.explanation


# -- board and rules ---------------------------------------------------------------------------------------------------


def boardsize(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "boardsize SIZE")
    width = whole(arguments[0], "a whole number")
    height = whole(arguments[1], "a whole number") if len(arguments) > 1 else width
    return _resize(session, width, height)


def rectangular_boardsize(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 2, "rectangular_boardsize WIDTH HEIGHT")
    return _resize(session, *(whole(word, "a whole number") for word in arguments[:2]))


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


def clear_board(session: Session, arguments: list[str]) -> str:
    session.new_game()
    return ""


def komi(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "komi NUMBER")
    try:
        value = read_number(arguments[0])
    except ValueError as error:
        raise NotationError(f"komi {arguments[0][:20]}: expected {error}") from None
    # GoGui tells the komi to only one of its processes, so it must have no effect there.
    if session.rules.is_scored and not session.is_hosted:
        session.change(komi=words.number(value))
    return ""


def kgs_rules(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "kgs-rules chinese|aga|new_zealand|japanese")
    repetition = {"chinese": "psk", "new_zealand": "psk", "aga": "ssk", "japanese": "psk"}.get(arguments[0].lower())
    if repetition is None:
        raise NotationError(f"{arguments[0][:20]}: expected chinese, aga, new_zealand or japanese")
    if session.rules.name == "go":
        if arguments[0].lower() == "japanese":
            session.log("japanese rules are scored by area here")
        session.change(repetition=repetition)
    return ""


# -- moves -------------------------------------------------------------------------------------------------------------


def play(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 2, "play COLOUR VERTEX")
    session.play(session.colour(arguments[0]), session.action(arguments[1]))
    return ""


def genmove(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "genmove COLOUR")
    colour = session.colour(arguments[0])
    decided = verdict(session, colour)
    names = session.veil(colour)
    began = time.monotonic()
    action = session.generate(colour) if decided is None else decided
    if session.manners.chat == OGS and decided is None:
        from gtp_variants.gtp.engine.handlers.server_chat import tell_server

        tell_server(session, time.monotonic() - began)
    return session.word(names.get(action, action))


def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    from gtp_variants.gtp.engine.handlers.cleanup import cleaning_move

    wanted(arguments, 1, "kgs-genmove_cleanup COLOUR")
    colour = session.colour(arguments[0])
    decided = verdict(session, colour)
    if decided is not None:
        return session.word(decided)
    action = cleaning_move(session, colour)
    if action is None:
        return genmove(session, arguments)
    session.play(colour, action)
    return session.word(action)


def reg_genmove(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "reg_genmove COLOUR")
    colour = session.colour(arguments[0])
    decided = verdict(session, colour)
    return session.word(session.consider(colour) if decided is None else decided)


def verdict(session: Session, colour: int) -> int | None:
    """After the end: a pass of a side that has won or drawn, resignation of one that has lost; None before."""
    if session.seated is not None:
        return None
    table = session.table
    if not table.is_final and not session.is_revealed:
        return None
    outcome = table.game.outcome
    return PASS if outcome is None or outcome.winner in (None, colour) else RESIGN


def undo(session: Session, arguments: list[str]) -> str:
    _undo(session, 1)
    return ""


def gg_undo(session: Session, arguments: list[str]) -> str:
    count = whole(arguments[0], "gg-undo NUMBER") if arguments else 1
    _undo(session, count)
    return ""


def _undo(session: Session, count: int) -> None:
    game = session.table.game
    available = sum(1 for index in range(len(game.events)) if is_undoable(game, index))
    if count < 0 or count > available or session.is_revealed:
        raise CommandFailed("cannot undo")
    for _ in range(count):
        session.table.undo()


def play_sequence(session: Session, arguments: list[str]) -> str:
    if len(arguments) % 2:
        raise NotationError("expected pairs of COLOUR VERTEX")
    table = session.table
    mark = table.mark()
    try:
        for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True):
            session.play(session.colour(colour), session.action(vertex))
    except Exception:
        table.go_back(mark)
        raise
    return ""


def setup(session: Session, arguments: list[str]) -> str:
    if len(arguments) % 2:
        raise NotationError("expected pairs of COLOUR VERTEX")
    _expect_empty(session)
    stones: dict[int, int] = {}
    for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True):
        point = session.rules.board.point(vertex)
        if point in stones:
            raise NotationError(f"{vertex[:20]}: named twice")
        stones[point] = session.colour(colour)
    session.new_game(stones)
    return ""


def setup_player(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "gogui-setup_player COLOUR")
    game = session.table.game
    if game.turns():
        raise CommandFailed("board not empty")
    session.new_game(game.setup, session.colour(arguments[0]))
    return ""


# -- handicap ----------------------------------------------------------------------------------------------------------


def fixed_handicap(session: Session, arguments: list[str]) -> str:
    points = _handicap(session, arguments, "fixed", fixed_points)
    return _place_handicap(session, points)


def place_free_handicap(session: Session, arguments: list[str]) -> str:
    points = _handicap(session, arguments, "free", free_points)
    return _place_handicap(session, points)


def _handicap(
    session: Session, arguments: list[str], kind: str, choose: Callable[[Any, int], list[int] | None]
) -> list[int]:
    if session.rules.handicap == "none" or (kind == "fixed" and session.rules.handicap != "fixed"):
        raise CommandFailed("not a game with handicap")
    wanted(arguments, 1, "a number of stones")
    count = whole(arguments[0], "a number of stones")
    _expect_empty(session)
    points = choose(session.rules.board, count)
    if points is None:
        raise CommandFailed("invalid number of stones")
    return points


def set_free_handicap(session: Session, arguments: list[str]) -> str:
    if session.rules.handicap == "none":
        raise CommandFailed("not a game with handicap")
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
    return " ".join(session.rules.named(points))


def _expect_empty(session: Session) -> None:
    game = session.table.game
    if game.setup or game.turns():
        raise CommandFailed("board not empty")


# -- time --------------------------------------------------------------------------------------------------------------


def time_settings(session: Session, arguments: list[str]) -> str:
    usage = "time_settings MAIN PERIOD STONES"
    wanted(arguments, 3, usage)
    main, period = (seconds(word, usage) for word in arguments[:2])
    stones = whole(arguments[2], usage)
    if stones < 0:
        raise NotationError(f"{arguments[2]}: expected {usage}")
    if period == 0:
        kind = "absolute"
    else:
        # A period without stones is GTP's way to say that there is no limit.
        kind = "canadian" if stones else "none"
    return _set_time(session, TimeControl(kind, main, period, stones))


def time_left(session: Session, arguments: list[str]) -> str:
    usage = "time_left COLOUR SECONDS STONES"
    wanted(arguments, 3, usage)
    colour = session.colour(arguments[0])
    try:
        left = float(read_number(arguments[1]))
    except ValueError:
        raise NotationError(f"{arguments[1][:20]}: expected {usage}") from None
    session.clocks[colour] = Clock(session.control, max(0.0, left), max(0, whole(arguments[2], usage)))
    return ""


def kgs_time_settings(session: Session, arguments: list[str]) -> str:
    return _set_named_time(session, arguments, "kgs-time_settings", _KGS_TIMES)


def kata_time_settings(session: Session, arguments: list[str]) -> str:
    return _set_named_time(session, arguments, "kata-time_settings", _KATA_TIMES)


def kata_list_time_settings(session: Session, arguments: list[str]) -> str:
    return " ".join(_KATA_TIMES)


def _canadian(main: float, period: float, stones: float) -> TimeControl:
    return TimeControl("canadian", main, period, int(stones))


def _byoyomi(main: float, period: float, periods: float) -> TimeControl:
    return TimeControl("byoyomi", main, period, periods=int(periods))


def _fischer(main: float, increment: float, limit: float = -1.0, move: float = -1.0) -> TimeControl:
    # A limit below 0 is KataGo's way to say that there is none, and gtp2ogs says it for that of a single move.
    return TimeControl("fischer", main, increment_s=increment, limit_s=None if limit < 0 else limit)


Maker = Callable[..., TimeControl]
# Name -> how many numbers it needs, how many of the last may be below 0, and what they make.
_KGS_TIMES: dict[str, tuple[int, int, Maker]] = {
    "none": (0, 0, lambda: TimeControl()),
    "absolute": (1, 0, lambda main: TimeControl("absolute", main)),
    "canadian": (3, 0, _canadian),
    "byoyomi": (3, 0, _byoyomi),
}
_KATA_TIMES: dict[str, tuple[int, int, Maker]] = {
    **_KGS_TIMES,
    "fischer": (2, 0, _fischer),
    "fischer-capped": (4, 2, _fischer),
}


def _set_named_time(
    session: Session, arguments: list[str], command: str, known: dict[str, tuple[int, int, Maker]]
) -> str:
    wanted(arguments, 1, f"{command} {'|'.join(known)} ...")
    if arguments[0].lower() not in known:
        raise NotationError(f"{arguments[0][:20]}: expected {', '.join(known)}")
    count, signed, make = known[arguments[0].lower()]
    wanted(arguments, 1 + count, f"{command} {arguments[0]} and {count} numbers")
    numbers = arguments[1 : 1 + count]
    unsigned = [seconds(word, "0 or more") for word in numbers[: count - signed]]
    return _set_time(session, make(*unsigned, *(_limit(word) for word in numbers[count - signed :])))


def _limit(word: str) -> float:
    """A time, or a number below 0 for none. Raises NotationError."""
    try:
        return float(read_number(word))
    except ValueError:
        raise NotationError(f"{word[:20]}: expected a number") from None


def _set_time(session: Session, control: TimeControl) -> str:
    session.set_time(control)
    return ""


# -- score -------------------------------------------------------------------------------------------------------------


def final_score(session: Session, arguments: list[str]) -> str:
    if session.seated is not None:
        if not session.seated.result:
            raise CommandFailed("cannot score")
        return session.seated.result
    outcome = session.table.game.outcome or session.rules.standing(session.position)
    if outcome is None:
        raise CommandFailed("cannot score")
    return outcome.gtp


def final_status_list(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "alive, dead or seki")
    status = arguments[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise NotationError(f"{arguments[0][:20]}: expected alive, dead or seki")
    position = session.position
    dead: frozenset[int] = getattr(position, "dead", frozenset())
    found = [
        session.rules.named(members)
        for members in chains(session.rules.board, position.stones)
        if (members[0] in dead) == (status == "dead")
    ]
    return "" if status == "seki" else "\n".join(" ".join(chain) for chain in found)


# -- files and pictures ------------------------------------------------------------------------------------------------


def showboard(session: Session, arguments: list[str]) -> str:
    if session.seated is not None:
        from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows

        return "\n" + board_rows(session.rules.board, session.seated.view.stones)
    from gtp_variants.records.diagram import diagram

    return "\n" + diagram(session.rules, session.position)


def printsgf(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.sgf import to_sgf

    text = to_sgf(session.record())
    if not arguments:
        return text
    from pathlib import Path

    try:
        Path(arguments[0]).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CommandFailed(f"cannot write file: {error}") from None
    return ""


def loadsgf(session: Session, arguments: list[str]) -> str:
    from pathlib import Path

    from gtp_variants.gtp.engine.handlers.loadsgf import load_sgf

    wanted(arguments, 1, "loadsgf FILE [MOVE]")
    before = whole(arguments[1], "loadsgf FILE [MOVE]") if len(arguments) > 1 else None
    try:
        load_sgf(session, Path(arguments[0]), before)
    except (OSError, ValueError, GameOver, RecordError) as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return ""


HANDLERS = {
    "boardsize": boardsize,
    "clear_board": clear_board,
    "cputime": cputime,
    "final_score": final_score,
    "final_status_list": final_status_list,
    "fixed_handicap": fixed_handicap,
    "genmove": genmove,
    "gg-undo": gg_undo,
    "gogui-interrupt": nothing,
    "gogui-play_sequence": play_sequence,
    "gogui-setup": setup,
    "gogui-setup_player": setup_player,
    "gomill-cpu_time": cputime,
    "gomill-describe_engine": describe_engine,
    "gomill-explain_last_move": explain_last_move,
    "kata-list_time_settings": kata_list_time_settings,
    "kata-time_settings": kata_time_settings,
    "kgs-game_over": nothing,
    "kgs-genmove_cleanup": genmove_cleanup,
    "kgs-rules": kgs_rules,
    "kgs-time_settings": kgs_time_settings,
    "komi": komi,
    "loadsgf": loadsgf,
    "name": name,
    "place_free_handicap": place_free_handicap,
    "play": play,
    "printsgf": printsgf,
    "protocol_version": protocol_version,
    "quit": quit_engine,
    "rectangular_boardsize": rectangular_boardsize,
    "reg_genmove": reg_genmove,
    "set_free_handicap": set_free_handicap,
    "set_random_seed": set_random_seed,
    "showboard": showboard,
    "time_left": time_left,
    "time_settings": time_settings,
    "undo": undo,
    "version": version,
}
