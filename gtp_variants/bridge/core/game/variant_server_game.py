"""Our bot's game on `gtp-variants server`, which referees it: follows the server's `draw`, `play` and `hear` lines."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import TimeConfig
from gtp_variants.bridge.core.game.base_game import BaseGame, DecisionKey, GameContext
from gtp_variants.bridge.core.game.ending import stated_result
from gtp_variants.bridge.core.game.game_sync import GameReplay, ReplayFault, TableReplay
from gtp_variants.bridge.core.server import ADJOURNED, OVER, RefereedState, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.players.refereed_seat import RefereedSeat
from gtp_variants.players.table import Table
from gtp_variants.records.json import from_json
from gtp_variants.records.notation import read_faces, read_move
from gtp_variants.records.record import Record
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

_LONGEST_SHOWN = 80


class _AnnouncedDice:
    """Dice that fall as the server said: turn -> faces, () for a turn without a line."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.draws: dict[int, tuple[int, ...]] = {}

    def draw(self, game: Game) -> int:
        """The action of the throw that is due.

        Raises NotationError if the server did not tell it, or not for these dice.
        """
        position = game.position
        turn = position.turn + len(position.draws)
        if not isinstance(self.rules, DicedRules) or position.to_play != CHANCE or turn not in self.draws:
            raise NotationError(f"the draw of turn {turn} was not told")
        faces = self.draws[turn]
        dice = self.rules.dice_of(position)
        return dice.outcome(faces) if faces else dice.free

    def read(self, line: str) -> None:
        """Take in a line `draw TURN COLOUR FACE...`. Raises NotationError."""
        try:
            _, turn, _, *faces = line.split()
            self.draws[int(turn)] = read_faces(faces)
        except ValueError as error:
            raise NotationError(f"{line[:_LONGEST_SHOWN]}: {error}") from None


class OpenReplay(TableReplay):
    """An open game that follows `draw` and `play` lines."""

    def __init__(self, rules: Rules) -> None:
        self._dice = _AnnouncedDice(rules)
        super().__init__(rules)

    def _restart(self) -> None:
        # It throws the first dice at once, which are told first.
        self._table: Table | None = None

    @property
    def table(self) -> Table:
        """The table, all dice thrown. Raises NotationError if the server did not tell the first draw."""
        if self._table is None:
            self._table = Table(self.rules, lambda: self._dice)
        return self._table

    def follow(self, steps: Sequence[str]) -> ReplayFault | None:
        # A draw may be told after the move that it follows.
        self._dice.draws.clear()
        for line in steps:
            if line.startswith("draw "):
                with suppress(NotationError):
                    self._dice.read(line)
        return super().follow(steps)

    def _play(self, step: str) -> None:
        match step.split():
            case ["play", colour, word, *_]:
                self.table.play(words.read_colour(colour), read_move(self.rules.board, word))
            case ["draw", *_]:
                self._dice.read(step)
            case _:
                raise NotationError(f"{step[:_LONGEST_SHOWN]}: expected a draw or a move")


class HiddenReplay(GameReplay):
    """A seat of a hidden game that follows `hear` lines."""

    def _restart(self) -> None:
        self._seat: RefereedSeat | None = None

    def _play(self, step: str) -> None:
        if self._seat is not None:
            self._seat.hear(step.split()[1:])

    def has_seat(self, colour: int) -> bool:
        return self._seat is not None

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self._seat = RefereedSeat(self.rules, colour, player, seed)
        for line in self.steps:
            self._play(line)

    def choose(self, colour: int, clock: Clock) -> int:
        assert self._seat is not None
        return self._seat.ask(colour, clock)

    def why_not(self, colour: int, action: int) -> str:
        assert self._seat is not None
        if action == RESIGN or self._seat.is_over:
            return ""
        view = self._seat.view
        if action in view.tried:
            return "it was refused in this turn"
        return "" if action in view.actions else "the seat knows that it cannot be"


class RefereedGame(BaseGame):
    """One game, as its referee tells it."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame) -> None:
        """A game as the server tells it. Raises VariantsError for one that our rules cannot follow."""
        assert state.refereed is not None
        rules = parse(state.refereed.spec)
        super().__init__(context, state, stored, rules, partial(OpenReplay if rules.is_open else HiddenReplay, rules))
        self._replay = OpenReplay(rules)

    @property
    def _refereed(self) -> RefereedState:
        assert self.state.refereed is not None
        return self.state.refereed

    async def update(self, state: ServerGame) -> None:
        self._take_in(state, f"{len(self.steps())} lines")
        if not self.is_over:
            self.stored = replace(self.stored, count=len(state.moves))
        self._save()
        if state.phase in (OVER, ADJOURNED):
            await self._end()
        elif state.awaits_move:
            self._start_thinking()

    def steps(self) -> tuple[str, ...]:
        return self._refereed.lines

    def _decision_key(self) -> DecisionKey:
        return self._refereed.lines

    def _least_time_s(self, time: TimeConfig) -> float:
        # Who waits for us would count the tries that only we hear of.
        return 0.0 if is_retry(self.steps(), self.state.colour) else super()._least_time_s(time)

    def _fallback(self) -> int:
        if not self.rules.is_open:
            return PASS
        self._replay.follow(self.steps())
        return policies.fallback(self.rules, self._replay.table.position, [])

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
        game = self._replay.table.game
        result = stated_result(game, self.state.result) if self.is_over else None
        return Record(game, dice=dice, commitment=commitment, players=dict(self.state.players), result=result)

    def _close_replay(self) -> None:
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


def is_retry(lines: Sequence[str], colour: int) -> bool:
    """Whether the last that a seat of a colour was told is that its own try was refused, so that it goes on trying."""
    return bool(lines) and lines[-1].split()[:3] == ["hear", words.COLOUR_LETTERS[colour], "refused"]
