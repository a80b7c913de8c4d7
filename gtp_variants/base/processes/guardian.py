"""A helper process that starts a worker, its ward, by a fork and kills everything that the ward leaves behind.

Anything that a program of the same user has once opened in another's memory stays open to it. A process is readable
from its start until it protects itself. The guardian protects itself before it imports anything, and starts each ward
by a fork: a ward, which holds secrets of games, is protected from its first instruction.

On Linux a process whose parent ends becomes a child of the nearest ancestor that is a subreaper. The guardian is a
subreaper, so all descendants of an engine, even daemons with empty environments, remain descendants of the guardian.
The ward dies with the guardian (PR_SET_PDEATHSIG; the guardian has one thread).

The guardian has a socket to the process that started it. START comes with the ends of two pipes and asks for a ward;
KILL ends the ward at once. When a ward has ended, the guardian answers with its exit status, negative for a signal. A
ward that was stopped by a signal is killed, and answered for with that signal. When the socket closes, the ward has a
moment to end by itself. SIGUSR1, from the ward, asks the guardian to kill the orphans.
"""

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import IO

from gtp_variants.base.processes.orphan_reaper import processes

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
# Protects itself as `secrecy.protect_memory` does, but before it imports anything else.
_MAIN = """\
import sys
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
sys.path.insert(0, sys.argv[1].removesuffix("gtp_variants/base/processes/guardian.py"))
from gtp_variants.base.processes.guardian import main
main(*sys.argv[2:])
"""
START, KILL = b"s", b"k"
_STATUS = struct.Struct("<i")
# Seconds for the ward to end its engines and itself after the socket has closed.
_GRACE_S = 2.0
# Seconds to wait for a process that cannot be killed because it waits for a disk.
_PATIENCE_S = 5.0
_LOOK_S = 0.005


class GuardedProcess:
    """A process that calls `main` of a module with some arguments. On Linux it runs under a guardian.

    It has a session of its own, because Ctrl-C is meant for the process that started it. It inherits `files`. It can be
    started again once it has ended. `stdin` and `stdout` are pipes to it.
    """

    stdin: IO[bytes]
    stdout: IO[bytes]

    def __init__(self, module: str, arguments: Sequence[str], files: Sequence[int] = ()) -> None:
        self._call = [module, *arguments]
        self._files = tuple(files)
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        # True between `start` and `wait`, which two threads may call.
        self.is_running = False
        self._status = 0
        self._waiting = Lock()
        if sys.platform == "linux":
            self._start_guardian()

    def _start_guardian(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = self._run([str(theirs.fileno()), *self._call], subprocess.DEVNULL, theirs.fileno())
        self._socket = ours

    def _run(self, arguments: Sequence[str], pipes: int, *files: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _MAIN, Path(__file__).resolve().as_posix(), *arguments],
            stdin=pipes,
            stdout=pipes,
            start_new_session=True,
            pass_fds=(*self._files, *files),
        )

    def start(self) -> None:
        """Start the process, which must not be running."""
        self.is_running = True
        if self._socket is None:
            self._process = self._run(["", *self._call], subprocess.PIPE)
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self.stdin, self.stdout = self._process.stdin, self._process.stdout
            return
        to_read, to_write = os.pipe(), os.pipe()
        self.stdin, self.stdout = os.fdopen(to_read[1], "wb"), os.fdopen(to_write[0], "rb")
        theirs = to_read[0], to_write[1]
        try:
            socket.send_fds(self._socket, [START], theirs)
        except OSError:
            # Start another guardian, because somebody has killed this one.
            self._end_guardian()
            self._start_guardian()
            socket.send_fds(self._socket, [START], theirs)
        finally:
            for file in theirs:
                os.close(file)

    def kill(self) -> None:
        """Kill the process and everything it has started, at once. Any thread may call this."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.send(KILL)
        elif self._process is not None:
            self._process.kill()

    def wait(self, timeout_s: float = _PATIENCE_S) -> int:
        """Return the exit status, negative for a signal. A process that does not end in time is killed."""
        with self._waiting:
            if self.is_running:
                self._status = self._end(timeout_s)
                self.is_running = False
                for pipe in (self.stdin, self.stdout):
                    # Ignore that unsent bytes cannot be written: the process has ended.
                    with suppress(OSError):
                        pipe.close()
            return self._status

    def _end(self, timeout_s: float) -> int:
        for patience_s in (timeout_s, _GRACE_S):
            status = self._wait(patience_s)
            if status is not None:
                return status
            self.kill()
        # The guardian itself is stopped; the ward dies with it.
        self._end_guardian()
        return -signal.SIGKILL

    def _wait(self, timeout_s: float) -> int | None:
        assert self._process is not None
        if self._socket is None:
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(timeout_s)
            return None
        self._socket.settimeout(timeout_s)
        try:
            said = self._socket.recv(_STATUS.size)
        except TimeoutError:
            return None
        except OSError:
            said = b""
        return int(_STATUS.unpack(said)[0]) if said else -signal.SIGKILL

    def _end_guardian(self, timeout_s: float = 0.0) -> None:
        """End the guardian, or without one the process itself. Kill it if it does not end in time."""
        assert self._process is not None
        if self._socket is not None:
            self._socket.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the guardian, once the process has ended."""
        if self._socket is not None:
            self._end_guardian(_PATIENCE_S)


def end_strays() -> None:
    """Ask the guardian of this `GuardedProcess`, if any, to kill orphans. Call it only while no engine may own them."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.kill(os.getppid(), signal.SIGUSR1)


# -- the guardian itself -----------------------------------------------------------------------------------------------


class _Guardian:
    """The guardian's side: at most one ward at a time."""

    def __init__(self, control: socket.socket) -> None:
        self._socket = control
        self._ward = 0
        self._status: int | None = None
        woken, waker = os.pipe()
        for end in (woken, waker):
            os.set_blocking(end, False)
        self._woken = woken
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for name in ("SIGCHLD", "SIGUSR1"):
            signal.signal(signal.Signals[name], lambda *about: None)

    def serve(self) -> bool:
        """Serve until the socket closes. Return True in a ward, which has been forked, and False in the guardian."""
        poll = select.poll()
        deadline: float | None = None
        poll.register(self._socket.fileno(), select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while deadline is None or self._ward:
            left_ms = None if deadline is None else max(0.0, 1000 * (deadline - time.monotonic()))
            ready = [file for file, _ in poll.poll(left_ms)]
            if self._socket.fileno() in ready:
                said, files, _, _ = socket.recv_fds(self._socket, 1, 2)
                if said == START and self._fork(files):
                    return True
                if said == KILL:
                    self._kill()
                if not said:
                    deadline = time.monotonic() + _GRACE_S
                    poll.unregister(self._socket.fileno())
            if self._woken in ready:
                with suppress(BlockingIOError):
                    if signal.SIGUSR1 in os.read(self._woken, 4096):
                        end_orphans(self._ward)
            if deadline is not None and time.monotonic() >= deadline:
                self._kill()
            self._bury()
        end_orphans(0)
        return False

    def _fork(self, files: Sequence[int]) -> bool:
        self._status = None
        self._ward = os.fork()
        for number, file in enumerate(files):
            if not self._ward:
                os.dup2(file, number)
            os.close(file)
        return not self._ward

    def _kill(self) -> None:
        if self._ward:
            os.kill(self._ward, signal.SIGKILL)

    def _bury(self) -> None:
        """Reap the children that have ended, and answer for the ward if it is among them."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
                if pid == 0:
                    return
                if pid != self._ward:
                    continue
                if os.WIFSTOPPED(status):
                    self._status = -os.WSTOPSIG(status)
                    self._kill()
                    continue
                self._ward = 0
                end_orphans(0)
                said = os.waitstatus_to_exitcode(status) if self._status is None else self._status
                with suppress(OSError):
                    self._socket.send(_STATUS.pack(said))


def main(number: str, module: str, *arguments: str) -> None:
    """Guard wards that run `module`; if the socket's `number` is "", run `module` in this process."""
    if number:
        import ctypes

        control = ctypes.CDLL(None).prctl
        control(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(signal.Signals[name], signal.SIG_IGN)
        with socket.socket(fileno=int(number)) as ours:
            if not _Guardian(ours).serve():
                return
        signal.set_wakeup_fd(-1)
        control(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD", "SIGUSR1"):
            signal.signal(signal.Signals[name], signal.SIG_DFL)
    import_module(module).main(*arguments)


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
    return [pid for pid, (_, parent, *_) in processes() if int(parent) == os.getpid()]
