"""The compiled encoder of a game. Importing this raises ImportError where the kernel was not built."""

from functools import lru_cache
from typing import TYPE_CHECKING

from gtp_variants.ai.kernel._kernel import KernelEncoder
from gtp_variants.ai.kernel.states import kernel_rules, state_of
from gtp_variants.ai.nets.encoding.features import option_flags
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@lru_cache(maxsize=64)
def kernel_encoder(rules: Rules) -> KernelEncoder:
    """What writes a state of these rules into arrays, number for number as `Encoder.encode_levels`."""
    return KernelEncoder(kernel_rules(rules), option_flags(rules))


def encode_position(
    rules: Rules, position: Position, viewer: int, levels: "NDArray[np.uint8]", features: "NDArray[np.float32]"
) -> None:
    """Write a position, every stone of it, from a colour's side (0: the side to move) into arrays that are there."""
    kernel_encoder(rules).encode(state_of(rules, position), viewer, levels, features)
