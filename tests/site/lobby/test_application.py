"""Games between accounts on the site's board: what players, other accounts and guests can do there."""

import shutil
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from gtp_variants.errors import Refused
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import BOT, Account, hash_password
from gtp_variants.site.game_store import GameRows, GameStore
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.admin import Admin
from gtp_variants.site.lobby.application import SitePort
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.tournaments import TournamentStore
from tests.site.lobby.people import Ear, Person, sign_in, site
from tests.site.lobby.servers import PATIENCE_S, Server, run, serving
from tests.support.waiting import until


@asynccontextmanager
async def playing(folder: Path, *specs: str, **more: Any) -> AsyncIterator[tuple[Server, SitePort, Person, Person]]:
    """A server, its site, and Black and White at game 1, Black to move."""
    async with serving(folder, *specs, **more) as server, site(server) as served:
        people = {name: await Person.come(served, name) for name in ("Anna", "Bert")}
        for person in people.values():
            await person.sit()
        names = server.lobby.running[1].names
        black, white = people[names[1]], people[names[2]]
        await black.until_asked()
        yield server, served, black, white
        for person in people.values():
            await person.leave()


def test_nobody_removes_a_rated_game(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, black, white):
            await black.do("play", at="C3")
            await white.until_asked()

            async def remove() -> list[int]:
                found = []
                for cookie in (black.cookie, white.cookie, ""):
                    headers = {"Cookie": cookie} if cookie else {}
                    async with httpx.AsyncClient(headers=headers, timeout=PATIENCE_S) as browser:
                        answer = await browser.delete(f"http://127.0.0.1:{served.port}/api/games/1")
                        found.append(answer.status_code)
                return found

            def count() -> list[tuple[Any, ...]]:
                rows = "select (select count(*) from games), (select count(*) from lines where game = '1')"
                return server.store.database.rows(rows)

            before = count()
            assert await remove() == [403] * 3
            await white.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            assert await remove() == [403] * 3
            server.store.games.delete("1")
            # The resignation, the end, and how it moved the ratings.
            assert (before, count(), server.store.games.next_number()) == ([(1, 2)], [(1, 5)], 2)

    run(test())


@pytest.mark.parametrize("whom", ["Anna", "ANNA", "127.0.0.1"])
def test_a_kick_closes_the_boards_too(tmp_path: Path, whom: str) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, *people):
            watcher = await Ear.open(served.port, "/api/socket", "", join="1")
            await watcher.until("game")
            lines = Admin(server.lobby, server.log.append).answer(["kick", whom])
            is_place = whom == "127.0.0.1"
            assert lines[-1] == f"boards on the site that {whom} had open: {3 if is_place else 1}, now closed"
            gone = {each.name: each.table for each in people if is_place or each.name == "Anna"}
            for board in (*gone.values(), *([watcher] if is_place else [])):
                assert board is not None
                with pytest.raises(ConnectionClosed):
                    await board.until("never")
            if not is_place:
                stays = next(each for each in people if each.name == "Bert")
                await stays.do("ping")
                assert stays.table is not None
                assert await stays.table.until("pong")
            await watcher.close()

    run(test())


def test_a_banned_account_neither_chats_nor_returns(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, *people):
            anna, bert = sorted(people, key=lambda each: each.name)
            assert anna.table is not None
            assert bert.table is not None
            server.lobby.bans.add("anna", 3600.0, "abuse")
            await anna.do("chat", text="I am here")
            assert "this account is banned: abuse" in (await anna.table.until("error"))["error"]
            again = await Ear.open(served.port, "/api/socket", anna.cookie, join="1")
            assert (await again.until("error"))["key"] == "page.sign_in"
            await bert.do("chat", text="she is not")
            assert [line["name"] for line in (await bert.table.until("chat"))["lines"]] == ["Bert"]
            await again.close()

    run(test())


def test_spectators_have_the_name_of_their_account_or_none(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (_, served, *_people):
            cora = (await sign_in(served.port, "Cora")).headers["set-cookie"].partition(";")[0]
            signed_in = await Ear.open(served.port, "/api/socket", cora, join="1", name="Anna")
            guest = await Ear.open(served.port, "/api/socket", "", join="1", name="Anna")
            while (who := await guest.until("who"))["watching"] < 2:
                pass
            assert who["watchers"] == ["Cora"]
            said = []
            for ear in (guest, signed_in):
                await ear.send(do="chat", text="I am Anna")
                said += (await signed_in.until("chat"))["lines"]
            assert [line["name"] for line in said] == ["", "Cora"]
            for ear in (guest, signed_in):
                await ear.close()

    run(test())


def test_a_finished_game_is_replayed_once_and_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replays = list[tuple[str, bool]]()
    replay = GameRows.replay

    def note_replay(stored: GameRows) -> PageGame:
        replays.append((stored.name, threading.current_thread() is threading.main_thread()))
        return replay(stored)

    monkeypatch.setattr(GameRows, "replay", note_replay)

    async def test() -> None:
        async with playing(tmp_path) as (server, served, black, white):
            address = f"http://127.0.0.1:{served.port}/api/games"
            async with httpx.AsyncClient(timeout=PATIENCE_S) as browser:
                # A number that is yet to come is not remembered as missing.
                assert (await browser.get(f"{address}/2")).status_code == 404
                assert (await browser.get(f"{address}/1")).json()["over"] is False
                await black.do("resign")
                await until(lambda: not server.lobby.running, "the end")
                for person in (black, white):
                    assert person.table is not None
                    await person.table.close()
                for path in ("1", "1/picture.svg"):
                    assert (await browser.get(f"{address}/{path}")).status_code == 200
                reader = await Ear.open(served.port, "/api/socket", "", join="1")
                assert (await reader.until("game"))["state"]["result"] == "W+R"
                await reader.close()
            assert replays == [("1", False)]

    run(test())


def test_a_game_that_the_store_cannot_read_is_said_to_be_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk does not answer")

    monkeypatch.setattr(GameStore, "load", fail)

    async def test() -> None:
        async with (
            serving(tmp_path) as server,
            site(server) as served,
            httpx.AsyncClient(timeout=PATIENCE_S) as browser,
        ):
            answer = await browser.get(f"http://127.0.0.1:{served.port}/api/games/1")
            why = "this game cannot be read: the disk does not answer"
            assert (answer.status_code, answer.json()["error"]) == (503, why)
            reader = await Ear.open(served.port, "/api/socket", "", join="1")
            assert (await reader.until("error"))["error"] == why
            with pytest.raises(ConnectionClosed) as closed:
                await reader.until("never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1013

    run(test())


def test_a_finished_game_that_could_not_be_written_stays_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, black, white):
            write = server.store.games.write

            def fail(*about: Any) -> None:
                raise OSError("disk full")

            monkeypatch.setattr(server.store.games, "write", fail)
            await white.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            for person in (black, white):
                assert person.table is not None
                await person.table.close()
            again = await Ear.open(served.port, "/api/socket", black.cookie, join="1")
            assert (await again.until("game"))["state"]["result"] == "B+R"
            await again.send(do="resign")
            assert (await again.until("error"))["error"]
            monkeypatch.setattr(server.store.games, "write", write)
            server.lobby.pair()
            assert server.store.database.rows("select result from games") == [("B+Resign",)]
            await again.close()

    run(test())


def test_players_read_what_spectators_said_once_the_game_is_over(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (_, served, black, white):
            watcher = await Ear.open(served.port, "/api/socket", "", join="1")
            await watcher.send(do="chat", text="Black is lost")
            await watcher.until("chat")
            await black.do("resign")
            for person in (black, white):
                assert person.table is not None
                told = await person.table.until("chat")
                assert ([line["text"] for line in told["lines"]], told["all"]) == (["Black is lost"], True)
            await watcher.close()

    run(test())


def test_the_chat_comes_back_after_a_kill_and_the_operator_removes_a_line(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, black, white):
            watcher = await Ear.open(served.port, "/api/socket", "", join="1")
            await watcher.send(do="chat", text="Black is lost")
            await watcher.until("chat")
            for text in ("good luck", "you cheat"):
                await black.do("chat", text=text)
                assert white.table is not None
                await white.table.until("chat")
            # A killed server leaves its file as it is now.
            killed = tmp_path / "killed"
            killed.mkdir()
            server.store.database.save_copy(killed / "server.sqlite3")
            shutil.copy(tmp_path / "session.key", killed)
            await watcher.close()
        async with serving(killed) as server, site(server) as served:
            admin = Admin(server.lobby, server.log.append)
            assert [line.partition(": ")[2] for line in admin.answer(["chat", "1"])] == [
                "Black is lost",
                "good luck",
                "you cheat",
            ]
            number = admin.answer(["chat", "1"])[-1].split()[0]
            for cookie, texts in (
                (white.cookie, ["good luck", "you cheat"]),
                ("", ["Black is lost", "good luck", "you cheat"]),
            ):
                ear = await Ear.open(served.port, "/api/socket", cookie, join="1")
                assert [line["text"] for line in (await ear.until("chat"))["lines"]] == texts
                assert set(ear.told[-1]["lines"][0]) == {"room", "colour", "name", "text"}
                if not cookie:
                    assert admin.answer(["unsay", "1", number]) == [f"line {number} of game 1 is removed"]
                    assert [line["text"] for line in (await ear.until("chat"))["lines"]] == texts[:-1]
                await ear.close()
            assert admin.answer(["chat", "2"]) == ["game 2 has no chat"]
            for words in (["unsay", "1", number], ["unsay", "1", "-1"], ["unsay", "2", "0"]):
                with pytest.raises(Refused, match="no chat line"):
                    admin.answer(words)
            assert server.store.database.rows("select text from chat order by number") == [
                ("Black is lost",),
                ("good luck",),
            ]

    run(test())


def test_a_new_password_closes_the_sockets_opened_before_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, black, white):
            address = f"http://127.0.0.1:{served.port}/api/account"
            async with httpx.AsyncClient(headers={"Cookie": black.cookie}, timeout=PATIENCE_S) as browser:
                answer = await browser.put(address, json={"password": "secret", "new": "better-1"})
            cookie = answer.headers["set-cookie"].partition(";")[0]
            for ear in (black.lobby, black.table):
                assert ear is not None
                with pytest.raises(ConnectionClosed):
                    await ear.until("never")
            again = await Ear.open(served.port, "/api/socket", cookie, join="1")
            assert (await again.until("game"))["you"] == "b"
            # The operator gives a password from another process; whoever came in with it stays.
            server.store.accounts.write(Account(white.name, hash_password("better-2")))
            assert white.table is not None
            with pytest.raises(ConnectionClosed):
                await white.table.until("never")
            await again.send(do="ping")
            await again.until("pong")
            await again.close()

    run(test())


def test_a_deleted_account_is_nobody_in_every_game_it_played(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            base = f"http://127.0.0.1:{served.port}"
            cora = (await sign_in(served.port, "Cora")).headers["set-cookie"].partition(";")[0]
            dave = (await sign_in(served.port, "Dave")).headers["set-cookie"].partition(";")[0]
            async with httpx.AsyncClient(base_url=base, timeout=PATIENCE_S) as browser:
                begun = await browser.post(
                    "/api/games",
                    json={"spec": "go:size=5", "seats": {"w": {"kind": "invited"}}},
                    headers={"Cookie": cora},
                )
                name, code = begun.json()["game"], begun.json()["invitations"]["w"]
                await browser.post(f"/api/games/{name}/seat", json={"invitation": code}, headers={"Cookie": dave})
                ear = await Ear.open(served.port, "/api/socket", cora, join=name)
                await ear.send(do="chat", text="hello")
                await ear.until("chat")
                store = TournamentStore(server.store.database)
                store.begin("winter", ["Cora", "Dave"])
                browser.cookies.clear()
                for cookie, gone in ((cora, "guest-gone-1"), (dave, "guest-gone-2")):
                    answer = await browser.request(
                        "DELETE", "/api/account", json={"password": "secret"}, headers={"Cookie": cookie}
                    )
                    assert answer.status_code == 200
                    shown = (await browser.get(f"/api/games/{name}")).json()["seats"]
                    assert gone in {seat["name"] for seat in shown.values()}
            with pytest.raises(ConnectionClosed):
                await ear.until("never")
            assert store.entrants("winter") == ["guest-gone-1", "guest-gone-2"]
            tables = ("games", "lines", "seats", "chat", "tournaments", "forfeits", "accounts")
            assert not any(
                word in str(server.store.database.rows(f"select * from {table}"))
                for table in tables
                for word in ("Cora", "Dave")
            )

    run(test())


def test_guests_are_forgotten_with_the_games_that_no_account_played(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            games = server.store.games
            server.lobby.keep_house(time.time())
            played = [
                ("guest-aaaaaaaa", "guest-bbbbbbbb"),
                ("guest-aaaaaaaa", "Anna"),
                ("guest-cccccccc", "Anna"),
                ("Anna", "guest-cccccccc"),
                ("guest-aaaaaaaa", "Pip"),
                ("Ben", "guest-aaaaaaaa"),
                ("Anna", "Ben"),
            ]
            # A bot of the package, which nobody owns, and somebody's bot.
            server.store.accounts.write(Account("Pip", "", BOT))
            server.store.accounts.write(Account("Ben", hash_password("secret"), BOT))
            for number, names in enumerate(played, 1):
                owners = {BLACK: f"~{names[0]}", WHITE: f"~{names[1]}"}
                game = AccountGame.new(
                    number, "go:size=5", dict(zip((BLACK, WHITE), names, strict=True)), 60.0, 0.0, owners=owners
                )
                games.write(game)
                games.write_locks(game.name, game.locks)
                game.hosted.end("B+Resign", "")
                games.write(game)
                games.file(number)
                (tmp_path / "records").mkdir(exist_ok=True)
                (tmp_path / "records" / f"{number:06}-x-y.sgf").touch()
            old, new = ((datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds") for days in (92, 80))
            server.store.database.run_script(f"update games set ended = iif(number <> 4, '{old}', '{new}')")
            server.lobby.keep_house(time.time())
            assert len(server.records()) == 7, "guests are looked for once a day"
            server.lobby.keep_house(time.time() + 86_400)
            assert server.store.database.rows("select number, black, white from games order by number") == [
                (2, "guest-gone", "Anna"),
                (3, "guest-cccccccc", "Anna"),
                (4, "Anna", "guest-cccccccc"),
                (6, "Ben", "guest-gone"),
                (7, "Anna", "Ben"),
            ]
            assert [path.name[:6] for path in server.records()] == ["000002", "000003", "000004", "000006", "000007"]
            assert server.store.database.rows("select count(*) from lines where game = '1'") == [(0,)]
            owners_left = server.store.database.rows("select game from seats where owner glob '~guest-a*'")
            assert owners_left == []
            assert games.replay("2").hosted.seats[BLACK].name == "guest-gone"

    run(test())
