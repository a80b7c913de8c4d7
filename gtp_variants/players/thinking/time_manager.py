"""The time that a bot may spend on each move, given its clock and the observed delays of host and machine."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from gtp_variants.ai.mcts.settings import SearchLimits
from gtp_variants.players.clock import Clock
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

# Factor by which the worst delay so far fades from move to move.
_FADING = 0.9
# Part of the clock for a try that might be refused: a refused try gains no increment and no new period.
_TRY_PART = 0.5


class TimeManager:
    """The division of a bot's time among the moves of one game.

    A bot creates it in `sit`, chooses each move inside `measure`, and searches within the limits that `allow` returns.
    Delays caused by the host, the connection and the machine are measured, and that much time is held back from later
    moves. `now` returns monotonic seconds, and `work` returns the thread's processor seconds.

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
        self, rules: Rules, now: Callable[[], float] = time.monotonic, work: Callable[[], float] = time.thread_time
    ) -> None:
        self._rules = rules
        self._now = now
        self._work = work
        # The last move: its turn, its clock, and the seconds spent since that clock was read.
        self._last: tuple[int, Clock, float] | None = None
        # Seconds spent on this turn's refused tries that the clock does not show yet.
        self._spent_s = 0.0
        # When the present choice began, in seconds, or None outside `measure`.
        self._begun_s: float | None = None
        self._allowed_s = inf
        # In seconds: the lag per move, this machine's overrun, and the duration of the shortest search.
        self._lag_s = 0.0
        self._late_s = 0.0
        self._least_s = 0.0

    @contextmanager
    def measure(self, view: View, clock: Clock) -> Iterator[None]:
        """Time the choice of a move, or of another try after a refused try."""
        begun, worked = self._now(), self._work()
        self._begun_s, self._spent_s, self._allowed_s = begun, 0.0, inf
        if self._last is not None:
            turn, before, took_s = self._last
            if turn != view.turn:
                self._lag_s = max(self._lag_s, before.lag_s(clock, took_s) or 0.0)
            elif before == clock:
                # Some hosts report the time only once per turn, so add the time of this turn's refused tries.
                self._spent_s = took_s
        try:
            yield
        finally:
            self._begun_s, spent_s = None, self._now() - begun
            self._last = view.turn, clock, self._spent_s + spent_s
            self._late_s = max(_FADING * self._late_s, spent_s - self._allowed_s)
            self._least_s = max(_FADING * self._least_s, self._work() - worked - self._allowed_s)

    def has_time(self, view: View, clock: Clock) -> bool:
        """Return True if the clock has time for the shortest search."""
        shares = self._shares_s(view, clock)
        return shares is None or shares[0] >= self._least_s

    def allow(self, view: View, clock: Clock, wanted: SearchLimits, *, may_extend: bool = True) -> SearchLimits:
        """Return the wanted limits, cut to the time on the clock. With `may_extend` a close choice may take longer."""
        shares = self._shares_s(view, clock)
        if shares is None:
            return wanted
        seconds, most_seconds = (min(share_s, wanted.seconds or inf) for share_s in shares)
        most_seconds = most_seconds if may_extend else 0.0
        self._allowed_s = max(seconds, most_seconds)
        # A game clock counts wall time, so the search must not count processor time.
        return replace(wanted, seconds=seconds, most_seconds=most_seconds, cpu_time=False)

    def _shares_s(self, view: View, clock: Clock) -> tuple[float, float] | None:
        """Return the usual and the maximum time for this move in seconds, or None without a clock."""
        # Include the time of this choice so far, such as for loading a network.
        used_s = 0.0 if self._begun_s is None else self._now() - self._begun_s
        left = clock.while_thinking(self._spent_s + used_s)
        length = max(1, round(self._rules.profile.expected_turns_a_point * len(view.stones)))
        moves = max(0, length - view.turn) // len(self._rules.colours)
        ahead = moves, view.turn / length, self._lag_s + self._late_s
        budget_s, most_s = left.budget_s(*ahead), left.most_s(*ahead)
        if budget_s is None or most_s is None:
            return None
        if not self._rules.is_open and (left.control.kind == "fischer" or left.renews):
            # Use the budget if the clock shows 0 seconds, which would mean a search without a limit.
            try_s = _TRY_PART * left.left_s or budget_s
            return min(budget_s, try_s), min(most_s, try_s)
        return budget_s, most_s
