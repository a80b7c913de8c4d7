"""State that all parts of a session share: configuration, lists of names, log, connection, counters, and hooks.

Lists of the players who are allowed or blocked are files or web pages with a name a line, read again now and then. A
list that cannot be read stays as it was: a server that is down lets nobody in and keeps nobody out.

Hooks are commands that run when something happens; the environment tells them the facts. An end of a game that the
hook has not been told is kept as a file, so that a kill in between loses none.
"""

import asyncio
import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.hidden_variables import is_secret
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.core.tasks import BackgroundTasks
from gtp_variants.records.files import write
from gtp_variants.rules.actions import BLACK, WHITE

_LIMIT_S = 20.0
_LONGEST = 2**20
_NOT_MODIFIED = 304


class NameList:
    """One list; `names` are those it had when it was read last."""

    def __init__(self, source: str, log: Callable[[str], None], *, has_blanks: bool = False) -> None:
        """`source` is a path, or begins with http:// or https://; with `has_blanks` a name may have several words."""
        self.source = source
        self._has_blanks = has_blanks
        self.names: tuple[str, ...] = ()
        self._log = log
        self._tag = ""

    async def refresh(self) -> None:
        """Read it again."""
        try:
            found = await asyncio.to_thread(self._read)
            if found is not None:
                self.names, self._tag = names_of(found[0], self._has_blanks), found[1]
        except (OSError, ValueError, HTTPException) as error:
            self._log(f"{self.source}: stays as it was: {error}")

    def _read(self) -> tuple[str, str] | None:
        """The text and its tag, None where it has not changed."""
        if not self.source.startswith(("http://", "https://")):
            return user_path(self.source).read_bytes()[:_LONGEST].decode("utf-8-sig"), ""
        request = Request(self.source, headers={"User-Agent": "gtp-variants"})
        if self._tag:
            request.add_header("If-None-Match", self._tag)
        try:
            with urlopen(request, timeout=_LIMIT_S) as answer:
                text: bytes = answer.read(_LONGEST + 1)
                tag, length = answer.headers.get("ETag", ""), answer.headers.get("Content-Length", "")
        except HTTPError as error:
            if error.code == _NOT_MODIFIED:
                return None
            raise
        if len(text) > _LONGEST:
            raise ValueError(f"more than {_LONGEST} bytes")
        if length.isdecimal() and len(text) < int(length):
            raise ValueError(f"{len(text)} of {length} bytes came")
        return text.decode("utf-8-sig"), tag


def names_of(text: str, has_blanks: bool = False) -> tuple[str, ...]:
    """The names in a text, a line each; what follows `#` is a remark. Raises ValueError for what is no such list."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    # A page of the web, or names in a row.
    separator = r"[<,]" if has_blanks else r"[<\s]"
    wrong = next((line for line in lines if re.search(separator, line)), None)
    if wrong is not None:
        raise ValueError(f"expected a name a line, not {wrong[:40]!r}")
    return tuple(line for line in lines if line)


class ListedConfig:
    """A configuration with the names of its lists put into it: `config` holds now."""

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self.config = config
        # The configuration as its file has it, without the names of the lists.
        self._own = config
        self._log = log
        self._allowed, self._blocked = self._open_lists({})

    def replace(self, config: BridgeConfig) -> None:
        """Take another configuration. Lists that were open before keep their names until they are read again.

        The name, the role and the folder stay until the next start: games in progress are found by them.
        """
        outputs = replace(config.outputs, folder=self._own.outputs.folder)
        own = replace(config, name=self._own.name, role=self._own.role, outputs=outputs)
        if own != config:
            self._log("name, role and outputs.dir stay as they are until the next start")
        self._own = own
        known = {each.source: each for each in (*self._allowed, *self._blocked)}
        self._allowed, self._blocked = self._open_lists(known)
        self._take_names()

    def _open_lists(self, known: Mapping[str, NameList]) -> tuple[list[NameList], list[NameList]]:
        make_list = partial(NameList, log=self._log, has_blanks=self._own.server.names_have_blanks)
        challenges = self._own.challenges
        allowed, blocked = (
            [known.get(source) or make_list(source) for source in sources]
            for sources in (challenges.allow_lists, challenges.block_lists)
        )
        return allowed, blocked

    async def refresh(self) -> None:
        """Read the lists again."""
        for each in (*self._allowed, *self._blocked):
            await each.refresh()
        self._take_names()

    async def keep_fresh(self) -> None:
        """Read the lists now and then, for ever."""
        while True:
            await self.refresh()
            await asyncio.sleep(self.config.challenges.refresh_s)

    def _take_names(self) -> None:
        own = self._own.challenges
        allow, block = ([name for each in lists for name in each.names] for lists in (self._allowed, self._blocked))
        challenges = replace(own, allow=(*own.allow, *allow), block=(*own.block, *block))
        self.config = replace(self._own, challenges=challenges)


@dataclass(slots=True)
class Counters:
    """The numbers that the metrics show."""

    state: str = "starting"
    logins: int = 0
    lost_lines: int = 0
    games: int = 0
    moves: int = 0
    challenges_refused: int = 0
    engine_failures: int = 0
    results: Counter[str] = field(default_factory=Counter)


@dataclass(eq=False, slots=True)
class AccountState:
    """One account: `connection` is the last one that logged in, None before the first login."""

    settings: ListedConfig
    log: Log
    counters: Counters = field(default_factory=Counters)
    connection: Server | None = None
    is_stopping: bool = False

    @property
    def config(self) -> BridgeConfig:
        """The configuration as it holds now."""
        return self.settings.config

    @property
    def server(self) -> Server:
        """The server as we are connected to it now."""
        assert self.connection is not None
        return self.connection


# What a hook is told of an end: RESULT, RECORD, BLACK, WHITE.
Facts = dict[str, str]

# The longest time that a command may take, in seconds.
HOOK_LIMIT_S = 60.0
_PREFIX = "GTP_VARIANTS_"
# The result that a hook is told where the server states none.
_UNKNOWN = "unknown"


class EndNotes:
    """The folder of notes, by the names of the records."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, facts: Mapping[str, str]) -> None:
        """Note an end. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(self._path(name), (json.dumps(dict(facts)) + "\n").encode())

    def delete(self, name: str) -> None:
        """The hook has been told."""
        self._path(name).unlink(missing_ok=True)

    def __iter__(self) -> Iterator[tuple[str, Facts]]:
        """The ends of earlier runs that are still to be told."""
        for path in sorted(self._folder.glob("*.json")):
            with suppress(OSError, ValueError, AttributeError):
                facts = json.loads(path.read_bytes())
                yield path.stem, {str(key): str(value) for key, value in facts.items()}

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


async def run_hook(command: Sequence[str], facts: Mapping[str, str], log: Callable[[str], None]) -> None:
    """Run a command to its end, at most a minute; what goes wrong is noted and harms nobody.

    It is told each fact as GTP_VARIANTS_NAME, and no variable that looks like a password.
    """
    environment = {name: value for name, value in os.environ.items() if not is_secret(name)}
    environment |= {_PREFIX + name: value for name, value in facts.items()}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
    except (OSError, ValueError) as error:
        log(f"hook {command[0]}: cannot be started: {error}")
        return
    try:
        async with asyncio.timeout(HOOK_LIMIT_S):
            status = await process.wait()
    except (TimeoutError, asyncio.CancelledError):
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        log(f"hook {command[0]}: ended after {HOOK_LIMIT_S:.0f} s")
        return
    if status:
        log(f"hook {command[0]}: exit status {status}")


class Hooks:
    """The user's commands of one account. They run beside everything else: nobody's clock runs while one does."""

    def __init__(self, account: AccountState, background: BackgroundTasks) -> None:
        self._account, self._background = account, background
        self._end_notes = EndNotes(account.config.outputs.folder / "ended")

    def tell_earlier_ends(self) -> None:
        """Tell the hook the ends that earlier runs noted and could not tell."""
        for name, facts in self._end_notes:
            self._background.start(self._tell_of_end(name, facts))

    def tell_of_end(self, key: str, result: str, record: Path, players: Mapping[int, str]) -> None:
        """Log that a game is over, and tell the hook; the next run tells it if this one is killed before."""
        self._account.log(f"{key}: over, {result or 'the server does not say how'}")
        facts = {
            "RESULT": result or _UNKNOWN,
            "RECORD": str(record.absolute()),
            "BLACK": players.get(BLACK, ""),
            "WHITE": players.get(WHITE, ""),
        }
        if self._account.config.hooks.on_game_end:
            try:
                self._end_notes.write(record.stem, facts)
            except OSError as error:
                self._account.log(f"{key}: its end cannot be noted: {error}")
            self._background.start(self._tell_of_end(record.stem, facts))

    async def _tell_of_end(self, name: str, facts: Mapping[str, str]) -> None:
        await self._run(self._account.config.hooks.on_game_end, "game_end", facts)
        self._end_notes.delete(name)

    def tell_of_failure(self, why: str) -> None:
        """Tell the hook that something failed."""
        self._background.start(self._run(self._account.config.hooks.on_failure, "failure", {"WHY": why}))

    async def _run(self, command: Sequence[str], event: str, facts: Mapping[str, str]) -> None:
        if command:
            facts = {"EVENT": event, "BRIDGE": self._account.config.name, **facts}
            await run_hook(command, facts, self._account.log)
