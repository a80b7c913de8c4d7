"""Servers for tests, and clients that type lines themselves."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from gtp_variants.base.connection_gate import ConnectionLimits
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import LobbySettings
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.lobby.sockets import LineServer
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.site_file import SiteStore
from tests.support.watch import Watch

PATIENCE_S = 60.0
# Maximum seconds for a whole test, which on a busy computer has many things to wait for.
LONGEST_S = 600.0


class Server:
    """A server on loopback with its hall."""

    def __init__(
        self, folder: Path, settings: LobbySettings, limits: ConnectionLimits | None, anchors: dict[str, float] | None
    ) -> None:
        self.folder = folder
        self.log: list[str] = []
        self.store = SiteStore(folder / "server.sqlite3", anchors=anchors, is_server=True)
        opponents = Opponents(has_bots=False)
        self.lobby = Lobby(settings, self.store, folder, self.log.append, random.Random(1), opponents)
        self.listener = LineServer(self.lobby, self.log.append, limits, pair_s=0.02)

    @property
    def port(self) -> int:
        return self.listener.port

    def records(self) -> list[Path]:
        return sorted((self.folder / "records").glob("*.sgf"))


@asynccontextmanager
async def serving(
    folder: Path,
    *specs: str,
    limits: ConnectionLimits | None = None,
    port: int = 0,
    anchors: dict[str, float] | None = None,
    **more: Any,
) -> AsyncIterator[Server]:
    """A server; `more` are its settings."""
    settings = LobbySettings(specs or ("go:size=5",), **{"level_s": 600.0, "pause_s": 0.0, **more})
    server = Server(folder, settings, limits, anchors)
    await server.listener.open("127.0.0.1", port)
    try:
        yield server
    finally:
        await server.listener.close()
        server.store.close()


def run(test: Awaitable[None]) -> None:
    """Run a test of many sides; all clients leave at its end."""

    async def whole() -> None:
        try:
            async with asyncio.timeout(LONGEST_S):
                await test
        finally:
            while Client.open:
                await Client.open.pop().leave()

    asyncio.run(whole())


class Client:
    """Somebody who types; `games` are what it says it can play, None for a client that knows only CGOS."""

    open: ClassVar[list["Client"]] = []

    def __init__(self, name: str, games: str | None = None, password: str = "secret") -> None:
        self.name, self.games, self.password = name, games, password
        self.lines: list[str] = []
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def connect(self, port: int) -> "Client":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        self.open.append(self)
        return self

    async def leave(self) -> None:
        assert self._writer is not None
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def come(self, port: int) -> "Client":
        """Connect and log in."""
        await self.connect(port)
        assert await self.read() == "protocol variants agreements"
        self.type("e1 test/1" + (f" variants={self.games}" if self.games is not None else ""))
        assert await self.read() == "username"
        self.type(self.name)
        assert await self.read() == "password"
        self.type(self.password)
        return self

    def type(self, text: str) -> None:
        self.send(text.encode() + b"\n")

    def send(self, data: bytes) -> None:
        assert self._writer is not None
        self._writer.write(data)

    async def read(self) -> str:
        """The next line; "" when the server has closed the line."""
        assert self._reader is not None
        async with asyncio.timeout(PATIENCE_S):
            line = (await self._reader.readline()).decode().rstrip("\n")
        self.lines.append(line)
        return line

    async def until(self, start: str | tuple[str, ...]) -> str:
        """The next line that begins so."""
        while not (line := await self.read()).startswith(start):
            assert line, f"{self.name} never heard {start!r}: {self.lines[-5:]}"
        return line

    def cut(self) -> None:
        assert self._writer is not None
        self._writer.transport.abort()


WATCH = Watch()


def new_game(spec: str = "go:size=5", number: int = 1, black: str = "alpha", level_s: float = 600.0) -> AccountGame:
    """A game of two accounts whose clocks run by a watch that `play` sets."""
    names = {BLACK: black, WHITE: "bravo"}
    game = AccountGame.new(number, spec, names, level_s, 0.25, bytes([number] * 32), now=WATCH)
    game.hosted.clocks.start()
    return game


def play(game: AccountGame, word: str, seconds: float = 0.0) -> None:
    """What the asked side answers after so long."""
    WATCH.now_s += seconds
    game.play(word)


def play_on(game: AccountGame, moves: int, seed: int = 1, seconds: float = 0.3) -> None:
    """Play so many random moves, fewer if the game ends."""
    rng = random.Random(seed)
    for _ in range(moves):
        if game.asked is None:
            return
        actions = list(game.rules.actions(game.game.position))
        action = rng.choice([a for a in actions if a >= 0] or actions)
        play(game, game.rules.board.vertex(action) if action >= 0 else "pass", seconds)
