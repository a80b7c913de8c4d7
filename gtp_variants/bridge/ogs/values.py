"""OGS's values and ours: points, results, rules, people, and how clocks are read.

The server tells a clock as it was when the last move was made. What has gone since is counted by the server's own time.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.base.json_values import Json
from gtp_variants.errors import PeerGarbled
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import column_name, read_vertex

PASS = "pass"
COLOURS = {"black": BLACK, "white": WHITE}
# Two letters a point, of which there are 25 of either kind at most; `..` is a pass.
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_PASSES = ".."
_POINTS = re.compile(r"(\d+(?:\.\d+)?) points?")
_HOW = {"resignation": "R", "timeout": "T", "time": "T", "disconnection": "T"}
# The server's repetition rules in our words: those that it settles by itself forbid no more than a simple ko.
_REPETITIONS = {"psk": "psk", "csk": "psk", "ssk": "ssk"}


# -- points ------------------------------------------------------------------------------------------------------------


def word_of(vertex: str, size: int) -> str:
    """A vertex or `pass` as the server writes it: column and row from the top left, `..` for a pass."""
    if vertex == PASS:
        return _PASSES
    x, y = read_vertex(vertex)
    return _LETTERS[x] + _LETTERS[size - 1 - y]


def vertex_of(word: str, size: int) -> str:
    """The vertex of two letters, or `pass`. Raises PeerGarbled."""
    if word == _PASSES:
        return PASS
    if len(word) != 2 or any(letter not in _LETTERS[:size] for letter in word):
        raise PeerGarbled(f"{word[:10]!r}: expected two letters, or {_PASSES}")
    return f"{column_name(_LETTERS.index(word[0]))}{size - _LETTERS.index(word[1])}"


def vertices_of(words: object, size: int) -> tuple[str, ...]:
    """The vertices of a text of two letters each, those that are none left out."""
    text = words if isinstance(words, str) else ""
    pairs = (text[start : start + 2] for start in range(0, len(text) - 1, 2))
    return tuple(vertex_of(pair, size) for pair in pairs if all(letter in _LETTERS[:size] for letter in pair))


def move_of(move: object, size: int) -> str:
    """The vertex of a move in the list of a game, or `pass`: `[x, y, milliseconds, ...]`. Raises PeerGarbled."""
    if isinstance(move, Mapping):
        move = [move.get("x"), move.get("y")]
    if isinstance(move, str):
        return vertex_of(move, size)
    if not isinstance(move, Sequence) or len(move) < 2 or not all(isinstance(each, int) for each in move[:2]):
        raise PeerGarbled(f"{str(move)[:40]}: expected a move, [x, y, milliseconds]")
    x, y = move[:2]
    if x < 0 or y < 0:
        return PASS
    if x >= size or y >= size:
        raise PeerGarbled(f"{str(move)[:40]}: off the board")
    return f"{column_name(x)}{size - y}"


# -- the end, and rules ------------------------------------------------------------------------------------------------


def result_of(data: Json, players: Mapping[int, int]) -> str:
    """The result of a game that is over as an SGF `RE`; `players` are the ids by colour. "" where nothing is told."""
    outcome = str(data.get("outcome") or "").strip()
    if not outcome:
        return ""
    if outcome.lower().startswith("cancel") or data.get("annulled"):
        return "Void"
    colour = next((each for each, player in players.items() if player == data.get("winner")), None)
    points = _POINTS.search(outcome)
    if colour is None:
        return "0" if points or "tie" in outcome.lower() or "draw" in outcome.lower() else "Void"
    # Whatever else there is, such as a moderator's decision, is nobody's resignation.
    how = points[1] if points else _HOW.get(outcome.lower().split()[0], "F")
    return f"{'B' if colour == BLACK else 'W'}+{how}"


def go_options(data: Json) -> dict[str, str]:
    """Return the server's rules as options of our Go."""
    algorithm = data.get("superko_algorithm")
    return {"repetition": _REPETITIONS.get(str(algorithm), "simple")} if algorithm else {}


# -- people ------------------------------------------------------------------------------------------------------------


def rank_of(user: Mapping[str, object]) -> float | None:
    """The rank in what is told of a user, 30 for 1 dan; None where there is none."""
    rank = user.get("ranking")
    return float(rank) if isinstance(rank, int | float) else None


def is_program(user: Mapping[str, object]) -> bool:
    """Return True if the server marks a user as a bot; its mark is a guess from those of moderators and beginners."""
    return "bot" in str(user.get("ui_class", "")).split()


@dataclass(slots=True)
class OgsPeople:
    """The accounts we know by name, with their ids and their languages; `me` is our own id."""

    me: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    langs: dict[str, str] = field(default_factory=dict)

    def langs_of(self, names: Iterable[str]) -> dict[str, str]:
        """The languages, by name, that are known."""
        return {name: self.langs[name] for name in names if name in self.langs}


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
