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
        kill_group(pid)


def kill_group(pid: int) -> None:
    """Kill a process and its children."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def fields_of(stat: Path) -> list[bytes]:
    """Return the fields of a /proc/PID/stat after the name, which may have parentheses: state, parent, group etc."""
    return stat.read_bytes().rpartition(b")")[2].split()


if __name__ == "__main__":
    main()
