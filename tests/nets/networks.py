"""Networks with weights drawn at random, for tests."""

import numpy as np

from gtp_variants.nets.encoder import Encoder
from gtp_variants.nets.network import Network, NetworkShape


def shape_for(encoder: Encoder, channels: int = 32, blocks: int = 4, pooled: int = 2) -> NetworkShape:
    """The shape of a network that plays a game."""
    rules = encoder.rules
    return NetworkShape(
        len(encoder.planes),
        len(encoder.globals),
        encoder.taps.shape[1],
        channels,
        blocks,
        pooled,
        colours=len(rules.colours),
        has_score=rules.is_scored,
        has_owners=rules.is_scored,
        has_hidden_stones=not rules.is_open,
    )


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
