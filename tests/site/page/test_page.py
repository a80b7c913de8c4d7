"""The page in a real browser: every game played on it, by pointer, finger and keys, alone and together."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record, verify
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.rules import Rules
from tests.records.damage import GIB, NGF, OGS
from tests.records.games import five, rosette
from tests.site.page.browsing import DESK, NEEDS_BROWSER, PHONE, click_point, enter, expect_stones, link
from tests.site.page.serving import KEY, Json, Site, process

pytestmark = NEEDS_BROWSER
SMALL = {"go": "go:size=5", "aleago": "aleago:size=5,dice=1d3", "phantom": "phantom:size=4", "rosette": "rosette:n=2",
         "alter-igo": "alter-igo:size=4", "pentalath": "pentalath"}  # fmt: skip


@contextmanager
def frames(page: Page) -> Iterator[list[str]]:
    """All that comes over the page's sockets from now on."""
    came: list[str] = []
    page.on("websocket", lambda line: line.on("framereceived", lambda text: came.append(str(text))))
    yield came


def chosen(rules: Rules, state: Json, rng: Random) -> str | None:
    """Return a point that fills no own eye, or None if there is none."""
    near, stones = rules.board.neighbours, state["stones"]
    points = [word for word in state["legal"] if word not in ("pass", "swap")]

    def is_eye(word: str) -> bool:
        around = [stones.get(rules.board.vertices[point]) for point in near[rules.board.point(word)]]
        return rules.is_scored and set(around) == {state["asked"]}

    free = [word for word in points if not is_eye(word)]
    return rng.choice(free) if free else None


@pytest.mark.parametrize("name", list(GAMES))
def test_a_whole_game_from_the_first_click_to_the_result(served: Site, opened: Callable[..., Page], name: str) -> None:
    rules, rng = parse(SMALL[name]), Random(5)
    game, seats = served.begin(SMALL[name], seats={"w": {"kind": "bot", "bot": "uniform"}})
    page = opened(link(served, game, seats["b"]))
    with served.sit(game, seats["b"]) as seat:
        for number in range(120):
            while not seat.state["final"] and not seat.state["counting"] and seat.state["asked"] != "b":
                seat.take()
            if seat.state["counting"]:
                # The board is shown before the dead stones are agreed on.
                expect(page.locator(".status")).to_contain_text("then accept the end")
                page.locator("[data-do=agree]").click()
                seat.until("final", True)
            expect(page.locator(".move")).to_have_count(sum(item["kind"] != "draw" for item in seat.news))
            if seat.state["final"]:
                break
            expect(page.locator(".status .big")).to_contain_text(
                "game over?" if seat.state["suspended"] else "Your turn"
            )
            # Long enough played: from then on the bot alone fills the board.
            is_enough = seat.state["suspended"] or (number >= 12 and "pass" in seat.state["legal"])
            count, point = len(seat.news), None if is_enough else chosen(rules, seat.state, rng)
            if point is not None:
                click_point(page, point)
            else:
                page.locator("[data-do=agree]" if seat.state["suspended"] else "[data-do=pass]").click()
            while len(seat.news) == count and not seat.state["final"] and seat.state["asked"] == "b":
                seat.take()
        assert seat.state["final"]
        reason = str(seat.state["reason"])
    expect(page.locator(".status .big")).to_have_text(reason[0].upper() + reason[1:])
    if name == "phantom":
        expect(page.locator(".small-board")).to_have_count(3)
    page.get_by_role("tab", name="More").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="SGF").click()
    assert f"RE[{seat.state['result']}]" in Path(download.value.path()).read_text(encoding="utf-8")


def test_a_new_game_from_the_dialog_and_back_to_it_from_the_list(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base)
    page.locator("#change").click()
    page.get_by_role("radio", name="Pentalath").check()
    page.get_by_text("Options of the rules").click()
    page.locator("#option-players").fill("3")
    page.locator("#option-players").press("Tab")
    expect(page.locator("#seat-r")).to_be_visible()
    page.locator("#seat-b").select_option("me")
    page.locator("#seat-r").select_option("me")
    page.locator("#begin").click()
    expect(page.locator(".player")).to_have_count(3)
    # One person plays all three at one screen.
    for count, vertex in enumerate(["A1", "B1", "C1", "D2"], 1):
        expect(page.locator(".status .mine")).to_be_visible()
        click_point(page, vertex)
        expect(page.locator(".frame .stones circle")).to_have_count(count)
        expect(page.locator(".player strong")).to_have_text(["you", "you", "you"])
        expect(page.locator(".player .here")).to_have_count(0)
        expect(page.locator(".chat")).to_be_hidden()
    page.locator("#new").click()
    page.locator(".list a").first.click()
    expect(page.locator(".frame .stones circle")).to_have_count(4)


def test_two_browsers_play_go_fantome_and_neither_is_told_too_much(
    served: Site, opened: Callable[..., Page], browser: Browser
) -> None:
    game, seats = served.begin("phantom:size=5")
    black, white = opened(link(served, game, seats["b"])), opened(link(served, game, seats["w"]), PHONE)
    expect(black.locator(".status .mine")).to_be_visible()
    with frames(white) as came:
        white.reload()
        expect(white.locator(".status .big")).to_have_text("Black to play")
        click_point(black, "C3")
        expect(white.locator(".status .mine")).to_be_visible()
        expect(white.locator(".saying")).to_contain_text("Black has played")
        expect_stones(white, 0)
        white.locator("[data-do=mark]").click()
        click_point(white, "B2")
        expect(white.locator(".guess")).to_have_count(1)
        white.locator("[data-do=mark]").click()
        click_point(white, "C3")
        expect(white.locator(".saying")).to_contain_text("impossible move")
        expect(white.locator(".tried")).to_have_count(1)
        before = len(came)
        assert not any('"C3"' in text for text in came[: before - 1] if '"legal"' not in text)
        for text in came:
            message = json.loads(text)
            assert "C3" not in message.get("state", {}).get("stones", {})
            assert [item["at"] for item in message.get("news", []) if item.get("actor") == "b"] in ([], [None])
        white.reload()
        expect(white.locator(".guess")).to_have_count(1)
    click_point(white, "A1")
    expect(black.locator(".status .mine")).to_be_visible()
    expect_stones(black, 1)
    expect_stones(white, 1)
    watcher = opened(link(served, game))
    expect(watcher.locator(".saying")).to_contain_text("White has played")
    expect_stones(watcher, 0)
    white.locator("[data-do=resign]").click()
    white.locator("#resign-yes").click()
    for page in (black, white, watcher):
        expect(page.locator(".small-board")).to_have_count(3)
        expect_stones(page, 2)
    watcher.locator(".small-board").nth(1).click()
    expect(watcher.locator(".frame .stones circle")).to_have_count(1)


def test_a_referee_of_real_boards(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=phantom:size=5", PHONE)
    page.locator("#seat-w").select_option("me")
    expect(page.locator(".choices")).to_contain_text("You referee people at real boards")
    page.locator("#begin").click()
    for said, vertex in (("Black has played", "C3"), ("impossible move", "C3"), ("White has played", "C4")):
        page.locator(".status .big").wait_for()
        click_point(page, vertex)
        expect(page.locator(".saying")).to_contain_text(said)
    expect_stones(page, 2)
    expect(page.locator(".small-board")).to_have_count(0)


def test_aleago_lights_the_open_line_and_says_why_a_point_is_closed(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("aleago:size=9,dice=1d4")
    with served.sit(game, seats["b"]) as seat:
        lines = parse("aleago:size=9,dice=1d4").board.rings
        opens, board = seat.state["draw"]["open"], parse("aleago:size=9").board
        closed = next(board.vertices[point] for point, line in enumerate(lines) if line not in opens)
        page = opened(link(served, game, seats["b"]), PHONE)
        expect(page.locator(".lit .open")).to_have_count(len(seat.state["legal"]) - 1)
        expect(page.locator(".die")).to_have_count(1)
        click_point(page, closed)
        expect(page.locator(".banner")).to_contain_text("the draw opens line")
        page.get_by_role("tab", name="More").click()
        page.locator("#odds").click()
        expect(page.locator(".of-line").first).to_have_text("25%")
        seat.do("play", at=seat.state["legal"][0])
        seat.until("turn", 2)
    # A draw goes with the move before it, in both directions.
    expect(page.locator(".move")).to_have_count(1)
    page.locator("[data-do=first]").click()
    expect_stones(page, 0)
    page.locator("[data-do=forward]").click()
    expect_stones(page, 1)


def test_keys_alone_play_a_game(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    black, white = opened(link(served, game, seats["b"])), opened(link(served, game, seats["w"]))
    board = black.locator(".frame .board")
    # A move that is there when the page comes is not said.
    expect(white.locator(".frame .board")).to_be_visible()
    board.focus()
    black.keyboard.press("ArrowUp")
    expect(black.locator("#live p").last).to_have_text("C3, empty")
    black.keyboard.press("ArrowRight")
    black.keyboard.press("Enter")
    expect(white.locator("#live p").last).to_have_text("Black D3")
    white.get_by_role("tab", name="More").focus()
    white.keyboard.press("Enter")
    white.locator("#point").focus()
    white.keyboard.type("i2")
    white.keyboard.press("Enter")
    expect(white.locator(".banner")).to_contain_text("columns skip I, so J follows H")
    white.keyboard.type("b2")
    white.keyboard.press("Enter")
    expect(black.locator(".frame .stones circle")).to_have_count(2)
    board.focus()
    black.keyboard.press("[")
    expect(black.locator(".frame .stones circle")).to_have_count(1)
    black.keyboard.press("}")
    expect(black.locator(".frame .stones circle")).to_have_count(2)


def test_a_pass_that_is_typed_is_a_pass(served: Site, opened: Callable[..., Page]) -> None:
    for spec, colour, shown, said in (
        ("pentalath", "w", ".banner", "there is no pass in this game"),
        ("go:size=5", "b", ".move", "pass"),
    ):
        game, seats = served.begin(spec)
        page = opened(link(served, game, seats[colour]))
        page.get_by_role("tab", name="More").click()
        page.locator("#point").fill("Pass")
        page.locator("#point").press("Enter")
        expect(page.locator(shown)).to_contain_text(said)


def test_a_game_continues_after_the_server_was_killed(tmp_path: Path, browser: Browser) -> None:
    store = tmp_path / "games.sqlite3"
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    with process(store) as (served, child):
        game, seats = served.begin("go:size=5")
        enter(page, link(served, game, seats["b"]))
        click_point(page, "C3")
        expect(page.locator(".frame .stones circle")).to_have_count(1)
        child.kill()
        child.wait(30)
        expect(page.locator("main > .banner")).to_be_visible()
        port = served.port
    with process(store, "--port", str(port)):
        expect(page.locator("main > .banner")).to_have_count(0)
        expect(page.locator(".frame .stones circle")).to_have_count(1)
    context.close()


def test_two_tabs_on_one_seat_show_the_same(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    first, second = opened(link(served, game, seats["b"])), opened(link(served, game, seats["b"]))
    click_point(first, "C3")
    expect(second.locator(".frame .stones circle")).to_have_count(1)
    second.locator("[data-do=undo]").click()
    expect(second.locator(".banner")).to_contain_text("Waiting for the others")
    expect(first.locator(".banner")).to_contain_text("Waiting for the others")


def test_a_record_is_opened_and_stepped_through(served: Site, opened: Callable[..., Page], tmp_path: Path) -> None:
    played = random_game(parse("rosette:n=2"), 9)
    file = tmp_path / "game.sgf"
    file.write_text(to_sgf(Record(played)), encoding="utf-8")
    page = opened(served.base, PHONE)
    page.locator("#file").set_input_files(file)
    outcome = played.outcome
    assert outcome is not None
    expect(page.locator(".status .big")).to_have_text(outcome.sentence())
    page.locator("[data-do=first]").click()
    expect_stones(page, 0)
    page.locator("[data-do=forward]").click()
    expect_stones(page, 1)
    page.locator("[data-do=forward]").click()
    page.locator("[data-do=back]").click()
    expect_stones(page, 1)
    page.locator(".move").nth(1).click()
    expect_stones(page, 2)


@pytest.mark.parametrize(("name", "text", "stones"), [("game.gib", GIB, 5), ("game.ngf", NGF, 2), ("ogs.json", OGS, 7)])
def test_a_file_of_another_server_is_opened(
    served: Site, opened: Callable[..., Page], tmp_path: Path, name: str, text: str, stones: int
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    page = opened(served.base)
    expect(page.locator("#file")).to_have_attribute("accept", ".sgf,.json,.gib,.ngf")
    page.locator("#file").set_input_files(file)
    expect_stones(page, stones)


def invite(served: Site, opened: Callable[..., Page], spec: str) -> tuple[Page, str]:
    """A game begun on the first screen, White for somebody by a link: the page, and the invitation."""
    page = opened(f"{served.base}/#new={spec}")
    page.locator("#seat-w").select_option("link")
    page.locator("#begin").click()
    expect(page.locator(".link")).to_have_count(2)
    return page, page.locator(".link input").first.input_value()


def close_dialog(page: Page) -> None:
    page.locator("dialog").get_by_role("button", name=re.compile("Close|Fermer")).click()


def test_the_creators_browser_holds_no_key_to_the_other_seat(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=phantom:size=5")
    page.locator("#seat-w").select_option("link")
    page.locator("#begin").click()
    page.locator(".frame .board").wait_for()
    known = page.evaluate("[location.hash, document.body.innerHTML, ...Object.values(localStorage)].join(' ')")
    game = re.findall(r"game=([\w-]{22})", page.url)[0]
    seats = set()
    for token in set(re.findall(r"[\w-]{22}", known)):
        with served.sit(game, token) as intruder:
            seats.add(intruder.whole.get("you"))
    assert seats == {None}


def test_two_people_play_by_an_invitation_and_neither_browser_has_a_key_to_the_other_seat(
    served: Site, opened: Callable[..., Page]
) -> None:
    black, invited = invite(served, opened, "phantom:size=5")
    expect(black.locator(".qr img")).to_have_count(2)
    drawn = black.locator(".qr img").evaluate_all("images => Promise.all(images.map((image) => image.decode()))")
    assert len(drawn) == 2
    close_dialog(black)
    expect(black.locator(".player", has_text="White")).to_contain_text("seat still free")
    white = opened(invited, PHONE, locale="fr-FR")
    expect(white.get_by_role("button", name="Prendre la place")).to_be_visible()
    found = Axe().run(white).response["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []
    white.get_by_role("button", name="Prendre la place").click()
    expect(white.locator(".player", has_text="vous")).to_contain_text("Blanc")
    expect(black.locator(".player", has_text="White")).to_contain_text("here")
    click_point(black, "C3")
    expect(white.locator(".status .mine")).to_be_visible()
    click_point(white, "A1")
    expect(black.locator(".status .mine")).to_be_visible()
    expect_stones(black, 1)
    expect_stones(white, 1)
    black.locator("[data-do=share]").click()
    expect(black.locator("dialog .qr img")).to_have_count(1)
    links = [link.input_value() for link in black.locator("dialog input").all()]
    assert [re.sub("game=[^&]+", "game=", link.partition("#")[2]) for link in links] == ["game="]
    # Whatever the creator's browser knows opens no other seat, and no address has a key in it.
    known = json.loads(black.evaluate("localStorage.getItem('gv:games')"))
    game, entry = next(iter(known.items()))
    assert "seats" not in entry
    for text in entry["invitations"].values():
        with served.sit(game, text) as intruder:
            assert intruder.whole == {}
    for page in (black, white):
        assert page.url == f"{served.base}/#game={game}"
    stranger = opened(black.url)
    expect(stranger.locator(".status")).to_contain_text("You are watching")


def test_the_browsers_of_both_players_choose_the_dice(
    served: Site, opened: Callable[..., Page], tmp_path: Path
) -> None:
    black, invited = invite(served, opened, "aleago:size=5")
    close_dialog(black)
    commitment = black.locator(".about code").inner_text()
    expect(black.locator(".status .big")).to_have_text("The dice are thrown once all players are here.")
    second = black.context.new_page()
    second.goto(black.url)
    expect(second.locator(".about code")).to_have_text(commitment)
    white = opened(invited, DESK)
    white.get_by_role("button", name="Take the seat").click()
    for page in (black, second, white):
        expect(page.locator(".about")).to_contain_text("The players' browsers and the server chose these dice together")
        expect(page.locator(".about code")).to_have_text(commitment)
        page.screenshot(path=tmp_path / "screen.png")
    black.reload()
    expect(black.locator(".about")).to_contain_text("The players' browsers and the server chose")
    black.locator("[data-do=resign]").click()
    black.get_by_role("button", name="Yes").click()
    expect(white.locator(".status .big")).to_contain_text("resign")
    game = re.findall(r"game=([\w-]{22})", black.url)[0]
    record = from_json(served.ask(f"/api/games/{game}/record.json").body.decode())
    assert [nonce.draw for nonce in record.nonces] == [1, 1]
    assert (record.commitment, verify(record).kind) == (commitment, "proven")


def test_inviting_to_both_seats_makes_the_host_a_watcher(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(f"{served.base}/#new=go:size=5")
    for letter in "bw":
        page.locator(f"#seat-{letter}").select_option("link")
    page.locator("#begin").click()
    expect(page.locator("dialog .link")).to_have_count(3)
    close_dialog(page)
    expect(page.locator(".status")).to_contain_text("You are watching")


def test_an_invitation_brings_one_person_to_the_seat_and_them_again(
    served: Site, opened: Callable[..., Page], browser: Browser
) -> None:
    black, invited = invite(served, opened, "go:size=5")
    black.get_by_role("button", name="Replace link").click()
    expect(black.locator(".link input").first).not_to_have_value(invited)
    renewed = black.locator(".link input").first.input_value()
    white = opened(renewed)
    white.get_by_role("button", name="Take the seat").click()
    expect(black.locator("dialog")).to_contain_text("Somebody has taken this seat")
    # The same person again, in the same tab and in another one.
    white.goto(served.base)
    white.goto(renewed)
    expect(white.locator(".player", has_text="you")).to_contain_text("White")
    tab = white.context.new_page()
    tab.goto(white.url)
    expect(tab.locator(".player", has_text="you")).to_contain_text("White")
    # Others are refused, and told so; the refusals stand in the browser's console.
    other = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    for address, why in ((invited, "This invitation is no longer valid"), (renewed, "Seat taken")):
        other.goto(served.base)
        other.goto(address)
        other.get_by_role("button", name="Take the seat").click()
        expect(other.locator(".card p").first).to_contain_text(why)
    other.context.close()


def test_navigation_before_the_words_load_succeeds(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("go:size=5")
    page = opened(f"{served.base}/#&cookie={seats['b'].partition('|')[0]}")
    held: list[Route] = []
    page.route("**/words/*.json", lambda route: held.append(route))
    with page.expect_request("**/words/*.json"):
        page.reload(wait_until="commit")
    page.evaluate("hash => { location.hash = hash; }", f"game={game}")
    page.wait_for_timeout(1500)
    assert held
    for route in held:
        route.continue_()
    expect(page.locator(".player", has_text="you")).to_contain_text("Black")


def test_the_answer_to_a_claim_that_is_lost_on_the_line_costs_nobody_their_seat(
    served: Site, browser: Browser, opened: Callable[..., Page]
) -> None:
    black, invited = invite(served, opened, "phantom:size=5")
    white = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    lost = []

    def lose(route: Route) -> None:
        lost.append(route.fetch().status)
        route.abort()

    white.route("**/seat", lose)
    white.goto(invited)
    white.get_by_role("button", name="Take the seat").click()
    expect(white.locator(".error")).to_contain_text("No reply")
    expect(black.locator("dialog")).to_contain_text("Somebody has taken this seat")
    # A thief has the link, and not the cookie of the browser that asked.
    thief = browser.new_context().new_page()
    thief.goto(invited)
    thief.get_by_role("button", name="Take the seat").click()
    expect(thief.locator(".card p").first).to_contain_text("Seat taken")
    white.get_by_role("button", name="Take the seat").click()
    expect(white.locator(".error")).to_contain_text("No reply")
    assert lost == [201, 201]
    # They come back to the link later, and ask again.
    white.unroute("**/seat")
    white.goto(served.base)
    white.goto(invited)
    white.get_by_role("button", name="Take the seat").click()
    expect(white.locator(".player", has_text="you")).to_contain_text("White")
    for page in (white, thief):
        page.context.close()


def test_player_names_are_shown_with_any_characters(served: Site, opened: Callable[..., Page]) -> None:
    name = "<img src=x onerror=alert(1)>"
    black = opened(f"{served.base}/#new=phantom:size=5", PHONE)
    black.locator("#seat-w").select_option("link")
    black.locator("#name-b").fill(name)
    expect(black.locator("#name-w")).to_be_hidden()
    black.locator("#begin").click()
    invited = black.locator(".link input").first.input_value()
    close_dialog(black)
    expect(black.locator(".player", has_text="Black")).to_contain_text(f"{name} (you)")
    white = opened(invited, DESK, locale="fr-FR")
    white.locator("#name").fill("Zoé")
    white.get_by_role("button", name="Prendre la place").click()
    expect(white.locator(".player", has_text="Zoé (vous)")).to_contain_text("Blanc")
    expect(white.locator(".player", has_text=name)).to_contain_text("Noir")
    expect(black.locator(".player", has_text="Zoé")).to_contain_text("here")
    watcher = opened(white.url)
    for shown in (name, "Zoé"):
        expect(watcher.locator(".table")).to_contain_text(shown)
    # They are asked once: the next game knows them.
    white.goto(f"{served.base}/#new=go:size=5")
    expect(white.locator("#name-b")).to_have_value("Zoé")
    listed = watcher.context.new_page()
    listed.goto(served.base)
    listed.locator(".now summary").click()
    expect(listed.locator(".now details")).to_contain_text(f"Go Fantôme: {name} – Zoé")


def test_a_wrong_link_says_so(served: Site, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(link(served, "nowhere"))
    expect(page.locator("main > .banner")).to_contain_text("There is no such game")
    page.close()


@pytest.mark.parametrize(
    ("lang", "scheme"), [("fr-FR", "dark"), pytest.param("en-GB", "light", marks=pytest.mark.long)]
)
def test_nothing_stands_in_the_way_of_screen_readers(
    served: Site, opened: Callable[..., Page], lang: str, scheme: str
) -> None:
    game, seats = served.begin("aleago:size=9,dice=1d4", lang=lang[:2])
    with served.sit(game, seats["b"]) as seat:
        seat.do("play", at=seat.state["legal"][0])
        seat.until("turn", 2)
    for url in (served.base, link(served, game, seats["w"])):
        page = opened(url, PHONE, locale=lang, color_scheme=scheme)
        page.locator(".board").first.wait_for()
        for tab in page.get_by_role("tab").all() or [page.locator("h1")]:
            tab.click()
            for summary in page.locator("summary:visible").all():
                summary.click()
            found = Axe().run(page).response["violations"]
            assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []


def test_no_screen_is_too_narrow(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base, {"width": 320, "height": 600})
    page.locator(".board").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for name in GAMES:
        game, seats = served.begin(name)
        enter(page, link(served, game, seats["b"]))
        expect(page.locator("main h1")).to_have_text(parse(name).title)
        page.locator(".frame .board").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def tell(served: Site, name: str, game: Game, count: int, **more: object) -> None:
    """Publish a game after a number of events."""
    players = {"b": "tortoise", "w": "hare"}
    head: Json = {"source": "night", "title": name, "spec": game.rules.spec, "players": players, "setup": []}
    events = [[event.actor, event.action] for event in game.events[:count]]
    told = {"from": 0, "events": events, "head": head, **more}
    assert served.ask(f"/api/live/{name}", told, authorization=f"Bearer {KEY}").status == 200


def test_a_match_is_followed_from_game_to_game(served: Site, opened: Callable[..., Page]) -> None:
    game = random_game(parse("go:size=5"), 3, 12)
    tell(served, "the-first-game-of-tonight", game, 4)
    page = opened(served.base)
    page.get_by_role("link", name="night: tortoise – hare").click()
    expect(page.locator(".frame .stones circle")).to_have_count(4)
    expect(page.locator(".player").first).to_contain_text("tortoise")
    tell(served, "the-first-game-of-tonight", game, 5)
    expect(page.locator(".move")).to_have_count(5)
    page.locator("[data-do=analysis]").click()
    expect(page.locator(".rates .b")).to_be_visible()
    tell(served, "the-first-game-of-tonight", game, 5, end={"result": "W+F", "why": "tortoise did not come back"})
    expect(page.locator(".status .big")).to_have_text("Tortoise did not come back")
    tell(served, "the-second-game-of-tonight", game, 9)
    expect(page.locator(".move")).to_have_count(9)


def test_a_finished_game_is_analysed_wherever_one_steps(served: Site, opened: Callable[..., Page]) -> None:
    game, seats = served.begin("phantom:size=5")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        for end, at in ((black, "C3"), (white, "C3"), (white, "A1")):
            end.do("play", at=at)
            black.until("turn", 3 if at == "A1" else 2)
        black.do("resign")
        black.until("final", True)
    page = opened(link(served, game), PHONE)
    expect(page.locator("[data-do=analysis]")).to_have_count(0)
    page.locator(".small-board").nth(2).click()
    page.locator("[data-do=analysis]").click()
    page.locator(".move.refused").click()
    expect(page.locator(".likely.b")).to_have_count(1)
    page.locator("[data-do=first]").click()
    expect(page.locator(".likely")).to_have_count(0)


def test_one_person_against_a_bot_is_shown_where_the_hidden_stones_may_be(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("phantom:size=5", seats={"b": {"kind": "bot", "bot": "uniform"}})
    page = opened(link(served, game, seats["w"]))
    expect(page.locator(".status .mine")).to_be_visible()
    page.locator("[data-do='hidden odds']").click()
    expect(page.locator(".likely.b").first).to_be_visible()
    page.locator("[data-do='hidden odds']").click()
    expect(page.locator(".likely")).to_have_count(0)


def test_of_a_hint_and_of_where_hidden_stones_may_be_the_later_is_shown(
    served: Site, opened: Callable[..., Page]
) -> None:
    game, seats = served.begin("phantom:size=5", seats={"b": {"kind": "bot", "bot": "uniform"}})
    page = opened(link(served, game, seats["w"]))
    likely, hints = page.locator(".frame .likely"), page.locator(".frame .hint")
    where = page.locator("[data-do='hidden odds']")
    expect(page.locator(".status .mine")).to_be_visible()
    where.click()
    expect(likely.first).to_be_visible()
    page.locator("[data-do=hint]").click()
    expect(hints.first).to_be_visible()
    expect(likely).to_have_count(0)
    expect(where).to_have_attribute("aria-pressed", "false")
    where.click()
    expect(likely.first).to_be_visible()
    expect(hints).to_have_count(0)
    expect(where).to_have_attribute("aria-pressed", "true")


def test_a_phone_throws_dice_for_a_real_board(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base, PHONE, locale="fr-FR")
    page.get_by_role("link", name="Dés d'Aléago").click()
    page.locator("#dice").select_option("2d4 19")
    page.get_by_role("button", name="Commencer").click()
    expect(page.locator(".checking code")).to_have_text(re.compile("[0-9a-f]{64}"))
    page.get_by_role("button", name="Tour 1\u00a0: lancer pour Noir").click()
    expect(page.locator(".thrown .die")).to_have_count(2)
    other = opened(page.url, PHONE)
    other.get_by_role("button", name="Turn 2: throw for White").click()
    expect(page.get_by_role("button", name="Tour 3\u00a0: lancer pour Noir")).to_be_visible()
    expect(page.locator(".throws .one")).to_have_count(2)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []
    page.locator("#reveal").click()
    page.locator("#reveal-yes").click()
    expect(page.locator(".checking code")).to_have_count(2)
    expect(other.locator("#throw")).to_have_count(0)
    page.goto(f"{served.base}/")
    page.get_by_role("link", name="2d4 sur 19x19").click()
    expect(page.locator(".throws .one")).to_have_count(2)


def test_a_referee_begins_from_the_first_screen(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base, PHONE)
    page.get_by_role("link", name="Referee of Go Fantôme").click()
    expect(page.locator(".choices")).to_contain_text("You referee people at real boards")


@pytest.mark.parametrize("spec", ["aleago:size=9,dice=1d4,lang=fr", "rosette:n=2", "pentalath:players=3", "phantom"])
def test_a_replay_of_a_report_opens_from_the_disk(opened: Callable[..., Page], tmp_path: Path, spec: str) -> None:
    game = random_game(parse(spec), 3, 40)
    file = tmp_path / "replay.html"
    record = Record(game, players=dict.fromkeys(game.rules.colours, "</script><b>&"))
    file.write_text(replay(record), encoding="utf-8")
    page = opened(file.as_uri(), PHONE)
    shown = page.locator("#stones circle")
    expect(shown).to_have_count(sum(map(bool, game.position.stones)))
    assert page.locator("b").count() == 0
    page.locator("#first").click()
    expect(shown).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_count(1)
    assert bool(page.locator("#lit rect").count()) == spec.startswith("aleago")
    page.keyboard.press("End")
    expect(page.locator("#forward")).to_be_disabled()
    outcome = game.outcome
    if outcome is not None:
        expect(page.locator("#caption")).to_contain_text(outcome.sentence(game.rules.lang))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []


def test_a_replay_marks_immune_stones_and_the_winning_five(opened: Callable[..., Page], tmp_path: Path) -> None:
    file = tmp_path / "replay.html"
    for game, marks, faces in ((rosette(), 6, 1), (five(), 5, 0)):
        file.write_text(replay(Record(game)), encoding="utf-8")
        page = opened(file.as_uri())
        rings = page.locator("#marks circle[stroke='#1766c9']")
        expect(rings).to_have_count(marks)
        expect(page.locator("#gv-faces path")).to_have_count(faces)
        page.locator("#first").click()
        expect(rings).to_have_count(0)
        expect(page.locator("#gv-faces path")).to_have_count(0)


def test_the_clocks_of_a_published_game_run_on_the_page(served: Site, opened: Callable[..., Page]) -> None:
    game = random_game(parse("go:size=5"), 3, 12)
    name = "a-game-with-clocks-to-watch"
    mover, other = ("b", "w") if game.position.mover == 1 else ("w", "b")
    clocks: Json = {"left_s": {mover: 3000.0, other: 61.5}, "age_s": 0.0, "runs": True}
    tell(served, name, game, 12, clocks=clocks)
    page = opened(link(served, name))
    expect(page.locator(f".clock[data-colour={other}]")).to_have_text("1:01")
    expect(page.locator(f".clock[data-colour={mover}]")).to_have_text(re.compile(r"4\d:\d\d"))
