"""Looking at a game that is over: variations, best moves, luck and skill, what each seat knew, ways to take it away."""

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.records.sgf.variations import read_remarks
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, RESIGN, WHITE
from gtp_variants.rules.game import Game, random_game
from tests.site.page.browsing import NEEDS_BROWSER, PHONE, click_point, expect_stones, link
from tests.site.page.serving import Site

pytestmark = NEEDS_BROWSER


# How each line of a drawing stands out from its ground.
_CONTRASTS = """(drawing) => {
    const luminance = (colour) => {
        const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [ground, ...lines] = document.querySelector(drawing).children;
    const below = luminance(getComputedStyle(ground).fill);
    return lines.map((line) => {
        const above = luminance(getComputedStyle(line).stroke);
        return (Math.max(above, below) + 0.05) / (Math.min(above, below) + 0.05);
    });
}"""


def go(moves: str) -> Game:
    game = Game(parse("go:size=5"))
    for number, word in enumerate(moves.split()):
        game.play(WHITE if number % 2 else BLACK, game.rules.board.point(word))
    return game


def shown(served: Site, game: Game) -> str:
    if game.outcome is None:
        game.play(game.position.mover, RESIGN)
    return served.show(game)


def dice_game() -> Game:
    game = random_game(parse("aleago:size=5,dice=1d3"), 3, 6)
    while game.position.to_play == CHANCE or game.outcome is not None:
        game.cut(len(game.events) - 1)
    return game


def expect_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


def test_a_tree_of_variations_is_walked_and_added_to(served: Site, opened: Callable[..., Page], tmp_path: Path) -> None:
    game = shown(served, go("C3 D3 C4 D4"))
    page = opened(f"{link(served, game)}&at=2")
    expect(page.locator(".study")).to_contain_text("try something else")
    for vertex in ("B2", "B3"):
        click_point(page, vertex)
        expect(page.locator(".move").last).to_contain_text(vertex)
    expect(page.locator(".status .big")).to_have_text("Variation, move 4 / 4")
    expect(page.locator("#live p").last).to_have_text("White B3")
    # A move of the variation again is no new one; another is one of its own.
    page.locator("[data-do=back]").click()
    click_point(page, "B3")
    expect(page.locator(".branch")).to_have_count(1)
    page.locator("[data-do=back]").click()
    click_point(page, "A1")
    expect(page.locator(".tree ul ul .branch")).to_have_count(1)
    expect(page.locator(".branch[aria-current]")).to_contain_text("4. A1")
    # What cannot be played is told, and nothing has changed.
    click_point(page, "C3")
    expect(page.locator(".banner")).to_contain_text("C3")
    expect(page.locator(".branch")).to_have_count(2)
    # Back in the game its own next move is no variation.
    page.locator("#study-back").click()
    expect(page.locator(".status .big")).to_have_text("move 2 / 4")
    click_point(page, "C4")
    expect(page.locator(".status .big")).to_have_text("move 3 / 4")
    expect(page.locator(".branch")).to_have_count(2)
    # They are there again tomorrow, and in the file.
    page.reload()
    expect(page.locator(".branch")).to_have_count(2)
    page.get_by_role("tab", name="More").click()
    with page.expect_download() as taken:
        page.locator("#take-sgf").click()
    text = Path(taken.value.path()).read_text(encoding="utf-8")
    assert from_sgf(text).game.events == [*go("C3 D3 C4 D4").events, from_sgf(text).game.events[-1]]
    assert [(line.after, len(line.moves)) for line in read_remarks(text, parse("go:size=5").board)[1]] == [(2, 2)]
    assert "(;W[ae])" in text
    page.get_by_role("tab", name="Moves").click()
    page.locator(".branch").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".status .big")).to_have_text("Variation, move 3 / 4")
    page.get_by_role("button", name="Remove 3. B2 B3").click()
    expect(page.locator(".branch")).to_have_count(1)
    expect(page.locator(".status .big")).to_have_text("move 2 / 4")


def test_keys_alone_try_something_and_a_screen_reader_hears_it(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{link(served, shown(served, go('A1 B1')))}&at=2")
    page.locator(".frame .board").focus()
    for key in ("ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#live p").last).to_have_text("Black C3")
    page.keyboard.press("p")
    expect(page.locator("#live p").last).to_have_text("White passes")
    page.keyboard.press("[")
    expect(page.locator(".status .big")).to_have_text("Variation, move 3 / 4")


def test_a_variation_of_a_file_is_walked_and_gone_on_with(served: Site, opened: Callable[..., Page]) -> None:
    text = "(;GM[1]FF[4]SZ[5];B[cc](;W[dc];B[cb])(;W[bb]C[calmer];B[bc]))"
    game = served.ask("/api/records", text.encode()).json["game"]
    page = opened(f"{link(served, game)}&at=1", PHONE)
    page.get_by_role("button", name="Explore variation").click()
    expect(page.locator(".move")).to_have_count(3)
    expect(page.locator(".status .big")).to_have_text("Variation, move 2 / 3")
    page.locator("[data-do=last]").click()
    expect_stones(page, 3)
    expect_accessible(page)


def test_a_link_leads_to_a_moment_of_a_variation(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{link(served, shown(served, dice_game()))}&at=3")
    page.locator("[data-do=pass]").click()
    expect(page.locator(".status .big")).to_contain_text("Variation")
    status, moves = page.locator(".status").inner_text(), page.locator(".moves").inner_text()
    page.locator("[data-do=share]").click()
    moment = page.locator("dialog input").last.input_value()
    other = opened(served.base + moment[moment.index("/#") :])
    expect(other.locator(".status .big")).to_contain_text("Variation")
    expect(other.locator(".status")).to_have_text(status, use_inner_text=True)
    expect(other.locator(".moves")).to_have_text(moves, use_inner_text=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pointing_at_a_move_shows_its_continuation(served: Site, opened: Callable[..., Page], scheme: str) -> None:
    page = opened(f"{link(served, shown(served, go('C3 D3 C4 D4')))}&at=2", PHONE, color_scheme=scheme)
    page.locator("[data-do=analysis]").click()
    first = page.locator(".candidates button").first
    first.focus()
    expect(page.locator(".instead").first).to_be_visible()
    assert page.locator(".instead").count() == page.locator(".over .label").count()
    page.locator("[data-do=share]").focus()
    expect(page.locator(".instead")).to_have_count(0)
    expect_accessible(page)
    vertex = first.locator("strong").inner_text()
    first.click()
    expect(page.locator(".branch")).to_contain_text(vertex)


@pytest.mark.long
def test_luck_is_told_apart_from_skill_in_a_game_with_dice(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(link(served, shown(served, dice_game())), PHONE)
    page.locator("[data-do=analysis]").click()
    page.locator("#curve").click()
    expect(page.locator("#curve")).to_have_count(0, timeout=120_000)
    expect(page.locator(".luck tbody tr")).to_have_count(2)
    expect(page.locator(".luck .gift").first).to_be_visible()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        # What WCAG 2.2 asks of graphics, 1.4.11.
        assert min(page.evaluate(_CONTRASTS, ".luck > svg")) >= 3
        expect_accessible(page)
    if page.locator("[id^=gift-]").count():
        page.locator("[id^=gift-]").first.click()
        expect(page.locator(".status .big")).to_contain_text("move")


def test_each_seats_view_is_shown_beside_the_truth_at_every_moment(served: Site, opened: Callable[..., Page]) -> None:
    game = Game(parse("phantom:size=5"))
    for vertex in ("C3", "C3", "A1", "D4"):
        game.play(game.position.mover, game.rules.board.point(vertex))
    page = opened(f"{link(served, shown(served, game))}&at=1")
    boards = page.locator(".small-board")
    expect(boards.nth(1)).to_contain_text("0 stones not seen")
    expect(boards.nth(2)).to_contain_text("1 stone not seen")
    page.locator("[data-do=forward]").click()
    # By the refused try White hears that something is there, and sees nothing.
    expect(boards.nth(2)).to_contain_text("1 stone not seen")
    page.locator("[data-do=last]").click()
    expect(boards.nth(1)).to_contain_text("1 stone not seen")
    expect(boards.nth(2)).to_contain_text("2 stones not seen")
    boards.nth(1).click()
    expect(page.locator(".frame .guess.w")).to_have_count(1)
    expect_accessible(page)
    boards.nth(0).click()
    expect(page.locator(".frame .guess")).to_have_count(0)


@pytest.mark.parametrize("way", ["on bot", "on alone", "on link"])
def test_any_moment_is_played_on(served: Site, opened: Callable[..., Page], way: str) -> None:
    page = opened(f"{link(served, shown(served, go('C3 D3 C4 D4')))}&at=2", PHONE)
    click_point(page, "B2")
    expect(page.locator(".branch")).to_have_count(1)
    page.locator("[data-do='play on']").click()
    expect_accessible(page)
    page.locator(f"[data-do='{way}']").click()
    expect(page.locator(".status .big")).to_have_text("Your turn")
    expect_stones(page, 3)
    expect(page.locator(".player", has_text="White")).to_contain_text("you")
