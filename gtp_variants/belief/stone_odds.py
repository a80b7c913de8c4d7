"""How likely a hidden stone stands on each point, for a seat: its share of games that agree with the news."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from gtp_variants.belief.enumeration import enumerate_boards
from gtp_variants.belief.worlds import Worlds
from gtp_variants.errors import GameOver
from gtp_variants.interruption import ShouldStop, never
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import News, View

# How many worlds are asked for to tell where the other's stones may be; for searches of positions fewer will do.
_WORLDS = 200
_WORLDS_TO_SEARCH = 16
# Games are counted where that takes no more moves by the rules than this.
_MOST_COUNTED = 2000


@dataclass(frozen=True, slots=True)
class StoneChances:
    """The probability of a stone of the other's on each point.

    `boards` is how many different boards say so; `error` is the largest standard error of a probability, 0 where all
    games were counted.
    """

    chances: tuple[float, ...]
    boards: int
    error: float


class StoneOdds:
    """Where the other's stones may be, for each seat that is asked about; what agrees with its news so far is kept."""

    def __init__(self) -> None:
        self._seats: dict[tuple[int, int], tuple[Worlds | None, tuple[News, ...]]] = {}

    def of(self, rules: Rules, view: View) -> tuple[float, ...] | None:
        """The probability of a stone of the other's on each point, from the news alone; None if none can be."""
        found = self.find(rules, view)
        return None if found is None else found.chances

    def find(self, rules: Rules, view: View, should_stop: ShouldStop = never) -> StoneChances | None:
        """The probability of a stone of the other's on each point, with its error; None if none can be.

        It comes from counting all games where they are few, else from hundreds of them.
        """
        assert isinstance(rules, HiddenRules)
        other = others(rules.colours, view.colour)[0]
        counted = enumerate_boards(rules, view, _MOST_COUNTED)
        if counted:
            return StoneChances(_share(list(counted), list(counted.values()), other), len(counted), 0.0)
        try:
            positions = self.worlds(rules, view, _WORLDS).positions(should_stop)
        except GameOver:
            if not should_stop():
                self._seats[view.colour, _WORLDS] = None, view.news
            return None
        stones = [position.stones for position in positions]
        boards = len(set(stones))
        chances = _share(stones, [1 / len(stones)] * len(stones), other)
        # Copies of a board say no more than one of them.
        return StoneChances(chances, boards, sqrt(max(chance * (1 - chance) for chance in chances) / boards))

    def worlds(self, rules: Rules, view: View, asked: int = _WORLDS_TO_SEARCH) -> Worlds:
        """So many worlds that agree with a seat's news. Raises GameOver if none was found before."""
        key = view.colour, asked
        worlds, heard = self._seats.get(key, (None, ()))
        if view.news[: len(heard)] != heard:
            worlds, heard = None, ()
        if worlds is None and heard:
            raise GameOver("no position was found that agrees with all the news")
        # Other worlds in another game, the same in the same.
        worlds = worlds or Worlds(rules, view.colour, asked, str(view.news))
        for news in view.news[len(heard) :]:
            worlds.hear(news)
        self._seats[key] = worlds, view.news
        return worlds


def _share(boards: Sequence[bytes], weights: Sequence[float], colour: int) -> tuple[float, ...]:
    """For each point how much the boards with a stone of a colour there weigh."""
    pairs = list(zip(boards, weights, strict=True))
    return tuple(min(1.0, sum(w for board, w in pairs if board[point] == colour)) for point in range(len(boards[0])))
