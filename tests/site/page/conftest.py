"""Fixtures of the tests that look at the page in a browser."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.site.page.browsing import CHROMIUM, DESK, PATIENCE_MS, QUICK, Witness, enter
from tests.site.page.serving import Site, site

expect.set_options(timeout=PATIENCE_MS)

# The second is said of whoever leaves a game before its line is there.
HARMLESS = ("Service Worker registration blocked", "WebSocket is closed before the connection is established")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playing:
        launched = playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site(limits=QUICK) as running:
        yield running


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages, each in a browser profile of its own; none may write an error to its console."""
    contexts: list[BrowserContext] = []
    witnesses: list[Witness] = []
    faults: list[str] = []

    def open_page(url: str, viewport: dict[str, int] = DESK, **more: Any) -> Page:
        # Requests that a service worker answers are not seen by a test.
        more = {"service_workers": "block", "reduced_motion": "reduce", **more}
        context = browser.new_context(viewport=viewport, **more)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        witnesses.append(Witness(page))
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        enter(page, url)
        return page

    yield open_page
    for witness in witnesses:
        witness.tell()
    for context in contexts:
        context.close()
    assert [fault for fault in faults if not any(harmless in fault for harmless in HARMLESS)] == []
