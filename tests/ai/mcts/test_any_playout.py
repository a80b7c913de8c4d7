"""Playouts and searches of games that the kernel and the fast boards do not know: by the rules alone."""

from dataclasses import replace
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.players.bots import load
from gtp_variants.rules.games.aleago import AleagoRules
from gtp_variants.rules.games.go import GoPosition, GoRules
from gtp_variants.rules.games.pentalath import PentalathRules
from gtp_variants.rules.outcome import Outcome


class AtariGo(GoRules):
    """Go in which the first capture wins."""

    is_scored = False

    def put(self, position: GoPosition, point: int) -> GoPosition:
        after = super().put(position, point)
        return replace(after, ended=Outcome(position.mover, "five")) if after.captured else after

    def is_over(self, position: GoPosition) -> bool:
        return position.ended is not None or super().is_over(position)

    def outcome(self, position: GoPosition) -> Outcome | None:
        return position.ended or super().outcome(position)


class UnknownAleago(AleagoRules): ...


class UnknownPentalath(PentalathRules): ...


UNKNOWN: list[Any] = [
    AtariGo({"size": "4"}),
    UnknownAleago({"size": "4", "dice": "1d2"}),
    UnknownPentalath({"board": "hexhex5", "players": "3", "supply": "6"}),
]


@pytest.mark.slow
@pytest.mark.parametrize("rules", UNKNOWN, ids=lambda rules: type(rules).__name__)
def test_it_is_searched_and_played_to_its_end(rules: Any) -> None:
    start = rules.start()
    shares = gv.playouts(rules, start, 5, seed=1)
    assert sum(shares) == pytest.approx(1)
    assert shares == gv.playouts(rules, start, 5, seed=1)
    table = gv.Table(rules, lambda: gv.DiceStream("none"))
    for colour in rules.colours:
        table.seat(colour, load("mcts:playouts=5"), f"seed {colour}")
    while (colour := table.asked()) is not None and len(table.game.events) < 60:
        found = gv.search(rules, table.position, playouts=5, seed=2)
        assert found.action in rules.actions(table.position)
        table.answer(colour, table.choose(colour))
    assert table.is_final or len(table.game.events) >= 60


def test_what_wins_at_once_is_found() -> None:
    rules = UNKNOWN[0]
    board = rules.board
    stones = {board.point("A1"): gv.WHITE, board.point("A2"): gv.BLACK}
    found = gv.search(rules, rules.start(stones, gv.BLACK), playouts=200, seed=1)
    assert board.vertex(found.action) == "B1"
    assert found.values[0] > 0.6
