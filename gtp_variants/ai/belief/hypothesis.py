"""A possible game of Go Fantôme, given a seat's news: an `Assignment` proposes it and the rules play it out."""

from random import Random
from typing import cast

from gtp_variants.ai.belief.observations import ObservationHistory, ObservationKind, mask
from gtp_variants.ai.belief.prior import FITTED, PlacementPrior
from gtp_variants.ai.belief.repair import Assignment
from gtp_variants.base.interruption import ShouldStop, never
from gtp_variants.base.rng import Rng
from gtp_variants.errors import GameOver, VariantsError
from gtp_variants.rules.actions import Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import P, Rules, check_fits
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.views import View

# Repair steps after each conflicting observation in the first attempt.
_FIRST = 100
# Repair steps at the end of an attempt, per observation, and their minimum in total.
_STEPS = 25
_LEAST_STEPS = 200
# Maximum number of attempts. Every second attempt has twice as many steps, every fourth attempt four times, and so on
# (Luby et al., 1993), because most hypotheses that are not repaired soon never will be, but some take long.
_ATTEMPTS = 64
# Random steps that mix a new hypothesis, per hidden stone, and their minimum in total.
_MIXING, _LEAST_MIXING = 10, 60


class Hypothesis:
    """A possible game: an assignment of the hidden stones and the resulting positions."""

    __slots__ = ("_assignment", "_history", "_parted", "_positions", "_similar")

    def __init__(self, history: ObservationHistory) -> None:
        self._history = history
        self._assignment: Assignment = history.native.assignment() if history.native else Assignment(history)
        # The positions that the rules have produced and that no repair has changed since.
        self._positions: list[Position] = []
        # `ObservationHistory.played_position`, and this hypothesis's final position derived from it.
        self._similar: tuple[Position, Position] | None = None
        # The value of `PassRow.parted` when the positions were played.
        self._parted = history.passes.parted

    def copy(self) -> "Hypothesis":
        other = Hypothesis.__new__(Hypothesis)
        other._history, other._similar, other._parted = self._history, self._similar, self._parted
        other._assignment, other._positions = self._assignment.copy(), self._positions.copy()
        return other

    def extend(self, rng: Rng, steps: int = 0, should_stop: ShouldStop = never) -> None:
        """Choose points for the latest observations; see `Assignment.extend`."""
        self._assignment.extend(rng, steps, should_stop)

    def repair(self, rng: Rng, steps: int, should_stop: ShouldStop = never) -> bool:
        """Repair conflicts; return True if no conflict is left. See `Assignment.repair`."""
        return self._assignment.repair(rng, steps, should_stop)

    def randomize(self, rng: Rng, steps: int, should_stop: ShouldStop = never) -> None:
        """Move stones at random without making conflicts; see `Assignment.randomize`."""
        self._assignment.randomize(rng, steps, should_stop)

    @property
    def conflicts(self) -> int:
        """The cost of all conflicts; 0 if there are no conflicts."""
        return self._assignment.conflicts

    @property
    def stones(self) -> int:
        """The other side's stones after the last observation, as a bit mask of points."""
        return self._assignment.stones

    def log_prior(self, prior: PlacementPrior) -> float:
        """Return the log probability of the game under a prior, up to a constant."""
        history, colour = self._history, 3 - self._history.colour
        boards = self._assignment.boards(history.placements)
        theirs = [mask(point for point, there in enumerate(board) if there == colour) for board in boards]
        turns = zip(history.placements, theirs, strict=True)
        return sum(history.log_prior(time, stones, self._assignment.point(time), prior) for time, stones in turns)

    def is_consistent(self) -> bool:
        """Return True if all the news is explained without a conflict and the rules allow the game.

        After each piece of news the rules play one hypothesis without conflicts. If only stones are hidden, the other
        hypotheses without conflicts differ from it in stones alone, so they need not be played.
        """
        history = self._history
        if self.conflicts or self._assignment.length < len(history.observations):
            return False
        if history.played_position is not None and history.hides_stones_only(history.played_position):
            return True
        if not self._play():
            return False
        history.played_position = self._positions[-1]
        return True

    @property
    def position(self) -> Position:
        """The last position of a consistent game. Raises GameOver if the rules do not allow the game."""
        self._forget_changed_positions()
        history, played_position = self._history, self._history.played_position
        assert played_position is not None
        if len(self._positions) > len(history.observations):
            return self._positions[-1]
        if not history.hides_stones_only(played_position):
            if not self._play():
                raise GameOver("no position was found that agrees with all the news")
            return self._positions[-1]
        if self._similar is None or self._similar[0] is not played_position:
            self._similar = played_position, self._position_like(played_position)
        return self._similar[1]

    def _position_like(self, played_position: Position) -> Position:
        """Return the last position, derived from `played_position`, the last position of another hypothesis."""
        history, last = self._history, played_position.last
        boards = self._assignment.boards([*history.times, history.last, len(history.observations)])
        if last is not None and last.action >= 0 and last.actor != history.colour:
            last = Event(last.actor, self._assignment.point(history.last))
        boards_so_far = zip(boards, history.makers, history.by_placing, strict=False)
        seen = history.rules.repetition_rule.history_of(boards_so_far)
        return history.rules.with_board(played_position, boards[-1], boards[-2], last, seen)

    def _forget_changed_positions(self) -> None:
        """Drop the positions from the first moved stone on, or all if the setup or `PassRow.parted` has changed."""
        if self._parted != self._history.passes.parted:
            self._parted = self._history.passes.parted
            self._positions, self._similar = [], None
        observations, first_changed = self._history.observations, self._assignment.first_changed
        if first_changed < len(observations):
            del self._positions[0 if observations[first_changed].kind is ObservationKind.START else first_changed + 1 :]
            self._similar = None
            self._assignment.first_changed = len(observations)

    def _play(self) -> bool:
        """Play the game by the rules; return True if the rules allow it and produce the news heard."""
        self._forget_changed_positions()
        observations, rules, colour = self._history.observations, self._history.rules, self._history.colour
        if not self._positions:
            self._positions.append(self._start())
        for time in range(len(self._positions) - 1, len(observations)):
            observation, before = observations[time], self._positions[-1]
            if observation.kind is ObservationKind.START:
                self._positions.append(before)
                continue
            *unheard, event = self._events(time, before)
            try:
                for each in unheard:
                    before = rules.play(before, each.action, each.actor)
                after = rules.play(before, event.action, event.actor)
            except VariantsError:
                return False
            if rules.hears(before, event, after, colour) != observation.news:
                return False
            self._positions.append(after)
        return True

    def game(self) -> Game:
        """Return the hypothetical game, played by the rules."""
        start, observations = self._start(), self._history.observations
        setup = {point: colour for point, colour in enumerate(start.stones) if colour}
        first = start.mover if self._history.seating else None
        game = Game.replay(self._history.rules, (), setup, first)
        for time, observation in enumerate(observations):
            if observation.kind is not ObservationKind.START:
                for event in self._events(time, game.position):
                    game.play(event.actor, event.action)
        return game

    def _start(self) -> Position:
        history, seating = self._history, self._history.seating
        if seating is None:
            return history.rules.start()
        times = (time for time, each in enumerate(history.observations) if each.kind is ObservationKind.START)
        theirs = dict.fromkeys(map(self._assignment.point, times), 3 - history.colour)
        return history.rules.start(dict.fromkeys(seating.placed, history.colour) | theirs, seating.to_play)

    def _events(self, time: int, before: Position) -> list[Event]:
        """Return the events at a time: a refused private try, if one must have happened, and the event heard."""
        news = self._history.observations[time].news
        event = Event(news.actor, self._assignment.point(time) if news.action is None else news.action)
        if time not in self._history.passes.parted:
            return [event]
        # Assume a try on one of the seat's own stones, because the other side may not know about it.
        taken = [point for point, colour in enumerate(before.stones) if colour == self._history.colour]
        return [Event(news.actor, point) for point in taken[:1]] + [event]


def find_hypothesis(history: ObservationHistory, rng: Rng, should_stop: ShouldStop = never) -> Hypothesis:
    """Return a hypothesis that agrees with all the news. Raises GameOver if stopped or if all attempts fail."""
    steps = max(_LEAST_STEPS, _STEPS * len(history.observations))
    for attempt in range(1, _ATTEMPTS + 1):
        hypothesis, times = Hypothesis(history), attempt & -attempt
        hypothesis.extend(rng, times * _FIRST, should_stop)
        if hypothesis.repair(rng, times * steps, should_stop):
            hypothesis.randomize(rng, max(_LEAST_MIXING, _MIXING * len(history.placements)), should_stop)
            if hypothesis.is_consistent():
                return hypothesis
        if should_stop():
            raise GameOver("no position was found in time that agrees with all the news")
    raise GameOver("no position was found that agrees with all the news")


def imagine(rules: Rules[P], view: View, rng: Random, prior: str = FITTED) -> P:
    """Return a position that agrees with everything a seat has heard; in an open game, the actual position.

    `prior` says where hidden stones are likely: "fitted" assumes that they are placed as bots place them, "uniform"
    that all games are equally likely. Raises GameOver if no position is found in very many steps, and ConfigError for
    any other prior or a view of another game.

    >>> import random
    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=5")
    >>> game = gv.random_game(rules, seed=1, plies=10)
    >>> view = rules.view(game.heard(gv.BLACK), gv.BLACK)
    >>> position = gv.imagine(rules, view, random.Random(1))
    >>> position.stones.count(gv.WHITE) - view.stones.count(gv.WHITE) == view.hidden
    True
    """
    check_fits(cast("Rules", rules), view)
    if not isinstance(rules, HiddenRules):
        return rules.start() if view.position is None else cast("P", view.position)
    history = ObservationHistory(rules, view.colour, prior)
    for news in view.news:
        history.hear(news)
    return cast("P", find_hypothesis(history, Rng(rng.getrandbits(64))).position)
