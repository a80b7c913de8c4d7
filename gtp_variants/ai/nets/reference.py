"""The computation of a network in numpy; the kernel computes exactly the same numbers.

Activations are integers from 0 to 127 in units of 2^-5, weights from -127 to 127 in units of 2^-7, and sums of their
products in units of 2^-12. Values pooled over the board are in units of 2^-9, and their weighted sums in 2^-16.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.network import SPECIALS, Network

Integers = NDArray[np.int64]
Levels = NDArray[np.uint8]
Features = NDArray[np.float32]
TYPES = {"I8": "<i1", "I32": "<i4"}


def tensors_of(network: Network) -> dict[str, Integers]:
    """Return the tensors of a network as integer arrays."""
    shapes = network.shape.tensors()
    return {
        name: np.frombuffer(network.tensors[name], TYPES[dtype]).reshape(sizes).astype(np.int64)
        for name, (dtype, sizes) in shapes.items()
    }


def evaluate(network: Network, taps: NDArray[np.int32], levels: Levels, features: Features) -> Mapping[str, Integers]:
    """Return the raw outputs: `logits` of points, PASS and SWAP (in units of 2^-12), and `board` (2^-16).

    `taps` (points, T), the planes `levels` (planes, points) and `features` (globals,) come from the encoder. The
    outputs `owners` and `hidden_stones` (2^-12) are empty if the network lacks them.
    """
    shape, t = network.shape, tensors_of(network)

    def convolve(name: str, x: Integers, near: NDArray[np.int32], told: Integers | int = 0) -> Integers:
        rows = np.vstack([x, np.zeros((1, x.shape[1]), np.int64)])[near]
        sums: Integers = np.einsum("pti,oti->po", rows, t[f"{name}.weight"])
        return sums + t[f"{name}.bias"] + told

    def activate(sums: Integers, residual: Integers | int = 0) -> Integers:
        return np.clip(residual + ((sums + 64) >> 7), 0, 127)

    def pool(x: Integers) -> Integers:
        mean = (x.sum(0) * ((1 << 20) // len(x))) >> 16
        return np.concatenate([mean, x.max(0) << 4])

    own = np.arange(len(taps), dtype=np.int32)[:, None]
    scales = np.array(network.scales, np.int64)[:, None]
    x = np.minimum(127, (2 * 32 * levels.astype(np.int64) + scales) // (2 * scales)).T
    g = np.clip(np.floor(features * np.float32(32) + np.float32(0.5)), -127, 127).astype(np.int64)
    x = activate(convolve("stem", x, taps, t["stem.globals.weight"] @ g))
    for block in range(shape.blocks):
        name = f"blocks.{block}"
        told = (t[f"{name}.pool.weight"] @ pool(x)) >> 4 if shape.pools(block) else 0
        inner = activate(convolve(f"{name}.first", x, taps, told))
        x = activate(convolve(f"{name}.second", inner, taps), x)
    head = activate(convolve("head", x, own, (t["head.pool.weight"] @ pool(x)) >> 4))
    points = (head @ t["points.weight"].T + t["points.bias"]).T
    dense = np.clip((t["dense.weight"] @ pool(head) + t["dense.bias"] + 64) >> 7, 0, 4095)
    board = t["board.weight"] @ dense + t["board.bias"]
    further = iter(points[1:])
    empty = np.zeros(0, np.int64)
    return {
        "logits": np.concatenate([points[0], board[:SPECIALS] >> 4]),
        "board": board,
        "owners": next(further) if shape.has_owners else empty,
        "hidden_stones": next(further) if shape.has_hidden_stones else empty,
    }
