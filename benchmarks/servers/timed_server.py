"""The public server with every callback of its event loop timed, to find what delays moves.

    python -m benchmarks.servers.timed_server OUT.json SERVER-OPTION...

`public_server.py --stretches` starts it. On SIGUSR1 it writes, of each callback and of garbage collections,
how often it ran, its processor time and the longest stretch, and of stretches over 4 ms what they consist of:
processor time, waiting for a processor, and the rest, which is waiting for a disk or another thread.
"""

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
import threading
import time
from asyncio import events
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

_LONG_S = 0.004


@dataclass
class Total:
    """One kind of callback: its count, and its total and longest processor time in seconds."""

    count: int = 0
    processor_s: float = 0.0
    longest_s: float = 0.0

    def add(self, processor_s: float) -> None:
        """Add one call."""
        self.count += 1
        self.processor_s += processor_s
        self.longest_s = max(self.longest_s, processor_s)


class LoopTimer:
    """Times every callback of this thread's event loop."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._totals = defaultdict[str, Total](Total)
        self._long: list[tuple[str, float, float, float]] = []
        self._waits = os.open(f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY)
        self._collects_since = 0.0

    def start(self) -> None:
        """Start timing."""
        run = events.Handle._run

        def timed(handle: Any) -> None:
            before = self._waited_s(), time.perf_counter(), time.thread_time()
            run(handle)
            processor_s = time.thread_time() - before[2]
            lasted_s = time.perf_counter() - before[1]
            name = _name(handle._callback)
            self._totals[name].add(processor_s)
            if lasted_s > _LONG_S:
                self._long.append((name, lasted_s, processor_s, self._waited_s() - before[0]))

        events.Handle._run = timed  # type: ignore[method-assign,assignment]
        gc.callbacks.append(self._note_collection)
        signal.signal(signal.SIGUSR1, self._write)

    def _waited_s(self) -> float:
        return int(os.pread(self._waits, 100, 0).split()[1]) / 1e9

    def _note_collection(self, phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            self._collects_since = time.thread_time()
        else:
            self._totals[f"garbage collection {told['generation']}"].add(time.thread_time() - self._collects_since)

    def _write(self, number: int, frame: FrameType | None) -> None:
        totals = {name: (each.count, each.processor_s, each.longest_s) for name, each in self._totals.items()}
        fresh = self._out.with_suffix(".new")
        fresh.write_text(json.dumps({"totals": totals, "long": self._long}), encoding="utf-8")
        fresh.replace(self._out)


def _name(callback: Any) -> str:
    """Return the name of a callback: a task's coroutine, or a class's method."""
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return str(getattr(owner.get_coro(), "__qualname__", "task"))
    name = getattr(callback, "__name__", "?")
    return name if owner is None or isinstance(owner, type(sys)) else f"{type(owner).__name__}.{name}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file that is written")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="those of `gtp-variants server`")
    given = parser.parse_args()
    LoopTimer(given.out).start()
    from gtp_variants.cli import main

    sys.exit(main(["server", *given.options]))
