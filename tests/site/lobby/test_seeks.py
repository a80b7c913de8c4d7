"""Offers and challenges in the lobby, guests, and what people do with their accounts."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from gtp_variants.base.json_values import Json
from gtp_variants.site.access.accounts import Account, hash_password
from gtp_variants.site.access.visitors import shown_name
from gtp_variants.site.lobby.application import SitePort
from gtp_variants.site.page.bot_driver import BotDriver
from tests.site.lobby.people import Ear, Person, sign_in, site
from tests.site.lobby.servers import Client, run, serving
from tests.support.waiting import PATIENCE_S, until

FIVE_MINUTES = {"kind": "fischer", "main_s": 300, "increment_s": 3}
DAYS = {"kind": "byoyomi", "main_s": 0, "period_s": 259_200, "periods": 1}


async def cookie_of_guest(served: SitePort) -> str:
    async with httpx.AsyncClient(timeout=PATIENCE_S) as browser:
        answer = await browser.get(f"http://127.0.0.1:{served.port}/")
    return answer.headers["set-cookie"].partition(";")[0]


async def come(served: SitePort, name: str = "") -> Person:
    """Look at the lobby, as a guest or signed in."""
    answer = (await sign_in(served.port, name)).headers["set-cookie"] if name else await cookie_of_guest(served)
    cookie = answer.partition(";")[0]
    lobby = await Ear.open(served.port, "/api/lobby", cookie, do="look")
    return Person((await lobby.until("you"))["name"], served.port, cookie, lobby)


async def offers(person: Person, count: int) -> list[Json]:
    """The offers, once there are so many."""
    while len((found := await person.lobby.until("lobby"))["seeks"]) != count:
        pass
    return list(found["seeks"])


@pytest.mark.parametrize("spec", ["aleago:size=5", "phantom:size=5", "pentalath"])
def test_strangers_meet_by_an_offer_and_play_a_rated_game_to_its_end(tmp_path: Path, spec: str) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            ann, ben = await come(served, "Anna"), await come(served, "Ben")
            await ann.lobby.send(do="offer", spec=spec, clock=FIVE_MINUTES, low=1000, high=2000)
            (offer,) = await offers(ben, 1)
            assert (offer["by"], offer["rated"], offer["to"], offer["clock"]["increment_s"]) == ("Anna", True, "", 3)
            await ben.lobby.send(do="accept", seek=offer["seek"])
            for person in (ann, ben):
                whole = await person.sit()
                assert (whole["rated"], whole["strict"], whole["state"]["control"]["kind"]) == (True, True, "fischer")
            (game,) = server.lobby.running.values()
            first, second = (ann, ben) if game.names[game.asked or 1] == "Anna" else (ben, ann)
            state = await first.until_asked()
            await first.do("play", at=state["legal"][0])
            await second.until_asked()
            await second.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            assert server.store.accounts.rating(first.name, game.rules.name).shown == "1662?"
            assert server.store.accounts.rating(first.name, "go").games == 0
            for person in (ann, ben):
                await person.leave()

    run(test())


def test_guests_play_at_once_and_their_games_are_not_rated(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            guest, ann = await come(served), await come(served, "Anna")
            assert guest.name.startswith("guest-")
            await guest.lobby.send(do="offer", spec="go:size=5", clock=FIVE_MINUTES, rated=True)
            (offer,) = await offers(ann, 1)
            assert (offer["by"], offer["rated"]) == (guest.name, False)
            await ann.lobby.send(do="accept", seek=offer["seek"])
            whole = await guest.sit()
            assert (whole["rated"], whole["seats"][whole["you"]]["bot"]) == (False, guest.name)
            assert guest.cookie.partition("=")[2].partition(":")[0] not in str(whole)
            await guest.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            assert server.store.accounts.ratings("Anna") == {}
            # With a name and a password the seat is the account's, wherever it signs in.
            async with httpx.AsyncClient(headers={"Cookie": guest.cookie}, timeout=PATIENCE_S) as browser:
                said = {"name": "Gus", "password": "secret"}
                answer = await browser.post(f"http://127.0.0.1:{served.port}/api/session", json=said)
            gus = answer.headers["set-cookie"].partition(";")[0]
            board = await Ear.open(served.port, "/api/socket", gus, join="1")
            assert (await board.until("game"))["you"] == whole["you"]
            await board.close()
            for person in (guest, ann):
                await person.leave()

    run(test())


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"spec": "go:size=5"}, "clock: expected a clock"),
        ({"spec": "pentalath:players=3", "clock": FIVE_MINUTES}, "expected a game for two players"),
        ({"spec": "go:size=5", "clock": FIVE_MINUTES, "to": "nobody"}, "nobody is not here"),
        ({"spec": "go:size=5", "clock": DAYS, "to": "bot"}, "bot is playing, or does not play this game"),
        ({"spec": "aleago:size=5", "clock": FIVE_MINUTES, "to": "bot"}, "bot is playing, or does not play this game"),
        ({"spec": "go:size=5", "clock": FIVE_MINUTES, "low": 9, "high": 1}, "low, high: expected whole numbers"),
    ],
)
def test_an_offer_that_cannot_be_is_refused_and_the_lobby_stays(
    tmp_path: Path, asked: dict[str, Any], why: str
) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            await Client("bot", "go").come(server.port)
            await until(lambda: "bot" in server.lobby.guests, "the bot")
            ann = await come(served, "Anna")
            await ann.lobby.send(do="offer", **asked)
            assert why in (await ann.lobby.until("info"))["text"]
            await ann.lobby.send(do="ping")
            await ann.lobby.until("pong")
            await ann.leave()

    run(test())


def test_a_free_bot_plays_who_challenges_it_and_a_person_is_asked(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            bot = await Client("bot", "aleago").come(server.port)
            await until(lambda: "bot" in server.lobby.guests, "the bot")
            ann, ben = await come(served, "Anna"), await come(served, "Ben")
            await ann.lobby.send(do="offer", spec="aleago:size=5", clock=FIVE_MINUTES, to="ben")
            (offer,) = await offers(ben, 1)
            other = await come(served)
            await other.lobby.send(do="accept", seek=offer["seek"])
            assert (await other.lobby.until("info"))["text"] == "this offer is gone"
            await ann.lobby.send(do="offer", spec="aleago:size=5", clock=FIVE_MINUTES, to="BOT")
            await ann.sit()
            assert "aleago:size=5" in await bot.until("variant 1 ")
            # Who plays offers nothing any more.
            assert await offers(ben, 0) == []
            await ben.lobby.send(do="accept", seek=offer["seek"], lang="fr")
            assert (await ben.lobby.until("info"))["text"] == "cette proposition n'est plus là"
            for person in (ann, ben, other):
                await person.leave()

    run(test())


def test_a_person_plays_a_bot_of_the_package_for_a_rating_that_it_fixes(tmp_path: Path) -> None:
    async def test() -> None:
        asked = {"spec": "go", "clock": FIVE_MINUTES}
        async with serving(tmp_path) as server:
            server.store.accounts.write(Account("Moss", hash_password("tulips")))
            async with site(server) as served:
                ann, guest = await come(served, "Anna"), await come(served)
                here = {each["name"]: each for each in (await guest.lobby.until("lobby"))["here"]}
                # A name that somebody had before is left to them.
                assert list(here) == ["Anna", "Pip", "Wren", "Heron", "Otter", "Lynx", "Raven", "Old.Oak"]
                pip = {"go": "320", "aleago": "320", "phantom": "320"}
                assert (here["Pip"]["kind"], here["Pip"]["ratings"].items() >= pip.items()) == ("bot", True)
                assert "phantom" not in here["Raven"]["waits"]
                quick, slow = {"kind": "fischer", "main_s": 60, "increment_s": 1}, {"kind": "absolute", "main_s": 7201}
                refusals: list[tuple[dict[str, Any], str]] = [
                    ({"spec": "go:size=9"}, "on a board of 361 points"),
                    ({"spec": "go:komi=99"}, "usual rules"),
                    ({"clock": quick}, "at least five minutes"),
                    ({"clock": slow}, "does not play this game with this clock"),
                    ({"clock": {"kind": "byoyomi", "main_s": 9, "period_s": 99, "periods": 99}}, "with this clock"),
                ]
                for wrong, why in refusals:
                    await ann.lobby.send(do="offer", to="Pip", **{**asked, **wrong})
                    assert why in (await ann.lobby.until("info"))["text"]
                await ann.lobby.send(do="offer", to="raven", spec="phantom", clock=FIVE_MINUTES)
                assert "Raven is playing, or does not play this game" in (await ann.lobby.until("info"))["text"]
                await ann.lobby.send(do="offer", to="pip", **asked)
                whole = await ann.sit()
                seat = whole["seats"]["w" if whole["you"] == "b" else "b"]
                assert (whole["rated"], whole["strict"]) == (True, True)
                assert (seat["kind"], seat["bot"], seat["level"], seat["rating"]) == ("bot", "mcts", 1, "320")
                await ann.do("play", at=(await ann.until_asked())["legal"][0])
                await until(lambda: len(server.lobby.running[1].game.events) == 2 + (whole["you"] == "w"), "the answer")
                await ann.do("undo")
                assert ann.table is not None
                assert (await ann.table.until("error"))["error"]
                await ann.do("resign")
                await until(lambda: not server.lobby.running, "the end")
                for person in (ann, guest):
                    await person.leave()
            lost = server.store.accounts.rating("Anna", "go")
            assert (lost.games, lost.shown) == (1, "807?")
            bot = server.store.accounts.rating("Pip", "go")
            assert (bot.value, bot.games) == (320.0, 1)
            record = next(tmp_path.glob("records/000001-*.sgf")).name
            assert sorted(record.removesuffix(".sgf").split("-")[1:]) == ["Anna", "Pip"]

    run(test())


def test_a_bot_of_the_package_continues_after_a_kill_and_a_guest_is_not_rated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        monkeypatch.setattr(BotDriver, "_pause_s", lambda *about: 2.0 * PATIENCE_S)
        async with serving(tmp_path) as server, site(server) as served:
            colour, number = "", 0
            # Chance decides the colours.
            while colour != "w":
                guest, number = await come(served), number + 1
                await guest.lobby.send(do="offer", to="pip", spec="aleago:size=9", clock=FIVE_MINUTES)
                colour = (await guest.sit())["you"]
                await guest.leave()
        monkeypatch.undo()
        async with serving(tmp_path) as server, site(server):
            # Its clock runs, so it moves though nobody is there.
            game = server.lobby.running[number]
            assert (game.names[1], game.is_rated) == ("Pip", False)
            await until(lambda: game.asked == 2, "the move")

    run(test())


def test_a_game_that_is_written_late_stays_the_game_of_the_lobby(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            guest = await come(served)
            await guest.lobby.send(do="offer", to="pip", spec="go:size=5", clock=FIVE_MINUTES)
            await guest.sit()
            await guest.leave()
            game = server.lobby.running[1]
            await until(lambda: game.name not in server.lobby.games.listeners, "the end of the line")
            game.is_kept = False
            server.lobby.games.keep_late()
            assert game.is_kept
            assert await server.lobby.games.fetch("1") is game

    run(test())


def test_a_game_over_days_leaves_its_players_free_and_continues_after_a_kill(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            ann, ben = await come(served, "Anna"), await come(served, "Ben")
            await ann.lobby.send(do="offer", spec="go:size=5", clock=DAYS, rated=False)
            (offer,) = await offers(ben, 1)
            await ben.lobby.send(do="accept", seek=offer["seek"])
            for person in (ann, ben):
                await person.sit()
                await person.leave()
        async with serving(tmp_path) as server, site(server) as served:
            assert list(server.lobby.running) == [1]
            again = {name: await Person.come(served, name, games=["go"]) for name in ("Anna", "Ben")}
            for person in again.values():
                assert (await person.sit())["game"] == "2"
                await person.leave()

    run(test())


def test_an_account_changes_its_password_signs_out_everywhere_and_is_deleted(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            base = f"http://127.0.0.1:{served.port}"

            async def ask(method: str, path: str, cookie: str, **body: str) -> httpx.Response:
                async with httpx.AsyncClient(base_url=base, headers={"Cookie": cookie}, timeout=PATIENCE_S) as browser:
                    return await browser.request(method, path, json=body or None)

            async def who(cookie: str) -> str:
                return str((await ask("GET", "/api/about", cookie)).json()["you"])

            ann, ben = await Person.come(served, "Anna"), await Person.come(served, "Ben")
            await ann.sit()
            refused = await ask("DELETE", "/api/account", ann.cookie, password="secret")
            assert (refused.status_code, "finish your games first" in refused.text) == (403, True)
            await ann.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            for person in (ann, ben):
                await person.leave()
            wrong = await ask("PUT", "/api/account", ann.cookie, password="guess-1", new="better-1")
            assert (wrong.status_code, await who(ann.cookie)) == (403, "Anna")
            changed = await ask("PUT", "/api/account", ann.cookie, password="secret", new="better-1")
            cookie = changed.headers["set-cookie"].partition(";")[0]
            assert [await who(ann.cookie), await who(cookie)] == ["", "Anna"]
            await ask("DELETE", "/api/session", cookie)
            assert await who(cookie) == ""
            cookie = (await sign_in(served.port, "Anna", "better-1")).headers["set-cookie"].partition(";")[0]
            gone = await ask("DELETE", "/api/account", cookie, password="better-1")
            assert (gone.status_code, await who(cookie)) == (200, "")
            assert server.store.accounts.find("Anna") is None
            assert server.store.accounts.ratings("Anna") == {}
            assert "Anna" not in str(server.store.database.rows("select * from games, lines, rating_history"))
            whole = await (await Ear.open(served.port, "/api/socket", "", join="1")).until("game")
            assert sorted(each["bot"] for each in whole["seats"].values()) == ["Ben", "guest-gone"]
            assert (await sign_in(served.port, "guest-gone")).status_code == 403

    run(test())


def test_of_two_password_changes_at_once_the_later_is_refused(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            cookie = (await sign_in(served.port, "Anna")).headers["set-cookie"].partition(";")[0]

            async def change(new: str) -> httpx.Response:
                async with httpx.AsyncClient(headers={"Cookie": cookie}, timeout=PATIENCE_S) as browser:
                    said = {"password": "secret", "new": new}
                    return await browser.put(f"http://127.0.0.1:{served.port}/api/account", json=said)

            answers = {
                new: await asking
                for new, asking in {new: asyncio.ensure_future(change(new)) for new in ("better-1", "better-2")}.items()
            }
            statuses = {new: answer.status_code for new, answer in answers.items()}
            assert sorted(statuses.values()) == [200, 403]
            refused = next(answer for answer in answers.values() if answer.status_code == 403)
            assert "has just been changed" in refused.text
            for new, status in statuses.items():
                assert (await sign_in(served.port, "Anna", new)).status_code == status

    run(test())


def test_guests_have_names_that_say_nothing_of_their_cookies() -> None:
    names = {shown_name(f"~{number}") for number in range(1000)}
    assert len(names) == 1000
    assert all(len(name) == len("guest-12345678") and "~" not in name for name in names)
    assert shown_name("Anna") == "Anna"
