"""The base class of all games on a server: each requested move is decided and sent once, and everything is recorded.

A decision belongs to one state of the game and is dropped when another state arrives. Each position is therefore
answered only once, and never after it has changed.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.account import AccountState
from gtp_variants.bridge.core.config import BridgeConfig, TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove, SupervisedPlayer
from gtp_variants.bridge.core.game_sync import MakeReplay, ReplayedGame, seat_seed
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import OVER, GameEvent, Server, ServerGame
from gtp_variants.bridge.core.state_store import StateStore, StoredGame, safe_name
from gtp_variants.errors import PeerError, PeerGone, VariantsError
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.files import save
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# The state that a decision belongs to: everything that was known when the decision was made.
DecisionKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class GameContext:
    """The account and what else its games use.

    `on_over` receives a game as soon as it is over, and `on_end` a game that is over or was left. `on_failure` receives
    failures of this program, and `on_fault` faults of an engine. `show` receives the name of a record, the record,
    whether the game is over, and the server's state of the game.
    """

    account: AccountState
    store: StateStore
    on_over: Callable[["BaseGame"], None]
    on_end: Callable[["BaseGame"], Awaitable[None]]
    on_failure: Callable[[str], None]
    on_fault: Callable[[str], None]
    show: Callable[[str, Record, bool, ServerGame], None]


class EngineTurn:
    """Our turns in one game: each answer is decided once and sent once."""

    def __init__(self, game: "BaseGame", make_replay: MakeReplay) -> None:
        self._game = game
        self.player = self._make_player(make_replay)
        self.is_faulty = False
        # The connection that sent this state; a newer connection may not have sent it yet.
        self._told_by: object = None
        self._told_at_s = 0.0
        self._task: asyncio.Task[None] | None = None
        # What is done beside the thinking, such as asking the engine about an agreement.
        self._beside = BackgroundTasks(lambda error: game.log.failure("unexpected", error))
        self._leaving: list[asyncio.Future[None]] = []
        # The state and the decision made for it last; then the connection and state that were answered last.
        self._decided: tuple[DecisionKey, EngineMove] | None = None
        self._acted: tuple[object, DecisionKey] | None = None

    def _make_player(self, make_replay: MakeReplay) -> SupervisedPlayer:
        game, config = self._game, self._game.config
        talk = config.outputs.folder / "logs" / f"{game.stored.record}.gtp"
        seed = seat_seed(game.stored.secret)
        return SupervisedPlayer(
            *(config.engine, make_replay, seed, game.state.colour, talk, game.log),
            report=lambda why: game.context.on_fault(f"{game.state.key}: {why}"),
        )

    def change_game(self, make_replay: MakeReplay) -> None:
        """Replace the engine's player at once by a player that follows the game of `make_replay`."""
        self.cancel()
        # The old player leaves meanwhile, because the next state of the game must not find it here.
        self._leaving.append(asyncio.ensure_future(self.player.close()))
        self.player = self._make_player(make_replay)
        self._decided = None

    @property
    def has_failed(self) -> bool:
        """True if the engine was given up or this program failed."""
        return self.is_faulty or self.player.is_given_up

    def note_state(self) -> None:
        """Note that the current connection has just sent the state of the game."""
        self._told_by = self._game.server
        self._told_at_s = asyncio.get_running_loop().time()

    @property
    def has_answer(self) -> bool:
        """True if this state has been answered on this connection."""
        return self._acted == (self._told_by, self._game.decision_key())

    @property
    def decided(self) -> EngineMove | None:
        """The decision for this state, or None before it is made."""
        is_current = self._decided is not None and self._decided[0] == self._game.decision_key()
        return self._decided[1] if self._decided is not None and is_current else None

    def note_answer(self) -> None:
        """Note that this state has been answered."""
        self._acted = self._told_by, self._game.decision_key()

    def forget_answer(self) -> None:
        self._acted = None

    def start_thinking(self) -> None:
        """Start thinking about this state, unless thinking is under way or the state has been answered."""
        # The task itself may ask for the next answer, so it does not count as busy.
        is_busy = self._task is not None and not self._task.done() and self._task is not asyncio.current_task()
        if not is_busy and not self.has_answer:
            self.start(self._answer)

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` in a task. After an unexpected error, the game's fallback move is played if a move is due."""
        self._task = asyncio.get_running_loop().create_task(self._safely(work))

    def start_beside(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` beside the thinking, in which it may ask the engine something. It ends with the game."""
        self._beside.start(self._safely(work))

    def cancel(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def close(self) -> None:
        self.cancel()
        self._beside.stop()
        await asyncio.gather(self.player.close(), *self._leaving)

    async def _safely(self, work: Callable[[], Awaitable[None]]) -> None:
        game = self._game
        try:
            await work()
        except PeerGone as error:
            # Only note the error: the connection is ending anyway, and the next connection requests the move again.
            game.log.quietly(f"cannot send: {error}")
        except Exception as error:
            game.log.failure("unexpected", error)
            self.is_faulty = True
            game.context.on_failure(f"{type(error).__name__}: {error}")
            with suppress(PeerGone):
                await self._play_by_rule()

    async def _play_by_rule(self) -> None:
        """After an unexpected error, play the fallback if a move is due; if that fails, give up. Raises PeerGone."""
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
        """Choose a move and play it if the state is still current; otherwise start again with the new state."""
        game = self._game
        while game.awaits_answer():
            key = game.decision_key()
            if self._decided is None or self._decided[0] != key:
                move = await self._ask_engine()
                if move is None:
                    return
                self._decided = key, move
            if key == game.decision_key():
                # On a new connection the server expects no move before it has sent the game.
                is_asked = self._told_by is game.server
                if is_asked and game.awaits_answer() and not self.has_answer:
                    await self._act(self._decided[1])
                return

    async def _ask_engine(self) -> EngineMove | None:
        """Return the move to make, or None if the engine failed and the game was given up."""
        game, time = self._game, self._game.config.time
        began = asyncio.get_running_loop().time()
        clock = game.state.clocks.get(game.state.colour, NO_LIMIT)
        is_timed, was_given_up = clock.control.kind != "none", self.player.is_given_up
        try:
            clock = policies.thinking_clock(clock, time, began - self._told_at_s)
            move = await self.player.choose(game.steps(), clock, game.fallback, is_timed=is_timed)
        except PeerError as error:
            game.log(f"the engine is given up: {error}")
            self.is_faulty = True
            await game.give_up()
            return None
        if self.player.is_given_up and not was_given_up:
            await game.tell_of_fallback()
        least_s, budget_s = game.least_time_s(time), clock.budget_s(policies.FEWEST_MOVES)
        if is_timed and budget_s is not None:
            # Wait no longer than a careful bot would think.
            least_s = min(least_s, budget_s)
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
    """A game on a server. `update` processes each of its states in order."""

    def __init__(
        self, context: GameContext, state: ServerGame, stored: StoredGame, rules: Rules, make_replay: MakeReplay
    ) -> None:
        """`make_replay` creates the game that the engine follows."""
        self.context = context
        self.state = state
        self.stored = stored
        self.rules = rules
        config = context.account.config
        self.log = Log(config.outputs.folder / "logs" / f"{stored.record}.log", config.outputs, config.server.password)
        self.turn = EngineTurn(self, make_replay)
        self.record_path = records_folder(config) / f"{stored.record}.sgf"
        self.is_over = False

    @property
    def config(self) -> BridgeConfig:
        return self.context.account.config

    @property
    def server(self) -> Server:
        return self.context.account.server

    @property
    def people(self) -> tuple[str, ...]:
        """The names of the players other than us."""
        return tuple(name for colour, name in self.state.players.items() if colour != self.state.colour)

    def colour_of(self, user: str) -> int:
        return next(colour for colour, name in self.state.players.items() if name == user)

    @abstractmethod
    async def update(self, state: ServerGame) -> None:
        """Process a state of the game and act on it. Raises PeerGone if the connection is lost."""

    async def handle(self, event: GameEvent) -> None:
        """Handle an event of this game other than its state. Raises PeerGone if the connection is lost."""
        self.log.quietly(f"ignored: {event}")

    @abstractmethod
    def steps(self) -> Sequence[object]:
        """Return the steps of the game, in the form that the engine's replay expects."""

    @abstractmethod
    def record(self) -> Record | None:
        """Return the record in publishable form, or None while it is secret. Raises VariantsError if it is invalid."""

    def _take_in(self, state: ServerGame, extent: str) -> None:
        """Process a state of the game. `extent` describes its length for the log."""
        self.state = state
        self.turn.note_state()
        self.log.quietly(f"{state.phase}, {extent}" + (f", result {state.result}" if state.result else ""))

    @abstractmethod
    def decision_key(self) -> DecisionKey:
        """Return a key of the current state. A decision is dropped when the key changes."""

    def awaits_answer(self) -> bool:
        return self.state.awaits_move and not self.is_over

    def least_time_s(self, time: TimeConfig) -> float:
        return time.at_least_s

    def may(self, action: int) -> bool:
        """Return True if the policies allow an action that the engine wants."""
        return action != RESIGN or self.config.policies.resign

    @abstractmethod
    def fallback(self) -> int:
        """Return an action to play if the engine's choice cannot be played."""

    async def play(self, action: int, move: EngineMove) -> None:
        """Answer this state with an action, and send the note in `move`. Raises PeerGone if the connection is lost."""
        self.turn.note_answer()
        self.log.quietly(f"plays {self.vertex(action)}" + (f": {move.words}" if move.words else ""))
        await self._send(action, move.json)

    def vertex(self, action: int) -> str:
        """Return a move in the form in which it is sent to the server."""
        return write_move(self.rules.board, action)

    async def _send(self, action: int, note: str) -> None:
        await self.server.play(self.state, self.vertex(action), note)

    async def tell_of_fallback(self) -> None:
        """Tell the players that the fallback now plays instead of the engine."""
        self.log("the engine is given up: the fallback continues")

    async def give_up(self) -> None:
        """End the game because no engine is left to play it."""
        await self.resign()

    async def resign(self) -> None:
        await self.server.resign(self.state)

    def keep(self, stored: StoredGame) -> None:
        """Change what is stored of the game, and save it."""
        self.stored = stored
        self.save()

    def save(self) -> None:
        """Save the record and, until the game is over, its stored state. Failures are only logged."""
        try:
            if not self.is_over:
                self.context.store.save(self.stored)
            record = self.record()
            if record is not None:
                self.context.show(self.stored.record, record, self.is_over, self.state)
                self.record_path.parent.mkdir(parents=True, exist_ok=True)
                save(record, self.record_path)
        except (OSError, VariantsError) as error:
            self.log(f"cannot save the record: {error}")

    async def _end(self) -> None:
        """Clean up after a game that is over on the server, or that was left and may be resumed."""
        if self.is_over:
            return
        self.cancel()
        if self.state.phase == OVER:
            self.is_over = True
            self._close_replay()
            self.save()
            self.log(f"{self.state.key}: over, {self.state.result or 'the server does not say how'}")
            # Report the end before the stored state is deleted, so that a crash in between loses no report.
            self.context.on_over(self)
            await self._take_leave()
        await self.context.on_end(self)

    @abstractmethod
    def _close_replay(self) -> None:
        """End our replay as the game ended on the server, before the record is saved."""

    async def _take_leave(self) -> None:
        """Delete the stored state of a game that is over and whose record is saved."""
        try:
            self.context.store.delete(self.stored.key)
        except OSError as error:
            self.log(f"cannot delete the stored game: {error}")

    def cancel(self) -> None:
        self.turn.cancel()

    async def close(self) -> None:
        """Release the game without ending it: it continues on the server."""
        self.cancel()
        await self.turn.close()
        self.log.close()


class FollowedGame(BaseGame):
    """A game on a Go server, followed by our rules: the interface that its chat uses."""

    replay: ReplayedGame
    is_new: bool

    @property
    def has_dice(self) -> bool:
        return isinstance(self.rules, DicedRules)

    @property
    def lang(self) -> str:
        """The language used with this opponent."""
        return self.stored.lang

    @property
    def may_negotiate(self) -> bool:
        """True in a game with dice until a move or throw is seen; changing the dice later could avoid a poor throw."""
        return self.has_dice and not self.state.moves and not self.stored.has_shown_draw

    @abstractmethod
    async def show_first_draw(self) -> None:
        """Begin the first turn, after which no other dice can be agreed on. Raises PeerGone if disconnected."""

    @abstractmethod
    def tell_match(self) -> tuple[str, int]:
        """Return the catalogue's key about the match of a finished game, "" without a match, and a colour to name."""

    @abstractmethod
    def start_over(self, *, keeps_player: bool = False) -> None:
        """Replay the same moves, because the SPEC, board, komi, handicap, dice or terms have changed."""

    def speak(self, user: str, lang: str) -> None:
        """Use `lang` with all users from now on. A referee's game overrides this and uses it only with `user`."""
        if lang != self.stored.lang:
            self.keep(replace(self.stored, lang=lang))


def records_folder(config: BridgeConfig) -> Path:
    return config.outputs.folder / "records"


def new_record_name(game: ServerGame, folder: Path) -> str:
    """Return an unused name for a game's files, made of the date, the time and the players, Black first."""
    names = [safe_name(game.players.get(colour, "unknown")) for colour in (BLACK, WHITE)]
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{'-'.join(names)}"
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(each for each in candidates if not (folder / f"{each}.sgf").exists())
