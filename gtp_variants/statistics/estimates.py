"""Estimates of strength from results: Elo with its interval, normalised Elo and likelihood of superiority.

A sample is a game with score 0, 1/2 or 1 or, better, a pair of games with swapped colours, whose mean score is 0, 1/4,
1/2, 3/4 or 1. Counts are ordered from the lowest score to the highest. All figures follow from z(s), the standard score
of "the expected score is above s", which falls from s = 0 to s = 1::

    Elo: of the score m where z = 0        interval: Elo of the scores where z = 1.96 and z = -1.96
    LOS = Phi(z(1/2))                      nElo = C (m - 1/2) / sqrt(f var)

with C = 800 / ln 10, f games per sample and the variance var of a sample. With many samples z(s) = (mu - s) sqrt(n /
var), where mu is the mean of n samples, and the results equal what fastchess and fishtest give. This formula fails if
few samples differ from the most frequent: at 10 to 0 it claims certainty. Then z comes from a Dirichlet posterior
over the probabilities of the scores, whose prior weighs little more than one pair. Between 20 and 30 differing samples
the posterior blends into the normal distribution. `benchmarks/statistics/coverage.py` measures how often the interval
contains the true value.
"""

from cmath import exp as complex_exp, log as complex_log
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import copysign, cosh, exp, inf, log, log1p, log10, pi, sinh, sqrt, tan
from statistics import NormalDist

Z = 1.959963984540054
C = 800 / log(10)

# Prior counts of samples, by the number of possible scores. Of eight priors tried, these came nearest to 95 % coverage
# with 3 to 20 pairs, on average over true scores from 0.05 to 0.95, with and without an advantage of one colour.
_PRIORS = {3: (0.5, 0.2, 0.5), 5: (0.4, 0.05, 0.3, 0.05, 0.4)}
# Prior counts of the scores 0 and 1 for samples with any values. For 2 to 40 rounds of three-player games the coverage
# is 92 to 100 %.
_PRIOR_OF_ENDS = 0.4
# Between these numbers of samples that differ from the most frequent score, the posterior is blended with the normal
# distribution.
_FEW, _MANY = 20, 30

_NORMAL = NormalDist()
# Number of angles at which the inversion integral is evaluated: enough to converge to 1e-7.
_ANGLES = 64
_SLOPES = [tan((index + 0.5) * pi / 2 / _ANGLES) for index in range(_ANGLES)]
_STEPS = [(slope, (1 + slope * slope) / slope) for slope in _SLOPES]
# Smaller tails come from the saddlepoint, because the integral cannot resolve them.
_NEGLIGIBLE = 1e-5
# With more samples the integrand oscillates too fast for these angles, so it is integrated along a parabola, on which
# it does not oscillate, in steps of _STEP of the inverse hyperbolic sine of y.
_SEVERAL = 50
_STEP = 0.1
_FURTHEST = 18.0
# The poles of shares up to this size are negligible.
_FAINT = 2.0
# Logarithm of the factor by which the integrand must shrink to count as 0.
_REACH = 100.0
# The logarithm of the smallest tail for which a float keeps its precision.
_SMALLEST_LOG = -600.0
_ROUNDS = 60
_MOST_ROUNDS = 200
_CLOSE = 1e-10
_NOTHING = 1e-14


def elo_of_score(score: float) -> float:
    """Return the Elo difference for an expected score; it is infinite at 0 and 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    # Do not write -400 * ..., because that is -0 for equal players.
    return 0.0 - 400 * log10(1 / score - 1)


def score_of_elo(elo: float) -> float:
    """Return the expected score for an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


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
        """Half the width of the interval, printed after +/-."""
        return (self.interval[1] - self.interval[0]) / 2

    def mirror(self) -> "Estimate":
        """Return the estimate for the other player."""
        low, high = self.interval
        return Estimate(1 - self.score, 0.0 - self.elo, (-high, -low), 0.0 - self.nelo, self.nelo_error, 1 - self.los)


def estimate(counts: Sequence[int]) -> Estimate:
    """Return the estimate from 3 counts of games (L, D, W) or 5 of pairs. Raises ValueError if invalid or all 0."""
    if len(counts) not in (3, 5) or min(counts) < 0 or not any(counts):
        raise ValueError(f"counts {list(counts)}: expected 3 or 5 numbers, each 0 or more, not all 0")
    return _estimate(tuple(counts))


@lru_cache(maxsize=65536)
def _estimate(counts: tuple[int, ...]) -> Estimate:
    z, variance = standard_score(counts)
    return estimate_of(counts, z, variance)


def standard_score(counts: tuple[int, ...]) -> tuple[Callable[[float], float], float]:
    """Return the function z(s), the standard score of "the expected score is above s", and the variance of a sample."""
    scores = [index / (len(counts) - 1) for index in range(len(counts))]
    priors, weight = _PRIORS[len(counts)], _normal_weight(counts)
    shares = [count + (1 - weight) * prior for count, prior in zip(counts, priors, strict=True)]
    return partial(_standard_score, counts, priors, scores, weight), _moments(shares, scores)[1]


def mean_interval(samples: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval for the mean of samples from 0 to 1. Raises ValueError without samples."""
    if not samples:
        raise ValueError("expected at least one sample")
    seen = Counter(samples)
    scores = sorted({0.0, 1.0, *seen})
    counts = [seen[score] for score in scores]
    priors = [_PRIOR_OF_ENDS if score in (0.0, 1.0) else 0.0 for score in scores]
    z = partial(_standard_score, counts, priors, scores, _normal_weight(counts))
    return _score_where(z, Z), _score_where(z, -Z)


def _normal_weight(counts: Sequence[int]) -> float:
    """Return the weight of the normal distribution, from 0 to 1. The posterior has the rest."""
    return min(1.0, max(0.0, (sum(counts) - max(counts) - _FEW) / (_MANY - _FEW)))


def estimate_of(counts: Sequence[int], z: Callable[[float], float], variance: float) -> Estimate:
    """Return the figures that follow from a decreasing standard score z(s) and the variance of a sample."""
    scores = [index / (len(counts) - 1) for index in range(len(counts))]
    low, middle, high = (_score_where(z, target) for target in (Z, 0.0, -Z))
    scale = C / sqrt((1 if len(counts) == 3 else 2) * variance)
    # The error is the half of the interval that is nearer to Elo 0.
    error = scale * (middle - low if middle >= 0.5 else high - middle)
    return Estimate(
        _moments(counts, scores)[0],
        elo_of_score(middle),
        (elo_of_score(low), elo_of_score(high)),
        scale * (middle - 0.5),
        error,
        _NORMAL.cdf(z(0.5)),
    )


def _moments(shares: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the variance of a sample's score."""
    total = sum(shares)
    mean = sum(share * score for share, score in zip(shares, scores, strict=True)) / total
    return mean, sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True)) / total


def _standard_score(
    counts: Sequence[int], priors: Sequence[float], scores: Sequence[float], weight: float, at: float
) -> float:
    """Return by how many standard deviations the expected score is above `at`."""
    z = 0.0
    if weight > 0:
        mean, variance = _moments(counts, scores)
        z += weight * (mean - at) * sqrt(sum(counts) / variance)
    if weight < 1:
        shares = [count + prior for count, prior in zip(counts, priors, strict=True)]
        z += (1 - weight) * _dirichlet_score(shares, [score - at for score in scores])
    return z


def _score_where(z: Callable[[float], float], target: float) -> float:
    """Return the score at which z has the value `target`, by bisection with secant steps (Illinois)."""
    low, high = 0.0, 1.0
    above, below = 40.0, -40.0
    side = 0
    for _ in range(_MOST_ROUNDS):
        middle = low + (high - low) * above / (above - below)
        if not low < middle < high:
            middle = (low + high) / 2
        value = z(middle) - target
        # The tolerance shrinks towards 0 and 1, because a score may be very close to them.
        if abs(value) < _CLOSE or high - low < _CLOSE * min(middle, 1 - middle):
            return middle
        if value > 0:
            low, above = middle, value
            below, side = (below / 2, 1) if side == 1 else (below, 1)
        else:
            high, below = middle, value
            above, side = (above / 2, -1) if side == -1 else (above, -1)
    return (low + high) / 2


# -- the mean of values under a Dirichlet distribution -----------------------------------------------------------------


def _dirichlet_score(shares: Sequence[float], values: Sequence[float]) -> float:
    """Return the standard score of "the mean of the values is above 0"; the shares are Dirichlet parameters.

    The mean is above 0 exactly if T = sum of v_i G_i is, with independent G_i ~ Gamma(share_i). Its distribution is
    computed by the inversion integral of Gil-Pelaez or, in the far tails, where the integral is imprecise, by
    Barndorff-Nielsen's r* at the saddlepoint.
    """
    if sum(shares) > _SEVERAL:
        return _contour_score(shares, values)
    width = sqrt(sum(share * value * value for share, value in zip(shares, values, strict=True)))
    terms = [(share, 1j * value / width) for share, value in zip(shares, values, strict=True)]
    total = 0.0
    for slope, step in _STEPS:
        log_cf = sum(share * complex_log(1 - slope * value) for share, value in terms)
        total += complex_exp(-log_cf).imag * step
    above = 0.5 + total / (2 * _ANGLES)
    if _NEGLIGIBLE < above < 1 - _NEGLIGIBLE:
        return _NORMAL.inv_cdf(above)
    return _saddlepoint_score(shares, values)


def _contour_score(shares: Sequence[float], values: Sequence[float]) -> float:
    """Return the standard score for many samples: the inversion integral along a parabola through the saddlepoint.

    With M the moment generating function of T (see `_dirichlet_score`), P(T < 0) is the integral of -M(t) / (2 pi i t)
    from c - i inf to c + i inf for c < 0; P(T > 0) is the integral of M(t) / (2 pi i t) for c > 0. The smaller of the
    two is computed, with the c at which the integrand is smallest on the real line. The path bends towards the side on
    which the term with the largest share makes M fall; the value of this term may be almost 0.
    """
    largest, its_value = max(zip(shares, values, strict=True))
    if its_value < 0:
        return -_contour_score(shares, [-value for value in values])
    terms = list(zip(shares, values, strict=True))
    if terms == [(share, -value) for share, value in reversed(terms)]:
        return 0.0
    side = -1 if sum(share * value for share, value in terms) > 0 else 1
    near, far = 0.0, 1 / (min(values) if side < 0 else max(values))
    for _ in range(_MOST_ROUNDS):
        c = (near + far) / 2
        if c in (near, far):
            break
        slope = sum(share * value / (1 - value * c) for share, value in terms) - 1 / c
        near, far = (near, c) if slope * side > 0 else (c, far)
    log_peak = -sum(share * log1p(-value * c) for share, value in terms) - log(abs(c))
    if log_peak < _SMALLEST_LOG:
        return _saddlepoint_score(shares, values)
    width = 1 / sqrt(sum(share * (value / (1 - value * c)) ** 2 for share, value in terms) + 1 / c**2)
    # Bend the path as far as it can go without reaching a pole where M has not yet vanished.
    reach = _REACH * (1 - its_value * c) / (largest * its_value) if its_value else inf
    poles = [c - 1 / value for share, value in terms if value < 0 and share > _FAINT]
    bend = 0.5 / max([c - 1 / min(values), *(pole for pole in poles if pole < reach)])
    total, angle = 0.0, _STEP / 2
    while angle < _FURTHEST:
        y = width * sinh(angle)
        t = complex(c - bend * y * y, y)
        log_height = -sum(share * complex_log(1 - value * t) for share, value in terms) - complex_log(side * t)
        height = complex_exp(log_height - log_peak) * complex(1, 2 * bend * y) * width * cosh(angle)
        total += height.real
        if abs(height) < _NOTHING * abs(total):
            break
        angle += _STEP
    tail = exp(log_peak) * total * _STEP / pi
    return side * _NORMAL.inv_cdf(tail) if 0 < tail < 1 else _saddlepoint_score(shares, values)


def _saddlepoint_score(shares: Sequence[float], values: Sequence[float]) -> float:
    """Return the standard score from the saddlepoint of T's moment generating function."""
    terms = list(zip(shares, values, strict=True))
    low, high = 1 / min(values), 1 / max(values)
    for _ in range(_ROUNDS):
        theta = (low + high) / 2
        if sum(share * value / (1 - value * theta) for share, value in terms) > 0:
            high = theta
        else:
            low = theta
    log_mgf = -sum(share * log1p(-value * theta) for share, value in terms)
    curvature = sum(share * (value / (1 - value * theta)) ** 2 for share, value in terms)
    root = copysign(sqrt(max(0.0, -2 * log_mgf)), theta)
    if abs(root) < 1e-4:
        return -root
    return -(root + log(theta * sqrt(curvature) / root) / root)
