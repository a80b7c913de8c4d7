"""Every screen of the page in its states, light and dark, on a phone: nothing that axe finds, nothing too wide."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, RESIGN
from gtp_variants.rules.game import random_game
from tests.site.page.browsing import NEEDS_BROWSER, PHONE, link
from tests.site.page.serving import Site

pytestmark = NEEDS_BROWSER


def expect_accessible(page: Page, state: str) -> None:
    found = Axe().run(page).response["violations"]
    assert [(state, each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth"), state


def expect_targets(page: Page, state: str) -> None:
    """Expect that whatever a finger may press is 44 px high."""
    small = page.evaluate(
        """() => [...document.querySelectorAll("a, button, select, summary, label.check, input")]
            .filter((each) => !["checkbox", "radio"].includes(each.type))
            .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)
            .map((each) => each.outerHTML.slice(0, 200))"""
    )
    assert (state, small) == (state, [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screens_without_a_game(served: Site, opened: Callable[..., Page], scheme: str) -> None:
    page = opened(served.base, PHONE, color_scheme=scheme)
    for address, there in (
        ("", ".tile .board"),
        ("#new", "#begin"),
        ("#new=phantom&referee", ".choices:has-text('You referee people at real boards')"),
        ("#lesson=rosette", ".lesson"),
        ("#dice", "select#dice"),
        ("#lobby", "#seek"),
        ("#game=none", "main > [role=alert]"),
        ("#live=none", "main .card"),
    ):
        page.goto(f"{served.base}/{address}")
        page.locator(there).first.wait_for()
        expect_accessible(page, address)
        expect_targets(page, address)
    made = served.ask("/api/games", {"spec": "go:size=5", "seats": {"w": {"kind": "invited"}}}).json
    page.goto(f"{served.base}/#game={made['game']}&invite={made['invitations']['w']}")
    page.locator("#take").wait_for()
    expect_accessible(page, "an invitation")
    expect_targets(page, "an invitation")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_game_in_all_its_states(served: Site, opened: Callable[..., Page], scheme: str) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(link(served, game, seats["b"]), PHONE, color_scheme=scheme)
    page.locator(".frame .board").wait_for()
    expect_accessible(page, "a turn of one's own")
    for button in ("share", "resign"):
        page.locator(f"[data-do={button}]").click()
        page.locator("dialog").wait_for()
        expect_accessible(page, button)
        page.keyboard.press("Escape")
    page.locator("[data-do=rules]").click()
    page.locator(".rules-text").wait_for()
    expect_accessible(page, "rules")
    page.reload()
    page.locator(".frame .board").wait_for()
    page.keyboard.press("?")
    page.locator("dialog").wait_for()
    expect_accessible(page, "keys")
    page.keyboard.press("Escape")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        for end, turn in ((black, 2), (white, 3)):
            end.do("pass")
            black.until("turn", turn)
            white.until("turn", turn)
        page.locator("[data-do=agree]").wait_for()
        expect_accessible(page, "two passes")
        black.do("resign")
        black.until("final", True)
    page.locator("[data-do='again game']").wait_for()
    expect_accessible(page, "the end")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("spec", ["aleago:size=9,dice=1d4", "phantom:size=5", "rosette:n=3", "alter-igo", "pentalath"])
def test_a_turn_of_every_game_and_its_record(served: Site, opened: Callable[..., Page], spec: str, scheme: str) -> None:
    game, seats = served.begin(spec)
    page = opened(link(served, game, seats["b"]), PHONE, color_scheme=scheme)
    page.locator(".frame .board").wait_for()
    for tab in page.get_by_role("tab").all():
        tab.click()
        for summary in page.locator("summary:visible").all():
            summary.click()
        expect_accessible(page, "a turn")
    played = random_game(parse(spec), 5, 12)
    while played.position.to_play == CHANCE:
        played.cut(len(played.events) - 1)
    played.play(played.position.mover, RESIGN)
    text = to_sgf(Record(played)).encode()
    page.goto(f"{served.base}/#game={served.ask('/api/records', text).json['game']}&at=5")
    page.locator(".study").wait_for()
    expect_accessible(page, "a record")
