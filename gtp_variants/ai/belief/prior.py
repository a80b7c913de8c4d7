"""The prior of hidden stones: where players like to put them.

A game's probability is proportional to the product of its hidden placements, each e to the power of its point's
weights; refused tries do not count. Under `uniform` all weights are 0, so all games that agree are equally likely.
"""

import json
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from gtp_variants.errors import ConfigError

LINES = 4
COUNTS = 4


@dataclass(frozen=True, slots=True)
class PlacementPrior:
    """The weights of a conditional logit over the empty points of a board, from the placing side's view.

    `line`  by line from the edge, the last for all further inside; shape (LINES,)
    `early_line`  the same, scaled by how far the board is from being filled to the share `early`
    `beside_theirs`  for 0 to 3 or more adjacent stones of its own; shape (COUNTS,)
    `beside_ours`  for 0 to 3 or more adjacent stones of the other side; shape (COUNTS,)
    `near_theirs`  per own stone two steps away
    `eye`  for a point with only own neighbours
    """

    early: float
    line: tuple[float, ...]
    early_line: tuple[float, ...]
    beside_theirs: tuple[float, ...]
    beside_ours: tuple[float, ...]
    near_theirs: float
    eye: float


# The names of priors.
FITTED, UNIFORM = "fitted", "uniform"
_ALIKE = PlacementPrior(1.0, (0.0,) * LINES, (0.0,) * LINES, (0.0,) * COUNTS, (0.0,) * COUNTS, 0.0, 0.0)


@cache
def load_prior(name: str = FITTED) -> PlacementPrior:
    """Return a prior by name; prior.json says how its weights were fitted. Raises ConfigError for another name."""
    if name == UNIFORM:
        return _ALIKE
    if name != FITTED:
        raise ConfigError([f"prior={name!r}: expected {FITTED} or {UNIFORM}"])
    text = Path(__file__).with_name("prior.json").read_text(encoding="utf-8")
    given = json.loads(
        text, object_hook=lambda each: {k: tuple(v) if isinstance(v, list) else v for k, v in each.items()}
    )
    return PlacementPrior(**{field.name: given[field.name] for field in fields(PlacementPrior)})
