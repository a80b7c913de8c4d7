"""What a pass at the end would give away: stones to be taken, dead stones that stand, regions that are nobody's."""

from dataclasses import replace

import pytest

import gtp_variants as gv
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.thinking.endgame import is_sound
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from tests.boards import begin, setup, vertices

GO = gv.parse("go:size=5,komi=0.5")
ALONE = """
    . . . . .
    X X X X X
    . . . . .
    . . O . .
    . . . . .
"""


class Searching(gv.Seat):
    """A seat whose search has counted what a pass is worth."""

    def must_play(self, view: gv.View) -> bool:
        return False


def after_a_pass(diagram: str, rules: gv.Rules = GO) -> tuple[gv.Endgame, gv.View]:
    """Black's endgame and what Black sees, after White has passed."""
    table, seat = gv.Table(rules, gv.DiceStream, setup(rules.board, diagram), WHITE), Searching()
    table.seat(BLACK, seat, "seed")
    table.play(WHITE, PASS)
    return gv.Endgame(seat), table.view(BLACK)


@pytest.mark.parametrize(
    ("vertex", "is_good", "why"),
    [
        ("A4", False, "the chain has A5 only"),
        ("C1", True, "the chain has A1 and D2"),
        ("E2", True, "it captures E1"),
        ("D2", True, "the chain has C1 and E2"),
        ("E4", True, "it stands alone, with three liberties"),
    ],
)
def test_a_stone_is_sound_if_it_captures_or_keeps_two_liberties(vertex: str, is_good: bool, why: str) -> None:
    diagram = """
        . O . . .
        . O O . .
        X O . O .
        O O O . .
        . X . X O
    """
    position = begin(GO, diagram, BLACK)
    assert is_sound(GO, position, GO.board.point(vertex)) == is_good, why


SETTLED = """
    X . X X X
    X X . X .
    X X X X X
    X X X X X
    . . . . .
"""
NEUTRAL = """
    . . . . .
    X X X X X
    . . . . .
    O O O O O
    . . . . .
"""
IN_ATARI = """
    . X . . .
    . X X X X
    X X O O O
    . X O . O
    . X O O O
"""


@pytest.mark.parametrize(
    ("diagram", "komi", "wins", "why"),
    [
        (SETTLED, "0.5", True, "everything is Black's"),
        (SETTLED, "30", False, "that is not enough"),
        (NEUTRAL, "-5", False, "the third row is nobody's"),
        (IN_ATARI, "0.5", False, "white stones can be taken"),
    ],
)
def test_a_pass_takes_a_count_that_is_won_and_settled(diagram: str, komi: str, wins: bool, why: str) -> None:
    endgame, view = after_a_pass(diagram, gv.parse(f"go:size=5,komi={komi}"))
    assert endgame.wins_by_passing(view) is wins, why


def test_a_pass_that_ends_nothing_takes_no_count() -> None:
    table, seat = gv.Table(GO, gv.DiceStream, setup(GO.board, SETTLED)), Searching()
    table.seat(BLACK, seat, "seed")
    assert not gv.Endgame(seat).wins_by_passing(table.view(BLACK))
    table.play(BLACK, PASS)
    table.play(WHITE, PASS)
    seat.avoided = [gv.AvoidedMove(BLACK, PASS, 1)]
    assert not gv.Endgame(seat).wins_by_passing(table.view(BLACK)), "the host wants no pass"


def search_result(owner: float) -> gv.SearchResult:
    """A search that prefers a pass, and expects that all points are a colour's so often."""
    return replace(gv.SearchResult(PASS, {}, (0.9, 0.1), (), 1, 1), ownership=(owner,) * len(GO.board))


@pytest.mark.parametrize(
    ("options", "owner", "gains"),
    [("", 0.9, "C1 B2 D2 C3"), ("", 0.7, ""), (",dead=agreed", 0.9, ""), (",dead=judged", 0.9, "")],
)
def test_dead_stones_that_would_count_are_worth_a_stone_beside_them(options: str, owner: float, gains: str) -> None:
    endgame, view = after_a_pass(ALONE, gv.parse(f"go:size=5{options}"))
    found = endgame.find_gains(view, search_result(owner), NO_LIMIT, has_network=False)
    assert sorted(vertices(GO.board, found).split()) == sorted(gains.split())


@pytest.mark.parametrize(("left_s", "is_looked"), [(4, False), (5, True)])
def test_after_a_network_playouts_judge_what_is_dead_if_there_is_time(left_s: float, is_looked: bool) -> None:
    endgame, view = after_a_pass(ALONE)
    clock = Clock(TimeControl("absolute", 60), left_s)
    assert bool(endgame.find_gains(view, search_result(0.0), clock, has_network=True)) is is_looked
