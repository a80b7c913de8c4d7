"""A larger network that says exactly what a smaller one says, to learn more than that has room for.

What is new is drawn at random, and nothing that was there before listens to it yet (Chen, Goodfellow and Shlens,
"Net2Net: Accelerating Learning via Knowledge Transfer", 2016).
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.network import Network, NetworkShape
from gtp_variants.ai.nets.reference import TYPES, tensors_of


def enlarge(network: Network, shape: NetworkShape, drawn: Mapping[str, bytes]) -> Network:
    """The network with more channels and blocks; `drawn` are tensors of its new shape drawn at random.

    Its answers are the same bit for bit. Raises ValueError for fewer channels or blocks than it has.
    """
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
            # A new block adds nothing to what it is given.
            made[:] = 0
    kinds = shape.tensors()
    return replace(
        larger, tensors={name: made.astype(TYPES[kinds[name][0]]).tobytes() for name, made in tensors.items()}
    )


def _keep(made: NDArray[np.int64], found: NDArray[np.int64], inputs_of: int, inputs_from: int) -> None:
    """Let the outputs that were there before read what they read, and nothing new."""
    outputs = len(found)
    if made.ndim == 1 or made.shape[-1] == found.shape[-1]:
        made[:outputs] = found
        return
    made[:outputs] = 0
    # Means and maxima of the channels are inputs one after the other.
    for part in range(made.shape[-1] // inputs_of):
        read = found[..., part * inputs_from : (part + 1) * inputs_from]
        made[:outputs, ..., part * inputs_of : part * inputs_of + inputs_from] = read
