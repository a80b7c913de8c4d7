"""The two forms of games for learners, and random play in them."""

from unittest.mock import patch

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gtp_variants.ai.nets.games.batch import Batch, Observations
from gtp_variants.ai.nets.games.state import Chance, State
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules


def state_of_form(form: str, rules: Rules, seed: int = 1, chance: Chance = "sampled") -> State:
    """A state in "native" or "python" form."""
    with patch("gtp_variants.ai.nets.games.state.search_backend", return_value=form):
        return State(rules, seed, chance)


def batch_of_form(
    form: str,
    rules: Rules,
    n: int,
    seed: int = 1,
    threads: int = 1,
    dtype: DTypeLike = np.uint8,
    chance: Chance = "sampled",
) -> Batch:
    """A batch in "native" or "python" form."""
    with patch("gtp_variants.ai.nets.games.batch.search_backend", return_value=form):
        return Batch(rules, n, seed, threads, dtype, chance)


def choose(rules: Rules, seen: Observations, rng: np.random.Generator) -> NDArray[np.int32]:
    """A random index for each game, passes rarely; where dice are awaited one of the outcomes that always stand."""
    weights = rng.random(seen.mask.shape) * seen.mask
    if rules.has_pass:
        weights[:, len(rules.board)] *= 0.02
    indices: NDArray[np.int32] = weights.argmax(1).astype(np.int32)
    for number in np.flatnonzero(seen.to_play == CHANCE):
        assert isinstance(rules, DicedRules)
        outcomes = rules.line_table.outcomes(rules.dice)
        indices[number] = outcomes[int(rng.integers(len(outcomes)))]
    return indices
