"""A search result: the order of its moves, and what a notebook shows of it."""

import json
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

import gtp_variants as gv
from gtp_variants.bridge.core.engine_seat import note_of_search
from tests.support.evaluators import Even


def test_a_notebook_shows_the_moves_on_the_board_and_in_a_table() -> None:
    rules = gv.parse("go:size=5")
    found = gv.search(rules, rules.start(), playouts=200, seed=1)
    page = found._repr_html_()
    assert page is not None
    root = ElementTree.fromstring(page)
    rows = [[cell.text for cell in row] for row in root.iter("tr")]
    assert rows[0] == ["move", "visits", "value", "prior"]
    assert rows[1] == [rules.board.vertex(found.action), str(found.visits[found.action]), *rows[1][2:]]
    assert len(rows) == 11
    text = [each.text or "" for each in root.iter("div")]
    assert "200 playouts" in text
    black, white = (f"{100 * value:.0f}%" for value in found.values)
    assert f"Black {black}, White {white}" in text


def test_the_move_to_play_comes_first_though_another_was_visited_more() -> None:
    rules = gv.parse("go:size=5")
    found = gv.search(rules, rules.start(), playouts=200, seed=1, evaluator=Even(rules))
    most, second = found.rank_moves(found.visits)[:2]
    assert found.visits[most] >= found.visits[second]
    chosen = replace(found, action=second)
    assert chosen.rank_moves(found.visits)[:2] == [second, most]
    word = rules.board.vertex(second)
    note = json.loads(note_of_search(rules, gv.BLACK, chosen))
    assert note["moves"][0]["move"] == word
    assert note["visits"] == sum(found.visits.values())
    rows = [[cell.text for cell in row] for row in ElementTree.fromstring(chosen._repr_html_() or "").iter("tr")]
    assert rows[1][0] == word


def test_of_a_hidden_game_a_notebook_shows_what_the_seat_knows() -> None:
    rules = gv.parse("phantom:size=5")
    game = gv.random_game(rules, seed=3, plies=12)
    seat = game.position.to_play
    view = rules.view(game.heard(seat), seat)
    assert view.hidden
    page = gv.search(rules, view, playouts=60, seed=1)._repr_html_()
    assert page is not None
    own = sum(stone != gv.EMPTY for stone in view.stones)
    circles = ElementTree.fromstring(page).iter("{http://www.w3.org/2000/svg}circle")
    assert sum(each.attrib["r"] == "18.4" for each in circles) == 2 * own  # with their shadows


def test_a_search_with_an_evaluator_shows_its_priors() -> None:
    rules = gv.parse("go:size=5")
    page = gv.search(rules, rules.start(), playouts=50, seed=1, evaluator=Even(rules))._repr_html_()
    assert page is not None
    rows = [[cell.text for cell in row] for row in ElementTree.fromstring(page).iter("tr")]
    assert rows[0] == ["move", "visits", "value", "prior"]
    assert rows[1][3] == "4%"


def test_a_result_without_a_board_is_shown_as_text() -> None:
    rules = gv.parse("go:size=5")
    found = gv.search(rules, rules.start(), playouts=20, seed=1)
    assert gv.SearchResult(found.action, found.visits, found.values, (), 20, 0)._repr_html_() is None


CHANCES = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


@given(st.lists(CHANCES, min_size=1, max_size=5), st.floats(0.1, 10))
def test_shares_stay_in_their_order_when_odds_are_raised(shares: list[float], power: float) -> None:
    found = gv.SearchResult(0, {}, (0.5, 0.5), (), 1, 1, shares=dict(enumerate(shares)))
    raised = found.calibrate(power).shares
    assert all(0 <= share <= 1 for share in raised.values())
    by_share = sorted(found.shares, key=found.shares.__getitem__)
    assert all(raised[one] <= raised[other] for one, other in pairwise(by_share))
    # Whoever looks from the other side sees the rest.
    others = replace(found, shares={move: 1 - share for move, share in found.shares.items()}).calibrate(power).shares
    assert all(raised[move] + others[move] == pytest.approx(1) for move in raised)


@given(st.tuples(CHANCES, CHANCES, CHANCES).filter(any), st.floats(0.1, 10))
def test_values_of_three_stay_parts_of_a_whole_when_odds_are_raised(parts: tuple[float, ...], power: float) -> None:
    values = tuple(part / sum(parts) for part in parts)
    raised = gv.SearchResult(0, {}, values, (), 1, 1, shares={0: values[0]}).calibrate(power)
    assert sum(raised.values) == pytest.approx(1)
    assert max(raised.values) >= max(values) - 1e-9 if power > 1 else max(raised.values) <= max(values) + 1e-9


def test_calibration_leaves_certain_and_unknown_results_unchanged() -> None:
    certain = gv.SearchResult(0, {}, (1.0, 0.0), (), 1, 1, shares={0: 1.0, 1: 0.0, 2: 0.5})
    assert certain.calibrate(3) == replace(certain, calibration=3)
    unknown = gv.SearchResult(0, {}, (0.0, 0.0), (), 0, 0)
    assert unknown.calibrate(3) == replace(unknown, calibration=3)
    assert unknown.calibrate(3).calibrate(1 / 3) == unknown
