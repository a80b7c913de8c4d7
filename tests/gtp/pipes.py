"""An engine as a host has it: on pipes, spoken to without waiting, its words read as they come."""

import os
import subprocess
import threading
from pathlib import Path
from typing import IO

from tests.support.programs import COMMAND

_DEADLINE_S = 60


class Process:
    """An engine process. `log` is the file that receives its standard error."""

    def __init__(self, *arguments: str, log: Path | None = None) -> None:
        command = [*COMMAND, "gtp", *arguments]
        self._log: IO[bytes] | None = None if log is None else log.open("wb")
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if self._log is None else self._log,
            bufsize=0,
        )
        self.heard = b""

    def send(self, sent: bytes) -> None:
        """Say something, whether or not it is the engine's turn to speak."""
        assert self.process.stdin is not None
        self.process.stdin.write(sent)

    def until(self, wanted: bytes) -> bytes:
        """Return the output up to and including the wanted bytes."""
        while wanted not in self.heard:
            self._hear()
        end = self.heard.index(wanted) + len(wanted)
        found, self.heard = self.heard[:end], self.heard[end:]
        return found

    def answers(self, count: int) -> list[str]:
        """Return the next answers, without the empty lines between them."""
        return [self.until(b"\n\n").decode()[:-2] for _ in range(count)]

    def _hear(self) -> None:
        assert self.process.stdout is not None
        # A process that says nothing is ended, so that a test fails instead of waiting for ever.
        watchdog = threading.Timer(_DEADLINE_S, self.process.kill)
        watchdog.start()
        chunk = os.read(self.process.stdout.fileno(), 65536)
        watchdog.cancel()
        assert chunk, self.heard[-200:]
        self.heard += chunk

    def close(self) -> None:
        """End it by the end of its input, as GoGui does."""
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            if pipe is not None:
                pipe.close()
        assert self.process.wait(timeout=_DEADLINE_S) == 0
