"""The points for handicap stones on all kinds of board."""

import pytest

from gtp_variants.rules import parse
from gtp_variants.rules.boards.handicap import fixed_points, free_points


@pytest.mark.parametrize(
    ("spec", "points"),
    [
        ("go:size=5", "C3 B2 D2 B4 D4"),
        ("rosette:n=3", "E5 J8 E8 E2 B5"),
        ("pentalath", "D4 J5 B6 F3 G6"),
    ],
)
def test_a_free_handicap_goes_away_from_the_rim_and_then_from_its_stones(spec: str, points: str) -> None:
    """The first stone is in the middle; the lowest of equal points comes first. More stones never move earlier ones."""
    board = parse(spec).board
    chosen: set[str] = set()
    for count, point in enumerate(points.split(), 1):
        chosen.add(point)
        if count >= 2:
            assert {board.vertex(each) for each in free_points(board, count) or ()} == chosen
    assert free_points(board, 1) is None


@pytest.mark.parametrize(
    ("size", "count", "points"),
    [
        (9, 2, "C3 G7"),
        (9, 3, "C3 C7 G7"),
        (9, 5, "C3 C7 E5 G3 G7"),
        (9, 6, "C3 C5 C7 G3 G5 G7"),
        (9, 7, "C3 C5 C7 E5 G3 G5 G7"),
        (9, 8, "C3 C5 C7 E3 E7 G3 G5 G7"),
        (13, 9, "D4 D7 D10 G4 G7 G10 K4 K7 K10"),
        (8, 4, "C3 C6 F3 F6"),
        (7, 4, "C3 C5 E3 E5"),
        (9, 1, None),
        (9, 10, None),
        (8, 5, None),
        (7, 5, None),
        (6, 2, None),
    ],
)
def test_a_fixed_handicap_lies_on_the_star_points(size: int, count: int, points: str | None) -> None:
    """GTP 2, 4.1.1: `fixed_handicap`."""
    board = parse(f"go:size={size}").board
    chosen = fixed_points(board, count)
    assert chosen == (None if points is None else [board.point(each) for each in points.split()])


def test_a_free_handicap_is_the_fixed_one_where_there_is_one_and_leaves_a_point_empty() -> None:
    board = parse("go:size=9").board
    assert free_points(board, 3) == fixed_points(board, 3)
    small = parse("go:size=2").board
    assert [len(free_points(small, count) or ()) for count in (2, 3, 4, 9)] == [2, 3, 3, 3]
    assert free_points(parse("go:size=1").board, 2) is None
    assert free_points(parse("alter-igo:width=2,height=1").board, 2) is None
    assert len(free_points(parse("go:size=19").board, 100) or ()) == 60
