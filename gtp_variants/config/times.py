"""Durations and time controls as people write them: 250ms, 1m30s, 10:00; 30s+1s, 10m+5x30s, 10m+5m/25."""

import re

from gtp_variants.players.clock import TimeControl

DURATION = "a duration such as 250ms, 30s, 1m30s or 10:00 (minutes and seconds)"
CONTROL = (
    "none, or a time such as 10m (for the whole game), 30s+1s (more after each move), 10m+5x30s (five periods "
    "of byo-yomi) or 10m+5m/25 (five minutes for 25 stones)"
)

_UNITS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?) *(ms|s|sec|m|min|h)")
_PARTS = re.compile(rf"(?:{_PART.pattern} *)+")
_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d\d(?:\.\d+)?)")
_MOST_S = 1e7


def duration(text: str) -> float:
    """Seconds. Raises ValueError that says what is expected."""
    seconds = _seconds(text.strip().lower())
    if seconds is None or seconds > _MOST_S:
        raise ValueError(f"expected {DURATION}")
    return seconds


def _seconds(word: str) -> float | None:
    clock = _CLOCK.fullmatch(word)
    if clock is not None:
        return 3600.0 * int(clock[1] or 0) + 60.0 * int(clock[2]) + float(clock[3])
    if _PARTS.fullmatch(word):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(word))
    return 0.0 if word == "0" else None


def control(text: str) -> TimeControl:
    """A time control. Raises ValueError that says what is expected."""
    word = text.strip().lower()
    if word == "none":
        return TimeControl()
    try:
        return _control(word)
    except ValueError:
        raise ValueError(f"expected {CONTROL}") from None


def _control(word: str) -> TimeControl:
    main, plus, more = word.partition("+")
    main_s = duration(main)
    times, by, period = more.partition("x")
    share, per, stones = more.partition("/")
    if by:
        found = TimeControl("byoyomi", main_s, period_s=duration(period), periods=_count(times))
    elif per:
        found = TimeControl("canadian", main_s, period_s=duration(share), stones=_count(stones))
    elif plus:
        found = TimeControl("fischer", main_s, increment_s=duration(more))
    else:
        found = TimeControl("absolute", main_s)
    # Whoever has no main time has a period from the start.
    if (found.period_s if by or per else main_s) <= 0 or (plus and found.period_s + found.increment_s <= 0):
        raise ValueError(word)
    return found


def _count(text: str) -> int:
    if not text.strip().isdecimal() or not 0 < int(text) < 1000:
        raise ValueError(text)
    return int(text)


def control_text(control: TimeControl) -> str:
    """A time control as `control` reads it, in seconds: 30s+1s; "none" without one."""
    main = f"{control.main_s:g}s"
    if control.kind == "fischer":
        return f"{main}+{control.increment_s:g}s"
    if control.kind == "byoyomi":
        return f"{main}+{control.periods}x{control.period_s:g}s"
    if control.kind == "canadian":
        return f"{main}+{control.period_s:g}s/{control.stones}"
    return main if control.kind == "absolute" else "none"
