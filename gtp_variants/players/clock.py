"""Time controls and clocks as values, and how much of the time left a move may take; the clocks of one game.

Nothing here reads the time: whoever measures says how long something took, or hands in a watch.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from gtp_variants.records.record import Time

# Kept back of every move: the host's own slowness counts against us, too.
MARGIN_S = 0.1
# A move may take so many times its share of the time where the best two moves are close; of a period only a bit more.
_EXTENSION = 2.0
_PERIOD_EXTENSION = 1.1
_INCREMENT_PART = 0.9
_PERIOD_MARGIN_S = 0.5
# Parts of the game.
_OPENING_ENDS, _MIDDLE_ENDS = 0.2, 0.4
# A period of byo-yomi is used up to this part.
_PERIOD_PART = 0.85
_FEWEST_MOVES = 12
_SHORTEST_S = 1e-6


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a game gives each side.

    `kind` is "none", "absolute", "canadian", "byoyomi" or "fischer". `main_s` is for the whole game; then there are, by
    kind, `canadian` periods of `period_s` for `stones` stones, `byoyomi` `periods` periods of `period_s` a move, or
    `fischer` `increment_s` more after each move, at most `limit_s` in all. No move may take longer than `move_s`.
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
    """What one side has left: seconds of the main time, or of the present period with stones or periods to go.

    `left_count` is 0 in the main time. `Clock.full` makes the clock of a game's start.

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
        """The clock before the first move."""
        if control.main_s > 0 or control.kind in ("none", "absolute", "fischer"):
            return cls(control, control.main_s)
        return cls(control, control.period_s, _count(control))

    @property
    def longest_s(self) -> float:
        """The longest the next move may take without losing on time; infinite without a clock."""
        move_s = self.control.move_s
        return self._left_with_periods_s if move_s is None else min(move_s, self._left_with_periods_s)

    @property
    def renews(self) -> bool:
        """Whether each move has the same time whatever the last one took: in byo-yomi, or without a clock."""
        if self.control.kind == "canadian":
            return self.left_count > 0 and self.control.stones == 1
        return self.control.kind == "none" or (self.control.kind == "byoyomi" and self.left_count > 0)

    @property
    def _left_with_periods_s(self) -> float:
        control = self.control
        if control.kind == "none":
            return float("inf")
        if control.kind == "canadian" and not self.left_count:
            return self.left_s + control.period_s
        if control.kind == "byoyomi":
            return self.left_s + control.period_s * (self.left_count - 1 if self.left_count else control.periods)
        return self.left_s

    def while_thinking(self, spent_s: float) -> "Clock":
        """The clock in the midst of a move that has taken so long: perhaps in a later period, at least at 0."""
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
        """The clock after a move that took so long. A side whose time is over has 0 seconds left."""
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

    def lag_s(self, now: "Clock", thought_s: float) -> float | None:
        """What a move cost beyond its thinking, by the clock before it and the one before the next; None if unknown."""
        expected = self.after(thought_s)
        whole_periods = self.control.kind == "byoyomi" and expected.left_count
        if self.control.kind == "none" or now.control != self.control or whole_periods:
            return None
        if now.left_count != expected.left_count:
            return None
        # Hosts that tell whole seconds leave the rest out.
        rounded = 1.0 if now.left_s == int(now.left_s) else 0.0
        return max(0.0, expected.left_s - now.left_s - rounded)

    def budget_s(self, moves_left: int, played: float = 1.0, lag_s: float = 0.0) -> float | None:
        """How long the next move may take if so many own moves are still to come; None for as long as one likes.

        `played` is the part of the game that is played, 0 to 1; `lag_s` what each move costs beyond thinking.
        """
        return self._spending(moves_left, _weight(played), lag_s)[0] if self.control.kind != "none" else None

    def most_s(self, moves_left: int, played: float = 1.0, lag_s: float = 0.0) -> float | None:
        """How long it may take where more thinking may change the move."""
        return self._spending(moves_left, _weight(played), lag_s)[1] if self.control.kind != "none" else None

    def _spending(self, moves_left: int, weight: float, lag_s: float) -> tuple[float, float]:
        control, moves = self.control, max(_FEWEST_MOVES, moves_left)
        margin = max(MARGIN_S, 3 * lag_s)
        # In the last moments the margin shrinks with what is left, so that there is always something to spend.
        left = max(self.left_s - margin, self.left_s / 10)
        if control.kind == "canadian":
            share, most = self._canadian_spending(left, moves, weight, lag_s)
        elif control.kind == "byoyomi":
            share, most = self._byoyomi_spending(left, moves, weight, margin)
        else:
            # A Fischer clock pays for every move to come.
            income = control.increment_s * _INCREMENT_PART - lag_s
            share = max(left + income * moves, left / 10) / moves * weight
            most = _EXTENSION * share
        most = min(most, self._within_reach(left))
        if control.move_s is not None:
            most = min(most, max(control.move_s - margin, control.move_s / 10))
        most = max(_SHORTEST_S, most)
        return max(_SHORTEST_S, min(share, most)), most

    def _within_reach(self, left_s: float) -> float:
        """What one move may take at most without losing on time, the margin kept."""
        control = self.control
        if control.kind not in ("canadian", "byoyomi") or self.left_count:
            return left_s
        return left_s + control.period_s * (_PERIOD_PART if control.kind == "canadian" else max(0, control.periods - 1))

    def _canadian_spending(self, left: float, moves: int, weight: float, lag_s: float) -> tuple[float, float]:
        control = self.control
        # What a stone gets of a period; in one that runs nothing is saved for later.
        stone = max((control.period_s * _PERIOD_PART) / max(1, control.stones) - lag_s, 0.0)
        if self.left_count:
            kept = control.period_s * (1 - _PERIOD_PART) / max(1, control.stones)
            share = max(left - lag_s * (self.left_count - 1) - kept, left / 10) / self.left_count
            return share, share
        main = max(left - lag_s * moves, left / 10) / moves * weight
        return max(main, stone), max(_EXTENSION * main, stone)

    def _byoyomi_spending(self, left: float, moves: int, weight: float, margin: float) -> tuple[float, float]:
        control = self.control
        # What a move costs beyond its thinking does not show in a period, which every move gives back whole.
        kept = margin + min(_PERIOD_MARGIN_S, control.period_s / 4)
        period = max(control.period_s * _PERIOD_PART - margin, control.period_s / 10)
        period = min(period, control.period_s - kept) if control.period_s > kept else period
        if self.left_count:
            return min(period, left), min(_PERIOD_EXTENSION * period, max(self.left_s - kept, left / 10))
        # All periods but the last are as good as main time.
        spare = left + max(0, control.periods - 1) * control.period_s
        main = spare / moves * weight
        return max(main, min(period, spare)), max(_EXTENSION * main, min(_PERIOD_EXTENSION * period, spare))


def _weight(played: float) -> float:
    """How much more a move deserves than later ones, by the part of the game that is played: the opening a little more,
    the time when most is decided twice as much.

    Source: S.-C. Huang, R. Coulom, S.-S. Lin, "Time Management for Monte-Carlo Tree Search Applied to the Game of Go",
    2010: on 19x19 with sudden death a plain division won 43.2% against GNU Go, a good one 60%.
    """
    if played >= _MIDDLE_ENDS:
        return 1.0
    return min(2.0, 1.0 + played / _OPENING_ENDS)


def _count(control: TimeControl) -> int:
    return control.stones if control.kind == "canadian" else control.periods


NO_LIMIT = Clock()


class GameClocks:
    """A clock for each colour, of which at most one runs. `now` reads seconds that only go on.

    The first `free_s` of each move cost nothing. `control` may be "none": then it is only measured how long moves take.
    """

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
        # What each showed when it stopped last.
        self.stopped: dict[int, Clock] = dict.fromkeys(colours, Clock.full(control))
        # Whose clock runs; who of a turn that goes on, and what is left of their free seconds, as after a refused try.
        self.running: int | None = None
        self._on_turn: int | None = None
        self._free_left_s = free_s
        self.put_back(left_s or {}, left_counts or {})
        # When whoever acts next began to think; None as long as nobody is asked.
        self._since_s: float | None = None
        self._now = now

    @property
    def spent_s(self) -> float:
        """How long whoever acts next has been thinking."""
        return 0.0 if self._since_s is None else self._now() - self._since_s

    @property
    def free_left_s(self) -> float:
        """How long whoever acts next may still think before it costs them time."""
        return max(0.0, self._free_left_s - self.spent_s)

    @property
    def is_started(self) -> bool:
        """Whether time goes on."""
        return self._since_s is not None

    def start(self) -> None:
        """Let time go on from now."""
        self._since_s = self._now()

    def put_back(self, left_s: Mapping[int, float], left_counts: Mapping[int, int]) -> None:
        """Let each clock show what is left by colour, a full clock where nothing is said, and none run."""
        full = Clock.full(self.control)
        main_count = 0 if self.control.main_s else full.left_count
        for colour in self.stopped:
            seconds, count = left_s.get(colour), left_counts.get(colour, main_count)
            self.stopped[colour] = full if seconds is None else replace(full, left_s=seconds, left_count=count)
        self.running = self._on_turn = None

    def go_back_to(self, times: Mapping[int, Time]) -> None:
        """Let each clock show what was left after the last action of a colour that stands; a full one without any."""
        left_s = {colour: time.left_s for colour, time in times.items() if time.left_s is not None}
        self.put_back(left_s, {colour: time.left_count for colour, time in times.items() if time.left_count})

    def time_of(self, colour: int, took_s: float) -> Time:
        """Return what a record says of an action: how long it took, and what its side has left."""
        clock, took_s = self.stopped[colour], round(took_s, 3)
        return Time(took_s) if clock.control.kind == "none" else Time(took_s, clock.left_s, clock.left_count or None)

    def run(self, colour: int | None) -> None:
        """From now on the clock of a colour runs, or none; the time up to now is taken off the one that ran."""
        self.stopped = {each: self.clock(each) for each in self.stopped}
        self._free_left_s = self.free_left_s
        self.running = colour
        if colour is not None and colour != self._on_turn:
            self._on_turn, self._free_left_s = colour, self.free_s
        if self.is_started:
            self.start()

    def press(self, colour: int) -> None:
        """Give a colour what its time control adds after a move, which ends its turn."""
        self.stopped[colour] = self.stopped[colour].after(0)
        self._on_turn = None

    def clock(self, colour: int) -> Clock:
        """What the clock of a colour shows now, at least 0."""
        clock = self.stopped[colour]
        return clock.while_thinking(self._charged_s) if colour == self.running else clock

    def time_left_s(self) -> float | None:
        """Seconds until the colour whose clock runs loses on time, below 0 if it has; None if no clock runs."""
        return None if self.running is None else self.stopped[self.running].longest_s - self._charged_s

    @property
    def _charged_s(self) -> float:
        """What whoever thinks has used of their time."""
        return max(0.0, self.spent_s - self._free_left_s)
