"""The `View` of each seat, which is what that player knows of the game, updated event by event."""

from copy import copy

from gtp_variants.rules.actions import Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View, Watch


def news_of(game: Game, index: int, colour: int) -> News | None:
    """What the seat of a colour is told of event number `index`; None if nothing."""
    return game.rules.hears(game.positions[index], game.events[index], game.positions[index + 1], colour)


class Viewers:
    """A listener for each colour of a game, asked for what that seat may know."""

    def __init__(self) -> None:
        # Who listens for each colour, how many events they were told of, and the last of these.
        self._watches: dict[int, tuple[Watch, int, Event | None]] = {}
        self._rules: dict[int, Rules] = {}

    def rules_of(self, game: Game, colour: int) -> Rules:
        """The seat's own rules, equal to those of the game: whatever a player does to them changes nobody else's."""
        if colour not in self._rules:
            self._rules[colour] = copy(game.rules)
        return self._rules[colour]

    def view(self, game: Game, colour: int) -> View:
        """What the seat of a colour knows now; after anything was taken back it is told everything anew."""
        events = game.events
        watch, count, last = self._watches.get(colour, (None, 0, None))
        if watch is None or count > len(events) or (count and events[count - 1] is not last):
            watch, count = self.rules_of(game, colour).watch(colour), 0
            start = game.rules.hears_start(game.positions[0], colour)
            if start is not None:
                watch.hear(start)
        for index in range(count, len(events)):
            news = news_of(game, index, colour)
            if news is not None:
                watch.hear(news)
        self._watches[colour] = (watch, len(events), events[-1] if events else None)
        return watch.view()


def view_after(game: Game, colour: int, count: int) -> View:
    """What a seat knew after so many pieces of news."""
    heard = game.heard(colour)
    has_seating = game.rules.hears_start(game.positions[0], colour) is not None
    return game.rules.view(heard[: count + has_seating], colour)
