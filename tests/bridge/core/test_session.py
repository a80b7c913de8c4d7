"""The session by itself, with a server that is only what it must be."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import (
    OVER,
    Abilities,
    ChatLine,
    Server,
    ServerEvent,
    ServerGame,
)
from gtp_variants.bridge.core.session import AccountSession
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import PeerGone
from tests.bridge.fakes.running_bridge import config_of
from tests.support.waiting import until


class _TakesLeave(Server):
    """A server that sends one message, at which the session is ended, and that closes slowly."""

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

    async def play(self, game: ServerGame, vertex: str, note: str) -> None:
        raise AssertionError

    async def resign(self, game: ServerGame) -> None:
        raise AssertionError

    async def ready(self, game: ServerGame) -> None:
        raise AssertionError


async def test_the_next_login_is_soon_while_somebody_waits(tmp_path: Path) -> None:
    """The pause doubles up to its maximum, or ten seconds during a game; a resumed game resets it."""
    config = config_of("cgos", 1, tmp_path, "reconnect: {first: 2s, most: 5m}\n")
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    session = AccountSession(config, log, make=lambda *_: _TakesLeave())
    session._account.connection = _TakesLeave()
    find_pause = session._reconnection.find_pause
    pauses = [find_pause(PeerGone("cut")) for _ in range(9)]
    assert pauses == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    game = ServerGame("cgos-1", 5, 1, {1: "botty", 2: "other"})
    await session._update_game(game)
    assert [find_pause(PeerGone("cut")) for _ in range(5)] == [2, 4, 8, 10, 10]
    await session._update_game(game)
    assert find_pause(PeerGone("cut")) == 2
    # A line that was cut in a game is opened anew at once, but only once.
    await session._update_game(game)
    assert [find_pause(PeerGone("cut"), 30.0) for _ in range(3)] == [0.25, 4, 8]
    session._games.let_go_of_all()
    await session._background.finish(1.0)
    log.close()


async def test_recent_and_stored_opponents_are_awaited(tmp_path: Path) -> None:
    """A killed bridge, and one that is between two games, may have a clock that runs."""
    config = config_of("cgos", 1, tmp_path, "reconnect: {first: 2s, most: 5m}\n")
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    session = AccountSession(config, log, make=lambda *_: _TakesLeave())
    reconnection, find_pause = session._reconnection, session._reconnection.find_pause
    assert not reconnection.is_awaited
    reconnection.note_paired()
    assert [find_pause(PeerGone("cut")) for _ in range(5)] == [2, 4, 8, 10, 10]
    assert reconnection._paired_s is not None
    reconnection._paired_s -= 3600.0
    assert not reconnection.is_awaited
    session._games.store.save(StoredGame("cgos-1", "go:size=5", "a-game"))
    assert reconnection.is_awaited
    log.close()


class _Pairs(Server):
    """A server that lets games begin by itself, one after the other from a queue."""

    abilities = Abilities()

    def __init__(self) -> None:
        self.states = asyncio.Queue[ServerGame]()
        self.is_ready = False

    async def login(self) -> None:
        pass

    async def events(self) -> AsyncIterator[ServerEvent]:
        while True:
            yield await self.states.get()

    async def play(self, game: ServerGame, vertex: str, note: str) -> None:
        pass

    async def resign(self, game: ServerGame) -> None:
        pass

    async def ready(self, game: ServerGame) -> None:
        self.is_ready = True

    async def close(self) -> None:
        pass


async def test_a_game_that_begins_during_shutdown_is_played(tmp_path: Path) -> None:
    config = config_of("cgos", 1, tmp_path)
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    server = _Pairs()
    session = AccountSession(config, log, make=lambda *_: server)
    running = asyncio.create_task(session.run())
    await until(lambda: session.counters.state == "online", "the login")
    session.stop()
    game = ServerGame("cgos-1", 5, 1, {1: "botty", 2: "other"})
    server.states.put_nowait(game)
    await until(lambda: bool(session.games), "the game")
    # However long ago it was told to end.
    session._end_if_idle()
    assert not session._end.is_set()
    server.states.put_nowait(replace(game, phase=OVER, result="B+R"))
    assert await running == 0
    assert not server.is_ready
    log.close()


async def test_a_server_is_taken_leave_of_to_the_end(tmp_path: Path) -> None:
    config = config_of("cgos", 1, tmp_path)
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
    server = _TakesLeave()
    server.session = AccountSession(config, log, make=lambda *_: server)
    assert await server.session.run() == 0
    assert server.has_closed
    log.close()
