"""Games in plain Python for programs that learn: slower equivalents of the kernel's `KernelGame` and `KernelBatch`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.base.rng import Rng
from gtp_variants.errors import VariantsError
from gtp_variants.rules.actions import CHANCE, PASS
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

FloatArray = NDArray[np.float32]
PlaneArray = NDArray[np.uint8] | NDArray[np.float32]
BoolArray = NDArray[np.bool_]

ALL_LEGAL = -1
# Given in place of an index: leave this game as it is.
HOLD = -(2**31)


def replay(rules: Rules, played: Iterable[int]) -> Game:
    """Return the game with these actions, which include outcomes of the dice."""
    game = Game(rules)
    for action in played:
        game.play(game.position.to_play, action)
    return game


def check_types(planes: PlaneArray, features: FloatArray) -> None:
    """Raise TypeError unless the planes are uint8 or float32 and the features float32."""
    if planes.dtype not in (np.uint8, np.float32) or features.dtype != np.float32:
        raise TypeError(f"planes {planes.dtype}, globals {features.dtype}: expected uint8 or float32, and float32")


def write_planes(encoder: Encoder, seen: Position | View, planes: PlaneArray, features: FloatArray) -> None:
    """Encode `seen` into uint8 or float32 planes and float32 features. Raises TypeError or ValueError for others."""
    check_types(planes, features)
    levels, values = encoder.encode_levels(seen)
    if planes.shape != levels.shape or features.shape != values.shape:
        raise ValueError(f"planes {planes.shape}, globals {features.shape}: expected {levels.shape}, {values.shape}")
    planes[...] = levels if planes.dtype == np.uint8 else levels.astype(np.float32) / encoder.scales[:, None]
    features[...] = values


def throw_dice(rules: Rules, position: Position, rng: Rng) -> int:
    """Return a random outcome of the dice that are due, according to the odds."""
    outcomes, odds = rules.actions(position), rules.odds(position)
    possible = [outcome for outcome, share in zip(outcomes, odds, strict=True) if share]
    if len({share for share in odds if share}) == 1:
        return possible[rng.below(len(possible))]
    left = rng.random()
    for outcome, share in zip(outcomes, odds, strict=True):
        left -= share
        if left < 0:
            return outcome
    return possible[-1]


class PlainGame:
    """A game with the random generator of its dice; with `throws_dice`, dice are thrown as soon as they are due."""

    def __init__(self, game: Game, rng: Rng, throws_dice: bool) -> None:
        self.game = game
        self._rng = rng
        self._throws_dice = throws_dice
        self._begin()

    @classmethod
    def begin(cls, rules: Rules, seed: int, number: int, throws_dice: bool) -> "PlainGame":
        """Start game number `number` of a seed."""
        return cls(Game(rules), Rng.of_playout(seed, number), throws_dice)

    @property
    def to_play(self) -> int:
        """The colour that acts next, or CHANCE."""
        return self.game.position.to_play

    @property
    def played(self) -> list[int]:
        """All actions since the start, including outcomes of the dice."""
        return [event.action for event in self.game.events]

    @property
    def has_begun(self) -> bool:
        """True if a player has acted."""
        return len(self.game.events) > self._thrown

    def play(self, action: int) -> bool:
        """Carry out an action and throw any dice that are due; return False if the rules forbid the action."""
        try:
            self.game.play(self.to_play if action >= 0 else self.game.position.mover, action)
        except VariantsError:
            return False
        self._throw()
        return True

    def restart(self) -> None:
        """Start over; the sequence of dice continues."""
        self.game = Game(self.game.rules)
        self._begin()

    def copy(self) -> "PlainGame":
        """Return a copy; its dice will show the same throws."""
        twin = Game(self.game.rules)
        twin.go_back(self.game.mark())
        return PlainGame(twin, Rng(self._rng.state), self._throws_dice)

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None as long as the game continues."""
        return self.game.outcome

    def actions(self) -> Sequence[int]:
        """Return the possible tries of the side to move, or the outcomes of due dice."""
        return self.game.rules.actions(self.game.position)

    def seen_by_mover(self) -> Position | View:
        """Return the position or, with hidden stones, the view of the side to move."""
        rules, mover = self.game.rules, self.game.position.mover
        return self.game.position if rules.is_open else rules.view(self.game.heard(mover), mover)

    def mask(self, out: BoolArray) -> None:
        """Set the flags in `out`, by policy index: True for possible tries, but False for all while dice are due."""
        rules, position = self.game.rules, self.game.position
        out[...] = False
        if position.to_play != CHANCE:
            out[[index_of(rules, action) for action in rules.actions(position)]] = True

    def _begin(self) -> None:
        self._throw()
        # The number of throws before the first turn.
        self._thrown = len(self.game.events)

    def _throw(self) -> None:
        rules = self.game.rules
        while self._throws_dice and self.to_play == CHANCE:
            self.game.play(CHANCE, throw_dice(rules, self.game.position, self._rng))


def index_of(rules: Rules, action: int) -> int:
    """Return the policy index of an action: points come first, then PASS and SWAP if the game has them."""
    return action if action >= 0 else len(rules.board) + (action != PASS and rules.has_pass)


@dataclass(frozen=True, slots=True)
class BatchArrays:
    """The output arrays of a batch, with one row per game."""

    planes: PlaneArray
    features: FloatArray
    mask: BoolArray
    to_play: NDArray[np.int8]
    rewards: FloatArray
    done: BoolArray


class PlainBatch:
    """Many games stepped one after the other."""

    def __init__(self, rules: Rules, seed: int, throws_dice: bool, arrays: BatchArrays) -> None:
        self._rules = rules
        self._encoder = Encoder(rules)
        self._arrays = arrays
        self._games = [PlainGame.begin(rules, seed, number, throws_dice) for number in range(len(arrays.to_play))]
        self._ended: list[list[int]] = [[] for _ in self._games]
        self._masks = np.zeros_like(arrays.mask)
        for number in range(len(self._games)):
            self._observe(number)

    def reset(self) -> None:
        """Restart every game in which a player has acted, and fill the arrays; the sequences of dice continue."""
        for number, running in enumerate(self._games):
            if running.has_begun:
                running.restart()
            self._ended[number] = []
            self._observe(number)

    def step(self, indices: NDArray[np.int32]) -> int:
        """Play an index per game and return ALL_LEGAL, or play none and return the first game with an illegal index."""
        numbers = indices.tolist()
        for number, index in enumerate(numbers):
            if index != HOLD and not self._is_allowed(number, index):
                return number
        for number, index in enumerate(numbers):
            running = self._games[number]
            self._ended[number] = []
            if index == HOLD:
                self._arrays.done[number], self._arrays.rewards[number] = False, 0
                continue
            running.play(index if running.to_play == CHANCE else int(self._encoder.actions[index]))
            outcome = running.outcome()
            self._arrays.done[number] = outcome is not None
            self._arrays.rewards[number] = [
                0.0 if outcome is None else 0.5 if outcome.winner is None else float(outcome.winner == colour)
                for colour in self._rules.colours
            ]
            if outcome is not None:
                self._ended[number] = running.played
                running.restart()
            self._observe(number)
        return ALL_LEGAL

    def actions(self, game: int) -> list[int]:
        """Return the actions of a running game."""
        return self._games[game].played

    def ended_actions(self, game: int) -> list[int]:
        """Return the actions of the game with this number that the last step ended; [] if it ended none."""
        return self._ended[game]

    def _is_allowed(self, number: int, index: int) -> bool:
        running = self._games[number]
        if running.to_play == CHANCE:
            return index in running.actions()
        return 0 <= index < self._masks.shape[1] and bool(self._masks[number, index])

    def _observe(self, number: int) -> None:
        running, arrays = self._games[number], self._arrays
        running.mask(self._masks[number])
        arrays.mask[number] = self._masks[number]
        arrays.to_play[number] = running.to_play
        write_planes(self._encoder, running.seen_by_mover(), arrays.planes[number], arrays.features[number])
