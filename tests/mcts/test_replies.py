"""What playouts answer: stones in atari, shapes, and what they refuse at random."""

from collections import Counter
from typing import Any

import pytest

from gtp_variants.mcts.plain import playout
from gtp_variants.mcts.plain.playout_board import RichBoard
from gtp_variants.mcts.plain.replies import Style
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from tests.boards import begin, played

PLAYOUTS = 200
ATARI, SHAPES = Style(atari=True), Style(shapes=True)


def firsts(spec: str, diagram: str, moves: str, style: Style, to_play: int | None = None) -> Counter[str]:
    """How often playouts from a drawn position, after these moves, begin with which vertex."""
    rules: Any = parse(spec)
    start = playout.Start(rules, played(rules, begin(rules, diagram, to_play), moves), is_rich=True)
    found: Counter[str] = Counter()
    for index in range(PLAYOUTS):
        first = next(turn for turn in playout.trace(start, 1, index, style) if turn > playout.ENDED)
        found["pass" if first < 0 else rules.board.vertex(first)] += 1
    return found


def mostly(found: Counter[str], *vertices: str) -> bool:
    return sum(found[vertex] for vertex in vertices) >= 0.8 * PLAYOUTS and all(found[vertex] for vertex in vertices)


def test_a_stone_that_puts_itself_in_atari_is_taken() -> None:
    diagram = """
        . . . . .
        . . O . .
        . O . . .
        . . O . .
        . . . . .
    """
    assert mostly(firsts("go:size=5", diagram, "C3", ATARI), "D3")


def test_a_stone_in_atari_runs() -> None:
    diagram = """
        . . . . .
        . X . . .
        . O X . .
        . . . . .
        . . . . .
    """
    assert mostly(firsts("go:size=5", diagram, "b:A3", ATARI), "B2")


def test_a_stone_in_atari_runs_or_takes_what_holds_it() -> None:
    diagram = """
        . . . . .
        . X O . .
        X O X . .
        . . . . .
        . . . . .
    """
    assert mostly(firsts("go:size=5", diagram, "D3", ATARI, WHITE), "B2", "C2")


def test_running_into_atari_is_no_escape() -> None:
    diagram = """
        . . . . .
        . . . . .
        . . . . .
        . O . . .
        X . . . .
    """
    assert firsts("go:size=5", diagram, "A2", ATARI, WHITE)["B1"] < 0.2 * PLAYOUTS


def test_self_atari_is_refused_at_random() -> None:
    diagram = """
        . O .
        . . .
        O . .
    """
    uniform, careful = (firsts("go:size=3,komi=0", diagram, "", style) for style in (SHAPES, ATARI))
    assert careful["A3"] < uniform["A3"]


def test_shapes_near_the_last_stone_are_played() -> None:
    diagram = """
        . . . . . . .
        . . . . . . .
        . . . X . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """
    found = firsts("go:size=7", diagram, "w:D4", SHAPES, WHITE)
    assert mostly(found, *found.keys() & {"C4", "E4", "C5", "E5", "C3", "E3"})


def test_under_a_throw_only_open_lines_answer() -> None:
    diagram = """
        . . . . .
        . . O . .
        . O . . .
        . . O . .
        . . . . .
    """
    # D3 lies on line 2.
    assert mostly(firsts("aleago:size=5,dice=1d3", diagram, "3 C3 2", ATARI), "D3")
    assert not firsts("aleago:size=5,dice=1d3", diagram, "3 C3 1", ATARI)["D3"]


def test_a_rosette_needs_no_answer() -> None:
    rules = parse("rosette:n=2")
    face = rules.board.faces[0]
    around = {near for point in face for near in rules.board.neighbours[point]} - set(face)
    *most, last = sorted(around)
    for immunity in ("true", "false"):
        variant = parse(f"rosette:n=2,immunity={immunity}")
        position = variant.start(dict.fromkeys(face, BLACK) | dict.fromkeys(most[:-1], WHITE), WHITE)
        position = variant.play(position, most[-1])
        board = playout.Start(variant, position, is_rich=True).board
        assert isinstance(board, RichBoard)
        name = board.chain[face[0]]
        assert board.only_liberty(name) == last
        assert (board.target(name) == last) is (immunity == "false")


def test_alter_igo_answers_with_no_lone_suicide() -> None:
    diagram = """
        . . . . .
        . . O . .
        . O . . .
        . . O . .
        . . . . .
    """
    assert mostly(firsts("alter-igo:size=5", diagram, "C3", ATARI), "D3")


@pytest.mark.parametrize("spec", ["go:size=5", "rosette:n=2", "alter-igo:size=5", "aleago:size=5,dice=1d3"])
def test_the_rich_board_knows_atari_as_its_stones_say(spec: str) -> None:
    from gtp_variants.rules.boards.chains import chain, liberties
    from gtp_variants.rules.game import random_game

    rules: Any = parse(spec)
    for seed in range(20):
        position = random_game(rules, seed, plies=3 * seed).position
        board = playout.Start(rules, position, is_rich=True).board
        assert isinstance(board, RichBoard)
        for point, colour in enumerate(position.stones):
            if colour:
                open_points = liberties(rules.board, position.stones, chain(rules.board, position.stones, point))
                expected = next(iter(open_points)) if len(open_points) == 1 else -1
                assert board.only_liberty(board.chain[point]) == expected
