"""Where players like to put stones they hide: the prior of games that agree with what a seat heard.

A game is as likely as the product of its hidden placements, each e to the power of the weights of its point, up to a
constant; refused tries count nothing. Under `uniform` all weights are 0: all games that agree are equally likely.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gtp_variants.errors import ConfigError

LINES = 4
COUNTS = 4


@dataclass(frozen=True, slots=True)
class PlacementPrior:
    """Weights of a conditional logit over the empty points of a board.

    `line`           for a point on each line from the edge, the last for all further inside; shape (LINES,)
    `early_line`     the same, in proportion to what is missing until the board is filled to the share `early`
    `beside_theirs`  for 0 to 3 or more adjacent stones of the player's own; shape (COUNTS,)
    `beside_ours`    for 0 to 3 or more adjacent stones of the other side; shape (COUNTS,)
    `near_theirs`    for each stone of the player's own two steps away
    `eye`            for a point whose neighbours are all the player's own
    """

    early: float
    line: tuple[float, ...]
    early_line: tuple[float, ...]
    beside_theirs: tuple[float, ...]
    beside_ours: tuple[float, ...]
    near_theirs: float
    eye: float


# The names of priors: as bots play, by the fitted weights, or all games alike.
FITTED, UNIFORM = "fitted", "uniform"
_ALIKE = PlacementPrior(1.0, (0.0,) * LINES, (0.0,) * LINES, (0.0,) * COUNTS, (0.0,) * COUNTS, 0.0, 0.0)


@cache
def load_prior(name: str = FITTED) -> PlacementPrior:
    """A prior by name; the file of the fitted weights says by which command. Raises ConfigError for another name."""
    if name == UNIFORM:
        return _ALIKE
    if name != FITTED:
        raise ConfigError([f"prior={name!r}: expected {FITTED} or {UNIFORM}"])
    given = json.loads(Path(__file__).with_name("prior.json").read_text(encoding="utf-8"))
    return PlacementPrior(
        given["early"],
        tuple(given["line"]),
        tuple(given["early_line"]),
        tuple(given["beside_theirs"]),
        tuple(given["beside_ours"]),
        given["near_theirs"],
        given["eye"],
    )
