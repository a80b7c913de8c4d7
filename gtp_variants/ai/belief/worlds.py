"""A particle filter over games: many worlds that agree with a seat's news, updated after each piece of news."""

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

# Maximum number of steps in one attempt to repair a hypothesis.
_STEPS = 250
# Number of random steps for a copied hypothesis, and for every hypothesis after a piece of news.
_STEPS_OF_COPY = 60
_STEPS_OF_ALL = 60
# Cost of conflicts above which a hypothesis is replaced, rather than kept for repair, when time runs out.
_FAR = 6
# Power to which a network's odds are raised. For bots whose games the network was trained on, 0.5 and 1 predict the
# stones equally well. For weaker bots 0.5 predicts as well as no network, and 1 worse
# (benchmarks/strength/hidden_stones.py).
_TRUST = 0.5
# Lower bound for a network's probabilities.
_LEAST_CHANCE = 0.01
# Maximum share of a search's time for sampling positions, and the larger share while no position has been found.
_SAMPLING = 0.4
_LOOKING = 0.8


class Worlds:
    """Games consistent with a seat's news, kept by a particle filter that extends and repairs them as news arrives.

    `asked` is the number of games. After a piece of news a game gets up to `attempts` attempts at repair before a copy
    of another game replaces it; more attempts follow only while no game agrees. Up to sampling error, games are as
    frequent as the `prior` makes them likely: "fitted" puts hidden stones where bots put them (`belief/prior.py`),
    "uniform" makes all games that agree equally likely. Results depend on the arguments and on when games were
    requested, and on time only through `should_stop`. Use a `Worlds` from one thread only. Raises ConfigError for an
    invalid argument or a game that hides nothing.

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
        self, rules: Rules, colour: int, asked: int = 32, seed: int | str = 0, attempts: int = 4, prior: str = FITTED
    ) -> None:
        given: dict[str, object] = {"asked": asked, "attempts": attempts}
        faults = [
            f"{name}={number!r}: expected a whole number, 1 or more"
            for name, number in given.items()
            if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < 1
        ]
        if not isinstance(rules, Rules):
            raise ConfigError([*faults, f"rules={rules!r}: expected Rules, as gv.parse(SPEC) makes them"])
        if not isinstance(rules, HiddenRules):
            raise ConfigError([*faults, f"{rules.name}: expected a game with hidden stones"])
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
        # The `asked` hypotheses that agree with the news; None after news until they are requested.
        self._consistent: list[Hypothesis] | None = None
        # A hypothesis that agrees with the news. It is never repaired, so its start need not be replayed.
        self._played: Hypothesis | None = None
        # The network's probabilities; () before `expect`.
        self._chances: tuple[float, ...] = ()

    def hear(self, news: News) -> None:
        """Add one piece of news; the games are extended only when they are next requested."""
        self._heard.append(news)
        self._history.hear(news)
        self._consistent = None

    def expect(self, chances: Sequence[float]) -> None:
        """Set the probability, 0 to 1, of a hidden stone on each point, as predicted by a network.

        A game's prior is multiplied by the square root of the odds of each hidden stone's point. Earlier predictions
        are replaced. Raises ConfigError for a wrong number of points or an invalid probability.
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

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the news and predictions; the unpickled copy searches for games from the start."""
        history = self._history
        numbers = self.asked, self._seed, self._attempts, self._prior
        return Worlds, (history.rules, history.colour, *numbers), (self._heard, self._chances)

    def __setstate__(self, state: tuple[list[News], tuple[float, ...]]) -> None:
        heard, chances = state
        for news in heard:
            self.hear(news)
        if chances:
            self.expect(chances)

    @property
    def found(self) -> int:
        """The number of different boards among the games."""
        return len({position.stones for position in self.positions()})

    def positions(self, should_stop: ShouldStop = never, to_play: int | None = None) -> Sequence[Position]:
        """Return the positions of the `asked` games; some repeat if fewer were found.

        If `to_play` is given, that colour is to move, even out of turn. Once `should_stop` returns True, no more games
        are sought. Raises GameOver if no game was found by then, or in very many steps; the next call continues.
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
        """Return distinct positions for a search, each with its count, most frequent first.

        Sampling gets a share of the search's `seconds` (0: no limit) on the clock `now`, and a larger share until a
        position is found. If time runs out or `should_stop` returns True before that, the nearest board is returned. If
        very many steps find no position, GameOver is raised, or without `must_agree` the nearest board is returned.
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
        """Return the games, each replayed under the rules."""
        return [hypothesis.game() for hypothesis in self._find_consistent()]

    def weights(self, prior: str) -> tuple[float, ...]:
        """Return the weight of each of `positions` under another prior; the weights sum to 1 (importance sampling)."""
        other, own = load_prior(prior), self._history.prior
        hypotheses = self._find_consistent()
        logs = [hypothesis.log_prior(other) - hypothesis.log_prior(own) for hypothesis in hypotheses]
        parts = [exp(log - max(logs)) for log in logs]
        return tuple(part / sum(parts) for part in parts)

    def stones(self) -> tuple[float, ...]:
        """Return, for each point, the share of games with a stone of the other side there."""
        hypotheses = self._find_consistent()
        return tuple(
            sum(hypothesis.stones >> point & 1 for hypothesis in hypotheses) / len(hypotheses)
            for point in range(len(self._history.rules.board))
        )

    def nearest(self, to_play: int | None = None) -> Position:
        """Return the position, without history, of the imagined game that conflicts least with the news.

        `to_play` defaults to this seat. Stones of the other side that would take a chain's last liberty are left out.
        Raises GameOver if the seat's own stones would have no liberty even so.
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
        """Return `asked` hypotheses that agree with the news, some repeated if fewer were found."""
        if self._consistent is None:
            consistent = self._update(should_stop)
            self._consistent = [consistent[index % len(consistent)] for index in range(self.asked)]
        return self._consistent

    def _update(self, should_stop: ShouldStop) -> list[Hypothesis]:
        """Repair or replace conflicting hypotheses; return all that agree. If stopped, the next call continues."""
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
        """Extend all hypotheses; return the hypotheses that agree with the latest news, and the others."""
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
        """Try to repair the hypotheses in `conflicting`, and move repaired hypotheses to `consistent`."""
        for _ in range(self._attempts):
            for hypothesis in sorted(conflicting, key=lambda each: each.conflicts):
                if should_stop():
                    return
                if hypothesis.repair(self._rng, _STEPS, should_stop) and hypothesis.is_consistent():
                    conflicting.remove(hypothesis)
                    consistent.append(hypothesis)

    def _resample(self, consistent: list[Hypothesis], conflicting: list[Hypothesis], should_stop: ShouldStop) -> None:
        """Replace conflicting hypotheses by randomized copies of consistent hypotheses."""
        rng, sources = self._rng, len(consistent)
        conflicting.sort(key=lambda each: each.conflicts)
        while conflicting and not should_stop():
            copy = consistent[rng.below(sources)].copy()
            copy.randomize(rng, _STEPS_OF_COPY, should_stop)
            consistent.append(copy if copy.is_consistent() else consistent[rng.below(sources)].copy())
            conflicting.pop()
        # When stopped, replace hypotheses too far from agreeing to be worth a repair.
        for hypothesis in [each for each in conflicting if each.conflicts > _FAR]:
            conflicting.remove(hypothesis)
            consistent.append(consistent[rng.below(sources)].copy())


def count_positions(positions: Sequence[Position]) -> list[tuple[Position, int]]:
    """Return the first position with each board, and the count of that board, most frequent first."""
    first = {position.stones: position for position in reversed(positions)}
    counts = Counter(position.stones for position in positions)
    return [(first[stones], count) for stones, count in counts.most_common()]
