"""The kernel's search with an evaluator that knows nothing: what it proves, and which moves a five leaves."""

import pytest

import gtp_variants as gv
from tests.ai.mcts.conftest import IS_NATIVE
from tests.support.evaluators import Even

pytestmark = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")

RULES = gv.parse("pentalath")


def position(white: str, black: str, to_play: int = gv.WHITE) -> gv.Position:
    """Stones of both, by vertices."""
    stones = {RULES.board.point(vertex): gv.WHITE for vertex in white.split()}
    stones |= {RULES.board.point(vertex): gv.BLACK for vertex in black.split()}
    return RULES.start(stones, to_play)


def vertices(points: object) -> list[str]:
    assert isinstance(points, list | tuple | dict)
    return sorted(RULES.board.vertex(point) for point in points)


def test_a_five_wins_at_once() -> None:
    found = gv.search(
        RULES, position("C3 D3 E3 F3", "A1 C1 E1 G1"), playouts=400, seed=1, evaluator=Even(RULES, batch=1)
    )
    assert found.proved is True
    assert found.playouts <= 2
    assert found.values == (1.0, 0.0)
    assert vertices(found.visits) == ["B3", "G3"]
    assert found.policy[found.action] == 1


def test_a_five_that_threatens_is_prevented() -> None:
    closed = position("C3 D3 E3 F3", "B3 A1 C1 E1 G1", gv.BLACK)
    found = gv.search(RULES, closed, playouts=60, seed=1, evaluator=Even(RULES, batch=1))
    assert vertices(found.visits) == ["G3"]
    assert found.proved is None


def test_two_fives_that_threaten_are_lost() -> None:
    open_four = position("C3 D3 E3 F3", "A1 C1 E1 G1", gv.BLACK)
    found = gv.search(RULES, open_four, playouts=60, seed=1, evaluator=Even(RULES, batch=1))
    assert found.proved is False
    assert found.values == (1.0, 0.0)
    assert vertices(found.visits) == ["B3", "G3"]


def test_without_tactics_and_proofs_it_looks_everywhere() -> None:
    found = gv.search(
        RULES, position("C3 D3 E3 F3", "A1 C1 E1 G1"), playouts=90, evaluator=Even(RULES), tactics=False, proofs=False
    )
    assert len(found.visits) == len(RULES.board) - 8
    assert found.proved is None
    assert found.playouts == 90


@pytest.mark.parametrize("proofs", [True, False])
def test_circles_of_alter_igo_are_draws(proofs: bool) -> None:
    rules = gv.parse("alter-igo:size=3")
    found = gv.search(rules, rules.start(), playouts=300, seed=1, evaluator=Even(rules), proofs=proofs)
    assert sum(found.values) == pytest.approx(1)
