"""A helper program that kills the engines of a process that died before it could end them, even by SIGKILL.

It reads lines `+PID` and `-PID`: the leader of a process group that has started, and of one that has been ended.
However the process that writes them ends, the input ends too. Then the reaper kills the remaining groups. A process
that has left its group ends with the wall around the engine, or with the guardian of a match.

A signal at the death of the parent (PR_SET_PDEATHSIG) is not enough: it is sent when the thread that started the engine
ends, does not reach the engine's children, and needs code between fork and exec, which costs 4 ms per engine.

Usage: python -I -S orphan_reaper.py. This program imports nothing from this package, so that it starts at once.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def main() -> None:
    """Remember groups until the input ends, then kill those that are left."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    left: set[int] = set()
    for line in sys.stdin:
        if not line.endswith("\n"):
            # Ignore a truncated number, because it would mean another process.
            break
        pid = int(line[1:])
        if line[0] == "+":
            left.add(pid)
        else:
            left.discard(pid)
    for pid in left:
        signal_group(pid)


def signal_group(pid: int, name: str = "SIGKILL") -> None:
    """Send a signal to a process and its children. On Windows this kills them."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    with suppress(OSError):
        os.killpg(pid, signal.Signals[name])


def processes() -> Iterator[tuple[int, list[bytes]]]:
    """Yield the processes in sight with what proc(5) says of each from its state on. Only Linux shows any."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name before the state may have parentheses.
            if fields := stat.read_bytes().rpartition(b")")[2].split():
                yield int(stat.parent.name), fields


if __name__ == "__main__":
    main()
