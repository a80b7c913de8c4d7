"""A bot's seat in a hidden game that another program referees. The bot knows only the news, and no position."""

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
    """The seat of one colour. It receives the news as lines of text and passes them on to its player."""

    def __init__(self, rules: Rules, colour: int, player: Player, seed: str) -> None:
        self.rules = rules
        self.colour = colour
        # The result that the referee has announced.
        self._announced_result = ""
        self.player = player
        self._watch = rules.watch(colour)
        player.sit(rules, colour, seed)

    @property
    def view(self) -> View:
        """The view that follows from the news so far."""
        return self._watch.view()

    def with_player(self, player: Player, seed: str, rules: Rules | None = None) -> "RefereedSeat":
        """Return this seat with another player, who hears all earlier news. `rules` may score differently."""
        other = RefereedSeat(rules or self.rules, self.colour, player, seed)
        for news in self.view.news:
            other._tell(news)
        other._announced_result = self._announced_result
        return other

    def hear(self, told: Sequence[str]) -> None:
        """Take in a line of news. Raises NotationError if it is unreadable or impossible, IllegalMove after the end."""
        is_end = bool(told) and told[0].lower() == "end"
        # Accept the announced result of a game that is over by its rules, but no other news.
        if self._announced_result or (self.view.final and not is_end):
            raise illegal("game over", self.rules.lang)
        if is_end:
            if len(told) != 2:
                raise NotationError("expected phantom-hear end RESULT")
            self._announced_result = told[1]
            self.player.leave(None)
            return
        news = read_news(self.rules, self.view, told)
        if news.actor != self.view.to_play and news.action not in LEAVING:
            self._tell(News(news.actor, TURN))
        self._tell(news)

    def choose(self, colour: int, clock: Clock) -> int:
        """Return the player's try, or a pass if the try is impossible. Raises IllegalMove for the other colour."""
        action = self.ask(colour, clock)
        return action if action in (*self.view.actions, RESIGN) else PASS

    def ask(self, colour: int, clock: Clock) -> int:
        """Return the player's unchecked answer; after the end, PASS or RESIGN. Raises IllegalMove as `choose` does."""
        if colour != self.colour:
            raise illegal("not your turn", self.rules.lang, name=colour_name(self.colour, self.rules.lang))
        if self.is_over:
            has_not_lost = not self.result or self.result[:1].lower() in ("0", COLOUR_LETTERS[self.colour])
            return PASS if has_not_lost else RESIGN
        if self.view.to_play != colour:
            self._tell(News(colour, TURN))
        return self.player.choose(self.view, clock)

    @property
    def is_over(self) -> bool:
        """True if this seat can try nothing more, as far as it knows."""
        return bool(self._announced_result) or self.view.final

    @property
    def result(self) -> str:
        """The announced result, or the result that follows from a resignation, or "" while it is unknown."""
        return self._announced_result or (self._resignation.sgf if self._resignation else "")

    @property
    def reason(self) -> str:
        """The reason for the result, as a text for people, or "" while the result is unknown."""
        outcome = self._resignation
        if outcome is not None and self.result == outcome.sgf:
            return outcome.sentence(self.rules.lang)
        return "as the referee says" if self.result else ""

    @property
    def _resignation(self) -> Outcome | None:
        gone = next((news.actor for news in self.view.news if news.action in LEAVING), None)
        return None if gone is None else Outcome(others(self.rules.colours, gone)[0], "resign")

    def _tell(self, news: News) -> None:
        self._watch.hear(news)
        self.player.hear(news)
