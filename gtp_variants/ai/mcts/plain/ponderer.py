"""Searching in a background thread, and a check of whether a search has done enough."""

from collections.abc import Callable, Iterable
from math import inf
from threading import Thread
from weakref import WeakMethod

from gtp_variants.ai.mcts.settings import SearchLimits

# Number of playouts between two checks of whether a search may end, and seconds between two reports of its progress.
BETWEEN_LOOKS, BETWEEN_ASKING_S = 16, 0.02
# Number of playouts spent on the value of a position that has only one move.
ONLY_MOVE = 64
# Ratio of visits from which the best move is clearly ahead of the second.
_CLOSE = 2.5


def is_enough(limits: SearchLimits, visits: Iterable[int], done: int, took_s: float, may_stop_early: bool) -> bool:
    """Return True if the time is up, or if stopping early is allowed and the most visited move is settled."""
    is_asked = limits.stop_early and may_stop_early
    if not is_asked and not 0 < limits.seconds <= took_s:
        return False
    second, best = sorted([0, 0, *visits])[-2:]
    end_s = max(limits.seconds, limits.most_seconds) if best < _CLOSE * second else limits.seconds
    if limits.seconds > 0 and took_s >= end_s:
        return True
    left = limits.playouts - done if limits.playouts > 0 else inf
    if limits.seconds > 0:
        left = min(left, done * (end_s - took_s) / max(took_s, 1e-6))
    return is_asked and best - second > left


class Ponderer:
    """A thread that calls a bound method until this returns False or raises, its object dies, or `stop` is called."""

    def __init__(self, step: Callable[[], bool]) -> None:
        self._step = WeakMethod(step)
        self._thread: Thread | None = None
        self._must_stop = False
        self._error: Exception | None = None

    def start(self) -> None:
        """Start the thread, after stopping the previous thread."""
        self.stop()
        self._must_stop, self._error = False, None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait until it has ended."""
        self._must_stop = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    @property
    def is_running(self) -> bool:
        """True while the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def raise_error(self) -> None:
        """Raise the exception that ended the thread, if any, but only once."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self) -> None:
        while not self._must_stop:
            step = self._step()
            try:
                if step is None or not step():
                    return
            except Exception as error:
                self._error = error
                return
            del step
