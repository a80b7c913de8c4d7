"""A helper program that kills the engines of a process that died before it could end them, even by SIGKILL.

It reads lines `+PID` and `-PID` on its input: the leader of a process group that lives, and of one that was ended. At
the end of the input, which comes however the other side ends, it kills what is left: the groups, and on Linux every
process that carries our mark in its environment, wherever it went.

A signal at the death of the parent (PR_SET_PDEATHSIG) would come when the thread ends that started the engine, would
not reach what the engine started, and would need code between fork and exec, which costs 4 ms an engine.

Usage: python -I -S orphan_reaper.py VARIABLE MARK. It imports nothing of ours, so that it starts at once.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def main() -> None:
    """Remember groups until the input ends, then kill those that are left."""
    variable, mark = (word.encode() for word in sys.argv[1:3])
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    left: set[int] = set()
    for line in sys.stdin:
        if not line.endswith("\n"):
            # Half a number would be another process.
            break
        pid = int(line[1:])
        if line[0] == "+":
            left.add(pid)
        else:
            left.discard(pid)
    for pid in left:
        kill_group(pid)
    # Twice: what is killed first may just have started another.
    for _ in range(2):
        for pid in find_marked_processes(variable, mark) if sys.platform == "linux" else ():
            kill(pid)


def kill_group(pid: int) -> None:
    """Kill a process and what it started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def kill(pid: int) -> None:
    """Kill one process, if it still lives."""
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def find_marked_processes(variable: bytes, mark: bytes) -> list[int]:
    """The processes, but for this one, that were started with the mark among the words of an environment variable."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if any(text.startswith(variable + b"=") and mark in text for text in variables):
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


if __name__ == "__main__":
    main()
