"""The probability of a hidden stone on each point: the share of games with it among those that fit a seat's news."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, prod, sqrt

from gtp_variants.ai.belief.observations import ObservationHistory, mask
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
    """Raised when enumerating the games takes more moves than allowed."""


def enumerate_boards(rules: HiddenRules, view: View, most: int, prior: str = FITTED) -> dict[bytes, float] | None:
    """Return the probability of each board, from all games that agree with the news; {} if no game agrees.

    Return None if enumerating the games takes more than `most` moves, or if the game began with stones on the board.
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
    """Finds all games that agree with the news; `weights` are proportional to the chances of final boards."""

    def __init__(self, rules: HiddenRules, history: ObservationHistory, news: Sequence[News], most: int) -> None:
        self.weights: dict[bytes, float] = {}
        self._rules, self._history, self._news, self._left = rules, history, news, most

    def play_on(self, position: Position, time: int, log: float) -> None:
        """Continue a game of log probability `log` that agrees with the news before `time`. Raises TooManyGames."""
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
                theirs = mask(point for point, there in enumerate(position.stones) if there == news.actor)
                more = history.log_prior(time, theirs, action)
            self.play_on(after, time + 1, log + more)


# Number of worlds sampled to locate hidden stones, and the smaller number that a search needs.
_WORLDS = 200
_WORLDS_TO_SEARCH = 16
# Maximum number of moves spent on an exact enumeration.
_MOST_COUNTED = 2000


@dataclass(frozen=True, slots=True)
class StoneChances:
    """A stone's chance on each point, the number of different boards, and the largest standard error (0 if exact)."""

    chances: tuple[float, ...]
    boards: int
    error: float


class StoneOdds:
    """Probabilities of the other side's stones for each seat, updated with the seat's news."""

    def __init__(self) -> None:
        self._seats: dict[tuple[int, int], tuple[Worlds | None, tuple[News, ...]]] = {}

    def of(self, rules: Rules, view: View) -> tuple[float, ...] | None:
        """Return the probability of the other side's stone on each point, from the news; None if no game was found."""
        found = self.find(rules, view)
        return None if found is None else found.chances

    def find(self, rules: Rules, view: View, should_stop: ShouldStop = never) -> StoneChances | None:
        """Return the probabilities, exact if there are few games, else from samples; None if no game was found."""
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
        # Only different boards reduce the error, because copies of a board add no information.
        return StoneChances(chances, boards, sqrt(max(chance * (1 - chance) for chance in chances) / boards))

    def worlds(self, rules: Rules, view: View, asked: int = _WORLDS_TO_SEARCH) -> Worlds:
        """Return a seat's `Worlds`. Raises GameOver if `asked` is `_WORLDS` and an earlier `find` found no world."""
        key = view.colour, asked
        worlds, heard = self._seats.get(key, (None, ()))
        if view.news[: len(heard)] != heard:
            worlds, heard = None, ()
        if worlds is None and heard:
            raise GameOver("no position was found that agrees with all the news")
        # The news is the seed, so that equal games give equal worlds.
        worlds = worlds or Worlds(rules, view.colour, asked, str(view.news))
        for news in view.news[len(heard) :]:
            worlds.hear(news)
        self._seats[key] = worlds, view.news
        return worlds


def _share(boards: Sequence[bytes], weights: Sequence[float], colour: int) -> tuple[float, ...]:
    """Return for each point the total weight of the boards that have a stone of this colour there."""
    pairs = list(zip(boards, weights, strict=True))
    return tuple(min(1.0, sum(w for board, w in pairs if board[point] == colour)) for point in range(len(boards[0])))
