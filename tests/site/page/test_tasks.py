"""Five tasks of a new user take at most three clicks each, on a phone and on a desk, light and dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.site.page.browsing import DESK, NEEDS_BROWSER, PHONE
from tests.site.page.serving import Site

pytestmark = NEEDS_BROWSER


class Visit:
    """A visit to the front door, which counts the clicks of each task."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base, self.clicks = page, base, 0

    def begin(self) -> None:
        """Come to the front door for another task."""
        self.page.goto("about:blank")
        self.page.goto(self.base)
        self.page.locator("#play").wait_for()
        self.clicks = 0

    def click(self, target: str) -> None:
        """Click what can be clicked there without a search."""
        place = self.page.locator(target).first
        expect(place).to_be_visible()
        place.click()
        self.clicks += 1

    def expect_done(self, target: str) -> None:
        expect(self.page.locator(target).first).to_be_visible()
        assert self.clicks <= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_five_tasks_of_a_new_user_take_three_clicks_each(
    served: Site, opened: Callable[..., Page], viewport: dict[str, int], scheme: str
) -> None:
    host = opened(f"{served.base}/#lobby")
    host.locator("#offer").click()
    visit = Visit(opened(served.base, viewport, color_scheme=scheme), served.base)
    visit.begin()
    visit.click("#play")
    visit.expect_done(".player:has-text('Heron')")
    visit.begin()
    visit.click("[data-part=yours] a")
    visit.expect_done(".player:has-text('Heron')")
    visit.begin()
    visit.click("#friend")
    visit.expect_done("dialog .link:has-text('Invitation')")
    visit.begin()
    visit.click("#change")
    visit.click(".pick:has-text('Alter Igo') input")
    visit.click("#begin")
    visit.expect_done("h2:has-text('Alter Igo')")
    visit.begin()
    visit.click("a[href='#lobby']")
    visit.click(".accept")
    visit.expect_done(".frame .board")
    expect(host.locator(".frame .board")).to_be_visible()
