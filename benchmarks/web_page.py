"""How fast the page is: first paint, moves on their way to a browser's socket, many who watch one game.

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
from websockets.asyncio.client import ClientConnection, connect

from gtp_variants.web.guard import Door
from gtp_variants.web.house import House, Limits
from gtp_variants.web.server import application
from gtp_variants.web.store import Store

_VERTICES = [f"{column}{row}" for row in range(1, 10) for column in "ABCDEFGHJ"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--moves", type=int, default=40)
    options = parser.parse_args()
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    house = House(Store(None), Limits(rate_hz=10_000, burst=10_000))
    config = uvicorn.Config(
        application(house, Door(frozenset()), []), log_config=None, ws="websockets-sansio", ws_per_message_deflate=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        for watchers in (0, options.watchers):
            took = asyncio.run(moves(port, watchers, options.moves))
            print(f"a move is with the last of {watchers + 2} sockets after {took:.1f} ms")
        paint(port)
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


def paint(port: int) -> None:
    """Print when a browser has painted the page first, and the board of a game."""
    from playwright.sync_api import sync_playwright

    game, seats = begin(port)
    with sync_playwright() as playing:
        browser = playing.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
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
        browser.close()


if __name__ == "__main__":
    main()
