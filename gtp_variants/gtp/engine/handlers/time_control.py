"""Commands about time: settings of GTP, KGS and KataGo, and the time that is left."""

from collections.abc import Callable

from gtp_variants.errors import NotationError
from gtp_variants.gtp.engine.commands import COMMANDS, command, need, read_seconds, read_whole
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules.options import read_number


@command("time_settings")
def time_settings(session: Session, arguments: list[str]) -> str:
    usage = COMMANDS["time_settings"].usage
    main, period = (read_seconds(word, usage) for word in arguments[:2])
    stones = read_whole(arguments[2], usage)
    if stones < 0:
        raise NotationError(f"{arguments[2]}: expected {usage}")
    if period == 0:
        kind = "absolute"
    else:
        # A period without stones is GTP's way to say that there is no limit.
        kind = "canadian" if stones else "none"
    return _set_time(session, TimeControl(kind, main, period, stones))


@command("time_left")
def time_left(session: Session, arguments: list[str]) -> str:
    usage = COMMANDS["time_left"].usage
    colour = session.colour(arguments[0])
    try:
        left = float(read_number(arguments[1]))
    except ValueError:
        raise NotationError(f"{arguments[1][:20]}: expected {usage}") from None
    session.clocks.tell(colour, max(0.0, left), max(0, read_whole(arguments[2], usage)))
    return ""


@command("kgs-time_settings")
def kgs_time_settings(session: Session, arguments: list[str]) -> str:
    return _set_named_time(session, arguments, "kgs-time_settings", _KGS_TIMES)


@command("kata-time_settings")
def kata_time_settings(session: Session, arguments: list[str]) -> str:
    return _set_named_time(session, arguments, "kata-time_settings", _KATA_TIMES)


@command("kata-list_time_settings")
def kata_list_time_settings(session: Session, arguments: list[str]) -> str:
    return " ".join(_KATA_TIMES)


def _canadian(main: float, period: float, stones: float) -> TimeControl:
    return TimeControl("canadian", main, period, int(stones))


def _byoyomi(main: float, period: float, periods: float) -> TimeControl:
    return TimeControl("byoyomi", main, period, periods=int(periods))


def _fischer(main: float, increment: float, limit: float = -1.0, move: float = -1.0) -> TimeControl:
    # A limit below 0 is KataGo's way to say that there is none, and gtp2ogs says it for that of a single move.
    limit_s, move_s = (None if each < 0 else each for each in (limit, move))
    return TimeControl("fischer", main, increment_s=increment, limit_s=limit_s, move_s=move_s)


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


def _set_named_time(session: Session, arguments: list[str], name: str, known: dict[str, tuple[int, int, Maker]]) -> str:
    if arguments[0].lower() not in known:
        raise NotationError(f"{arguments[0][:20]}: expected {', '.join(known)}")
    count, signed, make = known[arguments[0].lower()]
    need(arguments, 1 + count, f"{name} {arguments[0]} and {count} numbers")
    numbers = arguments[1 : 1 + count]
    unsigned = [read_seconds(word, "0 or more") for word in numbers[: count - signed]]
    return _set_time(session, make(*unsigned, *(_limit(word) for word in numbers[count - signed :])))


def _limit(word: str) -> float:
    """A time, or a number below 0 for none. Raises NotationError."""
    try:
        return float(read_number(word))
    except ValueError:
        raise NotationError(f"{word[:20]}: expected a number") from None


def _set_time(session: Session, control: TimeControl) -> str:
    session.clocks.set_control(control)
    return ""
