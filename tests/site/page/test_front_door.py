"""The front door: real games on its boards, an opponent near one's level, a friend, the rules behind one link."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import gtp_variants.site.page
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.game import Game
from tests.site.page.browsing import NEEDS_BROWSER, PHONE
from tests.site.page.serving import Site

_, BROWSER = NEEDS_BROWSER
FOLDER = Path(gtp_variants.site.page.__file__).parent / "static" / "games"


def test_every_game_has_a_game_to_replay() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(GAMES)


@pytest.mark.parametrize("name", ["go", "rosette", "alter-igo", "pentalath"])
def test_the_replayed_game_follows_the_rules(name: str) -> None:
    told = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    game, stones = Game(parse(told["spec"])), dict[str, str]()
    for move in told["moves"]:
        game.play(game.position.mover, game.rules.board.point(move["at"]))
        stones = {vertex: colour for vertex, colour in {**stones, **move["put"]}.items() if colour}
        letters = {
            vertex: "bwr"[colour - 1]
            for vertex, colour in zip(game.rules.board.vertices, game.position.stones, strict=True)
            if colour
        }
        assert stones == letters


@pytest.mark.slow
@BROWSER
def test_one_press_begins_a_game_against_a_named_opponent(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base, PHONE)
    page.get_by_role("radio", name="Alter Igo").check()
    expect(page.locator("#play")).to_contain_text("Play Heron")
    expect(page.locator("#easier")).to_contain_text("Moss")
    page.locator("#harder").click()
    expect(page.locator(".player").first).to_contain_text("Otter")
    page.locator("#new").click()
    # The game played last comes first.
    expect(page.locator(".tile").first).to_contain_text("Alter Igo")
    expect(page.locator(".tile .playing").first).to_have_text("1 playing")


@pytest.mark.slow
@BROWSER
def test_a_friend_gets_a_link(served: Site, opened: Callable[..., Page]) -> None:
    page = opened(served.base)
    page.get_by_role("radio", name="Pentalath").check()
    page.locator("#friend").click()
    expect(page.locator("dialog .link").first).to_contain_text("Invitation to the seat of Black")


@pytest.mark.slow
@BROWSER
def test_boards_replay_only_where_motion_is_welcome(served: Site, opened: Callable[..., Page]) -> None:
    still, moving = opened(served.base), opened(served.base, reduced_motion="no-preference")
    for page in (still, moving):
        page.clock.install()
        page.reload()
        page.locator(".tile .board").first.wait_for()
    before = [page.locator(".tile .last").first.get_attribute("cx") for page in (still, moving)]
    for page in (still, moving):
        page.clock.run_for(3100)
    expect(moving.locator(".tile .last").first).not_to_have_attribute("cx", before[1] or "")
    assert still.locator(".tile .last").first.get_attribute("cx") == before[0]


@pytest.mark.slow
@BROWSER
def test_a_phone_loads_little_and_a_board_only_once_it_can_be_seen(served: Site, opened: Callable[..., Page]) -> None:
    page = opened("about:blank", PHONE)
    line, sizes = page.context.new_cdp_session(page), list[float]()
    line.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    line.send("Network.enable")
    page.goto(served.base)
    page.locator(".tile .board").first.wait_for()
    # The first board and the second, which begins at the edge of the screen.
    assert sum(sizes) < 66_000
    last = page.locator(".tile").last
    expect(last.locator(".board")).to_have_count(0)
    last.scroll_into_view_if_needed()
    expect(last.locator(".board")).to_be_visible()
