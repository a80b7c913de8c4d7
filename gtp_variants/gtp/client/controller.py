"""The other side of GTP: sends commands to an engine and reads its answers, whatever the engine does."""

import re
import time
from collections.abc import Callable
from types import TracebackType

from gtp_variants.errors import NotationError, PeerError, PeerGarbled, PeerGone, PeerSilent, Refused
from gtp_variants.gtp.client.channel import ProcessChannel

_DROPPED = bytes([*range(9), *range(11, 32), 127])
_MAX_ANSWER = 16 * 2**20
_BETWEEN_ASKING_S = 0.05
_HEAD = re.compile(rb"([=?])([0-9]*) *")


class GtpController:
    """Speaks GTP to an engine at the other end of a channel, one command at a time.

    `timeout_s` is the deadline of commands that are sent without one of their own. An engine that was silent or
    garbled its answer is not asked again, because what it says next may belong to an earlier command: every further
    `send` raises the same error. An engine that echoes ids (`try_ids`) is sent one with every command, and an answer
    with another one is garbled. `log` is told every command (`> ...`) and answer (`< ...`), a line each, without ids.
    """

    def __init__(
        self, channel: ProcessChannel, *, timeout_s: float = 60.0, log: Callable[[str], None] | None = None
    ) -> None:
        self.channel = channel
        self.timeout_s = timeout_s
        self.log = log
        self._arrived = bytearray()
        self._fault: PeerError | None = None
        self._last_id: int | None = None

    def __enter__(self) -> "GtpController":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(
        self,
        command: str,
        *arguments: object,
        timeout_s: float | None = None,
        meanwhile: Callable[[], str | None] | None = None,
    ) -> str:
        """The answer to a command: its text without the id, lines joined by newlines.

        While it waits, `meanwhile` is asked again and again for a comment to send to the engine, None for nothing.
        Raises Refused for a '?', PeerGone if the engine ended, PeerSilent at the deadline, PeerGarbled for what is no
        GTP answer, and NotationError, with nothing sent, for words that would not reach the engine as they are.
        """
        line = " ".join(map(str, (command, *arguments)))
        if not line.isprintable() or "#" in line or not line.strip():
            raise NotationError(f"{line[:40]!r}: a command is one line without control characters and '#'")
        id = ""
        if self._last_id is not None:
            self._last_id += 1
            id = str(self._last_id)
        succeeded, echoed, text = self._exchange(line, id, timeout_s, meanwhile)
        if id and echoed != id:
            self._fault = PeerGarbled(f"{line!r} was sent with the id {id} and answered with {echoed or 'none'}")
            self._note(f"! {self._fault}")
            raise self._fault
        if not succeeded:
            raise Refused(line, text)
        return text

    def try_ids(self, command: str) -> str | None:
        """The answer to a command, None if it is refused; sent with an id, as all further ones if that is echoed."""
        succeeded, echoed, text = self._exchange(command, "1", None, None)
        if echoed == "1":
            self._last_id = 1
            return text if succeeded else None
        # It took the id for the command, or answers nothing in particular.
        try:
            return self.send(command)
        except Refused:
            return None

    def _exchange(
        self, line: str, id: str, timeout_s: float | None, meanwhile: Callable[[], str | None] | None
    ) -> tuple[bool, str, str]:
        """Send a line with an id, or "" for none: whether it was answered '=', with which id, and with which text."""
        if self._fault is not None:
            raise type(self._fault)(*self._fault.args)
        deadline = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        try:
            self._expect_nothing(line)
            self._note(f"> {line}")
            self.channel.write(f"{id} {line}\n".lstrip().encode())
            succeeded, echoed, text = self._answer(line, deadline, meanwhile)
        except PeerError as error:
            self._fault = error
            self._note(f"! {error}")
            raise
        self._note(f"< {'=' if succeeded else '?'} {text}")
        return succeeded, echoed, text

    def _note(self, text: str) -> None:
        if self.log is not None:
            self.log(text)

    def close(self, grace_s: float | None = None) -> str:
        """End the engine, which may take so long for it, else as long as its channel says; what was wrong with that."""
        how = self.channel.close(grace_s)
        self._fault = self._fault or PeerGone("it was closed")
        return how

    def _expect_nothing(self, line: str) -> None:
        """Nothing may have come since the last answer: it would be taken for the next."""
        taken = 0
        while taken <= _MAX_ANSWER and (chunk := self.channel.read(0)):
            taken += len(chunk)
            self._arrived += _clean(chunk)
        if self._arrived.strip():
            raise PeerGarbled(f"before {line!r} it said, without being asked: {_shorten(self._arrived)}")
        self._arrived.clear()

    def _answer(self, line: str, deadline: float, meanwhile: Callable[[], str | None] | None) -> tuple[bool, str, str]:
        searched = taken = 0
        while True:
            if self._arrived.startswith((b"\n", b" ")):
                self._arrived = self._arrived.lstrip(b"\n ")
            if self._arrived and self._arrived[0] not in b"=?":
                raise PeerGarbled(f"{line!r} was answered {_shorten(self._arrived)}, which is no GTP answer")
            end = self._arrived.find(b"\n\n", max(0, searched - 1))
            if end >= 0:
                answer = bytes(self._arrived[:end])
                del self._arrived[: end + 2]
                return _read(answer)
            searched = len(self._arrived)
            # Counted as it comes: what is dropped takes time as well.
            if taken > _MAX_ANSWER:
                raise PeerGarbled(f"the answer to {line!r} is over {_MAX_ANSWER} bytes long")
            chunk = self._wait(deadline, meanwhile)
            if chunk is None:
                raise PeerSilent(f"{line!r} was not answered in time{_so_far(self._arrived)}")
            if not chunk:
                raise PeerGone(f"it ended before it answered {line!r}{_so_far(self._arrived)}")
            taken += len(chunk)
            self._arrived += _clean(chunk)

    def _wait(self, deadline: float, meanwhile: Callable[[], str | None] | None) -> bytes | None:
        """What comes next, as `ProcessChannel.read` says it."""
        while True:
            left_s = deadline - time.monotonic()
            if meanwhile is None or left_s <= _BETWEEN_ASKING_S:
                return self.channel.read(left_s)
            chunk = self.channel.read(_BETWEEN_ASKING_S)
            if chunk is not None:
                return chunk
            comment = meanwhile()
            if comment is not None:
                self._note(f"> # {comment}")
                self.channel.write(f"# {comment}\n".encode())


def _clean(chunk: bytes) -> bytes:
    """As the GTP draft has a controller do: without CR and other control characters, tabs as blanks."""
    return chunk.translate(None, _DROPPED).replace(b"\t", b" ")


def _read(answer: bytes) -> tuple[bool, str, str]:
    head = _HEAD.match(answer)
    assert head is not None
    text = answer[head.end() :].decode("utf-8", "replace").rstrip()
    # A picture begins on a line of its own, with blanks that count.
    return head[1] == b"=", head[2].decode(), text.removeprefix("\n")


def _shorten(arrived: bytearray) -> str:
    return repr(arrived[:80].decode("utf-8", "replace").rstrip())


def _so_far(arrived: bytearray) -> str:
    return f"; so far it said {_shorten(arrived)}" if arrived else ""
