"""Moves that capture dead stones, and clocks that leave no time to look for such moves."""

import pytest

import gtp_variants as gv
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.thinking.endgame import find_cleanup_move


@pytest.mark.parametrize(("left_s", "is_looked"), [(4, False), (5, True)])
def test_cleanup_is_skipped_with_under_five_seconds(left_s: int, is_looked: bool) -> None:
    rules = gv.parse("go:size=5")
    # A wall with a lone white stone behind it.
    stones = {rules.board.point(vertex): gv.BLACK for vertex in ("A4", "B4", "C4", "D4", "E4")}
    table = gv.Table(rules, gv.DiceStream, {**stones, rules.board.point("C2"): gv.WHITE})
    clock = gv.Clock(TimeControl("absolute", main_s=60), left_s)
    assert (find_cleanup_move(table, gv.BLACK, clock) is not None) == is_looked
