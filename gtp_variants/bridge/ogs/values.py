"""Conversion between OGS's values and ours: points, results, rules, people, time controls and clocks.

The server sends a clock as it was at the last move. The time since then is measured by the server's own clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import PeerGarbled
from gtp_variants.lang import load
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.records.katago_rules import rules_of_play
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import column_name, read_vertex
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rule_sets import OGS_RULES

PASS = "pass"
COLOURS = {"black": BLACK, "white": WHITE}
# A point is written as two of these 25 letters, its column and its row from the top; `..` is a pass.
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_PASSES = ".."
# The server's repetition rule -> our rule. All the server's other rules forbid only simple ko.
_REPETITIONS = {"psk": "psk", "csk": "psk", "ssk": "ssk"}
# Kind of time control -> field of `TimeControl` -> the server's key.
_CONTROLS: Mapping[str, Mapping[str, str]] = load(Path(__file__).with_suffix(".toml"))["controls"]
# The assumed length of a game, in moves per side.
_MOVES = 90
# The key of a player's own pause; the server ends all other pauses itself.
_PLAYERS_PAUSE = "paused"


def word_of(vertex: str, height: int) -> str:
    """Return a vertex or `pass` as the server writes it, on a board with this many rows."""
    if vertex == PASS:
        return _PASSES
    x, y = read_vertex(vertex)
    return _LETTERS[x] + _LETTERS[height - 1 - y]


def vertex_of(word: str, width: int, height: int) -> str:
    """Return the vertex of two letters, or `pass` for `..`. Raises PeerGarbled for any other text."""
    if word == _PASSES:
        return PASS
    if not _is_on_board(word, width, height):
        raise PeerGarbled(f"{word[:10]!r}: expected two letters, or {_PASSES}")
    return f"{column_name(_LETTERS.index(word[0]))}{height - _LETTERS.index(word[1])}"


def _is_on_board(word: str, width: int, height: int) -> bool:
    return len(word) == 2 and word[0] in _LETTERS[:width] and word[1] in _LETTERS[:height]


def vertices_of(words: object, width: int, height: int) -> tuple[str, ...]:
    """Return the vertices in a text of letter pairs, without pairs that are off the board; () without a text."""
    text = words if isinstance(words, str) else ""
    pairs = (text[start : start + 2] for start in range(0, len(text) - 1, 2))
    return tuple(vertex_of(pair, width, height) for pair in pairs if _is_on_board(pair, width, height))


def move_of(move: object, width: int, height: int) -> str:
    """Return the vertex or `pass` of a move: `[x, y, ...]`, `{x, y}` or letters. Raises PeerGarbled otherwise."""
    if isinstance(move, Mapping):
        move = [move.get("x"), move.get("y")]
    if isinstance(move, str):
        return vertex_of(move, width, height)
    if not isinstance(move, Sequence) or len(move) < 2 or not all(isinstance(each, int) for each in move[:2]):
        raise PeerGarbled(f"{str(move)[:40]}: expected a move, [x, y, milliseconds]")
    x, y = move[:2]
    if x < 0 or y < 0:
        return PASS
    if x >= width or y >= height:
        raise PeerGarbled(f"{str(move)[:40]}: off the board")
    return f"{column_name(x)}{height - y}"


def go_options(data: Json) -> dict[str, str]:
    """Return the server's rules as options of our Go, as far as they are known."""
    name, algorithm, self_capture = (data.get(key) for key in ("rules", "superko_algorithm", "allow_self_capture"))
    known = OGS_RULES.get(str(name).lower())
    return {
        **(rules_of_play(known) if known else {}),
        **({"repetition": _REPETITIONS.get(str(algorithm), "simple")} if algorithm else {}),
        **({"suicide": text_of(self_capture)} if isinstance(self_capture, bool) else {}),
    }


def rank_of(user: Mapping[str, object]) -> float | None:
    """Return a user's rank, where 30 is 1 dan, or None if it is unknown."""
    rank = user.get("ranking")
    return float(rank) if isinstance(rank, int | float) else None


def is_program(user: Mapping[str, object]) -> bool:
    """Return True if the server marks a user as a bot. The mark is a guess, modelled on the marks of other classes."""
    return "bot" in str(user.get("ui_class", "")).split()


@dataclass(slots=True)
class OgsPeople:
    """The known accounts by name, with their ids and languages; `me` is our own id."""

    me: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    langs: dict[str, str] = field(default_factory=dict)

    def langs_of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the known languages of these users, by name."""
        return {name: self.langs[name] for name in names if name in self.langs}


@dataclass(slots=True)
class OgsClock:
    """The clock of one game, as the server sent it last."""

    fields: Json = field(default_factory=dict)
    is_paused: bool = False
    # When the opponent stopped the clocks, in milliseconds of the server's time, or None if they have not.
    paused_by_player_ms: float | None = None

    def read(self, fields: Json) -> None:
        """Process a clock, which mentions pauses only when they change."""
        self.fields = fields
        pause = fields.get("pause")
        if isinstance(pause, dict):
            self.pause_by(pause.get("pause_control") or {"": {}} if pause.get("paused") else None)
        since = fields.get("paused_since")
        if self.paused_by_player_ms is not None and isinstance(since, int | float):
            self.paused_by_player_ms = float(since)

    def pause_by(self, control: object) -> None:
        """Note the reasons in `control` why the clocks are stopped. Without a reason, the clocks are running."""
        reasons = control if isinstance(control, Mapping) else {}
        self.is_paused = bool(reasons)
        # While the server has a reason of its own, the player's pause does not matter.
        is_players = _PLAYERS_PAUSE in reasons and len(reasons) == 1
        self.paused_by_player_ms = (self.paused_by_player_ms or 0.0) if is_players else None

    def left(self, control: TimeControl, ids: Mapping[int, int], now_ms: float) -> dict[int, Clock]:
        """Return both clocks at a given server time; `ids` has the players' ids by colour."""
        since, end_ms = self.fields.get("paused_since"), now_ms
        if self.is_paused and isinstance(since, int | float):
            end_ms = min(now_ms, since)
        gone_s = 0.0 if self.fields.get("start_mode") else self.since_last_move_s(end_ms)
        running = self.fields.get("current_player")
        return {
            colour: clock_of(control, self.fields.get(f"{side}_time"), gone_s if ids[colour] == running else 0.0)
            for side, colour in COLOURS.items()
        }

    def since_last_move_s(self, now_ms: float) -> float:
        """Return the seconds from the last move to a given server time, or 0 if the server does not say."""
        last = self.fields.get("last_move")
        return max(0.0, (now_ms - last) / 1000) if isinstance(last, int | float) else 0.0


def control_of(fields: object) -> TimeControl:
    """Return a time control: no limit if it is unknown, and a single period for a fixed time per move."""
    told: Mapping[str, object] = fields if isinstance(fields, Mapping) else {}
    system = str(told.get("system") or told.get("time_control"))
    given: Json = {ours: _seconds(told.get(theirs)) for ours, theirs in _CONTROLS.get(system, {}).items()}
    given |= {ours: int(given[ours]) for ours in ("periods", "stones") if ours in given}
    if "limit_s" in given:
        given["limit_s"] = given["limit_s"] or None
    if system == "simple":
        return TimeControl("byoyomi", periods=1, **given)
    return TimeControl(system if given else "none", **given)


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def time_fields(control: TimeControl, speed: str) -> Json:
    """Return a time control as the server's fields."""
    given = replace(control, limit_s=control.limit_s or max(control.main_s, control.increment_s) * 2)
    whole = {theirs: round(getattr(given, ours)) for ours, theirs in _CONTROLS.get(control.kind, {}).items()}
    return {"system": control.kind, "time_control": control.kind, "speed": speed, "pause_on_weekends": False, **whole}


def speed_of(control: TimeControl) -> str:
    """Return a control's likely speed: blitz under 10 s a move, correspondence over 1 h or untimed, otherwise live."""
    per_move_s = control.main_s / _MOVES + (control.increment_s or control.period_s / max(1, control.stones))
    if control.kind == "none" or per_move_s > 3600:
        return "correspondence"
    return "blitz" if per_move_s < 10 else "live"


def clock_of(control: TimeControl, told: object, gone_s: float) -> Clock:
    """Return one side's remaining time, `gone_s` seconds after the state that the server sent."""
    if not isinstance(told, Mapping):
        # With a fixed time per move the server sends only a timestamp, and every move starts with the full time.
        return Clock.full(control).while_thinking(gone_s)
    main_s = _seconds(told.get("thinking_time"))
    if main_s > 0 or control.kind not in ("byoyomi", "canadian"):
        clock = Clock(control, main_s)
    elif control.kind == "canadian":
        stones = int(_seconds(told.get("moves_left"))) or control.stones
        clock = Clock(control, _seconds(told.get("block_time")), stones)
    else:
        period_s = _seconds(told.get("period_time")) or control.period_s
        clock = Clock(control, period_s, max(1, int(_seconds(told.get("periods")))))
    return clock.while_thinking(gone_s)
