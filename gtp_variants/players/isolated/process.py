"""The other end of a process that a bot plays in: requests with a deadline, and answers that are not trusted."""

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
# A bot's answers are short.
_MAX_ANSWER = 2**20
_MOST_SAID = 1000
# How long a process may take to end when its input does, and again after TERM.
_GRACE_S = 0.5


class BotProcess:
    """A process for one bot at a time, which finds the modules that this process finds.

    `stderr` is a file for what the bot prints; without one it goes where ours goes. What looks like a password in our
    environment it does not get. Raises PeerGone if it cannot be started.
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

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._channel.pid

    def turn_stderr_to(self, file: Path) -> None:
        """Keep what the bot prints from now on in another file, if it is kept at all."""
        self._channel.turn_stderr_to(file)

    def flush_stderr(self) -> None:
        """Write what the bot printed into the file for it: while a game goes on others could read it there."""
        self._channel.flush_stderr()

    def request(self, method: str, *arguments: object, timeout_s: float) -> object:
        """What a method of the worker's answers.

        Raises BotFailed for an error of the bot, PeerGone, PeerSilent, PeerGarbled; after the last three the process
        must be closed.
        """
        answer = self._exchange(method, *arguments, timeout_s=timeout_s)
        if "failure" in answer:
            raise BotFailed(shorten(answer["failure"]))
        return answer.get("answer")

    def set_up(self, method: str, *arguments: object, timeout_s: float) -> object:
        """What a method answers that loads or sets something. Raises ConfigError, NotationError, PeerError."""
        answer = self._exchange(method, *arguments, timeout_s=timeout_s)
        if isinstance(faults := answer.get("faults"), list):
            raise ConfigError([shorten(fault) for fault in faults])
        if "refusal" in answer:
            raise NotationError(shorten(answer["refusal"]))
        if "failure" in answer:
            raise BotFailed(shorten(answer["failure"]))
        return answer.get("answer")

    def close(self) -> None:
        """End the process and all it started."""
        self._channel.close()

    def kill(self) -> None:
        """End the process at once, from any thread; who waits for its answer finds it gone."""
        self._channel.kill()

    def _exchange(self, method: str, *arguments: object, timeout_s: float) -> Json:
        deadline = time.monotonic() + timeout_s
        if self._arrived:
            raise PeerGarbled("it said more than it was asked")
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
                raise PeerGarbled(f"an answer of more than {_MAX_ANSWER} bytes")
        line = bytes(self._arrived)
        self._arrived.clear()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise PeerGarbled(f"answered {line[:80]!r}, which is no answer of a bot")
        return answer


def shorten(said: object) -> str:
    """Words of a bot's as a line for a report or a terminal, which they must not be able to steer."""
    return printable(str(said))[:_MOST_SAID]
