"""The session by itself, with a server that is only what it must be."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from gtp_variants.bridge.core.account.session import AccountSession
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Abilities, ChatLine, MoveNote, Server, ServerEvent, ServerGame
from tests.bridge.fakes.running_bridge import config_of


class _TakesLeave(Server):
    """Says one thing, at which the session is told to end, and takes its time to close."""

    abilities = Abilities()
    session: AccountSession
    has_closed = False

    async def login(self) -> None:
        pass

    async def events(self) -> AsyncIterator[ServerEvent]:
        self.session.stop(at_once=True)
        yield ChatLine("alpha", "hello")

    async def close(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        self.has_closed = True

    async def play(self, game: ServerGame, vertex: str, note: MoveNote) -> None:
        raise AssertionError

    async def resign(self, game: ServerGame) -> None:
        raise AssertionError

    async def ready(self, game: ServerGame) -> None:
        raise AssertionError


async def test_a_server_is_taken_leave_of_to_the_end(tmp_path: Path) -> None:
    config = config_of("cgos", 1, tmp_path)
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    server = _TakesLeave()
    server.session = AccountSession(config, log, make=lambda *_: server)
    assert await server.session.run() == 0
    assert server.has_closed
    log.close()
