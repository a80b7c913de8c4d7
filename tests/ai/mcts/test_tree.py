"""Tree search: what it must find, and what it must refuse."""

import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.plain import tree
from gtp_variants.ai.mcts.search import search
from gtp_variants.ai.mcts.settings import SearchSettings
from gtp_variants.errors import ConfigError, GameOver
from gtp_variants.players.bots import load
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN, TURN
from gtp_variants.rules.game import Game, random_game
from tests.ai.mcts.conftest import IS_NATIVE
from tests.support.specs import ENDLESS, SMALL, two_quick

native = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
OPEN = [spec for spec in (*SMALL, *ENDLESS) if gv.parse(spec).is_open]


def ready(spec: str, seed: int, plies: int) -> tuple[Any, Any]:
    """Rules and a position of a random game in which a player is to move."""
    rules = gv.parse(spec)
    game = random_game(rules, seed, plies)
    position = game.position
    while position.to_play == CHANCE and not rules.is_final(position):
        position = rules.play(position, 0)
    return rules, position


@pytest.mark.parametrize("spec", two_quick(OPEN))
def test_a_search_chooses_what_may_be_played(spec: str) -> None:
    for seed in range(3):
        rules, position = ready(spec, seed, 5 * seed)
        if rules.is_final(position):
            continue
        found = search(rules, position, playouts=40, seed=seed)
        allowed = set(rules.actions(position))
        # Where every move loses, or only eyes are left, there may be none that the tree holds.
        assert found.action in allowed or found.action == PASS
        assert sum(found.visits.values()) <= found.playouts
        assert found.playouts == 0 or sum(found.values) == pytest.approx(1)


@pytest.mark.parametrize("repetition", ["psk", "ssk", "nssk"])
def test_no_line_of_a_tree_makes_a_board_that_may_not_come_again(backend: str, repetition: str) -> None:
    for size, plies in ((2, 0), (2, 5), (3, 0), (3, 10)):
        rules, position = ready(f"go:size={size},repetition={repetition}", 1, plies)
        found = search(rules, position, playouts=400, seed=1, variant="plain", expand_at=1)
        for line in found.lines.values():
            after = position
            for move in line:
                after = rules.play(after, move)


def test_a_chain_of_alter_igo_may_take_its_own_last_liberty() -> None:
    rules = gv.parse("alter-igo:size=3")
    board = rules.board
    black = dict.fromkeys([board.point("A1"), board.point("A2")], gv.BLACK)
    white = dict.fromkeys([board.point(vertex) for vertex in ("B1", "B2", "B3")], gv.WHITE)
    found = search(rules, rules.start({**black, **white}, gv.BLACK), playouts=100)
    assert board.point("A3") in found.visits


@pytest.mark.parametrize("agreement", ["true", "false"])
def test_the_second_passer_must_play(agreement: str) -> None:
    """Only White's eye in the middle is open, and the edge is empty."""
    rules = gv.parse(f"aleago:size=5,dice=1d3,agreement={agreement}")
    ring = [rules.board.point(vertex) for vertex in ("B2", "B3", "B4", "C2", "C4", "D2", "D3", "D4")]
    black_first = rules.start(dict.fromkeys(ring, gv.WHITE), gv.BLACK)
    passed = rules.play(rules.play(black_first, 0), PASS)
    position = rules.play(passed, 2)
    assert search(rules, position, playouts=50).action == rules.board.point("C3")
    # The first to pass is free to do so, and nobody fills an eye then.
    white_first = rules.play(rules.start(dict.fromkeys(ring, gv.WHITE), gv.WHITE), 2)
    found = search(rules, white_first, playouts=50)
    assert found.action == PASS
    assert rules.board.point("C3") not in found.visits


def test_nobody_has_to_play_where_nothing_is_left() -> None:
    """All that is empty are White's eyes: White may pass second, under whatever throw."""
    rules = gv.parse("aleago:size=3,dice=1d2,komi=0")
    board = rules.board
    stones = {point: gv.WHITE for point in range(9) if board.vertex(point) not in ("A1", "C3")}
    passed = rules.play(rules.play(rules.start(stones, gv.BLACK), 0), PASS)
    found = search(rules, rules.play(passed, 0), playouts=50)
    assert found.action == PASS
    assert set(found.visits) == {PASS}


def open_four(to_play: int) -> tuple[Any, Any]:
    """Pentalath: White has four in a row with both ends open."""
    rules = gv.parse("pentalath")
    board = rules.board
    four = {board.point(f"{column}4"): gv.WHITE for column in "BCDE"}
    others = {board.point(vertex): gv.BLACK for vertex in ("A1", "C1", "E1", "G1")}
    return rules, rules.start({**four, **others}, to_play)


@native
@pytest.mark.parametrize("threads", [1, 4])
def test_a_five_is_found_and_proved(threads: int) -> None:
    rules, position = open_four(gv.WHITE)
    found = search(rules, position, playouts=5000, seed=1, threads=threads)
    assert rules.board.vertex(found.action) in ("A4", "F4")
    assert found.playouts < 5000
    assert found.proved is True


@native
def test_a_lost_game_is_proved() -> None:
    """Alter Igo on one point: the first stone is alone taken off."""
    rules = gv.parse("alter-igo:size=1")
    assert search(rules, rules.start(), playouts=10).proved is False
    # White cannot stop both fives, nor make one of them suicide.
    rules, position = open_four(gv.BLACK)
    found = search(rules, position, playouts=500, seed=1)
    assert (found.proved, found.values) == (False, (1.0, 0.0))


def capture_race() -> tuple[Any, Any]:
    """Return a 5x5 position in which the side to move captures the other's big chain."""
    rules = gv.parse("go:size=5,komi=0.5")
    board = rules.board
    black = [board.point(f"{column}{row}") for column in "AB" for row in (1, 2, 3, 4)]
    white = [board.point(f"{column}{row}") for column in "CD" for row in (1, 2, 3, 4)]
    return rules, rules.start({**dict.fromkeys(black, gv.BLACK), **dict.fromkeys(white, gv.WHITE)}, gv.BLACK)


@native
def test_threads_search_one_tree() -> None:
    rules, position = capture_race()
    alone = search(rules, position, playouts=4000, seed=5)
    for threads in (2, 8):
        found = search(rules, position, playouts=4000, seed=5, threads=threads)
        assert found.playouts == 4000
        # Updates that were lost make a few visits fewer, never more.
        assert 3900 <= sum(found.visits.values()) <= 4000
        assert found.values == pytest.approx(alone.values, abs=0.15)


@native
@pytest.mark.parametrize(
    "spec", ["go:size=5", "aleago:size=5,dice=1d3", "alter-igo:size=5", "pentalath", "rosette:n=2"]
)
def test_threads_keep_to_the_rules(spec: str) -> None:
    rules, position = ready(spec, 3, 8)
    for expand_at in (1, 2):
        found = search(rules, position, playouts=3000, seed=1, threads=8, expand_at=expand_at)
        assert found.action in set(rules.actions(position))


def test_plain_python_uses_one_thread() -> None:
    rules = gv.parse("go:size=5")
    kinds = (SearchSettings(playouts=100, threads=n) for n in (1, 4))
    one, four = (tree.PlainTree(rules, rules.start(), settings).think(settings) for settings in kinds)
    assert one == four


@native
@pytest.mark.parametrize("threads", [1, 4])
def test_in_a_full_tree_the_nodes_visited_least_make_room(threads: int) -> None:
    from gtp_variants.ai.mcts import kernel_calls

    rules, position = capture_race()
    # 0.01 MiB hold the root and about a dozen nodes below it, 0.5 MiB six hundred.
    for memory_mb in (0.01, 0.5):
        small = SearchSettings(playouts=6000, expand_at=1, memory_mb=memory_mb, threads=threads)
        tree = kernel_calls.KernelTree(rules, position, small)
        for _ in range(2):
            found = tree.think(small)
            assert found.playouts == 6000
        # With several threads a few updates are lost.
        assert 11_500 <= sum(found.visits.values()) <= 12_000
        assert threads > 1 or sum(found.visits.values()) == 12_000
        assert found.values == pytest.approx(search(rules, position, playouts=6000).values, abs=0.1)


@native
def test_a_root_that_fills_the_memory_is_searched_all_the_same() -> None:
    from gtp_variants.ai.mcts import kernel_calls

    rules, position = ready("go:size=9", 1, 0)
    tiny = SearchSettings(playouts=500, memory_mb=0.001)
    found = kernel_calls.KernelTree(rules, position, tiny).think(tiny)
    assert sum(found.visits.values()) == 500
    assert len(found.principal_variation) == 1


def test_no_move_of_the_root_is_given_up_for_good() -> None:
    """However far the first move is ahead, the others are looked at again and again."""
    rules, position = capture_race()
    thinker = gv.Thinker(rules, seed=1, rave=False, exploration=0.1)
    before = thinker.think(position, playouts=400).visits
    after = thinker.think(position, playouts=4000).visits
    second = sorted(before, key=before.__getitem__)[-2]
    assert after[second] > before[second]
    assert all(after[move] > before[move] for move in rules.legal(position))


@native
def test_the_largest_root_has_room_in_the_least_memory() -> None:
    rules = gv.parse("aleago:size=25,dice=2d6")
    position = rules.play(rules.start(), 0)
    found = search(rules, position, playouts=50, memory_mb=1, threads=2)
    assert found.action in rules.actions(position)
    assert (len(rules.board) + 1) * 32 < 2**20 / 20


@native
def test_a_search_ends_once_the_second_move_cannot_catch_up() -> None:
    rules, position = capture_race()
    whole = search(rules, position, playouts=3000, seed=2)
    early = search(rules, position, playouts=3000, seed=2, stop_early=True)
    assert early.playouts < whole.playouts
    assert early.action == whole.action


def test_close_moves_get_more_time() -> None:
    rules = gv.parse("go:size=9")
    found = search(rules, rules.start(), seconds=0.001, most_seconds=0.2, rave=False, exploration=5.0)
    alone = search(rules, rules.start(), seconds=0.001, rave=False, exploration=5.0)
    assert found.playouts > alone.playouts


@pytest.mark.parametrize("cpu_time", [False, True])
def test_seconds_may_be_the_threads_own(cpu_time: bool) -> None:
    rules = gv.parse("go:size=5")
    before = time.thread_time()
    assert search(rules, rules.start(), seconds=0.05, cpu_time=cpu_time).playouts > 0
    if cpu_time:
        assert time.thread_time() - before >= 0.05


@pytest.mark.slow
def test_thirty_times_the_playouts_win() -> None:
    rules = gv.parse("go:size=5,komi=0.5")
    won = 0
    for number in range(6):
        table = gv.Table(rules, gv.DiceStream)
        strong = gv.BLACK if number % 2 else gv.WHITE
        for colour in rules.colours:
            bot = load(f"mcts:seconds=0,net=none,playouts={300 if colour == strong else 10}")
            table.seat(colour, bot, f"strength {number} {colour}")
        while table.asked() is not None and len(table.game.events) < 150:
            table.step()
        outcome = table.game.outcome or rules.standing(table.position)
        won += outcome is not None and outcome.winner == strong
    assert won >= 4


def test_the_same_seed_finds_the_same_and_seeds_matter() -> None:
    rules = gv.parse("go:size=7")
    found = [search(rules, rules.start(), playouts=200, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1]
    assert found[0].visits != found[2].visits


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({}, "playouts and seconds: expected at least one limit"),
        ({"playouts": -1}, "playouts=-1: expected 0 or more"),
        ({"playouts": 1, "seconds": float("nan")}, "seconds=nan: expected 0 or more"),
        ({"playouts": 1, "memory_mb": 0}, "memory_mb=0: expected 1 or more"),
        ({"playouts": 1, "memory_mb": -5.0}, "memory_mb=-5.0: expected 1 or more"),
        ({"playouts": 1, "threads": 0}, "threads=0: expected 1 to 1024"),
        ({"playouts": 1, "threads": 100_000}, "threads=100000: expected 1 to 1024"),
        ({"playouts": 1, "threads": "2"}, "threads='2': expected a whole number"),
        ({"playouts": 1, "rave": 1}, "rave=1: expected true or false"),
        ({"playouts": 1.5}, "playouts=1.5: expected a whole number"),
        ({"playouts": 2**70}, "playouts=1180591620717411303424: expected 0 to 9.223372e+18"),
        ({"playouts": 1, "exploration": float("inf")}, "exploration=inf: expected a finite number"),
        ({"playouts": 1, "equivalence": 0}, "equivalence=0: expected more than 0"),
        ({"playouts": 1, "ponder": True}, "ponder: unknown setting, expected one of playouts seconds"),
    ],
)
def test_a_wrong_setting_gets_one_clear_error(settings: dict[str, Any], fault: str) -> None:
    rules = gv.parse("go:size=5")
    with pytest.raises(ConfigError) as caught:
        search(rules, rules.start(), **settings)
    assert caught.value.faults[0].startswith(fault)


def test_unsearchable_positions_are_rejected() -> None:
    phantom = gv.parse("phantom")
    with pytest.raises(GameOver, match="hidden"):
        gv.Thinker(phantom, playouts=10).think(phantom.view([], gv.BLACK))
    go = gv.parse("go:size=5")
    game = Game(go)
    game.play(gv.BLACK, RESIGN)
    assert search(go, game, playouts=10).action == PASS


GO, SMALL_GO, PHANTOM, SMALL_PHANTOM = map(gv.parse, ("go:size=9", "go:size=5", "phantom:size=9", "phantom:size=5"))
PENTALATH, OF_THREE = gv.parse("pentalath:board=hexhex5"), gv.parse("pentalath:board=hexhex5,players=3")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            lambda: gv.search(GO, SMALL_GO.start(), playouts=9),
            "a position of 25 points: expected 81, as on this board of go",
        ),
        (lambda: gv.search(GO, Game(SMALL_GO), playouts=9), "a position of 25 points: expected 81"),
        (lambda: gv.search(GO, SMALL_GO.view([], 1), playouts=9), "a view of 25 points: expected 81"),
        (lambda: gv.search(PHANTOM, SMALL_PHANTOM.view([], 1), playouts=9), "a view of 25 points: expected 81"),
        (lambda: gv.imagine(PHANTOM, SMALL_PHANTOM.view([], 1), Random(1)), "a view of 25 points: expected 81"),
        (lambda: gv.imagine(GO, SMALL_GO.view([], 1), Random(1)), "a view of 25 points: expected 81"),
        (lambda: gv.Thinker(GO, playouts=9).ponder(SMALL_GO.start()), "a position of 25 points: expected 81"),
        (lambda: gv.playouts(GO, SMALL_GO.start(), 9), "a position of 25 points: expected 81"),
        (lambda: gv.find_dead_chains(GO, SMALL_GO.start()), "a position of 25 points: expected 81"),
        (
            lambda: gv.playouts(PENTALATH, gv.random_game(OF_THREE, 1, plies=5).position, 9),
            "a position with colour 3: expected one of 1, 2, the colours of this game",
        ),
        (lambda: gv.search(GO, None, playouts=9), "None: expected a position or a view of go"),  # type: ignore[arg-type]
        (
            lambda: gv.search(PHANTOM, GO.start(), playouts=9),
            r"GoPosition\(.*: expected a position or a view of phantom",
        ),
        (lambda: gv.playouts(GO, None, 9), "None: expected a position or a view of go"),  # type: ignore[arg-type]
        (lambda: gv.playouts(GO, 5, 9), "5: expected a position or a view of go"),  # type: ignore[arg-type]
        (lambda: gv.Thinker(GO, playouts=9).think(None), "None: expected"),  # type: ignore[arg-type]
        (lambda: GO.play(SMALL_GO.start(), 3), "a position of 25 points: expected 81, as on this board of go"),
        (lambda: SMALL_GO.play(GO.start(), 60), "a position of 81 points: expected 25, as on this board of go"),
        (lambda: PENTALATH.play(GO.start(), 3), r"GoPosition\(.*: expected a position or a view of pentalath"),
        (lambda: gv.diagram(GO, SMALL_GO.start()), "a position of 25 points: expected 81, as on this board of go"),
        (lambda: gv.svg(SMALL_GO, GO.start()), "a position of 81 points: expected 25, as on this board of go"),
        (lambda: gv.svg(SMALL_PHANTOM, None, PHANTOM.view([], 1)), "a view of 81 points: expected 25"),
        (lambda: gv.diagram(PENTALATH, view=GO.view([], 1)), "expected a position or a view of pentalath"),
        (lambda: gv.diagram(GO), "None: expected a position or a view of go"),
        (lambda: gv.search(PENTALATH, OF_THREE.view([], 3), playouts=9), "colour 3: expected one of 1, 2"),
    ],
)
def test_a_position_of_another_game_is_rejected(call: Callable[[], object], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        call()


def test_either_colour_may_begin_a_search() -> None:
    rules = gv.parse("go:size=5")
    position = rules.play(rules.start(), TURN, gv.WHITE)
    assert search(rules, position, playouts=20).action in rules.actions(position)
