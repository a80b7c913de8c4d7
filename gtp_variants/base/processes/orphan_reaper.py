"""A helper program that kills the engines of a process that died before it could end them, even by SIGKILL.

It reads lines `+PID` and `-PID`: the leader of a process group that has started, and of one that has been ended.
However the process that writes them ends, the input ends too. Then the reaper kills the remaining groups, and on Linux
every process that carries our mark in its environment.

A signal at the death of the parent (PR_SET_PDEATHSIG) is not enough: it is sent when the thread that started the engine
ends, does not reach the engine's children, and needs code between fork and exec, which costs 4 ms per engine.

Usage: python -I -S orphan_reaper.py VARIABLE MARK. This program imports nothing from this package, so that it starts at
once.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

# Seconds to wait for a process that has just executed a new program: for a moment it shows no environment.
_PATIENCE_S = 2.0
_LOOK_S = 0.01
# Indices of fields in /proc/PID/stat, counted after the name. The start is in ticks since the system started.
_STATE, _FLAGS, _STARTED = 0, 6, 19
_IS_KERNEL_THREAD = 0x00200000
_A_SECOND_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def main() -> None:
    """Remember groups until the input ends, then kill those that are left."""
    variable, mark = (word.encode() for word in sys.argv[1:3])
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    left: set[int] = set()
    for line in sys.stdin:
        if not line.endswith("\n"):
            # A truncated number would mean another process.
            break
        pid = int(line[1:])
        if line[0] == "+":
            left.add(pid)
        else:
            left.discard(pid)
    for pid in left:
        kill_group(pid)
    if sys.platform == "linux":
        kill_marked_processes(variable, mark)


def kill_group(pid: int) -> None:
    """Kill a process and its children."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def kill(pid: int) -> None:
    """Kill one process, if it is still running."""
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_marked_processes(variable: bytes, mark: bytes) -> None:
    """Kill every other process that was started with the mark among the words of an environment variable."""
    deadline = time.monotonic() + _PATIENCE_S
    # Look at least twice: a process may have started another just before it was killed.
    for look in range(1 << 30):
        marked, undecided = look_for_mark(variable, mark)
        for pid in marked:
            kill(pid)
        if look and (not undecided or time.monotonic() >= deadline):
            return
        time.sleep(_LOOK_S)


def look_for_mark(variable: bytes, mark: bytes) -> tuple[list[int], list[int]]:
    """Return the other processes with the mark, and the new ones that do not show their environment yet."""
    marked, undecided = [], []
    youngest = started_at(Path("/proc/self/stat")) - _A_SECOND_TICKS
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            text = (folder / "environ").read_bytes()
            if any(word.startswith(variable + b"=") and mark in word for word in text.split(b"\0")):
                marked.append(int(folder.name))
            elif not text and started_at(folder / "stat") >= youngest:
                undecided.append(int(folder.name))
    return [pid for pid in marked if pid != os.getpid()], undecided


def started_at(stat: Path) -> int:
    """Return the start time of a process in ticks, or -1 for a kernel thread or a process that has ended."""
    # The process name, in parentheses, may itself contain blanks and parentheses.
    fields = stat.read_bytes().rpartition(b")")[2].split()
    if fields[_STATE] in {b"Z", b"X"} or int(fields[_FLAGS]) & _IS_KERNEL_THREAD:
        return -1
    return int(fields[_STARTED])


if __name__ == "__main__":
    main()
