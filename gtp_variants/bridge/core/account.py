"""State shared by all parts of a session: configuration, name lists, log, connection, counters and hooks.

Lists of allowed and blocked players are files or web pages with one name per line. They are reread regularly; if that
fails, the last names stay valid. Hooks are the operator's commands, run on events with the facts in their environment.
The end of a game is kept in a file until its hook has run, so that a crash loses no notification.
"""

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.secrecy import is_secret
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Server
from gtp_variants.records.files import write
from gtp_variants.rules.actions import BLACK, WHITE

_LIMIT_S = 20.0
_LONGEST = 2**20
_NOT_MODIFIED = 304


class NameList:
    """A list of names from a file or web page, as last read."""

    def __init__(self, source: str, log: Callable[[str], None], *, has_blanks: bool = False) -> None:
        """`source` is a path or a URL; with `has_blanks`, names may consist of several words."""
        self.source = source
        self._has_blanks = has_blanks
        self.names: tuple[str, ...] = ()
        self._log = log
        self._tag = ""

    async def refresh(self) -> None:
        """Read the list again. If that fails, log the reason and keep the old names."""
        try:
            found = await asyncio.to_thread(self._read)
            if found is not None:
                self.names, self._tag = names_of(found[0], self._has_blanks), found[1]
        except (OSError, ValueError, HTTPException) as error:
            self._log(f"{self.source}: names unchanged: {error}")

    def _read(self) -> tuple[str, str] | None:
        """Return the text and its ETag ("" for none), or None if the web page has not changed."""
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
            raise ValueError(f"received {len(text)} of {length} bytes")
        return text.decode("utf-8-sig"), tag


def names_of(text: str, has_blanks: bool = False) -> tuple[str, ...]:
    """Return the names in a text, one per line; `#` begins a comment. Raises ValueError for any other line."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    # These characters reveal an HTML page, or several names on one line.
    separator = r"[<,]" if has_blanks else r"[<\s]"
    wrong = next((line for line in lines if re.search(separator, line)), None)
    if wrong is not None:
        raise ValueError(f"expected one name per line, got {wrong[:40]!r}")
    return tuple(line for line in lines if line)


class ListedConfig:
    """The configuration of an account, with the names from its lists of allowed and blocked players."""

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self.config = config
        # The configuration as written in its file.
        self._own = config
        self._log = log
        self._lists: dict[str, NameList] = {}
        self._open_lists()

    def replace(self, config: BridgeConfig) -> None:
        """Use another configuration, but keep the name, role and output folder, which identify games in progress."""
        outputs = replace(config.outputs, folder=self._own.outputs.folder)
        own = replace(config, name=self._own.name, role=self._own.role, outputs=outputs)
        if own != config:
            self._log("name, role and outputs.dir stay as they are until the next start")
        self._own = own
        self._open_lists()
        self._take_names()

    def _open_lists(self) -> None:
        known, has_blanks = self._lists, self._own.server.type == "ogs"
        sources = (*self._own.challenges.allow_lists, *self._own.challenges.block_lists)
        self._lists = {each: known.get(each) or NameList(each, self._log, has_blanks=has_blanks) for each in sources}

    async def refresh(self) -> None:
        for each in self._lists.values():
            await each.refresh()
        self._take_names()

    async def keep_fresh(self) -> None:
        """Reread the lists regularly until cancelled."""
        while True:
            await self.refresh()
            await asyncio.sleep(self.config.challenges.refresh_s)

    def _take_names(self) -> None:
        own = self._own.challenges
        allow = [name for source in own.allow_lists for name in self._lists[source].names]
        block = [name for source in own.block_lists for name in self._lists[source].names]
        challenges = replace(own, allow=(*own.allow, *allow), block=(*own.block, *block))
        self.config = replace(self._own, challenges=challenges)


@dataclass(slots=True)
class Counters:
    """Counts and states shown on the metrics page."""

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
    """The state of one account. `connection` is the last connection that logged in, or None before the first login."""

    settings: ListedConfig
    log: Log
    counters: Counters = field(default_factory=Counters)
    connection: Server | None = None
    is_stopping: bool = False

    @property
    def config(self) -> BridgeConfig:
        return self.settings.config

    @property
    def server(self) -> Server:
        """The current connection to the server."""
        assert self.connection is not None
        return self.connection


# Time limit of a hook command, in seconds.
HOOK_LIMIT_S = 60.0


async def run_hook(command: Sequence[str], facts: Mapping[str, str], log: Callable[[str], None]) -> None:
    """Run a command with each fact NAME in an environment variable GTP_VARIANTS_NAME. Failures are only logged."""
    environment = {name: value for name, value in os.environ.items() if not is_secret(name)}
    environment |= {f"GTP_VARIANTS_{name}": value for name, value in facts.items()}
    null = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=null, stdout=null, stderr=null, env=environment)
    except (OSError, ValueError) as error:
        log(f"hook {command[0]}: cannot be started: {error}")
        return
    try:
        async with asyncio.timeout(HOOK_LIMIT_S):
            status = await process.wait()
    except (TimeoutError, asyncio.CancelledError):
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        log(f"hook {command[0]}: ended after {HOOK_LIMIT_S:.0f} s")
        return
    if status:
        log(f"hook {command[0]}: exit status {status}")


class Hooks:
    """The hook commands of one account. They run in the background, so that no game waits for them."""

    def __init__(self, account: AccountState, background: BackgroundTasks) -> None:
        self._account, self._background = account, background
        # The folder has one file for each finished game whose hook has not run yet.
        self._notes = account.config.outputs.folder / "ended"

    def tell_earlier_ends(self) -> None:
        """Run the game-end hook for games whose end an earlier run of the bridge did not report."""
        for note in sorted(self._notes.glob("*.json")):
            with suppress(OSError, ValueError, AttributeError):
                facts = {str(key): str(value) for key, value in json.loads(note.read_bytes()).items()}
                self._background.start(self._tell_of_end(note, facts))

    def tell_of_end(self, key: str, result: str, record: Path, players: Mapping[int, str]) -> None:
        """Log a game's end and start the hook. If the bridge ends first, the hook runs at the bridge's next start."""
        self._account.log(f"{key}: over, {result or 'the server does not say how'}")
        facts = {"RESULT": result or "unknown", "RECORD": str(record.absolute())}
        facts |= {"BLACK": players.get(BLACK, ""), "WHITE": players.get(WHITE, "")}
        if self._account.config.hooks.on_game_end:
            note = self._notes / f"{record.stem}.json"
            try:
                self._notes.mkdir(mode=0o700, parents=True, exist_ok=True)
                write(note, (json.dumps(facts) + "\n").encode())
            except OSError as error:
                self._account.log(f"{key}: cannot store its end: {error}")
            self._background.start(self._tell_of_end(note, facts))

    async def _tell_of_end(self, note: Path, facts: Mapping[str, str]) -> None:
        await self._run(self._account.config.hooks.on_game_end, "game_end", facts)
        note.unlink(missing_ok=True)

    def tell_of_failure(self, why: str) -> None:
        self._background.start(self._run(self._account.config.hooks.on_failure, "failure", {"WHY": why}))

    async def _run(self, command: Sequence[str], event: str, facts: Mapping[str, str]) -> None:
        if command:
            facts = {"EVENT": event, "BRIDGE": self._account.config.name, **facts}
            await run_hook(command, facts, self._account.log)
