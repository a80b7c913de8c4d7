"""Waiting until a condition is true: long enough for a busy machine, but no longer than needed."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 60


def wait_until(holds: Callable[[], T | None], what: str = "it") -> T:
    """Return the first true result of `holds`. Fails if there is none within `PATIENCE_S` seconds."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.005)
    return found


async def until(holds: Callable[[], T | None], what: str = "it") -> T:
    """Do the same for asyncio, while the rest of the event loop continues."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what} did not come about"
        await asyncio.sleep(0.005)
    return found
