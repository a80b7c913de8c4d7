"""`TrainingTable`: consecutive games observed as arrays, which the Gymnasium-like adapters share."""

from collections.abc import Sequence

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from gtp_variants.ai.nets.encoder import Encoder, FloatArray
from gtp_variants.ai.nets.games.state import State
from gtp_variants.errors import IllegalMove, VariantsError
from gtp_variants.lang import as_sentence
from gtp_variants.players.player import news_of
from gtp_variants.players.table import Table
from gtp_variants.records.sentences import draw_sentence, news_sentences
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.rules import Rules

# The largest absolute value of a global feature, because komi has at most twelve digits.
_FARTHEST = 1e12


def observation_spaces(encoder: Encoder, actions: int) -> tuple[dict[str, spaces.Box], spaces.Box]:
    """Return the spaces of an encoder's `planes` and `globals`, and of a mask of `actions` actions."""
    planes = spaces.Box(0, 1, (len(encoder.planes), len(encoder.cells)), np.float32)
    features = spaces.Box(-_FARTHEST, _FARTHEST, (len(encoder.globals),), np.float32)
    return {"planes": planes, "globals": features}, spaces.Box(0, 1, (actions,), np.int8)


MaskArray = NDArray[np.int8]

# Number of actions per point of the board after which a game is truncated by default.
_ACTIONS_PER_POINT = 60


class TrainingTable:
    """A table whose players give actions as numbers, observe arrays and are told the news as sentences.

    `actions` lists the action for each number. The dice follow from the seed given to `begin`. Passes that would
    suspend a game end it: nobody can reject the end. A game is too long after `most_actions` actions of the players, by
    default 60 per point.
    """

    def __init__(self, rules: Rules, actions: Sequence[int], most_actions: int | None = None) -> None:
        self.rules, self.actions = rules, actions
        self.encoder = Encoder(rules)
        self.most_actions = _ACTIONS_PER_POINT * len(rules.board) if most_actions is None else most_actions
        self._numbers = {action: number for number, action in enumerate(actions)}
        self.begin(0)

    def begin(self, seed: int) -> None:
        dice = DiceStream(str(seed))
        self.table = Table(self.rules, lambda: dice)
        self.acted = 0
        # The colour that lost by a forbidden action.
        self._offender: int | None = None
        # A faster copy of the game, for encoding the view of the side to move.
        self._state: State = State(self.rules, chance="given")
        self._followed = 0

    @property
    def to_act(self) -> int:
        """The colour whose turn it is, or was when the game ended."""
        return self.table.position.mover

    @property
    def is_over(self) -> bool:
        return self._offender is not None or self.rules.is_over(self.table.position)

    @property
    def is_too_long(self) -> bool:
        """True if the game is not over and has reached `most_actions`."""
        return not self.is_over and self.acted >= self.most_actions

    def act(self, number: int) -> None:
        """Let the side to move act. Raises IllegalMove for a forbidden action."""
        self.table.play(self.to_act, self.actions[number])
        self.acted += 1

    def act_or_lose(self, number: int) -> str | None:
        """Let the side to move act. A forbidden action loses the game: then return the reason, otherwise None."""
        try:
            self.act(number)
        except VariantsError as error:
            self._offender = self.to_act
            return as_sentence((error.sentence if isinstance(error, IllegalMove) else "") or str(error))
        return None

    def let_bot_act(self) -> None:
        """Let the bot of the side to move choose an action and carry it out."""
        self.table.answer(self.to_act, self.table.choose(self.to_act))
        self.acted += 1

    def rewards(self) -> dict[int, float]:
        """Return each colour's reward: 1 for winning, -1 for a forbidden action, and 0 in a draw and before the end.

        The other colours share the opposite of the winner's or offender's reward equally.
        """
        colours = self.rules.colours
        if self._offender is not None:
            return {colour: -1.0 if colour == self._offender else 1.0 / (len(colours) - 1) for colour in colours}
        outcome = self.rules.outcome(self.table.position)
        if outcome is None or outcome.winner is None:
            return dict.fromkeys(colours, 0.0)
        return {colour: 1.0 if colour == outcome.winner else -1.0 / (len(colours) - 1) for colour in colours}

    def mask(self, colour: int) -> MaskArray:
        """Return 1 for each action that a colour may try now, else 0; all 0 unless it is that colour's turn."""
        mask = np.zeros(len(self.actions), np.int8)
        if colour == self.to_act and not self.is_over:
            position = self.table.position
            allowed = (action for action in self.rules.actions(position) if action not in position.tried)
            mask[[self._numbers[action] for action in allowed]] = 1
        return mask

    def observe(self, colour: int) -> tuple[FloatArray, FloatArray]:
        """Return planes and global features as the seat of a colour sees them."""
        if colour != self.to_act or self.is_over:
            seen = self.table.position if self.rules.is_open else self.table.view(colour)
            return self.encoder.encode(seen, colour)
        for event in self.table.game.events[self._followed :]:
            self._state.play(event.action)
        self._followed = len(self.table.game.events)
        planes = np.empty((len(self.encoder.planes), len(self.rules.board)), np.float32)
        features = np.empty(len(self.encoder.globals), np.float32)
        self._state.encode(planes, features)
        return planes, features

    def sentences(self, colour: int, since: int) -> list[str]:
        """Return the sentences that a colour's seat was told about all events from number `since` on."""
        game, said = self.table.game, []
        for index in range(since, len(game.events)):
            news = news_of(game, index, colour)
            if news is not None and news.actor == CHANCE:
                said.append(draw_sentence(self.rules, game.positions[index + 1]))
            elif news is not None:
                said += news_sentences(self.rules, news, colour, game.positions[index + 1].dead)
        return [sentence for sentence in said if sentence]
