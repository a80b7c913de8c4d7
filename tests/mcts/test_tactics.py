"""What a search must find on boards one can see."""

from typing import Any

import pytest

from gtp_variants.mcts import search
from gtp_variants.mcts.plain.playout import Start
from gtp_variants.mcts.plain.playout_board import NONE, RichBoard
from gtp_variants.mcts.plain.threats import Threats
from gtp_variants.mcts.tree_search import Thinker
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import random_game
from tests.boards import begin, played
from tests.mcts.backends import FORMS


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
    assert best("go:size=5,komi=0.5", diagram, to_play=BLACK) == "D1"


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


# -- ordinary Go, in both forms ----------------------------------------------------------------------------------------

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


def found_by(thinker: type[Thinker], spec: str, diagram: str, to_play: int, playouts: int) -> tuple[str, float]:
    """The vertex a form of the search chooses on a drawn board, and Black's share."""
    rules: Any = parse(spec)
    found = thinker(rules, 1, playouts=playouts).think(begin(rules, diagram, to_play))
    return str(rules.board.vertex(found.action)), found.values[0]


@pytest.mark.parametrize("thinker", FORMS)
def test_a_snapback_is_found(thinker: type[Thinker]) -> None:
    # E1 gives a stone and takes four; E2 lets Black connect at E1, and every stone counts.
    vertex, share = found_by(thinker, "go:size=7,komi=-16.5", SNAPBACK, WHITE, 300)
    assert vertex == "E1"
    assert share < 0.1


@pytest.mark.parametrize("thinker", FORMS)
def test_a_stone_that_is_taken_for_good_is_no_snapback(thinker: type[Thinker]) -> None:
    # Taking at E2 connects Black to F2.
    connected = SNAPBACK.replace("X . O X", "X . X X")
    _, share = found_by(thinker, "go:size=7,komi=-16.5", connected, WHITE, 300)
    assert share > 0.9


@pytest.mark.parametrize("thinker", FORMS)
def test_a_ladder_is_begun_where_it_works(thinker: type[Thinker]) -> None:
    vertex, share = found_by(thinker, "go:size=7,komi=4.5", LADDER, BLACK, 1000)
    assert vertex == "C4"
    assert share > 0.5


@pytest.mark.parametrize("thinker", FORMS)
def test_a_stone_on_its_way_breaks_a_ladder(thinker: type[Thinker]) -> None:
    broken = LADDER.replace(". . O . . . .", ". . O . . O .")
    vertex, share = found_by(thinker, "go:size=7,komi=4.5", broken, BLACK, 1000)
    assert vertex != "C4"
    assert share < 0.4


# -- Aléago ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thinker", FORMS)
def test_a_chain_is_taken_while_its_last_liberty_is_open(thinker: type[Thinker]) -> None:
    diagram = """
        . O X . .
        . O X . .
        O O X X X
        X X O O O
        . X O . .
    """
    rules: Any = parse("aleago:size=5,dice=1d3,komi=0.5")
    position = played(rules, begin(rules, diagram, WHITE), "1")
    found = thinker(rules, 1, playouts=400).think(position)
    assert rules.board.vertex(found.action) == "A1"


# -- Rosette -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thinker", FORMS)
@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_the_last_point_of_a_rosette_is_vital(thinker: type[Thinker], to_play: int) -> None:
    rules: Any = parse("rosette:n=2")
    five, around = "C3 D3 C4 E4 D5", "B2 D2 B4 F4 D6"
    stones = {rules.board.point(v): colour for vs, colour in ((five, BLACK), (around, WHITE)) for v in vs.split()}
    found = thinker(rules, 1, playouts=300).think(rules.start(stones, to_play))
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


@pytest.mark.parametrize("thinker", FORMS)
def test_who_loses_otherwise_goes_in_a_circle(thinker: type[Thinker]) -> None:
    rules: Any = parse("alter-igo:size=4")
    # D1 takes C1 and itself, and White may put C1 back: nobody gets anywhere, three times.
    position = played(rules, begin(rules, CIRCLE, BLACK), "D1x")
    found = thinker(rules, 1, playouts=600).think(position)
    assert rules.board.vertex(found.action) == "C1"
    assert found.shares[found.action] == pytest.approx(0.5, abs=0.02)
    assert found.proved is None


# -- Pentalath ---------------------------------------------------------------------------------------------------------

PENTALATH = "pentalath"


def stones(white: str, black: str) -> dict[int, int]:
    board = parse(PENTALATH).board
    return {board.point(v): WHITE for v in white.split()} | {board.point(v): BLACK for v in black.split()}


def test_a_five_is_prevented() -> None:
    rules: Any = parse(PENTALATH)
    position = rules.start(stones("B4 C4 D4 E4", "A4 C1 G2"), BLACK)
    found = search(rules, position, playouts=400, seed=1)
    assert rules.board.vertex(found.action) == "F4"


def test_an_open_three_wins_by_an_open_four() -> None:
    rules: Any = parse(PENTALATH)
    position = rules.start(stones("C4 D4 E4", "A1 E1 J5"), WHITE)
    found = search(rules, position, playouts=4000, seed=1)
    assert rules.board.vertex(found.action) in ("B4", "F4")
    assert (found.proved, found.values) == (True, (1.0, 0.0))


def threats_of(rules: Any, position: Any) -> int:
    start = Start(rules, position, is_rich=True)
    assert isinstance(start.board, RichBoard)
    return Threats(start).find(start.board, position.mover, 3 - position.mover, 4000)


def five(rules: Any, position: Any) -> bool:
    """Whether the side to move has a five at once."""
    outcomes = (rules.outcome(rules.play(position, point)) for point in rules.actions(position) if point >= 0)
    return any(outcome is not None and outcome.winner == position.mover for outcome in outcomes)


def wins(rules: Any, position: Any, depth: int = 0) -> bool:
    """Whether the side to move wins by threats against every reply there is, by the rules."""
    if five(rules, position):
        return True
    move = NONE if depth > 9 else threats_of(rules, position)
    if move == NONE:
        return False
    threatened = rules.play(position, move)
    replies = [rules.play(threatened, reply) for reply in rules.actions(threatened) if reply >= 0]
    return not five(rules, threatened) and all(wins(rules, after, depth + 1) for after in replies)


@pytest.mark.slow
def test_wins_by_threats_hold_against_every_reply() -> None:
    rules: Any = parse(PENTALATH)
    found = 0
    for seed in range(60):
        position = random_game(rules, seed, plies=12 + seed % 16).position
        if rules.is_final(position) or five(rules, position) or threats_of(rules, position) == NONE:
            continue
        assert wins(rules, position)
        found += 1
    assert found >= 2


def test_no_threat_is_looked_for_where_discs_or_boards_may_run_out() -> None:
    for spec, expected in (("pentalath", True), ("pentalath:supply=6", False), ("pentalath:repetition=draw3", False)):
        rules: Any = parse(spec)
        position = rules.start(stones("C4 D4 E4", "A1 E1 J5"), WHITE)
        assert (threats_of(rules, position) != NONE) is expected


@pytest.mark.slow
def test_what_stays_legal_does_so_after_any_stone_that_takes_nothing() -> None:
    rules: Any = parse(PENTALATH)
    looked_at = 0
    for seed in range(30):
        position = random_game(rules, seed, plies=20 + seed).position
        if rules.is_final(position):
            continue
        board = Start(rules, position, is_rich=True).board
        assert isinstance(board, RichBoard)
        other = 3 - position.mover
        lasting = {p for p in board.empties[0] if board.is_legal(p, other) and board.stays_legal(p, other)}
        for point in rules.actions(position):
            after = rules.play(position, point) if point >= 0 else position
            if after.captured or rules.is_over(after):
                continue
            assert lasting - {point} <= set(rules.actions(after))
            looked_at += 1
    assert looked_at > 200
