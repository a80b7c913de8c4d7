"""The native kernel plays every game as the Python rules do, which are the law."""

import pytest

from gtp_variants.rules import GAMES, parse, split_spec

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")

from gtp_variants.rules.actions import BLACK, RED, RESIGN, WHITE
from gtp_variants.rules.outcome import Outcome
from tests.ai.mcts.differential import compare_events, compare_game
from tests.support import kernel_states
from tests.support.specs import ENDLESS, SMALL, two_quick

# `benchmarks/correctness/differential.py` plays more.
GAMES_EACH = 60


@pytest.mark.parametrize("spec", two_quick([*SMALL, *ENDLESS]))
def test_random_games(spec: str) -> None:
    rules = parse(spec)
    for seed in range(GAMES_EACH):
        compare_game(rules, seed, most=100)


def test_a_player_without_moves_is_skipped_after_another_left() -> None:
    """Too rare for chance: Red resigns, and White has no disc left."""
    game = compare_events(parse("pentalath:players=3,supply=1"), [(WHITE, 0), (BLACK, 9), (RED, RESIGN)])
    assert game.outcome == Outcome(None, "blocked")


def test_one_stone_takes_adjacent_chains_of_two_colours() -> None:
    """rules.md 5.3, P-6: "one move may remove groups of both (together, before the freedom test)"."""
    rules = parse("pentalath:board=hexhex5,players=3")
    stones = {"A1": BLACK, "B1": RED, "A2": WHITE, "C1": WHITE, "C2": WHITE}
    setup = {rules.board.point(vertex): colour for vertex, colour in stones.items()}
    point = rules.board.point("B2")
    state = kernel_states.start_state(rules, setup, WHITE)
    kernel_states.play(state, point)
    assert tuple(state.captured) == rules.play(rules.start(setup, WHITE), point).captured
    assert len(state.captured) == 2


def test_every_game_is_compared() -> None:
    assert {split_spec(spec)[0].name for spec in SMALL} == set(GAMES)
