"""A move planned during the others' turn: it is played on its turn if it is legal then, and told to nobody before."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.site.page.browsing import NEEDS_BROWSER, click_point, link
from tests.site.page.serving import Site

pytestmark = NEEDS_BROWSER
# Everything that the page sends to the server, but for what keeps the connection.
HEAR_SENT = """
    window.sent = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (text) { window.sent.push(JSON.parse(text).do); send.call(this, text); };
"""


def sit_as_white(served: Site, opened: Callable[..., Page], spec: str) -> tuple[Page, str, str]:
    """The page of White, who plans moves, in a game in which Black is to move; the game and Black's seat."""
    game, seats = served.begin(spec)
    page = opened(link(served, game, seats["w"]))
    page.add_init_script(HEAR_SENT)
    page.evaluate("localStorage.setItem('gv:plan', 'true')")
    page.reload()
    page.locator(".frame .board").wait_for()
    return page, game, seats["b"]


def test_a_planned_point_is_played_at_once_when_the_turn_comes(served: Site, opened: Callable[..., Page]) -> None:
    page, game, seat = sit_as_white(served, opened, "go:size=5")
    planned = page.locator(".pending .planned")
    click_point(page, "C3")
    expect(planned).to_have_count(1)
    expect(page.locator("#live")).to_contain_text("C3 is planned. It is played on your turn if it is legal then.")
    click_point(page, "C3")
    expect(planned).to_have_count(0)
    click_point(page, "B2")
    expect(planned).to_have_count(1)
    page.keyboard.press("Escape")
    expect(planned).to_have_count(0)
    expect(page.locator("#live")).to_contain_text("B2 is no longer planned.")
    click_point(page, "C3")
    assert "play" not in page.evaluate("window.sent")
    with served.sit(game, seat) as black:
        black.do("play", at="D4")
        expect(page.locator(".frame .stones circle")).to_have_count(2)
        assert black.until("turn", 3)["stones"] == {"D4": "b", "C3": "w"}
    expect(planned).to_have_count(0)


def test_a_planned_point_that_is_taken_is_dropped_with_a_word(served: Site, opened: Callable[..., Page]) -> None:
    page, game, seat = sit_as_white(served, opened, "go:size=5")
    click_point(page, "C3")
    with served.sit(game, seat) as black:
        black.do("play", at="C3")
        expect(page.locator(".banner")).to_have_text("C3 was not played: it is not legal now.")
    expect(page.locator(".pending .planned")).to_have_count(0)
    assert "play" not in page.evaluate("window.sent")


def test_a_planned_point_waits_for_the_dice(served: Site, opened: Callable[..., Page]) -> None:
    page, game, seat = sit_as_white(served, opened, "aleago:size=9,dice=1d4,star=false")
    click_point(page, "E5")
    with served.sit(game, seat) as black:
        vertex = next(word for word in black.state["legal"] if word not in ("E5", "pass"))
        black.do("play", at=vertex)
        # Without the star no throw of one die with four faces opens the middle, which is on line 5.
        expect(page.locator(".banner")).to_have_text("E5 was not played: it is not legal now.")
    expect(page.locator(".pending .planned")).to_have_count(0)


def test_a_planned_try_that_the_referee_refuses_is_not_repeated(served: Site, opened: Callable[..., Page]) -> None:
    page, game, seat = sit_as_white(served, opened, "phantom:size=5")
    click_point(page, "C3")
    with served.sit(game, seat) as black:
        black.do("play", at="C3")
        expect(page.locator(".tried")).to_have_count(1)
    expect(page.locator(".status")).to_contain_text("Your turn")
    assert page.evaluate("window.sent.filter((word) => word === 'play').length") == 1


def test_a_planned_point_does_not_outlive_moves_that_are_taken_back(served: Site, opened: Callable[..., Page]) -> None:
    page, game, seat = sit_as_white(served, opened, "go:size=5")
    with served.sit(game, seat) as black:
        black.do("play", at="D4")
        expect(page.locator(".status")).to_contain_text("Your turn")
        click_point(page, "C3")
        # The page must have heard the answer to its move, or the click is no plan.
        expect(page.locator(".frame .stones circle")).to_have_count(2)
        expect(page.locator(".status")).to_contain_text("Black to play")
        click_point(page, "B2")
        expect(page.locator(".pending .planned")).to_have_count(1)
        page.locator("[data-do=undo]").click()
        while not black.state.get("wish"):
            black.take()
        black.do("allow")
        expect(page.locator(".frame .stones circle")).to_have_count(1)
    expect(page.locator(".pending .planned")).to_have_count(0)
    assert page.evaluate("window.sent.filter((word) => word === 'play').length") == 1


def test_nothing_is_planned_by_who_has_not_asked_for_it(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(link(served, game, seats["w"]))
    click_point(page, "C3")
    with served.sit(game, seats["b"]) as black:
        black.do("play", at="D4")
        expect(page.locator(".status")).to_contain_text("Your turn")
    expect(page.locator(".frame .stones circle")).to_have_count(1)
