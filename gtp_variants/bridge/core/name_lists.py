"""Lists of the players who are allowed or blocked: files or web pages with a name a line, read again now and then.

A list that cannot be read stays as it was: a server that is down lets nobody in and keeps nobody out.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from gtp_variants.base.folders import user_path
from gtp_variants.bridge.core.config import BridgeConfig

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
        """Put the names of the lists into the configuration."""
        own = self._own.challenges
        allow, block = ([name for each in lists for name in each.names] for lists in (self._allowed, self._blocked))
        challenges = replace(own, allow=(*own.allow, *allow), block=(*own.block, *block))
        self.config = replace(self._own, challenges=challenges)
