"""One fair queue for slow work: what people wait for comes first, and then whoever has had the least time."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar, cast

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Turn:
    """A piece of thinking. `owner` is the visitor in whose game it is done, and `starts` is set when it may start."""

    owner: str
    is_awaited: bool
    starts: "asyncio.Future[None]"


class ThinkingQueue:
    """Shares `threads` threads among the owners of games, or among clients.

    A turn that a person awaits waits only for others of that kind: a thread that thinks in a game of bots alone cannot
    be stopped, so the turn runs beside it. `now` returns seconds.
    """

    def __init__(self, threads: int, name: str, now: Callable[[], float] = time.monotonic) -> None:
        self._threads, self._now = threads, now
        self._pool = ThreadPoolExecutor(2 * threads, thread_name_prefix=name)
        self._waiting: list[_Turn] = []
        # When each running turn started.
        self._running: dict[_Turn, float] = {}
        # Seconds of thinking by owner. An owner who comes back starts with at least the seconds of the owner
        # served last, so that a long absence does not let one owner take all threads.
        self._spent_s: dict[str, float] = {}
        self._least_s = 0.0

    @property
    def running(self) -> int:
        """The number of turns in progress."""
        return len(self._running)

    def count_waiting(self, owner: str) -> int:
        return sum(each.owner == owner for each in self._waiting)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def do(self, owner: str, work: Callable[[], T]) -> T:
        """Do work that a person awaits in a thread when its turn comes, and return its result."""
        return cast(T, await self.run(owner, lambda: work, is_awaited=True))

    async def run(self, owner: str, prepare: Callable[[], Callable[[], T] | None], *, is_awaited: bool) -> T | None:
        """Call `prepare` when the turn comes, and the work it returns in a thread; return the result of the work.

        `prepare` returns None if the work is no longer wanted. The thread of a cancelled call keeps its place.
        """
        loop = asyncio.get_running_loop()
        turn = _Turn(owner, is_awaited, loop.create_future())
        if not any(each.owner == owner for each in (*self._waiting, *self._running)):
            self._spent_s[owner] = max(self._spent_s.get(owner, 0.0), self._least_s)
        self._waiting.append(turn)
        self._start_next()
        try:
            await turn.starts
            work = prepare()
            thinking = None if work is None else self._pool.submit(work)
        except BaseException:
            self._end(turn)
            raise
        if thinking is None:
            self._end(turn)
            return None

        def end(_: object) -> None:
            with suppress(RuntimeError):  # raised if the loop has been closed meanwhile
                loop.call_soon_threadsafe(self._end, turn)

        # In this order, so that the caller has used the result before the next turn is prepared.
        result = asyncio.wrap_future(thinking)
        thinking.add_done_callback(end)
        return await result

    def _start_next(self) -> None:
        """Start the turns for which there is room."""
        while waiting := [each for each in self._waiting if not each.starts.done()]:
            turn = min(waiting, key=lambda each: (not each.is_awaited, self._spent(each.owner)))
            if sum(each.is_awaited or not turn.is_awaited for each in self._running) >= self._threads:
                return
            self._waiting.remove(turn)
            self._least_s = self._spent(turn.owner)
            self._running[turn] = self._now()
            turn.starts.set_result(None)

    def _spent(self, owner: str) -> float:
        """Return the seconds that an owner's turns have taken, those in progress included."""
        running_s = sum(self._now() - since_s for each, since_s in self._running.items() if each.owner == owner)
        return self._spent_s[owner] + running_s

    def _end(self, turn: _Turn) -> None:
        """Note that a turn has ended, or is no longer wanted."""
        since_s = self._running.pop(turn, None)
        if since_s is None:
            self._waiting.remove(turn)
        else:
            self._spent_s[turn.owner] += self._now() - since_s
        here = {each.owner for each in (*self._waiting, *self._running)}
        self._spent_s = {name: s for name, s in self._spent_s.items() if name in here or s > self._least_s}
        self._start_next()
