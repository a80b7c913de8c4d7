"""How OGS's clocks are read: time controls, what each side has left, and who has stopped the clocks.

The server tells a clock as it was when the last move was made. What has gone since is counted by the server's own time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.ogs.values import COLOURS
from gtp_variants.players.clock import Clock, TimeControl

# The assumed length of a game, in moves of each side.
_MOVES = 90

# The reason for a pause that is a player's: any other the server lifts itself.
_PLAYERS_PAUSE = "paused"


@dataclass(slots=True)
class OgsClock:
    """The clock of one game, as the server told it last."""

    fields: Json = field(default_factory=dict)
    is_paused: bool = False
    # Since when the opponent has stopped the clocks, in the server's milliseconds, None where nobody has.
    paused_by_player_ms: float | None = None

    def read(self, fields: Json) -> None:
        """Take a clock; what it says of a pause is there only when that changes."""
        self.fields = fields
        pause = fields.get("pause")
        if isinstance(pause, dict):
            self.pause_by(pause.get("pause_control") or {"": {}} if pause.get("paused") else None)
        since = fields.get("paused_since")
        if self.paused_by_player_ms is not None and isinstance(since, int | float):
            self.paused_by_player_ms = float(since)

    def pause_by(self, control: object) -> None:
        """Take the reasons for which the clocks stand still, none where they run."""
        reasons = control if isinstance(control, Mapping) else {}
        self.is_paused = bool(reasons)
        # Beside a pause of the server's own a player's does not count.
        is_players = _PLAYERS_PAUSE in reasons and len(reasons) == 1
        self.paused_by_player_ms = (self.paused_by_player_ms or 0.0) if is_players else None

    def left(self, control: TimeControl, ids: Mapping[int, int], now_ms: float) -> dict[int, Clock]:
        """Return both clocks at a time of the server's; `ids` are the players' by colour."""
        found = {}
        for side, colour in COLOURS.items():
            gone_s = self._gone_s(now_ms) if ids[colour] == self.fields.get("current_player") else 0.0
            found[colour] = clock_of(control, self.fields.get(f"{side}_time"), gone_s)
        return found

    def _gone_s(self, now_ms: float) -> float:
        if self.fields.get("start_mode"):
            return 0.0
        since = self.fields.get("paused_since")
        if self.is_paused and isinstance(since, int | float):
            now_ms = min(now_ms, since)
        return self.since_last_move_s(now_ms)

    def since_last_move_s(self, now_ms: float) -> float:
        """Return the seconds since the last move, at a time of the server's; 0 where the server does not say."""
        last = self.fields.get("last_move")
        return max(0.0, (now_ms - last) / 1000) if isinstance(last, int | float) else 0.0


def control_of(fields: object) -> TimeControl:
    """A time control of the server's; one that we do not know gives no clock. A time for each move is one period."""
    if not isinstance(fields, Mapping):
        return TimeControl()
    seconds = {key: _seconds(fields.get(key)) for key in _TIMES}
    match str(fields.get("system") or fields.get("time_control") or "none"):
        case "fischer":
            limit_s = seconds["max_time"] or None
            increment_s = seconds["time_increment"]
            return TimeControl("fischer", seconds["initial_time"], increment_s=increment_s, limit_s=limit_s)
        case "byoyomi":
            periods = int(seconds["periods"])
            return TimeControl("byoyomi", seconds["main_time"], period_s=seconds["period_time"], periods=periods)
        case "canadian":
            stones = int(seconds["stones_per_period"])
            return TimeControl("canadian", seconds["main_time"], period_s=seconds["period_time"], stones=stones)
        case "simple":
            return TimeControl("byoyomi", 0.0, period_s=seconds["per_move"], periods=1)
        case "absolute":
            return TimeControl("absolute", seconds["total_time"])
    return TimeControl()


_TIMES = (
    *("initial_time", "time_increment", "max_time", "main_time", "period_time", "periods", "stones_per_period"),
    *("per_move", "total_time"),
)


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def time_fields(control: TimeControl, speed: str) -> Json:
    """A time control as the server's."""
    fields: Json
    match control.kind:
        case "fischer":
            limit_s = control.limit_s or max(control.main_s, control.increment_s) * 2
            fields = {
                "initial_time": control.main_s,
                "time_increment": control.increment_s,
                "max_time": limit_s,
            }
        case "byoyomi":
            fields = {"main_time": control.main_s, "period_time": control.period_s, "periods": control.periods}
        case "canadian":
            stones = control.stones
            fields = {"main_time": control.main_s, "period_time": control.period_s, "stones_per_period": stones}
        case "absolute":
            fields = {"total_time": control.main_s}
        case _:
            fields = {}
    whole = {key: round(value) for key, value in fields.items()}
    return {"system": control.kind, "time_control": control.kind, "speed": speed, "pause_on_weekends": False, **whole}


def speed_of(control: TimeControl) -> str:
    """The class of a time control that we propose; the server may see it otherwise. Its helper for people calls less
    than 10 s a move blitz and more than an hour correspondence; which moves it averages over is a guess."""
    per_move_s = control.main_s / _MOVES + (control.increment_s or control.period_s / max(1, control.stones))
    if control.kind == "none" or per_move_s > 3600:
        return "correspondence"
    return "blitz" if per_move_s < 10 else "live"


def clock_of(control: TimeControl, told: object, gone_s: float) -> Clock:
    """Return one side's remaining time, from its time at the last move and the seconds that its clock has run since."""
    if control.kind == "none":
        return Clock(control)
    if not isinstance(told, Mapping):
        # With so much for each move a time stamp is told, and the time is whole at every move.
        full = Clock.full(control)
        return Clock(control, max(0.0, full.left_s - gone_s), full.left_count)
    left_s = _seconds(told.get("thinking_time")) - gone_s
    if control.kind == "byoyomi":
        return _byoyomi_clock(control, told, left_s, gone_s)
    if control.kind == "canadian" and left_s <= 0:
        is_over = _seconds(told.get("thinking_time")) <= 0
        left_s = _seconds(told.get("block_time")) - gone_s if is_over else control.period_s + left_s
        stones = int(_seconds(told.get("moves_left"))) if is_over else control.stones
        return Clock(control, max(0.0, left_s), stones or control.stones)
    return Clock(control, max(0.0, left_s))


def _byoyomi_clock(control: TimeControl, told: Mapping[str, object], left_s: float, gone_s: float) -> Clock:
    period_s = _seconds(told.get("period_time")) or control.period_s
    periods = int(_seconds(told.get("periods")))
    if _seconds(told.get("thinking_time")) > 0 and left_s > 0:
        return Clock(control, left_s)
    # Main time that has run out since goes over into the first period.
    left_s = left_s + period_s if _seconds(told.get("thinking_time")) > 0 else period_s - gone_s
    while left_s < 0 and periods > 1:
        left_s, periods = left_s + period_s, periods - 1
    return Clock(control, max(0.0, left_s), max(1, periods))
