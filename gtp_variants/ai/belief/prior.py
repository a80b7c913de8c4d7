"""The prior for hidden stones: where players like to put them.

A game's probability is proportional to a product with one factor per hidden stone: e to the power of the sum of its
point's weights. Refused tries do not count. Under `uniform` all weights are 0, so all games that agree with the news
are equally likely.
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
    """The weights of a conditional logit model over the empty points of a board, from the placing side's point of view.

    `line`  for each line from the edge, the last weight also for all lines further inside; shape (LINES,)
    `early_line`  added weights for each line, scaled down to 0 as the filled share of the board grows from 0 to `early`
    `beside_theirs`  for 0, 1, 2, and 3 or more adjacent stones of the placing side; shape (COUNTS,)
    `beside_ours`  for 0, 1, 2, and 3 or more adjacent stones of the other side; shape (COUNTS,)
    `near_theirs`  for each stone of the placing side two steps away
    `eye`  for a point whose neighbours are all the placing side's stones
    """

    early: float
    line: tuple[float, ...]
    early_line: tuple[float, ...]
    beside_theirs: tuple[float, ...]
    beside_ours: tuple[float, ...]
    near_theirs: float
    eye: float


# The names of the priors.
FITTED, UNIFORM = "fitted", "uniform"
_ALIKE = PlacementPrior(1.0, (0.0,) * LINES, (0.0,) * LINES, (0.0,) * COUNTS, (0.0,) * COUNTS, 0.0, 0.0)


@cache
def load_prior(name: str = FITTED) -> PlacementPrior:
    """Return a prior by name; prior.json says how its weights were fitted. Raises ConfigError for an unknown name."""
    if name == UNIFORM:
        return _ALIKE
    if name != FITTED:
        raise ConfigError([f"prior={name!r}: expected {FITTED} or {UNIFORM}"])
    text = Path(__file__).with_name("prior.json").read_text(encoding="utf-8")
    given = json.loads(
        text, object_hook=lambda each: {k: tuple(v) if isinstance(v, list) else v for k, v in each.items()}
    )
    return PlacementPrior(**{field.name: given[field.name] for field in fields(PlacementPrior)})
