"""The page on phones, and records to work with: the cross-hair, the shell without a line, curve, play on."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from gtp_variants.rules import parse
from gtp_variants.rules.game import random_game
from tests.site.page.browsing import NEEDS_BROWSER, PATIENCE_MS, PHONE, link, point_on_screen
from tests.site.page.serving import Site
from tests.site.page.test_page_states import expect_accessible

pytestmark = NEEDS_BROWSER


def test_a_finger_moves_the_cross_hair_and_the_point_is_played_by_its_button(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("go:size=19")
    page = opened(link(served, game, seats["b"]), PHONE, has_touch=True, is_mobile=True)
    expect(page.locator(".status .mine")).to_be_visible()
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", point_on_screen(page, served, "go:size=19", "D4"))
    expect(page.locator(".hair")).to_be_visible()
    send("touchMove", point_on_screen(page, served, "go:size=19", "Q16"))
    send("touchEnd")
    expect(page.locator(".buttons")).to_have_text("CancelPlay Q16")
    page.locator("[data-do=cancel]").tap()
    expect(page.locator(".hair")).to_have_count(0)
    expect(page.locator(".frame .stones circle")).to_have_count(0)
    send("touchStart", point_on_screen(page, served, "go:size=19", "D4"))
    send("touchMove", point_on_screen(page, served, "go:size=19", "K10"))
    send("touchEnd")
    page.locator("[data-do='confirm point']").tap()
    expect(page.locator(".move")).to_have_text(re.compile("K10"))
    expect(page.locator(".frame .stones circle")).to_have_count(1)


def test_the_page_is_there_without_a_line_once_it_was_open(served: Site, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(served.base)
    expect(page.locator("#play")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    # What was asked before the worker was there is asked once more.
    page.reload()
    expect(page.locator("#play")).to_be_visible()
    context.set_offline(True)
    page.reload()
    expect(page.locator("main > .banner")).to_contain_text("The server does not answer")
    context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#play")).to_be_visible()
    # Nothing of a game is kept by the worker.
    kept = page.evaluate(
        "caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((each) => each.keys()))))"
        ".then((all) => all.flat().map((each) => new URL(each.url).pathname))"
    )
    assert kept
    assert all(path == "/" or path.startswith("/static/") for path in kept)
    context.close()


def test_the_page_can_be_installed(served: Site) -> None:
    manifest = served.ask("/static/manifest.webmanifest").json
    for icon in manifest["icons"]:
        assert served.ask(icon["src"]).status == 200
    assert served.ask("/sw.js").headers["content-type"].startswith("text/javascript")


def test_a_record_is_analysed_as_a_whole_and_played_on_from_a_moment(served: Site, opened: Callable[..., Page]) -> None:
    shown = served.show(random_game(parse("go:size=5"), 3, 6))
    page = opened(f"{link(served, shown)}&at=2")
    expect(page.locator(".frame .stones circle")).to_have_count(2)
    page.locator("[data-do=analysis]").click()
    page.locator("#curve").click()
    expect(page.locator(".curve .line")).to_be_attached()
    expect(page.locator("#curve")).to_have_count(0, timeout=120_000)
    expect_accessible(page)
    page.locator("[data-do='play on']").click()
    page.locator("[data-do='on bot']").click()
    expect(page.locator(".status .mine")).to_be_visible()
    expect(page.locator(".move").nth(1)).to_be_attached()


def test_games_that_cannot_be_continued_are_refused(served: Site) -> None:
    over = served.show(random_game(parse("go:size=5"), 3))
    hidden, seats = served.begin("phantom:size=5")
    for asked, status in (
        ({"from": over, "at": 10**6}, 400),
        ({"from": over, "at": -1}, 400),
        ({"from": over, "at": "2"}, 400),
        ({"from": "nowhere", "at": 0}, 404),
        ({"from": hidden, "at": 0}, 400),
        ({"from": ["x"], "at": 0}, 404),
    ):
        assert served.ask("/api/games", asked).status == status
    assert served.ask(f"/api/games/{hidden}/picture.svg").status == 400
    assert served.ask(f"/api/games/{over}/picture.svg?at=3").body.startswith(b"<svg")
    assert seats


def test_stepping_through_a_game_leaves_the_board_where_it_is(served: Site, opened: Callable[..., Page]) -> None:
    shown = served.show(random_game(parse("go:size=9"), 3, 100))
    page = opened(link(served, shown), PHONE)
    expect(page.locator(".move").nth(90)).to_be_attached()
    for key in ("{", "]", "]", "}", "["):
        page.keyboard.press(key)
        assert page.evaluate("scrollY") == 0
    # The list shows the present move.
    inside = """() => {
        const list = document.querySelector(".moves").getBoundingClientRect();
        const row = document.querySelector(".move[aria-current]").getBoundingClientRect();
        return row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
    }"""
    assert page.evaluate(inside)
    page.keyboard.press("{")
    page.keyboard.press("]")
    assert page.evaluate(inside)


def test_people_agree_on_passes_and_a_match_from_the_panel_of_more(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("alter-igo:size=5")
    black, white = opened(link(served, game, seats["b"])), opened(link(served, game, seats["w"]), PHONE)
    white.get_by_role("tab", name="More").click()
    white.locator("[data-do=white_passes]").click()
    white.locator("#white-passes").fill("3")
    white.locator("dialog button.main").click()
    expect(black.locator(".banner")).to_contain_text("White proposes that White may pass 3 times.")
    black.locator("[data-do=allow]").click()
    for page in (black, white):
        expect(page.locator(".move")).to_have_text(re.compile("White may pass 3 times, as agreed"))
    white.get_by_role("tab", name="More").click()
    white.locator("[data-do=match]").click()
    white.locator("#black-moves").check()
    expect_accessible(white)
    white.locator("dialog button.main").click()
    expect(black.locator(".banner")).to_contain_text("If both players win as Black, the one with fewer stones wins.")
    black.locator("[data-do=refuse]").click()
    expect(white.locator(".banner")).to_contain_text("Black declined.")
