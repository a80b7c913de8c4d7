"""The Go family compared with sgfmill's boards: captures, simple ko and area score."""

from random import Random
from typing import Any

import pytest
from sgfmill.boards import Board

from gtp_variants.errors import IllegalMove
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules

LETTERS = {BLACK: "b", WHITE: "w"}


def as_list(rules: Rules, position: Any) -> list[str | None]:
    return [LETTERS.get(colour) for colour in position.stones]


def on_board(rules: Rules, board: Any) -> list[str | None]:
    return [board.get(row, column) for column, row in rules.board.cells]


def verdict(board: Any, row: int, column: int, colour: str, ko: tuple[int, int] | None) -> str:
    """Return why sgfmill's rules forbid a stone there, or "" if they allow it. The board stays unchanged."""
    if board.get(row, column) is not None:
        return "occupied"
    trial = board.copy()
    trial.play(row, column, colour)
    if trial.get(row, column) is None:
        return "suicide"
    return "repetition" if (row, column) == ko else ""


def compare(spec: str, size: int, moves: int, seed: int, pass_rate: float) -> int:
    """Play `moves` random stones and passes on both boards; return the number of captured stones."""
    rules, rng = parse(spec), Random(seed)
    position, board, ko = rules.start(), Board(size), None
    captured = number = 0
    while number < moves:
        colour = LETTERS[position.mover]
        if rng.random() < pass_rate:
            position, ko = rules.play(position, PASS), None
        else:
            point = rng.randrange(size * size)
            column, row = rules.board.cells[point]
            why = verdict(board, row, column, colour, ko)
            if why:
                with pytest.raises(IllegalMove) as caught:
                    rules.play(position, point)
                assert caught.value.reason == why
                continue
            position = rules.play(position, point)
            captured += len(position.captured)
            ko = board.play(row, column, colour)
        number += 1
        assert as_list(rules, position) == on_board(rules, board)
        if number % 50 == 0 and not rules.is_final(position):
            legal = {
                point
                for point, (column, row) in enumerate(rules.board.cells)
                if not verdict(board, row, column, LETTERS[position.mover], ko)
            }
            assert {action for action in rules.actions(position) if action >= 0} == legal
        margin = board.area_score()
        winner = BLACK if margin > 0 else WHITE
        assert rules.standing(position) == (Outcome(winner, "score", abs(margin)) if margin else Outcome(None, "score"))
        if rules.is_final(position):
            position, board, ko = rules.start(), Board(size), None
    return captured


@pytest.mark.parametrize(
    ("size", "moves"),
    [
        (2, 1000),
        (3, 1500),
        (5, 1500),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in [(4, 1500), (7, 2000), (9, 2500), (13, 600)]),
    ],
)
def test_ordinary_go(size: int, moves: int) -> None:
    """rules.md 0 with `repetition=simple` agrees with another program's boards in ten thousand moves in all."""
    assert compare(f"go:size={size},komi=0,repetition=simple", size, moves, seed=size, pass_rate=0.02) > 50


@pytest.mark.parametrize("size", [3, 6])
def test_passes_lift_the_simple_ko(size: int) -> None:
    assert compare(f"go:size={size},komi=0,repetition=simple", size, 600, seed=size, pass_rate=0.3) > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5, 9, 19])
def test_ordinary_go_for_longer(size: int) -> None:
    compare(f"go:size={size},komi=0,repetition=simple", size, 5_000, seed=100 + size, pass_rate=0.02)
