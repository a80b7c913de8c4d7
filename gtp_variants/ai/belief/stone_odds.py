"""How likely a hidden stone stands on each point, for a seat: its share of games that agree with the news.

All boards that agree with what a seat heard, each with its probability, where few stones are hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, prod, sqrt

from gtp_variants.ai.belief.observations import ObservationHistory
from gtp_variants.ai.belief.prior import FITTED
from gtp_variants.ai.belief.worlds import Worlds
from gtp_variants.base.interruption import ShouldStop, never
from gtp_variants.errors import GameOver, VariantsError
from gtp_variants.rules.actions import Event
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import News, View


class TooManyGames(Exception):
    """More games than anybody wants to count."""


def enumerate_boards(rules: HiddenRules, view: View, most: int, prior: str = FITTED) -> dict[bytes, float] | None:
    """The probability of each board by all games that agree with the news; {} if none does.

    None where that takes more than `most` moves by the rules, or where stones stood there before the first.
    """
    if any(news.seating is not None for news in view.news):
        return None
    history = ObservationHistory(rules, view.colour, prior)
    for news in view.news:
        history.hear(news)
    if prod(history.candidates[time].bit_count() for time in history.placements) > most:
        return None
    search = _GameEnumerator(rules, history, view.news, most)
    try:
        search.play_on(rules.start(), 0, 0.0)
    except TooManyGames:
        return None
    whole = sum(search.weights.values())
    return {board: weight / whole for board, weight in search.weights.items()}


class _GameEnumerator:
    """Plays every game; `weights` is how likely those are that come to a board, up to a constant."""

    def __init__(self, rules: HiddenRules, history: ObservationHistory, news: Sequence[News], most: int) -> None:
        self.weights: dict[bytes, float] = {}
        self._rules, self._history, self._news, self._left = rules, history, news, most

    def play_on(self, position: Position, time: int, log: float) -> None:
        """Go on with a game that agrees with all before a time, and is as likely as e to the power of `log`."""
        if time == len(self._news):
            self.weights[position.stones] = self.weights.get(position.stones, 0.0) + exp(log)
            return
        news, rules, history = self._news[time], self._rules, self._history
        candidates = range(len(rules.board)) if news.action is None else (news.action,)
        for action in candidates:
            self._left -= 1
            if self._left < 0:
                raise TooManyGames
            try:
                after = rules.play(position, action, news.actor)
            except VariantsError:
                continue
            if rules.hears(position, Event(news.actor, action), after, history.colour) != news:
                continue
            more = 0.0
            if news.action is None and not news.refused:
                theirs = sum(1 << point for point, there in enumerate(position.stones) if there == news.actor)
                more = history.log_prior(time, theirs, action)
            self.play_on(after, time + 1, log + more)


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
