"""Benson's algorithm: chains that live even if their owner always passes."""

import pytest

import gtp_variants as gv
from gtp_variants.rules.boards.unconditional_life import unconditional_territory, unconditionally_alive
from gtp_variants.rules.turn_rules import AreaRules
from tests.boards import begin, vertices


@pytest.mark.parametrize(
    ("alive", "diagram"),
    [
        # There are two eyes of one point each.
        (
            "A2 B1 B2 C2 D1 D2",
            """
            . . . . .
            . . . . .
            . . . . .
            X X X X .
            . X . X .
            """,
        ),
        # A single eye of two points could be filled.
        (
            "",
            """
            . . . . .
            . . . . .
            . . . . .
            X X X X .
            X . . X .
            """,
        ),
        # Two chains that share both their eyes live together.
        (
            "A2 B1 B3 C1 C2 C3",
            """
            . . . . .
            . . . . .
            . X X . .
            X . X . .
            . X X . .
            """,
        ),
        # An enemy stone in an eye does not matter as long as each empty point of the eye is a liberty.
        (
            "A3 B1 B2 B3 C2 D1 D2",
            """
            . . . . .
            . . . . .
            X X . . .
            . X X X .
            O X . X .
            """,
        ),
    ],
)
def test_unconditionally_alive_chains(alive: str, diagram: str) -> None:
    rules = gv.parse("go:size=5")
    stones = begin(rules, diagram).stones
    found = unconditionally_alive(rules.board, stones, gv.BLACK)
    assert vertices(rules.board, [point for points in found for point in points]) == alive


def test_immune_chains_live_without_a_liberty() -> None:
    rules = gv.parse("go:size=5")
    stones = rules.start({0: gv.BLACK}).stones
    assert unconditionally_alive(rules.board, stones, gv.BLACK, lambda stones, members: True) == [[0]]


@pytest.mark.parametrize(
    ("owned", "diagram"),
    [
        # Enemy stones inside change nothing; outside the wall there is room for two eyes.
        (
            "A2 B2 D2",
            """
            . . . . .
            . . . . .
            X X X X .
            O . X . X
            X X X X X
            """,
        ),
        # If every point touches the wall, there is no room for an eye.
        (
            "A3 A5 C4 C5 D4 D5",
            """
            . X . . X
            X X . . X
            . X X X X
            X X . . .
            . . . . .
            """,
        ),
        # Chains that could be captured do not enclose anything.
        (
            "",
            """
            . . . . .
            . . . . .
            . . . . .
            X X X X .
            X . . X .
            """,
        ),
    ],
)
def test_unconditional_territory(owned: str, diagram: str) -> None:
    rules = gv.parse("go:size=5")
    found = unconditional_territory(rules.board, begin(rules, diagram).stones, gv.BLACK)
    assert vertices(rules.board, sorted(found)) == owned


def test_room_for_a_rosette_is_nobodys() -> None:
    rules = gv.parse("rosette:n=2")
    stones = bytes(0 if point in rules.board.faces[0] else gv.BLACK for point in range(len(rules.board)))
    found = unconditional_territory(rules.board, stones, gv.BLACK, lambda stones, members: True)
    assert not found


def test_an_eye_filled_by_a_rosette_does_not_count() -> None:
    rules = gv.parse("rosette:n=2,rosette_suicide=legal")
    assert isinstance(rules, AreaRules)
    board = rules.board
    white = {board.point(vertex) for vertex in "C3 C4 D3 D5 E4 E5".split()}
    eyes = {board.point(vertex) for vertex in ("B2", "C1")}
    black = [point for point in range(len(board)) if point not in white | eyes]
    game = gv.Game(rules, {**dict.fromkeys(black, gv.BLACK), **dict.fromkeys(white, gv.WHITE)}, first=gv.WHITE)
    assert not unconditionally_alive(board, game.position.stones, gv.BLACK, rules.lives)
    for vertex in ("B2", "C1"):
        game.play(gv.WHITE, board.point(vertex))
        if vertex == "B2":
            game.play(gv.BLACK, gv.PASS)
    assert not any(game.position.stones[point] for point in black)
