"""Networks with weights drawn at random, for tests."""

from dataclasses import replace

import numpy as np

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import Network, NetworkShape
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
