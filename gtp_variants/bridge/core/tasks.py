"""Work beside the main line of a program: tasks that nobody waits for, and work put off until later."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

# A piece of work that is put off.
W = TypeVar("W")
# Work that is begun by a call and done in a task.
TaskWork = Callable[[], Awaitable[None]]


class BackgroundTasks:
    """Tasks that nobody waits for. `note` is given each error of the kind `caught`."""

    def __init__(self, note: Callable[[Exception], None], caught: type[Exception] = Exception) -> None:
        self._note, self._caught = note, caught
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Awaitable[None]) -> None:
        """Begin some work."""

        async def safely() -> None:
            try:
                await work
            except self._caught as error:
                self._note(error)

        task = asyncio.get_running_loop().create_task(safely())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def begin(self, work: TaskWork) -> None:
        """Begin some work by calling it."""
        self.start(work())

    async def finish(self, within_s: float) -> None:
        """Wait for the tasks, then cancel those that still run."""
        if self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(set(self._tasks), timeout=within_s)
        for task in list(self._tasks):
            task.cancel()

    async def cancel(self) -> None:
        """Cancel the tasks and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Timers(Generic[W]):
    """Work put off until later; `begin` is given each piece when its time has come."""

    def __init__(self, begin: Callable[[W], None]) -> None:
        self._begin = begin
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._timers

    def set(self, key: Hashable, seconds: float, work: W) -> None:
        """Begin work after a while, in place of what waits under the key."""
        self.stop(key)

        def begin() -> None:
            self._timers.pop(key, None)
            self._begin(work)

        self._timers[key] = asyncio.get_running_loop().call_later(seconds, begin)

    def add(self, seconds: float, work: W) -> None:
        """Begin work after a while, whatever else waits."""
        self.set(object(), seconds, work)

    def stop(self, key: Hashable) -> None:
        """Drop what waits under the key, if anything does."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def stop_all(self) -> None:
        """Drop everything that waits."""
        for key in list(self._timers):
            self.stop(key)
