"""The player interface, the base class of our bots, and the views for the seats of a game."""

from collections.abc import Sequence
from copy import copy
from random import Random
from typing import TYPE_CHECKING, Protocol

from gtp_variants.players.clock import Clock
from gtp_variants.rules.actions import PASS, RESIGN, Event
from gtp_variants.rules.boards.chains import chain, is_eye, liberties, place
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.views import News, View, Watch

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import OnProgress
    from gtp_variants.ai.mcts.settings import AvoidedMove


class Player(Protocol):
    """Anything that can sit at a table. It is given News and a View, never an event or the dice.

    >>> import gtp_variants as gv
    >>> class First:
    ...     def sit(self, rules, colour, seed): ...
    ...     def hear(self, news): ...
    ...     def choose(self, view, clock):
    ...         return view.actions[0]
    ...     def leave(self, outcome): ...
    >>> table = gv.Table(gv.parse("alter-igo:size=3"), gv.DiceStream)
    >>> for colour in (gv.BLACK, gv.WHITE):
    ...     table.seat(colour, First(), seed="1")
    >>> while table.asked() is not None:
    ...     _ = table.step()
    >>> table.game.outcome.sentence()
    'White wins: the last stone was the only one taken off'
    """

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Begin a new game. All random choices in it must come from the seed."""

    def hear(self, news: News) -> None:
        """Take note of a piece of news about an event."""

    def choose(self, view: View, clock: Clock) -> int:
        """Return one of `view.actions`, or RESIGN."""

    def leave(self, outcome: Outcome | None) -> None:
        """Leave the finished game. `outcome` is None if the game was abandoned."""


class Seat:
    """The base class of our bots, which decides when to pass, when to resign, and which moves to avoid.

    A subclass picks a point (`pick`) and may rule out points that it never wants (`wants`). As Aléago's rules
    advise, the seat answers a pass with a pass, or agrees to the end, only if it wants no point on any line.

    >>> import gtp_variants as gv
    >>> class Centre(gv.Seat):
    ...     def pick(self, view, points):
    ...         return max(points, key=lambda point: self.rules.board.rings[point])
    >>> table = gv.Table(gv.parse("go:size=5"), gv.DiceStream)
    >>> for colour in (gv.BLACK, gv.WHITE):
    ...     table.seat(colour, Centre(), seed="1")
    >>> _ = table.step()
    >>> table.rules.board.vertex(table.position.last.action)
    'C3'
    """

    rules: Rules
    colour: int
    rng: Random
    # False if the bot cannot play hidden games. Matches then refuse it before the first game.
    plays_hidden = True
    # The reason for the last move, for people to read, if the bot gives a reason.
    explanation: str = ""
    # Set by the host: a callback that may end a search, moves to avoid, and the default number of cores.
    on_progress: "OnProgress | None" = None
    avoided: "Sequence[AvoidedMove]" = ()
    cores: int = 1

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Store the game and the colour, and seed this game's random numbers."""
        self.rules, self.colour, self.rng = rules, colour, Random(seed)

    def hear(self, news: News) -> None:
        """Ignore the news: the view contains everything that a simple bot needs."""

    def leave(self, outcome: Outcome | None) -> None: ...

    def stop_pondering(self) -> None:
        """Do nothing: a simple bot does not think on the opponent's time."""

    def choose(self, view: View, clock: Clock) -> int:
        """Return a wanted point, else a pass, else the least harmful point, else RESIGN."""
        points = self.points(view)
        wanted = [point for point in points if self.wants(view, point)]
        if wanted:
            return self.pick(view, wanted)
        if PASS in view.actions and not self.avoids(PASS) and not self.must_play(view):
            return PASS
        # If only own eyes are left, this fills an eye, because a pass would end the game too soon or is forbidden.
        return self.least_harmful(view, points)

    def points(self, view: View) -> list[int]:
        """Return the points that may be tried now, except points to avoid and points refused this turn."""
        unwanted = self._moves_to_avoid()
        return [a for a in view.actions if a >= 0 and a not in view.tried and a not in unwanted]

    def avoids(self, action: int) -> bool:
        """Return True if the host asks the bot to avoid this action."""
        return action in self._moves_to_avoid()

    def _moves_to_avoid(self) -> set[int]:
        from gtp_variants.ai.mcts.settings import find_moves_to_avoid

        return find_moves_to_avoid(self.avoided, self.colour)

    def must_play(self, view: View) -> bool:
        """Return True if a point may be tried, and a pass would end the game although some line has a wanted point."""
        position, rules = view.position, self.rules
        anywhere: Sequence[int] = [action for action in view.actions if action >= 0]
        if isinstance(rules, DicedRules) and position is not None:
            anywhere = rules.points_of_any_draw(position)
        return view.ends and any(self.wants(view, point) for point in anywhere) and bool(self.points(view))

    def pick(self, view: View, points: Sequence[int]) -> int:
        """Return one of the wanted `points`, which are never empty."""
        return self.rng.choice(points)

    def wants(self, view: View, point: int) -> bool:
        """Return True unless the point is one of the bot's own eyes, or playing it loses the game."""
        return not is_eye(self.rules.board, view.stones, point, self.colour) and not self.loses(view, point)

    def loses(self, view: View, point: int) -> bool:
        """Return True if playing the point loses the game by its rules."""
        return view.position is not None and self.rules.loses(view.position, point)

    def least_harmful(self, view: View, points: Sequence[int]) -> int:
        """Return a point that does not lose, or RESIGN. Prefer points outside the bot's eyes, then more liberties."""
        safe = [point for point in points if not self.loses(view, point)]

        def harm(point: int) -> tuple[bool, int]:
            return is_eye(self.rules.board, view.stones, point, self.colour), -self.liberties_after(view, point)

        return min(safe, key=harm) if safe else RESIGN

    def liberties_after(self, view: View, point: int) -> int:
        """Count the liberties of the chain that our stone on the point would join, 0 for an illegal stone."""
        placed = place(self.rules.board, view.stones, self.colour, point)
        if placed is None:
            return 0
        return len(liberties(self.rules.board, placed[0], chain(self.rules.board, placed[0], point)))


def news_of(game: Game, index: int, colour: int) -> News | None:
    """Return the news of event number `index` for a colour's seat, or None if that seat hears nothing."""
    return game.rules.hears(game.positions[index], game.events[index], game.positions[index + 1], colour)


class Viewers:
    """The views of a game's seats, updated event by event."""

    def __init__(self) -> None:
        # By colour: the watch, the number of events that it has heard, and the last event.
        self._watches: dict[int, tuple[Watch, int, Event | None]] = {}
        self._rules: dict[int, Rules] = {}

    def rules_of(self, game: Game, colour: int) -> Rules:
        """Return a seat's own copy of the rules, so that a player cannot change the rules for anybody else."""
        if colour not in self._rules:
            self._rules[colour] = copy(game.rules)
        return self._rules[colour]

    def view(self, game: Game, colour: int) -> View:
        """Return the present view of a colour's seat. If events were taken back, the seat hears everything again."""
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
    """Return the view that a seat had after `count` pieces of news, not counting news about the start."""
    heard = game.heard(colour)
    has_seating = game.rules.hears_start(game.positions[0], colour) is not None
    return game.rules.view(heard[: count + has_seating], colour)
