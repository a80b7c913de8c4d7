"""Our bot's game on `gtp-variants server`, which referees it: follows the server's `draw`, `play` and `hear` lines."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.base_game import BaseGame, DecisionKey, GameContext
from gtp_variants.bridge.core.config import TimeConfig
from gtp_variants.bridge.core.ending import stated_result
from gtp_variants.bridge.core.game_sync import HiddenReplay, OpenReplay
from gtp_variants.bridge.core.server import ADJOURNED, OVER, RefereedState, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import VariantsError
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import PASS


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
        self.save()
        if state.phase in (OVER, ADJOURNED):
            await self._end()
        elif state.awaits_move:
            self.turn.start_thinking()

    def steps(self) -> tuple[str, ...]:
        return self._refereed.lines

    def decision_key(self) -> DecisionKey:
        return self._refereed.lines

    def least_time_s(self, time: TimeConfig) -> float:
        # Who waits for us would count the tries that only we hear of.
        return 0.0 if is_retry(self.steps(), self.state.colour) else super().least_time_s(time)

    def fallback(self) -> int:
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
    """Return True if the last line tells a seat that its own try was refused, so that it tries again."""
    return bool(lines) and lines[-1].split()[:3] == ["hear", words.COLOUR_LETTERS[colour], "refused"]
