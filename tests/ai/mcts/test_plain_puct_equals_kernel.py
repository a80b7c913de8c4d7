"""The plain search with an evaluator and the kernel's: the same visits, values, lines and policy, bit for bit."""

from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.rules import Rules
from tests.ai.mcts.conftest import IS_NATIVE, choose_backend
from tests.support.evaluators import Arbitrary
from tests.support.specs import EACH, SMALL

pytestmark = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")

QUICK = [*EACH, SMALL[6]]
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"batch": 1, "virtual_loss": 0.0, "exploration": 2.5},
    {"noise": 0.25, "temperature": 0.7},
    {"gumbel": 5},
    {"lcb_weight": 0.0},
    {"lcb_weight": 0.4},
)


def walk(rules: Rules, seed: int, settings: dict[str, Any]) -> list[SearchResult]:
    """What is found on the way through a game, whose moves a search chooses where it may."""
    found = []
    thinker = gv.Thinker(rules, seed, evaluator=Arbitrary(rules, 6), playouts=12, **settings)
    game = gv.random_game(rules, seed, 3 * seed)
    for ply in range(4):
        position: Any = game.position
        if rules.is_final(position):
            break
        if ply % 3 < 2 or position.to_play != gv.CHANCE:
            found.append(thinker.think(position))
        while game.position.to_play == gv.CHANCE:
            throws = rules.actions(game.position)[:-1]
            game.play(gv.CHANCE, throws[(seed + ply) % len(throws)])
        legal = rules.legal(game.position)
        action = found[-1].action if found and found[-1].action in legal else legal[0]
        game.play(game.position.to_play, action)
    return found


@pytest.mark.parametrize(
    "spec", [*QUICK, *(pytest.param(spec, marks=pytest.mark.slow) for spec in SMALL if spec not in QUICK)]
)
def test_both_find_the_same(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse(spec)
    for seed, settings in enumerate(SETTINGS):
        found = []
        for backend in ("python", "native"):
            choose_backend(backend, monkeypatch)
            found.append(walk(rules, seed, settings))
        assert found[0] == found[1]


@pytest.mark.parametrize("gone", [gv.BLACK, gv.WHITE, gv.RED])
def test_who_has_left_the_game_wins_nothing(gone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("pentalath:players=3")
    game = gv.random_game(rules, 4, 9)
    game.play(gone, gv.RESIGN)
    found = []
    for backend in ("python", "native"):
        choose_backend(backend, monkeypatch)
        found.append(gv.search(rules, game, playouts=60, seed=3, evaluator=Arbitrary(rules, 6)))
    assert found[0] == found[1]
    assert found[0].values[rules.colours.index(gone)] == 0
    assert sum(found[0].values) == pytest.approx(1)
    monkeypatch.undo()
    judged = gv.search(rules, game, playouts=60, seed=3, network="auto")
    assert judged.values[rules.colours.index(gone)] == 0


def test_both_look_into_the_same_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("phantom:size=5")
    game = gv.random_game(rules, 4, 9)
    view = rules.view(game.heard(game.position.to_play), game.position.to_play)
    found = []
    for backend in ("python", "native"):
        choose_backend(backend, monkeypatch)
        found.append(gv.search(rules, view, playouts=120, seed=3, evaluator=Arbitrary(rules, 16)))
    assert found[0] == found[1]


def test_avoided_moves_and_nodes_that_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("go:size=5")
    found = []
    for backend in ("python", "native"):
        choose_backend(backend, monkeypatch)
        avoided = [gv.AvoidedMove(gv.BLACK, 12, 1), gv.AvoidedMove(gv.WHITE, 12, 4)]
        thinker = gv.Thinker(rules, 1, avoided, Arbitrary(rules), memory_mb=1)
        found.append(thinker.think(rules.start(), playouts=1500))
    assert found[0] == found[1]
    # The memory holds about nine hundred nodes.
    assert found[0].playouts == 1500


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5", "pentalath"])
def test_both_keep_the_same_nodes_from_move_to_move_when_memory_is_short(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = gv.parse(spec)
    found = []
    for backend in ("python", "native"):
        choose_backend(backend, monkeypatch)
        thinker = gv.Thinker(rules, 1, [], Arbitrary(rules), memory_mb=1)
        position = gv.random_game(rules, 4, 9).position
        for _ in range(4):
            while position.to_play == CHANCE:
                position = rules.play(position, min(rules.actions(position)))
            found.append(thinker.think(position, playouts=900))
            position = rules.play(position, found[-1].action)
    assert found[:4] == found[4:]


def test_without_python_the_tree_grows_alike() -> None:
    from gtp_variants.ai.mcts.kernel_puct import KernelPuctTree
    from gtp_variants.ai.mcts.settings import PuctSettings
    from tests.support.evaluators import Even

    rules = gv.parse("go:size=5")
    tree = KernelPuctTree(rules, rules.start(), PuctSettings(), ())
    tree._tree.search_evenly(8, 300)
    alone = gv.search(rules, rules.start(), playouts=300, evaluator=Even(rules, 8))
    assert tree.result() == alone
