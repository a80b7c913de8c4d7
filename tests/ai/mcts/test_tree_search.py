"""A search for a whole game: what it keeps from move to move, and what it must not."""

import gc
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.plain import tree
from gtp_variants.ai.mcts.settings import SearchSettings
from gtp_variants.ai.mcts.tree_search import Thinker, moves_between
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import CHANCE, PASS, SET_DICE, TURN, pack
from gtp_variants.rules.game import Game
from tests.ai.mcts.conftest import IS_NATIVE
from tests.support.specs import ENDLESS, SMALL, two_quick

native = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
OPEN = [spec for spec in (*SMALL, *ENDLESS) if gv.parse(spec).is_open]


def throw(rules: Any, position: Any, rng: random.Random) -> Any:
    """The position with its dice thrown."""
    while position.to_play == CHANCE and not rules.is_final(position):
        position = rules.play(position, rng.choices(rules.actions(position), rules.odds(position))[0])
    return position


def walk(spec: str, seed: int, turns: int, visit: Callable[[Any], int | None]) -> None:
    """A game in which `visit` says the move, or a random one is played where it answers None."""
    rules: Any = gv.parse(spec)
    rng = random.Random(f"{spec} {seed}")
    position = throw(rules, rules.start(), rng)
    for _ in range(turns):
        if rules.is_final(position):
            return
        allowed = rules.legal(position)
        chosen = visit(position)
        if chosen is None or chosen not in allowed:
            if not allowed:
                return
            chosen = rng.choice(allowed)
        position = throw(rules, rules.play(position, chosen), rng)


@pytest.mark.parametrize("more", ["", ",crystal_ball=true", ",free_player=w", ",overflow=pass,dice=2d3"])
def test_before_the_dice_are_thrown_it_looks_at_every_throw(backend: str, more: str) -> None:
    rules: Any = gv.parse("aleago:size=5" + more)
    game = gv.random_game(rules, seed=3, plies=8)
    while game.position.to_play != CHANCE:
        game.undo()
    thinker = Thinker(rules, 2, playouts=80)
    found = thinker.think(game)
    assert found == gv.search(rules, game.position, playouts=80, seed=2)
    assert (found.playouts, sum(found.visits.values())) == (80, 80)
    assert sum(found.values) == pytest.approx(1)
    position, rng = game.position, random.Random(1)
    thrown = [throw(rules, position, rng) for _ in range(60)]
    assert found.action in {move for each in thrown for move in rules.legal(each)}
    # What it found is kept once they are thrown.
    assert thinker.think(thrown[0]).action in rules.legal(thrown[0])


@pytest.mark.parametrize("spec", two_quick(OPEN))
def test_no_move_is_answered_that_may_not_be_played(spec: str) -> None:
    """Small boards, where repetitions abound."""
    rules: Any = gv.parse(spec)
    for seed in range(3 if IS_NATIVE else 1):
        thinker = Thinker(rules, seed, playouts=80, expand_at=1)

        def visit(position: Any, thinker: Thinker = thinker) -> int:
            found = thinker.think(position)
            tried = {move for move, visits in found.visits.items() if visits > 0}
            assert tried <= set(rules.legal(position))
            assert found.action in rules.legal(position) or not found.visits
            return found.action

        walk(spec, seed, 60, visit)


@pytest.mark.parametrize(
    "spec", ["go:size=5", "aleago:size=5,dice=1d2", "alter-igo:size=5", "pentalath", "rosette:n=2"]
)
def test_results_of_a_position_are_kept(backend: str, spec: str) -> None:
    rules: Any = gv.parse(spec)
    rng = random.Random(spec)
    position = throw(rules, rules.start(), rng)
    thinker = Thinker(rules, playouts=400, expand_at=1)
    first = thinker.think(position)
    # The answer that was looked at most, under whatever dice.
    position = throw(rules, rules.play(position, first.action), rng)
    second = thinker.think(position, playouts=1)
    assert sum(second.visits.values()) > 1
    assert second.playouts == 1


def test_a_reply_that_was_thought_of_is_kept_too() -> None:
    rules = gv.parse("go:size=5")
    thinker = Thinker(rules, playouts=1500, expand_at=1)
    first = thinker.think(rules.start())
    position = rules.start()
    for move in first.principal_variation[:2]:
        position = rules.play(position, move)
    assert sum(thinker.think(position, playouts=1).visits.values()) > 10


def test_three_players_move_on_together() -> None:
    rules = gv.parse("pentalath:board=hexhex5,players=3")
    thinker = Thinker(rules, playouts=3000, expand_at=1)
    position = rules.start()
    for move in thinker.think(position).principal_variation[:3]:
        position = rules.play(position, move)
    assert sum(thinker.think(position, playouts=1).visits.values()) > 1


def seen(rules: Any, before: Any, after: Any) -> int:
    """Visits of all moves after a search of `before` and one playout of `after`."""
    thinker = Thinker(rules, playouts=600, expand_at=1)
    thinker.think(before)
    return sum(thinker.think(after, playouts=1).visits.values())


def test_the_tree_is_dropped_if_the_game_did_not_continue_from_it() -> None:
    rules: Any = gv.parse("go:size=5")
    start = rules.start()
    point = Thinker(rules, playouts=300).think(start).action
    one = rules.play(start, point)
    assert seen(rules, start, one) > 1
    assert seen(rules, one, start) == 1, "taken back"
    assert seen(rules, start, rules.start({0: gv.WHITE, 4: gv.BLACK})) == 1, "another setup"
    assert seen(rules, start, rules.play(start, TURN, gv.WHITE)) == 1, "somebody else begins"
    far = one
    for move in rules.legal(one)[:3]:
        far = rules.play(far, move)
    assert seen(rules, start, far) == 1, "too far ahead"
    dice: Any = gv.parse("aleago:size=5,dice=1d2")
    thrown = dice.play(dice.start(), 0)
    assert seen(dice, thrown, thrown) > 1, "the same position"
    assert seen(dice, thrown, dice.play(dice.start(), 1)) == 1, "moves that were not to be had"
    other = dice.play(dice.play(thrown, pack(SET_DICE, 1003)), 0)
    assert seen(dice, thrown, other) == 1, "other dice"


def test_results_before_the_throw_are_kept() -> None:
    rules: Any = gv.parse("aleago:size=5,dice=1d2")
    thinker = Thinker(rules, expand_at=1)
    for face in (0, 1):
        thinker.ponder(rules.start())
        deadline = time.monotonic() + 60
        visits = 0
        while visits < 20:
            assert time.monotonic() < deadline
            time.sleep(0.01)
            found = thinker.think(rules.play(rules.start(), face), playouts=1)
            visits = sum(found.visits.values())
            thinker.ponder(rules.start())
        tried = {move for move, count in found.visits.items() if count}
        assert tried <= set(rules.actions(rules.play(rules.start(), face)))
    thinker.stop()


def test_under_the_crystal_ball_it_starts_again() -> None:
    """Results for all throws mislead once the next throw is known."""
    rules: Any = gv.parse("aleago:size=5,dice=1d2,crystal_ball=true")
    position = throw(rules, rules.start(), random.Random(1))
    after = throw(rules, rules.play(position, rules.actions(position)[0]), random.Random(1))
    assert seen(rules, position, after) == 1


def test_the_moves_between_two_positions_are_found() -> None:
    """A stone that the next move took off, a pass, dice that nobody told."""
    rules: Any = gv.parse("go:size=3")
    board = rules.board
    position = rules.start({board.point("B1"): gv.WHITE, board.point("A3"): gv.BLACK}, gv.BLACK)
    moves = [board.point("A1"), board.point("A2")]
    after = position
    for move in moves:
        after = rules.play(after, move)
    assert after.captured == (board.point("A1"),)
    assert moves_between(rules, position, after) == moves
    assert moves_between(rules, position, rules.play(rules.play(position, PASS), PASS)) == [PASS, PASS]
    assert moves_between(rules, after, position) is None
    assert moves_between(rules, position, position) == []
    dice: Any = gv.parse("aleago:size=5,dice=1d3")
    before = dice.play(dice.start(), 0)
    played = dice.play(before, dice.actions(before)[0])
    assert moves_between(dice, before, played) == [dice.actions(before)[0]]
    replied = dice.play(dice.play(played, 2), board_centre := dice.board.point("C3"))
    assert moves_between(dice, before, dice.play(replied, 1)) == [dice.actions(before)[0], board_centre]


def test_a_game_that_is_over_has_no_moves() -> None:
    rules = gv.parse("go:size=5")
    thinker = Thinker(rules, playouts=10)
    game = Game(rules)
    thinker.think(game)
    game.play(gv.BLACK, gv.RESIGN)
    assert thinker.think(game) == gv.SearchResult(PASS, {}, (), (), 0, 0)
    thinker.ponder(game)
    assert not thinker.is_pondering


def test_wrong_settings_and_limits() -> None:
    rules = gv.parse("go:size=5")
    with pytest.raises(ConfigError, match="memory_mb=0: expected 1 or more"):
        Thinker(rules, memory_mb=0)
    with pytest.raises(ConfigError, match="expected at least one limit"):
        Thinker(rules).think(rules.start())
    with pytest.raises(ConfigError, match="seconds=-1: expected 0 or more"):
        Thinker(rules).think(rules.start(), seconds=-1)
    with pytest.raises(ConfigError, match="rave: unknown limit, expected one of playouts seconds"):
        Thinker(rules, playouts=1).think(rules.start(), rave=False)


@native
@pytest.mark.long
def test_a_small_tree_goes_through_a_long_game() -> None:
    rules = gv.parse("go:size=9")
    thinker = Thinker(rules, playouts=3000, expand_at=1, memory_mb=1)
    kept = 0

    def visit(position: Any) -> int:
        nonlocal kept
        found = thinker.think(position)
        kept += sum(found.visits.values()) > 3000
        return found.action

    walk("go:size=9", 1, 25, visit)
    assert kept > 10


def test_pondering_makes_the_tree_larger_and_ends_when_told(backend: str) -> None:
    rules = gv.parse("go:size=5")
    thinker = Thinker(rules, threads=2)
    threads = threading.active_count()
    thinker.ponder(rules.start())
    deadline = time.monotonic() + 60
    visits = 0
    while visits < 20:
        assert time.monotonic() < deadline
        thinker.ponder(rules.start())
        assert thinker.is_pondering
        time.sleep(0.02)
        thinker.stop()
        assert not thinker.is_pondering
        visits = sum(thinker.think(rules.start(), playouts=1).visits.values())
    assert threading.active_count() == threads


def test_pondering_starts_and_stops_in_any_order(backend: str) -> None:
    rules: Any = gv.parse("aleago:size=5,dice=1d3")
    rng = random.Random(8)
    thinker = Thinker(rules, threads=2)
    position = throw(rules, rules.start(), rng)
    for _ in range(150):
        what = rng.randrange(5)
        if what == 0:
            thinker.stop()
        elif what == 1:
            thinker.ponder(position)
        elif what == 2:
            thinker.think(position, playouts=3)
        elif what == 3:
            # The dice are thrown while it thinks.
            position = rules.play(position, rng.choice(rules.actions(position)))
            thinker.ponder(position)
            position = throw(rules, position, rng)
        else:
            position = throw(rules, rules.start(), rng)
        if rules.is_final(position):
            position = throw(rules, rules.start(), rng)
    thinker.stop()
    assert not thinker.is_pondering


@pytest.mark.slow
def test_pondering_ends_when_its_thinker_is_deleted(backend: str) -> None:
    rules = gv.parse("go:size=9")
    threads = set(threading.enumerate())
    for _ in range(5):
        thinker = Thinker(rules)
        thinker.ponder(rules.start())
        del thinker
    gc.collect()
    for left in set(threading.enumerate()) - threads:
        left.join(60)
        assert not left.is_alive()
    before = time.process_time()
    time.sleep(0.1)
    assert time.process_time() - before < 0.08


@native
def test_pondering_ends_when_the_memory_is_full() -> None:
    rules = gv.parse("go:size=9")
    thinker = Thinker(rules, expand_at=1, memory_mb=1)
    thinker.ponder(rules.start())
    deadline = time.monotonic() + 60
    while thinker.is_pondering:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert sum(thinker.think(rules.start(), playouts=1).visits.values()) > 100


@pytest.mark.long
def test_a_deep_tree_is_given_back() -> None:
    """One move after the other in each node: nothing may go down it by recursion."""
    rules = gv.parse("go:size=3,repetition=none")
    planted = tree.PlainTree(rules, rules.start(), SearchSettings(playouts=1))
    bottom = planted._root
    for _ in range(100_000):
        bottom.nodes[0] = below = tree._Node(3 - bottom.mover, [0], [], False, 0, nodes=[None])
        bottom = below
    planted.go_on(rules.play(rules.start(), planted._root.moves[0]), [planted._root.moves[0]])
    del planted, bottom, below
    gc.collect()
