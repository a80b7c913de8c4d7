"""How long a bot may think about each move of a game, by its clock and by what moves turn out to cost beyond that."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf

from gtp_variants.ai.mcts.settings import SearchLimits
from gtp_variants.players.clock import Clock
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

# What is left, from one move to the next, of the worst overstay so far.
_FADING = 0.9
# One try may take so much where it can be refused: only the turn that it ends earns an increment or a new period.
_TRY_PART = 0.5


@dataclass(frozen=True, slots=True)
class _Thought:
    """What was thought last: in which turn, under which clock, and how long since the clock was told."""

    turn: int
    clock: Clock
    spent_s: float


class TimeManager:
    """How much of its clock a bot spends on each move of one game.

    A bot makes one when it sits down, chooses each move within `measure`, and searches within what `allow` says. What
    the host, the way to it and the machine take beyond that is learnt from each move and kept back from later ones.
    `now` reads seconds that only go on, `work` those of the thread's own work.

    >>> import gtp_variants as gv
    >>> from gtp_variants.players.clock import TimeControl
    >>> rules = gv.parse("go:size=9")
    >>> view, clock = gv.Table(rules, gv.DiceStream).view(gv.BLACK), gv.Clock.full(TimeControl("absolute", main_s=60))
    >>> manager = gv.TimeManager(rules)
    >>> with manager.measure(view, clock):
    ...     limits = manager.allow(view, clock, gv.SearchLimits(playouts=100))
    ...     found = gv.search(rules, view, playouts=limits.playouts, seconds=limits.seconds)
    >>> 1 < limits.seconds < limits.most_seconds < 4
    True
    """

    def __init__(
        self,
        rules: Rules,
        now: Callable[[], float] = time.monotonic,
        work: Callable[[], float] = time.thread_time,
    ) -> None:
        self._rules = rules
        self._now = now
        self._work = work
        self._last: _Thought | None = None
        # By tries of the present turn that were refused, as far as the clock does not show it.
        self._spent_s = 0.0
        self._allowed_s = inf
        # What each move costs the host and the way to it, what this machine may do to any move beyond what it is
        # allowed, and what a search takes at least.
        self._lag_s = 0.0
        self._late_s = 0.0
        self._least_s = 0.0

    @contextmanager
    def measure(self, view: View, clock: Clock) -> Iterator[None]:
        """Learn from how long it takes to choose a move, or after a refused try another one for the same turn."""
        begun, worked = self._now(), self._work()
        self._learn_lag(view, clock)
        self._allowed_s = inf
        try:
            yield
        finally:
            spent_s = self._now() - begun
            self._last = _Thought(view.turn, clock, self._spent_s + spent_s)
            self._late_s = max(_FADING * self._late_s, spent_s - self._allowed_s)
            self._least_s = max(_FADING * self._least_s, self._work() - worked - self._allowed_s)

    def has_time(self, view: View, clock: Clock) -> bool:
        """Whether the clock has as much for this move as the shortest search takes."""
        shares = self._shares_s(view, clock)
        return shares is None or shares[0] >= self._least_s

    def allow(self, view: View, clock: Clock, wanted: SearchLimits, *, may_extend: bool = True) -> SearchLimits:
        """The wanted limits as far as the clock has time for them; its share of the clock for a move without seconds.

        Without a clock nothing changes. `may_extend` says whether a search may take `most_seconds` where the best two
        moves are close, which come from the clock, too.
        """
        shares = self._shares_s(view, clock)
        if shares is None:
            return wanted
        seconds, most_seconds = (min(share_s, wanted.seconds or inf) for share_s in shares)
        most_seconds = most_seconds if may_extend else 0.0
        self._allowed_s = max(seconds, most_seconds)
        # A clock goes on whoever works on the machine.
        return replace(wanted, seconds=seconds, most_seconds=most_seconds, cpu_time=False)

    def _ahead_of(self, view: View) -> tuple[int, float, float]:
        """Own moves still to come, the part of the game that is played, and what each move costs beyond thinking."""
        length = max(1, round(self._rules.profile.expected_turns_a_point * len(view.stones)))
        moves = max(0, length - view.turn) // len(self._rules.colours)
        return moves, view.turn / length, self._lag_s + self._late_s

    def _shares_s(self, view: View, clock: Clock) -> tuple[float, float] | None:
        """What this move gets of the clock, and at most where more thinking may change it; None without a clock."""
        left, ahead = clock.while_thinking(self._spent_s), self._ahead_of(view)
        budget_s, most_s = left.budget_s(*ahead), left.most_s(*ahead)
        if budget_s is None or most_s is None:
            return None
        if not self._rules.is_open and (left.control.kind == "fischer" or left.renews):
            try_s = _TRY_PART * left.left_s
            return min(budget_s, try_s), min(most_s, try_s)
        return budget_s, most_s

    def _learn_lag(self, view: View, clock: Clock) -> None:
        """See what the last turn cost beyond its thinking, once another begins."""
        last, self._spent_s = self._last, 0.0
        if last is None:
            return
        if last.turn != view.turn:
            self._lag_s = max(self._lag_s, last.clock.lag_s(clock, last.spent_s) or 0.0)
        elif last.clock == clock:
            # Some hosts tell the time once a turn, however many tries are refused in it.
            self._spent_s = last.spent_s
