"""Takes the pictures of the page for the documentation.

    python benchmarks/web_pictures.py docs/images

plays a few moves of some games on a server of its own and lets a Chromium of the system look at them.
"""

import shutil
import socket
import sys
import threading
from pathlib import Path
from random import Random

import uvicorn
from playwright.sync_api import sync_playwright

from gtp_variants.web.guard import Door
from gtp_variants.web.house import House
from gtp_variants.web.server import application
from gtp_variants.web.store import Store

PHONE, DESK = {"width": 390, "height": 780}, {"width": 1180, "height": 780}
# Name, SPEC, moves, whether Black then resigns, window, scheme, language.
PICTURES = [
    ("web-aleago", "aleago", 32, False, PHONE, "light", "en"),
    ("web-phantom", "phantom", 44, True, {"width": 1180, "height": 1140}, "dark", "en"),
    ("web-rosette", "rosette:n=5", 70, False, DESK, "light", "en"),
]


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    house = House(Store(None))
    links = {picture[0]: played(house, *picture[1:4]) for picture in PICTURES}
    listening = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    server = uvicorn.Server(
        uvicorn.Config(application(house, Door(frozenset()), []), log_config=None, ws="websockets-sansio")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with sync_playwright() as playing:
            browser = playing.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for name, _, _, _, viewport, scheme, lang in PICTURES:
                page = browser.new_context(viewport=viewport, color_scheme=scheme, locale=lang).new_page()
                page.goto(base + links[name])
                page.locator(".frame .stone").first.wait_for()
                page.wait_for_timeout(500)
                page.screenshot(path=folder / f"{name}.jpg", type="jpeg", quality=82)
            browser.close()
    finally:
        server.should_exit = True
        thread.join()


def played(house: House, spec: str, moves: int, resigns: bool) -> str:
    """A game after so many random moves; the link to Black's seat."""
    room, tokens = house.begin({"spec": spec})
    rng = Random(4)
    while room.table.position.turn <= moves:
        colour = room.asked()
        assert colour is not None
        tries = [vertex for vertex in room.state(colour)["legal"] if vertex != "pass"]
        room.act(colour, {"do": "play", "at": rng.choice(tries)} if tries else {"do": "pass"})
    if resigns:
        room.act(room.rules.colours[0], {"do": "resign"})
    house.store.keep(room.name, room.to_text(), room.is_over)
    return f"#game={room.name}&seat={tokens['b']}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
