"""Time controls, clocks, and the time to spend on a move. Nothing here reads the time: callers pass it in."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from gtp_variants.records.record import Time

# Seconds held in reserve on each move, because the host's delays count against the player.
MARGIN_S = 0.1
# Factors by which a move may exceed its share of main time or of a period if the best two moves are close.
_EXTENSION = 2.0
_PERIOD_EXTENSION = 1.1
# Maximum multiple of one stone's share of a Canadian period, and maximum part of a Fischer clock for one move.
_STONE_EXTENSION, _FISCHER_PART = 3.0, 0.85
_INCREMENT_PART = 0.9
_PERIOD_MARGIN_S = 0.5
# Parts of the game, from 0 to 1, after which the opening and the middle game end.
_OPENING_ENDS, _MIDDLE_ENDS = 0.2, 0.4
# Part of a byo-yomi or Canadian period that may be used.
_PERIOD_PART = 0.85
_FEWEST_MOVES = 12
_SHORTEST_S = 1e-6


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that each side has for a game.

    `kind` is "none", "absolute", "canadian", "byoyomi" or "fischer". `main_s` is the main time. Then "canadian"
    gives `period_s` for every `stones` stones, and "byoyomi" gives `periods` periods of `period_s` per move. "fischer"
    adds `increment_s` after each move, up to a total of `limit_s`. No move may take longer than `move_s`.
    """

    kind: str = "none"
    main_s: float = 0.0
    period_s: float = 0.0
    stones: int = 0
    periods: int = 0
    increment_s: float = 0.0
    limit_s: float | None = None
    move_s: float | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that one side has left: seconds of main time, or of the present period.

    `left_count` is the number of stones or periods left, 0 in main time. `Clock.full` makes the clock for a new game.

    >>> import gtp_variants as gv
    >>> from gtp_variants.players.clock import TimeControl
    >>> clock = gv.Clock.full(TimeControl("byoyomi", main_s=60, period_s=10, periods=3))
    >>> clock.longest_s
    90
    >>> clock.after(65).left_count
    3
    """

    control: TimeControl = TimeControl()
    left_s: float = 0.0
    left_count: int = 0

    @classmethod
    def full(cls, control: TimeControl) -> "Clock":
        """Return the clock before the first move."""
        if control.main_s > 0 or control.kind in ("none", "absolute", "fischer"):
            return cls(control, control.main_s)
        return cls(control, control.period_s, _count(control))

    @property
    def longest_s(self) -> float:
        """The most seconds that the next move may take without losing on time, infinite without a time limit."""
        control, left_s = self.control, self.left_s
        if control.kind == "none":
            left_s = float("inf")
        elif control.kind == "canadian" and not self.left_count:
            left_s += control.period_s
        elif control.kind == "byoyomi":
            left_s += control.period_s * (self.left_count - 1 if self.left_count else control.periods)
        return left_s if control.move_s is None else min(control.move_s, left_s)

    @property
    def renews(self) -> bool:
        """True if each move gets the same time whatever earlier moves took, as in byo-yomi or without a time limit."""
        if self.control.kind == "canadian":
            return self.left_count > 0 and self.control.stones == 1
        return self.control.kind == "none" or (self.control.kind == "byoyomi" and self.left_count > 0)

    def while_thinking(self, spent_s: float) -> "Clock":
        """Return the clock during a move that has taken `spent_s` so far: never below 0, perhaps in a later period."""
        control, left, count = self.control, self.left_s - spent_s, self.left_count
        if control.move_s is not None:
            control = replace(control, move_s=max(0.0, control.move_s - spent_s))
        if left < 0 and control.kind in ("canadian", "byoyomi"):
            if count == 0:
                left, count = left + control.period_s, _count(control)
            while control.kind == "byoyomi" and left < 0 and count > 1:
                left, count = left + control.period_s, count - 1
        return Clock(control, max(0.0, left), count)

    def after(self, spent_s: float) -> "Clock":
        """Return the clock after a move that took `spent_s`, plus any increment or new period: never below 0."""
        control, left = self.control, self.left_s - spent_s
        if control.kind == "none":
            return self
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
        if control.kind == "canadian" and count > 1:
            return replace(self, left_s=max(0.0, left), left_count=count - 1)
        if control.kind == "canadian":
            return replace(self, left_s=control.period_s, left_count=control.stones)
        while left < 0 and count > 1:
            left, count = left + control.period_s, count - 1
        # A move made in time restores the full period.
        return replace(self, left_s=control.period_s if left >= 0 else 0.0, left_count=count)

    def lag_s(self, now: "Clock", thought_s: float) -> float | None:
        """Return a move's seconds beyond `thought_s`, or None if unknown. `now` is the clock before the next move."""
        expected = self.after(thought_s)
        whole_periods = self.control.kind == "byoyomi" and expected.left_count
        if self.control.kind == "none" or now.control != self.control or whole_periods:
            return None
        if now.left_count != expected.left_count:
            return None
        # A host that reports whole seconds rounds them down, so up to a second is not lag.
        rounded = 1.0 if now.left_s == int(now.left_s) else 0.0
        return max(0.0, expected.left_s - now.left_s - rounded)

    def budget_s(self, moves_left: int, played: float = 1.0, lag_s: float = 0.0) -> float | None:
        """Return the seconds to spend on the next move, or None without a clock.

        `played` is the part of the game already played, from 0 to 1. `lag_s` is the time a move costs beyond thinking.
        """
        return self._spending(moves_left, played, lag_s)[0] if self.control.kind != "none" else None

    def most_s(self, moves_left: int, played: float = 1.0, lag_s: float = 0.0) -> float | None:
        """Return the most seconds to spend if more thought may change the move; arguments and None: see `budget_s`."""
        return self._spending(moves_left, played, lag_s)[1] if self.control.kind != "none" else None

    def _spending(self, moves_left: int, played: float, lag_s: float) -> tuple[float, float]:
        control, moves, weight = self.control, max(_FEWEST_MOVES, moves_left), _weight(played)
        margin = max(MARGIN_S, 3 * lag_s)
        # Shrink the margin near the end, so that some time is left to spend.
        left = max(self.left_s - margin, self.left_s / 10)
        if control.kind == "canadian":
            share, most = self._canadian_spending(left, moves, weight, lag_s)
        elif control.kind == "byoyomi":
            share, most = self._byoyomi_spending(left, moves, weight, margin)
        else:
            # Include the increments of all moves to come.
            income = control.increment_s * _INCREMENT_PART - lag_s
            share = max(left + income * moves, left / 10) / moves * weight
            most = _EXTENSION * share
        # Never exceed the time that one move may take without losing on time, less the margin.
        reach = left
        if control.kind == "canadian" and not self.left_count:
            reach += control.period_s * _PERIOD_PART
        elif control.kind == "byoyomi" and not self.left_count:
            reach += control.period_s * max(0, control.periods - 1)
        elif control.kind == "fischer":
            reach *= _FISCHER_PART
        most = min(most, reach)
        if control.move_s is not None:
            most = min(most, max(control.move_s - margin, control.move_s / 10))
        most = max(_SHORTEST_S, most)
        return max(_SHORTEST_S, min(share, most)), most

    def _canadian_spending(self, left: float, moves: int, weight: float, lag_s: float) -> tuple[float, float]:
        control = self.control
        # One stone's share of a period. All shares are spent, because unused time is lost when the period ends.
        stone = max((control.period_s * _PERIOD_PART) / max(1, control.stones) - lag_s, 0.0)
        if self.left_count:
            kept = control.period_s * (1 - _PERIOD_PART) / max(1, control.stones)
            share = max(left - lag_s * (self.left_count - 1) - kept, left / 10) / self.left_count
            share = min(share, _STONE_EXTENSION * control.period_s / max(1, control.stones))
            return share, share
        main = max(left - lag_s * moves, left / 10) / moves * weight
        return max(main, stone), max(_EXTENSION * main, stone)

    def _byoyomi_spending(self, left: float, moves: int, weight: float, margin: float) -> tuple[float, float]:
        control = self.control
        # Every move restores the full period, which hides lag, so some time is kept in reserve.
        kept = margin + min(_PERIOD_MARGIN_S, control.period_s / 4)
        period = max(control.period_s * _PERIOD_PART - margin, control.period_s / 10)
        period = min(period, control.period_s - kept) if control.period_s > kept else period
        if self.left_count:
            return min(period, left), min(_PERIOD_EXTENSION * period, max(self.left_s - kept, left / 10))
        # All periods but the last serve as main time.
        spare = left + max(0, control.periods - 1) * control.period_s
        main = spare / moves * weight
        return max(main, min(period, spare)), max(_EXTENSION * main, min(_PERIOD_EXTENSION * period, spare))


def _weight(played: float) -> float:
    """Return the weight of a move relative to later moves: rising from 1 to 2 in the first 20% of the game, 1 from 40%.

    Source: S.-C. Huang and others, "Time Management for Monte-Carlo Tree Search Applied to the Game of Go", 2010.
    """
    if played >= _MIDDLE_ENDS:
        return 1.0
    return min(2.0, 1.0 + played / _OPENING_ENDS)


def _count(control: TimeControl) -> int:
    return control.stones if control.kind == "canadian" else control.periods


NO_LIMIT = Clock()


class GameClocks:
    """The clocks of one game, of which at most one runs. The first `free_s` seconds of each move are not counted."""

    def __init__(
        self,
        control: TimeControl,
        colours: Iterable[int],
        now: Callable[[], float],
        left_s: Mapping[int, float] | None = None,
        free_s: float = 0.0,
        left_counts: Mapping[int, int] | None = None,
    ) -> None:
        self.control = control
        self.free_s = free_s
        # Each colour's clock as it last stopped.
        self.stopped: dict[int, Clock] = dict.fromkeys(colours, Clock.full(control))
        # The colour whose clock runs; the colour whose turn it is, even after a refused try; its unused free seconds.
        self.running: int | None = None
        self._on_turn: int | None = None
        self._free_left_s = free_s
        self.put_back(left_s or {}, left_counts or {})
        # The time up to which the clocks have been charged, or None before `start`.
        self._since_s: float | None = None
        self._now = now

    @property
    def spent_s(self) -> float:
        """The number of seconds since the clocks were last charged, or 0 before `start`."""
        return 0.0 if self._since_s is None else self._now() - self._since_s

    @property
    def free_left_s(self) -> float:
        """The number of uncounted seconds that the present player has left."""
        return max(0.0, self._free_left_s - self.spent_s)

    @property
    def is_started(self) -> bool:
        """True once time is being measured."""
        return self._since_s is not None

    def start(self) -> None:
        """Measure time from now on."""
        self._since_s = self._now()

    def put_back(self, left_s: Mapping[int, float], left_counts: Mapping[int, int]) -> None:
        """Stop all clocks and set the times they show. A colour without a value gets a full clock."""
        full = Clock.full(self.control)
        main_count = 0 if self.control.main_s else full.left_count
        for colour in self.stopped:
            seconds, count = left_s.get(colour), left_counts.get(colour, main_count)
            self.stopped[colour] = full if seconds is None else replace(full, left_s=seconds, left_count=count)
        self.running = self._on_turn = None

    def go_back_to(self, times: Mapping[int, Time]) -> None:
        """Set each clock to its colour's entry in `times`, the time after its last action, or else to full time."""
        left_s = {colour: time.left_s for colour, time in times.items() if time.left_s is not None}
        self.put_back(left_s, {colour: time.left_count for colour, time in times.items() if time.left_count})

    def time_of(self, colour: int, took_s: float) -> Time:
        """Return an action's times for the record: the time taken and the time left."""
        clock, took_s = self.stopped[colour], round(took_s, 3)
        return Time(took_s) if clock.control.kind == "none" else Time(took_s, clock.left_s, clock.left_count or None)

    def run(self, colour: int | None) -> None:
        """Charge the running clock for the time up to now, then start the clock of `colour` unless it is None."""
        self.stopped = {each: self.clock(each) for each in self.stopped}
        self._free_left_s = self.free_left_s
        self.running = colour
        if colour is not None and colour != self._on_turn:
            self._on_turn, self._free_left_s = colour, self.free_s
        if self.is_started:
            self.start()

    def press(self, colour: int) -> None:
        """End a colour's turn: add the time that its time control gives after a move."""
        self.stopped[colour] = self.stopped[colour].after(0)
        self._on_turn = None

    def clock(self, colour: int) -> Clock:
        """Return a colour's clock at this moment."""
        clock = self.stopped[colour]
        return clock.while_thinking(self._charged_s) if colour == self.running else clock

    def time_left_s(self) -> float | None:
        """Return the seconds until the running clock runs out, negative once it has, or None if no clock is running."""
        return None if self.running is None else self.stopped[self.running].longest_s - self._charged_s

    @property
    def _charged_s(self) -> float:
        """The part of `spent_s` that counts, beyond the free seconds."""
        return max(0.0, self.spent_s - self._free_left_s)
