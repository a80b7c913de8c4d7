"""Tactics that a search must find on small boards."""

from typing import Any

import pytest

from gtp_variants.ai.mcts.search import search
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import random_game
from tests.ai.mcts.conftest import IS_NATIVE
from tests.boards import begin, played

native = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built")


def best(spec: str, diagram: str, moves: str = "", to_play: int | None = None, playouts: int = 2000) -> str:
    """The vertex a search chooses on a drawn board, after these moves."""
    rules: Any = parse(spec)
    found = search(rules, played(rules, begin(rules, diagram, to_play), moves), playouts=playouts, seed=1)
    return "pass" if found.action < 0 else str(rules.board.vertex(found.action))


def test_the_last_liberty_of_two_chains_is_taken_first() -> None:
    diagram = """
        . O X . .
        . O X . .
        O O X X X
        X X O O O
        . X O . .
    """
    # Nothing saves Black in the end: of what takes stones any may come first, but nothing else.
    assert best("go:size=5,komi=0.5", diagram, to_play=BLACK) in ("D1", "E1", "A4", "A5")


def test_a_blind_search_is_one_of_ordinary_go() -> None:
    aleago, go = parse("aleago:size=5,dice=1d3,free_player=b"), parse("go:size=5")
    blind = search(aleago, aleago.start(), playouts=150, seed=4, shapes=True, priors=True, atari=True, dice_aware=False)
    assert blind.visits == search(go, go.start(), playouts=150, seed=4, shapes=True, priors=True, atari=True).visits


def test_a_blind_search_minds_the_draw_in_force() -> None:
    rules: Any = parse("aleago:size=9,dice=1d4")
    for face in range(4):
        position = rules.play(rules.start(), face)
        visits = search(rules, position, playouts=100, seed=1, dice_aware=False).visits
        assert {move for move, tried in visits.items() if tried} <= set(rules.actions(position))


# -- ordinary Go, with replies and priors ------------------------------------------------------------------------------

SNAPBACK = """
    . O . O X . X
    O O O O X X .
    . O . O X X X
    O O O O X . X
    . . O O O O X
    . O O X . O X
    . . O X . X X
"""
LADDER = """
    . . . . . . .
    . . . . . . .
    . . O . . . .
    X X . . . . .
    O O O . . . .
    O X X X . . .
    O X . . . . .
"""


@native
@pytest.mark.parametrize(
    ("diagram", "to_play", "playouts", "is_found"),
    [
        # E1 gives a stone and takes four; E2 lets Black connect at E1, and every stone counts.
        (SNAPBACK, WHITE, 300, "E1"),
        # Taking at E2 connects Black to F2.
        (SNAPBACK.replace("X . O X", "X . X X"), WHITE, 300, ""),
        (LADDER, BLACK, 1000, "C4"),
        # A stone on its way breaks a ladder.
        (LADDER.replace(". . O . . . .", ". . O . . O ."), BLACK, 1000, ""),
    ],
)
def test_a_snapback_and_a_ladder_are_found_where_they_work(
    diagram: str, to_play: int, playouts: int, is_found: str
) -> None:
    rules: Any = parse(f"go:size=7,komi={'-16.5' if to_play == WHITE else '4.5'}")
    found = search(rules, begin(rules, diagram, to_play), playouts=playouts, seed=1)
    own_share = found.values[to_play - BLACK]
    if is_found:
        assert rules.board.vertex(found.action) == is_found
        assert own_share > (0.9 if to_play == WHITE else 0.5)
    else:
        assert own_share < (0.1 if to_play == WHITE else 0.4)


# -- Aléago ------------------------------------------------------------------------------------------------------------


def test_a_chain_is_taken_while_its_last_liberty_is_open(backend: str) -> None:
    diagram = """
        . O X . .
        . O X . .
        O O X X X
        X X O O O
        . X O . .
    """
    rules: Any = parse("aleago:size=5,dice=1d3,komi=0.5")
    position = played(rules, begin(rules, diagram, WHITE), "1")
    found = search(rules, position, playouts=400, seed=1)
    assert rules.board.vertex(found.action) == "A1"


# -- Rosette -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_the_last_point_of_a_rosette_is_vital(backend: str, to_play: int) -> None:
    rules: Any = parse("rosette:n=2")
    five, around = "C3 D3 C4 E4 D5", "B2 D2 B4 F4 D6"
    stones = {rules.board.point(v): colour for vs, colour in ((five, BLACK), (around, WHITE)) for v in vs.split()}
    found = search(rules, rules.start(stones, to_play), playouts=300, seed=1)
    # Black's chain lives for good there, White takes it.
    assert rules.board.vertex(found.action) == "E5"


# -- Alter Igo ---------------------------------------------------------------------------------------------------------


def test_own_eyes_are_filled_last() -> None:
    diagram = """
        . X . X
        X X X X
        O O O X
        . O . O
    """
    rules: Any = parse("alter-igo:size=4")
    found = search(rules, begin(rules, diagram, BLACK), playouts=300, seed=1)
    # Whatever else there is comes before A4 and C4.
    assert {rules.board.vertex(move) for move in found.visits} == {"C1"}


CIRCLE = """
    O O O X
    X X O .
    X X X O
    . X O .
"""


@native
def test_a_losing_side_repeats_the_position() -> None:
    rules: Any = parse("alter-igo:size=4")
    # D1 takes C1 and itself, and White may put C1 back: nobody gets anywhere, three times.
    position = played(rules, begin(rules, CIRCLE, BLACK), "D1x")
    found = search(rules, position, playouts=600, seed=1)
    assert rules.board.vertex(found.action) == "C1"
    # A draw, less what was lost by moves that had to be tried.
    assert 0.1 < found.shares[found.action] <= 0.5
    assert found.proved is None


# -- Pentalath ---------------------------------------------------------------------------------------------------------

PENTALATH = "pentalath"
NONE = -1


def stones(white: str, black: str) -> dict[int, int]:
    board = parse(PENTALATH).board
    return {board.point(v): WHITE for v in white.split()} | {board.point(v): BLACK for v in black.split()}


def test_a_five_is_prevented() -> None:
    rules: Any = parse(PENTALATH)
    position = rules.start(stones("B4 C4 D4 E4", "A4 C1 G2"), BLACK)
    found = search(rules, position, playouts=400, seed=1)
    assert rules.board.vertex(found.action) == "F4"


@native
def test_an_open_three_wins_by_an_open_four() -> None:
    rules: Any = parse(PENTALATH)
    position = rules.start(stones("C4 D4 E4", "A1 E1 J5"), WHITE)
    found = search(rules, position, playouts=4000, seed=1)
    assert rules.board.vertex(found.action) in ("B4", "F4")
    assert (found.proved, found.values) == (True, (1.0, 0.0))


def threat_of(rules: Any, position: Any) -> int:
    """The move that begins a win by threats, NONE if the kernel sees none at once."""
    found = search(rules, position, playouts=1, seed=1)
    return found.action if found.proved else NONE


def five(rules: Any, position: Any) -> bool:
    """Return True if the side to move can make a five at once."""
    outcomes = (rules.outcome(rules.play(position, point)) for point in rules.actions(position) if point >= 0)
    return any(outcome is not None and outcome.winner == position.mover for outcome in outcomes)


def wins(rules: Any, position: Any, depth: int = 0) -> bool:
    """Return True if the side to move wins by threats against every legal reply."""
    if five(rules, position):
        return True
    move = NONE if depth > 9 else threat_of(rules, position)
    if move == NONE:
        return False
    threatened = rules.play(position, move)
    replies = [rules.play(threatened, reply) for reply in rules.actions(threatened) if reply >= 0]
    return not five(rules, threatened) and all(wins(rules, after, depth + 1) for after in replies)


@native
@pytest.mark.slow
def test_wins_by_threats_hold_against_every_reply() -> None:
    rules: Any = parse(PENTALATH)
    found = 0
    for seed in range(60):
        position = random_game(rules, seed, plies=12 + seed % 16).position
        if rules.is_final(position) or five(rules, position) or threat_of(rules, position) == NONE:
            continue
        assert wins(rules, position)
        found += 1
    assert found >= 2


@native
def test_no_threat_is_looked_for_where_discs_or_boards_may_run_out() -> None:
    for spec, expected in (("pentalath", True), ("pentalath:supply=6", False), ("pentalath:repetition=draw3", False)):
        rules: Any = parse(spec)
        position = rules.start(stones("C4 D4 E4", "A1 E1 J5"), WHITE)
        assert (threat_of(rules, position) != NONE) is expected
