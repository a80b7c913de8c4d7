"""The spaces of Gymnasium that observations lie in."""

import numpy as np
from gymnasium import spaces

from gtp_variants.nets.encoder import Encoder

# No feature is farther from 0: komi has at most twelve digits.
_FARTHEST = 1e12


def observation_spaces(encoder: Encoder, actions: int) -> tuple[dict[str, spaces.Box], spaces.Box]:
    """Where `planes` and `globals` of an encoder lie, and the mask of so many actions."""
    planes = spaces.Box(0, 1, (len(encoder.planes), len(encoder.cells)), np.float32)
    features = spaces.Box(-_FARTHEST, _FARTHEST, (len(encoder.globals),), np.float32)
    return {"planes": planes, "globals": features}, spaces.Box(0, 1, (actions,), np.int8)
