"""A browser for tests of the page: where it is, how large a screen is, how a point of a board is clicked."""

import shutil
from collections import deque

import pytest
from playwright.sync_api import Page, WebSocket, expect

from gtp_variants.site.page.listeners import PageLimits
from tests.site.page.serving import Site

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# What a module that wants a browser is marked with.
NEEDS_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this computer: apt-get install chromium"),
]
QUICK = PageLimits(pause_s=0.0, rate_hz=10_000, burst=10_000)
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 860}
# On a computer that does much else a page takes its time.
PATIENCE_MS = 60_000
# Maximum messages of a page, and letters of each, that are printed for a test that fails.
MOST_MESSAGES, MOST_LETTERS = 30, 300
# Everything that the server says comes late.
SLOW_LINE = """
    const deliver = WebSocket.prototype.addEventListener;
    const late = (heard) => (event) => setTimeout(() => heard(event), 150);
    WebSocket.prototype.addEventListener = function (kind, heard, ...more) {
        deliver.call(this, kind, kind === "message" ? late(heard) : heard, ...more);
    };
"""


def link(served: Site, game: str, seat: str | None = None) -> str:
    """Return the address of a game; at a seat of `Site.begin` with the cookie that `opened` gives to the browser."""
    cookie, _, letter = (seat or "").rpartition("|")
    token = f"&seat={letter}" if letter else ""
    return f"{served.base}/#game={game}" + (f"&as={letter}&cookie={cookie}" if cookie else token)


def enter(page: Page, address: str) -> None:
    """Open an address, as the visitor whose cookie `link` has written at its end."""
    url, _, cookie = address.partition("&cookie=")
    if cookie:
        name, _, value = cookie.partition("=")
        page.context.add_cookies([{"name": name, "value": value, "url": url.partition("#")[0]}])
    page.goto(url)


def click_point(page: Page, vertex: str, spec: str = "") -> None:
    """Click where a point lies on the board; of a screen that links to no rules `spec` says whose board it is."""
    page.locator(".frame .board").wait_for()
    place = page.evaluate(
        """async ([vertex, given]) => {
            const rules = document.querySelector("a[href*='/api/rules']");
            const spec = given || rules.href.split("spec=")[1];
            window.described ??= await (await fetch("/api/describe?spec=" + spec)).json();
            const board = document.querySelector(".frame .board");
            const [, [x, y]] = window.described.points[vertex];
            const [left, top] = window.described.picture.origin;
            const at = new DOMPoint(left + 40 * x, top + 40 * y).matrixTransform(board.getScreenCTM());
            return [at.x, at.y];
        }""",
        [vertex, spec],
    )
    page.mouse.click(*place)


def point_on_screen(page: Page, served: Site, spec: str, vertex: str) -> tuple[float, float]:
    """Return a point's position on the screen."""
    described = served.ask(f"/api/describe?spec={spec}").json
    (_, (x, y)), (left, top) = described["points"][vertex], described["picture"]["origin"]
    place = page.locator(".frame .board").evaluate(
        """(board, [x, y]) => {
            const at = new DOMPoint(x, y).matrixTransform(board.getScreenCTM());
            return [at.x, at.y];
        }""",
        [left + 40 * x, top + 40 * y],
    )
    return place[0], place[1]


def expect_stones(page: Page, count: int) -> None:
    expect(page.locator(".frame .stones circle")).to_have_count(count)


class Witness:
    """The messages on the sockets of a page and the text that it shows, printed when a test has failed."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._said: deque[str] = deque(maxlen=MOST_MESSAGES)
        page.on("websocket", self._listen)

    def _listen(self, line: WebSocket) -> None:
        def note_sent(text: bytes | str) -> None:
            self._said.append(f"-> {text!s}")

        def note_received(text: bytes | str) -> None:
            self._said.append(f"<- {text!s}")

        line.on("framesent", note_sent)
        line.on("framereceived", note_received)

    def tell(self) -> None:
        """Print it: pytest shows what a test printed if the test fails."""
        print(self._page.url, *(said[:MOST_LETTERS] for said in self._said), sep="\n")
        if not self._page.is_closed():
            print(self._page.evaluate("document.body.innerText"))
