"""A bot's seat in a game of hidden stones that another program referees.

The seat knows its news and nothing else: there is no table in it, and no position.
"""

from collections.abc import Sequence

from gtp_variants.errors import NotationError
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.records.news_notation import read_news
from gtp_variants.rules.actions import LEAVING, PASS, RESIGN, TURN
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import News, View


class RefereedSeat:
    """A player of one colour who is told news in words."""

    def __init__(self, rules: Rules, colour: int, player: Player, seed: str) -> None:
        self.rules = rules
        self.colour = colour
        # What the referee said the result is, once they have.
        self._announced_result = ""
        self._player = player
        self._watch = rules.watch(colour)
        player.sit(rules, colour, seed)

    @property
    def view(self) -> View:
        """What the seat knows."""
        return self._watch.view()

    @property
    def player(self) -> Player:
        """Who plays here."""
        return self._player

    def with_player(self, player: Player, seed: str, rules: Rules | None = None) -> "RefereedSeat":
        """This seat with another player, who is told what was heard; perhaps under rules that score otherwise."""
        other = RefereedSeat(rules or self.rules, self.colour, player, seed)
        for news in self.view.news:
            other._tell(news)
        other._announced_result = self._announced_result
        return other

    def hear(self, told: Sequence[str]) -> None:
        """Take in a line of news. Raises NotationError for what cannot be read or cannot have happened."""
        is_end = bool(told) and told[0].lower() == "end"
        # Of a game that is over by its rules the referee may still say who has won.
        if self._announced_result or (self.view.final and not is_end):
            raise illegal("game over", self.rules.lang)
        if is_end:
            if len(told) != 2:
                raise NotationError("expected phantom-hear end RESULT")
            self._announced_result = told[1]
            self._player.leave(None)
            return
        news = read_news(self.rules, self.view, told)
        if news.actor != self.view.to_play and news.action not in LEAVING:
            self._tell(News(news.actor, TURN))
        self._tell(news)

    def choose(self, colour: int, clock: Clock) -> int:
        """What the player tries now, a pass where that cannot be. Raises IllegalMove for the other colour."""
        action = self.ask(colour, clock)
        return action if action in (*self.view.actions, RESIGN) else PASS

    def ask(self, colour: int, clock: Clock) -> int:
        """What the player says it tries, whatever that is. Raises IllegalMove for the other colour."""
        if colour != self.colour:
            raise illegal("not your turn", self.rules.lang, name=colour_name(self.colour, self.rules.lang))
        if self.is_over:
            return PASS if self.has_not_lost else RESIGN
        if self.view.to_play != colour:
            self._tell(News(colour, TURN))
        return self._player.choose(self.view, clock)

    @property
    def is_over(self) -> bool:
        """Whether nothing can be tried any more, as far as the seat was told."""
        return bool(self._announced_result) or self.view.final

    @property
    def result(self) -> str:
        """The result as the referee says it, or as it follows from a resignation; "" while the seat cannot know it."""
        return self._announced_result or (self._resignation.sgf if self._resignation else "")

    @property
    def reason(self) -> str:
        """The reason of the result in words."""
        outcome = self._resignation
        if outcome is not None and self.result == outcome.sgf:
            return outcome.sentence(self.rules.lang)
        return "as the referee says" if self.result else ""

    @property
    def has_not_lost(self) -> bool:
        """Whether the result does not say that the seat has lost."""
        return not self.result or self.result[:1].lower() in ("0", COLOUR_LETTERS[self.colour])

    @property
    def _resignation(self) -> Outcome | None:
        gone = next((news.actor for news in self.view.news if news.action in LEAVING), None)
        return None if gone is None else Outcome(others(self.rules.colours, gone)[0], "resign")

    def _tell(self, news: News) -> None:
        self._watch.hear(news)
        self._player.hear(news)
