"""Networks with random weights, and the meaning of their raw outputs, for tests."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets import reference
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import SPECIALS, Network, NetworkShape
from gtp_variants.training.batch import network_shape


def shape_for(encoder: Encoder, channels: int = 32, blocks: int = 4, pooled: int = 2) -> NetworkShape:
    """The shape that training gives a network of a game; `pooled` as in `NetworkShape`."""
    return replace(network_shape(encoder, channels, blocks), pooled=pooled)


def random_network(encoder: Encoder, seed: int, channels: int = 32, blocks: int = 4, pooled: int = 2) -> Network:
    """A network whose activations neither vanish nor all reach the bound."""
    rng = np.random.default_rng(seed)
    shape = shape_for(encoder, channels, blocks, pooled)
    tensors = {}
    for name, (dtype, sizes) in shape.tensors().items():
        if dtype == "I8":
            tensors[name] = np.clip(np.round(rng.normal(0, 18, sizes)), -127, 127).astype("<i1").tobytes()
        else:
            tensors[name] = rng.integers(-3000, 6000, sizes).astype("<i4").tobytes()
    scales = tuple(map(int, encoder.scales))
    return Network(encoder.rules.name, shape, encoder.planes, scales, encoder.globals, tensors, {"made": "by chance"})


def shares_of(network: Network, outputs: Mapping[str, reference.Integers]) -> dict[str, NDArray[np.float64]]:
    """Convert raw outputs, from the side to move; the kernel's integer exponentials differ by up to 10^-6.

    The result has `values` of the colours, `draw`, `score` (mean and standard deviation in points), `owners` (-1 to 1)
    and `hidden_stones` (probabilities).
    """
    shape, board = network.shape, outputs["board"]
    ends = (board[SPECIALS : SPECIALS + shape.colours + 1] >> 4) / 4096
    powers = np.exp(ends - ends.max())
    shares = powers / powers.sum()
    score = board[-2:] / 65536 * 8 if shape.has_score else np.zeros(2)
    return {
        "values": shares[:-1] + shares[-1] / shape.colours,
        "draw": shares[-1:],
        "score": np.array([score[0], max(score[1], 0)]),
        "owners": np.tanh(outputs["owners"] / 4096),
        "hidden_stones": 1 / (1 + np.exp(-outputs["hidden_stones"] / 4096)),
    }
