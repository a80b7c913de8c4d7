"""A helper process that kills everything its child, the ward, leaves behind, even daemons with empty environments.

On Linux a process whose parent ends becomes a child of the nearest ancestor that is a subreaper. The guardian is a
subreaper, so all descendants of an engine remain descendants of the guardian, even with a session and an environment of
their own. The ward dies with the guardian (PR_SET_PDEATHSIG; the guardian has one thread).

The guardian reads a pipe, the lifeline, from the process that started it. When the lifeline closes, the ward has a
moment to end by itself; when a byte arrives, the ward is killed at once. SIGUSR1 asks the guardian to kill the orphans,
once no engine is left that they could belong to. The guardian ends with the ward's exit status or signal.

Usage: python -I -S guardian.py LIFELINE WARD...; LIFELINE is a file descriptor. This program imports nothing from this
package.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
# Seconds for the ward to end its engines and itself after the lifeline has closed.
_GRACE_S = 2.0
# Seconds to wait for a process that cannot be killed because it waits for a disk.
_PATIENCE_S = 5.0
_LOOK_S = 0.005
_MOST_FILES = 1 << 16


class GuardedProcess:
    """A process with pipes to its input and output. On Linux it runs under a guardian.

    It has a session of its own, because Ctrl-C is meant for the process that started it. It inherits `files`.
    """

    def __init__(self, command: Sequence[str], files: Sequence[int] = ()) -> None:
        self._lifeline = -1
        self._lock = Lock()
        guard: list[str] = []
        theirs = -1
        if is_guarded():
            theirs, self._lifeline = os.pipe()
            guard = [sys.executable, "-I", "-S", str(Path(__file__).absolute()), str(theirs)]
            files = [*files, theirs]
        self._process = subprocess.Popen(
            [*guard, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            pass_fds=tuple(files),
        )
        if guard:
            os.close(theirs)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin, self.stdout = self._process.stdin, self._process.stdout

    @property
    def pid(self) -> int:
        """The ID of the started process: on Linux the guardian's."""
        return self._process.pid

    def kill(self) -> None:
        """Kill the process and everything it has started, at once."""
        if not is_guarded():
            self._process.kill()
            return
        # The lock keeps the lifeline from being closed and its file descriptor from being reused.
        with self._lock, suppress(OSError):
            os.write(self._lifeline, b"k")

    def wait(self, timeout_s: float = _PATIENCE_S) -> int:
        """Return the exit status, negative for a signal. A process that does not end in time is killed."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
        try:
            return self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            # The guardian itself is stopped; the ward dies with it.
            self._process.kill()
            return self._process.wait()

    def close(self) -> None:
        """Close the pipes, after the process has ended."""
        for pipe in (self.stdin, self.stdout):
            # Unsent bytes are lost.
            with suppress(OSError):
                pipe.close()
        with self._lock:
            if self._lifeline >= 0:
                os.close(self._lifeline)
                self._lifeline = -1


def is_guarded() -> bool:
    """Return True if a `GuardedProcess` has a guardian on this system."""
    return sys.platform == "linux"


def end_strays() -> None:
    """Ask this process's guardian to kill orphans. Call it only when no engine that could own them is running."""
    with suppress(OSError):
        os.kill(os.getppid(), signal.SIGUSR1)


# -- the guardian itself -----------------------------------------------------------------------------------------------


def main(lifeline: int, command: list[str]) -> None:
    """Start the ward, wait until it ends or the lifeline closes, and kill what the ward has left behind."""
    import ctypes

    control = ctypes.CDLL(None).prctl
    control(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # The ward's files, which hold secrets of games, are open in this process until they are closed below.
    control(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(signal.Signals[name], signal.SIG_IGN)
    woken, waker = os.pipe()
    for end in (woken, waker):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for name in ("SIGCHLD", "SIGUSR1"):
        signal.signal(signal.Signals[name], lambda *about: None)
    ward = os.fork()
    if ward == 0:
        os.close(lifeline)
        control(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(signal.Signals[name], signal.SIG_DFL)
        os.execv(command[0], command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1):
        # A copy left open here would hide the end of the ward's pipes.
        os.dup2(nothing, file)
    kept = sorted((lifeline, woken, waker))
    for first, last in zip([2, *kept], [*kept, _MOST_FILES], strict=True):
        os.closerange(first + 1, last)
    status = watch(ward, lifeline, woken)
    end_orphans(0)
    leave_as(status)


def watch(ward: int, lifeline: int, woken: int) -> int:
    """Wait until the ward has ended; return its status as `os.waitpid` gives it."""
    poll, deadline = select.poll(), None
    poll.register(lifeline, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        left_ms = None if deadline is None else max(0.0, 1000 * (deadline - time.monotonic()))
        ready = [file for file, _ in poll.poll(left_ms)]
        if lifeline in ready:
            # A byte means: end at once. The end of the lifeline means that nobody is waiting for a game any more.
            said = os.read(lifeline, 1)
            deadline = time.monotonic() + (0 if said else _GRACE_S)
            poll.unregister(lifeline)
        if woken in ready:
            with suppress(BlockingIOError):
                if signal.SIGUSR1 in os.read(woken, 4096):
                    end_orphans(ward)
        status = bury(ward)
        if status is not None:
            return status
        if deadline is not None and time.monotonic() >= deadline:
            os.kill(ward, signal.SIGKILL)
            return os.waitpid(ward, 0)[1]


def bury(ward: int) -> int | None:
    """Reap the children that have ended. Return the ward's status, or None if it is still running."""
    found = None
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == ward:
                found = status
    return found


def end_orphans(ward: int) -> None:
    """Kill every child except the ward, and the processes that become children of the guardian as a result."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        orphans = [pid for pid in children() if pid != ward]
        if not orphans:
            return
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)
        for pid in orphans:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def children() -> list[int]:
    """Return the process IDs of our children."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            # The process name, in parentheses, may itself contain blanks and parentheses.
            _, parent = file.read_bytes().rpartition(b")")[2].split()[:2]
            if int(parent) == os.getpid():
                found.append(int(file.parent.name))
    return found


def leave_as(status: int) -> None:
    """End this process in the same way as the ward ended."""
    if os.WIFSIGNALED(status):
        import resource

        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 255)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
