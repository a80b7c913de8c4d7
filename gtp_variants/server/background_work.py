"""Long work in pieces between what cannot wait: a record, say, is written while moves go on."""

import asyncio
from collections import deque
from collections.abc import Iterator


class BackgroundWork:
    """Does a piece of what waits in each turn of the event loop, first come, first served.

    Work is an iterator that does a piece, of a millisecond or two, at each step.
    """

    def __init__(self) -> None:
        self._waiting = deque[Iterator[None]]()
        self._is_due = False

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, work: Iterator[None]) -> None:
        """Do this, too; its first piece at once, so that what is short is done."""
        if self._step(work):
            self._waiting.append(work)
            self._schedule()

    def finish(self) -> None:
        """Do all that waits now."""
        while self._waiting:
            for _ in self._waiting.popleft():
                pass

    def _schedule(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._is_due = False
        if not self._waiting:
            return
        work = self._waiting.popleft()
        try:
            if self._step(work):
                self._waiting.appendleft(work)
        finally:
            if self._waiting:
                self._schedule()

    @staticmethod
    def _step(work: Iterator[None]) -> bool:
        """Do one piece; whether there is more."""
        try:
            next(work)
        except StopIteration:
            return False
        return True
