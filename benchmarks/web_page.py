"""How fast the page is: first paint, moves on their way to a browser's screen, many who watch one game.

    python benchmarks/web_page.py [--watchers 200] [--moves 40]

starts a server of its own. Prints medians in milliseconds. First paint needs Playwright and a Chromium of the system.
"""

import argparse
import asyncio
import json
import shutil
import socket
import statistics
import threading
import time
import urllib.request

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from websockets.asyncio.client import ClientConnection, connect

from gtp_variants.broadcast.address import Address
from gtp_variants.broadcast.publisher import Publisher, Shown
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from gtp_variants.web.guard import AccessPolicy
from gtp_variants.web.page_games import PageGames, PageLimits
from gtp_variants.web.server import configuration
from gtp_variants.web.store import PageStore

_BETWEEN_MS = 300
_KEY = "the-key-of-publishers"
# Notes when so many stones have been painted, in milliseconds since 1970.
_WATCH_STONES = """() => {
    window.painted = [];
    const stones = document.querySelector(".frame .stones");
    new MutationObserver(() => {
        const count = stones.childElementCount;
        requestAnimationFrame(() => setTimeout(() => { window.painted[count] ??= Date.now(); }));
    }).observe(stones, { childList: true });
}"""
# Black fills the lower side and White the upper one, so that nothing is captured: a move each in turn.
_SIDES = [[f"{column}{row}" for row in rows for column in "ABCDEFGHJ"] for rows in ((1, 2, 3), (7, 8, 9))]
_VERTICES = [vertex for pair in zip(*_SIDES, strict=True) for vertex in pair]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--moves", type=int, default=40)
    options = parser.parse_args()
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    games = PageGames(PageStore(None), PageLimits(rate_hz=10_000, burst=10_000))
    server = uvicorn.Server(configuration(games, AccessPolicy(frozenset(), None, _KEY)))
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listening])

    thread = threading.Thread(target=asyncio.run, args=[serve()])
    thread.start()
    try:
        for watchers in (0, options.watchers):
            took = asyncio.run(moves(port, watchers, options.moves))
            print(f"a move is with the last of {watchers + 2} sockets after {took:.1f} ms")
        with sync_playwright() as playing:
            browser = playing.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            paint(browser, port)
            print(
                f"a move is painted {played(browser, port, games, loops[0], options.moves):.0f} ms after it was played"
            )
            took = published(browser, port, options.moves)
            print(f"a move of a game elsewhere is painted {took:.0f} ms after it was published")
            browser.close()
    finally:
        server.should_exit = True
        thread.join()


def begin(port: int) -> tuple[str, dict[str, str]]:
    """A new game of two people."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/games",
        json.dumps({"spec": "go:size=9,repetition=none"}).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        made = json.load(answer)
    return made["game"], made["seats"]


async def moves(port: int, watchers: int, count: int) -> float:
    """The median time from a player's word until everybody has the move, in milliseconds."""
    game, seats = begin(port)
    address = f"ws://127.0.0.1:{port}/api/socket"
    lines = [await connect(address, max_queue=None, proxy=None) for _ in range(watchers + 2)]
    tokens = [seats["b"], seats["w"], *[None] * watchers]
    for line, token in zip(lines, tokens, strict=True):
        await line.send(json.dumps({"join": game, "seat": token}))
        await until(line, 1)
    took = []
    for turn in range(1, count + 1):
        begun = time.perf_counter()
        await lines[(turn + 1) % 2].send(json.dumps({"do": "play", "at": _VERTICES[turn - 1]}))
        await asyncio.gather(*(until(line, turn + 1) for line in lines))
        took.append(1000 * (time.perf_counter() - begun))
    for line in lines:
        await line.close()
    return statistics.median(took)


async def until(line: ClientConnection, turn: int) -> None:
    """Read until the game has come to a turn."""
    while json.loads(await line.recv()).get("state", {}).get("turn") != turn:
        pass


def paint(browser: Browser, port: int) -> None:
    """Print when a browser has painted the page first, and the board of a game."""
    game, seats = begin(port)
    for name, url in (("page", ""), ("game", f"#game={game}&seat={seats['b']}")):
        paints, boards = [], []
        for _ in range(5):
            page = browser.new_context().new_page()
            page.goto(f"http://127.0.0.1:{port}/{url}")
            page.locator(".board").first.wait_for()
            boards.append(page.evaluate("performance.now()"))
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.context.close()
        medians = statistics.median(paints), statistics.median(boards)
        print(f"{name}: first paint after {medians[0]:.0f} ms, the board after {medians[1]:.0f} ms")


def played(browser: Browser, port: int, games: PageGames, loop: asyncio.AbstractEventLoop, count: int) -> float:
    """The median time from a move in the server until the browser of a watcher has painted it, in milliseconds."""
    game, _ = begin(port)
    page = watching(browser, port, f"#game={game}")
    begun: list[float] = []

    def play() -> None:
        room = games.find(game)
        assert room is not None
        begun.append(1000 * time.time())
        colour = room.hosted.asked()
        assert colour is not None
        room.act(colour, {"do": "play", "at": _VERTICES[len(begun) - 1]})
        games._announce_change(room)

    for number in range(count):
        loop.call_soon_threadsafe(play)
        await_painted(page, number + 1)
    return _median(page, begun)


def published(browser: Browser, port: int, count: int) -> float:
    """The same for a game that is played elsewhere, from the moment in which its publisher is told of a move."""
    rules = parse("go:size=9,repetition=none")
    game, begun = Game(rules), []
    publisher = Publisher(lambda: Address(f"http://127.0.0.1:{port}", _KEY), lambda text: None)

    def show() -> None:
        publisher.show("game", Shown("benchmark", "game", rules.spec, {}, tuple(game.events)))

    show()
    page = watching(browser, port, "#live=benchmark")
    for number in range(count):
        game.play(game.position.mover, rules.board.point(_VERTICES[number]))
        begun.append(1000 * time.time())
        show()
        await_painted(page, number + 1)
    publisher.close()
    return _median(page, begun)


def watching(browser: Browser, port: int, fragment: str) -> Page:
    """A browser that notes when it has painted a stone."""
    page = browser.new_context().new_page()
    page.goto(f"http://127.0.0.1:{port}/{fragment}")
    page.locator(".frame .board").wait_for()
    page.evaluate(_WATCH_STONES)
    return page


def await_painted(page: Page, count: int) -> None:
    """Wait until so many stones have been painted, without asking so often that the page is kept from painting."""
    page.wait_for_timeout(_BETWEEN_MS)
    while not page.evaluate(f"window.painted[{count}]"):
        page.wait_for_timeout(_BETWEEN_MS)


def _median(page: Page, begun: list[float]) -> float:
    painted: list[float] = page.evaluate("window.painted.slice(1)")
    page.context.close()
    return statistics.median(after - before for before, after in zip(begun, painted, strict=False))


if __name__ == "__main__":
    main()
