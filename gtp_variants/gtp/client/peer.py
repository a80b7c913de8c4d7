"""An external GTP engine: its commands, answers and analyses, and the lines that it has been sent."""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants import errors
from gtp_variants.base.interruption import ShouldStop
from gtp_variants.base.json_values import Json, parse_json
from gtp_variants.base.processes.channel import ProcessChannel, append_to_log
from gtp_variants.base.processes.secrecy import protect_memory
from gtp_variants.base.processes.wall import WALL, Wall

_DROPPED = bytes([*range(9), *range(11, 32), 127])
_MAX_ANSWER = 16 * 2**20
_BETWEEN_ASKING_S = 0.05
_HEAD = re.compile(rb"([=?])([0-9]*) *")


class GtpController:
    """Sends GTP commands to an engine over a channel, one at a time.

    `timeout_s` is the default time limit. After a missing or garbled answer every `send` raises the same error, because
    the next text may belong to an earlier command. If the engine echoes ids (`try_ids`), each command carries an id,
    and an answer with a different id counts as garbled. `log` receives every command (`> ...`) and every answer
    (`< ...`), one per line and without ids.
    """

    def __init__(
        self, channel: ProcessChannel, *, timeout_s: float = 60.0, log: Callable[[str], None] | None = None
    ) -> None:
        self.channel = channel
        self.timeout_s = timeout_s
        self.log = log
        self._arrived = bytearray()
        self._fault: errors.PeerError | None = None
        self._last_id: int | None = None

    def __enter__(self) -> "GtpController":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(
        self,
        command: str,
        *arguments: object,
        timeout_s: float | None = None,
        meanwhile: Callable[[], str | None] | None = None,
    ) -> str:
        """Send a command and return its answer without the id. Several lines are joined by newlines.

        During the wait, `meanwhile` is polled for a comment to send to the engine. Raises Refused for a '?', PeerGone
        if the engine has ended, PeerSilent at the deadline, and PeerGarbled for an invalid answer. A command that is
        not a printable line is not sent, and raises NotationError.
        """
        line = " ".join(map(str, (command, *arguments)))
        if not line.isprintable() or "#" in line or not line.strip():
            raise errors.NotationError(f"{line[:40]!r}: a command is one line without control characters or '#'")
        id = ""
        if self._last_id is not None:
            self._last_id += 1
            id = str(self._last_id)
        succeeded, echoed, text = self._exchange(line, id, timeout_s, meanwhile)
        if id and echoed != id:
            self._fault = errors.PeerGarbled(f"{line!r} was sent with the id {id} and answered with {echoed or 'none'}")
            self._note(f"! {self._fault}")
            raise self._fault
        if not succeeded:
            raise errors.Refused(line, text)
        return text

    def try_ids(self, command: str) -> str | None:
        """Send a command with an id, and use ids if the engine echoes it. Return the answer, or None if refused."""
        succeeded, echoed, text = self._exchange(command, "1", None, None)
        if echoed == "1":
            self._last_id = 1
            return text if succeeded else None
        # The engine mistook the id for the command, or does not echo ids, so send the command again without an id.
        try:
            return self.send(command)
        except errors.Refused:
            return None

    def _exchange(
        self, line: str, id: str, timeout_s: float | None, meanwhile: Callable[[], str | None] | None
    ) -> tuple[bool, str, str]:
        """Send a line, with `id` unless it is "". Return success, the echoed id and the text, or raise PeerError."""
        if self._fault is not None:
            raise type(self._fault)(*self._fault.args)
        deadline = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        try:
            self._expect_nothing(line)
            self._note(f"> {line}")
            self.channel.write(f"{id} {line}\n".lstrip().encode())
            succeeded, echoed, text = self._answer(line, deadline, meanwhile)
        except errors.PeerError as error:
            self._fault = error
            self._note(f"! {error}")
            raise
        self._note(f"< {'=' if succeeded else '?'} {text}")
        return succeeded, echoed, text

    def _note(self, text: str) -> None:
        if self.log is not None:
            self.log(text)

    def close(self, grace_s: float | None = None) -> str:
        """End the engine within `grace_s`, by default its channel's grace time. Return what went wrong, or ""."""
        how = self.channel.close(grace_s)
        self._fault = self._fault or errors.PeerGone("it was closed")
        return how

    def _expect_nothing(self, line: str) -> None:
        """Raise PeerGarbled if unexpected text has arrived, because it would be mistaken for the next answer."""
        taken = 0
        while taken <= _MAX_ANSWER and (chunk := self.channel.read(0)):
            taken += len(chunk)
            self._arrived += _clean(chunk)
        if self._arrived.strip():
            raise errors.PeerGarbled(f"before {line!r} it said, without being asked: {_shorten(self._arrived)}")
        self._arrived.clear()

    def _answer(self, line: str, deadline: float, meanwhile: Callable[[], str | None] | None) -> tuple[bool, str, str]:
        searched = taken = 0
        while True:
            if self._arrived.startswith((b"\n", b" ")):
                self._arrived = self._arrived.lstrip(b"\n ")
            if self._arrived and self._arrived[0] not in b"=?":
                raise errors.PeerGarbled(f"{line!r}: expected a GTP answer, got {_shorten(self._arrived)}")
            end = self._arrived.find(b"\n\n", max(0, searched - 1))
            if end >= 0:
                answer = bytes(self._arrived[:end])
                del self._arrived[: end + 2]
                return _read(answer)
            searched = len(self._arrived)
            # Count dropped bytes too, because reading them takes time as well.
            if taken > _MAX_ANSWER:
                raise errors.PeerGarbled(f"the answer to {line!r} is over {_MAX_ANSWER} bytes long")
            chunk = self._wait(deadline, meanwhile)
            if chunk is None:
                raise errors.PeerSilent(f"{line!r} was not answered in time{_so_far(self._arrived)}")
            if not chunk:
                raise errors.PeerGone(f"it ended before it answered {line!r}{_so_far(self._arrived)}")
            taken += len(chunk)
            self._arrived += _clean(chunk)

    def _wait(self, deadline: float, meanwhile: Callable[[], str | None] | None) -> bytes | None:
        """Return the next chunk, b"" if the engine has closed its output, or None at the deadline."""
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
    """Remove CR and other control characters, and turn tabs into spaces, as the GTP draft requires."""
    return chunk.translate(None, _DROPPED).replace(b"\t", b" ")


def _read(answer: bytes) -> tuple[bool, str, str]:
    head = _HEAD.match(answer)
    assert head is not None
    text = answer[head.end() :].decode("utf-8", "replace").rstrip()
    # A diagram begins on a line of its own, and its leading spaces are significant, so remove only the newline.
    return head[1] == b"=", head[2].decode(), text.removeprefix("\n")


def _shorten(arrived: bytearray) -> str:
    return repr(arrived[:80].decode("utf-8", "replace").rstrip())


def _so_far(arrived: bytearray) -> str:
    return f"; so far it said {_shorten(arrived)}" if arrived else ""


# A command and its arguments.
Line = tuple[str, ...]

CLEAR: Line = ("clear_board",)
# Every GTP engine has these commands, even if it does not list them.
REQUIRED = ("boardsize", "clear_board", "komi", "play", "genmove")
# Commands for a move with its analysis, in order of preference, with the arguments that follow the colour.
ANALYSING = {"cgos-genmove_analyze": (), "kata-genmove_analyze": ("100000",), "lz-genmove_analyze": ("100000",)}
_NUMBERS = {"visits": int, "winrate": float, "prior": float, "scoreMean": float, "scoreLead": float, "order": int}
_INFO = re.compile(r"\binfo\b")
_SHARE = re.compile(r"\b(?:winrate|prior|lcb) (\S+)")
# Leela Zero scales shares from 0 to 1 to whole numbers from 0 to this maximum.
_WHOLE_SHARE = 10_000
_UNDONE_AT_MOST = 2
_GRACE_AFTER_SILENCE_S = 0.2


@dataclass(frozen=True, slots=True)
class Launch:
    """The way to start an engine, with its time limits in seconds.

    `command` is a program with its arguments, run without a shell. `environment` is added to our own. `aliases` maps
    commands to this engine's names for them. `startup_s` is the time limit for the first answer, and `command_s` the
    limit for all other answers. A move may exceed its clock by `margin_s`, and `grace_s` is the time limit for ending.
    Only a trusted engine has no `wall`.
    """

    command: tuple[str, ...]
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    startup_s: float = 30.0
    command_s: float = 60.0
    margin_s: float = 0.1
    grace_s: float = 2.0
    wall: Wall | None = WALL

    def start(
        self, stderr: Path | None = None, *, is_quiet: bool = False, is_stderr_held: bool = False
    ) -> ProcessChannel:
        """Start the process; for the arguments see `ProcessChannel`. Raises PeerGone if it cannot be started."""
        protect_memory()
        return ProcessChannel(
            self.command,
            stderr=stderr,
            is_quiet=is_quiet,
            is_stderr_held=is_stderr_held,
            folder=self.folder,
            environment={**os.environ, **self.environment},
            wall=self.wall,
            grace_s=self.grace_s,
        )


class TalkLog:
    """A log of the communication with an engine, which may be held until a flush. A full disk loses only log lines."""

    def __init__(self, file: Path, *, is_held: bool = False) -> None:
        self._file = file
        self._is_held = is_held
        self._began = time.monotonic()
        self._lines: list[str] = []

    def __call__(self, text: str) -> None:
        """Add a command, an answer or a remark."""
        self._lines.append(f"{time.monotonic() - self._began:9.4f} {text}")
        if len(self._lines) >= 256 and not self._is_held:
            self.flush()

    def flush(self) -> None:
        """Write the lines added so far."""
        append_to_log(self._file, "".join(f"{line}\n" for line in self._lines).encode())
        self._lines.clear()


class Peer:
    """A running engine that has given its name, version and commands.

    `told` lists the lines sent to it since its last fresh start, so that `tell` sends only new lines. Raises PeerError
    if the engine does not speak GTP.
    """

    def __init__(self, channel: ProcessChannel, launch: Launch, talk: TalkLog | None = None) -> None:
        self.channel = channel
        self.launch = launch
        self.talk = talk
        self.told: list[Line] = []
        # The time settings that were sent last.
        self.time_settings: Line | None = None
        # If set, it is polled during the next command. As soon as it returns True, the engine is interrupted.
        self.should_stop: ShouldStop | None = None
        self._controller = GtpController(channel, timeout_s=launch.command_s, log=talk)
        self._known: dict[str, bool] = {}
        try:
            self.ask("protocol_version", timeout_s=launch.startup_s)
            name = self._controller.try_ids(launch.aliases.get("name", "name"))
            self.name = (name or "").strip() or "unnamed"
            self.version = self.ask("version") or ""
            self._listed = frozenset((self.ask("list_commands") or "").split())
        except BaseException as error:
            self.close(error if isinstance(error, errors.PeerError) else None)
            raise

    def knows(self, command: str) -> bool:
        """Return True if GTP requires a command, or if the engine has it according to its list or `known_command`."""
        own = self.launch.aliases.get(command, command)
        if own in self._listed or command in REQUIRED:
            return True
        if self._listed:
            return False
        if own not in self._known:
            self._known[own] = self.ask("known_command", own) == "true"
        return self._known[own]

    def send(self, command: str, *arguments: object, timeout_s: float | None = None) -> str:
        """Send a command and return its answer. Raises Refused for a '?'. After another PeerError, close the engine."""
        should_stop, self.should_stop = self.should_stop, None
        unsent = ["interrupt"] if should_stop is not None and self.knows("gogui-interrupt") else []

        def interrupt_once() -> str | None:
            return unsent.pop() if unsent and should_stop is not None and should_stop() else None

        own, meanwhile = self.launch.aliases.get(command, command), interrupt_once if unsent else None
        try:
            return self._controller.send(own, *arguments, timeout_s=timeout_s, meanwhile=meanwhile).strip()
        except (errors.PeerGone, errors.PeerSilent) as error:
            how = self.channel.interference()
            kind = errors.PeerKilled if how else type(error)
            how = how or self.channel.ending()
            raise kind(f"{error} ({how})" if how else str(error)) from None

    def ask(self, command: str, *arguments: object, timeout_s: float | None = None) -> str | None:
        """Send a command and return its answer, or None if the engine refuses it."""
        try:
            return self.send(command, *arguments, timeout_s=timeout_s)
        except errors.Refused:
            return None

    def begin(self, commands: Iterable[str]) -> None:
        """Send complete command lines before a game. Raises PeerUnfit if a line is refused."""
        for command in commands:
            try:
                self.send(*command.split())
            except errors.Refused as error:
                raise errors.PeerUnfit(f"startup: {error}") from None

    def tell(self, lines: Sequence[Line]) -> None:
        """Send only the new lines, if necessary after `undo` or a fresh start. Raises Refused if a line is refused."""
        count = len(self.told)
        if self.told != lines[:count]:
            count = next(i for i, line in enumerate(self.told) if i >= len(lines) or line != lines[i])
            if not self._undo_to(count):
                # Forget the lines sent since the last fresh start.
                count = lines.index(CLEAR) if CLEAR in lines[:count] else 0
                del self.told[count:]
        for line in lines[count:]:
            self.send(*line)
            self.told.append(line)

    def _undo_to(self, count: int) -> bool:
        """Undo moves on the engine until `count` lines are left. Return False if that is impossible."""
        over = self.told[count:]
        if len(over) > _UNDONE_AT_MOST or any(line[0] != "play" for line in over) or not self.knows("undo"):
            return False
        for _ in over:
            if self.ask("undo") is None:
                return False
            self.told.pop()
        return True

    def note(self, text: str) -> None:
        if self.talk is not None:
            self.talk(f"# {text}")

    def turn_to(self, talk: TalkLog | None, stderr: Path | None) -> None:
        """Switch the log and the standard error to other files, because another game begins."""
        self.flush()
        self.talk = self._controller.log = talk
        if stderr is not None:
            self.channel.turn_stderr_to(stderr)

    def flush(self) -> None:
        """Write the log and the held standard error to their files."""
        if self.talk is not None:
            self.talk.flush()
        if isinstance(self.channel, ProcessChannel):
            self.channel.flush_stderr()

    def close(self, failure: errors.PeerError | None = None, grace_s: float | None = None) -> str:
        """End the engine within `grace_s` (default: as launched), sooner after silence. Return any fault, or ""."""
        how = self._controller.close(_GRACE_AFTER_SILENCE_S if isinstance(failure, errors.PeerSilent) else grace_s)
        self.flush()
        return how


class AnalysingPeer(Peer):
    """An engine that gives an analysis with each move if it can. `analysis` is the last analysis, or ""."""

    analysis = ""

    def send(self, command: str, *arguments: object, timeout_s: float | None = None) -> str:
        """Send a command and return its answer. For `genmove` also request an analysis, but return only the move."""
        if command in ANALYSING:
            answer = super().send(command, *arguments, timeout_s=timeout_s)
            self.analysis = answer.strip().rpartition("\n")[0]
            return answer
        way = next((name for name in ANALYSING if self.knows(name)), None) if command == "genmove" else None
        if way is None:
            return super().send(command, *arguments, timeout_s=timeout_s)
        self.analysis = ""
        answer = super().send(way, *arguments, *ANALYSING[way], timeout_s=timeout_s)
        self.analysis, _, last = answer.rpartition("\n")
        return last.removeprefix("play").strip()


def read_analysis(said: str, most_moves: int | None = None) -> Json:
    """Return the last line of an analysis in CGOS's format, or {} if there is none.

    A line of JSON is returned without checking it. Lines of `info` are converted, with win shares from 0 to 1 for the
    side to move, and only the best `most_moves` moves.
    """
    last = said.strip().rpartition("\n")[2].strip()
    try:
        note = parse_json(last)
    except ValueError:
        note = _read_info(last, most_moves)
    return note if isinstance(note, dict) else {}


def _read_info(line: str, most_moves: int | None) -> Json:
    scale = _WHOLE_SHARE if all(share.lstrip("-").isdigit() for share in _SHARE.findall(line)) else 1
    moves = [_read_one(part.split(), scale) for part in _INFO.split(line) if part.strip()]
    moves = sorted((move for move in moves if "move" in move), key=lambda move: move.pop("order", 0))
    if not moves:
        return {}
    best = moves[0]
    note: Json = {key: best[key] for key in ("winrate", "score") if key in best}
    note["visits"] = sum(move.get("visits", 0) for move in moves)
    return {**note, "moves": moves[:most_moves]}


def _read_one(words: Sequence[str], scale: int) -> Json:
    move: Json = {}
    for index, word in enumerate(words[:-1]):
        if word == "pv":
            move["pv"] = " ".join(words[index + 1 : index + 21])
            break
        if word == "move":
            move["move"] = words[index + 1]
        elif word in _NUMBERS:
            with suppress(ValueError):
                move[word] = _NUMBERS[word](float(words[index + 1]))
    for name in ("scoreLead", "scoreMean"):
        if name in move:
            move["score"] = move.pop(name)
    for name in ("winrate", "prior"):
        if name in move:
            move[name] /= scale
    return move
