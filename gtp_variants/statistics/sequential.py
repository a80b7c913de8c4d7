"""Elo after a sequential test. A player whose match stopped because the player was ahead looks too strong.

The log-likelihood ratio moves like a Brownian motion between two bounds, until it crosses one of them after n samples.
All possible ends of the test are ordered by how strongly they favour the first player: first the ends that accept H1,
the sooner the better, then those that accept H0, the later the better (stagewise ordering). G(s) is the probability, if
the expected score is s, of an end that favours the player at least as much as this one. It grows with s and replaces
Phi(-z(s)) of `estimates`: Elo is at G = 1/2, so that it is too high as often as too low, and the interval extends from
G = 0.025 to G = 0.975.

Source: Siegmund, Estimation following sequential tests, Biometrika 65 (1978); the paths that touch a bound are summed
by reflection.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, erfc, exp, pi, sqrt
from statistics import NormalDist

from gtp_variants.statistics.estimates import C, Estimate, adjusted_estimate, estimate, sample_variance, score_of_elo
from gtp_variants.statistics.sprt import bounds, draw_elo_of, llr, score_of_bayes_elo

_NORMAL = NormalDist()
# Number of standard deviations beyond which reflections and tails are negligible.
_FAR = 12.0
_MOST_REFLECTIONS = 2000
_SMALLEST, _LARGEST = 1e-300, 1 - 1e-15
_ASYMPTOTIC = -20.0


def estimate_after_test(
    counts: Sequence[int], elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05, model: str = "normalized"
) -> Estimate:
    """Return the median-unbiased estimate from the counts at which a test of `sprt` has just ended.

    There are 3 counts of games or 5 of pairs. If the test would continue at these counts, this is the ordinary
    estimate. Raises ValueError for invalid counts or if all are 0.
    """
    return _estimate_after_test(tuple(counts), elo0, elo1, alpha, beta, model)


@lru_cache(maxsize=1024)
def _estimate_after_test(
    counts: tuple[int, ...], elo0: float, elo1: float, alpha: float, beta: float, model: str
) -> Estimate:
    ordinary = estimate(counts)
    low, high = bounds(alpha, beta)
    ratio = llr(counts, elo0, elo1, model)
    if low < ratio < high:
        return ordinary
    variance = sample_variance(counts)
    # The ratio has no drift at the expected score midway between the scores of the hypotheses.
    between = sum(_score_under(counts, elo, model, variance) for elo in (elo0, elo1)) / 2
    # The distance that the ratio has moved, in standard deviations, including its overshoot beyond the bound.
    went = abs(ordinary.score - between) * sqrt(sum(counts) / variance)
    is_up = ratio >= high
    far = went * (-low / high if is_up else -high / low)

    def adjust(z: float) -> float:
        """Return the standard score that takes the end of the test into account, from the ordinary one."""
        drift = (went if is_up else -went) - z
        passed = _passes(drift, went, far) if is_up else 1 - _passes(-drift, went, far)
        return -_NORMAL.inv_cdf(min(_LARGEST, max(_SMALLEST, passed)))

    return adjusted_estimate(counts, adjust)


def _score_under(counts: tuple[int, ...], elo: float, model: str, variance: float) -> float:
    """Return the expected score under the hypothesis `elo` of an SPRT with this `model`."""
    if model == "logistic":
        return score_of_elo(elo)
    if model == "bayesian":
        return score_of_bayes_elo(elo, draw_elo_of(counts))
    return 0.5 + sqrt((1 if len(counts) == 3 else 2) * variance) * elo / C


def _passes(drift: float, near: float, far: float) -> float:
    """Return the probability that a Brownian motion from 0 passes `near` before time 1 and before passing -`far`."""
    width = near + far
    if width <= 0:
        return 0.5
    total = 0.0
    most = min(_MOST_REFLECTIONS, ceil((_FAR + abs(drift)) / (2 * width)) + 1)
    for number in range(-most, most + 1):
        image = near + 2 * number * width
        at = abs(image)
        term = _scaled_tail(drift * (near - at), drift - at) + _scaled_tail(drift * (near + at), -drift - at)
        total += term if image > 0 else -term
    return total


def _scaled_tail(exponent: float, at: float) -> float:
    """Return exp(exponent) times the normal probability below `at`; either factor alone may overflow or underflow."""
    if at > _ASYMPTOTIC:
        # Use erfc, because NormalDist.cdf has no precision left far below 0.
        return exp(min(exponent, 700.0)) * erfc(-at / sqrt(2)) / 2
    power = exponent - at * at / 2
    return exp(power) / (-at * sqrt(2 * pi)) * (1 - 1 / (at * at)) if power > -700 else 0.0
