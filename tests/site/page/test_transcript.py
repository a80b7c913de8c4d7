"""A screen reader's text suffices to replay a game with the same result."""

import re
from collections.abc import Callable
from random import Random

import pytest
from playwright.sync_api import Page, expect

from gtp_variants.records.sentences import event_sentence
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from tests.site.page.browsing import NEEDS_BROWSER, link
from tests.site.page.serving import Client, Site

pytestmark = NEEDS_BROWSER
SPECS = [
    "go:size=5",
    "aleago:size=5,dice=1d3",
    "aleago:size=7,dice=2d3",
    "rosette:n=2",
    "alter-igo:size=4",
    "pentalath",
]
MOST_MOVES = 30
COLOURS = {"Black": 1, "White": 2, "Red": 3}


def hear(page: Page) -> None:
    """Keep everything that is said aloud from now on."""
    page.evaluate(
        """() => {
            window.said = [];
            const hear = (nodes) => nodes.forEach((node) => window.said.push(node.textContent));
            const watch = new MutationObserver((all) => all.forEach((each) => hear(each.addedNodes)));
            watch.observe(document.getElementById("live"), { childList: true });
        }"""
    )


def play(ends: dict[str, Client], rng: Random) -> None:
    """A game of random moves of both sides, as far as it goes."""
    first = next(iter(ends.values()))
    for _ in range(MOST_MOVES):
        state = first.state
        if state["final"] or state["over"] or state["suspended"]:
            return
        moves = [item["kind"] for item in first.news if item["kind"] != "draw"]
        # Two passes would end the game, however the dice fall.
        free = [word for word in state["legal"] if word != "pass"] if moves[-1:] == ["pass"] else []
        word = rng.choice(free or state["legal"])
        asked, turn = state["asked"], state["turn"]
        known = {"pass": "pass", "swap": "swap"}
        ends[asked].do(known.get(word, "play"), **({} if word in known else {"at": word}))
        for end in ends.values():
            while end.state["turn"] == turn and not end.state["final"]:
                end.take()
        # At each turn it is known to both who is asked.
        first = ends[first.state["asked"] or asked]


def throw(game: Game, text: str) -> None:
    """Let the dice fall so that those lines are open of which a sentence speaks."""
    rules = game.rules
    assert isinstance(rules, DicedRules)
    words = re.search(r"(?:Open: lines?|so lines?) ([\d, ]+)", text)
    lines = [int(line) for line in words[1].split(", ")] if words else []
    for action in rules.actions(game.position):
        draw = rules.describe_draw(rules.play(game.position, action, CHANCE))
        if sorted(draw["open"] if draw else []) == sorted(lines):
            game.play(CHANCE, action)
            return
    raise AssertionError(text)


def replay(rules: Rules, said: list[str]) -> Game:
    """The game somebody plays on a board of their own who hears nothing but this."""
    game = Game(rules)
    others = {event_sentence(rules, c, action, ()): (c, action) for c in rules.colours for action in (PASS, SWAP)}
    for text in said:
        move = re.match(r"(Black|White|Red) ([A-Z]{1,2}\d+)", text)
        if text in others:
            game.play(*others[text])
        elif move:
            game.play(COLOURS[move[1]], rules.board.point(move[2]))
        elif re.search(r"throws|\b[Ll]ines? ", text):
            throw(game, text)
        # A side that no line binds has no throw to hear of.
        if isinstance(rules, DicedRules) and game.position.to_play == CHANCE:
            free = [action for action in rules.actions(game.position) if action == rules.dice_of(game.position).free]
            if free and len(rules.actions(game.position)) == 1:
                game.play(CHANCE, free[0])
    return game


@pytest.mark.parametrize("spec", SPECS)
def test_the_spoken_text_suffices_to_replay_a_game(served: Site, opened: Callable[..., Page], spec: str) -> None:
    name, seats = served.begin(spec)
    page = opened(link(served, name))
    page.locator(".frame .board").wait_for()
    hear(page)
    rules = parse(spec)
    first = page.locator(".throwing p").inner_text() if isinstance(rules, DicedRules) else ""
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
        play({"b": black, "w": white}, Random(7))
        heard = [item for item in black.news if item["kind"] != "draw"]
        expect(page.locator(".move")).to_have_count(len(heard))
        stones = {vertex: colour for vertex, colour in black.state["stones"].items() if colour}
        said = [text for text in [first, *page.evaluate("window.said")] if text]
    assert len(heard) > 8
    position = replay(rules, said).position
    board = rules.board
    assert {board.vertex(p): COLOUR_LETTERS[c] for p, c in enumerate(position.stones) if c} == stones, said
