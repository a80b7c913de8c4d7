"""Elo of a match that a sequential test stopped: who stops because they are ahead looks stronger than they are.

The log-likelihood ratio moves like a Brownian motion between two bounds, and passed one of them after n samples. Of all
ways in which the test could have ended those are ordered by what they say for the first player: accepted H1, the sooner
the more, then accepted H0, the later the more (stagewise ordering). G(s) is the chance, with an expected score of s, of
an end that says at least as much as this one. It grows with s, and is to these figures what the posterior is to those
of `estimates`: Elo is where G = 1/2, so that it is too high as often as too low, and the interval from where G = 0.025
to where G = 0.975.

Source: Siegmund, Estimation following sequential tests, Biometrika 65 (1978); the paths that touch a bound are summed
by reflection.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, erfc, exp, pi, sqrt
from statistics import NormalDist

from gtp_variants.statistics.estimates import C, Estimate, estimate, estimate_of, score_of_elo, standard_score
from gtp_variants.statistics.sprt import bounds, draw_elo_of, llr, score_of_bayes_elo

_NORMAL = NormalDist()
# Reflections further away are never reached, and tails further out are not told apart.
_FAR = 12.0
_MOST_REFLECTIONS = 2000
_SMALLEST, _LARGEST = 1e-300, 1 - 1e-15
_ASYMPTOTIC = -20.0


def estimate_after_test(
    counts: Sequence[int],
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = "normalized",
) -> Estimate:
    """The median-unbiased estimate from 3 counts of games or 5 of pairs with which a test of `sprt` has just ended.

    With counts at which the test goes on it is the ordinary estimate. Raises ValueError without a sample.
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
    fixed, variance = standard_score(counts)
    # The ratio does not move on the average with the expected score between those of the hypotheses.
    between = sum(_score_under(counts, elo, model, variance) for elo in (elo0, elo1)) / 2
    # How far the match went, in standard deviations of it; beyond the bound as far as such a match does.
    went = abs(ordinary.score - between) * sqrt(sum(counts) / variance)
    is_up = ratio >= high
    far = went * (-low / high if is_up else -high / low)

    def z(score: float) -> float:
        """The standard score of "the expected score is above this"."""
        drift = (went if is_up else -went) - fixed(score)
        passed = _passes(drift, went, far) if is_up else 1 - _passes(-drift, went, far)
        return -_NORMAL.inv_cdf(min(_LARGEST, max(_SMALLEST, passed)))

    return estimate_of(counts, z, variance)


def _score_under(counts: tuple[int, ...], elo: float, model: str, variance: float) -> float:
    """The expected score under a hypothesis."""
    if model == "logistic":
        return score_of_elo(elo)
    if model == "bayesian":
        return score_of_bayes_elo(elo, draw_elo_of(counts))
    return 0.5 + sqrt((1 if len(counts) == 3 else 2) * variance) * elo / C


def _passes(drift: float, near: float, far: float) -> float:
    """The chance that a Brownian motion from 0 passes `near` until time 1 and was not below -`far` before."""
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
    """exp(exponent) times the normal distribution below `at`, whose factors may be out of range by themselves."""
    if at > _ASYMPTOTIC:
        # Not NormalDist.cdf, which has no digits left far below 0.
        return exp(min(exponent, 700.0)) * erfc(-at / sqrt(2)) / 2
    power = exponent - at * at / 2
    return exp(power) / (-at * sqrt(2 * pi)) * (1 - 1 / (at * at)) if power > -700 else 0.0
