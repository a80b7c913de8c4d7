"""People who play from the page: against bots and each other, rated apart, and told what their seat may know."""

import asyncio
import json
import socket
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import websockets
from uvicorn.protocols.http.h11_impl import H11Protocol
from websockets.asyncio.client import connect

from gtp_variants.base import connection_gate as gate
from gtp_variants.base.connection_gate import ConnectionLimits
from gtp_variants.site.access import account_store
from gtp_variants.site.access.accounts import Account, hash_password
from gtp_variants.site.access.passwords import load_key
from gtp_variants.site.access.visitors import Visitors
from gtp_variants.site.http import GatedHttp
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.lobby import Lobby
from tests.site.lobby.people import Ear, Person, sign_in, site
from tests.site.lobby.servers import PATIENCE_S, Client, run, serving
from tests.support.waiting import until

# The accounts of the package's bots.
OURS = ["Pip", "Wren", "Moss", "Heron", "Otter", "Lynx", "Raven", "Old.Oak"]


def test_a_person_plays_a_bot_and_moves_no_rating_of_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            ann, bot = await Person.come(served, "ann"), await Client("bot").come(server.port)
            begun = await ann.sit()
            await bot.until("setup")
            (game,) = server.lobby.running.values()
            assert (begun["game"], begun["rated"], begun["title"]) == ("1", True, "Go")
            letters = {game.names[1]: "b", game.names[2]: "w"}
            assert begun["you"] == letters["ann"]
            assert {letter: each["bot"] for letter, each in begun["seats"].items()} == {
                "b": game.names[1],
                "w": game.names[2],
            }
            assert begun["seats"]["b"]["rating"] == "1500?"
            if game.names[1] == "ann":
                assert "C3" in (await ann.until_asked())["legal"]
                await ann.do("play", at="C3")
                assert (await bot.until("play")).split()[2] == "C3"
            await bot.until("genmove")
            bot.type("d4")
            state = await ann.until_asked()
            assert state["stones"]["D4"] == letters["bot"]
            # A line that is lost: the lobby leads to the same game, and the board comes at once.
            await ann.leave()
            await until(lambda: "ann" not in server.lobby.guests, "the cut")
            ann = await Person.come(served, "ann")
            assert (await ann.sit())["state"]["stones"]["D4"] == letters["bot"]
            await ann.do("resign")
            assert "+Resign" in await bot.until("gameover")
            person, program = server.store.accounts.find("ann"), server.store.accounts.find("bot")
            assert person is not None
            assert program is not None
            assert (person.kind, program.kind) == ("person", "bot")
            ratings = {name: server.store.accounts.rating(name, "go") for name in ("ann", "bot")}
            assert {name: (each.shown, each.games) for name, each in ratings.items()} == {
                "ann": ("1338?", 1),
                "bot": ("1500?", 1),
            }
            assert ann.table is not None
            while not (state := (await ann.table.take()).get("state", {})).get("final"):
                pass
            assert state["rating"] == {letters["ann"]: ["1500?", "1338?"], letters["bot"]: ["1500?", "1500?"]}
            await ann.leave()

    run(test())


def test_person_and_bot_accounts_are_not_interchangeable(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            ann = await Person.come(served, "ann", games=["aleago"])
            await Client("bot").come(server.port)
            await until(lambda: len(server.lobby.guests) == 2, "the logins")
            as_bot = await Client("ann").come(server.port)
            assert await as_bot.until("Error") == "Error: the account ann belongs to a person; sign in on the page"
            as_person = await sign_in(served.port, "bot")
            assert (as_person.status_code, "belongs to a bot" in as_person.json()["error"]) == (403, True)
            wrong = await sign_in(served.port, "ann", "tulips")
            assert (wrong.status_code, wrong.json()["error"].endswith("match")) == (403, True)
            # They are a guest as before.
            assert "=~" in wrong.headers["set-cookie"]
            assert set(server.lobby.guests) == {"ann", "bot"}
            await ann.leave()

    run(test())


def test_a_false_or_old_cookie_signs_nobody_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            cookie = (await sign_in(served.port, "ann")).headers["set-cookie"].partition(";")[0]
            key, _, rest = cookie.partition("=")
            name, until_s, mac = rest.split(":")
            others = Visitors(b"another key")._sign(name, until_s)
            expired = f"ann:1:{Visitors(load_key(tmp_path / 'session.key'))._sign('ann', '1')}"
            lies = (
                expired,
                f"ben:{until_s}:{mac}",
                f"ann:{until_s}0:{mac}",
                f"ann:{until_s}:{others}",
                "ann",
                "ann::",
                "::é",
                "",
            )
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}", timeout=PATIENCE_S) as client:
                for told, who in ((cookie, "ann"), *((f"{key}={lie}", "") for lie in lies)):
                    said = await client.get("/api/about", headers={b"cookie": told.encode()})
                    assert said.json()["you"] == who, told
                    client.cookies.clear()
            stranger = await Ear.open(served.port, "/api/lobby", f"{key}={lies[0]}", do="seek")
            assert (await stranger.until("info"))["text"] == "your browser must keep cookies"
            await stranger.close()
            assert not server.lobby.guests

    run(test())


def test_a_new_password_signs_all_browsers_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            cookie = (await sign_in(served.port, "ann")).headers["set-cookie"].partition(";")[0]
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}", timeout=PATIENCE_S) as client:
                for who in ("ann", ""):
                    said = await client.get("/api/about", headers={"cookie": cookie})
                    assert said.json()["you"] == who
                    client.cookies.clear()
                    # The operator gives the account another password, later.
                    later = SimpleNamespace(time=lambda: time.time() + 2.0)
                    monkeypatch.setattr(account_store, "time", later)
                    server.store.accounts.write(Account("ann", hash_password("tulips")))

    run(test())


def test_a_persons_browser_hears_of_a_hidden_game_what_the_seat_may_know(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "phantom:size=5") as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.sit()
            (game,) = server.lobby.running.values()
            black, white = people[game.names[1]], people[game.names[2]]
            await black.until_asked()
            await black.do("play", at="C3")
            state = await white.until_asked()
            assert state["stones"] == {}
            assert "C3" in state["legal"]
            assert white.table is not None
            assert "C3" not in json.dumps([each.get("news") for each in white.table.told])
            await white.do("play", at="C3")
            refused = (await white.table.until("news"))["news"]
            assert [(item["kind"], item.get("refused")) for item in refused] == [("refused", True)] or refused
            assert (await white.until_asked())["stones"] == {}
            for person in people.values():
                await person.leave()

    run(test())


def test_a_rated_game_gives_no_advice_and_takes_nothing_back(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.sit()
            (game,) = server.lobby.running.values()
            black = people[game.names[1]]
            await black.until_asked()
            await black.do("play", at="C3")
            assert black.table is not None
            for word in ("hint", "undo", "draw", "abort", "again", "analysis", "allow", "dead"):
                await black.do(word, at=0)
                assert (await black.table.until("error"))["error"], word
            # A move that the rules forbid is refused: it costs a person nothing.
            white = people[game.names[2]]
            await white.until_asked()
            await white.do("play", at="C3")
            assert white.table is not None
            assert "C3" in (await white.table.until("error"))["error"]
            assert not game.result
            assert [event.actor for event in game.game.events] == [1]
            for person in people.values():
                await person.leave()

    run(test())


def test_each_side_is_told_when_the_clock_begins_to_run_and_what_of_a_move_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        start, is_seen, tasks = Lobby._start, asyncio.Event(), list[asyncio.Task[None]]()

        async def start_once_seen(lobby: Lobby, game: AccountGame) -> None:
            await is_seen.wait()
            start(lobby, game)

        def start_late(lobby: Lobby, game: AccountGame) -> None:
            tasks.append(asyncio.create_task(start_once_seen(lobby, game)))

        # However long they take to sit down, the pause has not passed before.
        monkeypatch.setattr(Lobby, "_start", start_late)
        async with serving(tmp_path, pause_s=0.1, gift_s=30.0) as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            begun = await asyncio.gather(*(person.sit() for person in people.values()))
            is_seen.set()
            for person, whole in zip(people.values(), begun, strict=True):
                waiting = whole["state"]
                assert (waiting["waiting"], waiting["asked"], waiting["legal"]) == (True, None, [])
                assert person.table is not None
                told = (await person.table.until("game"))["state"]
                assert (told["running"], told["clocks"], told["asked"]) == (True, {"b": 600.0, "w": 600.0}, "b")
                assert 0.0 < told["free_s"] <= 30.0
            for person in people.values():
                await person.leave()

    run(test())


@pytest.mark.parametrize("whom", ["127.0.0.1", "ann", "ben"])
def test_somebody_who_is_banned_plays_no_further(tmp_path: Path, whom: str) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.sit()
            (game,) = server.lobby.running.values()
            black = people[game.names[1]]
            await black.until_asked()
            server.lobby.bans.add(whom, 3600.0)
            await black.do("play", at="C3")
            assert black.table is not None
            if whom == "127.0.0.1":
                with pytest.raises(websockets.ConnectionClosed):
                    await black.table.until("error")
            elif whom == black.name:
                assert "banned" in (await black.table.until("error"))["error"]
            else:
                await black.table.until("news")
            assert len(game.game.events) == (whom not in ("127.0.0.1", black.name))

    run(test())


def test_the_lobby_tells_who_waits_and_what_is_played(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "go:size=5", "aleago:size=5") as server, site(server) as served:
            stranger = await Ear.open(served.port, "/api/lobby", "", do="look")
            empty = await stranger.until("lobby")
            assert (empty["games"], empty["running"]) == (["go", "aleago"], [])
            # The package's bots are always there; by a password their names are nobody else's.
            assert [each["name"] for each in empty["here"]] == OURS
            await Client("bot", "aleago").come(server.port)
            ann = await Person.come(served, "ann", games=["go"])
            while len((told := await stranger.until("lobby"))["here"]) < 2 + len(OURS):
                pass
            assert [(each["name"], each["kind"]) for each in told["here"][:2]] == [("ann", "person"), ("bot", "bot")]
            await ann.lobby.send(do="rest")
            while (told := await stranger.until("lobby"))["here"][0]["waits"]:
                pass
            await ann.lobby.send(do="seek", games=["aleago"])
            await ann.sit()
            while not (told := await stranger.until("lobby"))["running"]:
                pass
            (running,) = told["running"]
            assert (running["game"], running["title"], sorted(running["players"])) == ("1", "Aléago", ["ann", "bot"])
            # Anybody may watch.
            watcher = await Ear.open(served.port, "/api/socket", "", join="1")
            assert (await watcher.until("game"))["you"] is None
            for ear in (stranger, watcher):
                await ear.close()
            await ann.leave()

    run(test())


def test_a_finished_game_is_reviewed_on_the_same_board(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            people = {name: await Person.come(served, name) for name in ("ann", "ben")}
            for person in people.values():
                await person.sit()
            (game,) = server.lobby.running.values()
            black = people[game.names[1]]
            await black.until_asked()
            await black.do("play", at="C3")
            await black.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            for person in people.values():
                await person.leave()
            reader = await Ear.open(served.port, "/api/socket", "", join="1")
            whole = await reader.until("game")
            assert (whole["state"]["final"], whole["state"]["result"], len(whole["news"])) == (True, "W+R", 2)
            await reader.close()
            nobody = await Ear.open(served.port, "/api/socket", "", join="2")
            assert (await nobody.until("error"))["key"] == "page.no_game"

    run(test())


def test_a_later_connection_of_an_account_replaces_the_earlier_one(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            first = await Person.come(served, "ann")
            await until(lambda: "ann" in server.lobby.guests, "the login")
            second = await Person.come(served, "ann")
            assert "another login" in (await first.lobby.until("info"))["text"]
            await first.lobby.until("away")
            await second.lobby.send(do="rest")
            assert "ann" in server.lobby.guests
            await second.leave()

    run(test())


def test_noise_from_browsers_ends_their_line_only(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            for noise in ("", "[]", "{", "null", "[" * 3000, "x" * 9000, "x" * 99_000):
                line = await connect(f"ws://127.0.0.1:{served.port}/api/lobby", open_timeout=PATIENCE_S, proxy=None)
                await line.send(noise)
                with pytest.raises(websockets.ConnectionClosed):
                    await asyncio.wait_for(line.recv(), PATIENCE_S)
            ann = await Person.come(served, "ann", games=["nothing", "go"])
            await until(lambda: "ann" in server.lobby.guests, "the login")
            with suppress(websockets.ConnectionClosed):
                for _ in range(60):
                    await ann.lobby.send(do="noise", games={})
            await until(lambda: not server.lobby.guests, "the end")
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}", timeout=PATIENCE_S) as client:
                for body in (b"", b"[]", b'{"name": {}}', b'{"name": "x\\ny", "password": "secret"}', b"x" * 9000):
                    said = await client.post("/api/session", content=body, headers={"content-type": "application/json"})
                    assert said.status_code in (400, 403, 413)

    run(test())


def test_silent_sockets_displace_each_other_and_close_no_page(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(half_open=4)) as server, site(server) as served:
            door = server.listener.gate
            ann = await Person.come(served, "ann")
            await until(lambda: "ann" in server.lobby.guests, "the login")
            mute = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(20)]
            address = f"ws://127.0.0.1:{served.port}/api/lobby"
            shut = [await connect(address, open_timeout=PATIENCE_S, proxy=None) for _ in range(20)]
            assert door.half_open <= 4
            # Those who came first made room for those who came later.
            async with asyncio.timeout(PATIENCE_S):
                assert await mute[0][0].read() == b""
                with pytest.raises(websockets.ConnectionClosed):
                    await shut[0].recv()
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


def test_guests_who_only_look_displace_each_other_and_no_account(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(half_open=4)) as server, site(server) as served:
            assert served._server.config.limit_concurrency == 2 * (600 + 1000)
            crowd = []
            for _ in range(7):
                crowd.append(await Ear.open(served.port, "/api/lobby", "", do="ping"))
                await crowd[-1].until("pong")
            for displaced in crowd[:3]:
                with pytest.raises(websockets.ConnectionClosed):
                    await displaced.until("never")
            assert server.listener.gate.half_open == 4
            ann = await Person.come(served, "ann")
            assert (await ann.lobby.until("lobby"))["type"] == "lobby"
            await until(lambda: "ann" in server.lobby.guests, "the login")
            for ear in crowd:
                await ear.close()
            await ann.leave()
            await until(lambda: server.listener.gate.half_open == 0, "nobody at the gate")

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
                    line.send(b"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1200)
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
                assert (await sign_in(served.port, "ann", "not one word")).status_code == 403
            assert (await sign_in(served.port, "ann")).text.startswith("access from this address is refused")

    run(test())
