"""Enlarging a network without changing its outputs.

New weights are random, and nothing old reads them yet (Chen, Goodfellow and Shlens, "Net2Net: Accelerating Learning via
Knowledge Transfer", 2016).
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.network import Network, NetworkShape
from gtp_variants.ai.nets.reference import TYPES, tensors_of


def enlarge(network: Network, shape: NetworkShape, drawn: Mapping[str, bytes]) -> Network:
    """Return a larger network with the same outputs; `drawn` are random tensors of the new shape. Raises ValueError."""
    old = network.shape
    if shape.channels < old.channels or shape.blocks < old.blocks:
        raise ValueError(
            f"{old.blocks} blocks of {old.channels} channels cannot begin a network with {shape.blocks} of "
            f"{shape.channels}: expected as many or more"
        )
    larger = replace(network, shape=shape, tensors=drawn)
    known, tensors = tensors_of(network), tensors_of(larger)
    for name, made in tensors.items():
        if name in known:
            _keep(made, known[name], inputs_of=shape.channels, inputs_from=old.channels)
        elif ".second." in name:
            # A new block first adds nothing to its input.
            made[:] = 0
    kinds = shape.tensors()
    return replace(
        larger, tensors={name: made.astype(TYPES[kinds[name][0]]).tobytes() for name, made in tensors.items()}
    )


def _keep(made: NDArray[np.int64], found: NDArray[np.int64], inputs_of: int, inputs_from: int) -> None:
    """Let the old outputs read their old inputs and nothing new."""
    outputs = len(found)
    if made.ndim == 1 or made.shape[-1] == found.shape[-1]:
        made[:outputs] = found
        return
    made[:outputs] = 0
    # Pooled inputs are the channels' means followed by their maxima.
    for part in range(made.shape[-1] // inputs_of):
        read = found[..., part * inputs_from : (part + 1) * inputs_from]
        made[:outputs, ..., part * inputs_of : part * inputs_of + inputs_from] = read
