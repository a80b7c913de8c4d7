"""A bot of known strength. Before each move it resigns with a probability that grows with its parameters' distance
from an optimum. The Elo difference between two such bots follows the Bradley-Terry model."""

from math import exp
from typing import ClassVar

import gtp_variants as gv

OPTIMUM = {"a": 0.7, "b": -3.0, "c": 40.0}
RANGE = {"a": 1.0, "b": 10.0, "c": 100.0}
STEEPNESS = 4.0
CHANCE_AT_BEST = 0.05


class Planted(gv.Seat):
    parameters: ClassVar = {"a": 0.5, "b": 0.0, "c": 50.0}
    a: float
    b: float
    c: float

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        distance = sum(((getattr(self, name) - best) / RANGE[name]) ** 2 for name, best in OPTIMUM.items())
        if self.rng.random() < CHANCE_AT_BEST * exp(STEEPNESS * distance):
            return gv.RESIGN
        return self.rng.choice([action for action in view.actions if action >= 0] or [gv.PASS])
