"""Rare states of the page: lost connections, refusals, counts, dead links, keys, small screens."""

import json
import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.game import random_game
from tests.site.page.browsing import DESK, NEEDS_BROWSER, PHONE, click_point, enter, link
from tests.site.page.serving import Client, Site

pytestmark = NEEDS_BROWSER


def expect_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []


def act(ends: list[Client], end: Client, what: str, **more: str) -> None:
    """Somebody does something, and all hear of it."""
    end.do(what, **more)
    for each in ends:
        while each.take()["type"] not in ("news", "game"):
            pass


def test_the_lists_of_games_say_the_turn(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 2)
    page = opened(served.base)
    expect(page.locator(".now > .list").last).to_contain_text("turn 2")
    page.locator(".now summary").click()
    expect(page.locator(".now details")).to_contain_text("turn 2")
    assert "undefined" not in page.locator("body").inner_text()


def test_a_game_can_begin_before_its_options_load(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base)

    def answer_late(route: Route) -> None:
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/api/describe*", answer_late)
    page.evaluate("() => { location.hash = '#new=go:size=5'; }")
    page.locator("#begin").click()
    expect(page.locator(".frame .board")).to_be_visible()


def test_every_option_of_every_game_shows_its_value(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new")
    for name in ("Go Fantôme", "Aléago", "Rosette"):
        page.get_by_role("radio", name=name, exact=True).check()
        expect(page.locator(".preview .board")).to_be_visible()
        # Until then the options are those of the game before.
        expect(page.locator(f".learn[href='#lesson={parse(name).name}']")).to_be_visible()
        values = page.locator(".option select, .option input:not([type=checkbox])").evaluate_all(
            "all => all.map((each) => each.value)"
        )
        assert "" not in values


def test_a_title_in_the_address_chooses_its_game(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=Go%20Fant%C3%B4me:size=5")
    expect(page.get_by_role("radio", name="Go Fantôme", exact=True)).to_be_checked()
    expect(page.locator("#option-size")).to_have_value("5")


DEAD_LINKS = [
    "#new=nonsense",
    "#new=go:size=99",
    "#live=none&game=none",
    "#game=a%20b/c",
    "#dice=none",
    "#game=none&as=b",
]


@pytest.mark.parametrize("address", [*DEAD_LINKS, "#game=none&invite=none", "#live=none"])
def test_a_link_that_leads_nowhere_says_so_or_offers_what_there_is(
    served: Site, browser: Browser, address: str
) -> None:
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{served.base}/{address}")
    expect(page.locator("main")).to_contain_text(re.compile(r"\w{4}"))
    if "#new" in address:
        page.locator("#begin").click()
        expect(page.locator(".frame .board")).to_be_visible()
    page.keyboard.press("[")
    page.wait_for_timeout(300)
    assert faults == []
    page.close()


def test_a_click_leaves_no_frame_around_the_board_and_a_key_does(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(link(served, game, seats["b"]))
    click_point(page, "C3")
    expect(page.locator(".frame .stones circle")).to_have_count(1)
    outline = "getComputedStyle(document.querySelector('.frame .board')).outlineStyle"
    assert page.evaluate(outline) == "none"
    page.keyboard.press("Shift")
    page.locator(".frame .board").focus()
    click_point(page, "C4")
    assert page.evaluate(outline) == "none"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(outline) == "solid"


def test_a_refused_undo_is_reported_to_its_player(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    black, white = opened(link(served, game, seats["b"])), opened(link(served, game, seats["w"]))
    click_point(black, "C3")
    expect(white.locator(".frame .stones circle")).to_have_count(1)
    black.locator("[data-do=undo]").click()
    white.locator("[data-do=refuse]").click()
    expect(black.locator(".banner")).to_contain_text("White declined")
    # The button for the first wish is another one than that for the second.
    expect(white.locator("[data-do=allow]")).to_have_count(0)
    black.locator("[data-do=undo]").click()
    white.locator("[data-do=allow]").click()
    expect(black.locator(".frame .stones circle")).to_have_count(0)


def test_a_player_who_left_is_shown_no_actions(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("pentalath:players=3")
    black, red = (opened(link(served, game, seats[letter])) for letter in "br")
    with served.sit(game, seats["w"]) as white:
        white.do("play", at="A1")
        black.locator("[data-do=resign]").click()
        black.locator("#resign-yes").click()
        white.until("asked", "r")
        white.do("undo")
        for page in (black, red):
            expect(page.locator(".banner")).to_contain_text("White asks to take back")
        for what in ("resign", "undo", "allow"):
            expect(red.locator(f"[data-do={what}]")).to_be_visible()
            expect(black.locator(f"[data-do={what}]")).to_have_count(0)


def test_agreeing_to_a_count_is_confirmed(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("phantom:size=5,dead=agreed")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        for end, what, more in (
            *((black, "play", {"at": "C3"}), (white, "play", {"at": "A1"})),
            *((end, "pass", {}) for end in (black, white) * 2),
        ):
            act([black, white], end, what, **more)
        assert black.state["counting"]
    one, other = opened(link(served, game, seats["b"])), opened(link(served, game, seats["w"]), PHONE)
    one.locator("[data-do=agree]").click()
    expect(one.locator(".status")).to_contain_text("Count accepted")
    expect(one.locator("[data-do=agree]")).to_have_count(0)
    expect(other.locator(".status")).to_contain_text("Black accepts the count")
    other.locator("[data-do=agree]").click()
    expect(one.locator(".status .big")).to_contain_text("wins")


def test_the_game_that_follows_is_found_again_from_the_one_before(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(link(served, game, seats["b"]))
    with served.sit(game, seats["w"]) as white:
        white.do("resign")
        white.until("final", True)
        page.locator("[data-do='again game']").click()
        while white.take_one("who")["again"] != ["b"]:
            pass
        white.do("again")
        expect(page.locator(".player", has_text="White")).to_contain_text("you")
    page.goto(f"{served.base}/#game={game}")
    page.locator("[data-do='again game']").click()
    expect(page.locator(".player", has_text="White")).to_contain_text("you")
    expect(page.locator("main > .banner")).to_have_count(0)


def test_a_finished_game_shows_whose_every_point_is(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5,komi=0.5")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        ends = [black, white]
        for number, at in enumerate(["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5"]):
            act(ends, ends[number % 2], "play", at=at)
        for number in range(4):
            act(ends, ends[number % 2], "pass")
        assert black.state["final"]
    page = opened(link(served, game), PHONE)
    expect(page.locator(".owned.b")).to_have_count(10)
    expect(page.locator(".owned.w")).to_have_count(5)
    expect(page.locator(".count .total td")).to_have_text(["15", "10.5"])
    expect(page.locator(".status .big")).to_have_text("Black wins by 4.5 points")
    expect_accessible(page)


def test_an_earlier_moment_of_a_finished_game_has_the_captures_of_then_and_no_count(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        ends = [black, white]
        for number, at in enumerate(["A2", "A1", "B1"]):
            act(ends, ends[number % 2], "play", at=at)
        for number in range(4):
            act(ends, ends[(number + 1) % 2], "pass")
        assert black.state["final"]
    page = opened(link(served, game))
    taken, count = page.locator(".player .taken"), page.locator(".count")
    expect(taken.first).to_contain_text("1")
    expect(count).to_be_visible()
    page.locator("[data-do=first]").click()
    expect(taken.first).to_contain_text("0")
    expect(count).to_be_hidden()
    page.locator("[data-do=forward]").click()
    page.locator("[data-do=forward]").click()
    click_point(page, "C3")
    expect(page.locator(".status .big")).to_contain_text("Variation")
    expect(taken.first).to_contain_text("0")
    expect(count).to_be_hidden()
    # Each move of a variation waits for the server's answer to the one before.
    stones = page.locator(".frame .stones circle")
    expect(stones).to_have_count(3)
    click_point(page, "B2")
    expect(stones).to_have_count(4)
    click_point(page, "B1")
    expect(taken.first).to_contain_text("1")
    expect(count).to_be_hidden()


def test_spoken_announcements_are_not_overwritten_and_name_the_colour(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("aleago:size=9,dice=1d4")
    page = opened(link(served, game, seats["w"]))
    expect(page.locator(".status")).to_contain_text("Black to play")
    with served.sit(game, seats["b"]) as black:
        at = black.state["legal"][0]
        black.do("play", at=at)
        black.until("turn", 2)
    expect(page.locator("#live p").first).to_have_text(f"Black {at}")
    expect(page.locator("#live p").nth(1)).to_contain_text("White throws")
    expect(page.locator("#live p").nth(1)).to_contain_text("pen: line")


def test_the_list_of_moves_is_one_stop_of_the_key_tab(
    served: Site, opened: Callable[..., Page], tmp_path: object
) -> None:
    game = served.show(random_game(parse("go:size=9"), 3, 60))
    page = opened(link(served, game))
    expect(page.locator(".move").nth(50)).to_be_attached()
    assert page.locator(".move[tabindex='0']").count() == 1
    page.locator(".move[tabindex='0']").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".move").nth(1)).to_have_attribute("aria-current", "step")
    expect(page.locator(".frame .stones circle")).to_have_count(2)


def test_a_line_that_dies_without_a_word_is_noticed_and_a_stone_played_meanwhile_is_sent_later(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(link(served, game))
    page.clock.install()
    lines: list[WebSocketRoute] = []
    is_dead = [False]

    def carry(line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        lines.append(line)
        line.on_message(lambda text: None if is_dead[0] else server.send(text))
        server.on_message(lambda text: None if is_dead[0] else line.send(text))

    page.route_web_socket("**/api/socket", carry)
    enter(page, link(served, game, seats["b"]))
    page.reload()
    expect(page.locator(".status .mine")).to_be_visible()
    is_dead[0] = True
    page.clock.run_for(35_000)
    expect(page.locator("main > .banner")).to_contain_text("Connection lost")
    click_point(page, "C3")
    expect(page.locator(".pending .stone")).to_have_count(1)
    expect(page.locator(".banner.error, .banner .error").last).to_contain_text("will be sent later")
    is_dead[0] = False
    # The next line that the page opens is heard, and time does not run on before the server has answered.
    count = len(lines)
    while len(lines) == count:
        page.clock.run_for(1000)
    expect(page.locator(".frame .stones circle")).to_have_count(1)
    expect(page.locator("main > .banner")).to_have_count(0)


def test_a_browser_that_is_offline_says_so_at_once(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(link(served, game, seats["b"]))
    page.clock.install()
    page.reload()
    expect(page.locator(".status .mine")).to_be_visible()
    # Time stands still, or the page would soon try again by itself.
    page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.locator("main > .banner")).to_contain_text("Connection lost")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.clock.resume()
    expect(page.locator("main > .banner")).to_have_count(0)


def test_the_names_of_lines_can_be_read_on_a_phone(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=19")
    page = opened(link(served, game, seats["b"]), PHONE)
    page.locator(".frame .board").wait_for()
    # The letters grow once the board has its size.
    page.wait_for_function("document.querySelector('.frame .board text').getBoundingClientRect().height >= 10")


def test_a_phone_on_its_side_shows_board_and_buttons_without_scrolling(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("go:size=9")
    page = opened(link(served, game, seats["b"]), {"width": 844, "height": 390})
    for locator in (page.locator(".frame .board"), page.locator("[data-do=pass]")):
        box = locator.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


def test_a_game_that_has_hardly_begun_is_aborted_and_one_is_deleted(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=go:size=5")
    page.locator("#seat-w").select_option("bot:uniform")
    page.locator("#begin").click()
    page.locator("[data-do=abort]").click()
    page.locator("#abort-yes").click()
    expect(page.locator(".status .big")).to_have_text("The game was aborted before it began")
    game = re.findall(r"game=([\w-]{22})", page.url)[0]
    assert "RE[Void]" in served.ask(f"/api/games/{game}/record.sgf").body.decode()
    page.locator("#new").click()
    page.locator(".list .delete").first.click()
    page.locator("#delete-yes").click()
    expect(page.locator(".list .delete")).to_have_count(0)
    while served.ask(f"/api/games/{game}/record.sgf").status != 404:
        page.wait_for_timeout(50)


def test_a_record_keeps_the_names_of_its_players(served: Site, opened: Callable[..., Page]) -> None:
    game = random_game(parse("go:size=5"), 3, 20)
    text = to_sgf(Record(game, players={1: "Dosaku", 2: "Jowa"}))
    shown = served.ask("/api/records", text.encode()).json["game"]
    page = opened(link(served, shown))
    expect(page.locator(".player").first).to_contain_text("Dosaku")
    expect(page.locator(".player").last).to_contain_text("Jowa")


def test_the_cost_of_a_step_does_not_grow_with_the_game(served: Site, opened: Callable[..., Page]) -> None:
    """Counted in changes of the page, not in time: as many at move 400 as at move 20."""
    shown = served.show(random_game(parse("go:size=19"), 3))
    page = opened(link(served, shown))
    expect(page.locator(".move").nth(400)).to_be_attached()
    changed = page.evaluate(
        """async () => {
            const moves = document.querySelectorAll(".move");
            const side = document.querySelector(".side");
            const counts = [];
            for (const number of [20, moves.length - 12]) {
                moves[number].click();
                await new Promise((done) => setTimeout(done, 50));
                let count = 0;
                const watch = new MutationObserver((all) => {
                    for (const each of all) count += 1 + each.addedNodes.length + each.removedNodes.length;
                });
                watch.observe(side, { childList: true, subtree: true, attributes: true, characterData: true });
                moves[number + 1].click();
                await new Promise((done) => setTimeout(done, 50));
                watch.disconnect();
                counts.push(count);
            }
            return counts;
        }"""
    )
    assert changed[1] <= changed[0] + 5, json.dumps(changed)


COMMENTED = (
    "(;GM[1]FF[4]SZ[9]PB[Dosaku]PW[Jowa]C[the beginning];B[cc]BL[55]C[a first stone]TR[cc]LB[gg:A]"
    "(;W[gg];B[gc])(;W[cg]C[calmer];B[gc]))"
)


def test_an_opened_record_keeps_comments_marks_variations_and_times(served: Site, opened: Callable[..., Page]) -> None:
    shown = served.ask("/api/records", COMMENTED.encode()).json["game"]
    page = opened(link(served, shown), PHONE)
    expect(page.locator(".move")).to_have_count(3)
    page.locator("[data-do=first]").click()
    expect(page.locator(".remarks")).to_have_text("the beginning")
    page.locator("[data-do=forward]").click()
    expect(page.locator(".remarks")).to_contain_text("a first stone")
    expect(page.locator(".remarks")).to_contain_text("0:55 left")
    expect(page.locator(".shape")).to_have_count(1)
    expect(page.locator(".label")).to_have_text("A")
    page.get_by_role("button", name="Instead: C3 G7").click()
    expect(page.locator(".instead")).to_have_count(2)
    expect_accessible(page)
    page.locator("[data-do=forward]").click()
    expect(page.locator(".instead")).to_have_count(0)
    # What was opened is given back whole, and names its encoding.
    given = served.ask(f"/api/games/{shown}/record.sgf").body.decode()
    assert given.replace("\n", "") == COMMENTED.replace("(;", "(;CA[UTF-8]", 1)


def test_games_that_begin_after_a_restart_of_the_server_are_listed(served: Site, browser: Browser) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            live = [{"game": "g", "source": "evening", "turn": 1, "over": False, "lost": False, "seats": {}}]
            route.fulfill(json={"games": live})

    page.route("**/api/live", answer)
    page.goto(served.base)
    expect(page.get_by_text("evening")).to_be_visible()
    context.close()


@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize("spec", ["aleago:size=9,dice=1d3", "phantom:size=5", "go:size=5"])
def test_nothing_moves_while_one_plays(
    served: Site, opened: Callable[..., Page], spec: str, size: dict[str, int]
) -> None:
    game, seats = served.begin(spec)
    page = opened(link(served, game, seats["b"]), size)
    parts = [page.locator(part) for part in (".frame .board", ".slot", ".buttons", ".sheet", ".buttons :last-child")]
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        boxes = []
        for turn in range(1, 5):
            end = (white, black)[turn % 2]
            expect(page.locator(".status .mine")).to_have_count(turn % 2)
            boxes.append([part.bounding_box() for part in parts])
            free = [word for word in end.state["legal"] if word != "pass"]
            end.do("play", at=free[-(1 - turn % 2)])
            for each in (black, white):
                # A browser's nonce is news, too.
                each.until("turn", turn + 1)
    assert boxes == boxes[:1] * 4
