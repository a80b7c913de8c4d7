"""The way to a GTP engine: a process of its own, or an engine in this process. Bytes out, bytes in; no GTP in it."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from gtp_variants.errors import PeerGone

_CHUNK = 65536
# So many chunks may wait to be read; an engine that floods its output is held up, not this process's memory.
_WAITING_CHUNKS = 1024
_LOOK_EVERY_S = 0.005


class Channel(Protocol):
    """Two streams of bytes. Neither method waits longer than it is told to."""

    def write(self, data: bytes) -> None:
        """Send bytes, without waiting until the other side reads them."""
        ...

    def read(self, timeout_s: float) -> bytes | None:
        """What has arrived, b"" if the other side has ended, None if nothing arrives in time."""
        ...

    def close(self) -> None:
        """End the other side. May be called again."""
        ...


class Engine(Protocol):
    """Whatever answers GTP lines, such as `GtpEngine`."""

    def answer(self, line: bytes) -> bytes | None: ...


class InProcessChannel:
    """An engine in this process. It answers while it is written to, so no deadline can interrupt it."""

    def __init__(self, engine: Engine) -> None:
        self._engine: Engine | None = engine
        self._answers = b""

    def write(self, data: bytes) -> None:
        """Let the engine answer every line of the data."""
        for line in data.splitlines(keepends=True) if self._engine else ():
            self._answers += self._engine.answer(line) or b"" if self._engine else b""

    def read(self, timeout_s: float) -> bytes | None:
        """The answers to what was written; None at once where there are none, since none will come."""
        answers, self._answers = self._answers, b""
        return answers or (None if self._engine else b"")

    def close(self) -> None:
        """Let go of the engine."""
        self._engine = None


class ProcessChannel:
    """An engine as a process in a session of its own, so that ending it ends all it started.

    `stderr` is a file that its standard error is added to; without one it shares ours. `grace_s` is how long it may
    take to end after `quit`, and again after TERM. Raises PeerGone if the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stderr: Path | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        grace_s: float = 2.0,
    ) -> None:
        self._grace_s = grace_s
        try:
            with stderr.open("ab") if stderr is not None else contextlib.nullcontext() as errors:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    cwd=folder,
                    env=None if environment is None else dict(environment),
                    bufsize=0,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            raise PeerGone(f"{' '.join(command)}: cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._incoming: queue.Queue[bytes] = queue.Queue(_WAITING_CHUNKS)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # The threads know queues and pipes but not this object: a forgotten channel is collected and ends its process.
        self._reader = _start(_receive, self._process.stdout, self._incoming)
        self._writer = _start(_transmit, self._process.stdin, self._outgoing)
        self._kill = weakref.finalize(self, _kill, self._process, self._outgoing)

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group as well."""
        return self._process.pid

    def write(self, data: bytes) -> None:
        """Send bytes; if the process has ended `read` will say so."""
        self._outgoing.put(data)

    def read(self, timeout_s: float) -> bytes | None:
        """What the process wrote, b"" if it closed its output, None if it wrote nothing in time."""
        try:
            chunk = self._incoming.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None
        if not chunk:
            self._incoming.put(b"")
        return chunk

    def close(self) -> None:
        """End the process and all it started: by `quit` and the end of its input, else by TERM, else by KILL."""
        if not self._kill.alive:
            return
        self._outgoing.put(b"quit\n")
        self._outgoing.put(None)
        if not self._ends_within(self._grace_s):
            _signal(self._process, "SIGTERM")
            self._ends_within(self._grace_s)
        self._kill()
        # A child that left the session may keep the pipes open; its words are not waited for.
        deadline = time.monotonic() + self._grace_s
        while self._reader.is_alive() and time.monotonic() < deadline:
            self._drop_one()
            self._reader.join(_LOOK_EVERY_S)
        while self._drop_one():
            pass
        self._incoming.put(b"")

    def _ends_within(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while not _has_ended(self._process):
            if time.monotonic() >= deadline:
                return False
            # Its last words must not hold it up.
            while self._drop_one():
                pass
            time.sleep(_LOOK_EVERY_S)
        return True

    def _drop_one(self) -> bool:
        try:
            self._incoming.get_nowait()
        except queue.Empty:
            return False
        return True


def _start(work: object, *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def _receive(pipe: BinaryIO, incoming: "queue.Queue[bytes]") -> None:
    with pipe:
        while chunk := os.read(pipe.fileno(), _CHUNK):
            incoming.put(chunk)
    incoming.put(b"")


def _transmit(pipe: BinaryIO, outgoing: "queue.SimpleQueue[bytes | None]") -> None:
    with contextlib.suppress(OSError), pipe:
        while (data := outgoing.get()) is not None:
            while data:
                data = data[os.write(pipe.fileno(), data) :]


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether the process has ended, without burying it: until then nobody else can be given its number."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def _signal(process: "subprocess.Popen[bytes]", name: str) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.Signals[name])


def _kill(process: "subprocess.Popen[bytes]", outgoing: "queue.SimpleQueue[bytes | None]") -> None:
    """Kill whatever is left of the process and its children."""
    outgoing.put(None)
    _signal(process, "SIGKILL")
    process.wait()
