"""Background tasks, timers, and signals that stop the program."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Generic, TypeVar

# The type of a timer's work.
W = TypeVar("W")
# A function whose result is awaited in a task.
TaskWork = Callable[[], Awaitable[None]]


def hear_signals() -> asyncio.Event:
    """Return an event that is set when Ctrl-C or another signal tells the program to stop."""
    told = asyncio.Event()
    # Windows has no such handlers, so on Windows Ctrl-C raises KeyboardInterrupt.
    with contextlib.suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, told.set)
    return told


class BackgroundTasks:
    """Tasks that run in the background, at once or after a time. Errors of the type `caught` are passed to `note`."""

    def __init__(self, note: Callable[[Exception], None], caught: type[Exception] = Exception) -> None:
        self._note, self._caught = note, caught
        self._tasks: set[asyncio.Task[None]] = set()
        self.timers = Timers[TaskWork](lambda work: self.start(work()))

    def start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        """Await `work` in a task, which passes an error of the type `caught` to `note`, and return the task."""

        async def safely() -> None:
            try:
                await work
            except self._caught as error:
                self._note(error)

        task = asyncio.get_running_loop().create_task(safely())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if isinstance(work, Coroutine):
            # Close a coroutine whose task was cancelled before it began, because Python would warn of it.
            task.add_done_callback(lambda _: work.close())
        return task

    async def finish(self, within_s: float) -> None:
        """Wait up to `within_s` seconds for the tasks, then cancel the tasks that are still running."""
        if self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(set(self._tasks), timeout=within_s)
        self.stop()

    def stop(self) -> None:
        """Cancel the tasks."""
        for task in self._tasks:
            task.cancel()

    async def cancel(self) -> None:
        """Cancel the tasks and wait until they have ended."""
        tasks = list(self._tasks)
        self.stop()
        await asyncio.gather(*tasks, return_exceptions=True)


class Timers(Generic[W]):
    """Scheduled work, by key. `begin` is called with each piece of work when it is due."""

    def __init__(self, begin: Callable[[W], object]) -> None:
        self._begin = begin
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._timers

    def set(self, key: Hashable, seconds: float, work: W) -> None:
        """Schedule work, replacing the work scheduled under the same key."""
        self.stop(key)

        def begin() -> None:
            self._timers.pop(key, None)
            self._begin(work)

        self._timers[key] = asyncio.get_running_loop().call_later(seconds, begin)

    def add(self, seconds: float, work: W) -> None:
        """Schedule work under a key of its own."""
        self.set(object(), seconds, work)

    def stop(self, key: Hashable) -> None:
        """Cancel the work scheduled under a key, if there is any."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def stop_all(self) -> None:
        for key in list(self._timers):
            self.stop(key)
