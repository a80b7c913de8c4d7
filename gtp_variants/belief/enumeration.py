"""All boards that agree with what a seat heard, each with its probability, where few stones are hidden."""

from collections.abc import Sequence
from math import exp, prod

from gtp_variants.belief.observations import ObservationHistory
from gtp_variants.belief.prior import FITTED
from gtp_variants.errors import VariantsError
from gtp_variants.rules.actions import Event
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.position import Position
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
