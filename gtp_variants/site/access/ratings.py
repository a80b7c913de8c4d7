"""Ratings with their uncertainty, by Glicko-2. Source: M. Glickman, Example of the Glicko-2 system, 2022."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt

_START, _START_DEVIATION, _START_VOLATILITY = 1500.0, 350.0, 0.06
# A rating is provisional, with a question mark, while its deviation is above this.
_PROVISIONAL = 110.0
# Points per unit of the paper's internal scale, and the limit on changes of the volatility.
_SCALE, _TAU = 173.7178, 0.5
_ACCURACY = 1e-6


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating after some `games`. With probability 0.95, the strength is within two deviations of the value."""

    value: float = _START
    deviation: float = _START_DEVIATION
    volatility: float = _START_VOLATILITY
    games: int = 0

    @property
    def shown(self) -> str:
        """The rating as shown to others, with a question mark if it is provisional."""
        return f"{self.value:.0f}" + ("?" if self.deviation > _PROVISIONAL else "")


def rate(own: Rating, results: Sequence[tuple[Rating, float]]) -> Rating:
    """Return the rating after games against others, each with the score 1, 0.5 or 0. The steps are the paper's."""
    deviation = own.deviation / _SCALE
    weighed = [_weigh(own, other) for other, _ in results]
    variance = 1 / sum(weight**2 * expected * (1 - expected) for weight, expected in weighed)
    gain = sum(weight * (score - expected) for (weight, expected), (_, score) in zip(weighed, results, strict=True))
    volatility = _find_volatility(own.volatility, deviation**2, variance, variance * gain)
    after = 1 / (1 / (deviation**2 + volatility**2) + 1 / variance)
    value, most = own.value + _SCALE * after * gain, _START_DEVIATION
    return Rating(value, min(most, _SCALE * sqrt(after)), volatility, own.games + len(results))


def _weigh(own: Rating, other: Rating) -> tuple[float, float]:
    """Return the weight of a result against another player, and the expected score."""
    weight = 1 / sqrt(1 + 3 * (other.deviation / _SCALE / pi) ** 2)
    return weight, 1 / (1 + exp(-weight * (own.value - other.value) / _SCALE))


def _find_volatility(before: float, deviation_2: float, variance: float, change: float) -> float:
    """Return the new volatility, by the Illinois method."""

    def slope(x: float) -> float:
        spread = deviation_2 + variance + exp(x)
        return exp(x) * (change**2 - spread) / (2 * spread**2) - (x - log(before**2)) / _TAU**2

    low = high = log(before**2)
    if change**2 > deviation_2 + variance:
        high = log(change**2 - deviation_2 - variance)
    else:
        high -= _TAU
        while slope(high) < 0:
            high -= _TAU
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > _ACCURACY:
        new = low + (low - high) * at_low / (at_high - at_low)
        at_new = slope(new)
        if at_new * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = new, at_new
    return exp(low / 2)
