"""Where handicap stones go on boards of any kind."""

import pytest

from gtp_variants.rules import parse
from gtp_variants.rules.boards.handicap import free_points


@pytest.mark.parametrize(
    ("spec", "points"),
    [
        ("go:size=5", "C3 B2 D2 B4 D4"),
        ("rosette:n=3", "E5 J8 E8 E2 B5"),
        ("pentalath", "D4 J5 B6 F3 G6"),
    ],
)
def test_a_free_handicap_goes_away_from_the_rim_and_then_from_its_stones(spec: str, points: str) -> None:
    """The first stone is in the middle, the lowest of equals first; each more keeps those that are there."""
    board = parse(spec).board
    chosen: set[str] = set()
    for count, point in enumerate(points.split(), 1):
        chosen.add(point)
        if count >= 2:
            assert {board.vertex(each) for each in free_points(board, count) or ()} == chosen
    assert free_points(board, 1) is None
