"""`State`: a fast game, for your own searches and self-play."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games import plain_games
from gtp_variants.errors import NotationError
from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules.actions import whole
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.kernel._kernel import KernelEncoder, KernelGame

# "sampled" dice are thrown from the seed; "given" dice are played like other actions.
Chance = Literal["sampled", "given"]

_SEEDS = 2**64


class State:
    """A fast game: `play` changes it, and copying it is cheap.

    It follows the rules exactly, in the kernel or, for games that the kernel does not know, in Python; equal seeds give
    equal dice in both. If `chance` is "sampled", due dice are thrown at once; if it is "given", `to_play` is CHANCE
    then, and the outcome is played like any other action. In a game with hidden stones, `play` takes any try, and
    `encode` shows only what the side to move knows. A pickle contains the actions, and loading it replays them.

    >>> import gtp_variants as gv
    >>> state = gv.State(gv.parse("aleago:size=9"), seed=1)
    >>> while state.outcome is None:
    ...     state.play(state.actions()[0])
    >>> state.outcome.sentence(), bool(state.mask().any())
    ('Black wins by 73.5 points', True)
    """

    def __init__(self, rules: Rules, seed: int = 1, chance: Chance = "sampled") -> None:
        self.rules = rules
        self._actions = len(rules.board) + rules.has_pass + rules.has_swap
        self._game: KernelGame | plain_games.PlainGame
        self._encoder: KernelEncoder | Encoder
        self._seed, self._chance = whole("seed", seed) % _SEEDS, chance
        throws_dice = throws_dice_of(chance)
        if search_backend(rules) == "native":
            from gtp_variants.ai.kernel import _kernel
            from gtp_variants.ai.kernel.states import kernel_rules
            from gtp_variants.ai.nets.kernel_network import kernel_encoder

            self._game = _kernel.KernelGame(kernel_rules(rules), self._seed, 0, throws_dice)
            self._encoder = kernel_encoder(rules)
        else:
            self._game, self._encoder = plain_games.PlainGame.begin(rules, self._seed, 0, throws_dice), Encoder(rules)
        # The last computed position, and the number of actions before it.
        self._known: tuple[Position, int] | None = None

    def __repr__(self) -> str:
        return f"<State {self.rules.spec} after {len(self._game.played)} actions>"

    def _repr_svg_(self) -> str:
        return svg(self.rules, self.position())

    @property
    def to_play(self) -> int:
        """The colour that acts next, or CHANCE while dice are due and `chance` is "given"."""
        return self._game.to_play

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None while the game continues; an end by passes may be provisional, as in a Game."""
        found = self._game.outcome()
        return Outcome(found[0] or None, found[1], found[2]) if isinstance(found, tuple) else found

    def actions(self) -> Sequence[int]:
        """Return the possible tries (points, SWAP, PASS) or a throw's outcomes; the last outcome is never thrown."""
        return self._game.actions()

    def mask(self) -> plain_games.BoolArray:
        """Return `actions` as flags by policy index, bool (A,); all are False while dice are due and after the end."""
        mask = np.empty(self._actions, np.bool_)
        self._game.mask(mask)
        return mask

    def play(self, action: int) -> None:
        """Carry out an action. Raises IllegalMove or NotationError, as `Game.play` does, and then changes nothing."""
        if type(action) is not int:
            action = whole("action", action)
        if not self._game.play(action):
            self.rules.play(self.position(), action)
            raise NotationError(f"action {action}: refused")

    def copy(self) -> "State":
        """Return an independent copy; its dice will show the same throws."""
        twin = object.__new__(State)
        twin.rules, twin._seed, twin._chance = self.rules, self._seed, self._chance
        twin._actions, twin._known, twin._encoder = self._actions, self._known, self._encoder
        twin._game = self._game.copy()
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> "State":
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        # Loading replays the game with the backend found there, because the seed gives the same dice in both.
        return replay_state, (self.rules, self._seed, self._chance, self._game.played)

    def position(self) -> Position:
        """Return the exact position with its history. It is computed from the last position returned."""
        played = self._game.played
        position, count = self._known or (self.rules.start(), 0)
        for action in played[count:]:
            position = self.rules.play(position, action)
        self._known = position, len(played)
        return position

    def encode(self, planes: plain_games.PlaneArray, globals: plain_games.FloatArray) -> None:
        """Write the `Encoder` output for the side to move into existing arrays.

        `planes` is uint8 (in steps of `Encoder.scales`) or float32, shape (planes, points); `globals` float32,
        (globals,). Raises ValueError for arrays of another shape and TypeError for another type.
        """
        if isinstance(self._encoder, Encoder):
            assert isinstance(self._game, plain_games.PlainGame)
            plain_games.write_planes(self._encoder, self._game.seen_by_mover(), planes, globals)
        else:
            assert not isinstance(self._game, plain_games.PlainGame)
            try:
                self._game.encode(self._encoder, planes, globals)
            except (TypeError, ValueError):
                # Let plain Python raise the error, with its message.
                plain_games.check_types(planes, globals)
                raise


def replay_state(rules: Rules, seed: int, chance: Chance, played: Sequence[int]) -> State:
    """Return the state after these actions; dice that depend on the seed are thrown again."""
    state = State(rules, seed, chance)
    while (count := len(state._game.played)) < len(played):
        state.play(played[count])
    return state


def throws_dice_of(chance: str) -> bool:
    """Return True if dice are thrown as soon as they are due. Raises NotationError for an unknown word."""
    if chance not in ("sampled", "given"):
        raise NotationError(f"chance={chance!r:.40}: expected sampled or given")
    return chance == "sampled"
