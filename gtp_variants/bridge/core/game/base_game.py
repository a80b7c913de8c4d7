"""What every game on a server is to the bridge: moves that are asked for, each thought of and sent once, and a record.

What we decide belongs to one moment of the game and is dropped when another comes. So an answer is given once, and none
is given to a position that is no more.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import BridgeConfig, TimeConfig
from gtp_variants.bridge.core.engine import EngineMove, SupervisedPlayer
from gtp_variants.bridge.core.game.replayed_game import GameReplay, seat_seed
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import OVER, MoveNote, Server, ServerGame
from gtp_variants.bridge.core.state_store import StateStore, StoredGame, safe
from gtp_variants.errors import PeerError, PeerGone, VariantsError
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.files import save
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import RESIGN
from gtp_variants.rules.rules import Rules

# What a decision belongs to: all that was known when it was made.
DecisionKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class GameContext:
    """What a game needs of the session it belongs to. `config` and `server` are asked for anew each time.

    `show` is told the name of a game's record, the record as it stands, whether the game is over, and the game as the
    server has it.
    """

    config: Callable[[], BridgeConfig]
    server: Callable[[], Server]
    store: StateStore
    log: Log
    ended: Callable[["BaseGame"], Awaitable[None]]
    failed: Callable[[str], Awaitable[None]]
    show: Callable[[str, Record, bool, ServerGame], None]


class BaseGame(ABC):
    """One game. `update` is told every state of it, in order; an engine that fails too often resigns."""

    def __init__(
        self,
        context: GameContext,
        game: ServerGame,
        entry: StoredGame,
        rules: Rules,
        make_replay: Callable[[], GameReplay],
    ) -> None:
        """`make_replay` makes the game that the engine follows."""
        self.context = context
        self.state = game
        self.stored = entry
        self.rules = rules
        config = context.config()
        folder = config.outputs.folder
        self.log = Log(folder / "logs" / f"{entry.record}.log", config.outputs, config.server.password)
        self.thinker = self._new_thinker(make_replay)
        self.record_path = records_folder(config) / f"{entry.record}.sgf"
        self.has_failed = False
        self.is_over = False
        self._told_at = 0.0
        self._task: asyncio.Task[None] | None = None
        # What was decided, and for which moment; what was sent, and on which connection.
        self._thoughts: dict[DecisionKey, EngineMove] = {}
        self._acted: tuple[object, DecisionKey] | None = None

    def _new_thinker(self, make_replay: Callable[[], GameReplay]) -> SupervisedPlayer:
        config = self.context.config()
        talk = config.outputs.folder / "logs" / f"{self.stored.record}.gtp"
        return SupervisedPlayer(
            config.engine, make_replay, seat_seed(self.stored.secret), self.state.colour, talk, self.log
        )

    @property
    def server(self) -> Server:
        """The server as we are connected to it now."""
        return self.context.server()

    @abstractmethod
    async def update(self, game: ServerGame) -> None:
        """The state of the game now. Raises PeerGone if the answer cannot be sent."""

    @abstractmethod
    def steps(self) -> Sequence[Any]:
        """What happened, as the engine's game follows it."""

    @abstractmethod
    def record(self) -> Record | None:
        """The game as anybody may have it; None while it is hidden. Raises VariantsError if it cannot be told."""

    def _take_in(self, game: ServerGame, said: str) -> None:
        """Take in a state of the game; `said` is how much of it there is, for the log."""
        self.state = game
        self._told_at = asyncio.get_running_loop().time()
        self.log.quietly(f"{game.phase}, {said}" + (f", result {game.result}" if game.result else ""))

    # -- our moves -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def _moment(self) -> DecisionKey:
        """What a decision made now belongs to."""

    def _is_wanted(self) -> bool:
        """Whether an answer is waited for."""
        return self.state.asked and not self.is_over

    def _has_acted(self) -> bool:
        """Whether the answer to this moment was sent on this connection."""
        return self._acted == (self.server, self._moment())

    def _think(self) -> None:
        # What was decided later than it was asked for may ask for an answer itself.
        is_busy = self._task is not None and not self._task.done() and self._task is not asyncio.current_task()
        if not is_busy and not self._has_acted():
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
            self.has_failed = True
            await self.context.failed(f"{type(error).__name__}: {error}")
            # Better an end than an opponent who waits for our time to run out.
            with suppress(PeerGone):
                await self._give_up()

    async def _answer(self) -> None:
        """Think, and act on what was thought if it is still asked for; else on what is asked for by then."""
        while self._is_wanted():
            moment = self._moment()
            thought = self._thoughts.get(moment) or await self._thought()
            if thought is None:
                return
            self._thoughts = {moment: thought}
            if moment == self._moment():
                if self._is_wanted() and not self._has_acted():
                    await self._act(thought)
                return

    async def _thought(self) -> EngineMove | None:
        """What the engine would do now; None after it was given up."""
        config = self.context.config()
        began = asyncio.get_running_loop().time()
        clock = self.state.clocks.get(self.state.colour, NO_LIMIT)
        try:
            thought = await self.thinker.choose(
                self.steps(), policies.thinking_clock(clock, config.time, began - self._told_at)
            )
        except PeerError as error:
            await self._engine_failed(error)
            return None
        rest_s = self._least_s(config.time) - (asyncio.get_running_loop().time() - began)
        if rest_s > 0:
            await asyncio.sleep(rest_s)
        return thought

    def _least_s(self, time: TimeConfig) -> float:
        """How long a move takes at least."""
        return time.at_least_s

    async def _engine_failed(self, error: PeerError) -> None:
        """It failed once too often."""
        self.log(f"the engine is given up: {error}")
        self.has_failed = True
        await self.context.failed(str(error))
        await self._give_up()

    async def _give_up(self) -> None:
        """End a game in which nobody thinks for us any more."""
        await self._resign()

    async def _resign(self) -> None:
        """Give the game up."""
        await self.server.resign(self.state)

    async def _act(self, thought: EngineMove) -> None:
        action = thought.action if self._may(thought.action) else self._fallback()
        if action == RESIGN:
            self._acted = self.server, self._moment()
            self.log(f"resigns after {len(self.state.moves)} moves")
            await self._resign()
        else:
            await self._play(action, thought)

    def _may(self, action: int) -> bool:
        """Whether we do what the engine wishes."""
        return action != RESIGN or self.context.config().policies.resign

    @abstractmethod
    def _fallback(self) -> int:
        """What is played where the engine's wish cannot be."""

    async def _play(self, action: int, thought: EngineMove) -> None:
        self._acted = self.server, self._moment()
        self.log.quietly(f"plays {self._vertex(action)}" + (f": {thought.words}" if thought.words else ""))
        await self._send(action, MoveNote(thought.json))

    @abstractmethod
    def _vertex(self, action: int) -> str:
        """A move as the server is told it."""

    async def _send(self, action: int, note: MoveNote) -> None:
        """Make the server play our move."""
        await self.server.play(self.state, self._vertex(action), note)

    # -- what is kept --------------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write down what must outlive us, and the record as it stands. A full disk does not stop the game."""
        try:
            if not self.is_over:
                self.context.store.keep(self.stored)
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
            self._settle()
            self._keep()
            self.log(f"{self.state.key}: over, {self.state.result or 'the server does not say how'}")
            await self._take_leave()
        await self.context.ended(self)

    @abstractmethod
    def _settle(self) -> None:
        """Bring what we have of the game to its end on the server, before it is kept."""

    async def _take_leave(self) -> None:
        """The game is over and kept: nothing else of it need outlive us."""
        self.context.store.drop(self.stored.key)

    def _cancel(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def close(self) -> None:
        """Let go of the game without an end: the server has it, and we shall see it again."""
        self._cancel()
        await self.thinker.close()
        self.log.close()


def records_folder(config: BridgeConfig) -> Path:
    """Where the records of all games are."""
    return config.outputs.folder / "records"


def record_name(game: ServerGame, folder: Path) -> str:
    """A name for a game's files that no record in the folder has: when it began and who plays, Black first."""
    names = [safe(game.players.get(colour, "unknown")) for colour in (1, 2)]
    name = base = f"{datetime.now():%Y%m%d-%H%M%S}-{'-'.join(names)}"
    number = 1
    while (folder / f"{name}.sgf").exists():
        number += 1
        name = f"{base}-{number}"
    return name
