"""The analysis of a whole game on the page continues during updates, and its button reacts."""

import json
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from gtp_variants.rules import parse
from gtp_variants.rules.actions import RESIGN
from gtp_variants.rules.game import Game
from gtp_variants.site.page.listeners import PageLimits
from tests.site.page.browsing import DESK, NEEDS_BROWSER, PATIENCE_MS, click_point, link
from tests.site.page.serving import Site, site

pytestmark = NEEDS_BROWSER

SHORT = ("A1", "C3", "B1")


def given_up(words: Sequence[str], spec: str = "pentalath") -> Game:
    """Return a game of these moves, resigned by the side to move."""
    game = Game(parse(spec))
    for word in words:
        game.play(game.position.mover, game.rules.board.point(word))
    game.play(game.position.mover, RESIGN)
    return game


class HeldBack:
    """Lets a page hear nothing of an analysis until it is let through."""

    def __init__(self, page: Page) -> None:
        self.is_holding = True
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []
        page.route_web_socket("**/api/socket", self._route)
        page.reload()

    def _route(self, line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if self.is_holding and json.loads(message)["type"] == "analysis":
                self._held.append((line, message))
            else:
                line.send(message)

        server.on_message(pass_on)

    @property
    def count(self) -> int:
        return len(self._held)

    def let_through(self) -> None:
        self.is_holding = False
        for line, message in self._held:
            line.send(message)


def wait_for(page: Page, is_done: Callable[[], bool]) -> None:
    for _ in range(PATIENCE_MS // 50):
        if is_done():
            return
        page.wait_for_timeout(50)
    pytest.fail("it never came")


def hold_back_an_analysis(page: Page) -> HeldBack:
    """Ask for an analysis, hold it back once it comes, and stop the page's clock: no press lasts too long."""
    page.clock.install()
    held = HeldBack(page)
    page.locator("[data-do=analysis]").click()
    wait_for(page, lambda: held.count > 0)
    page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
    return held


def test_the_curve_of_a_game_has_the_colour_of_who_begins_below_it(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(link(served, served.show(given_up(SHORT))), DESK)
    page.locator("[data-do=analysis]").click()
    # Before anything is known there is nothing to see but what can be asked for.
    expect(page.locator("#curve")).to_be_visible()
    expect(page.locator(".curve svg")).to_have_count(0)
    page.locator("#curve").click()
    expect(page.locator(".curve .area.w")).to_be_attached()
    expect(page.locator(".curve rect.b")).to_be_attached()


@pytest.mark.parametrize("is_key", [False, True])
def test_an_update_during_a_press_keeps_the_click(served: Site, opened: Callable[..., Page], is_key: bool) -> None:
    page = opened(link(served, served.show(given_up(SHORT))), DESK)
    held = hold_back_an_analysis(page)
    button = page.locator("#curve")
    place = button.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 5, place["y"] + 5)
    if is_key:
        button.focus()
        page.keyboard.down(" ")
    else:
        page.mouse.down()
    # The best moves would come above the button, and the button would be made anew.
    held.let_through()
    page.wait_for_timeout(300)
    if is_key:
        page.keyboard.up(" ")
    else:
        page.mouse.up()
    page.clock.resume()
    expect(page.locator(".candidates li").first).to_be_visible()
    expect(page.locator(".curve .area.w")).to_be_attached()


def test_the_second_of_two_quick_presses_counts_too(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(link(served, served.show(given_up(SHORT))), DESK)
    held = hold_back_an_analysis(page)
    button = page.locator("#curve")
    button.dispatch_event("pointerdown")
    held.let_through()
    page.wait_for_timeout(300)
    page.clock.resume()
    # In the page itself, so that no time lies between the presses.
    assert button.evaluate(
        """button => new Promise((resolve) => {
            const press = (name) => button.dispatchEvent(new PointerEvent(name, { bubbles: true }));
            press("pointerup");
            press("pointerdown");
            setTimeout(() => resolve(button.isConnected), 200);
        })"""
    )
    button.dispatch_event("pointerup")
    expect(page.locator(".candidates li").first).to_be_visible()


@pytest.mark.long
def test_an_analysis_that_is_known_is_asked_for_no_quicker_than_the_server_listens(
    opened: Callable[..., Page],
) -> None:
    """With the limits that a server has: who asks too often loses the line."""
    words = [f"{column}{row}" for row in (1, 3, 5, 7, 2, 4, 6) for column in "ABCDEFG"]
    with site(limits=PageLimits()) as served:
        page = opened(link(served, served.show(given_up(words, "go:size=9"))), DESK)
        lines: list[object] = []
        page.on("websocket", lambda line: lines.append(line))

        def analyse() -> None:
            page.locator("[data-do=analysis]").click()
            page.locator("#curve").click()
            expect(page.locator("#curve")).to_have_count(0, timeout=120_000)

        analyse()
        lines.clear()
        page.reload()
        analyse()
        assert len(lines) == 1


def test_the_curve_continues_whatever_else_is_refused_and_stops_with_the_analysis(
    served: Site, opened: Callable[..., Page]
) -> None:
    page = opened(link(served, served.show(given_up(["C3", "D4", "E5", "C4", "D5", "E3"], "go:size=9"))), DESK)
    held = HeldBack(page)
    page.locator("[data-do=analysis]").click()
    page.locator("#curve").click()
    expect(page.locator("#curve")).to_have_attribute("aria-pressed", "true")
    click_point(page, "D4")
    expect(page.locator(".banner .error")).to_be_visible()
    expect(page.locator("#curve")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-do=analysis]").click()
    page.locator("[data-do=analysis]").click()
    expect(page.locator("#curve")).to_have_attribute("aria-pressed", "false")
    held.let_through()
    page.locator("#curve").click()
    expect(page.locator("#curve")).to_have_count(0, timeout=120_000)
