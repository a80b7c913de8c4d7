"""Replies in the kernel's playouts: stones in atari, shapes, and random refusals."""

from collections import Counter
from typing import Any

import pytest

from gtp_variants.rules import parse
from gtp_variants.rules.actions import WHITE
from gtp_variants.rules.game import random_game
from tests.boards import begin, played
from tests.support.specs import ENDLESS, SMALL, two_quick

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")

from gtp_variants.ai.kernel import _kernel, states
from gtp_variants.ai.mcts.plain.playout import ENDED

PLAYOUTS = 200
ATARI, SHAPES = {"atari": True}, {"shapes": True}
STYLES: tuple[dict[str, bool], ...] = (
    {},
    {"atari": True},
    {"tactics": True, "shapes": True, "obliged": True},
    {"tactics": True, "atari": True, "shapes": True},
)


def firsts(spec: str, diagram: str, moves: str, style: dict[str, bool], to_play: int | None = None) -> Counter[str]:
    """Count the first vertices of playouts after these moves."""
    rules: Any = parse(spec)
    state = states.state_of(rules, played(rules, begin(rules, diagram, to_play), moves))
    found: Counter[str] = Counter()
    for index in range(PLAYOUTS):
        first = next(turn for turn in _kernel.trace(state, 1, index, **style) if turn > ENDED)
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


def test_a_stone_in_atari_runs_or_captures_the_attacker() -> None:
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


def test_alter_igo_answers_with_no_lone_suicide() -> None:
    diagram = """
        . . . . .
        . . O . .
        . O . . .
        . . O . .
        . . . . .
    """
    assert mostly(firsts("alter-igo:size=5", diagram, "C3", ATARI), "D3")


@pytest.mark.parametrize("spec", two_quick([*SMALL, *ENDLESS, "go:size=9", "rosette:n=3", "aleago:size=9"]))
def test_the_playout_board_agrees_with_its_stones(spec: str) -> None:
    rules = parse(spec)
    for seed in range(8):
        state = states.state_of(rules, random_game(rules, seed, plies=2 * seed).position)
        for style in STYLES:
            assert [_kernel.check_playout_board(state, 3, index, **style) for index in range(3)] == [""] * 3
