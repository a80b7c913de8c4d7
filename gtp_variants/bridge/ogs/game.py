"""A game as OGS has it: its data, which arrive whole at `game/connect`, and what happens to them since.

Nothing here sends anything. Where what happens does not fit what we have, the data are to be asked for again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.bridge.core.server import OVER, PLAYING, SCORING, ServerGame, ServerMove
from gtp_variants.bridge.ogs import values
from gtp_variants.errors import PeerGarbled
from gtp_variants.json_values import Json
from gtp_variants.players.clock import Clock
from gtp_variants.rules.actions import BLACK, EMPTY, WHITE

_PHASES = {"play": PLAYING, "stone removal": SCORING, "finished": OVER}
# The reasons for a pause that are no player's: the server lifts them itself.
_PLAYERS_PAUSE = "paused"


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """A request for moves to be taken back: at which number of moves, by whom, how many; None where it is not told."""

    move_number: int
    by: int | None = None
    count: int | None = None


@dataclass(eq=False, slots=True)
class OgsGame:
    """One game; `data` is None until they came."""

    id: int
    data: Json | None = None
    vertices: list[str] = field(default_factory=list)
    clock: Json = field(default_factory=dict)
    is_paused: bool = False
    # Since when the opponent has stopped the clocks, in the server's milliseconds, None where nobody has.
    paused_by_player_ms: float | None = None
    undo: UndoAsked | None = None

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def known(self) -> Json:
        """The data. Raises PeerGarbled before they came."""
        if self.data is None:
            raise PeerGarbled(f"game {self.id}: nothing is known of it yet")
        return self.data

    @property
    def size(self) -> int:
        return int(self.known["width"])

    @property
    def phase(self) -> str:
        """PLAYING, SCORING or OVER."""
        return _PHASES.get(str(self.known.get("phase")), PLAYING)

    @property
    def ids(self) -> dict[int, int]:
        """The players' ids by colour."""
        return {colour: int(self.known["players"][side]["id"]) for side, colour in values.COLOURS.items()}

    @property
    def names(self) -> dict[int, str]:
        """The players' names by colour."""
        return {colour: str(self.known["players"][side]["username"]) for side, colour in values.COLOURS.items()}

    def name_of(self, player: object) -> str:
        """The name of a player by id, "" for who does not play."""
        return next((self.names[colour] for colour, each in self.ids.items() if each == player), "")

    def colour_of(self, player: int) -> int:
        """A player's colour, EMPTY for who does not play."""
        return next((colour for colour, each in self.ids.items() if each == player), EMPTY)

    @property
    def free_stones(self) -> int:
        """How many moves are Black's handicap stones, placed where he likes."""
        count = int(self.known.get("handicap") or 0)
        if count < 2 or self._stones() or not self.known.get("free_handicap_placement"):
            return 0
        return count

    def _stones(self) -> tuple[str, ...]:
        """The stones that stand before the first move; only Black ever has such."""
        state = self.known.get("initial_state")
        return values.vertices_of(state.get("black"), self.size) if isinstance(state, Mapping) else ()

    @property
    def placed(self) -> tuple[str, ...]:
        """The handicap stones that stand so far."""
        return (*self._stones(), *self.vertices[: self.free_stones])

    @property
    def to_play(self) -> int:
        """Whose move it is: by the moves, which are certain where clocks may be late."""
        count, free = len(self.vertices), self.free_stones
        if count < free:
            return BLACK
        first = WHITE if free else values.COLOURS.get(str(self.known.get("initial_player")), BLACK)
        return first if (count - free) % 2 == 0 else 3 - first

    def moves(self) -> tuple[ServerMove, ...]:
        """The moves after the handicap stones."""
        free = self.free_stones
        first = WHITE if free else values.COLOURS.get(str(self.known.get("initial_player")), BLACK)
        played = self.vertices[free:]
        return tuple((first if number % 2 == 0 else 3 - first, vertex) for number, vertex in enumerate(played))

    @property
    def speed(self) -> str:
        control = self.known.get("time_control")
        return str(control.get("speed") or "") if isinstance(control, Mapping) else ""

    def clocks(self, now_ms: float) -> dict[int, Clock]:
        """What both sides have left at a time of the server's."""
        control = values.control_of(self.known.get("time_control"))
        found = {}
        for side, colour in values.COLOURS.items():
            gone_s = self._gone_s(now_ms) if self.ids[colour] == self.clock.get("current_player") else 0.0
            found[colour] = values.clock_of(control, self.clock.get(f"{side}_time"), gone_s)
        return found

    def _gone_s(self, now_ms: float) -> float:
        """How long the clock of who is to move has run."""
        last = self.clock.get("last_move")
        if not isinstance(last, int | float) or self.clock.get("start_mode"):
            return 0.0
        since = self.clock.get("paused_since")
        if self.is_paused and isinstance(since, int | float):
            now_ms = min(now_ms, since)
        return max(0.0, (now_ms - last) / 1000)

    def since_last_move_s(self, now_ms: float) -> float:
        """How long ago the last move was made, at a time of the server's; 0 where that is not told."""
        last = self.clock.get("last_move")
        return max(0.0, (now_ms - last) / 1000) if isinstance(last, int | float) else 0.0

    def state(self, key: str, me: int, now_ms: float, langs: Mapping[str, str]) -> ServerGame:
        """The game in the words of the bridge's core."""
        colour, phase = self.colour_of(me), self.phase
        komi = self.known.get("komi")
        return ServerGame(
            key,
            self.size,
            colour,
            self.names,
            self.moves(),
            self.clocks(now_ms) if phase == PLAYING else {},
            phase,
            phase == PLAYING and self.to_play == colour and len(self.vertices) >= self.free_stones,
            len(self.placed),
            float(komi) if komi is not None else None,
            values.result_of(self.known, self.ids) if phase == OVER else "",
            values.vertices_of(self.known.get("removed"), self.size) if phase != PLAYING else (),
            placed=self.placed,
            langs=langs,
            speed=self.speed,
            is_paused=self.is_paused,
            options=values.go_options(self.known),
        )

    # -- what happens --------------------------------------------------------------------------------------------------

    def read(self, data: Json) -> None:
        """Take the whole game. Raises PeerGarbled, and KeyError, TypeError or ValueError for what is missing."""
        if int(data["width"]) != int(data["height"]):
            raise PeerGarbled(f"a board of {data['width']} by {data['height']}: expected a square one")
        moves = data.get("moves")
        if not isinstance(moves, Sequence):
            raise PeerGarbled(f"{str(moves)[:40]}: expected the moves of a game")
        if isinstance(moves, str):
            self.vertices = list(values.vertices_of(moves, int(data["width"])))
        else:
            self.vertices = [values.move_of(each, int(data["width"])) for each in moves]
        self.data, self.undo = data, None
        self._pause_by(data.get("pause_control"))
        clock = data.get("clock")
        if isinstance(clock, dict):
            self.read_clock(clock)

    def read_clock(self, clock: Json) -> None:
        """Take a clock; what it says of a pause is there only when that changes."""
        self.clock = clock
        pause = clock.get("pause")
        if isinstance(pause, dict):
            if pause.get("paused"):
                self._pause_by(pause.get("pause_control") or {"": {}})
            else:
                self._pause_by(None)
        since = clock.get("paused_since")
        if self.paused_by_player_ms is not None and isinstance(since, int | float):
            self.paused_by_player_ms = float(since)

    def _pause_by(self, control: object) -> None:
        reasons = control if isinstance(control, Mapping) else {}
        self.is_paused = bool(reasons)
        # Beside a pause of the server's own a player's does not count.
        is_players = _PLAYERS_PAUSE in reasons and len(reasons) == 1
        self.paused_by_player_ms = (self.paused_by_player_ms or 0.0) if is_players else None

    def read_move(self, data: object) -> bool:
        """Take a move; whether it is the next one. Another, but for one that we have, says that something was missed.

        Raises PeerGarbled.
        """
        if not isinstance(data, Mapping):
            raise PeerGarbled(f"{str(data)[:40]}: expected a move")
        number = int(data.get("move_number") or 0)
        vertex = values.move_of(data.get("move"), self.size)
        if number == len(self.vertices) and self.vertices[-1:] == [vertex]:
            return True
        if number != len(self.vertices) + 1:
            return False
        self.vertices.append(vertex)
        # A new move clears a request.
        self.undo = None
        return True

    def read_undo_request(self, data: object) -> UndoAsked:
        """Take a request: a number of moves, or an object."""
        if isinstance(data, Mapping):
            by, count = data.get("requested_by"), data.get("undo_move_count")
            number = int(data.get("move_number") or len(self.vertices))
            is_known = isinstance(by, int), isinstance(count, int)
            self.undo = UndoAsked(number, by if is_known[0] else None, count if is_known[1] else None)
        else:
            self.undo = UndoAsked(int(str(data)))
        return self.undo

    def undo_moves(self, data: object) -> None:
        """Take back what was agreed on: as many moves as is said now, or was said in the request, or one."""
        told = data.get("undo_move_count") if isinstance(data, Mapping) else None
        count = told if isinstance(told, int) else (self.undo.count if self.undo is not None else None)
        del self.vertices[max(0, len(self.vertices) - (1 if count is None else count)) :]
        self.undo = None
