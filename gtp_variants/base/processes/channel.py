"""Pipes to a GTP engine in a process of its own. They carry bytes and know nothing about GTP."""

import contextlib
import errno
import math
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from gtp_variants.base.processes.orphan_reaper import processes, signal_group
from gtp_variants.base.processes.wall import OPEN, Wall, wall_kind
from gtp_variants.errors import PeerGone, PeerKilled

# Bytes kept from the beginning of an engine's standard error, and bytes kept from its end, which shows its last words.
KEPT_HEAD = 2**20
KEPT_TAIL = 2**16

_CHUNK = 65536
# Signals that end a process only when another program or the system sends them. The others are faults of its own.
SENT_SIGNALS = frozenset(f"signal SIG{name}" for name in ("KILL", "TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "STOP"))
# Maximum number of chunks that wait to be read. The limit blocks engines that flood their output, to save memory.
_WAITING_CHUNKS = 1024
_SHORTEST_LOOK_S = 0.0001
_LONGEST_LOOK_S = 0.005
_LONGEST_POLL_S = 3600.0
# Seconds of silence before checking that the process is still running.
_LOOK_AFTER_S = 0.25
_WRAPPED_SIGNAL = 128
# Maximum seconds to wait for the end of a process whose output has ended. Behind a wall it takes longer to end.
_ENDING_S = 5.0
# Maximum seconds for a process to end after TERM, and for its last words to arrive after its end.
_LAST_WORDS_S = 0.5
# Grace times of processor time for a process that computes, or that waits for a processor, when it is told to quit.
_BUSY = 9


# -- pipes -------------------------------------------------------------------------------------------------------------


class PolledPipes:
    """Pipes that are polled: a command and its answer take a few microseconds. POSIX only."""

    def __init__(self, to: IO[bytes], of: IO[bytes]) -> None:
        self._to, self._of = to, of
        self._unsent = bytearray()
        self._is_ending = False
        for pipe in (to, of):
            os.set_blocking(pipe.fileno(), False)
        self._poll = select.poll()
        self._reading = of.fileno()
        self._poll.register(self._reading, select.POLLIN)

    def write(self, data: bytes) -> None:
        """Send bytes, without waiting until the process reads them."""
        was_waiting = bool(self._unsent)
        self._unsent += data
        if not was_waiting:
            self._send()
            if self._unsent and not self._to.closed:
                self._poll.register(self._to.fileno(), select.POLLOUT)

    def _send(self) -> None:
        """Send as much as the pipe takes. If the process has stopped reading, drop the rest; `read` will notice."""
        try:
            if not self._to.closed:
                del self._unsent[: os.write(self._to.fileno(), self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()

    def read(self, timeout_s: float) -> bytes | None:
        """Return the process's output, b"" if it has closed its output, or None if none came in time."""
        deadline = time.monotonic() + timeout_s
        left_s = max(0.0, timeout_s)
        while True:
            # Round up: a poll of 0 ms would be a busy wait.
            for file, _ in self._poll.poll(math.ceil(min(left_s, _LONGEST_POLL_S) * 1000)):
                if file == self._reading:
                    return os.read(file, _CHUNK)
                self._send()
                if not self._unsent:
                    self._poll.unregister(self._to.fileno())
                    if self._is_ending:
                        self._to.close()
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return None

    def end_input(self) -> None:
        self._is_ending = True
        if not self._unsent:
            self._to.close()

    def close(self) -> None:
        self._to.close()
        self._of.close()


class ThreadedPipes:
    """Pipes with one thread each, for systems whose pipes cannot be polled."""

    def __init__(self, to: IO[bytes], of: IO[bytes]) -> None:
        self._incoming: queue.Queue[bytes] = queue.Queue(_WAITING_CHUNKS)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = _start(_receive, of, self._incoming)
        _start(_transmit, to, self._outgoing)

    def write(self, data: bytes) -> None:
        self._outgoing.put(data)

    def read(self, timeout_s: float) -> bytes | None:
        try:
            chunk = self._incoming.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None
        if not chunk:
            self._incoming.put(b"")
        return chunk

    def end_input(self) -> None:
        self._outgoing.put(None)

    def close(self) -> None:
        self._outgoing.put(None)
        # A child that has left the group may keep the pipes open; do not wait for its output.
        while self._reader.is_alive() and self.read(_LONGEST_LOOK_S):
            pass
        while self.read(0):
            pass
        self._incoming.put(b"")


Pipes = PolledPipes | ThreadedPipes


def _start(work: object, *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def _receive(pipe: IO[bytes], incoming: "queue.Queue[bytes]") -> None:
    with pipe:
        while chunk := os.read(pipe.fileno(), _CHUNK):
            incoming.put(chunk)
    incoming.put(b"")


def _transmit(pipe: IO[bytes], outgoing: "queue.SimpleQueue[bytes | None]") -> None:
    with contextlib.suppress(OSError), pipe:
        while (data := outgoing.get()) is not None:
            while data:
                data = data[os.write(pipe.fileno(), data) :]


class _Keeper:
    """Reads a process's standard error and keeps its beginning and end in a file, created only if there is output."""

    def __init__(self, pipe: IO[bytes], file: Path, is_held: bool) -> None:
        self._file = file
        self._head, self._tail, self._left_out = 0, bytearray(), 0
        self._is_held, self._held = is_held, bytearray()
        self._lock = threading.Lock()
        self._thread = _start(self._read, pipe)

    def _read(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while chunk := os.read(pipe.fileno(), _CHUNK):
                with self._lock:
                    self._take(chunk)
        with self._lock:
            self._finish()

    def _take(self, chunk: bytes) -> None:
        first, rest = chunk[: KEPT_HEAD - self._head], chunk[KEPT_HEAD - self._head :]
        self._head += len(first)
        self._held += first
        if not self._is_held:
            self._write()
        self._tail += rest
        over = max(0, len(self._tail) - KEPT_TAIL)
        self._left_out += over
        del self._tail[:over]

    def _write(self) -> None:
        append_to_log(self._file, bytes(self._held))
        self._held.clear()

    def flush(self) -> None:
        with self._lock:
            self._write()

    def _finish(self) -> None:
        self._write()
        gap = b"\n... %d bytes left out ...\n" % self._left_out if self._left_out else b""
        append_to_log(self._file, gap + self._tail)
        self._head, self._tail, self._left_out = 0, bytearray(), 0

    def turn_to(self, file: Path) -> None:
        with self._lock:
            self._finish()
            self._file = file

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)


def append_to_log(file: Path, text: bytes) -> None:
    """Append text to a file that only its owner may read, as it may tell of hidden stones; a full disk is ignored."""
    with contextlib.suppress(OSError):
        if text:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "wb") as kept:
                kept.write(text)


# -- processes ---------------------------------------------------------------------------------------------------------


class ProcessChannel:
    """An engine as a process in a group of its own, so that ending it ends its children.

    `stderr` is a file to which its standard error is appended, at most about a megabyte. Without a file the engine
    shares our standard error, or with `is_quiet` its own is discarded. With `is_stderr_held` nothing is written until
    `flush_stderr` is called. The engine runs behind `wall`, if there is one. `grace_s` is the time the engine may take
    to end after `farewell`. Raises PeerGone if the program cannot be started. However this process ends, the engine
    ends too.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stderr: Path | None = None,
        is_quiet: bool = False,
        is_stderr_held: bool = False,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        wall: Wall | None = None,
        grace_s: float = 2.0,
        farewell: bytes = b"quit\n",
        pipes: type[PolledPipes] | type[ThreadedPipes] = PolledPipes if os.name == "posix" else ThreadedPipes,
    ) -> None:
        self._grace_s, self._farewell = grace_s, farewell
        self._watchdog = _Watchdog.of_this_process()
        # A wall ends with the status 128 + N if a signal N has ended the engine. Windows has no signals.
        self._is_wrapped = wall is not None and wall_kind() not in OPEN
        environment = os.environ if environment is None else environment
        try:
            walled = command if wall is None else wall.enclose(command, folder, environment)
            self._process = subprocess.Popen(
                list(walled),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if stderr is not None else subprocess.DEVNULL if is_quiet else None,
                cwd=folder,
                env=environment,
                bufsize=0,
                # A session of its own costs 20 us per answer, as Linux schedules sessions as units; behind a wall the
                # engine needs one, so that it cannot type into our terminal.
                start_new_session=self._is_wrapped,
                process_group=0 if os.name == "posix" and not self._is_wrapped else None,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            why = "program not found" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", error)
            # Another player may have used up the processes or the memory of the system.
            kind = PeerKilled if getattr(error, "errno", 0) in (errno.EAGAIN, errno.ENOMEM) else PeerGone
            raise kind(f"cannot start {' '.join(command)!r}: {why}") from error
        self._watchdog.watch(self._process.pid)
        self._has_ended_output = False
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipes: Pipes = pipes(self._process.stdin, self._process.stdout)
        # The finalizer has no reference to this object, so that a forgotten channel is collected and its process ends.
        self._kill = weakref.finalize(self, _kill, self._process, self._pipes, self._watchdog)
        self._keeper = None
        if stderr is not None and self._process.stderr is not None:
            self._keeper = _Keeper(self._process.stderr, stderr, is_stderr_held)

    @property
    def pid(self) -> int:
        """The ID of the process and of its group."""
        return self._process.pid

    def ending(self) -> str:
        """Return the way the process ended, or "" if it is running. The output ends a moment before the process."""
        self._ends_within(_ENDING_S if self._has_ended_output else 0.0)
        code = _exit_code(self._process)
        if code is None:
            return ""
        if self._is_wrapped and code > _WRAPPED_SIGNAL:
            code = _WRAPPED_SIGNAL - code
        return describe_exit(code)

    def interference(self) -> str:
        """Return how another program ended or stopped the process, even if it continued since, or "" if none has."""
        how = self.ending()
        if how:
            return how if how in SENT_SIGNALS else ""
        if not hasattr(os, "WCONTINUED"):
            return ""
        changed = os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
        return "stopped by a signal" if changed is not None or _is_in_state(self.pid, b"Tt") else ""

    def turn_stderr_to(self, file: Path) -> None:
        """Keep standard error from now on in another file, if it is kept at all."""
        if self._keeper is not None:
            self._keeper.turn_to(file)

    def flush_stderr(self) -> None:
        """Write the standard error held back so far into its file."""
        if self._keeper is not None:
            self._keeper.flush()

    def write(self, data: bytes) -> None:
        """Send bytes. If the process has ended, `read` will notice."""
        if self._kill.alive:
            self._pipes.write(data)

    def read(self, timeout_s: float) -> bytes | None:
        """Return the process's output, b"" if it has closed its output, or None if none came in time."""
        if not self._kill.alive:
            return b""
        deadline = time.monotonic() + timeout_s
        while True:
            chunk = self._pipes.read(min(timeout_s, _LOOK_AFTER_S))
            if chunk is not None or timeout_s <= 0:
                self._has_ended_output = chunk == b""
                return chunk
            if _is_gone(self._process):
                # Do not wait longer: the engine's children may keep its output open, but will not answer.
                return self._pipes.read(0) or b""
            timeout_s = deadline - time.monotonic()

    def ends_with_its_input(self, timeout_s: float) -> bool:
        """Close the process's input. Return True if the process ends within this time."""
        self._pipes.end_input()
        return self._ends_within(timeout_s)

    def close(self, grace_s: float | None = None) -> str:
        """End the group: `farewell`, end of input, TERM, KILL. Return "" after a timely exit with 0, else the fault."""
        if not self._kill.alive:
            return ""
        grace_s = self._grace_s if grace_s is None else grace_s
        self._pipes.write(self._farewell)
        self._pipes.end_input()
        busy_s = _processor_time_s(self.pid) + _BUSY * grace_s
        # On a busy computer a process that could run waits for a processor, and /proc is read slowly.
        while not self._ends_within(grace_s) and _is_in_state(self.pid, b"R") and _processor_time_s(self.pid) <= busy_s:
            pass
        if _is_gone(self._process):
            how = "" if _exit_code(self._process) == 0 else f"ended with {self.ending()} when it was told to quit"
        else:
            how = f"did not end within {grace_s:g} s when it was told to quit"
            signal_group(self.pid, "SIGTERM")
            self._ends_within(min(grace_s, _LAST_WORDS_S))
        self._kill()
        if self._keeper is not None:
            # Let the keeper read the last output, but not for ever: a child outside the group may keep the pipe open.
            self._keeper.join(min(grace_s, _LAST_WORDS_S))
        return how

    def kill(self) -> None:
        """Kill the process and its children at once, from any thread. A waiting `read` returns."""
        if self._kill.alive:
            signal_group(self.pid)

    def _ends_within(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        look_s = _SHORTEST_LOOK_S
        while not _is_gone(self._process):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return False
            # Read the last output of the process, so that a full pipe does not block the process.
            if self._pipes.read(min(look_s, left_s)) == b"":
                time.sleep(min(look_s, left_s))
            look_s = min(2 * look_s, _LONGEST_LOOK_S)
        return True


def _is_gone(process: "subprocess.Popen[bytes]") -> bool:
    """Return True if the process has ended. It is not reaped, so that its process ID is not reused."""
    return _exit_code(process) is not None


def _exit_code(process: "subprocess.Popen[bytes]") -> int | None:
    """Return the exit status, negative for a signal, or None if the process is running; do not reap it."""
    if process.returncode is not None:
        return process.returncode
    if sys.platform == "win32" or not hasattr(os, "waitid"):
        return process.poll()
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if ended is None:
        return None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def describe_exit(status: int) -> str:
    """Return an exit status in words, such as "exit status 3", or "signal SIGKILL" for -9."""
    if status >= 0:
        return f"exit status {status}"
    return f"signal {signal.Signals(-status).name}" if -status in set(signal.Signals) else f"signal {-status}"


def _is_in_state(group: int, states: bytes) -> bool:
    """Return True if a process of a group is in one of these states of proc(5)."""
    return any(state in states and int(its_group) == group for _, (state, _, its_group, *_) in processes())


def _processor_time_s(group: int) -> float:
    """Return the processor time of a group: of its processes, and of their children that have ended."""
    ticks = sum(sum(map(int, fields[11:15])) for _, fields in processes() if int(fields[2]) == group)
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def _kill(process: "subprocess.Popen[bytes]", pipes: Pipes, watchdog: "_Watchdog") -> None:
    """Kill the process and its children, if any of them are left."""
    signal_group(process.pid)
    process.wait()
    watchdog.forget(process.pid)
    pipes.close()


class _Watchdog:
    """The helper process that ends our engines when this process ends: see `orphan_reaper.py`. Each process has one."""

    _ours: "tuple[int, _Watchdog] | None" = None
    _lock = threading.Lock()

    def __init__(self) -> None:
        self._watched: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._busy = threading.RLock()

    @classmethod
    def of_this_process(cls) -> "_Watchdog":
        """Return the watchdog of this process. A fork needs its own."""
        with cls._lock:
            if cls._ours is None or cls._ours[0] != os.getpid():
                cls._ours = (os.getpid(), cls())
            return cls._ours[1]

    def watch(self, pid: int) -> None:
        with self._busy:
            self._watched.add(pid)
            if self._process is None or not self._say(f"+{pid}"):
                self._start()

    def forget(self, pid: int) -> None:
        with self._busy:
            self._watched.discard(pid)
            self._say(f"-{pid}")

    def _start(self) -> None:
        """Start the watchdog, or start it again if it was killed."""
        program = Path(__file__).with_name("orphan_reaper.py")
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=program.parent,
                bufsize=0,
                start_new_session=True,
            )
            weakref.finalize(self, _dismiss, self._process)
            for pid in self._watched:
                self._say(f"+{pid}")

    def _say(self, line: str) -> bool:
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            return False
        return True


def _dismiss(watchdog: "subprocess.Popen[bytes]") -> None:
    """Close the watchdog's input and reap it."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        watchdog.communicate(timeout=1)
