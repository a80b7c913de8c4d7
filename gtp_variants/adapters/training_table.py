"""`TrainingTable`: one game after the other, with what each seat observes as arrays: what environments share.

The spaces of Gymnasium that observations lie in.
"""

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
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.rules import Rules

# No feature is farther from 0: komi has at most twelve digits.
_FARTHEST = 1e12


def observation_spaces(encoder: Encoder, actions: int) -> tuple[dict[str, spaces.Box], spaces.Box]:
    """Return the spaces of an encoder's `planes` and `globals`, and of a mask of `actions` actions."""
    planes = spaces.Box(0, 1, (len(encoder.planes), len(encoder.cells)), np.float32)
    features = spaces.Box(-_FARTHEST, _FARTHEST, (len(encoder.globals),), np.float32)
    return {"planes": planes, "globals": features}, spaces.Box(0, 1, (actions,), np.int8)


MaskArray = NDArray[np.int8]

# A game is cut short after so many actions for each point, where nobody says how many.
_ACTIONS_PER_POINT = 60


class TrainingTable:
    """A table whose players name actions by number, observe arrays and are told the news in words.

    `actions` is the action of each number. Dice are thrown from the seed of `begin`. Passes that suspend a game end it
    here: nobody objects. After `most_actions` of the players, 60 for each point if that is None, a game is too long.
    """

    def __init__(self, rules: Rules, actions: Sequence[int], most_actions: int | None = None) -> None:
        self.rules, self.actions = rules, actions
        self.encoder = Encoder(rules)
        self.most_actions = _ACTIONS_PER_POINT * len(rules.board) if most_actions is None else most_actions
        self._numbers = {action: number for number, action in enumerate(actions)}
        self.begin(0)

    def begin(self, seed: int) -> None:
        """A new game."""
        dice = DiceStream(str(seed))
        self.table = Table(self.rules, lambda: dice)
        self.acted = 0
        # Who lost by an action that is not allowed.
        self._offender: int | None = None
        # The same game, which encodes what the side to move sees in microseconds.
        self._state: State = State(self.rules, chance="given")
        self._followed = 0

    @property
    def to_act(self) -> int:
        """The colour whose turn it is, or was when the game ended."""
        return self.table.position.mover

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._offender is not None or self.rules.is_over(self.table.position)

    @property
    def is_too_long(self) -> bool:
        """Whether the game is to be cut short."""
        return not self.is_over and self.acted >= self.most_actions

    def act(self, number: int) -> None:
        """Let the side to move act. Raises IllegalMove for what cannot be."""
        self.table.play(self.to_act, self.actions[number])
        self.acted += 1

    def act_or_lose(self, number: int) -> str | None:
        """Let the side to move act; what cannot be loses the game. Answers why, None if all is well."""
        try:
            self.act(number)
        except VariantsError as error:
            self._offender = self.to_act
            return as_sentence((error.sentence if isinstance(error, IllegalMove) else "") or str(error))
        return None

    def let_bot_act(self) -> None:
        """Let the player who sits for the side to move choose an action."""
        self.table.answer(self.to_act, self.table.choose(self.to_act))
        self.acted += 1

    def rewards(self) -> dict[int, float]:
        """1 for who has won; the others share the loss; 0 for a draw and before the end."""
        colours = self.rules.colours
        if self._offender is not None:
            return {colour: -1.0 if colour == self._offender else 1.0 / (len(colours) - 1) for colour in colours}
        outcome = self.rules.outcome(self.table.position)
        if outcome is None or outcome.winner is None:
            return dict.fromkeys(colours, 0.0)
        return {colour: 1.0 if colour == outcome.winner else -1.0 / (len(colours) - 1) for colour in colours}

    def mask(self, colour: int) -> MaskArray:
        """What a colour may try now, 1 or 0 for each number: nothing unless it is to act."""
        mask = np.zeros(len(self.actions), np.int8)
        if colour == self.to_act and not self.is_over:
            position = self.table.position
            allowed = (action for action in self.rules.actions(position) if action not in position.tried)
            mask[[self._numbers[action] for action in allowed]] = 1
        return mask

    def observe(self, colour: int) -> tuple[FloatArray, FloatArray]:
        """What the seat of a colour sees: planes and global features, as `Encoder.encode` gives them."""
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
        """What the seat of a colour was told of all events from number `since` on, in words."""
        game, said = self.table.game, []
        for index in range(since, len(game.events)):
            news = news_of(game, index, colour)
            if news is not None and news.actor == CHANCE:
                said.append(draw_sentence(self.rules, game.positions[index + 1]))
            elif news is not None:
                said += news_sentences(self.rules, news, colour, game.positions[index + 1].dead)
        return [sentence for sentence in said if sentence]


def usual_actions(rules: Rules) -> list[int]:
    """The actions as OpenSpiel and PettingZoo number them: the points, then the swap, then the pass."""
    return [*range(len(rules.board)), SWAP, PASS]
