"""How likely a hidden stone stands on each point, for a seat: its share of games that agree with the news."""

from gtp_variants.belief.particles import Worlds
from gtp_variants.errors import GameOver
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

# How many games are asked for to tell where the other's stones may be.
_GAMES = 16


class StoneOdds:
    """Where the other's stones may be, for each seat that is asked about; what agrees with its news so far is kept."""

    def __init__(self) -> None:
        self._seats: dict[int, tuple[Worlds | None, tuple[News, ...]]] = {}

    def of(self, rules: Rules, view: View) -> tuple[float, ...] | None:
        """The probability of a stone of the other's on each point, from the news alone; None if none can be."""
        try:
            return self.worlds(rules, view).stones()
        except GameOver:
            self._seats[view.colour] = None, view.news
            return None

    def worlds(self, rules: Rules, view: View) -> Worlds:
        """Games that agree with a seat's news. Raises GameOver if none was found before."""
        worlds, heard = self._seats.get(view.colour, (None, ()))
        if view.news[: len(heard)] != heard:
            worlds, heard = None, ()
        if worlds is None and heard:
            raise GameOver("no position was found that agrees with all the news")
        worlds = worlds or Worlds(rules, view.colour, _GAMES)
        for news in view.news[len(heard) :]:
            worlds.hear(news)
        self._seats[view.colour] = worlds, view.news
        return worlds
