"""Learning a game on the page: ten moves against a script, and the rules beside the board."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.site.page.browsing import NEEDS_BROWSER, PHONE, click_point, link
from tests.site.page.serving import Site
from tests.site.page.test_page_states import expect_accessible

pytestmark = NEEDS_BROWSER


@pytest.mark.parametrize("name", ["aleago", "phantom"])
def test_a_lesson_is_played_to_its_end(served: Site, opened: Callable[..., Page], name: str) -> None:
    lesson = served.ask(f"/api/lesson?spec={name}").json
    page = opened(f"{served.base}/#lesson={name}", PHONE)
    for number, step in enumerate(lesson["steps"], 1):
        expect(page.locator(".side")).to_contain_text(f"Step {number} of 5")
        expect(page.locator(".lesson")).to_contain_text(step["text"])
        if number == 2:
            expect_accessible(page)
            click_point(page, "A2" if name == "phantom" else "J9", lesson["spec"])
            expect(page.locator(".why")).to_contain_text("the lesson continues")
        click_point(page, step["play"], lesson["spec"])
    expect(page.locator(".lesson")).to_contain_text("That is the game")
    page.locator("[data-do='play it']").click()
    expect(page.locator("#begin")).to_be_visible()


def test_the_rules_lie_beside_the_board(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("rosette:n=3")
    page = opened(link(served, game, seats["b"]), {"width": 1440, "height": 900})
    page.locator("[data-do=rules]").click()
    expect(page.locator(".drawer svg").first).to_be_visible()
    expect(page.locator(".drawer")).to_contain_text("rosette")
    expect_accessible(page)
    # The game goes on meanwhile.
    expect(page.locator(".frame .board")).to_be_visible()
    page.locator(".drawer").get_by_role("button", name="Close").click()
    expect(page.locator(".drawer")).to_be_hidden()
