"""Work in small steps in a background thread, which ends with whoever owns it: searching on the others' time."""

from collections.abc import Callable
from threading import Thread
from weakref import WeakMethod


class Ponderer:
    """Calls a bound method again and again in a thread until it answers False, or until `stop`.

    It holds on to the object only while a step runs. What a step raises ends it and is raised by `raise_error`.
    """

    def __init__(self, step: Callable[[], bool]) -> None:
        self._step = WeakMethod(step)
        self._thread: Thread | None = None
        self._must_stop = False
        self._error: Exception | None = None

    def start(self) -> None:
        """Begin; what ran before is stopped."""
        self.stop()
        self._must_stop, self._error = False, None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it; nothing runs any more when this returns."""
        self._must_stop = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    @property
    def is_running(self) -> bool:
        """Whether there are steps still to come."""
        return self._thread is not None and self._thread.is_alive()

    def raise_error(self) -> None:
        """Raise what a step raised, once."""
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
