"""The kernel and plain Python play the same playouts and, with `variant=plain`, choose the same moves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")

import gtp_variants as gv
from gtp_variants.ai.kernel import _kernel, states
from gtp_variants.ai.mcts import kernel_calls
from gtp_variants.ai.mcts.kernel_calls import KernelTree
from gtp_variants.ai.mcts.plain.playouts import begin_playout, run_playouts
from gtp_variants.ai.mcts.plain.tree import PlainTree
from gtp_variants.ai.mcts.settings import SearchSettings
from gtp_variants.ai.mcts.tree_search import moves_between
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import CHANCE
from tests.ai.mcts.conftest import choose_backend
from tests.support.specs import ENDLESS, SMALL, two_quick

OPEN = [spec for spec in (*SMALL, *ENDLESS) if gv.parse(spec).is_open]
PLAIN = SearchSettings(playouts=36, variant="plain")
SETTINGS = (
    PLAIN,
    replace(PLAIN, rave=False, exploration=0.5, even=0.0, expand_at=1),
    replace(PLAIN, playouts=60, stop_early=True, even=3.0),
    replace(PLAIN, equivalence=50.0, memory_mb=0.002),
    replace(PLAIN, dice_aware=False),
)


def ready(rules: Any, seed: int, plies: int) -> Any:
    """A position of a random game in which a player is to move, or that is over."""
    position = gv.random_game(rules, seed, plies).position
    while position.to_play == CHANCE and not rules.is_final(position):
        position = rules.play(position, 0)
    return position


def both(
    rules: Any, position: Any, settings: SearchSettings, avoided: Sequence[gv.AvoidedMove] = ()
) -> list[gv.SearchResult]:
    return [kind(rules, position, settings, avoided).think(settings) for kind in (PlainTree, KernelTree)]


@pytest.mark.parametrize(
    "spec", two_quick([*SMALL, *ENDLESS, "go:size=9", "rosette:n=3", "aleago:size=9,dice=2d4", "alter-igo:size=7"])
)
def test_playouts(spec: str) -> None:
    rules = gv.parse(spec)
    for seed in range(8):
        # With draws known and unknown.
        position = gv.random_game(rules, seed, 3 * seed).position
        state = states.state_of(rules, position)
        assert kernel_calls.count_playouts(rules, position, 10, 2, 1) == run_playouts(rules, position, 10, 2)
        if rules.outcome(position) is not None:
            continue
        for obliged in (False, True):
            for index in range(4):
                playout = begin_playout(rules, position, obliged=obliged)
                playout.finish(Rng.of_playout(1, index))
                assert playout.record == _kernel.trace(state, 1, index, obliged=obliged)


@pytest.mark.parametrize("spec", two_quick(OPEN))
def test_searches(spec: str) -> None:
    rules = gv.parse(spec)
    for seed in range(2):
        position = ready(rules, seed, 6 * seed)
        if rules.is_final(position):
            continue
        for settings in SETTINGS:
            plain, native = both(rules, position, replace(settings, seed=seed))
            assert plain == native
        points = len(rules.board)
        avoided = [
            gv.AvoidedMove(colour, move, 1 + move % 4)
            for colour in rules.colours
            for move in range(-1, points, 2 + colour)
        ]
        plain, native = both(rules, position, replace(PLAIN, seed=seed), avoided)
        assert plain == native


@pytest.mark.parametrize("repetition", ["simple", "psk", "ssk", "nssk"])
@pytest.mark.parametrize(
    "spec",
    ["go:size=2", "go:size=3", "rosette:n=1", "aleago:size=3,dice=1d2", "aleago:size=3,dice=1d2,fallback_ko=false"],
)
def test_searches_with_repeated_boards_are_equal(spec: str, repetition: str) -> None:
    rules = gv.parse(f"{spec},repetition={repetition}")
    for seed in range(6):
        position = ready(rules, seed, 4 * seed)
        if not rules.is_final(position):
            settings = replace(PLAIN, playouts=150, expand_at=1, seed=seed)
            plain, native = both(rules, position, settings)
            assert plain == native


@pytest.mark.parametrize("spec", two_quick([spec for spec in OPEN if gv.parse(spec).is_scored]))
def test_searches_for_one_chain(spec: str) -> None:
    """With a target nothing counts but whether its stone is kept; a board that comes again loses."""
    rules = gv.parse(spec)
    for seed in range(2):
        position = ready(rules, seed, 12)
        if rules.is_final(position) or not any(position.stones):
            continue
        target = next(point for point, colour in enumerate(position.stones) if colour)
        settings = replace(PLAIN, seed=seed, playouts=80, expand_at=1)
        plain, native = (
            kind(rules, position, settings, (), target).think(settings) for kind in (PlainTree, KernelTree)
        )
        assert plain == native


@pytest.mark.long
@pytest.mark.parametrize("spec", two_quick(OPEN))
@pytest.mark.parametrize("asked", [1, 2, 3])
def test_searches_from_move_to_move(spec: str, asked: int) -> None:
    """Asked before every move, every second one, every third one; in a tree that is soon full."""
    rules: Any = gv.parse(spec)
    settings = replace(PLAIN, playouts=40, expand_at=1, memory_mb=0.02, seed=3)
    position = before = ready(rules, 1, 0)
    trees = [kind(rules, position, settings) for kind in (PlainTree, KernelTree)]
    for turn in range(12):
        if rules.is_final(position):
            return
        move = (*rules.legal(position), -1)[0]
        if turn % asked == 0:
            for tree in trees:
                tree.go_on(position, moves_between(rules, before, position))
            plain, native = (tree.think(settings) for tree in trees)
            assert plain == native
            before, move = position, plain.action
        if move not in rules.legal(position):
            return
        position = rules.play(position, move)
        while position.to_play == CHANCE and not rules.is_final(position):
            throws = rules.actions(position)
            position = rules.play(position, throws[turn % (len(throws) - 1)])


def test_searches_of_hidden_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("phantom:size=5")
    view = rules.view(gv.random_game(rules, seed=4, plies=9).heard(gv.WHITE), gv.WHITE)
    found = []
    for name in ("native", "python"):
        choose_backend(name, monkeypatch)
        found.append(gv.search(rules, view, playouts=60, seed=5, variant="plain"))
    assert found[0] == found[1]


def test_a_full_search_knows_more() -> None:
    rules = gv.parse("pentalath")
    board = rules.board
    stones = {board.point(v): gv.WHITE for v in ("C4", "D4", "E4")} | {board.point(v): gv.BLACK for v in ("A1", "E1")}
    position = rules.start(stones, gv.WHITE)
    full, plain = (gv.search(rules, position, playouts=400, seed=1, variant=each) for each in ("full", "plain"))
    assert full.proved is True
    assert plain.proved is None
    with pytest.raises(gv.ConfigError, match="variant='fast': expected full or plain"):
        gv.search(rules, position, playouts=1, variant="fast")
