"""Commands about time: settings of GTP, KGS and KataGo, and the time that is left."""

from collections.abc import Callable
from math import inf

from gtp_variants.errors import NotationError
from gtp_variants.gtp.engine.commands import COMMANDS, command, need, read_seconds, read_whole, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.clock import TimeControl


@command("time_settings")
def time_settings(session: Session, arguments: list[str]) -> None:
    usage = COMMANDS["time_settings"].usage
    main, period = (read_seconds(word, usage) for word in arguments[:2])
    stones = read_whole(arguments[2], usage)
    if stones < 0:
        raise NotationError(f"{arguments[2]}: expected {usage}")
    if period == 0:
        kind = "absolute"
    else:
        # In GTP a period without stones means that there is no limit.
        kind = "canadian" if stones else "none"
    session.clocks.set_control(TimeControl(kind, main, period, stones))


@command("time_left")
def time_left(session: Session, arguments: list[str]) -> None:
    usage = COMMANDS["time_left"].usage
    colour = session.colour(arguments[0])
    left_s = read_seconds(arguments[1], usage, least=-inf)
    session.clocks.tell(colour, max(0.0, left_s), max(0, read_whole(arguments[2], usage)))


def _canadian(main: float, period: float, stones: float) -> TimeControl:
    return TimeControl("canadian", main, period, int(stones))


def _byoyomi(main: float, period: float, periods: float) -> TimeControl:
    return TimeControl("byoyomi", main, period, periods=int(periods))


def _fischer(main: float, increment: float, limit: float = -1.0, move: float = -1.0) -> TimeControl:
    # Below 0 means no limit: KataGo writes so for the clock, gtp2ogs also for a single move.
    limit_s, move_s = (None if each < 0 else each for each in (limit, move))
    return TimeControl("fischer", main, increment_s=increment, limit_s=limit_s, move_s=move_s)


# By name: the count of numbers it needs, the count of last ones that may be below 0, and a function that takes them.
_NamedTimes = dict[str, tuple[int, int, Callable[..., TimeControl]]]
_KGS_TIMES: _NamedTimes = {
    "none": (0, 0, lambda: TimeControl()),
    "absolute": (1, 0, lambda main: TimeControl("absolute", main)),
    "canadian": (3, 0, _canadian),
    "byoyomi": (3, 0, _byoyomi),
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
        "kgs-time_settings": lambda session, given: _set_named_time(session, given, "kgs-time_settings", _KGS_TIMES),
        "kata-time_settings": lambda session, given: _set_named_time(session, given, "kata-time_settings", _KATA_TIMES),
        "kata-list_time_settings": lambda session, _: " ".join(_KATA_TIMES),
    }
)
