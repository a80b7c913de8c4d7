"""How far a tuning is: what the next pair tries, and the best values as far as all pairs before it tell.

Everything follows from the settings, the seed and the results in the order of the schedule, so that a match that was
killed goes on with what it would have tried.
"""

from collections.abc import Sequence
from typing import Protocol

from gtp_variants.arena.config.tuning_config import Parameters, TuningConfig, Values
from gtp_variants.arena.tuning.bayesian import BayesianTuner
from gtp_variants.arena.tuning.spsa import SpsaTuner
from gtp_variants.json_values import Json


class Tuner(Protocol):
    """A method of tuning."""

    def ask(self, pair: int) -> tuple[Values, Values]:
        """What the two players of a pair try, counted from 1."""

    def tell(self, pair: int, values: Values, points: float) -> None:
        """The points (0 to 2) that the first player of a pair took with these values."""

    def best(self) -> Values:
        """The best values as far as is known."""


class Tuning:
    """A tuning as it goes. `tried` are the values that the first player of each pair had, in their order.

    `estimates` are the best values after each batch where the method has them at no cost: the path that reports draw.
    """

    def __init__(self, settings: TuningConfig, seed: str) -> None:
        self.settings = settings
        self.tried: list[Values] = []
        self.estimates: list[tuple[int, Values]] = [(0, settings.start)]
        self._spsa = SpsaTuner(settings, seed) if settings.method == "spsa" else None
        self._tuner: Tuner = self._spsa or BayesianTuner(settings, seed)

    def ask(self, pair: int, names: Sequence[str]) -> Parameters:
        """What the players of a pair try; nothing for an opponent who has no parameters."""
        first, second = self._tuner.ask(pair)
        return {names[0]: first} if self.settings.against else {names[0]: first, names[1]: second}

    def tell(self, pair: int, values: Values, points: float | None) -> None:
        """The points of the first player of a pair, None if it does not count."""
        self.tried.append(values)
        if points is not None:
            self._tuner.tell(pair, values, points)
        if self._spsa is not None and pair % self.settings.batch == 0:
            self.estimates.append((pair, self._spsa.estimate))

    def best(self) -> Values:
        """The best values as far as is known, as a command can have them."""
        found = self._tuner.best() if self.tried else self.settings.start
        return {name: each.clip(found[name]) for name, each in self.settings.parameters.items()}

    def as_json(self) -> Json:
        """Where it is, for programs."""
        settings = self.settings
        return {
            "player": settings.player.name,
            "method": settings.method,
            "pairs": len(self.tried),
            "start": dict(settings.start),
            "best": dict(self.best()),
        }

    def confirm(self, names: Sequence[str]) -> Parameters:
        """The best values for the first player and the start values for the second."""
        return {names[0]: self.best(), names[1]: self.settings.start}
