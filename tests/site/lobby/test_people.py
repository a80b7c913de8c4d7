"""People who play from the page: against bots and each other, rated apart, and told what their seat may know."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import httpx
import pytest
import websockets
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol
from websockets.asyncio.client import ClientConnection, connect

from gtp_variants.base import connection_gate as gate
from gtp_variants.base.connection_gate import ConnectionLimits
from gtp_variants.base.json_values import Json
from gtp_variants.site.http import GatedHttp
from gtp_variants.site.lobby import application
from gtp_variants.site.lobby.application import SitePort
from gtp_variants.site.lobby.people import PersonLine
from tests.site.lobby.servers import PATIENCE_S, Client, Server, run, serving
from tests.support.waiting import until


@asynccontextmanager
async def site(server: Server) -> AsyncIterator[SitePort]:
    served = SitePort(server.lobby, server.folder, server.listener.gate, "127.0.0.1", 0)
    try:
        yield served
    finally:
        await served.close()


class Person:
    """Somebody at a browser."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self.told: list[Json] = []

    @classmethod
    async def come(
        cls, served: SitePort, name: str, password: str = "secret", games: list[str] | None = None
    ) -> "Person":
        line = await connect(f"ws://127.0.0.1:{served.port}/api/play")
        await line.send(json.dumps({"name": name, "password": password, "games": games or ["go", "phantom", "aleago"]}))
        return cls(line)

    async def type(self, word: str) -> None:
        await self._line.send(json.dumps({"line": word}))

    async def until(self, key: str, beginning: str = "") -> Json:
        """The next message with this key, of lines the next that begins so."""
        while True:
            said: Json = json.loads(await self._line.recv())
            self.told.append(said)
            if key in said and (key != "line" or said["line"].startswith(beginning)):
                return said

    async def until_asked(self) -> Json:
        """The state in which they are to move."""
        while True:
            state: Json | None = (await self.until("state"))["state"]
            if state is not None and state["asked"] == state["me"]:
                return state

    async def leave(self) -> None:
        await self._line.close()


def test_a_person_plays_a_bot_and_moves_no_rating_of_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            ann, bot = await Person.come(served, "ann"), await Client("bot").come(server.port)
            board = (await ann.until("board"))["board"]
            assert board["svg"].startswith("<svg")
            assert len(board["places"]) == 25
            await bot.until("setup")
            (game,) = server.lobby.running.values()
            if game.names[1] == "ann":
                assert "C3" in (await ann.until_asked())["legal"]
                await ann.type("C3")
                assert (await bot.until("play")).split()[2] == "C3"
                await bot.until("genmove")
            else:
                await bot.until("genmove")
            bot.type("d4")
            state = await ann.until_asked()
            assert state["stones"]["D4"] == ("b" if game.names[1] == "bot" else "w")
            await bot.until("genmove") if game.asked != game.colour("ann") else None
            # A line that is lost: the same game, and the board at once.
            await ann.leave()
            await until(lambda: "ann" not in server.lobby.guests, "the cut")
            ann = await Person.come(served, "ann")
            await ann.until_asked()
            await ann.type("resign")
            end = (await ann.until("line", "gameover"))["line"]
            assert "+Resign" in end
            person, program = server.store.account("ann"), server.store.account("bot")
            assert person is not None
            assert program is not None
            assert (person.kind, person.rating, program.kind, program.rating) == ("person", 1476.0, "bot", 1500.0)
            await ann.leave()

    run(test())


def test_person_and_bot_accounts_are_not_interchangeable(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            ann = await Person.come(served, "ann", games=["aleago"])
            await ann.until("line", "info this server offers no game")
            await Client("bot").come(server.port)
            await until(lambda: len(server.lobby.guests) == 2, "the logins")
            as_bot = await Client("ann").come(server.port)
            assert await as_bot.until("Error") == "Error: the account ann plays from the page"
            as_person = await Person.come(served, "bot")
            assert "is a bot's" in (await as_person.until("line", "Error"))["line"]
            wrong = await Person.come(served, "ann", "tulips")
            assert (await wrong.until("line", "Error"))["line"].endswith("match")
            assert set(server.lobby.guests) == {"ann", "bot"}
            await ann.leave()

    run(test())


def test_a_persons_browser_hears_of_a_hidden_game_what_the_seat_may_know(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "phantom:size=5") as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.until("line", "setup")
            (game,) = server.lobby.running.values()
            black, white = people[game.names[1]], people[game.names[2]]
            await black.until_asked()
            await black.type("C3")
            state = await white.until_asked()
            assert state["stones"] == {}
            assert "C3" in state["legal"]
            assert "C3" not in json.dumps([each for each in white.told if "line" in each])
            await white.type("c3")
            await white.until("line", "hear w refused C3")
            state = await white.until_asked()
            assert "C3" not in state["legal"]
            assert (state["tried"], state["stones"]) == (["C3"], {})
            for person in people.values():
                await person.leave()

    run(test())


def test_a_browser_player_sees_their_stone_before_the_reply(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.until("line", "setup")
            (game,) = server.lobby.running.values()
            black = people[game.names[1]]
            await black.until_asked()
            await black.type("C3")
            state = (await black.until("state"))["state"]
            assert (state["stones"], state["asked"]) == ({"C3": "b"}, "w")
            for person in people.values():
                await person.leave()

    run(test())


def test_each_side_is_told_when_the_clock_begins_to_run_and_what_of_a_move_is_free(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, pause_s=0.2, gift_s=30.0) as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.until("line", "setup")
            (game,) = server.lobby.running.values()
            for name in (game.names[1], game.names[2]):
                waiting, begun = [(await people[name].until("state"))["state"] for _ in range(2)]
                assert (waiting["running"], waiting["asked"], waiting["free_s"]) == (False, "b", 30.0)
                assert (begun["running"], begun["left_s"]) == (True, {"b": 600.0, "w": 600.0})
                assert 0.0 < begun["free_s"] < 30.0
            for person in people.values():
                await person.leave()

    run(test())


@pytest.mark.slow
def test_a_browser_that_reads_nothing_is_gone_when_it_is_sent_away(tmp_path: Path) -> None:
    class Deaf:
        """A socket to which nothing can be written, and that says nothing after its login."""

        client = None

        def __init__(self) -> None:
            self._said = [json.dumps({"name": "ann", "password": "secret"})]

        async def accept(self) -> None:
            pass

        async def receive_text(self) -> str:
            if not self._said:
                await asyncio.Event().wait()
            return self._said.pop()

        async def send_json(self, what: Json) -> None:
            await asyncio.Event().wait()

    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5") as server:
            serve = asyncio.create_task(PersonLine(server.lobby, server.listener.gate, cast(WebSocket, Deaf())).serve())
            await until(lambda: "ann" in server.lobby.guests, "the login")
            (ann,) = server.lobby.find_guests("ann")
            server.lobby.send_away(ann, "a test")
            await serve
            assert not server.lobby.guests

    run(test())


def test_noise_from_browsers_ends_their_line_only(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            for noise in (
                "",
                "[]",
                "{",
                "null",
                '{"name": {}}',
                '{"name": "x\\ny", "password": "secret"}',
                "[" * 3000,
                "x" * 9000,
            ):
                line = await connect(f"ws://127.0.0.1:{served.port}/api/play")
                await line.send(noise)
                try:
                    while True:
                        await line.recv()
                except websockets.ConnectionClosed:
                    pass
            ann = await Person.come(served, "ann")
            await until(lambda: "ann" in server.lobby.guests, "the login")
            for _ in range(60):
                await ann.type("noise")
            assert "too many lines" in (await ann.until("line", "Error"))["line"]
            await until(lambda: not server.lobby.guests, "the end")

    run(test())


def test_silent_sockets_displace_each_other_and_close_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "_CONNECTIONS", 12)

    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(half_open=4)) as server, site(server) as served:
            door = server.listener.gate
            ann = await Person.come(served, "ann")
            await until(lambda: "ann" in server.lobby.guests, "the login")
            mute = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(20)]
            shut = [await connect(f"ws://127.0.0.1:{served.port}/api/play") for _ in range(20)]
            assert door.half_open <= 4
            # Those who came first made room for those who came later.
            async with asyncio.timeout(PATIENCE_S):
                assert await mute[0][0].read() == b""
                assert "too many connections" in await shut[0].recv()
            async with httpx.AsyncClient(timeout=PATIENCE_S) as page:
                assert (await page.get(f"http://127.0.0.1:{served.port}/health")).status_code == 200
            bob = await Person.come(served, "bob")
            await until(lambda: "bob" in server.lobby.guests, "another login")
            for each in (ann, bob):
                await each.leave()
            for line in shut:
                await line.close()
            for _, writer in mute:
                writer.close()
            await until(lambda: door.half_open == 0, "nobody at the gate")

    run(test())


def test_a_client_that_reads_nothing_blocks_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paused: set[GatedHttp] = set()
    pause = H11Protocol.pause_writing

    def note_pause(line: GatedHttp) -> None:
        paused.add(line)
        pause(line)

    monkeypatch.setattr(H11Protocol, "pause_writing", note_pause)

    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(half_open=4)) as server, site(server) as served:
            deaf = []
            for _ in range(4):
                line = socket.socket()
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                line.connect(("127.0.0.1", served.port))
                line.setblocking(False)
                with suppress(BlockingIOError):
                    line.send(b"GET /play.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1200)
                deaf.append(line)
            await until(lambda: len(paused) == 4, "four that read nothing")
            async with httpx.AsyncClient(timeout=PATIENCE_S) as page:
                assert (await page.get(f"http://127.0.0.1:{served.port}/health")).status_code == 200
            for line in deaf:
                line.close()
            await until(lambda: server.listener.gate.half_open == 0, "nobody at the gate")

    run(test())


def test_password_guessing_on_the_page_is_locked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "is_here", lambda address: False)

    async def test() -> None:
        limits = ConnectionLimits(faults_at_once=2.0, faults_a_second=0.001)
        async with serving(tmp_path, limits=limits) as server, site(server) as served:
            for _ in range(2):
                guess = await Person.come(served, "ann", password="not one word")
                assert "Error" in (await guess.until("line", "Error"))["line"]
            with pytest.raises((websockets.InvalidHandshake, OSError)):
                await Person.come(served, "ann")

    run(test())
