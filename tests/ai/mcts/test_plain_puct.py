"""The plain search with an evaluator: what it finds by values, what it refuses, and that the kernel visits the same."""

from dataclasses import replace
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.rules.rules import Rules
from tests.ai.mcts.conftest import IS_NATIVE, choose_backend
from tests.support.evaluators import Arbitrary, Even
from tests.support.specs import EACH, SMALL

GO = gv.parse("go:size=5")
# What the kernel does not do that the plain search does not know, one leaf at a time.
AS_PLAIN: dict[str, Any] = {"batch": 1, "lcb_weight": 0.0, "tactics": False, "proofs": False}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_backend("python", monkeypatch)


class Liking(Even):
    """Gives one move most of the prior where it is legal, and one colour a fixed share of every position."""

    def __init__(self, rules: Rules, move: int, share: float = 0.5) -> None:
        super().__init__(rules)
        self.index = [int(action) for action in gv.Encoder(rules).actions].index(move)
        self.share = share

    def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
        priors, values = super().evaluate(planes, globals, mask, to_play)
        priors[:, self.index] = 100
        values[:, 0], values[:, 1] = self.share, 1 - self.share
        return priors, values


def test_visits_follow_priors_where_values_are_even() -> None:
    found = gv.search(GO, GO.start(), playouts=200, evaluator=Liking(GO, 7), fpu_reduction=0.0)
    assert found.priors[7] == pytest.approx(100 / 125)
    assert found.action == 7
    assert found.visits[7] / 200 == pytest.approx(0.8, abs=0.1)
    even = gv.search(GO, GO.start(), playouts=260, evaluator=Even(GO))
    assert max(even.visits.values()) - min(even.visits.values()) <= 2


@pytest.mark.parametrize("to_play", [gv.BLACK, gv.WHITE])
def test_values_are_ordered_by_colour_for_either_side_to_play(to_play: int) -> None:
    position = GO.start() if to_play == gv.BLACK else GO.play(GO.start(), 12)
    found = gv.search(GO, position, playouts=50, evaluator=Liking(GO, 7, share=0.7))
    assert found.values == pytest.approx((0.7, 0.3), abs=1e-6)
    assert found.shares[7] == pytest.approx(0.7 if to_play == gv.BLACK else 0.3, abs=1e-6)


@pytest.mark.parametrize("to_play", [gv.WHITE, gv.BLACK])
def test_a_winning_move_is_found_for_either_side(to_play: int) -> None:
    rules = gv.parse("pentalath")
    four = [rules.board.point(vertex) for vertex in ("C3", "D3", "E3", "F3")]
    far = [rules.board.point(vertex) for vertex in ("A1", "C1", "E1", "G1")]
    other = gv.BLACK if to_play == gv.WHITE else gv.WHITE
    start = rules.start({**dict.fromkeys(four, to_play), **dict.fromkeys(far, other)}, to_play)
    found = gv.search(rules, start, playouts=400, evaluator=Even(rules))
    assert rules.board.vertex(found.action) in ("B3", "G3")
    assert found.shares[found.action] == 1
    assert found.values[rules.colours.index(to_play)] > 0.8


@pytest.mark.slow
def test_a_move_that_wins_for_the_other_is_prevented() -> None:
    rules = gv.parse("pentalath")
    white = [rules.board.point(vertex) for vertex in ("C3", "D3", "E3", "F3")]
    black = [rules.board.point(vertex) for vertex in ("B3", "A1", "C1", "E1")]
    start = rules.start({**dict.fromkeys(white, gv.WHITE), **dict.fromkeys(black, gv.BLACK)}, gv.BLACK)
    found = gv.search(rules, start, playouts=9000, evaluator=Liking(rules, rules.board.point("G3")))
    assert rules.board.vertex(found.action) == "G3"
    assert found.shares[found.action] > max(share for move, share in found.shares.items() if move != found.action)


def test_a_value_before_the_dice_is_the_mean_over_throws_by_their_odds() -> None:
    rules = gv.parse("aleago:size=5,dice=2d2")

    class Counting(Even):
        """White's share is the share of the board's moves that may be played."""

        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            priors, values = super().evaluate(planes, globals, mask, to_play)
            values[:, 1] = mask.sum(axis=1) / 26
            values[:, 0] = 1 - values[:, 1]
            return priors, values

    position = rules.start()
    expected, counts = 0.0, set()
    for throw, odds in zip(rules.actions(position), rules.odds(position), strict=True):
        count = len(rules.legal(rules.play(position, throw)))
        expected += odds * count / 26
        counts.add(count)
    assert len(counts) > 1
    found = gv.search(rules, position, playouts=400, evaluator=Counting(rules))
    # Stones that playouts place leave a little less.
    assert found.values[1] == pytest.approx(expected, abs=0.05)


def test_playouts_end_at_the_requested_count() -> None:
    for playouts in (1, 7, 64):
        even = Even(GO)
        found = gv.search(GO, GO.start(), playouts=playouts, evaluator=even)
        assert found.playouts == sum(found.visits.values()) == playouts
        assert even.asked == [1] * (playouts + 1)


def test_noise_temperature_and_gumbel_are_refused_together() -> None:
    with pytest.raises(gv.ConfigError, match="only the kernel knows this setting") as caught:
        gv.search(GO, GO.start(), playouts=5, evaluator=Even(GO), noise=0.2, temperature=1.0, gumbel=4)
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["noise", "temperature", "gumbel"]


@pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
@pytest.mark.parametrize(
    "spec", [*EACH, *(pytest.param(spec, marks=pytest.mark.slow) for spec in SMALL if spec not in EACH)]
)
def test_the_kernel_visits_the_same_one_leaf_at_a_time(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse(spec)
    for seed, plies in ((1, 0), (2, 5), (3, 12)):
        game = gv.random_game(rules, seed, plies)
        at: Any = game.position
        if rules.is_final(at) or (not rules.is_open and at.to_play == gv.CHANCE):
            continue
        before_throw = at.to_play == gv.CHANCE
        if not rules.is_open:
            at = rules.view(game.heard(at.to_play), at.to_play)
        found: list[SearchResult] = []
        for backend in ("native", "python"):
            choose_backend(backend, monkeypatch)
            found.append(gv.search(rules, at, playouts=60, seed=1, evaluator=Arbitrary(rules), **AS_PLAIN))
        native, plain = found
        if before_throw:
            # Of moves visited equally under all throws together, any may be named.
            assert plain.visits[plain.action] == native.visits[native.action]
            plain = replace(plain, action=native.action, principal_variation=native.principal_variation)
        assert plain == native


@pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=2d2", "pentalath:players=3"])
def test_the_kernel_keeps_the_same_from_move_to_move(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse(spec)
    found: list[list[SearchResult]] = []
    for backend in ("native", "python"):
        choose_backend(backend, monkeypatch)
        thinker = gv.Thinker(rules, 1, evaluator=Arbitrary(rules), playouts=60, **AS_PLAIN)
        position: Any = rules.start()
        found.append([])
        for ply in range(5):
            while position.to_play == gv.CHANCE:
                position = rules.play(position, rules.actions(position)[ply % 3])
            found[-1].append(thinker.think(position))
            position = rules.play(position, found[-1][-1].action)
    assert found[0] == found[1]
    assert any(sum(each.visits.values()) > 60 for each in found[1])
