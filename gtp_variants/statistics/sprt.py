"""The sequential probability ratio test on games or pairs of games, as fastchess and fishtest compute it.

The log-likelihood ratio (Van den Bergh) is n * sum of phat_i ln(p1_i / p0_i), where p_k is the most likely distribution
under hypothesis k and counts of zero are replaced by 1/1000. Each model fixes a different quantity under a hypothesis::

    logistic      the mean score, score(elo_k)
    normalized    t = (mu - 1/2) / sigma, sqrt(f) nelo_k / C, with f games per sample
    bayesian      like logistic, with the score of BayesElo's model at elo_k and the observed draws; for games only
"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, isfinite, log, log10, sqrt

from gtp_variants.statistics.estimates import C, score_of_elo

# The models, which define what `elo0` and `elo1` measure.
MODELS = ("normalized", "logistic", "bayesian")

# Elo difference beyond which an expected score is indistinguishable from 0 or 1.
_MOST_ELO = 6000.0
_ZERO = 1e-3
_ROUNDS = 10
_CLOSE = 1e-9
_ALMOST_NOTHING = 1e-18


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Return the log-likelihood ratios at which H0 and H1 are accepted.

    `alpha` is the rate of accepting H1 wrongly, `beta` the rate of accepting H0 wrongly. Raises ValueError unless both
    are above 0 and their sum is below 1.
    """
    for name, chance in (("alpha", alpha), ("beta", beta)):
        if not 0 < chance < 1:
            raise ValueError(f"{name}={chance}: expected more than 0 and less than 1")
    if alpha + beta >= 1:
        raise ValueError(f"alpha={alpha}, beta={beta}: expected a sum below 1")
    return log(beta / (1 - alpha)), log((1 - beta) / alpha)


def llr(counts: Sequence[int], elo0: float, elo1: float, model: str = "normalized") -> float:
    """Return the log-likelihood ratio for 3 counts of games or 5 of pairs, from the lowest score to the highest.

    `model` is "normalized", "logistic" or "bayesian". Returns 0 if all counts are 0. Raises ValueError for other
    counts, Elo that is not finite, an unknown model, and pairs under the bayesian model.
    """
    if len(counts) not in (3, 5) or not all(0 <= count < inf for count in counts):
        raise ValueError(f"counts {list(counts)}: expected 3 or 5 numbers, each 0 or more")
    for name, elo in (("elo0", elo0), ("elo1", elo1)):
        if not isfinite(elo):
            raise ValueError(f"{name}={elo}: expected a finite number")
    if model not in MODELS:
        raise ValueError(f"model={model!r}: expected {', '.join(MODELS[:-1])} or {MODELS[-1]}")
    return _llr(tuple(counts), elo0, elo1, model)


@lru_cache(maxsize=65536)
def _llr(counts: tuple[int, ...], elo0: float, elo1: float, model: str) -> float:
    if not any(counts):
        return 0.0
    if model != "normalized":
        elo0, elo1 = (max(-_MOST_ELO, min(_MOST_ELO, elo)) for elo in (elo0, elo1))
    if model == "bayesian":
        return _bayesian(counts, elo0, elo1)
    kept = [float(count) or _ZERO for count in counts]
    n = sum(kept)
    seen = [count / n for count in kept]
    scores = [index / (len(counts) - 1) for index in range(len(counts))]
    if model == "logistic":
        under = [_fit_mean(seen, scores, score_of_elo(elo)) for elo in (elo0, elo1)]
    else:
        games = 1 if len(counts) == 3 else 2
        under = [_fit_t(seen, scores, sqrt(games) * elo / C) for elo in (elo0, elo1)]
    return _ratio(n, seen, under)


def _ratio(n: float, seen: Sequence[float], under: Sequence[Sequence[float]]) -> float:
    h0, h1 = under
    return n * sum(share * log(p1 / p0) for share, p0, p1 in zip(seen, h0, h1, strict=True))


def _fit_mean(seen: Sequence[float], scores: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution of `scores` with the mean `mean`, given the observed shares `seen`."""
    return _tilt(seen, [score - mean for score in scores])


def _fit_t(seen: Sequence[float], scores: Sequence[float], t: float) -> list[float]:
    """Return the most likely distribution, given `seen`, whose mean lies t standard deviations above 1/2."""
    found = [1 / len(seen)] * len(seen)
    for _ in range(_ROUNDS):
        values = _values(found, scores, t)
        if not min(values) < 0 < max(values):
            # Far from 1/2, start from the counts instead of the uniform distribution.
            values = _values(seen, scores, t)
        if not min(values) < 0 < max(values):
            break
        before, found = found, _tilt(seen, values)
        if max(abs(p - q) for p, q in zip(found, before, strict=True)) < _CLOSE:
            break
    return found


def _values(shares: Sequence[float], scores: Sequence[float], t: float) -> list[float]:
    """Return values with mean 0 under the distribution wanted by `_fit_t`, computed from its approximation `shares`."""
    mu = sum(p * x for p, x in zip(shares, scores, strict=True))
    sigma = sqrt(max(_ALMOST_NOTHING, sum(p * (x - mu) ** 2 for p, x in zip(shares, scores, strict=True))))
    return [x - 0.5 - t * sigma / 2 * (1 + ((x - mu) / sigma) ** 2) for x in scores]


def _tilt(seen: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return, of the distributions under which `values` have mean 0, the closest to the observed shares `seen`."""
    theta = _root(seen, values)
    return [share / max(_ALMOST_NOTHING, 1 + theta * value) for share, value in zip(seen, values, strict=True)]


def _root(seen: Sequence[float], values: Sequence[float]) -> float:
    """Return the root of the decreasing function sum of p v / (1 + theta v), by Newton steps within closing bounds."""
    low, high = -1 / max(values), -1 / min(values)
    theta = 0.0
    for _ in range(200):
        terms = [(p * v, max(_ALMOST_NOTHING, 1 + theta * v)) for p, v in zip(seen, values, strict=True)]
        value = sum(top / bottom for top, bottom in terms)
        if value > 0:
            low = theta
        else:
            high = theta
        slope = -sum(top * top / (p * bottom * bottom) for (top, bottom), p in zip(terms, seen, strict=True))
        following = theta - value / slope
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - theta) <= 1e-15 * max(1.0, abs(theta)):
            break
        theta = following
    return theta


def _bayesian(counts: tuple[int, ...], elo0: float, elo1: float) -> float:
    if len(counts) != 3:
        raise ValueError(f"counts {list(counts)}: expected 3 counts, because the bayesian model is for games")
    if not all(counts):
        return 0.0
    n = float(sum(counts))
    seen = [count / n for count in counts]
    draw_elo = draw_elo_of(counts)
    means = [score_of_bayes_elo(elo, draw_elo) for elo in (elo0, elo1)]
    return _ratio(n, seen, [_fit_mean(seen, [0.0, 0.5, 1.0], mean) for mean in means])


def draw_elo_of(counts: tuple[int, ...]) -> float:
    """Return the draw parameter of BayesElo's model from the counts of losses, draws and wins."""
    loss, win = counts[0] / sum(counts), counts[2] / sum(counts)
    return 200 * log10((1 - loss) / loss * (1 - win) / win)


def score_of_bayes_elo(elo: float, draw_elo: float) -> float:
    """Return the expected score for `elo` in BayesElo's model with the draw parameter `draw_elo`."""
    won = 1 / (1 + 10 ** ((draw_elo - elo) / 400))
    lost = 1 / (1 + 10 ** ((draw_elo + elo) / 400))
    return float((1 + won - lost) / 2)
