"""A game on a server whose referee is our rules: what the server tells of it is followed, nothing has to be settled."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.game.base_game import BaseGame, DecisionKey, GameContext
from gtp_variants.bridge.core.game.replayed_game import GameReplay, ReplayFault
from gtp_variants.bridge.core.server import ADJOURNED, OVER, RefereedState, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.gtp.engine.bot.remote_seat import RemoteSeat
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.json import from_json
from gtp_variants.records.notation import read_faces, read_move, write_move
from gtp_variants.records.record import Record
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import CHANCE, PASS
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

_LONGEST_SHOWN = 80


class _ToldDice:
    """Dice that fall as the server said: turn -> faces, () for a turn without a line."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.draws: dict[int, tuple[int, ...]] = {}

    def draw(self, game: Game) -> int:
        """The action of the throw that is due. Raises NotationError if the server did not tell it, or not for these
        dice."""
        position = game.position
        turn = position.turn + len(position.draws)
        if not isinstance(self.rules, DicedRules) or position.to_play != CHANCE or turn not in self.draws:
            raise NotationError(f"the draw of turn {turn} was not told")
        faces = self.draws[turn]
        dice = self.rules.dice_of(position)
        return dice.outcome(faces) if faces else dice.free


class OpenReplay:
    """An open game that follows `draw` and `play` lines."""

    def __init__(self, rules: Rules) -> None:
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

    def follow(self, steps: Sequence[Any]) -> ReplayFault | None:
        if self._told != list(steps[: len(self._told)]):
            self._begin()
        news = list(enumerate(steps))[len(self._told) :]
        # A draw may be told after the move that it follows.
        for index, line in news:
            if line.startswith("draw "):
                try:
                    self._drawn(line.split()[1:])
                except ValueError as error:
                    return ReplayFault(index, line, NotationError(str(error)))
        for index, line in news:
            try:
                self._happened(line.split())
            except VariantsError as error:
                return ReplayFault(index, line, error)
            self._told.append(line)
        return None

    def _drawn(self, said: Sequence[str]) -> None:
        turn, _, *faces = said
        self._dice.draws[int(turn)] = read_faces(faces)

    def _happened(self, said: Sequence[str]) -> None:
        if said[0] == "play" and len(said) >= 3:
            self.table.play(words.read_colour(said[1]), read_move(self.rules.board, said[2]))
        elif said[0] != "draw":
            raise NotationError(f"{' '.join(said)[:_LONGEST_SHOWN]}: expected a draw or a move")

    def has_seat(self, colour: int) -> bool:
        return colour in self.table.seats

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self.table.seat(colour, player, seed)

    def choose(self, colour: int, clock: Clock) -> int:
        self.table.clocks[colour] = clock
        return self.table.choose(colour)


class HiddenReplay:
    """A seat of a hidden game that follows `hear` lines."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._told: list[str] = []
        self._seated: RemoteSeat | None = None

    def follow(self, steps: Sequence[Any]) -> ReplayFault | None:
        if self._told != list(steps[: len(self._told)]):
            self._told, self._seated = [], None
        for index in range(len(self._told), len(steps)):
            if self._seated is not None:
                fault = self._hear(self._seated, index, steps[index])
                if fault is not None:
                    return fault
            self._told.append(steps[index])
        return None

    def _hear(self, seated: RemoteSeat, index: int, line: str) -> ReplayFault | None:
        try:
            seated.hear(line.split()[1:])
        except VariantsError as error:
            return ReplayFault(index, line, error)
        return None

    def has_seat(self, colour: int) -> bool:
        return self._seated is not None

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self._seated = RemoteSeat(self.rules, colour, player, seed)
        for index, line in enumerate(self._told):
            fault = self._hear(self._seated, index, line)
            if fault is not None:
                raise fault.error

    def choose(self, colour: int, clock: Clock) -> int:
        assert self._seated is not None
        return self._seated.choose(colour, clock)


def replay_of(rules: Rules) -> GameReplay:
    """A game that follows what the server tells a seat of it."""
    return OpenReplay(rules) if rules.is_open else HiddenReplay(rules)


class RefereedGame(BaseGame):
    """One game, as its referee tells it."""

    def __init__(self, context: GameContext, game: ServerGame, entry: StoredGame) -> None:
        """Raises VariantsError for a game our rules cannot follow."""
        assert game.refereed is not None
        rules = parse(game.refereed.spec)
        super().__init__(context, game, entry, rules, partial(replay_of, rules))
        self._replay = OpenReplay(rules)

    @property
    def _refereed(self) -> RefereedState:
        assert self.state.refereed is not None
        return self.state.refereed

    async def update(self, game: ServerGame) -> None:
        self._take_in(game, f"{len(self.steps())} lines")
        if not self.is_over:
            self.stored = replace(self.stored, count=len(game.moves))
        self._keep()
        if game.phase in (OVER, ADJOURNED):
            await self._end()
        elif game.asked:
            self._think()

    def steps(self) -> tuple[str, ...]:
        return self._refereed.told

    def _moment(self) -> DecisionKey:
        return self._refereed.told

    def _fallback(self) -> int:
        if not self.rules.is_open:
            return PASS
        self._replay.follow(self.steps())
        return policies.fallback(self.rules, self._replay.table.position, [])

    def _vertex(self, action: int) -> str:
        return write_move(self.rules.board, action)

    def record(self) -> Record | None:
        """The game as we saw it, and when it is over as the referee did."""
        if self._refereed.record:
            return from_json(self._refereed.record)
        if not self.rules.is_open:
            return None
        fault = self._replay.follow(self.steps())
        if fault is not None:
            raise fault.error
        commitment = self._refereed.commitment or None
        dice = "secret" if commitment else None
        return Record(self._replay.table.game, dice=dice, commitment=commitment, players=dict(self.state.players))

    def _settle(self) -> None:
        """Note if the referee's record is not the game that we were told."""
        if not self._refereed.record or not self.rules.is_open:
            return
        try:
            record = from_json(self._refereed.record)
            fault = self._replay.follow(self.steps())
        except VariantsError as error:
            self.log(f"the referee's record cannot be read: {error}")
            return
        ours = list(self._replay.table.game.events)
        if fault is not None or list(record.game.events[: len(ours)]) != ours:
            self.log("dispute: the referee's record is not the game we were told")
