"""Takes the pictures of the page for the documentation.

    python -m benchmarks.servers.web_pictures docs/images

It plays a few moves of some games on its own server and takes pictures with the system's Chromium.
"""

import argparse
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from playwright.sync_api import Page, ViewportSize, sync_playwright

from gtp_variants.site.page.page_games import PageGames
from tests.site.page.serving import site

PHONE: ViewportSize = {"width": 390, "height": 780}
DESK: ViewportSize = {"width": 1180, "height": 780}


@dataclass(frozen=True, slots=True)
class Picture:
    """A game after some moves, resigned by Black if `is_given_up`, and the actions before the picture.

    Without a SPEC it is the front door.
    """

    name: str
    spec: str
    moves: int
    viewport: ViewportSize
    is_given_up: bool = False
    scheme: Literal["light", "dark"] = "light"
    act: Callable[[Page], None] = lambda page: None


def analyse(page: Page) -> None:
    """Switch the analysis on."""
    page.locator("[data-do=analysis]").click()
    page.locator(".hint").first.wait_for()


def throw(page: Page) -> None:
    """Open dice for a real board, thrown three times."""
    page.goto(page.url.partition("#")[0] + "#dice")
    page.locator("form .main").click()
    for turn in (1, 2, 3):
        page.get_by_role("button", name=f"Turn {turn}: throw").click()
    page.get_by_role("button", name="Turn 4").wait_for()
    page.locator(".rolling").wait_for(state="detached")


PICTURES = [
    Picture("web-home", "", 0, {"width": 1280, "height": 880}),
    Picture("web-aleago", "aleago", 32, PHONE),
    Picture("web-phantom", "phantom", 44, {"width": 1180, "height": 1140}, True, "dark"),
    Picture("web-rosette", "rosette:n=5", 70, DESK),
    Picture("web-analysis", "rosette:n=4", 44, DESK, True, act=analyse),
    Picture("web-dice", "aleago", 1, PHONE, act=throw),
]


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with site() as served, sync_playwright() as playing:
        assert served.games is not None
        browser = playing.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for each in PICTURES:
            page = browser.new_context(viewport=each.viewport, color_scheme=each.scheme, locale="en").new_page()
            page.goto(f"{served.base}/")
            page.locator(".tile .board").last.wait_for()
            if each.spec:
                # The seats belong to the cookie of this browser.
                seats = {"b": {"kind": "person", "name": "Ann"}, "w": {"kind": "person", "name": "Ben"}}
                asked = {"spec": each.spec, "seats": seats}
                name = page.request.post(f"{served.base}/api/games", data=asked).json()["game"]
                play_game(served.games, name, each.moves, each.is_given_up)
                page.goto(f"{served.base}/#game={name}&as=b")
                page.locator(".frame .stone").first.wait_for()
            each.act(page)
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{each.name}.jpg", type="jpeg", quality=82)
        browser.close()


def play_game(games: PageGames, name: str, moves: int, resigns: bool) -> None:
    """Play a number of random moves in a game."""
    game = games.store.replay(name)
    rng = Random(4)
    while game.hosted.table.position.turn <= moves:
        colour = game.hosted.asked()
        assert colour is not None
        tries = [vertex for vertex in game.state(colour)["legal"] if vertex != "pass"]
        game.act(colour, {"do": "play", "at": rng.choice(tries)} if tries else {"do": "pass"})
    if resigns:
        game.act(game.hosted.rules.colours[0], {"do": "resign"})
    games.store.write(game)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pictures are put")
    main(parser.parse_args().folder)
