"""The clocks of a local OGS: every kind, in the server's form, and losses on time."""

import time
from dataclasses import dataclass, field
from typing import Any

from gtp_variants.players.clock import Clock, TimeControl

Fields = dict[str, Any]


def control_of(fields: Fields) -> TimeControl:
    """A time control as the server's fields say it."""
    match fields["system"]:
        case "fischer":
            increment_s, limit_s = fields["time_increment"], fields["max_time"]
            return TimeControl("fischer", fields["initial_time"], increment_s=increment_s, limit_s=limit_s)
        case "byoyomi":
            return TimeControl(
                "byoyomi", fields["main_time"], period_s=fields["period_time"], periods=fields["periods"]
            )
        case "canadian":
            stones = fields["stones_per_period"]
            return TimeControl("canadian", fields["main_time"], period_s=fields["period_time"], stones=stones)
        case "simple":
            return TimeControl("byoyomi", 0.0, period_s=fields["per_move"], periods=1)
        case "absolute":
            return TimeControl("absolute", fields["total_time"])
        case "none":
            return TimeControl()
    raise ValueError(f"no such time control: {fields}")


@dataclass
class GameClock:
    """The clocks of one game; times of the server are in milliseconds."""

    time_control: Fields
    drift_ms: float = 0.0
    left: dict[str, Clock] = field(init=False)
    last_move: float = field(init=False)
    is_started: bool = False
    paused_since: float | None = None
    is_paused: bool = False

    def __post_init__(self) -> None:
        control = control_of(self.time_control)
        self.left = {"black": Clock.full(control), "white": Clock.full(control)}
        self.last_move = self.now()

    def now(self) -> float:
        return time.time() * 1000 + self.drift_ms

    def move(self, side: str) -> int:
        """Somebody has moved; the milliseconds it took."""
        now = self.now()
        spent = now - self.last_move
        if self.is_started and not self.is_paused:
            self.left[side] = self.left[side].after(spent / 1000)
        self.is_started, self.last_move = True, now
        return int(spent)

    def left_s(self, side: str) -> float | None:
        """Return the seconds until the side to move loses on time, or None for never."""
        if not self.is_started or self.is_paused or self.time_control["system"] == "none":
            return None
        return self.left[side].longest_s - (self.now() - self.last_move) / 1000

    def pause(self) -> None:
        if not self.is_paused:
            self.is_paused, self.paused_since = True, self.now()

    def resume(self) -> None:
        if self.is_paused and self.paused_since is not None:
            self.is_paused = False
            self.last_move += self.now() - self.paused_since

    def fields(self, side: str) -> Fields:
        """One side's time, as of the last move."""
        clock, system = self.left[side], self.time_control["system"]
        main_s = clock.left_s if not clock.left_count else 0
        match system:
            case "fischer":
                return {"thinking_time": clock.left_s, "skip_bonus": False}
            case "byoyomi":
                periods = clock.left_count or self.time_control["periods"]
                period_s = self.time_control["period_time"]
                return {"thinking_time": main_s, "periods": periods, "period_time": period_s}
            case "canadian":
                block_s = clock.left_s if clock.left_count else self.time_control["period_time"]
                stones = clock.left_count or self.time_control["stones_per_period"]
                return {"thinking_time": main_s, "moves_left": stones, "block_time": block_s}
            case "absolute":
                return {"thinking_time": clock.left_s}
        return {}

    def time(self, side: str) -> Any:
        """Return the server's data on a side's time; for a time per move, a time stamp."""
        return int(self.last_move) if self.time_control["system"] == "simple" else self.fields(side)
