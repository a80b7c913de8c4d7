"""A game on a server whose referee is our rules: what the server tells of it is followed, nothing has to be settled."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gtp_variants.bridge import policies
from gtp_variants.bridge.course import Fault, Followed, seat_seed
from gtp_variants.bridge.engine import Thinker, Thought
from gtp_variants.bridge.logs import Log
from gtp_variants.bridge.server import ADJOURNED, OVER, Note, Refereed, Server, ServerGame
from gtp_variants.bridge.sitting import House, records_folder
from gtp_variants.bridge.vault import Entry
from gtp_variants.errors import NotationError, PeerError, PeerGone, VariantsError
from gtp_variants.gtp.script import move, read_action
from gtp_variants.gtp.seated import Seated
from gtp_variants.players.clock import NO_LIMIT, Clock
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.files import save
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

_LONGEST_SHOWN = 80


class _ToldDice:
    """Dice that fall as the server said: turn -> faces, () for a turn without a line."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules: Any = rules
        self.draws: dict[int, tuple[int, ...]] = {}

    def draw(self, game: Game) -> int:
        """The action of the throw that is due. Raises NotationError if the server did not tell it, or not for these
        dice."""
        position = game.position
        turn = position.turn + len(position.draws)
        if position.to_play != CHANCE or turn not in self.draws:
            raise NotationError(f"the draw of turn {turn} was not told")
        faces = self.draws[turn]
        return int(position.dice.outcome(faces) if faces else self.rules.free(position.dice))


class OpenCourse:
    """An open game that follows `draw` and `play` lines."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules = rules
        self._begin()

    def _begin(self) -> None:
        self._dice = _ToldDice(self.rules)
        self._told: list[str] = []
        # It throws the first dice at once, which are told first.
        self._table: Table | None = None

    @property
    def table(self) -> Table:
        """The table, all dice thrown. Raises NotationError if the server did not tell the first draw."""
        if self._table is None:
            self._table = Table(self.rules, lambda: self._dice)
        return self._table

    def follow(self, steps: Sequence[Any]) -> Fault | None:
        if self._told != list(steps[: len(self._told)]):
            self._begin()
        news = list(enumerate(steps))[len(self._told) :]
        # A draw may be told after the move that it follows.
        for index, line in news:
            if line.startswith("draw "):
                try:
                    self._drawn(line.split()[1:])
                except ValueError as error:
                    return Fault(index, line, NotationError(str(error)))
        for index, line in news:
            try:
                self._happened(line.split())
            except VariantsError as error:
                return Fault(index, line, error)
            self._told.append(line)
        return None

    def _drawn(self, said: Sequence[str]) -> None:
        turn, _, *faces = said
        self._dice.draws[int(turn)] = () if faces == ["free"] else tuple(map(int, faces))

    def _happened(self, said: Sequence[str]) -> None:
        if said[0] == "play" and len(said) >= 3:
            self.table.play(words.read_colour(said[1]), read_action(self.rules, said[2]))
        elif said[0] != "draw":
            raise NotationError(f"{' '.join(said)[:_LONGEST_SHOWN]}: expected a draw or a move")

    def has_seat(self, colour: int) -> bool:
        return colour in self.table.seats

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self.table.seat(colour, player, seed)

    def choose(self, colour: int, clock: Clock) -> int:
        self.table.clocks[colour] = clock
        return self.table.choose(colour)


class HiddenCourse:
    """A seat of a hidden game that follows `hear` lines."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules = rules
        self._told: list[str] = []
        self._seated: Seated | None = None

    def follow(self, steps: Sequence[Any]) -> Fault | None:
        if self._told != list(steps[: len(self._told)]):
            self._told, self._seated = [], None
        for index in range(len(self._told), len(steps)):
            if self._seated is not None:
                fault = self._hear(self._seated, index, steps[index])
                if fault is not None:
                    return fault
            self._told.append(steps[index])
        return None

    def _hear(self, seated: Seated, index: int, line: str) -> Fault | None:
        try:
            seated.hear(line.split()[1:])
        except VariantsError as error:
            return Fault(index, line, error)
        return None

    def has_seat(self, colour: int) -> bool:
        return self._seated is not None

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self._seated = Seated(self.rules, colour, player, seed)
        for index, line in enumerate(self._told):
            fault = self._hear(self._seated, index, line)
            if fault is not None:
                raise fault.error

    def choose(self, colour: int, clock: Clock) -> int:
        assert self._seated is not None
        return self._seated.choose(colour, clock)


def course_of(rules: Rules[Any]) -> Followed:
    """A game that follows what the server tells a seat of it."""
    return OpenCourse(rules) if rules.is_open else HiddenCourse(rules)


class RefereedSitting:
    """One game. `update` is told every state of it, in order. An engine that fails too often resigns."""

    def __init__(self, house: House, game: ServerGame, entry: Entry) -> None:
        """Raises VariantsError for a game our rules cannot follow."""
        assert game.refereed is not None
        self.house = house
        self.game = game
        self.entry = entry
        self.rules = parse(game.refereed.spec)
        config = house.config()
        folder = config.outputs.folder / "logs"
        self.log = Log(folder / f"{entry.record}.log", config.outputs, config.server.password)
        make = partial(course_of, self.rules)
        talk = folder / f"{entry.record}.gtp"
        self.thinker = Thinker(config.engine, make, seat_seed(entry.secret), game.colour, talk, self.log)
        self.record_path = records_folder(config) / f"{entry.record}.sgf"
        self.has_failed = False
        self.is_over = False
        self._course = OpenCourse(self.rules)
        self._told_at = 0.0
        self._task: asyncio.Task[None] | None = None
        # What was decided after which news; what was sent after which, and on which connection.
        self._thoughts: dict[tuple[str, ...], Thought] = {}
        self._acted: tuple[object, tuple[str, ...]] | None = None

    @property
    def server(self) -> Server:
        """The server as we are connected to it now."""
        return self.house.server()

    @property
    def _refereed(self) -> Refereed:
        assert self.game.refereed is not None
        return self.game.refereed

    async def update(self, game: ServerGame) -> None:
        """The state of the game now. Raises PeerGone if the answer cannot be sent."""
        self.game = game
        self._told_at = asyncio.get_running_loop().time()
        told = self._refereed.told
        self.log.quietly(f"{game.phase}, {len(told)} lines" + (f", result {game.result}" if game.result else ""))
        self._keep()
        if game.phase in (OVER, ADJOURNED):
            await self._end()
        elif game.asked and self._acted != (self.server, told) and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._safely(self._answer()))

    async def _safely(self, work: Awaitable[None]) -> None:
        try:
            await work
        except PeerGone as error:
            # The connection ends on its own; on the next one we are asked again.
            self.log.quietly(f"could not be sent: {error}")
        except PeerError as error:
            self.log(f"the engine is given up: {error}")
            await self._give_up(str(error))
        except Exception as error:
            self.log.failure("unexpected", error)
            await self._give_up(f"{type(error).__name__}: {error}")

    async def _give_up(self, why: str) -> None:
        self.has_failed = True
        await self.house.failed(why)
        # On a line that is lost the clock does the same.
        try:
            await self.server.resign(self.game)
        except PeerGone as error:
            self.log.quietly(f"could not be sent: {error}")

    async def _answer(self) -> None:
        """Think, and act on what was thought as long as it is what is asked for."""
        while self.game.asked and not self.is_over:
            told = self._refereed.told
            thought = self._thoughts.get(told) or await self._thought(told)
            self._thoughts = {told: thought}
            if told == self._refereed.told:
                break
        if self.game.asked and not self.is_over and self._acted != (self.server, told):
            self._acted = self.server, told
            await self._act(thought)

    async def _thought(self, told: tuple[str, ...]) -> Thought:
        config = self.house.config()
        began = asyncio.get_running_loop().time()
        clock = self.game.clocks.get(self.game.colour, NO_LIMIT)
        thought = await self.thinker.choose(told, policies.thinking_clock(clock, config.time, began - self._told_at))
        rest_s = config.time.at_least_s - (asyncio.get_running_loop().time() - began)
        if rest_s > 0:
            await asyncio.sleep(rest_s)
        return thought

    async def _act(self, thought: Thought) -> None:
        action = thought.action
        if action == RESIGN and not self.house.config().policies.resign:
            action = self._instead()
        if action == RESIGN:
            self.log("resigns")
            await self.server.resign(self.game)
            return
        vertex = move(self.rules, self.game.colour, action)[2]
        self.log.quietly(f"plays {vertex}" + (f": {thought.words}" if thought.words else ""))
        await self.server.play(self.game, vertex, Note(thought.json))

    def _instead(self) -> int:
        """What is played where we may not resign."""
        if not self.rules.is_open:
            return PASS
        self._course.follow(self._refereed.told)
        return policies.fallback(self.rules, self._course.table.position, [])

    # -- what is kept --------------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write the record as it stands. A full disk does not stop the game."""
        try:
            if not self.is_over:
                self.entry = replace(self.entry, count=len(self.game.moves))
                self.house.vault.keep(self.entry)
            record = self._record()
            if record is not None:
                self.house.show(self.entry.record, record, self.game.phase == OVER, self.game.result)
                self.record_path.parent.mkdir(parents=True, exist_ok=True)
                save(record, self.record_path)
        except (OSError, VariantsError) as error:
            self.log(f"the record cannot be kept: {error}")

    def _record(self) -> Record | None:
        """The game as we saw it, and when it is over as the referee did; None while it is hidden."""
        if self._refereed.record:
            return from_json(self._refereed.record)
        if not self.rules.is_open:
            return None
        fault = self._course.follow(self._refereed.told)
        if fault is not None:
            raise fault.error
        commitment = self._refereed.commitment or None
        dice = "secret" if commitment else None
        return Record(self._course.table.game, dice=dice, commitment=commitment, players=dict(self.game.players))

    async def _end(self) -> None:
        if self.is_over:
            return
        self._cancel()
        if self.game.phase == OVER:
            self._compare()
            self.is_over = True
            self.log(f"{self.game.key}: over, {self.game.result or 'the server does not say how'}")
            self.house.vault.drop(self.entry.key)
        await self.house.ended(self)

    def _compare(self) -> None:
        """Note if the referee's record is not the game that we were told."""
        if not self._refereed.record or not self.rules.is_open:
            return
        try:
            record = from_json(self._refereed.record)
            fault = self._course.follow(self._refereed.told)
        except VariantsError as error:
            self.log(f"the referee's record cannot be read: {error}")
            return
        ours = list(self._course.table.game.events)
        if fault is not None or list(record.game.events[: len(ours)]) != ours:
            self.log("dispute: the referee's record is not the game we were told")

    # -- leaving -------------------------------------------------------------------------------------------------------

    def _cancel(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def close(self) -> None:
        """Let go of the game without an end: the server has it, and we shall see it again."""
        self._cancel()
        await self.thinker.close()
        self.log.close()
