"""Two people at two browsers meet in the lobby and play on the one game screen, with lost lines and two tabs."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Page, WebSocketRoute, async_playwright, expect

from tests.site.lobby.people import site
from tests.site.lobby.servers import Client, Server, run, serving
from tests.site.lobby.test_seeks import FIVE_MINUTES
from tests.site.page.browsing import CHROMIUM, NEEDS_BROWSER, PATIENCE_MS, SLOW_LINE
from tests.support.waiting import until

pytestmark = NEEDS_BROWSER
expect.set_options(timeout=PATIENCE_MS)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playing:
        browser = await playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


async def new_page(browser: Browser) -> Page:
    """A page in a browser profile of its own."""
    context = await browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    return await context.new_page()


async def come(browser: Browser, port: int, name: str) -> Page:
    """A player who has opened the lobby in a browser of their own."""
    page = await new_page(browser)
    await page.goto(f"http://127.0.0.1:{port}/")
    await page.fill("#name", name)
    await page.fill("#password", "tulips")
    await page.click("#enter")
    # Guests may seek, too.
    await expect(page.locator("#enter")).to_be_hidden()
    await expect(page.locator("#seek")).to_be_visible()
    return page


async def two_people(browser: Browser, port: int, server: Server) -> tuple[Page, Page]:
    """Two who play with each other, Black first."""
    people = {name: await come(browser, port, name) for name in ("ann", "ben")}
    for page in people.values():
        await page.click("#seek")
    for page in people.values():
        await expect(page.locator(".frame .board")).to_be_visible()
    (game,) = server.lobby.running.values()
    return people[game.names[1]], people[game.names[2]]


def test_a_guest_challenges_a_bot_of_the_package_and_reads_how_strong_it_is(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5") as server, site(server) as served, chromium() as browser:
            page = await new_page(browser)
            await page.goto(f"http://127.0.0.1:{served.port}/")
            row = page.locator("#lobby-here li", has_text="Heron")
            await expect(row).to_contain_text("bot · Beginner · 750")
            await page.select_option("#offer-game", "go")
            await expect(row).to_contain_text("bot · Beginner · 880")
            await row.get_by_role("button").click()
            await expect(page.locator(".frame .board")).to_be_visible()
            await expect_said(page, "Heron")
            await expect(page.locator(".player").first).to_contain_text("880")
            (game,) = server.lobby.running.values()
            assert ("Heron" in game.names.values(), game.is_rated) == (True, False)

    run(test())


async def play(page: Page, vertex: str) -> None:
    await page.get_by_role("tab", name="More").click()
    await page.fill("#point", vertex)
    await page.press("#point", "Enter")
    await page.get_by_role("tab", name="More").click()


async def expect_stones(page: Page, count: int) -> None:
    await expect(page.locator(".frame .stones circle")).to_have_count(count)


async def expect_said(page: Page, words: str) -> None:
    await expect(page.locator("main")).to_contain_text(words)


def test_two_strangers_meet_and_play_one_game_after_another(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5") as server, site(server) as served, chromium() as browser:
            black, white = await two_people(browser, served.port, server)
            await expect_said(black, "Your turn")
            for page in (black, white):
                assert await page.locator('[data-do="hint"], [data-do="undo"], [data-do="abort"]').count() == 0
            await black.click('[data-do="pass"]')
            await expect_said(white, "Your turn")
            await white.click('[data-do="resign"]')
            await white.click("#resign-yes")
            for page in (black, white):
                await expect_said(page, "Black wins")
                await page.click("#new")
                await page.click("#seek")
            await until(lambda: len(server.lobby.running) == 1, "another game")
            for page in (black, white):
                await expect(page.locator(".frame .board")).to_be_visible()

    run(test())


def test_what_a_newcomer_types_stays_when_the_lobby_comes_late(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            page = await new_page(browser)
            await page.add_init_script(SLOW_LINE)
            await page.goto(f"http://127.0.0.1:{served.port}/")
            await page.fill("#name", "ann")
            await page.fill("#password", "tulips")
            # The lobby's first messages name the guest, and then the games.
            await expect(page.locator("#lobby-door input")).to_have_count(1)
            await expect(page.locator("#name")).to_have_value("ann")
            await expect(page.locator("#password")).to_have_value("tulips")

    run(test())


def test_a_guest_offers_a_game_and_a_stranger_accepts_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            guest = await new_page(browser)
            await guest.goto(f"http://127.0.0.1:{served.port}/")
            await guest.select_option("#offer-game", "aleago")
            await guest.fill("#offer-options", "size=5")
            await guest.click("#offer")
            stranger = await come(browser, served.port, "ann")
            await expect_said(stranger, "10 min")
            await expect_said(stranger, "not rated")
            await stranger.click(".accept")
            for page in (guest, stranger):
                await expect(page.locator(".frame .board")).to_be_visible()
            (game,) = server.lobby.running.values()
            assert (game.is_rated, "size=5" in game.rules.spec) == (False, True)
            assert sorted(game.names.values())[1].startswith("guest-")

    run(test())


def test_an_offer_made_before_the_lobby_has_answered_reaches_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            guest, is_open = await new_page(browser), asyncio.Event()
            held: list[tuple[WebSocketRoute, str | bytes]] = []

            def carry(line: WebSocketRoute) -> None:
                def pass_on(text: str | bytes) -> None:
                    line.send(text) if is_open.is_set() else held.append((line, text))

                line.connect_to_server().on_message(pass_on)

            await guest.route_web_socket("**/api/lobby", carry)
            await guest.goto(f"http://127.0.0.1:{served.port}/")
            await guest.click("#offer")
            is_open.set()
            for line, text in held:
                line.send(text)
            await expect(guest.get_by_role("button", name="Take back")).to_be_visible()

    run(test())


class Lobby:
    """A lobby of which a test says each word to the page `guest`, and the requests of this page."""

    def __init__(self, guest: Page) -> None:
        self.guest = guest
        self.lines: list[WebSocketRoute] = []
        self.asked: list[str] = []
        self.times = 0
        self.is_up = False

    def carry(self, line: WebSocketRoute) -> None:
        def hear(text: str | bytes) -> None:
            asked = json.loads(text)["do"]
            if asked == "ping":
                line.send(json.dumps({"type": "pong"}))
            elif asked != "look":
                self.asked.append(asked)

        self.lines.append(line)
        line.on_message(hear)
        if self.is_up:
            self._describe(line)

    def _describe(self, line: WebSocketRoute) -> None:
        seek = {"seek": 7, "by": "ben", "spec": "go", "title": f"Go {self.times}", "clock": FIVE_MINUTES}
        seek |= {"rated": False, "low": 0, "high": 9999, "to": ""}
        lists: dict[str, list[object]] = {"here": [], "running": [], "results": [], "tournaments": []}
        line.send(json.dumps({"type": "lobby", "games": ["go"], "seeks": [seek]} | lists))

    async def bring_up(self) -> None:
        self.times += 1
        self.is_up = True
        for line in self.lines[-1:]:
            self._describe(line)
        await expect_said(self.guest, f"Go {self.times}")

    async def break_off(self) -> None:
        self.is_up = False
        line = self.lines[-1]
        self.lines.clear()
        await line.close()
        await expect_said(self.guest, "Connection lost")

    async def send_away(self) -> None:
        self.is_up = False
        line = self.lines[-1]
        self.lines.clear()
        line.send(json.dumps({"type": "away"}))
        await expect(self.guest.locator("#seek")).to_have_text("Find an opponent")

    async def has_asked(self, *expected: str) -> None:
        """Expect these requests since the last time, and after them no other than that of one more press."""
        await self.guest.click("#seek")
        await until(lambda: self.asked[len(expected) :])
        assert self.asked[:-1] == [*expected]
        self.asked.clear()


def test_what_is_asked_for_while_the_line_is_down_is_sent_once_and_in_order(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            guest = await new_page(browser)
            lobby = Lobby(guest)
            await guest.route_web_socket("**/api/lobby", lobby.carry)
            await guest.goto(f"http://127.0.0.1:{served.port}/")
            await lobby.bring_up()

            await lobby.break_off()
            await guest.click("#offer")
            await guest.click("#seek")
            await lobby.bring_up()
            await lobby.has_asked("offer", "seek")

            # An offer with the same number may be another one when the line is up again.
            await lobby.break_off()
            await guest.click(".accept")
            await expect_said(guest, "Connection lost")
            await lobby.bring_up()
            await lobby.has_asked()

            # Whoever seeks goes on seeking, and a rest takes that back.
            await lobby.break_off()
            await lobby.bring_up()
            await lobby.has_asked("seek")
            await lobby.break_off()
            await guest.click("#offer")
            await guest.click("#seek")
            await guest.click("#seek")
            await lobby.bring_up()
            await lobby.has_asked("rest")

            # The server ends the line, and the next press begins another.
            await lobby.send_away()
            await guest.click("#seek")
            await expect(guest.locator("#seek")).to_have_text("Stop waiting")
            await lobby.bring_up()
            await lobby.has_asked("seek")

    run(test())


def test_taking_an_offer_back_ends_the_seeking_on_the_page_too(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            page = await come(browser, served.port, "ann")
            await page.click("#offer")
            take_back = page.get_by_role("button", name="Take back")
            await expect(take_back).to_be_visible()
            await page.click("#seek")
            await expect(page.locator("#seek")).to_have_text("Stop waiting")
            await take_back.click()
            await expect(page.locator("#seek")).to_have_text("Find an opponent")
            await expect(take_back).to_be_hidden()

    run(test())


def test_a_person_challenges_a_bot_and_changes_the_password(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            bot = await Client("robot", "pentalath").come(server.port)
            page = await come(browser, served.port, "ann")
            await expect_said(page, "robot")
            await page.click("summary:has-text('Change the password')")
            await page.fill("#change-password", "tulips")
            await page.fill("#change-new", "roses-and-tulips")
            await page.click("#change")
            await expect_said(page, "The password is changed.")
            await page.locator("li", has_text="robot").locator(".challenge").click()
            await bot.until("setup 1 ")
            await expect(page.locator(".frame .board")).to_be_visible()

    run(test())


def test_a_player_goes_on_after_the_server_was_away(tmp_path: Path) -> None:
    async def test() -> None:
        async with chromium() as browser:
            async with serving(tmp_path) as server, site(server) as served:
                port = served.port
                black, white = await two_people(browser, port, server)
                await expect_said(black, "Your turn")
                await play(black, "C3")
                for page in (black, white):
                    await expect_stones(page, 1)
            await expect_said(white, "Connection lost")
            await asyncio.sleep(1.0)
            async with serving(tmp_path) as server, site(server, port):
                await expect(white.locator("main")).not_to_contain_text("Connection lost")
                await play(white, "D4")
                for page in (black, white):
                    await expect_stones(page, 2)

    run(test())


def test_two_tabs_of_one_account_do_not_shut_each_other_out(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            first = await come(browser, served.port, "ann")
            await first.click("#seek")
            other = await come(browser, served.port, "ann")
            await expect_said(first, "another login")
            count = len(server.log)
            await asyncio.sleep(2.5)
            assert len(server.log) == count, server.log[count:]
            await other.click("#seek")
            await expect_said(other, "Waiting")

    run(test())


def test_choosing_no_game_shows_a_message(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served, chromium() as browser:
            page = await come(browser, served.port, "ann")
            await page.locator("input[name=game]").uncheck()
            await page.click("#seek")
            await expect_said(page, "Choose at least one game.")
            await page.locator("input[name=game]").check()
            await page.click("#seek")
            await expect_said(page, "Waiting")
            await page.click("#leave")
            await expect(page.locator("#enter")).to_be_visible()
            await until(lambda: not server.lobby.guests, "the sign-out")

    run(test())
