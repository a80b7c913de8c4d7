"""Time controls and clocks as values. Nothing here reads the time: whoever measures says how long it took."""

from dataclasses import dataclass

KINDS = ("none", "absolute", "canadian", "byoyomi", "fischer")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a game gives each side.

    `main_s` for the whole game; then, by kind: `canadian` periods of `period_s` for `stones` stones, `byoyomi`
    `periods` periods of `period_s` a move, `fischer` `increment_s` more after each move, at most `limit_s` in all.
    """

    kind: str = "none"
    main_s: float = 0.0
    period_s: float = 0.0
    stones: int = 0
    periods: int = 0
    increment_s: float = 0.0
    limit_s: float | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """What one side has left: seconds of the main time, or of the present period with stones or periods to go.

    `left_s` is None while nobody has told; then the whole of the control is left.
    """

    control: TimeControl = TimeControl()
    left_s: float | None = None
    left_count: int = 0


NO_LIMIT = Clock()
