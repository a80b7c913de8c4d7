"""The page on which people play on the server, in a browser: games one after another, lost lines, two tabs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

from gtp_variants.site.lobby.application import SitePort
from tests.site.lobby.servers import Server, run, serving
from tests.site.page.browsing import CHROMIUM, NEEDS_BROWSER, PATIENCE_MS
from tests.support.waiting import until

pytestmark = NEEDS_BROWSER
expect.set_options(timeout=PATIENCE_MS)


@asynccontextmanager
async def pages(server: Server, port: int = 0) -> AsyncIterator[int]:
    """The pages of a server; their port."""
    served = SitePort(server.lobby, server.folder, server.listener.gate, "127.0.0.1", port)
    try:
        yield served.port
    finally:
        await served.close()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playing:
        browser = await playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


async def open_page(browser: Browser, port: int) -> Page:
    page = await browser.new_page()
    page.on("dialog", lambda asked: asyncio.ensure_future(asked.accept()))
    await page.goto(f"http://127.0.0.1:{port}/play")
    return page


async def log_in(page: Page, name: str) -> None:
    await page.fill("#name", name)
    await page.fill("#password", "tulips")
    await page.click("#enter")


async def expect_said(page: Page, words: str) -> None:
    await expect(page.locator("#said")).to_contain_text(words)


async def two_people(browser: Browser, port: int, server: Server) -> tuple[Page, Page]:
    """Two who play with each other, Black first."""
    people = {name: await open_page(browser, port) for name in ("ann", "ben")}
    for name, page in people.items():
        await log_in(page, name)
    for page in people.values():
        await expect(page.locator("#table")).to_be_visible()
    (game,) = server.lobby.running.values()
    return people[game.names[1]], people[game.names[2]]


async def play_first_stone(black: Page, white: Page) -> None:
    await black.locator("circle.free").first.click()
    for page in (black, white):
        await expect(page.locator("circle.stone")).to_have_count(1)
    await expect_said(white, "Your turn.")


def test_another_game_of_the_same_kind_has_a_board_too(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, pages(server) as port, chromium() as browser:
            black, white = await two_people(browser, port, server)
            await play_first_stone(black, white)
            await white.click("#resign")
            for page in (black, white):
                await expect_said(page, "B+Resign")
                await page.click("#again")
            await until(lambda: len(server.lobby.running) == 1, "another game")
            (game,) = server.lobby.running.values()
            by_name = {await page.input_value("#name"): page for page in (black, white)}
            await expect(by_name[game.names[1]].locator("circle.free")).to_have_count(25)

    run(test())


def test_no_clock_runs_on_the_page_before_it_runs_on_the_server(tmp_path: Path) -> None:
    async def test() -> None:
        async with chromium() as browser:
            # Before the first move, and in the part of a move that costs nothing.
            for pause_s, said, shown in ((600.0, "in a moment", "Black 10:00"), (0.0, "to move", "Black 9:4")):
                folder = tmp_path / f"{pause_s}"
                folder.mkdir()
                async with serving(folder, pause_s=pause_s, gift_s=30.0) as server, pages(server) as port:
                    people = {name: await open_page(browser, port) for name in ("ann", "ben")}
                    for name, page in people.items():
                        await page.clock.install()
                        await log_in(page, name)
                    await until(lambda: bool(server.lobby.running), "a game")
                    (game,) = server.lobby.running.values()
                    white = people[game.names[2]]
                    await expect_said(white, said)
                    await white.clock.fast_forward(20_000)
                    await expect(white.locator("#clocks")).to_contain_text("Black 10:00")
                    await white.clock.fast_forward(20_000)
                    await expect(white.locator("#clocks")).to_contain_text(shown)
                    for page in people.values():
                        await page.close()

    run(test())


def test_a_reconnected_player_continues_after_any_outage(tmp_path: Path) -> None:
    async def test() -> None:
        async with chromium() as browser:
            async with serving(tmp_path) as server, pages(server) as port:
                black, white = await two_people(browser, port, server)
                await play_first_stone(black, white)
            # The first attempts to come back find nobody.
            await expect_said(white, "No connection to the server.")
            await asyncio.sleep(2.5)
            async with serving(tmp_path) as server, pages(server, port):
                await expect_said(white, "Your turn.")
                await white.locator("circle.free").first.click()
                await expect(black.locator("circle.stone")).to_have_count(2)

    run(test())


def test_a_game_that_ended_meanwhile_is_not_shown_as_if_it_went_on(tmp_path: Path) -> None:
    async def test() -> None:
        async with chromium() as browser:
            async with serving(tmp_path) as server, pages(server) as port:
                black, white = await two_people(browser, port, server)
                await white.close()
            async with serving(tmp_path) as server:
                (game,) = server.lobby.running.values()
                server.lobby.abort(game, "a test")
                async with pages(server, port):
                    await expect_said(black, "Waiting")
                    await expect(black.locator("#table")).to_be_hidden()

    run(test())


def test_two_tabs_of_one_account_do_not_shut_each_other_out(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, pages(server) as port, chromium() as browser:
            black, _ = await two_people(browser, port, server)
            other = await open_page(browser, port)
            await log_in(other, await black.input_value("#name"))
            await expect(other.locator("#table")).to_be_visible()
            await expect_said(black, "another login")
            await expect(black.locator("#enter")).to_be_enabled()
            count = len(server.log)
            await asyncio.sleep(2.5)
            assert len(server.log) == count, server.log[count:]
            await expect_said(other, "Your turn.")

    run(test())


def test_choosing_no_game_shows_a_message(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, pages(server) as port, chromium() as browser:
            page = await open_page(browser, port)
            await page.locator("input[name=game]").uncheck()
            await log_in(page, "ann")
            await expect_said(page, "Choose at least one game.")
            assert not server.lobby.guests
            await page.locator("input[name=game]").check()
            await page.click("#enter")
            await expect_said(page, "Waiting")

    run(test())
