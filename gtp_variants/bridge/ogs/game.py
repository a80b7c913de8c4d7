"""Games at OGS: one game as the server reports it, and all games that we are in.

`game/connect` returns all data of a game, and events update it. If an event does not fit the data, the whole game is
requested again.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import BackgroundTasks, TaskWork, Timers
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.game_sync import rules_of
from gtp_variants.bridge.ogs import values
from gtp_variants.bridge.ogs.transport import OgsTransport
from gtp_variants.bridge.ogs.values import OgsClock, OgsPeople, control_of, word_of
from gtp_variants.errors import PeerGarbled, PeerGone
from gtp_variants.lang import say
from gtp_variants.records.sgf.ogs_games import result_of
from gtp_variants.rules.actions import BLACK, EMPTY, WHITE
from gtp_variants.rules.boards.handicap import free_points

_PHASES = {"play": core.PLAYING, "stone removal": core.SCORING, "finished": core.OVER}


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """An undo request: moves played so far, the player who asks, and moves to undo. Unknown values are None."""

    move_number: int
    by: int | None = None
    count: int | None = None


@dataclass(eq=False, slots=True)
class OgsGame:
    """One game; `data` is None until the game's data has arrived."""

    id: int
    data: Json | None = None
    vertices: list[str] = field(default_factory=list)
    clock: OgsClock = field(default_factory=OgsClock)
    undo: UndoAsked | None = None

    @property
    def known(self) -> Json:
        """The game's data. Raises PeerGarbled before it has arrived."""
        if self.data is None:
            raise PeerGarbled(f"game {self.id}: its data has not arrived")
        return self.data

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of columns and rows."""
        return int(self.known["width"]), int(self.known["height"])

    @property
    def phase(self) -> str:
        """PLAYING, SCORING or OVER."""
        return _PHASES.get(str(self.known.get("phase")), core.PLAYING)

    @property
    def ids(self) -> dict[int, int]:
        return {colour: int(self.known["players"][side]["id"]) for side, colour in values.COLOURS.items()}

    @property
    def names(self) -> dict[int, str]:
        return {colour: str(self.known["players"][side]["username"]) for side, colour in values.COLOURS.items()}

    def name_of(self, player: object) -> str:
        """Return a player's name by id, or "" for other users."""
        return next((self.names[colour] for colour, each in self.ids.items() if each == player), "")

    def colour_of(self, player: int) -> int:
        """Return a player's colour by id, or EMPTY for other users."""
        return next((colour for colour, each in self.ids.items() if each == player), EMPTY)

    @property
    def free_stones(self) -> int:
        """The number of Black's first moves that are freely placed handicap stones."""
        count = int(self.known.get("handicap") or 0)
        if count < 2 or self._stones("black") or not self.known.get("free_handicap_placement"):
            return 0
        return count

    def _stones(self, side: str) -> tuple[str, ...]:
        """Return one side's stones on the board before the first move."""
        state = self.known.get("initial_state")
        return values.vertices_of(state.get(side), *self.size) if isinstance(state, Mapping) else ()

    @property
    def placed(self) -> tuple[str, ...]:
        """The handicap stones placed so far."""
        return (*self._stones("black"), *self.vertices[: self.free_stones])

    @property
    def to_play(self) -> int:
        """The colour to move, counted from the moves, because clocks may be late."""
        count, free = len(self.vertices), self.free_stones
        if count < free:
            return BLACK
        return self._first_to_play if (count - free) % 2 == 0 else 3 - self._first_to_play

    @property
    def _first_to_play(self) -> int:
        return WHITE if self.free_stones else values.COLOURS.get(str(self.known.get("initial_player")), BLACK)

    def moves(self) -> tuple[core.ServerMove, ...]:
        """Return the moves after the handicap stones."""
        first, played = self._first_to_play, self.vertices[self.free_stones :]
        return tuple((first if number % 2 == 0 else 3 - first, vertex) for number, vertex in enumerate(played))

    @property
    def speed(self) -> str:
        control = self.known.get("time_control")
        return str(control.get("speed") or "") if isinstance(control, Mapping) else ""

    def state(self, key: str, me: int, now_ms: float, langs: Mapping[str, str]) -> core.ServerGame:
        """Return the game in the form that the bridge's core expects."""
        colour, phase = self.colour_of(me), self.phase
        komi, control = self.known.get("komi"), control_of(self.known.get("time_control"))
        return core.ServerGame(
            key,
            self.size[0],
            colour,
            self.names,
            self.moves(),
            self.clock.left(control, self.ids, now_ms) if phase == core.PLAYING else {},
            phase,
            phase == core.PLAYING and self.to_play == colour and len(self.vertices) >= self.free_stones,
            len(self.placed) if not self._stones("white") else 0,
            float(komi) if komi is not None else None,
            result_of(self.known, self.ids) if phase == core.OVER else "",
            values.vertices_of(self.known.get("removed"), *self.size) if phase != core.PLAYING else (),
            height=self.size[1],
            placed=self.placed,
            langs=langs,
            speed=self.speed,
            is_paused=self.clock.is_paused,
            options=values.go_options(self.known),
            placed_white=self._stones("white"),
            first=self._first_to_play,
        )

    def read(self, data: Json) -> None:
        """Read the whole game. Raises PeerGarbled, KeyError, TypeError or ValueError for malformed data."""
        moves, size = data.get("moves"), (int(data["width"]), int(data["height"]))
        if not isinstance(moves, Sequence):
            raise PeerGarbled(f"{str(moves)[:40]}: expected the moves of a game")
        if isinstance(moves, str):
            self.vertices = list(values.vertices_of(moves, *size))
        else:
            self.vertices = [values.move_of(each, *size) for each in moves]
        self.data, self.undo = data, None
        self.clock.pause_by(data.get("pause_control"))
        clock = data.get("clock")
        if isinstance(clock, dict):
            self.clock.read(clock)

    def read_move(self, data: object) -> bool:
        """Process a move. Return False if it does not follow the known moves. Raises PeerGarbled if it is malformed."""
        if not isinstance(data, Mapping):
            raise PeerGarbled(f"{str(data)[:40]}: expected a move")
        number = int(data.get("move_number") or 0)
        vertex = values.move_of(data.get("move"), *self.size)
        if number == len(self.vertices) and self.vertices[-1:] == [vertex]:
            return True
        if number != len(self.vertices) + 1:
            return False
        self.vertices.append(vertex)
        # A new move cancels an undo request.
        self.undo = None
        return True

    def read_undo_request(self, data: object) -> UndoAsked:
        """Process a request, sent as the number of moves played or as an object."""
        if isinstance(data, Mapping):
            by, count = data.get("requested_by"), data.get("undo_move_count")
            number = int(data.get("move_number") or len(self.vertices))
            is_known = isinstance(by, int), isinstance(count, int)
            self.undo = UndoAsked(number, by if is_known[0] else None, count if is_known[1] else None)
        else:
            self.undo = UndoAsked(int(str(data)))
        return self.undo

    def undo_moves(self, data: object) -> None:
        """Remove moves: as many as this message says, else as the request said, else one."""
        told = data.get("undo_move_count") if isinstance(data, Mapping) else None
        count = told if isinstance(told, int) else (self.undo.count if self.undo is not None else None)
        del self.vertices[max(0, len(self.vertices) - (1 if count is None else count)) :]
        self.undo = None


# Seconds that the server has to echo our move, and the maximum number of times that we send it.
_ECHO_S, _MOST_TRIES = 10.0, 3
# Seconds that the server has to score a game by itself.
_SCORE_S = 20.0
# Seconds after the end of a game within which further messages may arrive.
LINGER_S = 1.0


class SentMoves:
    """Our moves that the server has not echoed yet. A move that stays missing is sent again."""

    def __init__(
        self, line: OgsTransport, timers: Timers[TaskWork], join: Callable[[int], Coroutine[object, object, None]]
    ) -> None:
        """`join` requests a whole game again."""
        self._line, self._timers, self._join = line, timers, join
        # Game -> number of moves before ours, our move, and how many times it was sent.
        self._sent: dict[int, tuple[int, str, int]] = {}
        self._asked_again: set[int] = set()
        # Number of an answer -> the game it belongs to.
        self._answers: dict[int, int] = {}

    def __contains__(self, game: OgsGame) -> bool:
        return game.id in self._sent

    async def send(self, game: OgsGame, word: str, tries: int = 1) -> None:
        self._sent[game.id] = len(game.vertices), word, tries
        self._timers.set(("echo", game.id), _ECHO_S, lambda: self._ask_again(game))
        self._answers[await self._line.ask("game/move", {"game_id": game.id, "move": word})] = game.id

    def see(self, game: OgsGame) -> None:
        """Forget our move if the game contains it now."""
        sent = self._sent.get(game.id)
        if sent is not None and len(game.vertices) > sent[0]:
            del self._sent[game.id]
            self._timers.stop(("echo", game.id))

    def drop(self, game_id: int) -> None:
        """Forget our move, because it was refused."""
        self._sent.pop(game_id, None)

    def game_of_answer(self, number: int) -> int:
        """Return the number of the game to which an answer belongs, or 0 if it answers no move."""
        return self._answers.pop(number, 0)

    async def _ask_again(self, game: OgsGame) -> None:
        """Request the whole game, because the server has not echoed our move."""
        if game.id in self._sent:
            self._asked_again.add(game.id)
            await self._join(game.id)

    async def send_missing(self, game: OgsGame) -> str:
        """Send our move again if the requested game lacks it. Return why the move is given up, or "" otherwise."""
        if game.id not in self._asked_again:
            return ""
        self._asked_again.discard(game.id)
        sent = self._sent.pop(game.id, None)
        if sent is None or len(game.vertices) != sent[0] or game.phase != core.PLAYING:
            return ""
        _, word, tries = sent
        if tries >= _MOST_TRIES:
            return f"{word} was sent {tries} times but does not appear"
        await self.send(game, word, tries + 1)
        return ""


class OgsGames:
    """All games that we are in on this connection, by number."""

    def __init__(
        self, config: BridgeConfig, line: OgsTransport, people: OgsPeople, background: BackgroundTasks
    ) -> None:
        self._config, self._line, self._people, self._background = config, line, people, background
        self._timers = background.timers
        self._by_id: dict[int, OgsGame] = {}
        self._asked_undo: set[int] = set()
        self.sent = SentMoves(line, self._timers, self.join)

    def get(self, number: int) -> OgsGame | None:
        return self._by_id.get(number)

    def key(self, number: int) -> str:
        """Return the key by which the bridge's core knows a game."""
        return f"{self._config.name}-{number}"

    def find(self, game: core.ServerGame) -> OgsGame:
        """Return our state of a game. Raises PeerGone if its data has not arrived on this connection."""
        found = self._find(game)
        if found is None or found.data is None:
            raise PeerGone(f"{game.key}: the server has not sent this game")
        return found

    def _find(self, game: core.ServerGame) -> OgsGame | None:
        return next((each for each in self._by_id.values() if self.key(each.id) == game.key), None)

    async def join(self, number: int) -> None:
        """Request a whole game and its events from now on. Raises PeerGone if the connection is lost."""
        self._by_id.setdefault(number, OgsGame(number))
        await self._line.send("game/connect", {"game_id": number, "chat": True})

    def leave_soon(self, game: core.ServerGame, on_left: Callable[[], None]) -> None:
        """Leave a finished game once its last messages have arrived, and then call `on_left`."""
        found = self._find(game)
        if found is not None:
            self._timers.set(("leave", found.id), LINGER_S, lambda: self._leave(found.id, on_left))

    async def _leave(self, number: int, on_left: Callable[[], None]) -> None:
        self._by_id.pop(number, None)
        await self._line.send("game/disconnect", {"game_id": number})
        on_left()

    def count_speeds(self) -> Counter[str]:
        """Return the number of running games of each speed. Paused games do not count."""
        on = [game for game in self._by_id.values() if game.data is not None and game.phase != core.OVER]
        return Counter(game.speed for game in on if not game.clock.is_paused)

    def say(self, number: int, text: str) -> None:
        count = len(self._by_id[number].vertices) if number in self._by_id else 0
        fields: Json = {"game_id": number, "type": "main", "move_number": count, "body": text}
        self._line.chat(number, "game/chat", fields, "body")

    async def read_active(self, data: Json) -> None:
        """Note that a game is in progress or over. Raises PeerGone, or KeyError or ValueError for malformed data."""
        number, is_over = int(data["id"]), data.get("phase") == "finished"
        game = self._by_id.get(number)
        if game is None and not is_over:
            await self.join(number)
        elif game is not None and game.data is not None and is_over and game.phase != core.OVER:
            # The game's data may still arrive or may be lost, so request it a little later.
            self._timers.set(("over", number), LINGER_S, lambda: self._ask_if_over(number))

    async def _ask_if_over(self, number: int) -> None:
        game = self._by_id.get(number)
        if game is not None and game.phase != core.OVER:
            await self.join(number)

    async def read(self, game: OgsGame, kind: str, data: object) -> list[core.ServerEvent]:
        """Process an event of a game. Raises PeerGone, or an `UNREADABLE` error if it is malformed."""
        match kind:
            case "gamedata" if isinstance(data, dict):
                return await self._read_data(game, data)
            case _ if game.data is None:
                return []
            case "move":
                # The pass that ends a game may arrive after the message about the end, so ignore it.
                if game.phase == core.OVER:
                    return []
                if not game.read_move(data):
                    await self.join(game.id)
                    return []
            case "clock" if isinstance(data, dict):
                game.clock.read(data)
            case "phase":
                return await self._read_phase(game, str(data))
            case "undo_requested" | "undo_accepted" | "undo_canceled":
                return await self._read_undo(game, kind, data)
            case "removed_stones" if isinstance(data, dict) and "all_removed" in data:
                game.known["removed"] = data["all_removed"]
            case "removed_stones_accepted" if isinstance(data, dict):
                # A player accepted the marks, or the server has scored.
                if data.get("outcome"):
                    game.known.update({key: data[key] for key in ("phase", "outcome", "winner") if key in data})
                if data.get("stones") is not None:
                    game.known["removed"] = data["stones"]
            case "error":
                self.sent.drop(game.id)
                return [core.MoveRefused(self.key(game.id), str(data))]
            case _:
                return []
        return self._update_of(game)

    def read_answer(self, number: int, error: str) -> list[core.ServerEvent]:
        """Process the answer to a move."""
        game = self._by_id.get(self.sent.game_of_answer(number))
        if game is None or not error:
            return []
        self.sent.drop(game.id)
        return [core.MoveRefused(self.key(game.id), error)]

    async def _read_data(self, game: OgsGame, data: Json) -> list[core.ServerEvent]:
        game.read(data)
        if self._people.me not in game.ids.values():
            del self._by_id[game.id]
            return []
        self._people.ids |= {game.names[colour]: number for colour, number in game.ids.items()}
        why = await self.sent.send_missing(game)
        if why:
            return [*self._update_of(game), core.MoveRefused(self.key(game.id), why)]
        if game.phase == core.SCORING:
            # The wait counts from the last move, so that frequent reconnections do not prolong it.
            self._wait_for_score(game, game.clock.since_last_move_s(self._line.now_ms()))
        return self._update_of(game)

    async def _read_phase(self, game: OgsGame, phase: str) -> list[core.ServerEvent]:
        was = game.phase
        if was == core.OVER:
            return []
        if phase == "finished":
            # The result arrives with the whole game, before or after this message; if it is late, request the game.
            self._timers.set(("over", game.id), LINGER_S, lambda: self.join(game.id))
            return []
        game.known["phase"] = phase
        if phase == "stone removal":
            self._wait_for_score(game)
        elif was == core.SCORING:
            self._timers.stop(("score", game.id))
            # Request the whole game, because only the server knows what became of the passes.
            await self.join(game.id)
            return []
        return self._update_of(game)

    def _update_of(self, game: OgsGame) -> list[core.ServerEvent]:
        self.sent.see(game)
        if game.phase == core.OVER:
            for name in ("score", "pause", "over", "echo"):
                self._timers.stop((name, game.id))
        else:
            self._watch_pause(game)
            self._place_handicap(game)
        if not game.colour_of(self._people.me):
            return []
        langs = self._people.langs_of(game.names.values())
        return [game.state(self.key(game.id), self._people.me, self._line.now_ms(), langs)]

    def _place_handicap(self, game: OgsGame) -> None:
        """Place our next handicap stone on the usual points, if we are Black and may choose."""
        count, placed = game.free_stones, len(game.vertices)
        is_black = game.colour_of(self._people.me) == BLACK
        if game.phase != core.PLAYING or placed >= count or not is_black or game in self.sent:
            return
        langs = self._people.langs_of(game.names.values())
        board = rules_of(self._config.spec, game.state("", self._people.me, self._line.now_ms(), langs)).board
        points = [*(free_points(board, count) or ()), *board.order]
        free = [vertex for vertex in map(board.vertex, points) if vertex not in game.vertices]
        self._background.start(self.sent.send(game, word_of(free[0], board.height)))

    def _watch_pause(self, game: OgsGame) -> None:
        """Schedule the end of the opponent's pause, if there is one."""
        since_ms = game.clock.paused_by_player_ms
        if since_ms is None:
            self._timers.stop(("pause", game.id))
        elif ("pause", game.id) not in self._timers:
            gone_s = (self._line.now_ms() - since_ms) / 1000 if since_ms else 0.0
            longest_s = self._config.policies.pause_s
            self._timers.set(("pause", game.id), max(0.0, longest_s - gone_s), lambda: self._end_pause(game))

    async def _end_pause(self, game: OgsGame) -> None:
        minutes = f"{self._config.policies.pause_s / 60:g}"
        lang = next(iter(self._people.langs_of(game.names.values()).values()), self._config.chat.lang)
        self.say(game.id, say("bridge.paused", lang, minutes=minutes))
        await self._line.send("game/resume", {"game_id": game.id})

    def _wait_for_score(self, game: OgsGame, gone_s: float = 0.0) -> None:
        """Schedule our acceptance of the server's marks, in case the server does not score by itself."""
        if ("score", game.id) not in self._timers:
            wait_s = min(_SCORE_S, max(LINGER_S, _SCORE_S - gone_s))
            self._timers.set(("score", game.id), wait_s, lambda: self._accept_score(game))

    async def _accept_score(self, game: OgsGame) -> None:
        if game.phase == core.SCORING:
            stones = str(game.known.get("removed") or "")
            fields: Json = {"game_id": game.id, "stones": stones, "strict_seki_mode": False}
            await self._line.send("game/removed_stones/accept", fields)
            self._wait_for_score(game)

    async def _read_undo(self, game: OgsGame, kind: str, data: object) -> list[core.ServerEvent]:
        is_ours = game.id in self._asked_undo
        match kind:
            case "undo_requested":
                asked = game.read_undo_request(data)
                if asked.by == self._people.me or (asked.by is None and is_ours):
                    return []
                return [core.UndoRequest(self.key(game.id))]
            case "undo_canceled":
                game.undo = None
                self._asked_undo.discard(game.id)
                return [core.UndoRefused(self.key(game.id))] if is_ours else []
        self._asked_undo.discard(game.id)
        game.undo_moves(data)
        # Request the whole game, because it brings the clocks.
        await self.join(game.id)
        return self._update_of(game)

    async def undo(self, game: OgsGame) -> None:
        """Ask for the last move to be taken back; during scoring, clear the marks. Raises PeerGone if disconnected."""
        if game.phase == core.SCORING:
            self._timers.stop(("score", game.id))
            self._wait_for_score(game)
            await self._line.send("game/removed_stones/reject", {"game_id": game.id})
        else:
            self._asked_undo.add(game.id)
            await self._line.send("game/undo/request", {"game_id": game.id, "move_number": len(game.vertices)})
