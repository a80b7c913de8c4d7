"""A game: rules and the list of events that have happened."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar, Protocol

from gtp_variants.errors import GameOver, IllegalMove, RecordError, VariantsError
from gtp_variants.rules.actions import CHANCE, TOLERATE, Event, whole
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_seat
from gtp_variants.rules.views import News

# Reasons for which rules refuse a stone that a host may have accepted.
_TOLERATED = ("repetition", "suicide")
# Copies of a game's events, positions and turns.
Mark = tuple[list[Event], list[Position], list[Event]]


class Dice(Protocol):
    """Dice for a game, such as `DiceStream`."""

    def draw(self, game: "Game") -> int: ...


class Game:
    """Rules, a start position and the events since then. Every position is kept, so that undo is exact.

    `setup` maps points to the colours of stones placed before the first event. `first` is the colour that begins; None
    leaves this to the rules. `source` is the file from which `records` read the game, or None.

    >>> import gtp_variants as gv
    >>> game = gv.Game(gv.parse("go:size=5"))
    >>> _ = game.play(gv.BLACK, game.rules.board.point("C3"))
    >>> _ = game.play(gv.WHITE, gv.PASS)
    >>> game.undo()
    Event(actor=2, action=-1)
    >>> game.position.to_play == gv.WHITE, game.outcome
    (True, None)
    """

    # Returns a game as SVG. The package sets this function, because the rules must not import drawing code.
    draw_svg: ClassVar[Callable[["Game"], str] | None] = None

    def __init__(self, rules: Rules, setup: Mapping[int, int] | None = None, first: int | None = None) -> None:
        self.rules = rules
        self.setup = {whole("point", point): whole("colour", colour) for point, colour in (setup or {}).items()}
        self.first = None if first is None else whole("first", first)
        self.source: object | None = None
        self._positions: list[Position] = [rules.start(self.setup, self.first)]
        self._events: list[Event] = []
        self._turns: list[Event] = []

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        mine = (self.rules, self.setup, self._positions[0].mover, self._events)
        return mine == (other.rules, other.setup, other._positions[0].mover, other._events)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        # Unpickling replays the events, because pickled positions would be a hundred times as long.
        return type(self).replay, (self.rules, self._events, self.setup, self.first)

    def _repr_svg_(self) -> str | None:
        """Return a picture of the board for notebooks, or None if `draw_svg` is not set."""
        return None if Game.draw_svg is None else Game.draw_svg(self)

    def __repr__(self) -> str:
        return f"<Game {self.rules.spec} after {len(self._events)} events>"

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[-1]

    @property
    def positions(self) -> Sequence[Position]:
        """The start position and the position after each event."""
        return self._positions

    @property
    def events(self) -> Sequence[Event]:
        """The events in order."""
        return self._events

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None before the end. An end by passes may be provisional: see `Rules.is_suspended`."""
        return self.rules.outcome(self.position)

    def play(self, actor: int, action: int) -> Event:
        """Carry out an action and record the event.

        Raises NotationError for an unknown action and IllegalMove for a forbidden one; the game is then unchanged.
        """
        # Check the type first, which is faster than `whole`, because most numbers are ints already.
        if type(actor) is not int:
            actor = whole("actor", actor)
        if type(action) is not int:
            action = whole("action", action)
        after = self.rules.play(self.position, action, actor)
        event = Event(actor, action)
        if after.turn > self.position.turn:
            self._turns.append(event)
        self._events.append(event)
        self._positions.append(after)
        return event

    def take_in(self, actor: int, action: int) -> Event:
        """Carry out an action that a host reports; the host may follow other rules of Go.

        In ordinary Go, a stone that repeats a board and the suicide of several stones are accepted: the event TOLERATE
        precedes the stone. Other forbidden actions raise the same errors as in `play`, and leave the game unchanged.
        """
        count = len(self._events)
        try:
            return self.play(actor, action)
        except IllegalMove as error:
            if error.reason not in _TOLERATED:
                raise
            refusal = error
        try:
            self.play(CHANCE, TOLERATE)
            return self.play(actor, action)
        except VariantsError:
            self.cut(count)
            raise refusal from None

    def is_tolerated(self, index: int) -> bool:
        """Return True if event number `index` is a stone that the rules forbid but a host accepted."""
        return index > 0 and self._events[index - 1].action == TOLERATE and self._events[index].action >= 0

    def undo(self) -> Event:
        """Take back the last event, and return it. Raises GameOver if there are no events."""
        if not self._events:
            raise GameOver("nothing has happened that could be undone")
        event = self._events[-1]
        self.cut(len(self._events) - 1)
        return event

    def cut(self, count: int) -> None:
        """Take back everything after the first `count` events."""
        del self._turns[self._positions[count].turn - self._positions[0].turn :]
        del self._events[count:]
        del self._positions[count + 1 :]

    def mark(self) -> "Mark":
        """Return the state of the game for `go_back`."""
        return list(self._events), list(self._positions), list(self._turns)

    def go_back(self, mark: "Mark") -> None:
        """Restore the game to the state that `mark` returned."""
        self._events[:], self._positions[:], self._turns[:] = mark

    def is_turn(self, index: int) -> bool:
        """Return True if event number `index` took a turn: an accepted stone, a pass or a swap."""
        return bool(self._positions[index + 1].turn > self._positions[index].turn)

    def is_refused(self, index: int) -> bool:
        """Return True if event number `index` is a try that the referee refused."""
        event = self._events[index]
        return event.actor != CHANCE and event.action >= 0 and not self.is_turn(index)

    def turns(self) -> Sequence[Event]:
        """Return the stones, passes and swaps in order, without other events, such as draws and refused tries."""
        return self._turns

    def heard(self, colour: int) -> list[News]:
        """Return the news of a colour's seat, in order. Raises NotationError if nobody plays the colour."""
        check_seat(self.rules, colour)
        start = self.rules.hears_start(self._positions[0], colour)
        moments = zip(self._positions, self._events, self._positions[1:], strict=False)
        told = (start, *(self.rules.hears(*moment, colour) for moment in moments))
        return [news for news in told if news is not None]

    @classmethod
    def replay(
        cls, rules: Rules, events: Iterable[Event], setup: Mapping[int, int] | None = None, first: int | None = None
    ) -> "Game":
        """Return the game with these events. Raises RecordError, with the event's number, if an event is impossible."""
        game = cls(rules, setup, first)
        for number, event in enumerate(events, 1):
            try:
                game.play(event.actor, event.action)
            except VariantsError as error:
                raise RecordError(f"event {number}: {error}") from error
        return game


def random_game(rules: Rules, seed: int, plies: int = 10_000) -> Game:
    """Return a game of random actions that stops at its end or after `plies` actions by the players.

    Refused tries count as actions. The same seed gives the same game on every machine.

    >>> import gtp_variants as gv
    >>> game = gv.random_game(gv.parse("pentalath"), seed=1)
    >>> game.outcome.sentence(), len(game.events)
    ('White wins with five in a row', 49)
    """
    rng, plies = Random(whole("seed", seed)), whole("plies", plies)
    game = Game(rules)
    while game.outcome is None and plies > 0:
        position: Position = game.position
        actions = rules.actions(position)
        if position.to_play == CHANCE:
            game.play(CHANCE, rng.choices(actions, rules.odds(position))[0])
        else:
            game.play(position.to_play, rng.choice(actions))
            plies -= 1
    return game
