"""A thread that does one thing after the other. One that hangs is left behind and keeps nobody from ending."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from gtp_variants.errors import PeerSilent

R = TypeVar("R")


class ThreadStuck(PeerSilent):
    """The thread itself did not come back."""


class EngineThread:
    """A thread, from now on until its `end`."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=_work_off, args=(self._work,), daemon=True).start()

    async def run(self, work: Callable[[], R], limit_s: float) -> R:
        """What the work returns or raises. Raises ThreadStuck after so long."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[R] = loop.create_future()

        def tell(result: R | None, error: BaseException | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]

        def job() -> None:
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:
                failure = error
            # The bridge may have ended meanwhile.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(tell, result, failure)

        self._work.put(job)
        try:
            async with asyncio.timeout(min(limit_s, 1e6)):
                return await done
        except TimeoutError:
            raise ThreadStuck(f"it did not answer within {limit_s:.1f} s") from None

    def submit(self, work: Callable[[], None]) -> None:
        """Do something after what waits already; nobody waits for it."""
        self._work.put(work)

    def end(self) -> None:
        """No more work comes."""
        self._work.put(None)


def _work_off(work: "queue.SimpleQueue[Callable[[], None] | None]") -> None:
    while (job := work.get()) is not None:
        job()
