"""Waiting until something holds, so long that a busy machine is no excuse, and no longer than needed."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 60


def wait_until(holds: Callable[[], T | None], what: str = "it") -> T:
    """What `holds` answers as soon as that is true of it; fails if that takes for ever."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.005)
    return found


async def until(holds: Callable[[], T | None], what: str = "it") -> T:
    """The same for asyncio; the rest of the loop goes on meanwhile."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what} did not come about"
        await asyncio.sleep(0.005)
    return found
