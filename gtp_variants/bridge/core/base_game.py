"""The base of every game on a server: each move that is asked for is thought of and sent once, and recorded.

What we decide belongs to one state of the game and is dropped when another comes. So an answer is given once, and none
is given to a position that is no more.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import BridgeConfig, TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove, Faults, SupervisedPlayer
from gtp_variants.bridge.core.game_sync import GameReplay, ReplayedGame, seat_seed
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import OVER, Server, ServerGame
from gtp_variants.bridge.core.state_store import StateStore, StoredGame, safe_name
from gtp_variants.errors import PeerError, PeerGone, VariantsError
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.files import save
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# What a decision belongs to: all that was known when it was made.
DecisionKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class GameContext:
    """The account as its games need it. `config` and `server` are called each time.

    `on_over` is called with a game that is over, at once, `on_end` with one that is over or was left, `on_failure` with
    what went wrong here, `on_fault` with what an engine did wrong; of both more is done later. `show` is given the name
    of a game's record, the record as it stands, whether the game is over, and the game as the server has it.
    """

    config: Callable[[], BridgeConfig]
    server: Callable[[], Server]
    store: StateStore
    log: Log
    on_over: Callable[["BaseGame"], None]
    on_end: Callable[["BaseGame"], Awaitable[None]]
    on_failure: Callable[[str], None]
    on_fault: Callable[[str], None]
    show: Callable[[str, Record, bool, ServerGame], None]


class EngineTurn:
    """Our turn in one game: each answer that the server asks for is thought of once and sent once.

    A decision belongs to one state of the game and is dropped when another comes.
    """

    def __init__(self, game: "BaseGame", make_replay: Callable[[], GameReplay]) -> None:
        """`make_replay` makes the game that the engine follows."""
        self._game = game
        self.player = self._make_player(make_replay)
        self._has_failed = False
        # The connection on which the state was told: one that is about to log in has not told anything yet.
        self._told_by: object = None
        self._told_at_s = 0.0
        self._task: asyncio.Task[None] | None = None
        # What was decided, and for which state; what was sent, and which connection had asked for it.
        self._decided: tuple[DecisionKey, EngineMove] | None = None
        self._acted: tuple[object, DecisionKey] | None = None

    def _make_player(self, make_replay: Callable[[], GameReplay]) -> SupervisedPlayer:
        game, config = self._game, self._game.context.config()
        talk = config.outputs.folder / "logs" / f"{game.stored.record}.gtp"
        seed = seat_seed(game.stored.secret)
        faults = Faults(game.log, lambda why: game.context.on_fault(f"{game.state.key}: {why}"))
        return SupervisedPlayer(config.engine, make_replay, seed, game.state.colour, talk, faults)

    async def change_game(self, make_replay: Callable[[], GameReplay]) -> None:
        """Let the engine follow another game from now on."""
        await self.player.close()
        self.player = self._make_player(make_replay)
        self._decided = None

    @property
    def has_failed(self) -> bool:
        """True if the engine was given up, or this program failed."""
        return self._has_failed or self.player.is_given_up

    def note_failure(self) -> None:
        """Note that the engine is given up."""
        self._has_failed = True

    def note_state(self) -> None:
        """Note that the server has told the state of the game, on the connection that we have now."""
        self._told_by = self._game.server
        self._told_at_s = asyncio.get_running_loop().time()

    @property
    def has_answer(self) -> bool:
        """True if the answer to this state was sent on this connection."""
        return self._acted == (self._told_by, self._game.decision_key())

    @property
    def decided(self) -> EngineMove | None:
        """The decision for this state, None while there is none."""
        is_current = self._decided is not None and self._decided[0] == self._game.decision_key()
        return self._decided[1] if self._decided is not None and is_current else None

    def note_answer(self) -> None:
        """Note that this state is answered."""
        self._acted = self._told_by, self._game.decision_key()

    def forget_answer(self) -> None:
        """Let this state be answered again."""
        self._acted = None

    def start_thinking(self) -> None:
        """Think, unless that is done already or this state was answered."""
        # What was decided later than it was asked for may ask for an answer itself.
        is_busy = self._task is not None and not self._task.done() and self._task is not asyncio.current_task()
        if not is_busy and not self.has_answer:
            self.start(self._answer)

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something in a task, in which nothing that fails leaves the game without an answer."""
        self._task = asyncio.get_running_loop().create_task(self._safely(work))

    def cancel(self) -> None:
        """Stop thinking."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def close(self) -> None:
        """Let the engine go."""
        self.cancel()
        await self.player.close()

    async def _safely(self, work: Callable[[], Awaitable[None]]) -> None:
        game = self._game
        try:
            await work()
        except PeerGone as error:
            # The connection ends on its own; on the next one we are asked again.
            game.log.quietly(f"could not be sent: {error}")
        except Exception as error:
            game.log.failure("unexpected", error)
            self._has_failed = True
            game.context.on_failure(f"{type(error).__name__}: {error}")
            with suppress(PeerGone):
                await self._play_by_rule()

    async def _play_by_rule(self) -> None:
        """Nobody knows what went wrong: play what the rules allow, or end the game; no opponent waits for our flag."""
        game = self._game
        try:
            if game.awaits_answer() and not self.has_answer:
                await game.play(game.fallback(), EngineMove(PASS, words="by rule"))
        except PeerGone:
            raise
        except Exception as error:
            game.log.failure("unexpected", error)
            await game.give_up()

    async def _answer(self) -> None:
        """Think, and act on what was thought if it is still asked for; else on what is asked for by then."""
        game = self._game
        while game.awaits_answer():
            key = game.decision_key()
            if self._decided is None or self._decided[0] != key:
                move = await self._ask_engine()
                if move is None:
                    return
                self._decided = key, move
            if key == game.decision_key():
                # On a new connection nothing is asked for before the server has told the game again.
                is_asked = self._told_by is game.server
                if is_asked and game.awaits_answer() and not self.has_answer:
                    await self._act(self._decided[1])
                return

    async def _ask_engine(self) -> EngineMove | None:
        """Return the move to make now; None where the engine has none, and the game was given up."""
        game, time = self._game, self._game.context.config().time
        began = asyncio.get_running_loop().time()
        clock = game.state.clocks.get(game.state.colour, NO_LIMIT)
        is_timed, was_given_up = clock.control.kind != "none", self.player.is_given_up
        try:
            clock = policies.thinking_clock(clock, time, began - self._told_at_s)
            move = await self.player.choose(game.steps(), clock, game.fallback, is_timed=is_timed)
        except PeerError as error:
            game.log(f"the engine is given up: {error}")
            self._has_failed = True
            await game.give_up()
            return None
        if self.player.is_given_up and not was_given_up:
            await game.tell_of_fallback()
        least_s = policies.least_time_s(game.least_time_s(time), clock if is_timed else NO_LIMIT)
        rest_s = least_s - (asyncio.get_running_loop().time() - began)
        if rest_s > 0:
            await asyncio.sleep(rest_s)
        return move

    async def _act(self, move: EngineMove) -> None:
        game = self._game
        action = move.action if game.may(move.action) else game.fallback()
        if action == RESIGN:
            self.note_answer()
            game.log(f"resigns after {len(game.state.moves)} moves")
            await game.resign()
        else:
            await game.play(action, move)


class BaseGame(ABC):
    """One game. `update` is given every state of it, in order; an engine that fails too often resigns."""

    def __init__(
        self,
        context: GameContext,
        state: ServerGame,
        stored: StoredGame,
        rules: Rules,
        make_replay: Callable[[], GameReplay],
    ) -> None:
        """`make_replay` makes the game that the engine follows."""
        self.context = context
        self.state = state
        self.stored = stored
        self.rules = rules
        config = context.config()
        self.log = Log(config.outputs.folder / "logs" / f"{stored.record}.log", config.outputs, config.server.password)
        self.turn = EngineTurn(self, make_replay)
        self.record_path = records_folder(config) / f"{stored.record}.sgf"
        self.is_over = False

    @property
    def has_failed(self) -> bool:
        """True if the engine was given up, or this program failed."""
        return self.turn.has_failed

    @property
    def server(self) -> Server:
        """The server as we are connected to it now."""
        return self.context.server()

    @property
    def people(self) -> tuple[str, ...]:
        """The names of the players but us."""
        return tuple(name for colour, name in self.state.players.items() if colour != self.state.colour)

    @abstractmethod
    async def update(self, state: ServerGame) -> None:
        """Take in the state of the game now, and act on it. Raises PeerGone if the answer cannot be sent."""

    @abstractmethod
    def steps(self) -> Sequence[object]:
        """Return what happened, as the engine's game follows it."""

    @abstractmethod
    def record(self) -> Record | None:
        """The game as anybody may have it; None while it is hidden. Raises VariantsError if it cannot be told."""

    def _take_in(self, state: ServerGame, extent: str) -> None:
        """Take in a state of the game; `extent` is how much of it there is, for the log."""
        self.state = state
        self.turn.note_state()
        self.log.quietly(f"{state.phase}, {extent}" + (f", result {state.result}" if state.result else ""))

    @abstractmethod
    def decision_key(self) -> DecisionKey:
        """Return the state that a decision made now belongs to."""

    def awaits_answer(self) -> bool:
        """Return True if an answer is waited for."""
        return self.state.awaits_move and not self.is_over

    def least_time_s(self, time: TimeConfig) -> float:
        """Return the least time of a move, in seconds."""
        return time.at_least_s

    def may(self, action: int) -> bool:
        """Return True if we do what the engine wishes."""
        return action != RESIGN or self.context.config().policies.resign

    @abstractmethod
    def fallback(self) -> int:
        """Return the action in place of an engine's wish that cannot be."""

    async def play(self, action: int, move: EngineMove) -> None:
        """Answer this state with an action. Raises PeerGone."""
        self.turn.note_answer()
        self.log.quietly(f"plays {self.vertex(action)}" + (f": {move.words}" if move.words else ""))
        await self._send(action, move.json)

    def vertex(self, action: int) -> str:
        """A move as the server is told it."""
        return write_move(self.rules.board, action)

    async def _send(self, action: int, note: str) -> None:
        await self.server.play(self.state, self.vertex(action), note)

    async def tell_of_fallback(self) -> None:
        """Say that another plays on, to whoever is there to hear it."""
        self.log("the engine is given up: another bot plays on in its place")

    async def give_up(self) -> None:
        """End a game in which nobody thinks for us any more."""
        await self.resign()

    async def resign(self) -> None:
        """Give the game up. Raises PeerGone."""
        await self.server.resign(self.state)

    def save(self) -> None:
        """Write down what must outlive us, and the record as it stands. A full disk does not stop the game."""
        try:
            if not self.is_over:
                self.context.store.save(self.stored)
            record = self.record()
            if record is not None:
                self.context.show(self.stored.record, record, self.is_over, self.state)
                self.record_path.parent.mkdir(parents=True, exist_ok=True)
                save(record, self.record_path)
        except (OSError, VariantsError) as error:
            self.log(f"the record cannot be kept: {error}")

    async def _end(self) -> None:
        """The server's game is over, or was left and may come again."""
        if self.is_over:
            return
        self.cancel()
        if self.state.phase == OVER:
            self.is_over = True
            self._close_replay()
            self.save()
            self.log(f"{self.state.key}: over, {self.state.result or 'the server does not say how'}")
            # Before anything of it is forgotten.
            self.context.on_over(self)
            await self._take_leave()
        await self.context.on_end(self)

    @abstractmethod
    def _close_replay(self) -> None:
        """Bring what we have of the game to its end on the server, before it is saved."""

    async def _take_leave(self) -> None:
        """The game is over and saved: nothing else of it need outlive us."""
        try:
            self.context.store.delete(self.stored.key)
        except OSError as error:
            self.log(f"what was stored of the game cannot be deleted: {error}")

    def cancel(self) -> None:
        """Stop everything that would go on by itself."""
        self.turn.cancel()

    async def close(self) -> None:
        """Let go of the game without an end: the server has it, and we shall see it again."""
        self.cancel()
        await self.turn.close()
        self.log.close()


class FollowedGame(BaseGame):
    """A game on a server of Go that our rules follow, as its voice sees it."""

    replay: ReplayedGame
    is_new: bool

    @property
    def has_dice(self) -> bool:
        """True if the game is played with dice."""
        return isinstance(self.rules, DicedRules)

    @property
    def lang(self) -> str:
        """The language this opponent is spoken to in."""
        return self.stored.lang

    @property
    def may_negotiate(self) -> bool:
        """True if nobody has seen a draw yet: who has could choose among draws by agreeing on other dice."""
        return self.has_dice and not self.state.moves and not self.stored.has_shown_draw

    @abstractmethod
    async def show_first_draw(self) -> None:
        """Let the first turn begin: nothing about the dice can be agreed on any more. Raises PeerGone."""

    @abstractmethod
    async def play_with(self, spec: str) -> None:
        """Go on with other options."""

    def accept_end(self) -> None:
        """The opponent wants the next two passes to end the game."""
        self.stored = replace(self.stored, accepts=True)
        self.save()

    def speak(self, user: str, lang: str) -> None:
        """Go on with somebody in another language."""
        if lang != self.stored.lang:
            self.stored = replace(self.stored, lang=lang)
            self.save()


def records_folder(config: BridgeConfig) -> Path:
    """Return the folder of all records."""
    return config.outputs.folder / "records"


def new_record_name(game: ServerGame, folder: Path) -> str:
    """A name for a game's files that no record in the folder has: when it began and who plays, Black first."""
    names = [safe_name(game.players.get(colour, "unknown")) for colour in (BLACK, WHITE)]
    name = base = f"{datetime.now():%Y%m%d-%H%M%S}-{'-'.join(names)}"
    number = 1
    while (folder / f"{name}.sgf").exists():
        number += 1
        name = f"{base}-{number}"
    return name
