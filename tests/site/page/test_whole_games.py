"""Whole games between browsers, from the first stone to the result: by mouse, by touch on a phone, and by keys.

Nobody plays but through the page, and what moves on it moves as it does for people.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from tests.site.page.browsing import DESK, NEEDS_BROWSER, PATIENCE_MS, PHONE, SLOW_LINE, enter, link, point_on_screen
from tests.site.page.serving import Site

pytestmark = NEEDS_BROWSER
# Small boards, but for one whose points are too near to each other for a finger.
SPECS = ["go:size=19", "aleago:size=5,dice=1d3", "phantom:size=4", "rosette:n=2", "alter-igo:size=4", "pentalath",
         "pentalath:players=3"]  # fmt: skip
# After so many stones everybody passes where that ends a game.
STONES = 6
MOST_TURNS = 200
MOST_KEYS = 60
NEAR_PX = 3
# Points nearer to each other than this are small for a finger.
SMALL_PX = 27


class Hand:
    """One person at the page, who acts by one means."""

    def __init__(self, page: Page, served: Site, spec: str) -> None:
        self.page, self._served, self._spec = page, served, spec

    def play(self, vertex: str) -> None:
        """Put a stone on a point."""
        raise NotImplementedError

    def press(self, button: Locator) -> None:
        """Press a button."""
        raise NotImplementedError

    def _place(self, vertex: str) -> tuple[float, float]:
        self.page.locator(".frame .board").evaluate("board => board.scrollIntoView({ block: 'nearest' })")
        return point_on_screen(self.page, self._served, self._spec, vertex)


class Mouse(Hand):
    """By clicks."""

    def play(self, vertex: str) -> None:
        self.page.mouse.click(*self._place(vertex))

    def press(self, button: Locator) -> None:
        button.click()


class Fingers(Hand):
    """By touch: where points are small by the cross-hair and its button or by two taps in turn, else by one tap."""

    def __init__(self, page: Page, served: Site, spec: str) -> None:
        super().__init__(page, served, spec)
        self._line: CDPSession = page.context.new_cdp_session(page)
        self._is_drag_next = True

    def play(self, vertex: str) -> None:
        place = self._place(vertex)
        if self.page.locator(".frame .board").evaluate("board => board.getScreenCTM().a * 40") >= SMALL_PX:
            self._tap(place)
            return
        self._is_drag_next = not self._is_drag_next
        if self._is_drag_next:
            self._tap(place)
            expect(self.page.locator("[data-do='confirm point']")).to_have_text(f"Play {vertex}")
            self._tap(place)
            return
        # It comes down beside the point and moves the cross-hair there.
        self._touch("touchStart", (place[0], place[1] + 30))
        self._touch("touchMove", place)
        self._touch("touchEnd")
        self.press(self.page.get_by_role("button", name=f"Play {vertex}", exact=True))

    def press(self, button: Locator) -> None:
        button.tap()

    def _tap(self, place: tuple[float, float]) -> None:
        self._touch("touchStart", place)
        self._touch("touchEnd")

    def _touch(self, kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


class Keys(Hand):
    """By arrows and Enter on the board, by Tab's focus and Enter on buttons."""

    def play(self, vertex: str) -> None:
        board = self.page.locator(".frame .board")
        board.focus()
        self.page.keyboard.press("ArrowDown")
        x, y = self._place(vertex)
        for _ in range(MOST_KEYS):
            ring = self.page.locator(".cursor .ring").bounding_box()
            assert ring is not None
            right, down = x - ring["x"] - ring["width"] / 2, y - ring["y"] - ring["height"] / 2
            if max(abs(right), abs(down)) < NEAR_PX:
                break
            # The longer way first.
            if abs(right) > abs(down):
                self.page.keyboard.press("ArrowRight" if right > 0 else "ArrowLeft")
            else:
                self.page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
        self.page.keyboard.press("Enter")

    def press(self, button: Locator) -> None:
        button.focus()
        self.page.keyboard.press("Enter")


Answer = TypeVar("Answer")


@dataclass
class Seats:
    """The people in a game, each at a browser, and their next actions."""

    served: Site
    game: HostedGame
    hands: dict[int, Hand]
    rng: Random = field(default_factory=lambda: Random(68))

    def _ask(self, question: Callable[[], Answer]) -> Answer:
        """The answer of the server's own thread, in which no turn is half done."""

        async def answer() -> Answer:
            return question()

        return asyncio.run_coroutine_threadsafe(answer(), self.served.loop).result(PATIENCE_MS / 1000)

    def moment(self) -> tuple[int, int | None]:
        """How much has happened, and who is asked; None when it is over."""
        return self._ask(
            lambda: (len(self.game.table.game.events), None if self.game.is_over else self.game.asked()),
        )

    def choose(self) -> str:
        """What whoever is asked does: a row of their own where a row wins, else anything, and passes in the end."""
        return self._ask(self._choose)

    def _choose(self) -> str:
        rules, position = self.game.rules, self.game.table.position
        points = [action for action in rules.actions(position) if action >= 0]
        if PASS in rules.actions(position) and (sum(map(bool, position.stones)) >= STONES or not points):
            return "pass"
        vertices = [rules.board.vertices[point] for point in points]
        if rules.name == "pentalath":
            row = str(1 + 2 * rules.colours.index(position.mover))
            return next(vertex for vertex in vertices if vertex[1:] == row)
        return self.rng.choice(vertices)

    def act(self) -> bool:
        """Let whoever is asked do something, and wait until the server has heard of it; False when the game is over."""
        before = self.moment()
        if before[1] is None:
            return self._agree()
        hand = self.hands[before[1]]
        # Who tried in vain is asked again, which the server knows before the page has heard of it.
        expect(hand.page.locator(".status:not([aria-busy=true]) .big.mine")).to_be_visible()
        chosen = self.choose()
        if chosen == "pass":
            hand.press(hand.page.locator("[data-do=pass], [data-do=agree]"))
        else:
            hand.play(chosen)
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while self.moment() == before:
            assert time.monotonic() < deadline, f"nothing came of {chosen}"
            hand.page.wait_for_timeout(20)
        return True

    def _agree(self) -> bool:
        """Let all agree on the dead stones of a hidden game, and wait for the end; False if nobody is asked."""
        if not self._ask(lambda: self.game.is_counting):
            return False
        for hand in self.hands.values():
            agree = hand.page.locator("[data-do=agree]")
            # Then the page has asked which stones seem dead. The buttons are drawn anew once that is known.
            expect(agree).to_be_visible()
            expect(hand.page.get_by_text("…", exact=True)).to_have_count(0)
            hand.press(agree)
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not self._ask(lambda: self.game.is_over):
            assert time.monotonic() < deadline, "nothing came of the agreement"
            next(iter(self.hands.values())).page.wait_for_timeout(20)
        return True


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("means", [Fingers, Mouse, Keys])
def test_a_whole_game_between_browsers(served: Site, opened: Callable[..., Page], means: type[Hand], spec: str) -> None:
    play_whole_game(served, opened, means, spec)


@pytest.mark.long
@pytest.mark.parametrize("means", [Fingers, Mouse, Keys])
def test_a_whole_game_on_a_slow_line(served: Site, opened: Callable[..., Page], means: type[Hand]) -> None:
    def open_slowly(address: str, **screen: Any) -> Page:
        page = opened("about:blank", **screen)
        page.add_init_script(SLOW_LINE)
        enter(page, address)
        return page

    play_whole_game(served, open_slowly, means, "phantom:size=4")


def play_whole_game(served: Site, opened: Callable[..., Page], means: type[Hand], spec: str) -> None:
    """Play a game from its first stone to its result, each player at their own page."""
    game, tokens = served.begin(spec)
    screen: dict[str, Any] = {"reduced_motion": "no-preference", "viewport": DESK}
    if means is Fingers:
        screen |= {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    colours = parse(spec).colours
    pages = {each: opened(link(served, game, tokens[COLOUR_LETTERS[each]]), **screen) for each in colours}
    for page in pages.values():
        page.locator(".frame .board").wait_for()
    assert served.games is not None
    found = next(iter(served.games.listeners.of(game))).game
    seats = Seats(served, found.hosted, {each: means(page, served, spec) for each, page in pages.items()})
    assert any(not seats.act() for _ in range(MOST_TURNS)), "the game does not end"
    outcome = found.hosted.table.game.outcome
    assert outcome is not None
    for page in pages.values():
        expect(page.locator(".status .big")).to_contain_text(outcome.sentence(), ignore_case=True)
        expect(page.locator(".hair")).to_have_count(0)
