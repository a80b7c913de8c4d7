"""The session by itself, with a server that is only what it must be."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from gtp_variants.bridge.core.account.session import AccountSession
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Abilities, ChatLine, MoveNote, Server, ServerEvent, ServerGame
from gtp_variants.errors import PeerGone
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


async def test_the_next_login_is_soon_while_somebody_waits(tmp_path: Path) -> None:
    """The pause doubles up to the longest, up to ten seconds while a game is on; when one goes on it is short again."""
    config = config_of("cgos", 1, tmp_path, "reconnect: {first: 2s, most: 5m}\n")
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    session = AccountSession(config, log, make=lambda *_: _TakesLeave())
    session._server = _TakesLeave()
    pauses = [session._pause_after(PeerGone("cut")) for _ in range(9)]
    assert pauses == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    game = ServerGame("cgos-1", 5, 1, {1: "botty", 2: "other"})
    await session._update_game(game)
    assert [session._pause_after(PeerGone("cut")) for _ in range(5)] == [2, 4, 8, 10, 10]
    await session._update_game(game)
    assert session._pause_after(PeerGone("cut")) == 2
    await session._close_games()
    log.close()


async def test_a_server_is_taken_leave_of_to_the_end(tmp_path: Path) -> None:
    config = config_of("cgos", 1, tmp_path)
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    server = _TakesLeave()
    server.session = AccountSession(config, log, make=lambda *_: server)
    assert await server.session.run() == 0
    assert server.has_closed
    log.close()
