"""The clocks of one game: whose runs, and since when."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from gtp_variants.players.clock import Clock, TimeControl


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
