"""A batch of training positions, and the terms of the loss."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import SPECIALS, NetworkShape


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """Training positions on one board: n rows, each seen by the side to move. Arrays must be contiguous.

    `planes` uint8 (n, planes, points), `globals` float32 (n, globals): as returned by `Encoder.encode_levels`
    `mask` uint8 (n, points + 2): 1 for each legal point, PASS and SWAP
    `policy` float32 (n, points + 2): the share of each of these moves
    `ends` float32 (n, colours + 1): shares of wins by colour, in turn order from the side to move, then of a drawn game
    `weight` float32 (n,): the weight of each row
    `reply` int32 (n,): the place in `policy` of the next action after the position's own, -1 if unknown
    `short_term_ends` float32 (n, colours + 1): like `ends`, but the mean of the values in the turns that follow
    `owners` float32 (n, points): 1 for the side to move, -1 for the other side, 0 for nobody, or a share in between
    `score` float32 (n,): the lead of the side to move, in points
    `hidden` int8 (n, points): 1 where there is an unseen stone
    """

    planes: NDArray[np.uint8]
    globals: NDArray[np.float32]
    mask: NDArray[np.uint8]
    policy: NDArray[np.float32]
    ends: NDArray[np.float32]
    weight: NDArray[np.float32]
    reply: NDArray[np.int32]
    short_term_ends: NDArray[np.float32]
    owners: NDArray[np.float32] | None = None
    score: NDArray[np.float32] | None = None
    hidden: NDArray[np.int8] | None = None

    def rows(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that are not None, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in found.items() if array is not None}

    def check(self, shape: NetworkShape, points: int) -> None:
        """Raise ValueError if an array does not fit a network and a board of this many points."""
        width = {"planes": shape.planes * points, "globals": shape.globals, "ends": shape.colours + 1}
        width |= {"weight": 1, "score": 1, "owners": points, "hidden": points, "reply": 1}
        width |= {"mask": points + SPECIALS, "policy": points + SPECIALS, "short_term_ends": shape.colours + 1}
        for name, array in self.rows().items():
            if array.size != (expected := len(self.weight) * width[name]):
                raise ValueError(f"{name}: expected {expected} numbers, not {array.size}")


@dataclass(frozen=True, slots=True)
class LossWeights:
    """The weight of each term in the loss. `owners`, `reply`, and `short_term_value` per `value` are KataGo's.

    They are in its files `metrics_pytorch.py` and `train.py`.
    """

    policy: float = 1.0
    value: float = 1.0
    owners: float = 1.5
    score: float = 0.1
    hidden_stones: float = 1.0
    reply: float = 0.15
    short_term_value: float = 0.6


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean losses per row, in nats, except `score`: a Huber loss in units of eight points.

    Older folders lack the last two, whose heads exist only in training.
    """

    policy: float
    value: float
    owners: float
    score: float
    hidden_stones: float
    reply: float = 0.0
    short_term_value: float = 0.0


def network_shape(encoder: Encoder, channels: int = 32, blocks: int = 4) -> NetworkShape:
    """Return the shape of a network that plays the encoder's game."""
    rules = encoder.rules
    return NetworkShape(
        len(encoder.planes),
        len(encoder.globals),
        encoder.taps.shape[1],
        channels,
        blocks,
        colours=len(rules.colours),
        has_score=rules.is_scored,
        has_owners=rules.is_scored,
        has_hidden_stones=not rules.is_open,
    )
