"""A whole game of Go Fantôme that agrees with everything one seat heard.

Where the other side's stones were put is chosen and repaired by an `Assignment`, in the native kernel where it was
built. The rules play the game that comes out: they have the last word.
"""

from random import Random
from typing import cast

from gtp_variants.ai.belief.observations import ObservationHistory, ObservationKind
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

# How many steps of repair the first attempt takes after each observation that conflicts.
_FIRST = 100
# How many it takes in the end, for each observation, and at least.
_STEPS = 25
_LEAST_STEPS = 200
# How many attempts there are. Every second takes twice as many steps, every fourth four times as many, and so on
# (Luby et al., 1993): most hypotheses that are not repaired soon never are, but some need long.
_ATTEMPTS = 64
# How many random steps make a hypothesis that was just found any other: for each hidden stone, and at least.
_MIXING, _LEAST_MIXING = 10, 60


class Hypothesis:
    """One game that may have happened: an assignment of the hidden stones, and the positions it leads to."""

    __slots__ = ("_assignment", "_history", "_parted", "_positions", "_similar")

    def __init__(self, history: ObservationHistory) -> None:
        self._history = history
        self._assignment: Assignment = history.native.assignment() if history.native else Assignment(history)
        # The positions of the game as far as it was played by the rules since a stone was changed.
        self._positions: list[Position] = []
        # Where that of another hypothesis stood, and where this one then stands.
        self._similar: tuple[Position, Position] | None = None
        # Where private tries parted passes when the positions were played.
        self._parted = history.passes.parted

    def copy(self) -> "Hypothesis":
        """Another hypothesis that is the same so far."""
        other = Hypothesis.__new__(Hypothesis)
        other._history, other._similar, other._parted = self._history, self._similar, self._parted
        other._assignment, other._positions = self._assignment.copy(), self._positions.copy()
        return other

    def extend(self, rng: Rng, steps: int = 0, should_stop: ShouldStop = never) -> None:
        """Choose points for all that was heard since; see `Assignment.extend`."""
        self._assignment.extend(rng, steps, should_stop)

    def repair(self, rng: Rng, steps: int, should_stop: ShouldStop = never) -> bool:
        """Take so many steps of repair; whether no conflict is left. See `Assignment.repair`."""
        return self._assignment.repair(rng, steps, should_stop)

    def randomize(self, rng: Rng, steps: int, should_stop: ShouldStop = never) -> None:
        """Move stones at random so many times without making a conflict; see `Assignment.randomize`."""
        self._assignment.randomize(rng, steps, should_stop)

    @property
    def conflicts(self) -> int:
        """The cost of all that contradicts what was heard: 0 if nothing does."""
        return self._assignment.conflicts

    @property
    def stones(self) -> int:
        """Their stones at the end."""
        return self._assignment.stones

    def log_prior(self, prior: PlacementPrior) -> float:
        """How likely the game is by a prior, up to a constant."""
        times, colour = self._history.placements, 3 - self._history.colour
        boards = self._assignment.boards(times)
        return sum(
            self._history.log_prior(
                time,
                sum(1 << point for point, there in enumerate(board) if there == colour),
                self._assignment.point(time),
                prior,
            )
            for time, board in zip(times, boards, strict=True)
        )

    def is_consistent(self) -> bool:
        """Whether there is no conflict, and the rules allow the game.

        After each piece of news the rules play one hypothesis without conflicts. Where nothing but stones is hidden all
        the others then differ from it in stones only.
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
        """The position at the end of a game that agrees."""
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
        """The position at the end: in all but the stones of now and before it is like that of another hypothesis."""
        history, last = self._history, played_position.last
        boards = self._assignment.boards([*history.times, history.last, len(history.observations)])
        if last is not None and last.action >= 0 and last.actor != history.colour:
            last = Event(last.actor, self._assignment.point(history.last))
        boards_so_far = zip(boards, history.makers, history.by_placing, strict=False)
        seen = history.rules.repetition_rule.history_of(boards_so_far)
        return history.rules.with_board(played_position, boards[-1], boards[-2], last, seen)

    def _forget_changed_positions(self) -> None:
        """Drop the positions that a repair has made wrong: those from the first stone on that was moved."""
        if self._parted != self._history.passes.parted:
            self._parted = self._history.passes.parted
            self._positions, self._similar = [], None
        observations, first_changed = self._history.observations, self._assignment.first_changed
        if first_changed < len(observations):
            del self._positions[0 if observations[first_changed].kind is ObservationKind.START else first_changed + 1 :]
            self._similar = None
            self._assignment.first_changed = len(observations)

    def _play(self) -> bool:
        """Play the game by the rules; whether they allow it and the seat would have heard just what it did."""
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
        """The game, played by the rules."""
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
        seating = self._history.seating
        if seating is None:
            return self._history.rules.start()
        observations = enumerate(self._history.observations)
        theirs = (
            self._assignment.point(time)
            for time, observation in observations
            if observation.kind is ObservationKind.START
        )
        colour = self._history.colour
        setup = dict.fromkeys(seating.placed, colour) | dict.fromkeys(theirs, 3 - colour)
        return self._history.rules.start(setup, seating.to_play)

    def _events(self, time: int, before: Position) -> list[Event]:
        """What was heard at a time, after a private try of theirs if one must have been refused before.

        Where a stone stands it is refused, and they need not know of ours.
        """
        news = self._history.observations[time].news
        event = Event(news.actor, self._assignment.point(time) if news.action is None else news.action)
        if time not in self._history.passes.parted:
            return [event]
        taken = [point for point, colour in enumerate(before.stones) if colour == self._history.colour]
        return [Event(news.actor, point) for point in taken[:1]] + [event]


def find_hypothesis(history: ObservationHistory, rng: Rng, should_stop: ShouldStop = never) -> Hypothesis:
    """A hypothesis that agrees with all that was heard.

    `should_stop` is asked now and then whether to give up. Raises GameOver then, or after very many steps.
    """
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
    """Return a position that agrees with everything a seat heard; in an open game the position itself.

    `prior` says where hidden stones are likely: "fitted" as bots play, "uniform" if all games are equally likely.
    Raises GameOver if no position was found in very many steps, and ConfigError for another prior or a view that
    cannot be of this game.

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
