"""Running and watching a server: admin commands, draining, health, metrics, standings, games on the page."""

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gtp_variants.base.database import Database
from gtp_variants.cli import main
from gtp_variants.cli.compete import server as command
from gtp_variants.errors import Refused
from gtp_variants.site.access.accounts import Account
from gtp_variants.site.http import open_port
from gtp_variants.site.lobby.admin import FILE, Admin, AdminPort, tell_server
from gtp_variants.site.lobby.application import SitePort
from tests.site.lobby.servers import PATIENCE_S, Client, Server, run, serving
from tests.support.programs import COMMAND
from tests.support.waiting import until


@asynccontextmanager
async def running(folder: Path, *specs: str, **more: Any) -> AsyncIterator[Server]:
    """A server that listens to who runs it."""
    async with serving(folder, *specs, **more) as server:
        port = AdminPort(Admin(server.lobby, server.log.append), folder)
        await port.open()
        try:
            yield server
        finally:
            port.close()


@asynccontextmanager
async def browsing(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    site = SitePort(server.lobby, server.folder, server.listener.gate, open_port("127.0.0.1", 0))
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{site.port}", timeout=PATIENCE_S) as client:
            yield client
    finally:
        await site.close()


@pytest.mark.parametrize("number", ["0", "77", "9" * 18, "9" * 19, "9" * 5000])
def test_an_unknown_game_number_is_not_found(tmp_path: Path, number: str) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, browsing(server) as page:
            for ending in ("", ".sgf"):
                assert (await page.get(f"/game/{number}{ending}")).status_code == 404

    run(test())


async def say(server: Server, *words: str) -> str:
    return await tell_server(server.folder, words)


async def two_at_play(server: Server, games: str | None = None) -> list[Client]:
    clients = [await Client(name, games).come(server.port) for name in ("alpha", "bravo")]
    for client in clients:
        await client.until("setup")
    return clients


def test_the_admin_log_shows_ends_and_bans(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as server:
            alpha, bravo = await two_at_play(server)
            assert (await say(server, "who")).splitlines() == [
                "alpha (bot) from 127.0.0.1 plays game 1 test/1",
                "bravo (bot) from 127.0.0.1 plays game 1 test/1",
            ]
            assert "alpha" in await say(server, "games")
            assert await say(server, "message", "all", "tea", "is", "ready") == "told to 2"
            assert await alpha.until("info") == "info tea is ready"
            assert await say(server, "abort", "1", "a", "test") == "game 1 is over"
            assert (await alpha.until("gameover")).endswith(" Abort a test")
            assert (await bravo.until("gameover")).split()[2] == "Abort"
            assert [server.store.accounts.ratings(name) for name in ("alpha", "bravo")] == [{}, {}]
            assert "alpha is banned" in await say(server, "ban", "alpha", "1h", "it", "tests")
            assert await alpha.until("Error") == "Error: disconnected by the operator: it tests"
            again = await Client("alpha").come(server.port)
            assert await again.until("Error") == "Error: this account is banned: it tests"
            assert "it tests" in await say(server, "bans")
            assert await say(server, "unban", "alpha") == "alpha is let in again"
            assert "bravo" in await say(server, "kick", "::FFFF:127.0.0.1")
            assert await bravo.read() == "Error: disconnected by the operator"
            for wrong in (("abort", "x"), ("abort",), ("unban", "echo"), ("message", "alpha"), ("shout",), ()):
                with pytest.raises(Refused):
                    await say(server, *wrong)

    run(test())


@pytest.mark.parametrize("length", ["0", "0s", "1d", "5000h", "3"])
def test_an_invalid_ban_duration_changes_no_ban(tmp_path: Path, length: str) -> None:
    async def test() -> None:
        async with running(tmp_path) as server:
            await say(server, "ban", "alpha", "1h", "it", "tests")
            with pytest.raises(Refused, match=f"{length}: expected a duration"):
                await say(server, "ban", "alpha", length, "strikes")
            assert " until " in await say(server, "bans")

    run(test())


@pytest.mark.slow
def test_viewers_are_kicked_and_banned_as_players_are(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as server:
            await two_at_play(server)
            watching, silent = await Client("viewer").connect(server.port), await Client("silent").connect(server.port)
            watching.type("v1 screen/2")
            watching.type("observe 1")
            await watching.until("setup 1")
            assert (await say(server, "who")).splitlines()[2:] == ["a viewer from 127.0.0.1 watches game 1 screen/2"]
            assert "told to a viewer" in await say(server, "message", "127.0.0.1", "tea", "is", "ready")
            assert await watching.until("info") == "info tea is ready"
            # A program's name is nobody's, and nor is an empty one.
            for nobody in ("screen/2", "viewer", ""):
                assert await say(server, "kick", nobody) == f"nobody from {nobody} is here"
            said = await say(server, "kick", "127.0.0.1", "it", "tests")
            assert sorted(line.partition(" from")[0] for line in said.splitlines()) == [
                "a viewer",
                "alpha",
                "bravo",
                "somebody who has not logged in",
            ]
            for client in (watching, silent):
                assert await client.until("Error") == "Error: disconnected by the operator: it tests"
                assert await client.read() == ""
            await until(lambda: "viewers 0\n" in server.lobby.metrics.write(), "the end of the viewer")
            again = await Client("viewer").connect(server.port)
            again.type("v1 screen/2")
            await again.until("match 1")
            assert "a viewer from 127.0.0.1 was disconnected" in await say(server, "ban", "127.0.0.1")
            assert await again.until("Error") == "Error: disconnected by the operator"
            late = await Client("viewer").connect(server.port)
            assert await late.read() == ""

    run(test())


def test_a_banned_address_is_shown_no_pages_and_its_people_are_sent_away(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as server:
            site = SitePort(server.lobby, server.folder, server.listener.gate, open_port("127.0.0.1", 0))
            address = f"127.0.0.1:{site.port}"
            try:
                async with httpx.AsyncClient(base_url=f"http://{address}", timeout=PATIENCE_S) as client:
                    assert (await client.get("/")).status_code == 200
                    # One who has not said yet who they are is sent away as well.
                    async with connect(f"ws://{address}/api/lobby", open_timeout=PATIENCE_S) as line:
                        await line.send('{"do": "look"}')
                        assert [json.loads(await line.recv())["type"] for _ in range(2)] == ["you", "lobby"]
                        await until(lambda: "connections_total 1\n" in server.lobby.metrics.write(), "the browser")
                        assert "somebody who has not" in await say(server, "ban", "127.0.0.1", "1h", "it", "tests")
                        assert json.loads(await line.recv())["text"].startswith("disconnected by the operator")
                        assert json.loads(await line.recv())["type"] == "away"
                        with pytest.raises(ConnectionClosed):
                            await line.recv()
                    for path in ("/", "/game/1", "/health", "/play", "/nowhere"):
                        assert (await client.get(path)).status_code == 403
                    with pytest.raises(InvalidStatus):
                        await connect(f"ws://{address}/api/lobby", open_timeout=PATIENCE_S)
                    await say(server, "unban", "127.0.0.1")
                    assert (await client.get("/")).status_code == 200
            finally:
                await site.close()

    run(test())


def test_only_users_who_can_read_the_folder_may_administer(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as server:
            path = tmp_path / FILE
            assert path.stat().st_mode & 0o077 == 0
            found = json.loads(path.read_text(encoding="utf-8"))
            for said in (b'{"key": "x", "words": ["drain"]}\n', b"[]\n", b"drain\n", b"[" * 3000 + b"\n"):
                reader, writer = await asyncio.open_connection("127.0.0.1", found["port"])
                writer.write(said)
                assert b"lines" not in await reader.read()
                writer.close()
            assert not server.lobby.entrance.is_draining
        assert not path.exists()
        with pytest.raises(OSError, match="no server runs"):
            await say(server, "who")

    run(test())


def test_a_drained_server_ends_after_its_games_and_begins_no_more(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as server:
            clients = await two_at_play(server)
            assert "after 1 in progress" in await say(server, "drain")
            late = await Client("charlie").come(server.port)
            assert "the server is closing" in await late.until("Error")
            # Who plays comes back.
            clients[0].cut()
            await until(lambda: "alpha" not in server.lobby.guests, "the cut")
            clients[0] = await Client("alpha").come(server.port)
            await clients[0].until("setup 1 ")
            assert not server.lobby.is_empty.is_set()
            (game,) = server.lobby.running.values()
            black = next(client for client in clients if client.name == game.names[1])
            await black.until("genmove")
            black.type("resign")
            await black.until("gameover")
            await server.lobby.is_empty.wait()

    run(test())


def test_programs_ask_how_the_server_is(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as server, browsing(server) as browser:
            clients = await two_at_play(server)
            (game,) = server.lobby.running.values()
            black = next(client for client in clients if client.name == game.names[1])
            await black.until("genmove")
            black.type("C3")
            await until(lambda: "moves_total 1\n" in server.lobby.metrics.write(), "the move")
            health = await browser.get("/health")
            assert (health.status_code, health.json()) == (200, {"status": "ok", "players": 2, "games": 1})
            told = (await browser.get("/metrics")).text
            for line in ("games 1", "players 2", "moves_total 1", "logins_total 2", "move_seconds_count 1"):
                assert f"gtp_variants_server_{line}\n" in told
            assert 'move_seconds_bucket{le="+Inf"} 1' in told
            server.lobby.drain()
            assert (await browser.get("/health")).status_code == 503

    run(test())


def test_missing_and_unreadable_pages_are_reported_in_the_readers_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no such disk")

    async def test() -> None:
        async with serving(tmp_path) as server, browsing(server) as browser:
            browser.headers["accept-language"] = "fr"
            for nothing in ("/game/7", "/player/nobody"):
                missing = await browser.get(nothing)
                assert (missing.status_code, "Il n'y a rien ici." in unescape(missing.text)) == (404, True)
            monkeypatch.setattr(Database, "rows", fail)
            for page in ("/standings", "/games", "/player/nobody", "/game/7"):
                failed = await browser.get(page)
                assert (failed.status_code, "Illisible pour le moment." in failed.text) == (503, True)
            assert (await browser.get("/game/7.sgf")).status_code == 503

    run(test())


def test_people_see_standings_ratings_and_games(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, anchors={"bravo": 1800.0}) as server, browsing(server) as browser:
            assert "Nobody has finished a game yet." in (await browser.get("/standings")).text
            assert (await browser.get("/player/alpha")).status_code == 404
            clients = await two_at_play(server)
            (game,) = server.lobby.running.values()

            assert 'href="/#game=1"' in (await browser.get("/game/1")).text
            black, white = (next(c for c in clients if c.name == game.names[colour]) for colour in (1, 2))
            await black.until("genmove")
            black.type("C3")
            await white.until("genmove")
            white.type("resign")
            await black.until("gameover")
            server.store.accounts.write(Account("ann", "x", "person"))
            row = ("ann", "go", 1612.0, 200.0, 0.06, 3)
            server.store.database.write("a rating", "insert into ratings values (?, ?, ?, ?, ?, ?)", row)
            player = (await browser.get("/player/ALPHA")).text
            assert "<polyline" in player
            assert 'href="/game/1"' in player
            page = await browser.get("/standings", headers={"accept-language": "fr"})
            assert "Classement" in page.text
            assert "1800" in page.text
            assert "1612? <small>± 400</small>" in page.text
            assert page.text.index("Programmes") < page.text.index("ann")
            assert "script" not in page.headers["content-security-policy"]
            record = await browser.get("/game/1.sgf")
            assert record.text.startswith("(;")
            assert "B[" in record.text
            assert (await browser.get("/game/1")).status_code == 200
            other_spellings = ("/game/01", "/game/1.0", "/game/%201", "/game/1e0")
            for nothing in ("/game/7", "/game/7.sgf", *other_spellings, "/player/%3Cb%3E", "/etc"):
                missing = await browser.get(nothing)
                assert (missing.status_code, "<b>" in missing.text) == (404, False)

    run(test())


def test_a_hidden_game_is_not_shown_before_its_end(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, "phantom:size=5") as server, browsing(server) as browser:
            clients = await two_at_play(server, "phantom")
            (game,) = server.lobby.running.values()
            black = next(client for client in clients if client.name == game.names[1])
            await black.until("genmove")
            black.type("C3")
            await black.until("hear")
            for path in ("/game/1", "/game/1.sgf", "/standings", "/games", "/api/games/1/picture.svg", "/api/games/1"):
                told = (await browser.get(path)).text
                assert "C3" not in told
                assert "<circle" not in told

    run(test())


@pytest.mark.slow
def test_the_command_serves_pages_and_hears_its_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*COMMAND, "server", "go:size=5", "--port", "0", "--http", "0", "--dir", str(tmp_path), "--pause", "0s"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("listening on 127.0.0.1:")
        address = process.stdout.readline().split()[-1]
        assert httpx.get(f"{address}/health", timeout=PATIENCE_S).json()["status"] == "ok"
        assert command.main(["who", "--dir", str(tmp_path)]) == 0
        assert command.main(["kick", "nobody", "--dir", str(tmp_path)]) == 0
        assert "nobody from nobody is here" in capsys.readouterr().out
        assert command.main(["drain", "--dir", str(tmp_path)]) == 0
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read().split("Z admin: ")[1].startswith("kick nobody")
    assert main(["server", "who", "--dir", str(tmp_path)]) == 2
    assert "no server runs" in capsys.readouterr().err


@pytest.mark.slow
def test_a_signal_ends_the_server_with_its_pages(tmp_path: Path) -> None:
    words = [*COMMAND, "server", "go:size=5", "--port", "0", "--http", "0", "--dir", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
