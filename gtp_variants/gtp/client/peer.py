"""Somebody else's engine while it runs: what it can do, and what it has been told."""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.errors import PeerError, PeerGone, PeerKilled, PeerSilent, PeerUnfit, Refused
from gtp_variants.gtp.client.channel import KILLED, ProcessChannel
from gtp_variants.gtp.client.controller import GtpController
from gtp_variants.interruption import ShouldStop

# A command and its arguments.
Line = tuple[str, ...]

CLEAR: Line = ("clear_board",)
# Every GTP engine has these; one that lists others may leave them out of the list.
REQUIRED = ("boardsize", "clear_board", "komi", "play", "genmove")
_SECRET = re.compile(r"PASSW|SECRET|TOKEN|API_?KEY", re.IGNORECASE)
# Variables that passwords were read from, whatever they are called.
_hidden_variables: set[str] = set()
_UNDONE_AT_MOST = 2
_GRACE_AFTER_SILENCE_S = 0.2


@dataclass(frozen=True, slots=True)
class Launch:
    """How an engine is started and how long it may take.

    `command` is a program and its arguments, for no shell. `environment` is laid over our own. `aliases` are command ->
    what this engine calls it. `startup_s` is the deadline of the first answer, `command_s` that of every other one,
    `margin_s` what a move may take longer than its clock has left. `grace_s` is how long it may take to end.
    """

    command: tuple[str, ...]
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    startup_s: float = 30.0
    command_s: float = 60.0
    margin_s: float = 0.1
    grace_s: float = 2.0

    def start(
        self, stderr: Path | None = None, *, is_quiet: bool = False, is_stderr_held: bool = False
    ) -> ProcessChannel:
        """The process, see `ProcessChannel`. Raises PeerGone if it cannot be started."""
        return ProcessChannel(
            self.command,
            stderr=stderr,
            is_quiet=is_quiet,
            is_stderr_held=is_stderr_held,
            folder=self.folder,
            environment={**os.environ, **self.environment},
            grace_s=self.grace_s,
        )


def hide_variable(variable: str) -> None:
    """From now on no program we start is to see a variable of the environment."""
    _hidden_variables.add(variable)


def is_secret(variable: str) -> bool:
    """Whether no program we start is to see a variable: a password was read from it, or it is called after one."""
    return variable in _hidden_variables or _SECRET.search(variable) is not None


def empty_secrets() -> dict[str, str]:
    """What an engine need not know: the variables of our environment that hold passwords, emptied."""
    return {name: "" for name in os.environ if is_secret(name)}


class TalkLog:
    """A file in which a talk with an engine is written down, with the seconds since it began.

    The file is made at the first word, or when it is flushed if it `is_held` until then; a full disk ends the writing,
    not the game.
    """

    def __init__(self, file: Path, *, is_held: bool = False) -> None:
        self._file = file
        self._is_held = is_held
        self._began = time.monotonic()
        self._lines: list[str] = []

    def __call__(self, text: str) -> None:
        """Note a command, an answer or a remark."""
        self._lines.append(f"{time.monotonic() - self._began:9.4f} {text}")
        if len(self._lines) >= 256 and not self._is_held:
            self.flush()

    def flush(self) -> None:
        """Write what was noted so far."""
        from contextlib import suppress

        if self._lines:
            with suppress(OSError):
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with self._file.open("a", encoding="utf-8") as file:
                    file.write("\n".join(self._lines) + "\n")
        self._lines.clear()


class Peer:
    """An engine at the other end of a channel, greeted: its name, its version, its commands.

    `told` is what it was told since it last began afresh, so that `tell` sends only what is new. Raises PeerError if
    the engine does not answer as GTP engines do.
    """

    def __init__(self, channel: ProcessChannel, launch: Launch, talk: TalkLog | None = None) -> None:
        self.launch = launch
        self.talk = talk
        self.told: list[Line] = []
        # What it was last told of its time, so that it is not told again.
        self.time_settings: Line | None = None
        # Whether the answer to the next command is wanted at once, asked again and again while it is waited for.
        self.should_stop: ShouldStop | None = None
        self._controller = GtpController(channel, timeout_s=launch.command_s, log=talk)
        self._known: dict[str, bool] = {}
        self._listed: frozenset[str] = frozenset()
        try:
            self._greet()
        except BaseException as error:
            self.close(error if isinstance(error, PeerError) else None)
            raise

    def _greet(self) -> None:
        deadline = time.monotonic() + self.launch.startup_s
        self.ask("protocol_version", timeout_s=deadline - time.monotonic())
        name = self._controller.try_ids(self.launch.aliases.get("name", "name"))
        self.name = (name or "").strip() or "unnamed"
        self.version = self.ask("version") or ""
        listed = self.ask("list_commands")
        if listed is not None:
            self._listed = frozenset(listed.split())

    @property
    def channel(self) -> ProcessChannel:
        """The way to the engine."""
        return self._controller.channel

    def knows(self, command: str) -> bool:
        """Whether the engine has a command: by its list, or asked by name where it has none."""
        own = self.launch.aliases.get(command, command)
        if own in self._listed or command in REQUIRED:
            return True
        if self._listed:
            return False
        if own not in self._known:
            self._known[own] = self.ask("known_command", own) == "true"
        return self._known[own]

    def commands(self) -> frozenset[str]:
        """The commands it lists."""
        return self._listed

    def send(self, command: str, *arguments: object, timeout_s: float | None = None) -> str:
        """The answer to a command. Raises Refused for a '?', else PeerError; after that it must be closed.

        If the engine can be interrupted it is, once, as soon as `should_stop` says so.
        """
        should_stop, self.should_stop = self.should_stop, None
        meanwhile = None
        if should_stop is not None and self.knows("gogui-interrupt"):
            meanwhile = _once(should_stop, "interrupt")
        try:
            return self._controller.send(
                self.launch.aliases.get(command, command), *arguments, timeout_s=timeout_s, meanwhile=meanwhile
            ).strip()
        except PeerGone as error:
            how = self.channel.ending()
            kind = PeerKilled if how == KILLED else PeerGone
            raise kind(f"{error} ({how})" if how else str(error)) from None

    def ask(self, command: str, *arguments: object, timeout_s: float | None = None) -> str | None:
        """The answer to a command, None if it is refused."""
        try:
            return self.send(command, *arguments, timeout_s=timeout_s)
        except Refused:
            return None

    def begin(self, commands: Iterable[str]) -> None:
        """Send commands before a game, each a whole line. Raises PeerUnfit for one that is refused."""
        for command in commands:
            try:
                self.send(*command.split())
            except Refused as error:
                raise PeerUnfit(f"startup: {error}") from None

    def tell(self, lines: Sequence[Line]) -> None:
        """Make the engine know what these lines say: by the rest of them, after `undo` of moves or from the start.

        Raises Refused for a line the engine does not take; `told` holds those before it.
        """
        count = len(self.told)
        if self.told != lines[:count]:
            count = next(i for i, line in enumerate(self.told) if i >= len(lines) or line != lines[i])
            if not self._undo_to(count):
                count = self._restart(lines, count)
        for line in lines[count:]:
            self.send(*line)
            self.told.append(line)

    def _undo_to(self, count: int) -> bool:
        """Take back moves until `count` lines are left."""
        over = self.told[count:]
        if len(over) > _UNDONE_AT_MOST or any(line[0] != "play" for line in over) or not self.knows("undo"):
            return False
        for _ in over:
            if self.ask("undo") is None:
                return False
            self.told.pop()
        return True

    def _restart(self, lines: Sequence[Line], count: int) -> int:
        """Where to begin so that nothing of what was told is left, `count` lines being the same."""
        start = lines.index(CLEAR) if CLEAR in lines[:count] else 0
        del self.told[start:]
        return start

    def note(self, text: str) -> None:
        """Write a remark into the talk."""
        if self.talk is not None:
            self.talk(f"# {text}")

    def turn_to(self, talk: TalkLog | None, stderr: Path | None) -> None:
        """Write the talk and the standard error elsewhere from now on, as another game begins."""
        self.flush()
        self.talk = self._controller.log = talk
        if stderr is not None:
            self.channel.turn_stderr_to(stderr)

    def flush(self) -> None:
        """Write the talk down as far as it went, and what was held of the standard error."""
        if self.talk is not None:
            self.talk.flush()
        if isinstance(self.channel, ProcessChannel):
            self.channel.flush_stderr()

    def close(self, failure: PeerError | None = None, grace_s: float | None = None) -> str:
        """End the engine; one that does not listen any more is not asked for long. In words what was wrong with that.

        `grace_s` is how long it may take for it, else as long as its launch says.
        """
        how = self._controller.close(_GRACE_AFTER_SILENCE_S if isinstance(failure, PeerSilent) else grace_s)
        self.flush()
        return how


def _once(should_stop: ShouldStop, word: str) -> Callable[[], str | None]:
    """Says a word the first time that the work should stop, and nothing before and after."""
    is_said = False

    def say() -> str | None:
        nonlocal is_said
        if is_said or not should_stop():
            return None
        is_said = True
        return word

    return say
