"""What a clock shows."""

from gtp_variants.players.clock import Clock

_MINUTE_S = 60
_HOUR_S = 3600
# Under so many seconds tenths are told.
_HURRY_S = 10.0


def clock_text(clock: Clock, spent_s: float | None = None, elapsed_s: float = 0.0) -> str:
    """What a clock shows after some more seconds; without a time control how long was thought, if that is known.

    In byo-yomi the periods stand behind the time, as `0:25 (3x0:30)`; in a Canadian period the stones, as `4:10/25`.
    """
    control = clock.control
    if control.kind == "none":
        return "" if spent_s is None else minutes(spent_s + elapsed_s)
    now = clock.while_thinking(elapsed_s)
    shown = f"{now.left_s:.1f}" if now.left_s < _HURRY_S else minutes(now.left_s)
    if not now.left_count:
        return shown
    if control.kind == "byoyomi":
        return f"{shown} ({now.left_count}x{minutes(control.period_s)})"
    return f"{shown}/{now.left_count}"


def minutes(seconds: float) -> str:
    """Seconds as a clock shows them: 1:05, or 2:01:05."""
    whole = int(seconds)
    text = f"{whole // _MINUTE_S % _MINUTE_S}:{whole % _MINUTE_S:02}"
    if whole < _HOUR_S:
        return text
    return f"{whole // _HOUR_S}:{whole // _MINUTE_S % _MINUTE_S:02}:{whole % _MINUTE_S:02}"
