"""A bot's seat in a game of hidden stones that another program referees.

The seat knows its news and nothing else: there is no table in it, and no position.
"""

from collections.abc import Sequence

from gtp_variants.errors import NotationError
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.records.news_notation import read_news
from gtp_variants.rules import words
from gtp_variants.rules.actions import LEAVING, PASS, RESIGN, TURN
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View


class RefereedSeat:
    """A player of one colour who is told news in words."""

    def __init__(self, rules: Rules, colour: int, player: Player, seed: str) -> None:
        self.rules = rules
        self.colour = colour
        # What the referee said the result is, once the game is over.
        self.result = ""
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
        other.result = self.result
        return other

    def hear(self, told: Sequence[str]) -> None:
        """Take in a line of news. Raises NotationError for what cannot be read or cannot have happened."""
        if self.result:
            raise words.illegal("game over", self.rules.lang)
        if told and told[0].lower() == "end":
            if len(told) != 2:
                raise NotationError("expected phantom-hear end RESULT")
            self.result = told[1]
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
            raise words.illegal("not your turn", self.rules.lang, name=words.name(self.colour, self.rules.lang))
        if self.is_over:
            return PASS if self.has_not_lost else RESIGN
        if self.view.to_play != colour:
            self._tell(News(colour, TURN))
        return self._player.choose(self.view, clock)

    @property
    def is_over(self) -> bool:
        """Whether nothing can be tried any more, as far as the seat was told."""
        view = self.view
        return bool(self.result) or (view.to_play == self.colour and not view.actions)

    @property
    def has_not_lost(self) -> bool:
        """Whether the referee's result, or that somebody left, does not say that the seat has lost."""
        if self.result:
            return self.result[:1].lower() in ("0", words.COLOUR_LETTERS[self.colour])
        return not any(news.action in LEAVING and news.actor == self.colour for news in self.view.news)

    def _tell(self, news: News) -> None:
        self._watch.hear(news)
        self._player.hear(news)
