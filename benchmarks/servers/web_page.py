"""Measure the page's speed: size, first paint, delivery of moves, many watchers, many games with bots.

    python -m benchmarks.servers.web_page [--watchers 290] [--moves 40] [--games 100]

It starts its own servers and prints medians in milliseconds, after the load of the computer. Painting needs
Playwright and the system's Chromium.
"""

import argparse
import asyncio
import json
import math
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from websockets.asyncio.client import ClientConnection, connect

from gtp_variants.base.json_values import Json
from gtp_variants.players.publisher import Address, Publisher, Shown
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.page_games import PageGames
from tests.site.page.serving import KEY, site

_BETWEEN_MS = 300
_PATIENCE_S = 120
# Notes when a number of stones have been painted, in milliseconds since 1970.
_WATCH_STONES = """() => {
    window.painted = [];
    const stones = document.querySelector(".frame .stones");
    new MutationObserver(() => {
        const count = stones.childElementCount;
        const note = () => { window.painted[count] ??= performance.timeOrigin + performance.now(); };
        requestAnimationFrame(() => setTimeout(note));
    }).observe(stones, { childList: true });
}"""
# When a stone was clicked, and when it was painted where it was clicked.
_WATCH_CLICKS = """() => {
    const now = () => performance.timeOrigin + performance.now();
    const note = ({ timeStamp }) => Object.assign(window, { clicked: performance.timeOrigin + timeStamp, shown: 0 });
    addEventListener("click", note, true);
    new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => { window.shown ||= now(); })))
        .observe(document.querySelector(".frame .pending"), { childList: true });
}"""
_PLACE_OF = """(vertex) => {
    const [column, row] = ["ABCDEFGHJ".indexOf(vertex[0]), Number(vertex.slice(1)) - 1];
    const [first, second] = ["A", "B"].map((name) => [...document.querySelectorAll(".frame .board text")]
        .find((text) => text.textContent === name).getBoundingClientRect());
    const rows = ["1", "2"].map((name) => [...document.querySelectorAll(".frame .board text")]
        .find((text) => text.textContent === name).getBoundingClientRect());
    const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
    const [x0, x1] = [middle(first)[0], middle(second)[0]], [y0, y1] = rows.map((box) => middle(box)[1]);
    return [x0 + column * (x1 - x0), y0 + row * (y1 - y0)];
}"""
# Mean seconds of a person's move in the test with many games, and the bot's playouts.
_THINKING_S, _LEVEL_OF_MANY = 2.0, 3
# Black fills the lower side and White the upper one, so that nothing is captured: a move each in turn.
_SIDES = [[f"{column}{row}" for row in rows for column in "ABCDEFGHJ"] for rows in ((1, 2, 3), (7, 8, 9))]
_VERTICES = [vertex for pair in zip(*_SIDES, strict=True) for vertex in pair]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--watchers", type=int, default=290)
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--games", type=int, default=100)
    options = parser.parse_args()
    print("load", *(f"{load:.1f}" for load in os.getloadavg()))
    with serving() as served:
        clicks(served, options.watchers, options.moves)
    with serving() as served:
        asyncio.run(crowd(served, options.games, options.moves // 4))
    in_process(options)


def in_process(options: argparse.Namespace) -> None:
    """Measure with a server in a thread of this process."""
    with site(limits=PageLimits(rate_hz=10_000, burst=10_000, pause_s=0.0)) as served:
        port, games = served.port, served.games
        assert games is not None
        for watchers in (0, options.watchers):
            took = asyncio.run(moves(port, watchers, options.moves))
            print(f"a move is with the last of {watchers + 2} sockets after {took:.1f} ms")
        with sync_playwright() as playing:
            browser = launch(playing)
            weigh(browser, port)
            paint(browser, port)
            took = played(browser, port, games, served.loop, options.moves)
            print(f"a move is painted {took:.0f} ms after it was played")
            took = published(browser, port, options.moves)
            print(f"a move of a game elsewhere is painted {took:.0f} ms after it was published")
            browser.close()


def begin(port: int, spec: str = "go:size=9,repetition=none", seats: Json | None = None) -> tuple[str, str]:
    """Return a new game, of two people unless `seats` says otherwise, and the cookie to which people's seats belong."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/games",
        json.dumps({"spec": spec, "seats": seats or {}}).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["game"], answer.headers["set-cookie"].partition(";")[0]


async def sit(port: int, game: str, cookie: str, seat: str | None) -> ClientConnection:
    """Connect to a game, at a seat unless it is None."""
    headers = {"Cookie": cookie} if seat else {}
    line = await connect(f"ws://127.0.0.1:{port}/api/socket", max_queue=None, proxy=None, additional_headers=headers)
    await line.send(json.dumps({"join": game} | ({"as": seat} if seat else {})))
    return line


async def moves(port: int, watchers: int, count: int) -> float:
    """Return the median milliseconds from a player's move until everybody has it."""
    game, cookie = begin(port)
    lines = []
    for seat in ("b", "w", *[None] * watchers):
        lines.append(await sit(port, game, cookie, seat))
        await until(lines[-1], 1)
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
    """Read messages until the game reaches a turn."""
    while json.loads(await line.recv()).get("state", {}).get("turn") != turn:
        pass


@contextmanager
def serving() -> Iterator[int]:
    """Run the command `web` as a process and yield its port."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gtp_variants", "web", "--port", "0", "--store", f"{folder}/games"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().partition("127.0.0.1:")[2].partition("/")[0])
            try:
                yield port
            finally:
                times = Path(f"/proc/{server.pid}/stat")
                if times.exists():
                    ticks = sum(map(int, times.read_text().rpartition(")")[2].split()[11:13]))
                    print(f"    the server used {ticks / os.sysconf('SC_CLK_TCK'):.1f} s of processor time")
                server.kill()


def launch(playing: Playwright) -> Browser:
    """Start the system's Chromium."""
    return playing.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])


def clicks(port: int, watchers: int, count: int) -> None:
    """Print the time from a click until the stone is painted, in the player's browser and the opponent's."""
    game, cookie = begin(port)
    context = multiprocessing.get_context("spawn")
    are_there = context.Event()
    crowd_of_watchers = context.Process(target=watch, args=(port, game, watchers, are_there), daemon=True)
    crowd_of_watchers.start()
    assert are_there.wait(_PATIENCE_S), "the watchers did not come"
    with sync_playwright() as playing:
        browsers = [launch(playing) for _ in "bw"]
        pages = [
            watching(browser, port, f"#game={game}&as={seat}", cookie)
            for browser, seat in zip(browsers, "bw", strict=True)
        ]
        for page in pages:
            page.evaluate(_WATCH_CLICKS)
        own, other = [], []
        for number in range(count):
            mover, waiting = pages[number % 2], pages[1 - number % 2]
            mover.locator(".big.mine").wait_for()
            mover.mouse.click(*mover.evaluate(_PLACE_OF, _VERTICES[number]))
            await_painted(waiting, number + 1)
            clicked, shown = mover.evaluate("[window.clicked, window.shown]")
            own.append(shown - clicked)
            other.append(waiting.evaluate(f"window.painted[{number + 1}]") - clicked)
        for browser in browsers:
            browser.close()
    crowd_of_watchers.kill()
    print(f"beside {watchers} who watch, from a click until the stone is painted: {spread(own)}")
    print(f"    in the other browser: {spread(other)}")


def watch(port: int, game: str, count: int, are_there: Event) -> None:
    """Watch a game through a number of sockets until killed."""

    async def all_of_them() -> None:
        lines = []
        for _ in range(count):
            lines.append(await sit(port, game, "", None))
            await lines[-1].recv()
        are_there.set()
        await asyncio.gather(*(drain(line) for line in lines))

    async def drain(line: ClientConnection) -> None:
        async for _ in line:
            pass

    asyncio.run(all_of_them())


async def crowd(port: int, count: int, moves_each: int) -> None:
    """Print how long people in many games with bots wait for the confirmation of their stone."""
    rng, waits = Random(1), list[float]()
    seats = {"w": {"kind": "bot", "bot": "mcts", "level": _LEVEL_OF_MANY}}
    begun = [begin(port, "go:size=9", seats) for _ in range(count)]

    async def play(game: str, cookie: str) -> None:
        async with await sit(port, game, cookie, "b") as line:
            state = json.loads(await line.recv())["state"]
            for _ in range(moves_each):
                await asyncio.sleep(rng.uniform(0.5, 1.5) * _THINKING_S)
                chosen = rng.choice([word for word in state["legal"] if word != "pass"] or ["pass"])
                sent = time.perf_counter()
                await line.send(json.dumps({"do": "play", "at": chosen} if chosen != "pass" else {"do": "pass"}))
                turn, is_heard = state["turn"], False
                # Their own stone, then the bot's.
                while not state["final"] and not (state["asked"] == "b" and state["turn"] > turn):
                    told = json.loads(await line.recv())
                    state = told.get("state", state)
                    if not is_heard and state["turn"] > turn:
                        waits.append(1000 * (time.perf_counter() - sent))
                        is_heard = True
                if state["final"]:
                    return

    before = time.perf_counter()
    await asyncio.gather(*(play(*each) for each in begun))
    rate = len(waits) / (time.perf_counter() - before)
    print(f"{count} games with bots, {rate:.0f} people's stones a second, told of theirs after {spread(waits)}")


def spread(waits: Sequence[float]) -> str:
    """Return the median, the 99th percentile and the maximum in milliseconds, as text."""
    slow = sorted(waits)[max(0, math.ceil(0.99 * len(waits)) - 1)]
    return f"{statistics.median(waits):.0f} ms, one in a hundred {slow:.0f} ms or more, at most {max(waits):.0f} ms"


def weigh(browser: Browser, port: int) -> None:
    """Print the bytes transferred for the first screen, and for a game, to a new browser and when it comes again."""
    game, cookie = begin(port)
    for name, url in (("page", ""), ("game", f"#game={game}&as=b")):
        page = visit(browser, port, cookie)
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        sizes: list[float] = []
        line.on("Network.loadingFinished", lambda each, sizes=sizes: sizes.append(each["encodedDataLength"]))
        for when in ("first", "again"):
            sizes.clear()
            page.goto(f"http://127.0.0.1:{port}/{url}") if when == "first" else page.reload()
            page.locator(".board").first.wait_for()
            page.wait_for_load_state("networkidle")
            print(f"{name}, {when}: {sum(sizes) / 1000:.1f} KB in {len(sizes)} answers")
        page.context.close()


def paint(browser: Browser, port: int) -> None:
    """Print the time to the first paint of the page, and of a game's board."""
    game, cookie = begin(port)
    for name, url in (("page", ""), ("game", f"#game={game}&as=b")):
        paints, boards = [], []
        for _ in range(5):
            page = visit(browser, port, cookie)
            page.goto(f"http://127.0.0.1:{port}/{url}")
            page.locator(".board").first.wait_for()
            boards.append(page.evaluate("performance.now()"))
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.context.close()
        medians = statistics.median(paints), statistics.median(boards)
        print(f"{name}: first paint after {medians[0]:.0f} ms, the board after {medians[1]:.0f} ms")


def played(browser: Browser, port: int, games: PageGames, loop: asyncio.AbstractEventLoop, count: int) -> float:
    """Return the median milliseconds from a move in the server until a watcher's browser has painted it."""
    game, _ = begin(port)
    page = watching(browser, port, f"#game={game}")
    begun: list[float] = []

    def play() -> None:
        room = next(iter(games.listeners.of(game))).game
        begun.append(1000 * time.time())
        colour = room.hosted.asked()
        assert colour is not None
        room.act(colour, {"do": "play", "at": _VERTICES[len(begun) - 1]})
        games.announce_change(room)

    for number in range(count):
        loop.call_soon_threadsafe(play)
        await_painted(page, number + 1)
    return _median(page, begun)


def published(browser: Browser, port: int, count: int) -> float:
    """Return the same for a published game, from the moment its publisher gets the move."""
    rules = parse("go:size=9,repetition=none")
    game, begun = Game(rules), []
    publisher = Publisher(lambda: Address(f"http://127.0.0.1:{port}", KEY), lambda text: None)

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


def visit(browser: Browser, port: int, cookie: str) -> Page:
    """Open an empty page of a browser with a cookie, which may be ""."""
    context = browser.new_context(service_workers="block")
    name, _, value = cookie.partition("=")
    if name:
        context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{port}"}])
    return context.new_page()


def watching(browser: Browser, port: int, fragment: str, cookie: str = "") -> Page:
    """Open a browser that notes when it has painted a stone."""
    page = visit(browser, port, cookie)
    page.goto(f"http://127.0.0.1:{port}/{fragment}")
    page.locator(".frame .board").wait_for()
    page.evaluate(_WATCH_STONES)
    return page


def await_painted(page: Page, count: int) -> None:
    """Wait until this many stones have been painted, polling rarely so that the page can paint."""
    page.wait_for_timeout(_BETWEEN_MS)
    while not page.evaluate(f"window.painted[{count}]"):
        page.wait_for_timeout(_BETWEEN_MS)


def _median(page: Page, begun: list[float]) -> float:
    painted: list[float] = page.evaluate("window.painted.slice(1)")
    page.context.close()
    return statistics.median(after - before for before, after in zip(begun, painted, strict=False))


if __name__ == "__main__":
    main()
