"""A process that makes pages: the games do not wait for the interpreter while a page is made.

In a thread beside the games a page of a long game held each move up by some ten milliseconds.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from functools import partial
from pathlib import Path

from gtp_variants.processes.worker_processes import end_with_parent
from gtp_variants.server.access.accounts import Anchors
from gtp_variants.server.site.archive import Archive

_NICENESS = 5
# What makes a page, given the archive.
PageMaker = Callable[[Archive], str | None]


class PageProcess:
    """Makes pages of the server in a folder, one at a time; it begins with the first one, and again if it was ended."""

    def __init__(self, folder: Path, anchors: Anchors) -> None:
        self._open = partial(_open, folder, anchors)
        self._pool: ProcessPoolExecutor | None = None

    async def make(self, maker: PageMaker) -> str | None:
        """What a function of a module makes, its further arguments given. Raises OSError where it cannot read."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), self._open)
        try:
            return await asyncio.wrap_future(self._pool.submit(_make, maker))
        except BrokenExecutor as error:
            await self.close()
            raise OSError(f"pages cannot be made: {error}") from error

    async def close(self) -> None:
        """End the process, with the page it makes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)


# -- in that process ---------------------------------------------------------------------------------------------------

_archives: list[Archive] = []


def _open(folder: Path, anchors: Anchors) -> None:
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    _archives.append(Archive(folder, anchors))


def _make(maker: PageMaker) -> str | None:
    return maker(_archives[-1])
