"""SPSA: all parameters are moved at once, in directions drawn at random; two sides of the estimate play each other.

The gains are those of fishtest: in pair k of N, with A = N / 10, alpha = 0.602 and gamma = 0.101, a parameter is tried
at c_k = c / k^gamma on both sides of the estimate, which then moves by R_k c_k (wins - losses) in the direction that
won, with R_k = a / (A + k)^alpha / c_k^2; c and a are such that c_N is the parameter's `step` and R_N its `rate`.

Sources: Spall, "Implementation of the Simultaneous Perturbation Algorithm" (1998); fishtest's spsa_handler.py. What is
reported is not the last estimate but the mean of those of the second half, which is as exact with far larger rates:
Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging" (1992).
"""

import hmac

from gtp_variants.arena.config.tuning_config import TuneParameter, TuningConfig, Values

ALPHA, GAMMA = 0.602, 0.101
_DELAY = 0.1


class SpsaTuner:
    """SPSA over the parameters of a tuning; `estimate` is where it is now."""

    def __init__(self, settings: TuningConfig, seed: str) -> None:
        self.estimate: Values = settings.start
        self._settings = settings
        self._seed = seed.encode()
        self._sums = dict.fromkeys(settings.parameters, 0.0)
        self._count = 0

    def ask(self, pair: int) -> tuple[Values, Values]:
        """The two sides of the estimate that a pair tries."""
        sides: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for name, each in self._settings.parameters.items():
            direction, rounding = self._draw(pair, name)
            for side, sign in zip(sides, (1, -1), strict=True):
                value = self.estimate[name] + sign * direction * self._step(each, pair)
                side[name] = each.clip(value, rounding)
        return sides

    def tell(self, pair: int, values: Values, points: float) -> None:
        """Move the estimate to the side that took more points."""
        found = {}
        for name, each in self._settings.parameters.items():
            step = self._step(each, pair)
            moved = self._rate(each, pair) * step * (2 * points - 2) * self._draw(pair, name)[0]
            found[name] = min(each.high, max(each.low, self.estimate[name] + moved))
        self.estimate = found
        if pair > self._settings.pairs / 2:
            self._count += 1
            for name, value in found.items():
                self._sums[name] += value

    def best(self) -> Values:
        """The mean of the estimates of the second half; before it the estimate."""
        if not self._count:
            return self.estimate
        return {name: total / self._count for name, total in self._sums.items()}

    def _step(self, parameter: TuneParameter, pair: int) -> float:
        return parameter.last_step * float((self._settings.pairs / pair) ** GAMMA)

    def _rate(self, parameter: TuneParameter, pair: int) -> float:
        pairs, step = self._settings.pairs, parameter.last_step
        delay = _DELAY * pairs
        gain = parameter.rate * step * step * float(((delay + pairs) / (delay + pair)) ** ALPHA)
        return gain / self._step(parameter, pair) ** 2

    def _draw(self, pair: int, name: str) -> tuple[int, float]:
        """The direction of a parameter in a pair, 1 or -1, and from which part on it is rounded up."""
        digest = hmac.digest(self._seed, f"tune\n{pair}\n{name}".encode(), "sha256")
        return 1 if digest[0] & 1 else -1, int.from_bytes(digest[1:8]) / 2**56
