"""Where the stones may be that a seat of Go Fantôme does not see: from its news and nothing else."""

import time

from gtp_variants.belief.particles import Worlds
from gtp_variants.errors import GameOver
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turns import others
from gtp_variants.rules.views import View

# How many games are imagined, and how long more of them are looked for.
_WORLDS, _MOST_S = 32, 4.0
_BAR = 20


class Guesses:
    """The games one seat imagines; they go on with its news."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self._other = others(rules.colours, colour)[0]
        self._worlds = Worlds(rules, colour, _WORLDS, "odds")
        self._heard = 0

    def chances(self, view: View) -> tuple[tuple[float, ...], int] | None:
        """The chance of a stone of the other's on each point, and how many different boards say so; None without any.

        `view` is that of the seat, each time a later one.
        """
        for news in view.news[self._heard :]:
            self._worlds.hear(news)
        self._heard = len(view.news)
        deadline_s = time.monotonic() + _MOST_S
        try:
            positions = self._worlds.positions(lambda: time.monotonic() > deadline_s)
        except GameOver:
            return None
        boards = [position.stones for position in positions]
        shares = (sum(stones[point] == self._other for stones in boards) for point in range(len(view.stones)))
        return tuple(share / len(boards) for share in shares), len(set(boards))


def bar(chance: float) -> str:
    """A chance as a line of twenty letters."""
    length = int(_BAR * chance + 0.5)
    return "#" * length + "-" * (_BAR - length)
