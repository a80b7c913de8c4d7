"""The methods of tuning. They choose the values that each pair tries, and estimate the best values.

All choices follow from the settings, the seed and the results in the order of the schedule. A match that was killed
therefore continues with the same choices.
"""

import hmac
from collections.abc import Sequence
from functools import cached_property
from typing import Any
from warnings import catch_warnings, simplefilter

from gtp_variants.arena.config.match_config import Parameters, TuneParameter, TuningConfig, Values
from gtp_variants.base.installation import install_command
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError

# Number of points per parameter (plus one in all) that are spread evenly before the Gaussian process is used.
_SPREAD = 3
# Number of points searched in the whole range, and number searched near the best point.
_EVERYWHERE, _NEARBY = 1000, 250
# Standard deviations of nearby points around the best point, as shares of the range.
_NEAR = (0.1, 0.03, 0.01)
# Initial variance of a pair's score (0 to 1), as if each player won half of the games.
_VARIANCE = 0.125
# The exponents of SPSA's gains. Below: SPSA's delay A as a share of all pairs.
ALPHA, GAMMA = 0.602, 0.101
_DELAY = 0.1


class BayesianTuner:
    """Bayesian optimisation of the score against one opponent, with a Gaussian process over the parameters.

    Each batch of pairs tries one point, chosen by Thompson sampling: the maximum of a function drawn from the process.
    The best point is the maximum of the process's mean, because the best single result is only the luckiest result.

    The process comes from scikit-learn, which accepts a noise level for each point. Optuna's samplers either do not
    model noise or need PyTorch, and bayesian-optimization takes the best result for the best point.
    """

    def __init__(self, settings: TuningConfig, seed: str) -> None:
        self._settings, self._seed = settings, seed.encode()
        self._names = list(settings.parameters)
        # The scores of the pairs at each point that has been tried.
        self._results: dict[tuple[float, ...], list[float]] = {}
        self._chosen: tuple[int, Values] | None = None

    def ask(self, pair: int) -> tuple[Values, Values]:
        """Return the values of a pair, counted from 1, and the start values. All pairs of a batch try the same."""
        batch = (pair - 1) // self._settings.batch
        if self._chosen is None or self._chosen[0] != batch:
            self._chosen = batch, self._choose(batch)
        return self._chosen[1], self._settings.start

    def tell(self, pair: int, values: Values, points: float) -> None:
        """Note the points, 0 to 2, of a pair's first player with these values."""
        self._results.setdefault(tuple(values[name] for name in self._names), []).append(points / 2)

    def best(self) -> Values:
        """Return the point where the process's mean is highest, or the start values before two points were tried."""
        if len(self._results) < 2:
            return self._settings.start
        process = self._fit()
        random = self._random(-1)
        points = self._points_to_search(random, process)
        for near in _NEAR:
            top = points[process.predict(points).argmax()]
            points = (top + near * random.normal(size=(_NEARBY, len(top)))).clip(0, 1)
            points[0] = top
        return self._values(points[process.predict(points).argmax()])

    def _choose(self, batch: int) -> Values:
        random = self._random(batch)
        if batch < _SPREAD * len(self._names) + 1 or len(self._results) < 2:
            return self._values(self._spread(batch))
        process = self._fit()
        points = self._points_to_search(random, process)
        mean, covariance = process.predict(points, return_cov=True)
        covariance[self._numpy.diag_indices_from(covariance)] += 1e-8
        drawn = mean + self._numpy.linalg.cholesky(covariance) @ random.normal(size=len(points))
        return self._values(points[drawn.argmax()])

    def _spread(self, number: int) -> Any:
        """Return point `number` of a sequence that fills the unit cube evenly, by a generalised golden ratio."""
        size = len(self._names)
        ratio = 2.0
        for _ in range(50):
            ratio = (1 + ratio) ** (1 / (size + 1))
        shift = self._random(-2).random(size)
        steps = self._numpy.array([ratio ** -(axis + 1) for axis in range(size)])
        return (shift + number * steps) % 1

    def _points_to_search(self, random: Any, process: Any) -> Any:
        """Return random points, some of them anywhere and some near the best point that has been tried."""
        size = len(self._names)
        top = process.X_train_[process.predict(process.X_train_).argmax()]
        near = (top + _NEAR[0] * random.normal(size=(_NEARBY, size))).clip(0, 1)
        return self._numpy.concatenate([random.random((_EVERYWHERE, size)), near])

    def _fit(self) -> Any:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel

        np = self._numpy
        scores = list(self._results.values())
        count = np.array([len(each) for each in scores])
        means = np.array([sum(each) / len(each) for each in scores])
        spread = sum((score - mean) ** 2 for each, mean in zip(scores, means, strict=True) for score in each)
        free = count.sum() - len(count)
        variance = (spread + _VARIANCE) / (free + 1)
        kernel = ConstantKernel(0.05, (1e-3, 1.0)) * RBF([0.7] * len(self._names), (0.2, 5.0))
        process = GaussianProcessRegressor(kernel, alpha=variance / count)
        points = np.array([self._unit(point) for point in self._results])
        with catch_warnings():
            # If a parameter has no influence, its length scale reaches its bound; this warning can be ignored.
            simplefilter("ignore", ConvergenceWarning)
            # Subtract the mean, so that the process expects an average score far from all points that were tried.
            return process.fit(points, means - means.mean())

    def _unit(self, point: tuple[float, ...]) -> list[float]:
        """Return a point's values as shares of their ranges."""
        each = self._settings.parameters.values()
        return [(value - it.low) / it.range for value, it in zip(point, each, strict=True)]

    def _values(self, point: Any) -> dict[str, float]:
        each = self._settings.parameters.items()
        return {name: it.clip(it.low + float(part) * it.range) for (name, it), part in zip(each, point, strict=True)}

    def _random(self, number: int) -> Any:
        digest = hmac.digest(self._seed, f"tune\n{number}".encode(), "sha256")
        return self._numpy.random.default_rng(int.from_bytes(digest[:16]))

    @cached_property
    def _numpy(self) -> Any:
        try:
            import numpy
            import sklearn  # noqa: F401
        except ImportError:
            why = f"bayesian needs scikit-learn: {install_command('tune')}"
            raise ConfigError([f"tournament.method: {why}"]) from None
        return numpy


class SpsaTuner:
    """SPSA: moves all parameters at once in random directions. Values on two sides of the `estimate` play each other.

    The gains are those of fishtest. In pair k of N, with A = N / 10, alpha = 0.602 and gamma = 0.101, a parameter is
    tried at c_k = c / k^gamma on both sides of the estimate. The estimate then moves by R_k c_k (wins - losses) towards
    the winner, with R_k = a / (A + k)^alpha / c_k^2. c_N is the parameter's `step` and R_N its `rate`; c and a follow.

    The best values are the mean of the second half of all estimates. The mean allows far larger rates than the last
    estimate does, with the same accuracy.
    Sources: Spall, "Implementation of the Simultaneous Perturbation Algorithm" (1998); fishtest's spsa_handler.py;
    Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging" (1992).
    """

    def __init__(self, settings: TuningConfig, seed: str) -> None:
        self.estimate: Values = settings.start
        self._settings, self._seed = settings, seed.encode()
        self._sums = dict.fromkeys(settings.parameters, 0.0)
        self._count = 0

    def ask(self, pair: int) -> tuple[Values, Values]:
        """Return the values that a pair tries, on the two sides of the estimate."""
        sides: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for name, each in self._settings.parameters.items():
            direction, rounding = self._draw(pair, name)
            for side, sign in zip(sides, (1, -1), strict=True):
                value = self.estimate[name] + sign * direction * self._step(each, pair)
                side[name] = each.clip(value, rounding)
        return sides

    def tell(self, pair: int, values: Values, points: float) -> None:
        """Move the estimate towards the side that got more points."""
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
        """Return the mean of the estimates in the second half or, before that, the current estimate."""
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
        """Return a parameter's direction in a pair, 1 or -1, and its `rounding` for `TuneParameter.clip`."""
        digest = hmac.digest(self._seed, f"tune\n{pair}\n{name}".encode(), "sha256")
        return 1 if digest[0] & 1 else -1, int.from_bytes(digest[1:8]) / 2**56


class Tuning:
    """The state of a tuning. `tried` are the values of the first player in each pair, in the order of the pairs.

    `estimates` are SPSA's estimates after each batch, with the number of pairs until then; reports plot them.
    """

    def __init__(self, settings: TuningConfig, seed: str) -> None:
        self.settings = settings
        self.tried: list[Values] = []
        self.estimates: list[tuple[int, Values]] = [(0, settings.start)]
        self._spsa = SpsaTuner(settings, seed) if settings.method == "spsa" else None
        self._tuner = self._spsa or BayesianTuner(settings, seed)

    def ask(self, pair: int, names: Sequence[str]) -> Parameters:
        """Return the values that the players of a pair try. An opponent without parameters has no values."""
        first, second = self._tuner.ask(pair)
        return {names[0]: first} if self.settings.against else {names[0]: first, names[1]: second}

    def tell(self, pair: int, values: Values, points: float | None) -> None:
        """Note the points of a pair's first player; None if the pair does not count."""
        self.tried.append(values)
        if points is not None:
            self._tuner.tell(pair, values, points)
        if self._spsa is not None and pair % self.settings.batch == 0:
            self.estimates.append((pair, self._spsa.estimate))

    def best(self) -> Values:
        """Return the best values known so far, rounded as in a command."""
        found = self._tuner.best() if self.tried else self.settings.start
        return {name: each.clip(found[name]) for name, each in self.settings.parameters.items()}

    def as_json(self) -> Json:
        """Return the state as JSON data."""
        settings = self.settings
        return {
            "player": settings.player.name,
            "method": settings.method,
            "pairs": len(self.tried),
            "start": dict(settings.start),
            "best": dict(self.best()),
        }

    def confirm(self, names: Sequence[str]) -> Parameters:
        """Return the best values for the first player and the start values for the second."""
        return {names[0]: self.best(), names[1]: self.settings.start}
