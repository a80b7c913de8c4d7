"""People at browsers, for tests of the site: they sign in, wait in the lobby and play through the socket of games."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from gtp_variants.base.json_values import Json
from gtp_variants.site.http import open_port
from gtp_variants.site.lobby.application import SitePort
from tests.site.lobby.servers import PATIENCE_S, Server

ALL = ["go", "phantom", "aleago"]


@asynccontextmanager
async def site(server: Server, port: int = 0) -> AsyncIterator[SitePort]:
    """The site of a server."""
    served = SitePort(server.lobby, server.folder, server.listener.gate, open_port("127.0.0.1", port))
    try:
        yield served
    finally:
        await served.close()


async def sign_in(port: int, name: str, password: str = "secret") -> httpx.Response:
    """The answer to who signs in; its cookie opens the sockets."""
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        return await client.post(f"http://127.0.0.1:{port}/api/session", json={"name": name, "password": password})


class Ear:
    """A socket of a browser, and all that came through it."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self.told: list[Json] = []

    @classmethod
    async def open(cls, port: int, path: str, cookie: str, **first: Any) -> "Ear":
        headers = {"Cookie": cookie} if cookie else {}
        address = f"ws://127.0.0.1:{port}{path}"
        line = await connect(address, additional_headers=headers, open_timeout=PATIENCE_S, proxy=None)
        await line.send(json.dumps(first))
        return cls(line)

    async def send(self, **said: Any) -> None:
        await self._line.send(json.dumps(said))

    async def until(self, kind: str) -> Json:
        """The next message of a kind."""
        while (said := await self.take())["type"] != kind:
            pass
        return said

    async def take(self) -> Json:
        """The next message."""
        async with asyncio.timeout(PATIENCE_S):
            said: Json = json.loads(await self._line.recv())
        self.told.append(said)
        return said

    async def close(self) -> None:
        await self._line.close()


class Person:
    """A player who has signed in. `lobby` is their socket in the lobby, `table` their socket at a game."""

    def __init__(self, name: str, port: int, cookie: str, lobby: Ear) -> None:
        self.name, self.lobby = name, lobby
        self._port, self.cookie = port, cookie
        self.table: Ear | None = None

    @classmethod
    async def come(
        cls, served: SitePort, name: str, password: str = "secret", games: list[str] | None = None
    ) -> "Person":
        """Sign in and wait for an opponent."""
        answer = await sign_in(served.port, name, password)
        assert answer.status_code == 200, answer.text
        cookie = answer.headers["set-cookie"].partition(";")[0]
        lobby = await Ear.open(served.port, "/api/lobby", cookie, do="seek", games=games or ALL)
        return cls(name, served.port, cookie, lobby)

    async def sit(self) -> Json:
        """Wait for a seat and join the game; the first message of it."""
        game = (await self.lobby.until("seat"))["game"]
        self.table = await Ear.open(self._port, "/api/socket", self.cookie, join=game)
        return await self.table.until("game")

    async def do(self, what: str, **more: Any) -> None:
        assert self.table is not None
        await self.table.send(do=what, **more)

    async def until_asked(self) -> Json:
        """The state in which they are to move."""
        assert self.table is not None
        me = next(said["you"] for said in self.table.told if said["type"] == "game")
        while self.table.told[-1].get("state", {}).get("asked") != me:
            await self.table.take()
        return dict(self.table.told[-1]["state"])

    async def leave(self) -> None:
        for ear in filter(None, (self.lobby, self.table)):
            await ear.close()
