"""Small boards solved backwards, against a search of whole games."""

import pytest

import gtp_variants as gv
from benchmarks.strength.small_boards import solve


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
    said = solve(rules).split(" (")[0]
    assert said == {1: "Black wins", 0: "a draw", -1: "White wins"}[best(rules, rules.start())]
