"""Bayesian optimisation: a Gaussian process over the parameters says where the best may be, and there is played next.

Each batch of pairs tries one point, drawn by Thompson sampling: where a function drawn from the process is highest.
What is reported is where the mean of the process is highest, not the best result that was seen, which is the luckiest.

The process is scikit-learn's, whose noise can be given for each point. Of the others on PyPI, Optuna's samplers have no
model of noise or need PyTorch, and bayesian-optimization, which stands on scikit-learn too, takes the best result for
the best point.
"""

import hmac
from functools import cached_property
from typing import Any
from warnings import catch_warnings, simplefilter

from gtp_variants.arena.config.tuning_config import TuningConfig, Values
from gtp_variants.errors import ConfigError
from gtp_variants.installation import install_command

# So many points per parameter, and one more, are spread evenly before the process is asked.
_SPREAD = 3
# Points among which the highest is sought, and how near the last search looks around it, as parts of the range.
_EVERYWHERE, _NEARBY = 1000, 250
_NEAR = (0.1, 0.03, 0.01)
# The variance of a pair's score, which is within 0 to 1, before there is one: half of all games are won.
_VARIANCE = 0.125


class BayesianTuner:
    """Bayesian optimisation of the score against one opponent."""

    def __init__(self, settings: TuningConfig, seed: str) -> None:
        self._settings = settings
        self._seed = seed.encode()
        self._names = list(settings.parameters)
        # Of each point that was tried: pairs, and their scores.
        self._results: dict[tuple[float, ...], list[float]] = {}
        self._chosen: tuple[int, Values] | None = None

    def ask(self, pair: int) -> tuple[Values, Values]:
        """What a pair tries against the start values, or against the opponent: the same in all pairs of a batch."""
        batch = (pair - 1) // self._settings.batch
        if self._chosen is None or self._chosen[0] != batch:
            self._chosen = batch, self._choose(batch)
        return self._chosen[1], self._settings.start

    def tell(self, pair: int, values: Values, points: float) -> None:
        """Note the result of a pair."""
        self._results.setdefault(tuple(values[name] for name in self._names), []).append(points / 2)

    def best(self) -> Values:
        """Where the mean of the process is highest."""
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
        """Point `number` of a sequence that fills the unit cube evenly: multiples of powers of a golden ratio."""
        size = len(self._names)
        ratio = 2.0
        for _ in range(50):
            ratio = (1 + ratio) ** (1 / (size + 1))
        shift = self._random(-2).random(size)
        steps = self._numpy.array([ratio ** -(axis + 1) for axis in range(size)])
        return (shift + number * steps) % 1

    def _points_to_search(self, random: Any, process: Any) -> Any:
        """Points everywhere, and near the highest of those that were tried."""
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
            # A parameter that does not matter is as good as constant: its length is at its bound, and may be.
            simplefilter("ignore", ConvergenceWarning)
            # It is fitted about its mean, so that what nobody tried is thought to be ordinary.
            return process.fit(points, means - means.mean())

    def _unit(self, point: tuple[float, ...]) -> list[float]:
        """A point as parts of the ranges."""
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
