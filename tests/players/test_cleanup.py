"""Moves that capture dead stones, and clocks that leave no time to look for such moves."""

import pytest

import gtp_variants as gv
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.thinking import endgame
from gtp_variants.players.thinking.endgame import find_cleanup_move, has_time_to_judge


@pytest.mark.parametrize(("left_s", "is_looked"), [(4, False), (40, True)])
def test_cleanup_is_skipped_without_time_to_judge(left_s: int, is_looked: bool) -> None:
    rules = gv.parse("go:size=5")
    # A wall with a lone white stone behind it.
    stones = {rules.board.point(vertex): gv.BLACK for vertex in ("A4", "B4", "C4", "D4", "E4")}
    table = gv.Table(rules, gv.DiceStream, {**stones, rules.board.point("C2"): gv.WHITE})
    clock = gv.Clock(TimeControl("absolute", main_s=60), left_s)
    assert (find_cleanup_move(table, gv.BLACK, clock) is not None) == is_looked


@pytest.mark.parametrize(
    ("size", "form", "least_s"),
    [(5, "native", 5), (9, "native", 5), (19, "native", 22.3), (9, "python", 40), (19, "python", 178.3)],
)
def test_judging_needs_more_time_on_larger_boards_and_in_plain_python(
    size: int, form: str, least_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endgame, "search_backend", lambda rules: form)
    rules = gv.parse(f"go:size={size}")
    control = TimeControl("absolute", main_s=600)
    assert not has_time_to_judge(rules, gv.Clock(control, least_s - 0.1))
    assert has_time_to_judge(rules, gv.Clock(control, least_s + 0.1))
    assert has_time_to_judge(rules, gv.Clock())
