"""Time controls and clocks as values, and how much of the time left a move may take.

Nothing here reads the time: whoever measures says how long something took.
"""

from dataclasses import dataclass, replace

# Kept back of every move: the host's own slowness counts against us, too.
MARGIN_S = 0.1
# A period of byo-yomi is used up to this part.
_PERIOD_PART = 0.85
_FEWEST_MOVES = 12
_SHORTEST_S = 1e-6


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a game gives each side.

    `kind` is "none", "absolute", "canadian", "byoyomi" or "fischer". `main_s` is for the whole game; then there are, by
    kind, `canadian` periods of `period_s` for `stones` stones, `byoyomi` `periods` periods of `period_s` a move, or
    `fischer` `increment_s` more after each move, at most `limit_s` in all.
    """

    kind: str = "none"
    main_s: float = 0.0
    period_s: float = 0.0
    stones: int = 0
    periods: int = 0
    increment_s: float = 0.0
    limit_s: float | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """What one side has left: seconds of the main time, or of the present period with stones or periods to go.

    `left_count` is 0 in the main time. `Clock.full` makes the clock of a game's start.
    """

    control: TimeControl = TimeControl()
    left_s: float = 0.0
    left_count: int = 0

    @classmethod
    def full(cls, control: TimeControl) -> "Clock":
        """The clock before the first move."""
        if control.main_s > 0 or control.kind in ("none", "absolute", "fischer"):
            return cls(control, control.main_s)
        return cls(control, control.period_s, _count(control))

    @property
    def most_s(self) -> float:
        """The longest the next move may take without losing on time; infinite without a clock."""
        control = self.control
        if control.kind == "none":
            return float("inf")
        if control.kind == "canadian" and not self.left_count:
            return self.left_s + control.period_s
        if control.kind == "byoyomi":
            return self.left_s + control.period_s * (self.left_count - 1 if self.left_count else control.periods)
        return self.left_s

    def after(self, spent_s: float) -> "Clock":
        """The clock after a move that took so long. A side whose time is over has 0 seconds left."""
        control, left = self.control, self.left_s - spent_s
        if control.kind == "fischer":
            limit = float("inf") if control.limit_s is None else control.limit_s
            return replace(self, left_s=min(limit, max(0.0, left) + control.increment_s))
        if control.kind not in ("canadian", "byoyomi"):
            return replace(self, left_s=max(0.0, left))
        count = self.left_count
        if count == 0 and left > 0:
            return replace(self, left_s=left)
        if count == 0:
            left, count = left + control.period_s, _count(control)
        return self._after_canadian(left, count) if control.kind == "canadian" else self._after_byoyomi(left, count)

    def _after_canadian(self, left_s: float, stones: int) -> "Clock":
        if stones > 1:
            return replace(self, left_s=max(0.0, left_s), left_count=stones - 1)
        return replace(self, left_s=self.control.period_s, left_count=self.control.stones)

    def _after_byoyomi(self, left_s: float, periods: int) -> "Clock":
        while left_s < 0 and periods > 1:
            left_s += self.control.period_s
            periods -= 1
        # A move in time gives the whole period back.
        whole = self.control.period_s if left_s >= 0 else 0.0
        return replace(self, left_s=whole, left_count=periods)

    def budget_s(self, moves_left: int) -> float | None:
        """How long the next move may take if so many own moves are still to come; None for as long as one likes."""
        control = self.control
        moves = max(_FEWEST_MOVES, moves_left)
        # In the last moments the margin shrinks with what is left, so that there is always something to spend.
        left = max(self.left_s - MARGIN_S, self.left_s / 10)
        if control.kind == "none":
            return None
        if control.kind == "canadian":
            share = control.period_s / max(1, control.stones)
            budget = left / self.left_count if self.left_count else left / moves + share / 2
        elif control.kind == "byoyomi":
            period = control.period_s * _PERIOD_PART - MARGIN_S
            spare = max(0, control.periods - 1) * control.period_s
            budget = period if self.left_count else max((left + spare) / moves, min(period, left + spare))
            if self.left_count:
                budget = min(budget, left)
        elif control.kind == "fischer":
            budget = min(left / moves + control.increment_s * 0.9, left)
        else:
            budget = left / moves
        return max(_SHORTEST_S, budget)


def _count(control: TimeControl) -> int:
    return control.stones if control.kind == "canadian" else control.periods


NO_LIMIT = Clock()
