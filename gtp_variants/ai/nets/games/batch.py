"""`Batch`: many games stepped together, for learning programs."""

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games import plain_games
from gtp_variants.ai.nets.games.state import Chance, throws_dice_of
from gtp_variants.errors import IllegalMove, NotationError, VariantsError
from gtp_variants.rules.actions import CHANCE, whole
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.kernel._kernel import KernelBatch

_SEEDS = 2**64
# An invalid index, and the kernel's largest integer, which is invalid too.
_NO_INDEX = -1
_LARGEST = 2**31 - 1


class Observations(NamedTuple):
    """The observations of the sides to move in n games; every step reuses the arrays.

    `planes`  `Encoder` output: uint8 (in steps of `Encoder.scales`) or float32, shape (n, planes, points)
    `globals`  float32, shape (n, globals)
    `mask`  possible tries by policy index, shape (n, A); all False while dice are due and `chance` is "given"
    `to_play`  int8, shape (n,): a colour, or CHANCE while dice are due and `chance` is "given"

    >>> import gtp_variants as gv
    >>> seen = gv.Batch(gv.parse("go:size=5"), 2, seed=1).reset()
    >>> seen.mask.shape, seen.to_play.tolist() == [gv.BLACK, gv.BLACK]
    ((2, 26), True)
    """

    planes: plain_games.PlaneArray
    globals: plain_games.FloatArray
    mask: plain_games.BoolArray
    to_play: NDArray[np.int8]


class Batch:
    """`n` games stepped together; when a game ends, a new game starts in its place.

    Each game has its own dice: equal seeds and indices give equal games, with any number of `threads`, and with or
    without the kernel. Game 0 equals a `State` with the same seed. The kernel releases the interpreter's lock while
    stepping; plain Python uses one thread. `dtype` is the type of the planes, uint8 or float32. If `chance` is "given",
    the index for a game whose `to_play` is CHANCE is an outcome of its dice.

    >>> import gtp_variants as gv
    >>> import numpy as np
    >>> batch = gv.Batch(gv.parse("go:size=5"), 64, seed=1)
    >>> rng, seen = np.random.default_rng(1), batch.reset()
    >>> for _ in range(100):
    ...     seen, rewards, done = batch.step((rng.random(seen.mask.shape) * seen.mask).argmax(axis=1))
    >>> seen.planes.shape[::2], rewards.shape, len(batch.games()) == batch.n
    ((64, 25), (64, 2), True)
    """

    def __init__(
        self,
        rules: Rules,
        n: int,
        seed: int = 1,
        threads: int = 1,
        dtype: DTypeLike = np.uint8,
        chance: Chance = "sampled",
    ) -> None:
        n, seed, threads = whole("n", n), whole("seed", seed) % _SEEDS, whole("threads", threads)
        faults = [
            f"{name}={value}: expected 1 or more" for name, value in (("n", n), ("threads", threads)) if value < 1
        ]
        if np.dtype(dtype) not in (np.uint8, np.float32):
            faults.append(f"dtype={np.dtype(dtype)}: expected uint8 or float32")
        if faults:
            raise NotationError("; ".join(faults))
        self.rules, self.n = rules, n
        encoder = Encoder(rules)
        self._actions = encoder.actions
        points, size = len(rules.board), len(encoder.actions)
        self._arrays = plain_games.BatchArrays(
            np.zeros((n, len(encoder.planes), points), dtype),
            np.zeros((n, len(encoder.globals)), np.float32),
            np.zeros((n, size), np.bool_),
            np.zeros(n, np.int8),
            np.zeros((n, len(rules.colours)), np.float32),
            np.zeros(n, np.bool_),
        )
        arrays = self._arrays
        self._observation = Observations(arrays.planes, arrays.features, arrays.mask, arrays.to_play)
        throws_dice = throws_dice_of(chance)
        self._games: KernelBatch | plain_games.PlainBatch
        if search_backend(rules) == "native":
            from gtp_variants.ai.kernel import _kernel
            from gtp_variants.ai.kernel.states import kernel_rules
            from gtp_variants.ai.nets.kernel_network import kernel_encoder

            # The kernel's batch keeps references to these arrays, and fills them.
            buffers = [getattr(arrays, field.name) for field in fields(arrays)]
            self._games = _kernel.KernelBatch(
                kernel_rules(rules), kernel_encoder(rules), seed, threads, throws_dice, *buffers
            )
        else:
            self._games = plain_games.PlainBatch(rules, seed, throws_dice, arrays)

    def __len__(self) -> int:
        return self.n

    def reset(self) -> Observations:
        """Restart every game in which a player has acted, and return the observations. The dice sequence continues."""
        self._games.reset()
        return self._observation

    def step(
        self, indices: ArrayLike, acting: ArrayLike | None = None
    ) -> tuple[Observations, plain_games.FloatArray, plain_games.BoolArray]:
        """Play one policy index in every game; `indices` are int32, shape (n,).

        Return the observations; the rewards, float32 (n, colours) in turn order, which are 1, 0.5 or 0 for a won, drawn
        or lost game that just ended, and 0 in all others; and which games ended, bool (n,). Games that ended have
        been restarted. Games for which `acting`, bool (n,), is False stay as they are. Raises IllegalMove or
        NotationError that names the first game with an illegal index; then no game has changed.
        """
        given = np.asarray(indices)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise NotationError(f"indices of shape {given.shape}, {given.dtype}: expected ({self.n},), int32")
        if acting is not None:
            acts = np.asarray(acting)
            if acts.shape != (self.n,) or acts.dtype != np.bool_:
                raise NotationError(f"acting of shape {acts.shape}, {acts.dtype}: expected ({self.n},), bool")
        # Clip numbers beyond 32 bits, which would wrap to other indices; only `acting` may leave a game as it is.
        fitting = np.clip(given.astype(np.int64), _NO_INDEX, _LARGEST)
        if acting is not None:
            fitting[~acts] = plain_games.HOLD
        refused = self._games.step(fitting.astype(np.int32))
        if refused != plain_games.ALL_LEGAL:
            raise self._error(refused, int(given[refused]))
        return self._observation, self._arrays.rewards, self._arrays.done

    def games(self) -> list[Game]:
        """Return the running games, including every throw."""
        return [plain_games.replay(self.rules, self._games.actions(number)) for number in range(self.n)]

    def ended_games(self) -> dict[int, Game]:
        """Return the games that the last step ended, by number, including every throw."""
        played = {number: self._games.ended_actions(number) for number in range(self.n)}
        return {number: plain_games.replay(self.rules, actions) for number, actions in played.items() if actions}

    def _error(self, number: int, index: int) -> VariantsError:
        """Return the error for an illegal index."""
        position = plain_games.replay(self.rules, self._games.actions(number)).position
        where, count = f"game {number}: index {index}", len(self.rules.actions(position))
        if position.to_play == CHANCE:
            return NotationError(f"{where}: expected an outcome of the dice, one of {count}")
        if not 0 <= index < len(self._actions):
            return NotationError(f"{where}: expected 0 to {len(self._actions) - 1}, as far as its mask allows")
        expected = f"expected one of the {count} that its mask allows"
        try:
            self.rules.play(position, int(self._actions[index]))
        except IllegalMove as error:
            return IllegalMove(error.reason, f"{where}: {error.sentence}; {expected}")
        return IllegalMove("occupied", f"{where}: a point whose stone the seat knows; {expected}")
