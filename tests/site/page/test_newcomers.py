"""A newcomer at the page: the way to a lesson, a refused stone, an invitation, the end."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from gtp_variants.rules import GAMES, parse
from tests.site.page.browsing import DESK, NEEDS_BROWSER, PHONE, click_point, link
from tests.site.page.serving import Site

pytestmark = NEEDS_BROWSER


def test_the_form_of_a_new_game_leads_to_its_lesson_and_shows_what_is_chosen_for_nearly_every_game(
    served: Site, opened: Callable[..., Page]
) -> None:
    page = opened(f"{served.base}/#new", PHONE)
    for name in GAMES:
        page.get_by_role("radio", name=parse(name).title, exact=True).check()
        expect(page.locator(f".learn[href='#lesson={name}']")).to_be_visible()
        # No scrolling is needed to begin.
        expect(page.locator("#begin")).to_be_in_viewport()
    expect(page.locator("#option-players")).to_be_visible()
    page.get_by_role("radio", name="Go", exact=True).check()
    page.locator("#option-size").fill("9")
    page.locator("#option-size").press("Tab")
    expect(page.locator(".preview text", has_text="10")).to_have_count(0)
    page.locator("#begin").click()
    expect(page.locator(".about h2")).to_have_text("Go")


def test_a_point_that_cannot_be_played_says_why_at_the_first_tap(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=19")
    with served.sit(game, seats["b"]) as black:
        black.do("play", at="D4")
        black.until("turn", 2)
    page = opened(link(served, game, seats["w"]), PHONE, has_touch=True, is_mobile=True, locale="fr-FR")
    page.locator("#show-confirm").evaluate("box => box.click()")
    click_point(page, "D4")
    expect(page.locator(".banner")).to_have_text("D4 porte une pierre noire")
    click_point(page, "D5")
    expect(page.locator("[data-do='confirm point']")).to_have_text("Jouer D5")


def test_an_invitation_names_the_game_and_the_host(served: Site, opened: Callable[..., Page]) -> None:
    seats = {"b": {"kind": "person", "name": "Ann"}, "w": {"kind": "invited"}}
    made = served.ask("/api/games", {"spec": "rosette:n=2", "seats": seats}).json
    page = opened(f"{served.base}/#game={made['game']}&invite={made['invitations']['w']}", PHONE)
    expect(page.locator("h1")).to_have_text("You are invited to play Rosette")
    expect(page.locator("main")).to_contain_text("Black: Ann")


def test_a_game_played_on_keeps_the_colour_of_who_played_it(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("pentalath")
    with served.sit(game, seats["w"]) as white, served.sit(game, seats["b"]) as black:
        white.do("play", at="A1")
        black.until("turn", 2)
        black.do("play", at="C3")
        white.until("turn", 3)
        white.do("resign")
        white.until("final", True)
    page = opened(link(served, game, seats["w"]), DESK)
    page.locator("[data-do=first]").click()
    page.locator("[data-do=forward]").click()
    page.locator("[data-do='play on']").click()
    expect(page.locator("dialog")).to_contain_text("Black moves next; you play White.")
    page.locator("[data-do='on alone']").wait_for()
    page.locator("[data-do='on link']").click()
    expect(page.locator(".player", has_text="White")).to_contain_text("you")


def test_only_bots_that_can_play_a_game_are_offered(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=go:size=5")
    search = page.locator("#seat-w option[value='bot:mcts']")
    expect(search).to_have_count(1)
    page.locator("#seat-w").select_option("bot:mcts")
    page.get_by_role("radio", name="Go Fantôme", exact=True).check()
    expect(page.locator("#seat-w")).to_have_value("bot:phantom")
    expect(search).to_have_count(0)
    page.get_by_role("radio", name="Go", exact=True).check()
    expect(page.locator("#seat-w")).to_have_value("bot:mcts")


@pytest.mark.parametrize("is_slow_finger", [False, True])
def test_begin_right_after_typing_uses_the_updated_form(
    served: Site, opened: Callable[..., Page], is_slow_finger: bool
) -> None:
    # High enough for the new row to move the button.
    page = opened(f"{served.base}/#new=pentalath", {"width": 1280, "height": 1800})
    page.locator("#option-players").fill("3")
    place = page.locator("#begin").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 5, place["y"] + 5)
    if is_slow_finger:
        with page.expect_response("**/api/describe*"):
            page.mouse.down()
        page.wait_for_timeout(100)
    else:
        page.mouse.down()
    page.mouse.up()
    expect(page.locator(".player")).to_have_count(3)
    expect(page.locator(".players").first.locator(".player").last).to_contain_text("Search")


def test_the_strength_of_a_bot_takes_what_the_server_takes(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=go:size=5")
    level, amount = page.locator("#level-w"), page.locator("#amount-w")

    def is_valid(kind: str, number: str) -> bool:
        level.select_option(kind)
        amount.fill(number)
        return bool(amount.evaluate("field => field.validity.valid"))

    for number, fits in {"100": False, "0": False, "60": True, "0.5": True}.items():
        assert is_valid("seconds", number) is fits
    for number, fits in {"0": False, "1.5": False, "1000001": False, "1": True}.items():
        assert is_valid("playouts", number) is fits
    # A number that is not shown any more is in nobody's way.
    amount.fill("0")
    level.select_option("3")
    page.locator("#begin").click()
    expect(page.locator(".frame .board")).to_be_visible()
