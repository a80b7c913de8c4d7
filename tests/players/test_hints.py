"""Hints for the seat that asks. They never advise resigning, even while a game is suspended after two passes."""

import pytest

import gtp_variants as gv
from gtp_variants.players.table import Table, view_to_move
from gtp_variants.players.thinking.hints import suggest_move
from gtp_variants.rules.actions import RESIGN


@pytest.mark.slow
def test_a_hint_never_suggests_resigning() -> None:
    rules = gv.parse("go:size=5,komi=0")
    table = Table(rules, lambda: gv.DiceStream(""))
    for colour, word in (
        (1, "C3"),
        (2, "A1"),
        (1, "C2"),
        (2, "E1"),
        (1, "C4"),
        (2, "A5"),
        (1, "B3"),
        (2, "E5"),
        (1, "D3"),
    ):
        table.play(colour, rules.board.point(word))
    seats = (gv.WHITE, gv.BLACK)
    for passes in range(3):
        for seat in seats if rules.is_suspended(table.position) else (table.position.mover,):
            view = view_to_move(table, seat)
            action, found = suggest_move(rules, seat, "hint", table.game.heard(seat), view)
            assert action != RESIGN
            assert action in view.actions
            assert found is not None
        if passes < 2:
            table.play(table.position.mover, gv.PASS)
