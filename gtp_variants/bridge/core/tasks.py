"""Work beside the main line of a program: tasks that nobody waits for, and work put off until later."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

K = TypeVar("K")


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


class Timers(Generic[K]):
    """Work put off until later, one piece for each key; `start` begins it when its time has come."""

    def __init__(self, start: Callable[[Awaitable[None]], None]) -> None:
        self._start = start
        self._timers: dict[K, asyncio.TimerHandle] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._timers

    def set(self, key: K, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Begin work after a while, in place of what waits under the key."""
        self.stop(key)

        def start() -> None:
            self._timers.pop(key, None)
            self._start(work())

        self._timers[key] = asyncio.get_running_loop().call_later(seconds, start)

    def stop(self, key: K) -> None:
        """Drop what waits under the key, if anything does."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def stop_all(self) -> None:
        """Drop everything that waits."""
        for key in list(self._timers):
            self.stop(key)
