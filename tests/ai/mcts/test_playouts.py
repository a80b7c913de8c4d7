"""Playouts: by the rules, fair, and what is refused."""

import os
import signal
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts import search
from gtp_variants.ai.mcts.plain.playout import DRAW, ENDED, DicedPlayout, Playout
from gtp_variants.ai.mcts.plain.playouts import begin_playout
from gtp_variants.base.rng import Rng
from gtp_variants.cli.engines import bench
from gtp_variants.errors import ConfigError, SpecError
from gtp_variants.rules import GAMES, parse, split_spec
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, RESIGN, WHITE
from gtp_variants.rules.boards.chains import is_eye
from gtp_variants.rules.game import Game
from gtp_variants.rules.games.aleago import AleagoRules
from gtp_variants.rules.games.pentalath import PentalathRules
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from tests.ai.mcts.conftest import IS_NATIVE


@pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")
def test_threads_change_nothing_but_the_time() -> None:
    from gtp_variants.ai.kernel import _kernel
    from tests.support import kernel_states

    state = kernel_states.start_state(parse("aleago:size=7"))
    tallies = [_kernel.playouts(state, 1000, 5, threads) for threads in (1, 2, 3, 8)]
    assert len({(*tally.wins, tally.draws, tally.turns) for tally in tallies}) == 1
    parts = [_kernel.playouts(state, n, 5, 1, first) for n, first in ((300, 0), (700, 300))]
    assert sum(part.turns for part in parts) == tallies[0].turns


# -- by the rules ------------------------------------------------------------------------------------------------------

# The only repetition that playouts mind is the simple ko; the end by passes is their own.
LAWFUL = [
    "go:size=5,repetition=simple",
    "go:size=7,repetition=simple,komi=0.5",
    "phantom:size=4,repetition=simple",
    "rosette:n=2,repetition=simple",
    "rosette:n=3,repetition=simple,rosette_suicide=legal",
    "rosette:n=2,repetition=simple,supply=8",
    "aleago:size=5,dice=1d3,repetition=simple",
    "aleago:size=5,dice=1d2,star=true,star_lines=inner,repetition=simple",
    "aleago:size=7,dice=2d2,star=true,double_whole_board=true,repetition=simple",
    "aleago:size=5,dice=2d3,overflow=pass,free_player=w,repetition=simple",
    "aleago:size=5,dice=2d3,overflow=reroll,crystal_ball=true,repetition=simple",
    "aleago:size=5,dice=1d3,mapping=original,repetition=simple",
    "aleago:size=4,dice=1d3,fallback_ko=false,repetition=simple",
    "aleago:size=3,dice=2d3,overflow=reroll,double_whole_board=true,repetition=simple",
    "alter-igo:size=5,repeat_count=1000",
    "alter-igo:width=4,height=3,repeat_count=1000,white_passes=4",
    "pentalath",
    "pentalath:board=hexhex5,no_move=loss,supply=9",
    "pentalath:players=3",
]


def finished(rules: Rules, seed: int, index: int, obliged: bool = False) -> Playout:
    """A playout from the start that has come to its end."""
    playout = begin_playout(rules, rules.start(), obliged=obliged)
    playout.finish(Rng.of_playout(seed, index))
    return playout


@pytest.mark.slow
@pytest.mark.parametrize("obliged", [False, True])
@pytest.mark.parametrize("spec", LAWFUL)
def test_every_move_is_legal_and_passes_are_for_want_of_one(spec: str, obliged: bool) -> None:
    rules = parse(spec)
    for index in range(12):
        position: Any = rules.start()
        playout = finished(rules, 11, index, obliged)
        *turns, ended = playout.record
        passes = 0
        for turn in turns:
            if turn <= DRAW:
                position = thrown(rules, position, playout, DRAW - turn)
                continue
            # The end by passes is provisional and a playout goes on after it.
            wanted = wanted_points(rules, position)
            if not wanted and obliged and isinstance(rules, AleagoRules) and passes + 1 >= rules.end_passes:
                wanted = owed_points(rules, position)
            passes = passes + 1 if turn == PASS else 0
            if turn != PASS:
                assert turn in wanted
            else:
                assert not wanted
            position = rules.play(position, turn)
            if isinstance(rules, AleagoRules) and rules.is_suspended(position):
                position = rules.resume(position)
        outcome = rules.outcome(position) or rules.standing(position)
        if len(turns) < playout.cap:
            assert ENDED - ended == ((outcome.winner or 0) if outcome else 0)


def thrown(rules: Rules, position: Any, playout: Playout, number: int) -> Any:
    """The position under a draw that has this opening, whatever it was before."""
    assert isinstance(rules, AleagoRules)
    assert isinstance(playout, DicedPlayout)
    while position.to_play == CHANCE:
        position = rules.throw(position, rules.actions(position)[0])
    dice = position.dice
    drawn = dice.free
    if number < len(playout.openings) - 1:
        drawn = next(action for action in range(drawn) if sum(dice.faces(action)) == number + dice.count)
    return replace(position, draws=(drawn, *position.draws[1:]))


def wanted_points(rules: Rules, position: Any) -> set[int]:
    """The points among which a playout chooses."""
    points = {action for action in rules.legal(position) if action >= 0}
    if isinstance(rules, PentalathRules):
        return points
    no_eyes = {point for point in points if not is_eye(rules.board, position.stones, point, position.mover)}
    if rules.name != "alter-igo":
        return no_eyes
    safe = {point for point in points if not rules.loses(position, point)}
    if no_eyes & safe or (position.mover == WHITE and position.passes_left):
        return no_eyes & safe
    return safe or points


def owed_points(rules: AleagoRules, position: Any) -> set[int]:
    """The points among which a playout of Aléago chooses where it wants none but may not pass."""
    lifted = {p for p in rules.legal_points(position) if rules.lines[p] or rules.free_player is not None}
    if all(is_eye(rules.board, position.stones, point, position.mover) for point in lifted):
        return set()
    return {action for action in rules.legal(position) if action >= 0}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["go:size=2,komi=0", "alter-igo:size=2", "aleago:size=2,dice=1d1"])
def test_first_moves_are_equally_likely(spec: str) -> None:
    rules = parse(spec)
    firsts = [next(turn for turn in finished(rules, 9, i).record if turn > ENDED) for i in range(4000)]
    assert all(900 < firsts.count(point) < 1100 for point in range(4))


def test_the_generator_is_splitmix64() -> None:
    # The first outputs for state 1234567, from the reference implementation of splitmix64.
    rng = Rng(1234567)
    highest = 2**32
    assert [rng.below(highest) for _ in range(3)] == [
        word >> 32 for word in (6457827717110365317, 3203168211198807973, 9817491932198370423)
    ]


# -- what is asked for -------------------------------------------------------------------------------------------------


def test_shares_add_up_and_are_the_same_in_both_forms(backend: str) -> None:
    for spec, expected in [
        ("go:size=5", (0.44, 0.56)),
        ("pentalath:players=3", (0.28, 0.36, 0.36)),
        ("rosette:n=2,komi=0", (0.52, 0.48)),
    ]:
        rules = parse(spec)
        shares = search.playouts(rules, rules.start(), 25, seed=3, threads=2)
        assert sum(shares) == pytest.approx(1)
        assert shares == pytest.approx(expected)


def test_a_game_that_is_over_has_its_outcome(backend: str) -> None:
    rules = parse("pentalath:players=3")
    game = Game(rules)
    game.play(WHITE, RESIGN)
    assert search.playouts(rules, game, 40)[0] == 0
    game.play(BLACK, RESIGN)
    assert search.playouts(rules, game, 5) == (0, 0, 1)
    go = parse("go:size=3,komi=0")
    passed = Game(go)
    passed.play(BLACK, PASS)
    passed.play(WHITE, PASS)
    assert passed.outcome == Outcome(None, "score")
    assert search.playouts(go, passed, 5) == (0.5, 0.5)


def test_a_large_seed_is_a_seed(backend: str) -> None:
    rules = parse("go:size=3")
    assert search.playouts(rules, rules.start(), 4, seed=-1) == search.playouts(rules, rules.start(), 4, seed=2**64 - 1)


def test_all_wrong_numbers_are_reported_at_once(backend: str) -> None:
    rules = parse("go:size=3")
    with pytest.raises(ConfigError, match=r"n=-3: expected 1 or more\nthreads=0: expected 1 to 1024"):
        search.playouts(rules, rules.start(), -3, threads=0)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"n": 1.5}, "n=1.5: expected a whole number"),
        ({"n": True}, "n=True: expected a whole number"),
        ({"n": 2**70}, "n=1180591620717411303424: expected 1 to 9223372036854775807"),
        ({"n": 4, "threads": 2000}, "threads=2000: expected 1 to 1024"),
        ({"n": 4, "threads": "2"}, "threads='2': expected a whole number"),
        ({"n": 4, "seed": 0.5}, "seed=0.5: expected a whole number"),
    ],
)
def test_invalid_numbers_are_reported(backend: str, given: dict[str, Any], why: str) -> None:
    rules = parse("go:size=3")
    with pytest.raises(ConfigError, match=why):
        search.playouts(rules, rules.start(), **given)


def test_shares_are_numbers_of_python(backend: str) -> None:
    np = pytest.importorskip("numpy")
    rules = parse("go:size=3")
    shares = search.playouts(rules, rules.start(), np.int64(4), np.int64(1), np.int32(1))
    assert shares == search.playouts(rules, rules.start(), 4, 1)
    assert {type(share) for share in shares} == {float}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("threads", [1, 3])
def test_playouts_can_be_interrupted(backend: str, threads: int) -> None:
    rules = parse("go:size=19")
    began = 0.0
    # A shell that starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        nonlocal began
        began = time.monotonic()
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.2, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            search.playouts(rules, rules.start(), 100_000_000, threads=threads)
        assert time.monotonic() - began < 60
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


# -- rates -------------------------------------------------------------------------------------------------------------


def test_rates_have_a_row_for_each_form() -> None:
    rows = list(bench.rates(["go:size=3", "pentalath"], seconds=0.02))
    assert {row["spec"] for row in rows} == {"go:size=3", "pentalath"}
    assert {str(row["form"]) for row in rows} == {"python", search_backend()}
    for row in rows:
        keys = "spec what form threads per_second moves_per_second clock instructions weights"
        assert list(row) == keys.split()
        assert row["clock"] == ("processor" if row["threads"] == 1 else "wall")
        # In so short a time a network may judge nothing but the positions after one move.
        least = float(row["per_second"]) + (row["what"] != "evaluations")
        assert float(row["moves_per_second"]) >= least > 0


def test_every_game_is_measured() -> None:
    assert {split_spec(spec)[0].name for spec in bench.default_specs()} == set(GAMES)


def test_rates_of_nothing_are_refused() -> None:
    with pytest.raises(ConfigError, match="seconds=-1: expected more than 0"):
        list(bench.rates(["go:size=3"], seconds=-1))
    with pytest.raises(SpecError, match="unknown game"):
        list(bench.rates(["chess"]))
