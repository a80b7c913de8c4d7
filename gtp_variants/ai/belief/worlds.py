"""A particle filter over games: many worlds, which agree with what a seat hears, carried on from news to news."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, log
from numbers import Integral
from random import Random

from gtp_variants.ai.belief.hypothesis import Hypothesis, find_hypothesis
from gtp_variants.ai.belief.observations import ObservationHistory
from gtp_variants.ai.belief.prior import FITTED, load_prior
from gtp_variants.base.interruption import ShouldStop, never
from gtp_variants.base.rng import Rng
from gtp_variants.errors import ConfigError, GameOver, NotationError
from gtp_variants.rules.actions import EMPTY, TURN
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, list_colours
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.views import News

# Steps of one attempt to repair a hypothesis.
_STEPS = 250
# Random steps that make a copy another hypothesis, and those of every hypothesis after a piece of news.
_STEPS_OF_COPY = 60
_STEPS_OF_ALL = 60
# A hypothesis whose conflicts cost more than this is not worth further repair when there is no time.
_FAR = 6
# The power to which the odds of a network count. On 9x9 0.5 and 1 tell the stones of bots like those it learnt from
# alike (0.192 and 0.191 nats a point, 0.215 without a network); of weaker ones, which play otherwise, 0.5 tells as much
# as no network and 1 less (0.266 and 0.284, 0.263 without): benchmarks/strength/hidden_stones.py.
_TRUST = 0.5
# The least that a chance counts as.
_LEAST_CHANCE = 0.01
# The part of the time of a search that goes into imagining, at most, and as long as there is no position at all.
_SAMPLING = 0.4
_LOOKING = 0.8


class Worlds:
    """Games that agree with all a seat heard, the particles of a filter: news extends each, conflicts are repaired.

    `asked` is how many are wanted, `attempts` how often the repair of each is tried after a piece of news before it
    gives way to a copy of another; more only while there is none at all. Games come up as often as they are likely by
    the `prior`, up to the error of so many samples: "fitted", in which hidden stones go where bots put them (see
    `belief/prior.py`), or "uniform", under which all games that agree are equally likely. What comes out depends on the
    seed, these numbers and after which news it was asked for; on the time only if `should_stop` asks a clock.
    Only one thread may use them. Raises ConfigError for a number that is not whole or below 1, a colour that nobody
    plays, an unknown prior, what is no Rules, or a game that hides nothing.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=5")
    >>> game = gv.random_game(rules, seed=1, plies=12)
    >>> worlds = gv.Worlds(rules, gv.BLACK, asked=8, seed=1)
    >>> for news in game.heard(gv.BLACK):
    ...     worlds.hear(news)
    >>> view = rules.view(game.heard(gv.BLACK), gv.BLACK)
    >>> {position.stones.count(gv.WHITE) for position in worlds.positions()} == {view.hidden}
    True
    """

    def __init__(
        self,
        rules: Rules,
        colour: int,
        asked: int = 32,
        seed: int | str = 0,
        attempts: int = 4,
        prior: str = FITTED,
    ) -> None:
        faults = _find_number_faults(asked=asked, attempts=attempts)
        if not isinstance(rules, Rules):
            raise ConfigError([*faults, f"rules={rules!r}: expected Rules, as gv.parse(SPEC) makes them"])
        if not isinstance(rules, HiddenRules):
            raise ConfigError([*faults, f"{rules.name}: nothing is hidden in this game"])
        if colour not in rules.colours:
            faults.append(f"colour={colour}: expected {list_colours(rules)}")
        if faults:
            raise ConfigError(faults)
        self.asked = asked
        self._attempts = attempts
        self._seed = seed
        self._heard: list[News] = []
        self._rng = Rng(Random(seed).getrandbits(64))
        self._prior = prior
        self._history = ObservationHistory(rules, colour, prior)
        self._hypotheses = [Hypothesis(self._history) for _ in range(asked)]
        # Those that agree, as many as were asked for; None as long as nobody asked since the last news.
        self._consistent: list[Hypothesis] | None = None
        # One that agrees and stays as the rules have played it, which spares them the beginning of its game.
        self._played: Hypothesis | None = None
        # What a network expects, () for nothing.
        self._chances: tuple[float, ...] = ()

    def hear(self, news: News) -> None:
        """Take in one piece of news; the games go on when somebody asks for them."""
        self._heard.append(news)
        self._history.hear(news)
        self._consistent = None

    def expect(self, chances: Sequence[float]) -> None:
        """Take in how likely a hidden stone stands on each point now, from 0 to 1, as a network says.

        Games are then as likely as the prior says times the root of the odds of each hidden stone's point; what was
        taken in before is forgotten. Raises ConfigError for another number of points, and for what is no chance.
        """
        board = self._history.rules.board
        if len(chances) != len(board):
            raise ConfigError([f"chances of {len(chances)} points: expected {len(board)}, one for each point"])
        faults = [
            f"chance {chance} of {board.vertex(point)}: expected 0 to 1"
            for point, chance in enumerate(chances)
            if not 0 <= chance <= 1
        ]
        if faults:
            raise ConfigError(faults)
        self._chances = tuple(chances)
        bounded = (min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE) for chance in chances)
        self._history.expect([_TRUST * log(chance / (1 - chance)) for chance in bounded])
        self._consistent = None

    def __reduce__(self) -> tuple[Callable[..., "Worlds"], tuple[object, ...]]:
        """A copy has heard the same and expects the same, and begins to look for games anew."""
        history = self._history
        numbers = self.asked, self._seed, self._attempts, self._prior
        return _rebuild, (history.rules, history.colour, *numbers, self._heard, self._chances)

    @property
    def found(self) -> int:
        """How many different boards the games have come to, of as many as were asked for."""
        return len({position.stones for position in self.positions()})

    def positions(self, should_stop: ShouldStop = never, to_play: int | None = None) -> Sequence[Position]:
        """Where the games stand, as many as were asked for; where fewer were found some are there several times.

        With `to_play` that colour is to move, though it may be another's turn. `should_stop` is asked again and again
        whether to leave it at those there are. Raises GameOver if none was found until then, or in very many steps; the
        next call goes on with what was reached.
        """
        found = [hypothesis.position for hypothesis in self._find_consistent(should_stop)]
        if to_play is None:
            return found
        rules = self._history.rules
        return [each if each.to_play in (to_play, EMPTY) else rules.play(each, TURN, to_play) for each in found]

    def sample(
        self,
        to_play: int | None = None,
        seconds: float = 0.0,
        should_stop: ShouldStop = never,
        *,
        now: Callable[[], float] = time.monotonic,
        must_agree: bool = True,
    ) -> list[tuple[Position, int]]:
        """Different positions for a search, and how often each came up, the frequent ones first.

        They get a part of the `seconds` that the search has by the clock `now`, 0 for no limit, and a larger one as
        long as there is no position at all; where none is found until then, or until told to stop, the nearest board
        has to do. So it has to where very many steps find none, unless the positions `must_agree`: then GameOver is
        raised.
        """
        begun = now()

        def is_enough(part: float) -> bool:
            return (seconds > 0 and now() > begun + part * seconds) or should_stop()

        for part in (_SAMPLING, _LOOKING):
            try:
                return count_positions(self.positions(partial(is_enough, part), to_play))
            except GameOver:
                if is_enough(part):
                    continue
                if must_agree:
                    raise
                break
        return [(self.nearest(to_play), 1)]

    def games(self) -> list[Game]:
        """The games themselves, each played anew by the rules."""
        return [hypothesis.game() for hypothesis in self._find_consistent()]

    def weights(self, prior: str) -> tuple[float, ...]:
        """How much each of `positions` counts, 1 together, if games are as likely as another prior says.

        By the prior of these games all count the same (importance sampling: the quotient of the two priors).
        """
        other, own = load_prior(prior), self._history.prior
        hypotheses = self._find_consistent()
        logs = [hypothesis.log_prior(other) - hypothesis.log_prior(own) for hypothesis in hypotheses]
        parts = [exp(log - max(logs)) for log in logs]
        return tuple(part / sum(parts) for part in parts)

    def stones(self) -> tuple[float, ...]:
        """The share of the games in which the other's stone stands on each point."""
        hypotheses = self._find_consistent()
        return tuple(
            sum(hypothesis.stones >> point & 1 for hypothesis in hypotheses) / len(hypotheses)
            for point in range(len(self._history.rules.board))
        )

    def nearest(self, to_play: int | None = None) -> Position:
        """The board of the game that comes nearest to what was heard, with us to move if not told; it has no history.

        Stones of the other's that would leave a chain without a liberty are left out. Raises GameOver if our own stones
        cannot stand as we heard that they do.
        """
        board, colour = self._history.rules.board, self._history.colour
        own, theirs = self._history.own[-1], min(self._hypotheses, key=lambda each: each.conflicts).stones
        stones = bytearray(colour if own >> point & 1 else EMPTY for point in range(len(board)))
        for point in range(len(board)):
            if theirs & ~own & 1 << point:
                stones[point] = 3 - colour
                around = [point, *(near for near in board.neighbours[point] if stones[near])]
                if not all(liberties(board, stones, chain(board, stones, near)) for near in around):
                    stones[point] = EMPTY
        setup = {point: there for point, there in enumerate(stones) if there}
        try:
            return self._history.rules.start(setup, to_play or colour)
        except NotationError as error:
            raise GameOver(f"no position agrees with the news: {error}") from None

    def _find_consistent(self, should_stop: ShouldStop = never) -> list[Hypothesis]:
        """The hypotheses that agree, as many as were asked for."""
        if self._consistent is None:
            consistent = self._update(should_stop)
            self._consistent = [consistent[index % len(consistent)] for index in range(self.asked)]
        return self._consistent

    def _update(self, should_stop: ShouldStop) -> list[Hypothesis]:
        """The hypotheses that agree, after the others were repaired, the nearest first, or gave way to copies.

        What is not done when somebody says stop stays for the next time.
        """
        consistent, conflicting = self._divide()
        try:
            self._repair(consistent, conflicting, should_stop)
            if not consistent:
                consistent.append(find_hypothesis(self._history, self._rng, should_stop))
                conflicting.remove(max(conflicting, key=lambda each: each.conflicts))
            if self._played is None:
                self._played = consistent[0].copy()
            for hypothesis in consistent:
                hypothesis.randomize(self._rng, _STEPS_OF_ALL, should_stop)
            self._resample(consistent, conflicting, should_stop)
        finally:
            self._hypotheses = [*consistent, *conflicting]
        return consistent

    def _divide(self) -> tuple[list[Hypothesis], list[Hypothesis]]:
        """The hypotheses that agree with what was heard since, and the others."""
        consistent: list[Hypothesis] = []
        conflicting: list[Hypothesis] = []
        if self._played is not None:
            self._played.extend(self._rng)
            if not self._played.is_consistent():
                self._played = None
        for hypothesis in self._hypotheses:
            hypothesis.extend(self._rng)
            (consistent if hypothesis.is_consistent() else conflicting).append(hypothesis)
        return consistent, conflicting

    def _repair(self, consistent: list[Hypothesis], conflicting: list[Hypothesis], should_stop: ShouldStop) -> None:
        """Try to repair the conflicting hypotheses; those that agree then go over to the consistent ones."""
        for _ in range(self._attempts):
            for hypothesis in sorted(conflicting, key=lambda each: each.conflicts):
                if should_stop():
                    return
                if hypothesis.repair(self._rng, _STEPS, should_stop) and hypothesis.is_consistent():
                    conflicting.remove(hypothesis)
                    consistent.append(hypothesis)

    def _resample(self, consistent: list[Hypothesis], conflicting: list[Hypothesis], should_stop: ShouldStop) -> None:
        """Put copies of consistent hypotheses, changed as far as they may be, in the place of conflicting ones."""
        rng, sources = self._rng, len(consistent)
        conflicting.sort(key=lambda each: each.conflicts)
        while conflicting and not should_stop():
            copy = consistent[rng.below(sources)].copy()
            copy.randomize(rng, _STEPS_OF_COPY, should_stop)
            consistent.append(copy if copy.is_consistent() else consistent[rng.below(sources)].copy())
            conflicting.pop()
        # In a hurry those that are far from agreeing are not worth their repair.
        for hypothesis in [each for each in conflicting if each.conflicts > _FAR]:
            conflicting.remove(hypothesis)
            consistent.append(consistent[rng.below(sources)].copy())


def count_positions(positions: Sequence[Position]) -> list[tuple[Position, int]]:
    """The first position with each board, and how many have that board, the frequent ones first."""
    first = {position.stones: position for position in reversed(positions)}
    counts = Counter(position.stones for position in positions)
    return [(first[stones], count) for stones, count in counts.most_common()]


def _rebuild(
    rules: Rules,
    colour: int,
    asked: int,
    seed: int | str,
    attempts: int,
    prior: str,
    heard: list[News],
    chances: tuple[float, ...],
) -> Worlds:
    worlds = Worlds(rules, colour, asked, seed, attempts, prior)
    for news in heard:
        worlds.hear(news)
    if chances:
        worlds.expect(chances)
    return worlds


def _find_number_faults(**given: object) -> list[str]:
    return [
        f"{name}={number!r}: expected a whole number, 1 or more"
        for name, number in given.items()
        if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < 1
    ]
