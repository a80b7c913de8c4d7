"""Search with an evaluator: what it finds, in every game, and what it does when something goes wrong."""

import time
from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.puct_search import LeafTree, PuctSearch
from gtp_variants.rules.traits import DicedRules
from tests.ai.mcts.conftest import IS_NATIVE
from tests.support.evaluators import Arbitrary, Even
from tests.support.specs import EACH, SMALL

GO = gv.parse("go:size=5")

native = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
ONLY_IN_KERNEL: tuple[dict[str, Any], ...] = ({"gumbel": 3}, {"noise": 0.25, "temperature": 1.0}) if IS_NATIVE else ()


def seen(game: gv.Game) -> "gv.Position | gv.View":
    """Return what to search: the position, or the view of the seat to play."""
    rules, position = game.rules, game.position
    return position if rules.is_open else rules.view(game.heard(position.to_play), position.to_play)


def tree_of(thinker: gv.Thinker) -> LeafTree:
    search = thinker._tree
    assert isinstance(search, PuctSearch)
    return search._tree


@pytest.mark.parametrize("spec", [*EACH, *(pytest.param(spec, marks=pytest.mark.slow) for spec in SMALL)])
def test_every_game_is_searched(spec: str) -> None:
    rules = gv.parse(spec)
    for seed, plies in enumerate((0, 7)):
        game = gv.random_game(rules, seed, plies)
        position = game.position
        if rules.is_final(position) or (not rules.is_open and position.to_play == gv.CHANCE):
            continue
        for settings in ({}, *ONLY_IN_KERNEL):
            found = gv.search(rules, seen(game), playouts=12, seed=1, evaluator=Arbitrary(rules), **settings)
            assert found == gv.search(rules, seen(game), playouts=12, seed=1, evaluator=Arbitrary(rules), **settings)
            assert found.playouts == sum(found.visits.values()) == 12
            assert found.action in found.visits
            assert found.principal_variation[0] == found.action
            assert sum(found.values) == pytest.approx(1, abs=1e-4)
            assert sum(found.priors.values()) == pytest.approx(1)
            assert sum(found.policy.values()) == pytest.approx(1)
            assert all(line[0] == move for move, line in found.lines.items())
            assert set(found.lines) == set(found.shares) == {move for move, n in found.visits.items() if n}


def test_a_five_is_found_with_priors_that_know_nothing() -> None:
    rules = gv.parse("pentalath")
    four = [rules.board.point(vertex) for vertex in ("C3", "D3", "E3", "F3")]
    others = [rules.board.point(vertex) for vertex in ("A1", "C1", "E1", "G1")]
    start = rules.start({**dict.fromkeys(four, gv.WHITE), **dict.fromkeys(others, gv.BLACK)})
    found = gv.search(rules, start, playouts=400, seed=1, evaluator=Even(rules))
    assert rules.board.vertex(found.action) in ("B3", "G3")
    # The turn order begins with White, who wins.
    assert found.values[0] > 0.8
    assert found.shares[found.action] == 1
    assert found.lines[found.action] == (found.action,)


@native
def test_the_evaluator_gets_full_batches() -> None:
    even = Even(GO, batch=16)
    gv.search(GO, GO.start(), playouts=100, evaluator=even)
    assert even.asked[0] == 1
    assert max(even.asked) == 16
    few = Even(GO, batch=16)
    gv.search(GO, GO.start(), playouts=100, evaluator=few, batch=4)
    assert max(few.asked) == 4


def test_leaves_are_written_where_the_evaluator_reads_them(backend: str) -> None:
    arrays = []

    class Keeping(Even):
        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            arrays.append((planes, globals, mask, to_play))
            return super().evaluate(planes, globals, mask, to_play)

    gv.search(GO, GO.start(), playouts=40, evaluator=Keeping(GO))
    for first, last in zip(arrays[0], arrays[-1], strict=True):
        assert np.shares_memory(first, last)
        assert last.flags.c_contiguous
    assert [array.dtype for array in arrays[0]] == [np.float32, np.float32, np.bool_, np.int8]


@pytest.mark.parametrize("spec", EACH)
def test_the_evaluator_sees_the_position(spec: str, backend: str) -> None:
    rules = gv.parse(spec)
    encoder = gv.Encoder(rules)
    game = gv.random_game(rules, 5, 6)
    while game.position.to_play == gv.CHANCE:
        game.play(gv.CHANCE, 0)
    position: Any = game.position
    asked = []

    class Curious(Even):
        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            asked.append((planes[0].copy(), globals[0].copy(), mask[0].copy(), to_play[0]))
            return super().evaluate(planes, globals, mask, to_play)

    gv.Thinker(rules, evaluator=Curious(rules, 1)).think(position, playouts=1)
    planes, features, mask, to_play = asked[0]
    expected = encoder.encode(position)
    assert np.array_equal(planes, expected[0])
    assert np.array_equal(features, expected[1])
    assert to_play == position.to_play
    assert {int(action) for action in encoder.actions[mask]} == set(rules.legal(position))


def test_before_the_throw_a_value_is_the_mean_by_odds() -> None:
    rules = gv.parse("aleago:size=5,dice=1d3,star=false")
    centre = rules.board.point("C3")

    class CentreOpen(Even):
        """Black wins where the centre may be played, loses where not: so says one throw in three."""

        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            priors, values = super().evaluate(planes, globals, mask, to_play)
            values[:, 0] = np.where(to_play == gv.BLACK, mask[:, centre], 1 / 3)
            values[:, 1] = 1 - values[:, 0]
            return priors, values

    found = gv.search(rules, rules.start(), playouts=3, evaluator=CentreOpen(rules, 1))
    assert found.values[0] == pytest.approx(1 / 3)
    assert set(found.visits) == {*range(25), gv.PASS}


def test_a_known_draw_counts_for_this_turn_only(backend: str) -> None:
    rules = gv.parse("aleago:size=5,dice=2d3,overflow=reroll,crystal_ball=true")
    assert isinstance(rules, DicedRules)
    position: Any = rules.start()
    while position.to_play == gv.CHANCE:
        position = rules.play(position, rules.actions(position)[0])
    found = gv.search(rules, position, playouts=100, seed=1, evaluator=Arbitrary(rules))
    assert set(found.visits) == set(rules.legal(position))


# -- from move to move -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=2d2", "pentalath:players=3", "alter-igo:size=4"])
def test_results_are_kept_from_move_to_move(spec: str, backend: str) -> None:
    rules = gv.parse(spec)
    thinker = gv.Thinker(rules, evaluator=Even(rules))
    position: Any = rules.start()
    kept = 0
    for ply in range(4):
        while position.to_play == gv.CHANCE:
            position = rules.play(position, rules.actions(position)[ply % 4])
        found = thinker.think(position, playouts=40)
        kept += sum(found.visits.values()) > 40
        fresh = gv.search(rules, position, playouts=1, evaluator=Even(rules))
        assert found.visits.keys() == fresh.visits.keys()
        position = rules.play(position, found.action)
    assert kept >= (1 if isinstance(rules, DicedRules) else 3)


@native
def test_visits_caused_by_noise_do_not_enter_the_policy() -> None:
    noisy = gv.search(GO, GO.start(), playouts=400, evaluator=Arbitrary(GO, 1), noise=0.9, seed=4)
    visits = {move: count / sum(noisy.visits.values()) for move, count in noisy.visits.items()}
    best = max(visits, key=visits.__getitem__)
    assert max(noisy.policy, key=noisy.policy.__getitem__) == best
    # What is left of each, beside the best: less or as much.
    kept = {move: share / noisy.policy[best] * visits[best] for move, share in noisy.policy.items()}
    assert all(kept[move] <= visits[move] + 1e-9 for move in visits)
    assert sum(kept.values()) < 0.9
    # The number of visits at which its bonus makes up for what it is worth less.
    total = sum(noisy.visits.values())

    def value(move: int) -> float:
        return 2 * noisy.shares[move] - 1

    def bonus(move: int, visits: float) -> float:
        return 1.3 * sqrt(total) * noisy.priors[move] / (1 + visits)

    highest = value(best) + bonus(best, noisy.visits[best])
    cut = [move for move in visits if kept[move] < visits[move] - 1e-9 and kept[move] > 1e-9]
    assert cut
    for move in cut:
        assert value(move) + bonus(move, kept[move] * total) == pytest.approx(highest)
    quiet = gv.search(GO, GO.start(), playouts=400, evaluator=Arbitrary(GO, 1), seed=3)
    total = sum(quiet.visits.values())
    assert quiet.policy == {move: count / total for move, count in quiet.visits.items()}


@native
def test_noise_starts_a_new_tree_with_the_evaluators_priors() -> None:
    thinker = gv.Thinker(GO, evaluator=Even(GO), noise=0.5, playouts=50)
    first = thinker.think(GO.start())
    assert all(prior == pytest.approx(1 / 26) for prior in first.priors.values())
    assert first.visits != gv.search(GO, GO.start(), playouts=50, evaluator=Even(GO)).visits
    assert sum(thinker.think(GO.play(GO.start(), first.action)).visits.values()) == 50


@native
@pytest.mark.parametrize("weight", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_move_has_the_highest_lower_bound(weight: float, seed: int) -> None:
    position = gv.random_game(GO, seed, 6).position
    found = gv.search(
        GO, position, playouts=150, seed=seed, evaluator=Arbitrary(GO, 1), lcb_weight=weight, score_weight=0.0
    )
    most = max(found.visits.values())
    if weight == 0:
        assert found.visits[found.action] == most
        return
    bounds = {
        move: share - weight / sqrt(found.visits[move])
        for move, share in found.shares.items()
        if found.visits[move] >= most / 10
    }
    assert bounds[found.action] == max(bounds.values())


@native
def test_a_bound_may_choose_another_move_than_visits() -> None:
    chosen = set()
    for seed in range(30):
        position = gv.random_game(GO, seed, 6).position
        search = partial(gv.search, GO, position, playouts=150, evaluator=Arbitrary(GO, 1), seed=seed)
        chosen.add(search(lcb_weight=0.1).action == search(lcb_weight=0.0).action)
    assert chosen == {False, True}


@native
def test_a_temperature_draws_the_move_by_visits() -> None:
    settings: Any = {"playouts": 40, "evaluator": Even(GO), "temperature": 1.0}
    chosen = {gv.search(GO, GO.start(), seed=seed, **settings).action for seed in range(10)}
    assert len(chosen) > 5
    cold = {gv.search(GO, GO.start(), seed=seed, **{**settings, "temperature": 0.0}).action for seed in range(5)}
    assert len(cold) == 1


@native
@pytest.mark.parametrize(("moves", "playouts", "visits"), [(4, 16, [6, 6, 2, 2]), (2, 8, [4, 4]), (1, 5, [5])])
def test_gumbel_halves_the_moves(moves: int, playouts: int, visits: list[int]) -> None:
    found = gv.search(GO, GO.start(), playouts=playouts, seed=3, evaluator=Arbitrary(GO, 1), gumbel=moves)
    assert sorted(filter(None, found.visits.values()), reverse=True) == visits
    drawn = {
        gv.search(GO, GO.start(), playouts=playouts, seed=seed, evaluator=Arbitrary(GO, 1), gumbel=moves).action
        for seed in range(8)
    }
    assert len(drawn) > 3
    plain = gv.search(GO, GO.start(), playouts=4, evaluator=Arbitrary(GO, 1), gumbel=4, gumbel_noise=False)
    assert min(plain.priors[move] for move in plain.lines) >= max(
        prior for move, prior in plain.priors.items() if move not in plain.lines
    )


@native
def test_values_improve_the_priors() -> None:
    """A Gumbel search's policy raises good moves and lowers the others."""

    class NoCorner(Even):
        """Whoever has a stone on A1 loses."""

        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            priors, values = super().evaluate(planes, globals, mask, to_play)
            has_moved = np.where(to_play == gv.WHITE, ~mask[:, 0], False)
            values[:, 0] = np.where(has_moved, 0, 0.5)
            values[:, 1] = 1 - values[:, 0]
            return priors, values

    found = gv.search(GO, GO.start(), playouts=26, evaluator=NoCorner(GO, 1), gumbel=26)
    assert found.policy[0] == min(found.policy.values()) < 0.1 * found.policy[12]


@native
def test_the_tree_grows_alike_with_an_evaluator_in_the_kernel() -> None:
    from gtp_variants.ai.mcts.kernel_puct import KernelPuctTree
    from gtp_variants.ai.mcts.settings import PuctSettings

    tree = KernelPuctTree(GO, GO.start(), PuctSettings(), ())
    tree._tree.search_evenly(8, 300)
    alone = gv.search(GO, GO.start(), playouts=300, evaluator=Even(GO, 8))
    assert tree.result() == alone


# -- limits ------------------------------------------------------------------------------------------------------------


def test_it_ends_in_time() -> None:
    begun = time.monotonic()
    assert gv.search(GO, GO.start(), seconds=0.05, evaluator=Even(GO)).playouts > 0
    assert time.monotonic() - begun < 60


def test_it_ends_when_it_is_told_to() -> None:
    shown: list[gv.SearchResult] = []

    def report(so_far: Callable[[], gv.SearchResult]) -> bool:
        shown.append(so_far())
        return len(shown) < 3

    found = gv.search(GO, GO.start(), seconds=600, evaluator=Even(GO), on_progress=report)
    assert 0 < shown[0].playouts < shown[2].playouts <= found.playouts
    hidden = gv.parse("phantom:size=5")
    found = gv.search(
        hidden, seen(gv.Game(hidden)), seconds=600, evaluator=Even(hidden), on_progress=lambda so_far: False
    )
    assert found.playouts > 0


def test_it_ends_once_nothing_can_change() -> None:
    rules = gv.parse("pentalath")
    stones = {rules.board.point(vertex): gv.WHITE for vertex in ("C3", "D3", "E3", "F3")}
    start = rules.start(stones | {rules.board.point("B3"): gv.BLACK})
    found = gv.search(rules, start, playouts=1000, stop_early=True, evaluator=Even(rules))
    assert found.playouts < 900


def test_a_game_that_is_over_has_no_moves() -> None:
    ended: Any = GO.start()
    for _ in range(3):
        ended = GO.play(ended, gv.PASS)
    assert GO.is_final(ended)
    found = gv.search(GO, ended, playouts=10, evaluator=Even(GO))
    assert (found.action, found.visits, found.playouts) == (gv.PASS, {}, 0)


def test_a_move_is_found_after_a_provisional_end(backend: str) -> None:
    ended: Any = GO.play(GO.play(GO.start(), gv.PASS), gv.PASS)
    assert GO.is_suspended(ended)
    found = gv.search(GO, ended, playouts=30, evaluator=Even(GO))
    assert len(found.visits) == 26
    diced = gv.parse("aleago:size=5,dice=1d3")
    suspended: Any = diced.start()
    for action in (0, gv.PASS, 0, gv.PASS):
        suspended = diced.play(suspended, action)
    assert diced.is_suspended(suspended)
    assert gv.search(diced, suspended, playouts=30, evaluator=Even(diced)).playouts == 30


def test_a_single_legal_move_is_searched_unless_only_the_move_is_wanted(backend: str) -> None:
    rules = gv.parse("go:size=1,komi=0.5")
    found = gv.search(rules, rules.start(), playouts=1000, evaluator=Even(rules))
    assert (found.action, found.playouts) == (gv.PASS, 1000)
    # It is White's by the komi.
    assert found.values[1] > 0.9
    hurried = gv.search(rules, rules.start(), playouts=1000, stop_early=True, evaluator=Even(rules))
    assert hurried.action == gv.PASS
    assert 64 <= hurried.playouts < 80


def test_avoided_moves_are_left_out(backend: str) -> None:
    avoided = [gv.AvoidedMove(*each) for each in ((gv.BLACK, 12, 1), (gv.BLACK, gv.PASS, 9), (gv.WHITE, 0, 2))]
    found = gv.search(GO, GO.start(), playouts=200, evaluator=Even(GO), avoided=avoided)
    assert set(range(25)) - {12} == set(found.visits)
    assert all(line[1:2] != (0,) for line in found.lines.values())
    every = [gv.AvoidedMove(gv.BLACK, move, 1) for move in range(-1, 25)]
    assert len(gv.search(GO, GO.start(), playouts=30, evaluator=Even(GO), avoided=every).visits) == 26


@pytest.mark.parametrize("gone", [gv.BLACK, gv.WHITE, gv.RED])
def test_a_player_who_left_gets_no_share(gone: int, backend: str) -> None:
    rules = gv.parse("pentalath:players=3")
    game = gv.random_game(rules, 4, 9)
    game.play(gone, gv.RESIGN)
    found = gv.search(rules, game, playouts=60, seed=3, evaluator=Arbitrary(rules, 6))
    assert found.values[rules.colours.index(gone)] == 0
    assert sum(found.values) == pytest.approx(1)


@native
@pytest.mark.parametrize("gone", [gv.BLACK, gv.WHITE, gv.RED])
def test_network_values_give_no_share_to_a_player_who_left(gone: int) -> None:
    rules = gv.parse("pentalath:players=3")
    game = gv.random_game(rules, 4, 9)
    game.play(gone, gv.RESIGN)
    judged = gv.search(rules, game, playouts=60, seed=3, network="auto")
    assert judged.values[rules.colours.index(gone)] == 0


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5", "pentalath"])
def test_nodes_make_room_when_memory_is_short(spec: str, backend: str) -> None:
    rules = gv.parse(spec)
    thinker = gv.Thinker(rules, 1, [], Arbitrary(rules), memory_mb=1)
    position = gv.random_game(rules, 4, 9).position
    for _ in range(3):
        while position.to_play == gv.CHANCE:
            position = rules.play(position, min(rules.actions(position)))
        # The memory holds about nine hundred nodes.
        found = thinker.think(position, playouts=1200)
        assert found.playouts == 1200
        assert sum(found.visits.values()) >= 1200
        position = rules.play(position, found.action)


# -- hidden stones -----------------------------------------------------------------------------------------------------


@native
def test_worlds_share_the_batches() -> None:
    rules = gv.parse("phantom:size=5")
    game = gv.random_game(rules, seed=4, plies=9)
    even = Even(rules, 64)
    found = gv.search(rules, seen(game), playouts=480, seed=1, evaluator=even)
    assert found.playouts == 480
    assert 1 < even.asked[0] <= 24
    assert max(even.asked) > 40
    assert found.action in rules.view(game.heard(game.position.to_play), game.position.to_play).actions


def test_two_games_that_sound_alike_are_searched_alike() -> None:
    rules = gv.parse("phantom:size=5")
    games = [gv.Game(rules), gv.Game(rules)]
    for game, hidden in zip(games, ("A1", "E5"), strict=True):
        game.play(gv.BLACK, rules.board.point("C3"))
        game.play(gv.WHITE, rules.board.point(hidden))
    one, other = (gv.search(rules, seen(game), playouts=60, seed=3, evaluator=Arbitrary(rules)) for game in games)
    assert one == other


# -- evaluators that fail ----------------------------------------------------------------------------------------------


class Failing(Arbitrary):
    """Raises at the third question, and only then."""

    def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
        answer = super().evaluate(planes, globals, mask, to_play)
        if len(self.asked) == 3:
            raise LookupError("no more memory")
        return answer


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=1d3"])
def test_an_evaluators_error_is_raised_and_the_tree_stays_usable(spec: str, backend: str) -> None:
    rules = gv.parse(spec)
    thinker = gv.Thinker(rules, evaluator=Failing(rules, 4))
    with pytest.raises(LookupError, match="no more memory"):
        thinker.think(rules.start(), playouts=50)
    tree = tree_of(thinker)
    done = sum(tree.result().visits.values())
    found = thinker.think(rules.start(), playouts=50)
    assert sum(found.visits.values()) == 50 + done
    whole = gv.search(rules, rules.start(), playouts=50 + done, evaluator=Arbitrary(rules, 4))
    assert found.values == pytest.approx(whole.values, abs=0.1)


def test_an_invalid_answer_of_the_evaluator_ends_the_search() -> None:
    class Silent(Even):
        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            return None

    with pytest.raises(gv.EvaluatorError, match=r"NoneType 'None': expected \(priors, values\)"):
        gv.search(GO, GO.start(), playouts=5, evaluator=Silent(GO))


def test_wrong_settings_are_reported() -> None:
    with pytest.raises(gv.ConfigError, match=r"rave: unknown setting, expected one of .* exploration"):
        gv.search(GO, GO.start(), playouts=5, evaluator=Even(GO), rave=True)
    with pytest.raises(gv.ConfigError, match=r"noise=2: expected 0 to 1"):
        gv.search(GO, GO.start(), playouts=5, evaluator=Even(GO), noise=2)
    with pytest.raises(gv.ConfigError, match=r"evaluator.batch=0: expected a whole number, 1 or more"):
        gv.search(GO, GO.start(), playouts=5, evaluator=Even(GO, 0))
    with pytest.raises(gv.ConfigError, match="gumbel: expected a limit of playouts"):
        gv.search(GO, GO.start(), seconds=1, evaluator=Even(GO), gumbel=4)
    with pytest.raises(gv.ConfigError, match="expected at least one limit"):
        gv.search(GO, GO.start(), evaluator=Even(GO))


# -- on the others' time -----------------------------------------------------------------------------------------------


def test_pondering_makes_the_tree_larger(backend: str) -> None:
    even = Even(GO)
    thinker = gv.Thinker(GO, evaluator=even)
    thinker.ponder(GO.start())
    deadline = time.monotonic() + 60
    while len(even.asked) < 25:
        assert time.monotonic() < deadline
        assert thinker.is_pondering
    thinker.stop()
    assert not thinker.is_pondering
    assert sum(thinker.think(GO.start(), playouts=1).visits.values()) > 20


def test_an_error_while_pondering_is_raised_by_the_next_search(backend: str) -> None:
    failing = Failing(GO)
    thinker = gv.Thinker(GO, evaluator=failing)
    thinker.ponder(GO.start())
    deadline = time.monotonic() + 60
    while thinker.is_pondering:
        assert time.monotonic() < deadline
    with pytest.raises(LookupError):
        thinker.think(GO.start(), playouts=5)
    assert thinker.think(GO.start(), playouts=5).playouts == 5


# -- more than priors and values ---------------------------------------------------------------------------------------


def test_owners_and_score_are_means() -> None:
    class Scoring(Even):
        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            owners = np.where(mask[:, :25], 0, 1)
            return *super().evaluate(planes, globals, mask, to_play), {"ownership": owners, "score": owners.sum(axis=1)}

    found = gv.search(GO, GO.start(), playouts=100, evaluator=Scoring(GO))
    assert len(found.ownership) == 25
    assert found.score == pytest.approx(sum(found.ownership), rel=1e-4)
    assert found.score is not None
    assert 0.5 < found.score < 5
    none = gv.search(GO, GO.start(), playouts=10, evaluator=Even(GO))
    assert (none.ownership, none.score) == ((), None)
