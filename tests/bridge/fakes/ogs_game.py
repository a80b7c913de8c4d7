"""Games on a local OGS: moves, undo, pauses, clocks, removal and scoring, chat, and what each of these tells to whom.

The board knows only Go. Who is connected to a game hears everything that happens in it; what must be known without that
comes as `active_game`.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.boards.chains import area, without
from gtp_variants.rules.boards.handicap import fixed_points
from gtp_variants.rules.game import Game
from tests.bridge.fakes.ogs_clock import Fields, GameClock

SIDES = {"black": BLACK, "white": WHITE}
LETTERS = "abcdefghijklmnopqrstuvwxy"
# Rules: free handicap, repetition, points for White's handicap.
_RULES = {
    "chinese": (True, "csk"),
    "aga": (True, "ssk"),
    "japanese": (False, "noresult"),
    "korean": (False, "noresult"),
}
_REPETITION = {"csk": "psk", "ssk": "ssk", "noresult": "simple"}


@dataclass
class OgsHabits:
    """Variable behaviour of the server, chosen by each test."""

    # After the second pass: whether `phase` comes before `move`; seconds until it scores, None for never by itself.
    phase_first: bool = True
    score_s: float | None = 0.05
    # Of undo: whether requests are told as a number; how many moves go, None for what is usual.
    undo_as_number: bool = False
    undo_count: int | None = None
    data_after_undo: bool = False
    # The whole game is told twice, and after moves; echoes of so many moves get lost.
    repeats_data: bool = False
    lost_echoes: int = 0
    # Moves at these vertices are refused.
    refuses: set[str] = field(default_factory=set)
    dead: set[str] = field(default_factory=set)
    drift_ms: float = 0.0


@dataclass(eq=False)
class LocalGame:
    """A game; `tell` sends an event to all who are connected to it, `tell_players` to its players wherever they are."""

    id: int
    fields: Fields
    players: dict[str, Fields]
    habits: OgsHabits
    tell: Callable[["LocalGame", str, Any], None]
    tell_players: Callable[["LocalGame", str, Any], None]
    phase: str = "play"
    moves: list[tuple[int, int, int]] = field(default_factory=list)
    removed: str = ""
    accepted: set[int] = field(default_factory=set)
    undo: Fields | None = None
    outcome: str = ""
    winner: int = 0
    chat: list[Fields] = field(default_factory=list)
    watchers: set[Any] = field(default_factory=set)
    # What people see, in order.
    seen: list[str] = field(default_factory=list)
    clock: GameClock = field(init=False)
    game: Game = field(init=False)
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self.size, self.height = int(self.fields["width"]), int(self.fields["height"])
        is_free, self.superko = _RULES[self.fields["rules"]]
        self.handicap = int(self.fields.get("handicap") or 0)
        self.is_free = (is_free or self.size not in (9, 13, 19)) and self.handicap > 1
        komi = self.fields.get("komi")
        self.komi = 7.5 if komi is None else float(komi)
        board = f"width={self.size},height={self.height}"
        self.rules: Any = parse(f"go:{board},komi={self.komi:g},repetition={_REPETITION[self.superko]}")
        self.clock = GameClock(self.fields["time_control"], self.habits.drift_ms)
        self._replay()

    # -- what it is ----------------------------------------------------------------------------------------------------

    def _fixed(self) -> list[int]:
        """Handicap stones that the server puts down."""
        if self.handicap < 2 or self.is_free:
            return []
        return fixed_points(self.rules.board, self.handicap) or []

    @property
    def initial(self) -> Fields:
        """The stones on the board before the first move, in letters, and who moves first."""
        fixed = "".join(self.word(self.rules.board.vertex(point)) for point in self._fixed())
        usual = {"black": fixed, "white": "", "first": "white" if fixed else "black"}
        return usual | dict(self.fields.get("initial_state") or {})

    def _replay(self) -> None:
        """The board from its moves."""
        initial = self.initial
        free = [self._point(x, y) for x, y, _ in self.moves[: self.handicap]] if self.is_free else []
        setup = dict.fromkeys(free, BLACK)
        for side, colour in SIDES.items():
            letters = iter(initial[side])
            setup |= {self._point(LETTERS.index(x), LETTERS.index(next(letters))): colour for x in letters}
        self.game = Game(self.rules, setup, WHITE if free else SIDES[initial["first"]])
        for x, y, _ in self.moves[len(free) :]:
            if self.game.position.passes >= 2:
                self._go_on()
            self.game.play(self.game.position.mover, self._point(x, y))

    def _go_on(self) -> None:
        """Resume play after two passes."""
        stones = {point: stone for point, stone in enumerate(self.game.position.stones) if stone}
        last = next(event.actor for event in reversed(self.game.events))
        self.game = Game(self.rules, stones, 3 - last)

    def _point(self, x: int, y: int) -> int:
        return PASS if x < 0 else (self.height - 1 - y) * self.size + x

    def side_of(self, player: int) -> str:
        return next((side for side, each in self.players.items() if each["id"] == player), "")

    @property
    def to_play(self) -> str:
        if self.is_free and len(self.moves) < self.handicap:
            return "black"
        free = self.handicap if self.is_free else 0
        white_first = bool(free) or self.initial["first"] == "white"
        return "white" if (len(self.moves) - free) % 2 != white_first else "black"

    @property
    def player_to_move(self) -> int:
        return int(self.players[self.to_play]["id"])

    @property
    def vertices(self) -> list[str]:
        """All moves as people write them."""
        board = self.rules.board
        return ["pass" if x < 0 else board.vertex(self._point(x, y)) for x, y, _ in self.moves]

    def word(self, vertex: str) -> str:
        """A vertex or `pass` as a client sends it."""
        if vertex == "pass":
            return ".."
        point = self.rules.board.point(vertex)
        return LETTERS[point % self.size] + LETTERS[self.height - 1 - point // self.size]

    def listed(self) -> Fields:
        """The game in `active_game`."""
        sides = {
            side: {"id": each["id"], "username": each["username"], "rank": 10, "accepted": False}
            for side, each in self.players.items()
        }
        told = {"width": self.size, "height": self.height, "move_number": len(self.moves)}
        paused = int(self.clock.is_paused)
        fields = {"id": self.id, "phase": self.phase, "name": self.fields["name"], "paused": paused, **told, **sides}
        return fields if self.phase == "finished" else {**fields, "player_to_move": self.player_to_move}

    def clock_fields(self) -> Fields:
        fields: Fields = {
            "game_id": self.id,
            "title": self.fields["name"],
            "current_player": self.player_to_move,
            "black_player_id": self.players["black"]["id"],
            "white_player_id": self.players["white"]["id"],
            "last_move": int(self.clock.last_move),
            "expiration": int(self.clock.now() + 1000 * (self.clock.left_s(self.to_play) or 3600)),
            "black_time": self.clock.time("black"),
            "white_time": self.clock.time("white"),
        }
        if len(self.moves) % 2:
            # It comes and goes.
            fields["now"] = int(self.clock.now())
        if not self.clock.is_started:
            fields["start_mode"] = True
        if self.clock.paused_since is not None:
            fields["paused_since"] = int(self.clock.paused_since)
        return fields

    def data(self) -> Fields:
        """The whole game."""
        fields = {key: value for key, value in self.fields.items() if key in ("rules", "ranked", "time_control")}
        initial = self.initial
        fields |= {
            "game_id": self.id,
            "game_name": self.fields["name"],
            "width": self.size,
            "height": self.height,
            "phase": self.phase,
            "komi": self.komi,
            "handicap": self.handicap,
            "free_handicap_placement": self.is_free,
            "initial_player": initial.pop("first"),
            "initial_state": initial,
            "black_player_id": self.players["black"]["id"],
            "white_player_id": self.players["white"]["id"],
            "players": {side: {**each, "rank": 10.0, "professional": False} for side, each in self.players.items()},
            "clock": self.clock_fields(),
            "moves": [list(move) for move in self.moves],
            "private": False,
            "disable_analysis": bool(self.fields.get("disable_analysis")),
            "original_disable_analysis": bool(self.fields.get("disable_analysis")),
            "start_time": int(time.time()),
            "pause_control": {"paused": {"pausing_player_id": 0, "pauses_left": 4}} if self.clock.is_paused else {},
            "allow_self_capture": False,
            "superko_algorithm": self.superko,
            "removed": self.removed,
        }
        if self.phase == "finished":
            fields |= {"outcome": self.outcome, "winner": self.winner, "end_time": int(time.time())}
        return fields

    # -- what is done --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        self.tell_players(self, "active_game", self.listed())

    def _see(self, text: str) -> None:
        self.seen.append(text)

    def move(self, player: int, word: str) -> str:
        """Play; what is wrong with it, "" for nothing."""
        side = self.side_of(player)
        if self.phase != "play" or side != self.to_play:
            return "it is not your turn"
        x, y = (-1, -1) if word == ".." else (LETTERS.index(word[0]), LETTERS.index(word[1]))
        if x >= self.size or y >= self.height:
            return "off the board"
        point = self._point(x, y)
        if point != PASS and self.rules.board.vertex(point) in self.habits.refuses:
            return "refused"
        old = list(self.moves)
        self.moves.append((x, y, 0))
        try:
            self._replay()
        except (VariantsError, TypeError, ValueError) as error:
            self.moves = old
            self._replay()
            return str(error)
        self.moves[-1] = x, y, self.clock.move(side)
        self.undo = None
        self._see(f"{side.capitalize()} plays {self.vertices[-1]}.")
        self._tell_move()
        return ""

    def _tell_move(self) -> None:
        move = {"game_id": self.id, "move_number": len(self.moves), "move": list(self.moves[-1])}
        ends = [x for x, _, _ in self.moves[-2:]] == [-1, -1] and self.game.position.passes >= 2
        if ends:
            self.phase, self.removed = "stone removal", ""
        if ends and self.habits.phase_first:
            self.tell(self, "phase", self.phase)
        if self.habits.lost_echoes:
            self.habits.lost_echoes -= 1
        else:
            self.tell(self, "move", move)
        if ends and not self.habits.phase_first:
            self.tell(self, "phase", self.phase)
        self.tell_clock()
        if self.habits.repeats_data:
            self.tell(self, "gamedata", self.data())
        self.tell_players(self, "active_game", self.listed())
        if ends:
            self._begin_scoring()

    def tell_clock(self, pause: Fields | None = None) -> None:
        """Send the clocks, and watch the side to move for a loss on time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.phase == "finished":
            return
        self.tell(self, "clock", {**self.clock_fields(), **({"pause": pause} if pause else {})})
        left_s = self.clock.left_s(self.to_play)
        if self.phase == "play" and left_s is not None:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, left_s), self._flag)

    def stop(self) -> None:
        """Nobody's time runs any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _flag(self) -> None:
        left_s = self.clock.left_s(self.to_play)
        if self.phase == "play" and left_s is not None and left_s <= 0:
            self.end("Timeout", "white" if self.to_play == "black" else "black")

    def resign(self, player: int) -> None:
        side = self.side_of(player)
        if side and self.phase != "finished":
            self.end("Resignation", "white" if side == "black" else "black")

    def cancel(self, player: int) -> None:
        if self.side_of(player) and len(self.moves) < 5 + self.handicap:
            self.end("Cancellation", "")

    def pause(self, player: int, on: bool) -> None:
        if not self.side_of(player) or self.phase == "finished":
            return
        if on:
            self.clock.pause()
        else:
            self.clock.resume()
        self._see(f"{self.side_of(player).capitalize()} {'stops the clocks' if on else 'lets the clocks go on'}.")
        reasons = {"paused": {"pausing_player_id": player, "pauses_left": 4}} if on else {}
        since = self.clock.paused_since
        self.tell_clock({"paused": on, "paused_since": int(since or 0), "pause_control": reasons})

    # -- undo ----------------------------------------------------------------------------------------------------------

    def ask_undo(self, player: int) -> None:
        if not self.side_of(player) or self.phase != "play" or not self.moves:
            return
        usual = 2 if player == self.player_to_move else 1
        count = min(len(self.moves), self.habits.undo_count or usual)
        self.undo = {"move_number": len(self.moves), "requested_by": player, "undo_move_count": count}
        self._see(f"{self.side_of(player).capitalize()} asks for an undo.")
        self.tell(self, "undo_requested", len(self.moves) if self.habits.undo_as_number else dict(self.undo))

    def accept_undo(self, player: int, move_number: object) -> None:
        asked = self.undo
        if asked is None or player == asked["requested_by"] or not self.side_of(player):
            return
        if move_number != asked["move_number"]:
            return
        self.undo = None
        del self.moves[len(self.moves) - asked["undo_move_count"] :]
        self._replay()
        self.clock.last_move = self.clock.now()
        self._see(f"{self.side_of(player).capitalize()} lets the move be undone.")
        told = {"move_number": len(self.moves), "undo_move_count": asked["undo_move_count"]}
        self.tell(self, "undo_accepted", len(self.moves) if self.habits.undo_as_number else told)
        self.tell_clock()
        if self.habits.data_after_undo:
            self.tell(self, "gamedata", self.data())

    def cancel_undo(self, player: int) -> None:
        if self.undo is not None and self.side_of(player):
            self.undo = None
            self._see(f"{self.side_of(player).capitalize()} does not let it be undone.")
            self.tell(self, "undo_canceled", len(self.moves))

    # -- the end -------------------------------------------------------------------------------------------------------

    def _begin_scoring(self) -> None:
        self.accepted.clear()
        board = self.rules.board
        on_board = [vertex for vertex in sorted(self.habits.dead) if self.game.position.stones[board.point(vertex)]]
        self.removed = "".join(self.word(vertex) for vertex in on_board)
        if self.removed:
            self.tell(self, "removed_stones", {"removed": True, "stones": self.removed, "all_removed": self.removed})
        if self.habits.score_s is not None:
            asyncio.get_running_loop().call_later(self.habits.score_s, self._score, len(self.moves))

    def _score(self, count: int) -> None:
        if self.phase != "stone removal" or len(self.moves) != count:
            return
        board = self.rules.board
        pairs = [self.removed[start : start + 2] for start in range(0, len(self.removed), 2)]
        gone = {self._point(LETTERS.index(pair[0]), LETTERS.index(pair[1])) for pair in pairs}
        counted = area(board, without(self.game.position.stones, gone))
        score = counted[BLACK] - counted[WHITE] - self.komi - (self.handicap if self.handicap > 1 else 0)
        winner = "black" if score > 0 else "white" if score < 0 else ""
        fields = {"player_id": 0, "stones": self.removed, "strict_seki_mode": False, "phase": "finished"}
        self.tell(self, "removed_stones_accepted", fields)
        self.end(f"{abs(score):g} points", winner)

    def accept_stones(self, player: int, stones: object) -> None:
        if self.phase != "stone removal" or stones != self.removed or not self.side_of(player):
            return
        self.accepted.add(player)
        fields = {"player_id": player, "stones": self.removed, "strict_seki_mode": False, "phase": self.phase}
        self.tell(self, "removed_stones_accepted", fields)
        if len(self.accepted) == 2:
            self._score(len(self.moves))

    def reject_stones(self, player: int) -> None:
        """Resume play; the passes stay in the list of moves."""
        if self.phase != "stone removal" or not self.side_of(player):
            return
        self.phase, self.removed = "play", ""
        self._go_on()
        self._see(f"{self.side_of(player).capitalize()} goes back to the game.")
        self.tell(self, "phase", "play")
        self.tell_clock()

    def end(self, outcome: str, winner: str) -> None:
        self.phase, self.outcome = "finished", outcome
        self.winner = self.players[winner]["id"] if winner else 0
        self.stop()
        self._see(f"The game is over: {f'{winner.capitalize()} wins by ' if winner else ''}{outcome}.")
        self.tell(self, "gamedata", self.data())
        self.tell(self, "phase", "finished")
        self.tell_players(self, "active_game", self.listed())
