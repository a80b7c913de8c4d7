"""Our end of the connection to a bot's process: requests with deadlines, and answers that are not trusted."""

import json
import os
import pickle
import sys
import time
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.channel import KILLED, ProcessChannel
from gtp_variants.base.processes.hidden_variables import empty_secrets
from gtp_variants.errors import BotFailed, ConfigError, NotationError, PeerGarbled, PeerGone, PeerKilled, PeerSilent
from gtp_variants.players.isolated.description import protect_memory
from gtp_variants.records.record import printable

_MAIN = """\
import os, sys
sys.path[:] = sys.argv.pop(1).split(os.pathsep)
from gtp_variants.players.isolated.worker import main
main()
"""
# Maximum length of an answer, in bytes.
_MAX_ANSWER = 2**20
_MOST_SAID = 1000
# Seconds that a process has to end after its input closes, and again after SIGTERM.
_GRACE_S = 0.5


class BotProcess:
    """A process that runs one bot at a time and uses this process's module path.

    `stderr` is the file that receives what the bot prints, by default our own standard error. Environment variables
    that look like secrets are emptied. Raises PeerGone if the process cannot be started.
    """

    def __init__(self, stderr: Path | None = None) -> None:
        protect_memory()
        self._channel = ProcessChannel(
            [sys.executable, "-P", "-c", _MAIN, os.pathsep.join(sys.path)],
            stderr=stderr,
            is_stderr_held=True,
            environment={**os.environ, **empty_secrets()},
            grace_s=_GRACE_S,
            farewell=b"",
        )
        self._arrived = bytearray()

    def turn_stderr_to(self, file: Path) -> None:
        """From now on write what the bot prints to another file, if its output is kept at all."""
        self._channel.turn_stderr_to(file)

    def flush_stderr(self) -> None:
        """Write the held-back output to its file. Holding it back keeps it from other players during a game."""
        self._channel.flush_stderr()

    def request(self, method: str, *arguments: object, timeout_s: float) -> object:
        """Call a method of the worker. Raises BotFailed for an error in the bot, or another PeerError."""
        answer = self._exchange(method, *arguments, timeout_s=timeout_s)
        if "failure" in answer:
            raise BotFailed(shorten(answer["failure"]))
        return answer.get("answer")

    def set_up(self, method: str, *arguments: object, timeout_s: float) -> object:
        """Call a method that loads or sets something. Raises ConfigError, NotationError or PeerError."""
        answer = self._exchange(method, *arguments, timeout_s=timeout_s)
        if isinstance(faults := answer.get("faults"), list):
            raise ConfigError([shorten(fault) for fault in faults])
        if "refusal" in answer:
            raise NotationError(shorten(answer["refusal"]))
        if "failure" in answer:
            raise BotFailed(shorten(answer["failure"]))
        return answer.get("answer")

    def close(self) -> None:
        """End the process and every process that it started."""
        self._channel.close()

    def kill(self) -> None:
        """End the process at once. Any thread may call this. A caller that is waiting gets PeerKilled or PeerGone."""
        self._channel.kill()

    def _exchange(self, method: str, *arguments: object, timeout_s: float) -> Json:
        deadline = time.monotonic() + timeout_s
        if self._arrived:
            raise PeerGarbled("it sent output that was not asked for")
        self._channel.write(pickle.dumps((method, *arguments), pickle.HIGHEST_PROTOCOL))
        while not self._arrived.endswith(b"\n"):
            chunk = self._channel.read(deadline - time.monotonic())
            if chunk is None:
                raise PeerSilent(f"no answer in {timeout_s:.3f} s")
            if not chunk:
                how = self._channel.ending()
                kind = PeerKilled if how == KILLED else PeerGone
                raise kind(f"it ended its process ({how})" if how else "it closed its output")
            self._arrived += chunk
            if len(self._arrived) > _MAX_ANSWER:
                raise PeerGarbled(f"its answer is longer than {_MAX_ANSWER} bytes")
        line = bytes(self._arrived)
        self._arrived.clear()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise PeerGarbled(f"expected a JSON object, got {line[:80]!r}")
        return answer


def shorten(said: object) -> str:
    """Return a bot's text as one line that is safe to show in a report or a terminal."""
    return printable(str(said))[:_MOST_SAID]
