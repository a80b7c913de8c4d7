"""Eye spaces, against what Go players know and a chance worked out by hand."""

import numpy as np
import pytest

import gtp_variants as gv
from benchmarks.strength.eye_spaces import SolvedSpace, find_throws, report, shape_of, spaces
from gtp_variants.rules.games.aleago import AleagoRules

BOARD = gv.parse("go:size=9")


def space_of(vertices: str) -> tuple[int, ...]:
    return tuple(sorted(map(BOARD.board.point, vertices.split())))


@pytest.mark.parametrize(
    ("vertices", "chances"),
    [
        ("D4 E4", (0, 0)),
        ("D4 E4 F4", (0, 1)),  # three in a row
        ("D4 E4 E5", (0, 1)),  # bent three
        ("D4 E4 F4 G4", (1, 1)),  # four in a row
        ("D4 E4 E5 F5", (1, 1)),  # a zigzag
        ("D4 E4 F4 E5", (0, 1)),  # a pyramid
        ("D4 E4 D5 E5", (0, 0)),  # a square
        ("D4 E4 D5 E5 F4", (0, 1)),  # bulky five
        ("D4 E4 F4 E3 E5", (0, 1)),  # crossed five
        ("D4 E4 F4 G4 H4", (1, 1)),
        ("D4 E4 F4 E3 E5 D5", (0, 1)),  # rabbity six
        ("D4 E4 F4 D5 E5 F5", (1, 1)),  # two by three
        ("A1 A2 B1 B2", (0, 0)),
        ("A3 A2 A1 B1", (0, 1)),  # bent four in the corner
    ],
)
def test_spaces_without_dice_are_what_players_know(vertices: str, chances: tuple[int, int]) -> None:
    assert shape_of(BOARD, space_of(vertices)).chances(find_all(vertices)) == chances


def find_all(vertices: str) -> np.ndarray:
    """Return the only throw of a game without dice, which opens every point."""
    return np.ones((1, len(vertices.split())), bool)


@pytest.mark.parametrize(("faces", "vertices"), [(4, "D2 E2 F2"), (4, "A5 B5 C5"), (6, "D1 E1 E2")])
def test_dice_make_the_vital_point_a_race(faces: int, vertices: str) -> None:
    """Only the middle matters: with a chance p for each throw, who throws first takes it with 1 / (2 - p)."""
    rules = gv.parse(f"aleago:size=9,dice=1d{faces},star=false")
    assert isinstance(rules, AleagoRules)
    space = space_of(vertices)
    first = 1 / (2 - 1 / faces)
    assert shape_of(rules, space).chances(find_throws(rules, space)) == pytest.approx((1 - first, first), abs=1e-4)


def test_every_space_of_a_board_is_counted_once() -> None:
    """A 3x3 board has 12 pairs of neighbours; 6 straight threes and 4 times 4 bent ones."""
    rules = gv.parse("go:size=3")
    assert [sum(count for _, count in spaces(rules, points)) for points in (1, 2, 3)] == [9, 12, 22]


def test_a_report_weighs_spaces_by_their_number() -> None:
    found = [SolvedSpace(3, (0, 1), (0.5, 0.5)), SolvedSpace(1, (1, 1), (0.9, 1.0))]
    assert list(report(found)) == [
        "unsettled      3 spaces: Go   0.0 100.0, Aléago  50.0  50.0",
        "alive          1 spaces: Go 100.0 100.0, Aléago  90.0 100.0",
        "all            4 spaces: Go  25.0 100.0, Aléago  60.0  62.5",
    ]
