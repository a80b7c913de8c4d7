"""What a result says about strength: Elo with its interval, normalised Elo, likelihood of superiority.

A sample is a game with score 0, 1/2 or 1, or better a pair of games with swapped colours, whose mean score
is 0, 1/4, 1/2, 3/4 or 1; counts go from the lowest score to the highest. The formulas are those of fastchess and
fishtest::

    mu = sum p_i x_i      var = sum p_i (x_i - mu)**2      elo(s) = -400 log10(1/s - 1)
    interval [elo(mu - z sqrt(var/n)), elo(mu + z sqrt(var/n))], asymmetric; the error printed is half its width
    nElo = C (mu - 1/2) / sqrt(f var) +/- z C / sqrt(f n)      LOS = Phi((mu - 1/2) / sqrt(var/n))

with C = 800 / ln 10 and f games per sample. They fail where all samples have one value (variance 0): there normalised
Elo is unknown and LOS takes the variance that equal players would have. There, and where so few samples lie so near an
end that the interval would leave 0 to 1, the interval is Wilson's, which is wider.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, inf, log, log10, sqrt

Z = 1.959963984540054
C = 800 / log(10)


def elo_of_score(score: float) -> float:
    """Elo difference of an expected score; infinite at 0 and 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    # Not -400 * ...: equals are 0 and not -0.
    return 0.0 - 400 * log10(1 / score - 1)


def score_of_elo(elo: float) -> float:
    """Expected score of an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Strength from counts. `low` and `high` bound Elo with 95 %; `nelo` is None where it cannot be known."""

    score: float
    elo: float
    low: float
    high: float
    nelo: float | None
    nelo_error: float
    los: float

    @property
    def error(self) -> float:
        """Half the width of the interval: what is printed behind +/-."""
        return (self.high - self.low) / 2


def estimate(counts: Sequence[int]) -> Estimate:
    """The estimate from 3 counts of games (L, D, W) or 5 of pairs. Raises ValueError without a sample."""
    if len(counts) not in (3, 5) or min(counts) < 0 or not any(counts):
        raise ValueError(f"expected 3 or 5 counts, at least one of them positive, not {list(counts)}")
    n, per_sample = sum(counts), 1 if len(counts) == 3 else 2
    scores = [index / (len(counts) - 1) for index in range(len(counts))]
    mu = sum(count * score for count, score in zip(counts, scores, strict=True)) / n
    variance = sum(count * (score - mu) ** 2 for count, score in zip(counts, scores, strict=True)) / n
    nelo_error = Z * C / sqrt(per_sample * n)
    if max(counts) == n:
        low, high = wilson(mu, n)
        los = _phi((mu - 0.5) * 2 * sqrt(n))
        return Estimate(mu, elo_of_score(mu), elo_of_score(low), elo_of_score(high), None, nelo_error, los)
    deviation = sqrt(variance / n)
    low, high = mu - Z * deviation, mu + Z * deviation
    if low <= 0 or high >= 1:
        low, high = wilson(mu, n)
    nelo = C * (mu - 0.5) / sqrt(per_sample * variance)
    los = _phi((mu - 0.5) / deviation)
    return Estimate(mu, elo_of_score(mu), elo_of_score(low), elo_of_score(high), nelo, nelo_error, los)


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share from n samples; it is never empty."""
    middle = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
    return (0.0 if mean == 0 else middle - half), (1.0 if mean == 1 else middle + half)


def _phi(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2
