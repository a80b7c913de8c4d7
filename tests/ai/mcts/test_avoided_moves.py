"""A search that is asked for something: to stop, to show what it has, to leave out moves."""

import time
from collections.abc import Callable
from typing import Any

import pytest

import gtp_variants as gv
from tests.ai.mcts.conftest import IS_NATIVE

native = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
LONG_S = 600.0


def test_it_ends_when_it_is_told_to(backend: str) -> None:
    rules = gv.parse("go:size=9")
    seen: list[gv.SearchResult] = []

    def report(so_far: Callable[[], gv.SearchResult]) -> bool:
        seen.append(so_far())
        return len(seen) < 3

    begun = time.monotonic()
    found = gv.Thinker(rules).think(rules.start(), report, seconds=LONG_S)
    assert time.monotonic() - begun < LONG_S / 2
    counts = [each.playouts for each in (*seen, found)]
    assert len(seen) == 3
    assert counts == sorted(counts)
    assert 0 < counts[0] < counts[2]
    for each in seen:
        assert sum(each.visits.values()) <= each.playouts
        assert sum(each.values) == pytest.approx(1)


@native
def test_with_threads_it_ends_too() -> None:
    rules = gv.parse("go:size=9")
    shown: list[gv.SearchResult] = []

    def report(so_far: Callable[[], gv.SearchResult]) -> bool:
        shown.append(so_far())
        return False

    found = gv.Thinker(rules, threads=3).think(rules.start(), report, seconds=LONG_S)
    assert found.playouts >= shown[0].playouts > 0


def test_an_error_of_the_stop_function_is_raised(backend: str) -> None:
    rules = gv.parse("go:size=9")

    def report(so_far: Callable[[], gv.SearchResult]) -> bool:
        raise LookupError("no")

    mind = gv.Thinker(rules)
    with pytest.raises(LookupError):
        mind.think(rules.start(), report, seconds=LONG_S)
    assert mind.think(rules.start(), playouts=20).playouts == 20


def test_being_asked_changes_nothing(backend: str) -> None:
    rules = gv.parse("go:size=7")
    alone = gv.Thinker(rules, seed=3).think(rules.start(), playouts=400)
    asked = gv.Thinker(rules, seed=3).think(rules.start(), lambda so_far: bool(so_far().visits), playouts=400)
    assert alone == asked


@pytest.mark.parametrize(("answer", "goes_on"), [(1, True), ("yes", True), (None, False), (0, False), ([], False)])
def test_the_stop_functions_answer_counts_by_its_truth(backend: str, answer: Any, goes_on: bool) -> None:
    rules = gv.parse("go:size=9")
    asked: list[object] = []

    def report(so_far: Callable[[], gv.SearchResult]) -> Any:
        asked.append(so_far())
        return answer if len(asked) < 3 else False

    gv.search(rules, rules.start(), seconds=LONG_S, on_progress=report)
    assert len(asked) == (3 if goes_on else 1)


# -- moves left out ----------------------------------------------------------------------------------------------------


def test_avoided_moves_are_not_looked_at(backend: str) -> None:
    rules = gv.parse("go:size=5")
    center = rules.board.point("C3")
    assert center in gv.Thinker(rules).think(rules.start(), playouts=300).visits
    found = gv.Thinker(rules, avoided=[gv.AvoidedMove(gv.BLACK, center, 1)]).think(rules.start(), playouts=300)
    assert center not in found.visits
    assert found.action != center
    # For the other colour alone it means nothing at the root.
    assert (
        center
        in gv.Thinker(rules, avoided=[gv.AvoidedMove(gv.WHITE, center, 9)]).think(rules.start(), playouts=300).visits
    )


@native
def test_invalid_moves_to_avoid_are_reported() -> None:
    rules = gv.parse("go:size=9")
    wrong = [gv.AvoidedMove(*each) for each in ((5, 500, 0), (1, gv.PASS, 1), (2, gv.RESIGN, 1))]
    with pytest.raises(gv.ConfigError) as caught:
        gv.search(rules, rules.start(), playouts=9, avoided=wrong)
    assert caught.value.faults == (
        "avoided[0]: colour 5: expected one of 1, 2",
        "avoided[0]: move 500: expected a point, 0 to 80, PASS or SWAP",
        "avoided[0]: until_depth 0: expected 1 or more",
        "avoided[2]: move -3: expected a point, 0 to 80, PASS or SWAP",
    )


@native
def test_moves_to_avoid_as_tuples_are_refused_with_what_is_expected() -> None:
    rules = gv.parse("go:size=9")
    tuples: Any = [(1, 3, 1)]
    with pytest.raises(
        gv.ConfigError, match=r"avoided\[0\]=\(1, 3, 1\): expected AvoidedMove\(colour, move, until_depth\)"
    ):
        gv.search(rules, rules.start(), playouts=9, avoided=tuples)


def test_moves_are_avoided_down_to_the_given_depth(backend: str) -> None:
    """White's one answer that is left is a corner, which nobody plays who may choose."""
    rules = gv.parse("go:size=5")
    corner, firsts = rules.board.point("E1"), {rules.board.point("A1"), rules.board.point("E5")}
    moves = (gv.PASS, *range(25))
    elsewhere = [gv.AvoidedMove(gv.BLACK, move, 1) for move in moves if move not in firsts]
    shallow, deep = (
        gv.Thinker(
            rules, 1, [*elsewhere, *(gv.AvoidedMove(gv.WHITE, move, depth) for move in moves if move != corner)]
        ).think(rules.start(), playouts=400)
        for depth in (1, 2)
    )
    assert set(shallow.visits) == set(deep.visits) == firsts
    assert shallow.principal_variation[1] != corner
    assert deep.principal_variation[1] == corner


def test_avoided_moves_are_searched_if_no_others_are_legal(backend: str) -> None:
    rules = gv.parse("pentalath")
    every = [gv.AvoidedMove(gv.WHITE, point, 5) for point in range(len(rules.board))]
    assert len(gv.Thinker(rules, avoided=every).think(rules.start(), playouts=30).visits) == len(rules.board)


@native
def test_a_move_that_wins_may_be_left_out() -> None:
    rules = gv.parse("pentalath")
    position: Any = rules.start()
    for vertex in "A1 A7 B1 C7 C1 E7 D1 G7".split():
        position = rules.play(position, rules.board.point(vertex))
    five = rules.board.point("E1")
    assert gv.Thinker(rules).think(position, playouts=50).proved is True
    found = gv.Thinker(rules, avoided=[gv.AvoidedMove(gv.WHITE, five, 1)]).think(position, playouts=50)
    assert five not in found.visits


@native
def test_a_game_is_not_lost_because_moves_are_left_out() -> None:
    rules = gv.parse("pentalath")
    position: Any = rules.start()
    for vertex in "A1 A7 B1 C7 C1 E7 D1".split():
        position = rules.play(position, rules.board.point(vertex))
    answer = rules.board.point("E1")
    assert gv.Thinker(rules).think(position, playouts=50).action == answer
    found = gv.Thinker(rules, avoided=[gv.AvoidedMove(gv.BLACK, answer, 1)]).think(position, playouts=200)
    assert found.proved is not False


def test_depth_is_counted_from_the_new_root_after_a_move(backend: str) -> None:
    rules = gv.parse("go:size=5")
    center = rules.board.point("C3")
    mind = gv.Thinker(rules, avoided=[gv.AvoidedMove(gv.WHITE, center, 1)])
    start = rules.start()
    assert center in mind.think(start, playouts=300).visits
    after = rules.play(start, rules.board.point("A1"))
    assert center not in mind.think(after, playouts=300).visits
