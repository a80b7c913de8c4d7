"""What every game on a server has in common: each move that is asked for is thought of and sent once, and recorded.

What we decide belongs to one state of the game and is dropped when another comes. So an answer is given once, and none
is given to a position that is no more.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import BridgeConfig, TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove
from gtp_variants.bridge.core.game_sync import GameReplay, seat_seed
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import OVER, MoveNote, Server, ServerGame
from gtp_variants.bridge.core.state_store import StateStore, StoredGame, safe_name
from gtp_variants.bridge.core.supervised_player import Faults, SupervisedPlayer
from gtp_variants.errors import PeerError, PeerGone, VariantsError
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.files import save
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.rules import Rules

# What a decision belongs to: all that was known when it was made.
DecisionKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class GameContext:
    """What a game needs of the account that plays it. `config` and `server` are asked for anew each time.

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
        self.player = self._new_player(make_replay)
        self.record_path = records_folder(config) / f"{stored.record}.sgf"
        self._has_failed = False
        self.is_over = False
        self._updated_at = 0.0
        # The connection on which the state was told: one that is about to log in has not told anything yet.
        self._told_by: object = None
        self._task: asyncio.Task[None] | None = None
        # What was decided, and for which state; what was sent, and which connection had asked for it.
        self._decided: tuple[DecisionKey, EngineMove] | None = None
        self._acted: tuple[object, DecisionKey] | None = None

    def _new_player(self, make_replay: Callable[[], GameReplay]) -> SupervisedPlayer:
        config = self.context.config()
        talk = config.outputs.folder / "logs" / f"{self.stored.record}.gtp"
        seed = seat_seed(self.stored.secret)
        faults = Faults(self.log, lambda why: self.context.on_fault(f"{self.state.key}: {why}"))
        return SupervisedPlayer(config.engine, make_replay, seed, self.state.colour, talk, faults)

    @property
    def has_failed(self) -> bool:
        """Whether the engine was given up, or this program failed."""
        return self._has_failed or self.player.is_given_up

    async def _change_rules(self, rules: Rules, make_replay: Callable[[], GameReplay]) -> None:
        """The same game under other rules."""
        await self.player.close()
        self.rules = rules
        self.player = self._new_player(make_replay)
        self._decided = None

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
        """What happened, as the engine's game follows it."""

    @abstractmethod
    def record(self) -> Record | None:
        """The game as anybody may have it; None while it is hidden. Raises VariantsError if it cannot be told."""

    def _take_in(self, state: ServerGame, extent: str) -> None:
        """Take in a state of the game; `extent` is how much of it there is, for the log."""
        self.state, self._told_by = state, self.server
        self._updated_at = asyncio.get_running_loop().time()
        self.log.quietly(f"{state.phase}, {extent}" + (f", result {state.result}" if state.result else ""))

    # -- our moves -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def _decision_key(self) -> DecisionKey:
        """What a decision made now belongs to."""

    def _awaits_answer(self) -> bool:
        """Whether an answer is waited for."""
        return self.state.awaits_move and not self.is_over

    def _has_answer(self) -> bool:
        """Whether the answer to this state was sent on this connection."""
        return self._acted == (self._told_by, self._decision_key())

    def _start_thinking(self) -> None:
        # What was decided later than it was asked for may ask for an answer itself.
        is_busy = self._task is not None and not self._task.done() and self._task is not asyncio.current_task()
        if not is_busy and not self._has_answer():
            self._start(self._answer)

    def _start(self, work: Callable[[], Awaitable[None]]) -> None:
        self._task = asyncio.get_running_loop().create_task(self._safely(work))

    async def _safely(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except PeerGone as error:
            # The connection ends on its own; on the next one we are asked again.
            self.log.quietly(f"could not be sent: {error}")
        except Exception as error:
            self.log.failure("unexpected", error)
            self._has_failed = True
            self.context.on_failure(f"{type(error).__name__}: {error}")
            with suppress(PeerGone):
                await self._play_by_rule()

    async def _play_by_rule(self) -> None:
        """Nobody knows what went wrong: play what the rules allow, or end the game; no opponent waits for our flag."""
        try:
            if self._awaits_answer() and not self._has_answer():
                await self._play(self._fallback(), EngineMove(PASS, words="by rule"))
        except PeerGone:
            raise
        except Exception as error:
            self.log.failure("unexpected", error)
            await self._give_up()

    async def _answer(self) -> None:
        """Think, and act on what was thought if it is still asked for; else on what is asked for by then."""
        while self._awaits_answer():
            key = self._decision_key()
            if self._decided is None or self._decided[0] != key:
                move = await self._ask_engine()
                if move is None:
                    return
                self._decided = key, move
            if key == self._decision_key():
                # On a new connection nothing is asked for before the server has told the game again.
                is_asked = self._told_by is self.server
                if is_asked and self._awaits_answer() and not self._has_answer():
                    await self._act(self._decided[1])
                return

    async def _ask_engine(self) -> EngineMove | None:
        """What is to be done now; None where nobody knows, and the game was given up."""
        time = self.context.config().time
        began = asyncio.get_running_loop().time()
        clock = self.state.clocks.get(self.state.colour, NO_LIMIT)
        is_timed, was_given_up = clock.control.kind != "none", self.player.is_given_up
        try:
            clock = policies.thinking_clock(clock, time, began - self._updated_at)
            move = await self.player.choose(self.steps(), clock, self._fallback, is_timed=is_timed)
        except PeerError as error:
            self.log(f"the engine is given up: {error}")
            self._has_failed = True
            await self._give_up()
            return None
        if self.player.is_given_up and not was_given_up:
            await self._tell_of_fallback()
        least_s = policies.least_time_s(self._least_time_s(time), clock if is_timed else NO_LIMIT)
        rest_s = least_s - (asyncio.get_running_loop().time() - began)
        if rest_s > 0:
            await asyncio.sleep(rest_s)
        return move

    async def _tell_of_fallback(self) -> None:
        """Say that another plays on, to whoever is there to hear it."""
        self.log("the engine is given up: another bot plays on in its place")

    def _least_time_s(self, time: TimeConfig) -> float:
        """How long a move takes at least."""
        return time.at_least_s

    async def _give_up(self) -> None:
        """End a game in which nobody thinks for us any more."""
        await self._resign()

    async def _resign(self) -> None:
        """Give the game up."""
        await self.server.resign(self.state)

    async def _act(self, move: EngineMove) -> None:
        action = move.action if self._may(move.action) else self._fallback()
        if action == RESIGN:
            self._acted = self._told_by, self._decision_key()
            self.log(f"resigns after {len(self.state.moves)} moves")
            await self._resign()
        else:
            await self._play(action, move)

    def _may(self, action: int) -> bool:
        """Whether we do what the engine wishes."""
        return action != RESIGN or self.context.config().policies.resign

    @abstractmethod
    def _fallback(self) -> int:
        """What is played where the engine's wish cannot be."""

    async def _play(self, action: int, move: EngineMove) -> None:
        self._acted = self._told_by, self._decision_key()
        self.log.quietly(f"plays {self._vertex(action)}" + (f": {move.words}" if move.words else ""))
        await self._send(action, MoveNote(move.json))

    def _vertex(self, action: int) -> str:
        """A move as the server is told it."""
        return write_move(self.rules.board, action)

    async def _send(self, action: int, note: MoveNote) -> None:
        """Make the server play our move."""
        await self.server.play(self.state, self._vertex(action), note)

    # -- what is stored ------------------------------------------------------------------------------------------------

    def _save(self) -> None:
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

    # -- leaving -------------------------------------------------------------------------------------------------------

    async def _end(self) -> None:
        """The server's game is over, or was left and may come again."""
        if self.is_over:
            return
        self._cancel()
        if self.state.phase == OVER:
            self.is_over = True
            self._close_replay()
            self._save()
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

    def _cancel(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def close(self) -> None:
        """Let go of the game without an end: the server has it, and we shall see it again."""
        self._cancel()
        await self.player.close()
        self.log.close()


def records_folder(config: BridgeConfig) -> Path:
    """Where the records of all games are."""
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
