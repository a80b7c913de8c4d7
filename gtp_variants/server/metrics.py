"""What a server counts, as Prometheus reads it: counters, gauges that are asked for, and how long moves took."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

# Upper bounds in seconds of the times a move took.
_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
_PREFIX = "gtp_variants_server_"


class Metrics:
    """Counts of one server since it was started."""

    def __init__(self) -> None:
        self._counters = Counter[str]()
        self._gauges: dict[str, Callable[[], float]] = {}
        self._times = [0] * (len(_BOUNDS_S) + 1)
        self._total_s = 0.0

    def add(self, name: str, amount: int = 1) -> None:
        """Count something that happened."""
        self._counters[name] += amount

    def count(self, name: str) -> int:
        """How often it happened."""
        return self._counters[name]

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """Let a value be read that goes up and down."""
        self._gauges[name] = read

    def time_move(self, seconds: float) -> None:
        """A move was checked, written and told in so long."""
        self._times[bisect_left(_BOUNDS_S, seconds)] += 1
        self._total_s += seconds

    def write(self) -> str:
        """All of it in the text format of Prometheus, version 0.0.4."""
        lines = []
        for name in sorted(self._counters):
            lines += [f"# TYPE {_PREFIX}{name}_total counter", f"{_PREFIX}{name}_total {self._counters[name]}"]
        for name in sorted(self._gauges):
            lines += [f"# TYPE {_PREFIX}{name} gauge", f"{_PREFIX}{name} {self._gauges[name]():g}"]
        lines.append(f"# TYPE {_PREFIX}move_seconds histogram")
        below = 0
        for bound, count in zip((*map(str, _BOUNDS_S), "+Inf"), self._times, strict=True):
            below += count
            lines.append(f'{_PREFIX}move_seconds_bucket{{le="{bound}"}} {below}')
        lines += [f"{_PREFIX}move_seconds_sum {self._total_s:.6f}", f"{_PREFIX}move_seconds_count {below}"]
        return "\n".join(lines) + "\n"
