"""`State`: a game that moves fast, for searches and self-play of your own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games.plain_games import (
    BoolArray,
    FloatArray,
    PlainGame,
    PlaneArray,
    check_types,
    write_planes,
)
from gtp_variants.errors import NotationError
from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules.actions import whole
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.kernel._kernel import KernelEncoder, KernelGame

# Dice are thrown from the seed, or given: played like any other action.
Chance = Literal["sampled", "given"]

_SEEDS = 2**64


class State:
    """A game that moves fast: `play` changes it, and a copy costs less than a microsecond.

    It plays exactly as the rules do, in the kernel where that was built and knows the game, else in plain Python; equal
    seeds give equal dice in both. Where `chance` is "sampled" dice are thrown as soon as they are due; where it is
    "given" `to_play` is then CHANCE, and an outcome is played like any action. In a game with hidden stones it is the
    referee's: `play` takes any try, and `encode` gives no more than what the side to move was told. A pickle holds what
    was played, and the game is played again where it is read.

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
        self._game: KernelGame | PlainGame
        self._encoder: KernelEncoder | Encoder
        self._seed, self._chance = whole("seed", seed) % _SEEDS, chance
        throws_dice = throws_dice_of(chance)
        if search_backend(rules) == "native":
            from gtp_variants.ai.nets.games.kernel_games import begin_game
            from gtp_variants.ai.nets.kernel_encoder import kernel_encoder

            self._game, self._encoder = begin_game(rules, self._seed, throws_dice), kernel_encoder(rules)
        else:
            self._game, self._encoder = PlainGame.begin(rules, self._seed, 0, throws_dice), Encoder(rules)
        # A position on the way, and how many actions led to it.
        self._known: tuple[Position, int] | None = None

    def __repr__(self) -> str:
        return f"<State {self.rules.spec} after {len(self._game.played)} actions>"

    def _repr_svg_(self) -> str:
        return svg(self.rules, self.position())

    @property
    def to_play(self) -> int:
        """The actor whose action comes next: a colour, or CHANCE while given dice are awaited."""
        return self._game.to_play

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on; an end by passes may be provisional, as that of a Game."""
        found = self._game.outcome()
        return Outcome(found[0] or None, found[1], found[2]) if isinstance(found, tuple) else found

    def actions(self) -> Sequence[int]:
        """What may be tried: points ascending, then SWAP, then PASS; the outcomes of the dice where they are due.

        The last of these opens every line and is never thrown: see `Rules.actions`.
        """
        return self._game.actions()

    def mask(self) -> BoolArray:
        """`actions` by policy index: bool, shape (A,); all False where dice are due or the game is over for good."""
        mask = np.empty(self._actions, np.bool_)
        self._game.mask(mask)
        return mask

    def play(self, action: int) -> None:
        """Carry out an action of the side to play.

        Raises IllegalMove or NotationError as `Game.play` does; then nothing has changed.
        """
        if type(action) is not int:
            action = whole("action", action)
        if not self._game.play(action):
            self.rules.play(self.position(), action)
            raise NotationError(f"action {action}: refused")

    def copy(self) -> "State":
        """The same game, which goes its own way from here; the dice to come are the same."""
        twin = object.__new__(State)
        twin.rules, twin._seed, twin._chance = self.rules, self._seed, self._chance
        twin._actions, twin._known, twin._encoder = self._actions, self._known, self._encoder
        twin._game = self._game.copy()
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> "State":
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        # Played again where it is read, in the form that is there: the seed throws the same dice in both.
        return replay_state, (self.rules, self._seed, self._chance, self._game.played)

    def position(self) -> Position:
        """The position with its history, exact; it is worked out move by move from the last one that was asked for."""
        played = self._game.played
        position, count = self._known or (self.rules.start(), 0)
        for action in played[count:]:
            position = self.rules.play(position, action)
        self._known = position, len(played)
        return position

    def encode(self, planes: PlaneArray, globals: FloatArray) -> None:
        """Write what `Encoder` gives for the side to move into arrays that are there.

        `planes` uint8 (steps of `Encoder.scales`) or float32, shape (planes, points); `globals` float32, (globals,).
        Raises ValueError for another shape and TypeError for another type.
        """
        if isinstance(self._encoder, Encoder):
            assert isinstance(self._game, PlainGame)
            write_planes(self._encoder, self._game.seen_by_mover(), planes, globals)
        else:
            assert not isinstance(self._game, PlainGame)
            try:
                self._game.encode(self._encoder, planes, globals)
            except (TypeError, ValueError):
                # The same words as in plain Python, at no cost where nothing is wrong.
                check_types(planes, globals)
                raise


def replay_state(rules: Rules, seed: int, chance: Chance, played: Sequence[int]) -> State:
    """The state in which these actions were played; dice among them are thrown again where the seed throws them."""
    state = State(rules, seed, chance)
    while (count := len(state._game.played)) < len(played):
        state.play(played[count])
    return state


def throws_dice_of(chance: str) -> bool:
    """Whether dice are thrown as soon as they are due. Raises NotationError for another word."""
    if chance not in ("sampled", "given"):
        raise NotationError(f"chance={chance!r:.40}: expected sampled or given")
    return chance == "sampled"
