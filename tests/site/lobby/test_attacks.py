"""Attacks and accidents: secrets, displaced logins, full disks, broken files, unresponsive clients."""

import asyncio
import logging
import sqlite3
from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import ConnectionLimits
from gtp_variants.cli.compete.server import _log
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access import logins
from gtp_variants.site.access.accounts import hash_password
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest
from gtp_variants.site.log import log_warnings
from gtp_variants.site.site_file import SiteStore
from tests.site.lobby.people import site
from tests.site.lobby.servers import PATIENCE_S, Client, Server, play, run, serving
from tests.support.waiting import until


def _players(server: Server, one: Client, other: Client) -> tuple[Client, Client]:
    """Black and White of the game that is on."""
    (running,) = server.lobby.running.values()
    return (one, other) if running.names[BLACK] == one.name else (other, one)


def test_a_login_without_the_word_is_told_nothing_of_a_hidden_game(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "phantom:size=5") as server:
            one = await Client("alpha", "phantom").come(server.port)
            other = await Client("bravo", "phantom").come(server.port)
            await one.until("setup")
            black, white = _players(server, one, other)
            await black.until("genmove b")
            black.type("C3")
            await white.until("genmove w")
            spy = await Client(white.name).come(server.port)
            assert "needs a client that says `variants`" in await spy.until("Error")
            assert "C3" not in "".join(spy.lines)
            # The seat is not taken from who sits there.
            white.type("D4")
            assert await black.until("hear w") == "hear w ?"

    run(test())


def test_setup_names_no_moves_of_a_hidden_game() -> None:
    match = AccountGame.new(1, "phantom:size=5", {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.25, bytes(32))
    play(match, "C3", 0)
    assert "C3" not in match.lines.setup(with_moves=True)


def test_games_that_do_not_exist_are_not_taken_down(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            await Client("alpha", "go,chess,\x1b[31m," + "x" * 9000).come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            assert server.lobby.guests["alpha"].games == {"go"}
            assert all(line.isprintable() and len(line) < 200 for line in server.log)

    run(test())


def test_lines_of_a_displaced_login_are_no_moves(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            one, other = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            await one.until("setup")
            black, white = _players(server, one, other)
            await black.until("genmove b")
            old = server.lobby.guests[black.name]
            again = await Client(black.name).come(server.port)
            await again.until("genmove b")
            # What had come before the line was closed is read after it.
            for line in ("resign", "ready", "resign"):
                server.lobby.receive(old, line)
            again.type("c3")
            assert (await white.until("play")).split()[2] == "C3"

    run(test())


@pytest.mark.slow
def test_a_new_password_keeps_the_rating_of_a_game_that_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            one, other = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            await one.until("setup")
            black, white = _players(server, one, other)
            (running,) = server.lobby.running.values()

            def slowly(password: str) -> str:
                if password == "better":
                    asyncio.run_coroutine_threadsafe(_resigned(), loop).result()
                return hash_password(password)

            async def _resigned() -> None:
                server.lobby.receive(server.lobby.guests[black.name], "resign")

            loop = asyncio.get_running_loop()
            await black.until("genmove b")
            monkeypatch.setattr(logins, "hash_password", slowly)
            await Client(white.name, password="secret better").come(server.port)
            assert (await white.until("gameover")).split()[2] == "W+Resign"
            await until(lambda: len([line for line in server.log if "logged in" in line]) == 3, "the login")
            rating = server.store.accounts.rating(white.name, "go")
            assert (rating.games, rating.shown) == (1, "1662?")
            assert running.number not in server.lobby.running

    run(test())


def _make_full(store: SiteStore, is_full: bool) -> None:
    """Let nothing be written, as on a full disk."""
    store.database.run_script(f"pragma query_only = {int(is_full)}")


@pytest.mark.slow
def test_games_begin_and_end_on_a_full_disk(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            clients = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            for client in clients:
                await client.until("setup")
            _make_full(server.store, True)
            black, _ = _players(server, *clients)
            await black.until("genmove b")
            black.type("resign")
            for client in clients:
                await client.until("gameover")
                client.type("ready")
            for client in clients:
                await client.until("setup 2 ")
            late = await Client("charlie").come(server.port)
            assert "cannot write" in await late.until("Error")
            _make_full(server.store, False)
            for name in ("delta", "echo"):
                clients.append(await Client(name).come(server.port))
            # The game that could not be written has a number of its own all the same.
            await clients[-1].until("setup 3 ")
            assert sorted(server.lobby.running) == [2, 3]
            # Its end and the ratings are written when there is room again.
            await until(lambda: len(server.records()) == 1, "the record")
            ratings = [server.store.accounts.rating(client.name, "go") for client in clients[:2]]
            assert [rating.games for rating in ratings] == [1, 1]
            assert {rating.shown for rating in ratings} == {"1662?", "1338?"}

    run(test())


@pytest.mark.slow
def test_a_player_with_two_games_after_a_restart_plays_both(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    for number, black, white in ((1, "alpha", "bravo"), (2, "bravo", "alpha")):
        store.games.write(AccountGame.new(number, "go:size=5", {BLACK: black, WHITE: white}, 600.0, 0.25))
    store.close()

    async def test() -> None:
        async with serving(tmp_path) as server:
            alpha, bravo = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            await alpha.until("genmove b")
            await bravo.until("setup 1 ")
            alpha.type("resign")
            for client in (alpha, bravo):
                await client.until("gameover")
                client.type("ready")
            await alpha.until("setup 2 ")
            await bravo.until("genmove b")

    run(test())


@pytest.mark.slow
def test_kicking_an_unresponsive_client_does_not_wait(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(leave_s=0.2)) as server:
            client = await Client("alpha").come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            assert client._writer is not None
            transport = client._writer.transport
            assert isinstance(transport, asyncio.ReadTransport)
            transport.pause_reading()
            deaf: Guest = server.lobby.guests["alpha"]
            (connection,) = server.listener.connections
            # More than the system holds for a client that does not read, but no more than the server does.
            assert connection.transport is not None
            while connection.transport.get_write_buffer_size() < 2**20:
                deaf.say("info " + "x" * 50_000)
                await asyncio.sleep(0.001)
            await Client("alpha").come(server.port)
            await until(lambda: server.lobby.guests.get("alpha") is not deaf, "the second login")
            await until(lambda: connection not in server.listener.connections, "the end of the first")

    run(test())


def test_a_broken_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    store = SiteStore(path)
    for number in range(1, 200):
        store.games.write(AccountGame.new(number, "go:size=5", {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.25))
    store.close()
    data = bytearray(path.read_bytes())
    data[8192:40_000] = b"\xa5" * (40_000 - 8192)
    path.write_bytes(data)
    store = SiteStore(path)
    with pytest.raises(OSError, match="cannot be read"):
        store.games.met()
    store.close()


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    SiteStore(path).close()
    file = sqlite3.connect(path, isolation_level=None)
    file.execute("pragma user_version = 9")
    file.close()
    with pytest.raises(ConfigError, match="another version"):
        SiteStore(path)


def test_unreadable_games_are_reported_and_set_aside_while_others_continue(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    store = SiteStore(path)
    for number in range(1, 8):
        match = AccountGame.new(number, "go:size=5", {BLACK: f"alpha{number}", WHITE: f"bravo{number}"}, 600.0, 0.25)
        for word in ("C3", "D4", "E5"):
            play(match, word, 0.1)
        store.games.write(match)
        if number == 7:
            play(match, "resign", 0.0)
            store.games.write(match)
    damage = {
        1: "update lines set line = '{' where game = 1 and number = 0",
        2: """update lines set line = '["w","C3",0.1,599]' where game = 2 and number = 2""",
        3: "delete from lines where game = 3 and number = 2",
        5: "update lines set line = cast(x'ff00fe' as text) where game = 5 and number = 3",
        6: "update lines set line = json_set(line, '$.secret', 'zz') where game = 6 and number = 0",
        7: "update lines set line = 'null' where game = 7 and number = 1",
    }
    for statement in damage.values():
        store.database.run_script(statement)
    store.close()

    async def test() -> None:
        async with serving(tmp_path) as server:
            assert list(server.lobby.running) == [4]
            await until(lambda: len(server.log) == 7, "the record of game 7")
            told = sorted(line for line in server.log if line.startswith("game "))
            for number, line in zip(sorted(damage), told, strict=True):
                assert line.startswith(f"game {number} cannot be read (")
                assert line.endswith(
                    f"; it was ended, and its lines are in {tmp_path / 'aside' / f'{number:06}.jsonl'}"
                )
                assert line.isprintable()
            assert "events[1]" in next(line for line in server.log if line.startswith("game 2 "))
            assert "line 2 is missing" in next(line for line in server.log if line.startswith("game 3 "))
            black = await Client("alpha4").come(server.port)
            assert (await black.until("setup 4 ")).split()[7::2] == ["C3", "D4", "E5"]
            # Who lost a game like that plays others.
            one = await Client("alpha1").come(server.port)
            await Client("bravo2").come(server.port)
            await one.until("setup 8 ")

    run(test())
    assert (tmp_path / "aside" / "000003.jsonl").read_text().count("\n") == 3
    assert (tmp_path / "aside").stat().st_mode & 0o077 == 0
    # They are told of once.
    store = SiteStore(path)
    found = [
        each.number for each in (*store.games.find_unfiled(is_over=False), *store.games.find_unfiled(is_over=True))
    ]
    assert found == [4, 8]
    store.close()


def test_a_game_that_can_be_neither_read_nor_put_aside_does_not_stop_the_start(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    store.games.write(AccountGame.new(1, "go:size=5", {BLACK: "alpha", WHITE: "bravo"}, 600.0, 0.25))
    store.database.run_script("update lines set line = '[]' where number = 0")
    store.close()
    (tmp_path / "aside").write_text("not a folder")

    async def test() -> None:
        for _ in range(2):
            async with serving(tmp_path) as server:
                assert not server.lobby.running
                assert "or put aside" in server.log[0]

    run(test())


def test_control_characters_reach_no_log(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\r\n2026-01-01T00:00:00.000Z refused 203.0.113.7 x: y\x9b\u2028"
    _log(f"refused 192.0.2.1, {evil} x: y")
    handlers = logging.root.handlers
    logging.root.handlers = []
    try:
        log_warnings()
        try:
            raise ValueError(evil)
        except ValueError:
            logging.getLogger("gtp_variants.site.page").warning("a bot failed: %s", evil, exc_info=True)
    finally:
        logging.root.handlers = handlers
    lines = capsys.readouterr().err.split("\n")
    assert all(line.isprintable() for line in lines)
    # Nothing but the two messages begins a line.
    assert [line[:20] for line in lines if line and not line.startswith(" ")][1:] == ["a bot failed:  [2J  "]


def test_a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            inner = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            head = f"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {5 + len(inner)}\r\n".encode()
            writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner)
            async with asyncio.timeout(PATIENCE_S):
                answers = await reader.read()
            assert answers.startswith(b"HTTP/1.1 400 ")
            assert answers.count(b"HTTP/1.1") == 1
            writer.close()

    run(test())
