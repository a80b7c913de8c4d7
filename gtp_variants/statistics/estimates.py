"""Estimates of strength from results: Elo with its interval, normalised Elo and likelihood of superiority.

A sample is a game with score 0, 1/2 or 1 or, better, a pair of games with swapped colours, whose mean score is 0, 1/4,
1/2, 3/4 or 1. Counts are ordered from the lowest score to the highest. All figures follow from z(s), the standard score
of "the expected score is above s", which falls from s = 0 to s = 1::

    Elo: of the score m where z = 0        interval: Elo of the scores where z = 1.96 and z = -1.96
    LOS = Phi(z(1/2))                      nElo = C (m - 1/2) / sqrt(f var)

with C = 800 / ln 10, f games per sample and the variance var of a sample. With many samples z(s) = (mu - s) sqrt(n /
var), where mu is the mean of n samples, and the figures equal those of fastchess and fishtest. This formula fails if
few samples differ from the most frequent one: at 10 to 0 it claims certainty. Then z is the signed root of the
likelihood ratio that the SPRT uses, 2 n sum of p_i ln(p_i / q_i): p are the shares of the scores, q is the most likely
distribution whose mean is s, and small prior counts keep p from 0. Between 20 and 30 differing samples the root blends
into the formula. `benchmarks/statistics/coverage.py` measures how often the interval contains the true value.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import copysign, exp, inf, log, log10, sqrt
from statistics import NormalDist

Z = 1.959963984540054
C = 800 / log(10)

# Prior counts of the scores 0 and 1, and of each score between them. Among those tried, these keep the coverage above
# 93 % for every number of pairs from 3 on and every true score from 0.05 to 0.95, and its mean nearest to 95 %.
_PRIOR_OF_ENDS, _PRIOR_BETWEEN = 0.2, 0.05
# Between these numbers of samples that differ from the most frequent score, the root blends into the formula.
_FEW, _MANY = 20, 30
# Beyond this tilt the expected score is indistinguishable from 0 or 1.
_MOST_TILT = 40.0
_HALVINGS = 56
_ALMOST_NOTHING = 1e-32

_NORMAL = NormalDist()
Curve = Callable[[float], tuple[float, float]]


def elo_of_score(score: float) -> float:
    """Return the Elo difference for an expected score; it is infinite at 0 and 1."""
    if not 0 < score < 1:
        return inf if score >= 1 else -inf
    # Do not write -400 * ..., because that is -0 for equal players.
    return 0.0 - 400 * log10(1 / score - 1)


def score_of_elo(elo: float) -> float:
    """Return the expected score for an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_text(elo: float, low: float, high: float) -> str:
    """Return an Elo difference and interval as text, such as `+12 [-30, +54]`; with decimals below a width of 10."""
    digits = 0 if high - low >= 10 else 1
    # Adding 0 turns a rounded -0.0 into 0.0.
    shown = [f"{round(value, digits) + 0.0:+.{digits}f}" for value in (elo, low, high)]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]"


def los_text(los: float) -> str:
    """Return a likelihood of superiority, 0 to 1, as text, which never claims certainty."""
    return "> 99.9%" if los >= 0.9995 else "< 0.1%" if los < 0.0005 else f"{100 * los:.1f}%"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Strength from counts: actual `score` (0 to 1), `elo` with its 95 % `interval`, `nelo` +/- `nelo_error`, `los`.
    All except `score` come from one distribution and never contradict each other: the Elo interval is above 0 exactly
    if `nelo` is greater than its error, and exactly if `los` is above 0.975.
    """

    score: float
    elo: float
    interval: tuple[float, float]
    nelo: float
    nelo_error: float
    los: float

    @property
    def error(self) -> float:
        """Half the width of the interval."""
        return (self.interval[1] - self.interval[0]) / 2

    @property
    def elo_text(self) -> str:
        """The Elo with its interval as text."""
        return elo_text(self.elo, *self.interval)

    @property
    def nelo_text(self) -> str:
        """The normalised Elo with its interval as text."""
        return elo_text(self.nelo, self.nelo - self.nelo_error, self.nelo + self.nelo_error)

    def mirror(self) -> "Estimate":
        """Return the estimate for the other player."""
        low, high = self.interval
        return Estimate(1 - self.score, 0.0 - self.elo, (-high, -low), 0.0 - self.nelo, self.nelo_error, 1 - self.los)


def estimate(counts: Sequence[int]) -> Estimate:
    """Return the estimate from 3 counts of games (L, D, W) or 5 of pairs. Raises ValueError if invalid or all 0."""
    if len(counts) not in (3, 5) or min(counts) < 0 or not any(counts):
        raise ValueError(f"counts {list(counts)}: expected 3 or 5 numbers, each 0 or more, not all 0")
    # Compute only one of two mirrored results, so that both players see exactly the same.
    one, other = tuple(counts), tuple(reversed(counts))
    return _estimate(one) if one <= other else _estimate(other).mirror()


@lru_cache(maxsize=65536)
def _estimate(counts: tuple[int, ...]) -> Estimate:
    return adjusted_estimate(counts, float)


def adjusted_estimate(counts: tuple[int, ...], adjust: Callable[[float], float]) -> Estimate:
    """Return the estimate whose standard score is `adjust`, an increasing function, of the ordinary standard score."""
    scores = _scores(counts)
    curve = _curve(counts, scores, adjust)
    low, middle, high = (_score_where(curve, z) for z in (Z, 0.0, -Z))
    los = _NORMAL.cdf(curve(_tilt_where(lambda tilt: curve(tilt)[0] < 0.5))[1])
    scale = C / sqrt((1 if len(counts) == 3 else 2) * sample_variance(counts))
    # The error is the half of the interval that is nearer to Elo 0.
    error = scale * (middle - low if middle >= 0.5 else high - middle)
    below, elo, above = map(elo_of_score, (low, middle, high))
    return Estimate(moments(counts, scores)[0], elo, (below, above), scale * (middle - 0.5), error, los)


def mean_interval(samples: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval for the mean of samples from 0 to 1. Raises ValueError without samples."""
    if not samples:
        raise ValueError("expected at least one sample")
    seen = Counter(samples)
    scores = sorted({0.0, 1.0, *seen})
    curve = _curve([seen[score] for score in scores], scores, float)
    return _score_where(curve, Z), _score_where(curve, -Z)


def sample_variance(counts: Sequence[int]) -> float:
    """Return the variance of a sample's score; with few samples it takes the prior counts into account."""
    scores, part = _scores(counts), 1 - _normal_weight(counts)
    return moments([count + part * prior for count, prior in zip(counts, _priors(scores), strict=True)], scores)[1]


def _scores(counts: Sequence[int]) -> list[float]:
    return [index / (len(counts) - 1) for index in range(len(counts))]


def _priors(scores: Sequence[float]) -> list[float]:
    return [_PRIOR_OF_ENDS if score in (0.0, 1.0) else _PRIOR_BETWEEN for score in scores]


def _normal_weight(counts: Sequence[int]) -> float:
    """Return the weight of the normal formula, from 0 to 1. The root of the likelihood ratio has the rest."""
    return min(1.0, max(0.0, (sum(counts) - max(counts) - _FEW) / (_MANY - _FEW)))


def moments(shares: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """Return the weighted mean and variance of `scores`. `shares` are the weights."""
    total = sum(shares)
    mean = sum(share * score for share, score in zip(shares, scores, strict=True)) / total
    return mean, sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True)) / total


def _curve(counts: Sequence[int], scores: Sequence[float], adjust: Callable[[float], float]) -> Curve:
    """Return a function from a tilt t to an expected score s, which grows with t, and its standard score, adjusted.

    The most likely distributions with a given mean are a_i / ((1 - x_i) exp t + x_i exp -t), made to sum to 1, with the
    scores x_i and the counts a_i, which include prior counts. At t = 0 it is the distribution of the counts.
    """
    n, weight, (mean, variance) = sum(counts), _normal_weight(counts), moments(counts, scores)
    total = n + sum(_priors(scores))
    terms = [((count + prior) / total, x) for count, prior, x in zip(counts, _priors(scores), scores, strict=True)]

    def at(tilt: float) -> tuple[float, float]:
        up, down = exp(tilt), exp(-tilt)
        divisors = [(share, x, (1 - x) * up + x * down) for share, x in terms]
        norm = sum(share / divisor for share, _, divisor in divisors)
        expected = sum(share / divisor * x for share, x, divisor in divisors) / norm
        divergence = sum(share * log(divisor) for share, _, divisor in divisors) + log(norm)
        # Keep `z` from being 0, because its sign says on which side of the mean the score is.
        z = -copysign(sqrt(2 * n * max(_ALMOST_NOTHING, divergence)), tilt)
        normal = (mean - expected) * sqrt(n / variance) if weight > 0 else 0.0
        return expected, adjust(weight * normal + (1 - weight) * z)

    return at


def _score_where(curve: Curve, target: float) -> float:
    """Return the score at which the standard score has the value `target`."""
    return curve(_tilt_where(lambda tilt: curve(tilt)[1] > target))[0]


def _tilt_where(is_below: Callable[[float], bool]) -> float:
    """Return the tilt up to which a condition is true."""
    low, high = -_MOST_TILT, _MOST_TILT
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2
