"""Small boards solved backwards, against a search of whole games."""

import numpy as np
import pytest

import gtp_variants as gv
from benchmarks.strength.small_boards import Boards, Masks, solve


def best(rules: gv.Rules, position: gv.Position) -> int:
    """Return 1 if the side to move wins with best play, history included, 0 for a draw, else -1."""
    results = [-1]
    for action in rules.legal(position):
        after = rules.play(position, action)
        outcome = rules.outcome(after) if rules.is_over(after) else None
        if outcome is None:
            results.append(-best(rules, after))
        else:
            results.append(0 if outcome.winner is None else 1 if outcome.winner == position.mover else -1)
        if results[-1] == 1:
            break
    return max(results)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2)])
def test_working_backwards_finds_what_a_search_of_whole_games_finds(width: int, height: int) -> None:
    rules = gv.parse(f"alter-igo:width={width},height={height}")
    assert solve(rules).startswith({1: "Black wins in ", 0: "a draw", -1: "White wins in "}[best(rules, rules.start())])


@pytest.mark.parametrize(
    ("width", "height", "said"),
    [
        (3, 2, "a draw (95 positions)"),
        (4, 2, "Black wins in 17 moves (860 positions)"),
        (5, 2, "Black wins in 19 moves (7,964 positions)"),
        (3, 3, "Black wins in 17 moves (1,402 positions)"),
    ],
)
def test_wins_have_a_length(width: int, height: int, said: str) -> None:
    assert solve(gv.parse(f"alter-igo:width={width},height={height}")) == said


@pytest.mark.parametrize("size", [3, 4])
def test_moves_on_masks_are_those_of_the_rules(size: int) -> None:
    rules = gv.parse(f"alter-igo:size={size}")
    boards = Boards(rules)
    for seed in range(20):
        for position in gv.random_game(rules, seed).positions[:-1]:
            own, others = masks_of(position)
            for point in rules.legal(position):
                is_safe, *after = boards.play(own, others, point)
                assert bool(is_safe[0]) != rules.loses(position, point)
                if is_safe[0]:
                    assert tuple(after) == masks_of(rules.play(position, point))


def masks_of(position: gv.Position) -> tuple[Masks, Masks]:
    """Return the stones of the side to move and those of the other side as arrays of one mask each."""
    masks = {gv.BLACK: 0, gv.WHITE: 0}
    for point, colour in enumerate(position.stones):
        if colour:
            masks[colour] |= 1 << point
    own = position.mover
    return np.array([masks.pop(own)], np.uint16), np.array([*masks.values()], np.uint16)


def test_a_board_with_passes_or_too_many_points_is_refused() -> None:
    for spec in ("alter-igo:size=5", "alter-igo:size=3,white_passes=1", "go:size=3"):
        with pytest.raises(ValueError, match="expected alter-igo without passes and with 16 points at most"):
            solve(gv.parse(spec))
