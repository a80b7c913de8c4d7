"""The interface of every player: a bot, a person, or a program behind a pipe, each in a seat of one colour.

The `View` of each seat, which is what that player knows of the game, updated event by event.
"""

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
    """Anything that can sit at a table. It is told News and asked with a View; it never sees an event or the dice.

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
        """A new game begins; everything random in it must come from the seed."""
        ...

    def hear(self, news: News) -> None:
        """Something happened, as far as this seat is told of it."""
        ...

    def choose(self, view: View, clock: Clock) -> int:
        """One of `view.actions`, or RESIGN."""
        ...

    def leave(self, outcome: Outcome | None) -> None:
        """The game is over, or was given up if there is no outcome."""
        ...


class Seat:
    """The seat our bots share: when to pass, when to resign, what not to do.

    A bot of one's own subclasses it and says which point it picks (`pick`) and perhaps which points it never wants
    (`wants`). The seat then plays by the source's advice for Aléago: it passes second in a row, or agrees to the end,
    only if no line of the board has a point it would want.

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
    # Whether it can play where something is hidden; where not, matches turn it away before the first game.
    plays_hidden = True
    # Why the last move was chosen, for people; a bot that knows says it.
    explanation: str = ""
    # What a host may set: what a search calls while it goes on, and is ended by; moves not to look at; and how many
    # cores it may think with, as long as nothing that was set of it says so.
    on_progress: "OnProgress | None" = None
    avoided: "Sequence[AvoidedMove]" = ()
    cores: int = 1

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Remember the game and the side, and start this game's own random numbers."""
        self.rules, self.colour, self.rng = rules, colour, Random(seed)

    def hear(self, news: News) -> None:
        """Nothing: the view holds all that a simple bot needs."""

    def leave(self, outcome: Outcome | None) -> None:
        """Nothing."""

    def stop_pondering(self) -> None:
        """Nothing: a simple bot does not think on the others' time."""

    def choose(self, view: View, clock: Clock) -> int:
        """A wanted point if there is one, else a pass, else the least harmful point, else resignation."""
        points = self.points(view)
        wanted = [point for point in points if self.wants(view, point)]
        if wanted:
            return self.pick(view, wanted)
        if PASS in view.actions and not self.avoids(PASS) and not self.must_play(view):
            return PASS
        # Where the draw opens nothing but eyes of ours this fills one: the source obliges whoever would pass second.
        return self.least_harmful(view, points)

    def points(self, view: View) -> list[int]:
        """The points that may be tried now and were not refused in this turn."""
        unwanted = self._moves_to_avoid()
        return [a for a in view.actions if a >= 0 and a not in view.tried and a not in unwanted]

    def avoids(self, action: int) -> bool:
        """Whether the host wants another move than this now."""
        return action in self._moves_to_avoid()

    def _moves_to_avoid(self) -> set[int]:
        from gtp_variants.ai.mcts.settings import find_moves_to_avoid

        return find_moves_to_avoid(self.avoided, self.colour)

    def must_play(self, view: View) -> bool:
        """Whether a pass would end the game, or agree to its end, though some line has a point we would want."""
        position, rules = view.position, self.rules
        anywhere: Sequence[int] = [action for action in view.actions if action >= 0]
        if isinstance(rules, DicedRules) and position is not None:
            anywhere = rules.points_of_any_draw(position)
        return view.ends and any(self.wants(view, point) for point in anywhere) and bool(self.points(view))

    def pick(self, view: View, points: Sequence[int]) -> int:
        """One of the wanted points; at least one is given."""
        return self.rng.choice(points)

    def wants(self, view: View, point: int) -> bool:
        """Whether the bot would ever play there of its own will: not in its own eye, not where the stone loses."""
        return not is_eye(self.rules.board, view.stones, point, self.colour) and not self.loses(view, point)

    def loses(self, view: View, point: int) -> bool:
        """Whether the rules end the game against whoever plays there."""
        return view.position is not None and self.rules.loses(view.position, point)

    def least_harmful(self, view: View, points: Sequence[int]) -> int:
        """The unwanted point that harms least: no own eye, and leaves most liberties; RESIGN if every one loses."""
        safe = [point for point in points if not self.loses(view, point)]

        def harm(point: int) -> tuple[bool, int]:
            return is_eye(self.rules.board, view.stones, point, self.colour), -self.liberties_after(view, point)

        return min(safe, key=harm) if safe else RESIGN

    def liberties_after(self, view: View, point: int) -> int:
        """Liberties of the chain that a stone of ours on the point would belong to, as far as we see; 0 if illegal."""
        placed = place(self.rules.board, view.stones, self.colour, point)
        if placed is None:
            return 0
        return len(liberties(self.rules.board, placed[0], chain(self.rules.board, placed[0], point)))


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
