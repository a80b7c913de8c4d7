"""Random variables beyond the uniform one, from `Rng`: Gumbel's and Dirichlet's.

`kernel/puct/random_variables.hpp` is the same in C++.
"""

from math import exp, log, sqrt

from gtp_variants.base.rng import Rng

# Nothing is drawn below this, whose logarithm is taken.
_SMALLEST = 2.0**-60


def gumbel(rng: Rng) -> float:
    """A variable of the standard Gumbel distribution: the largest of such plus logits is a draw by their softmax."""
    return -log(-log(max(rng.random(), _SMALLEST)))


def normal(rng: Rng) -> float:
    """A standard normal variable (Marsaglia's polar method; the second of each pair is not used)."""
    while True:
        x, y = 2 * rng.random() - 1, 2 * rng.random() - 1
        square = x * x + y * y
        if 0 < square < 1:
            return x * sqrt(-2 * log(square) / square)


def gamma(rng: Rng, shape: float) -> float:
    """A variable of the gamma distribution with scale 1.

    Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000.
    """
    if shape < 1:
        power = exp(log(max(rng.random(), _SMALLEST)) / shape)
        return gamma(rng, shape + 1) * power
    d = shape - 1 / 3
    c = 1 / sqrt(9 * d)
    while True:
        x = normal(rng)
        v = (1 + c * x) * (1 + c * x) * (1 + c * x)
        if v > 0 and log(max(rng.random(), _SMALLEST)) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v


def dirichlet(rng: Rng, parameter: float, count: int) -> list[float]:
    """So many parts of 1, from the Dirichlet distribution whose parameters are all equal."""
    drawn = [gamma(rng, parameter) for _ in range(count)]
    total = 0.0
    for each in drawn:
        total += each
    return [each / total if total > 0 else 1 / count for each in drawn]
