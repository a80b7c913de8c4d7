"""The adapter for OpenSpiel, by OpenSpiel's own tests; and Go Fantôme beside its phantom_go."""

from random import Random
from typing import Any

import pytest

from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.game import Game

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

GAMES = [
    "gtp_go(size=5)",
    "gtp_aleago(size=9)",
    "gtp_phantom(size=4)",
    "gtp_phantom(size=5,impossible=private,lang=fr)",
    "gtp_rosette(n=2)",
    "gtp_alter_igo(width=4,height=4)",
    "gtp_pentalath",
    "gtp_pentalath(board=hexhex5,players=3)",
]


@pytest.fixture(autouse=True, scope="module")
def adapter() -> Any:
    import gtp_variants.adapters.openspiel as adapter

    return adapter


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_conformance_test(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_the_pass_is_the_last_action() -> None:
    game = pyspiel.load_game("gtp_phantom(size=4)")
    state = game.new_initial_state()
    assert game.num_distinct_actions() == 18
    assert state.legal_actions() == [*range(16), 17]
    assert state.action_to_string(0, 17) == "pass"
    state.apply_action(17)
    state.apply_action(17)
    assert state.is_terminal()
    assert state.returns() == [-1.0, 1.0]


def test_a_refused_try_keeps_the_turn_and_stays_in_the_information_state() -> None:
    state = pyspiel.load_game("gtp_phantom(size=4)").new_initial_state()
    state.apply_action(5)
    before = state.information_state_string(1)
    state.apply_action(5)
    assert state.current_player() == 1
    assert 5 not in state.legal_actions()
    assert state.information_state_string(1) != before
    assert state.information_state_string(1).startswith(before)


def test_what_is_hidden_is_not_in_the_strings() -> None:
    game = pyspiel.load_game("gtp_phantom(size=4)")
    strings = set()
    for point in range(16):
        state = game.new_initial_state()
        state.apply_action(point)
        strings.add((state.information_state_string(1), state.observation_string(1)))
    assert len(strings) == 1


def test_a_resampled_state_has_the_same_information_state() -> None:
    game, rng = pyspiel.load_game("gtp_phantom(size=5)"), Random(3)
    boards = set()
    state = game.new_initial_state()
    for _ in range(24):
        state.apply_action(rng.choice([action for action in state.legal_actions() if action < 25]))
    for _ in range(6):
        for player in (0, 1):
            other = state.resample_from_infostate(player, rng.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.current_player() == state.current_player()
            boards.add(other.played.position.stones)
    assert len(boards) > 2


@pytest.mark.slow
def test_openspiels_is_mcts_plays_go_fantome() -> None:
    np = pytest.importorskip("numpy", reason="OpenSpiel's Python algorithms need numpy")
    ismcts = pytest.importorskip("open_spiel.python.algorithms.ismcts", reason="this OpenSpiel has no IS-MCTS")
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    game = pyspiel.load_game("gtp_phantom(size=3)")
    state, rng = game.new_initial_state(), Random(1)
    bot = ismcts.ISMCTSBot(
        game=game,
        uct_c=2.0,
        max_simulations=12,
        evaluator=RandomRolloutEvaluator(1, np.random.RandomState(1)),
        random_state=np.random.RandomState(1),
    )
    for _ in range(12):
        if state.is_terminal():
            break
        action = bot.step(state) if state.current_player() == 0 else rng.choice(state.legal_actions())
        assert action in state.legal_actions()
        state.apply_action(action)


def compare_tries(size: int, tries: int, seed: int) -> tuple[int, int]:
    """Random tries in OpenSpiel's phantom_go and in ours, which must agree; how many there were, and were refused.

    Its phantom_go knows the simple ko, and a game there ends in a draw when a position comes again.
    """
    rng, rules = Random(seed), parse(f"phantom:size={size},repetition=simple")
    theirs = pyspiel.load_game(f"phantom_go(board_size={size},max_game_length=100000)")
    done = refused = 0
    while done < tries:
        state, game = theirs.new_initial_state(), Game(rules)
        while done < tries and not state.is_terminal() and not rules.is_over(game.position):
            player = state.current_player()
            assert player == rules.colours.index(game.position.mover)
            passes = rng.random() < 0.01
            points = [point for point in rules.actions(game.position) if point >= 0]
            action = size * size if passes or not points else rng.choice(points)
            if action not in state.legal_actions():
                continue
            state.apply_action(action)
            game.play(game.position.mover, PASS if action == size * size else action)
            done += 1
            refused += game.is_refused(len(game.events) - 1)
            if state.is_terminal():
                break
            assert (state.current_player() == player) == game.is_refused(len(game.events) - 1), action
            assert board_of(state, size) == game.position.stones
    return done, refused


def board_of(state: Any, size: int) -> bytes:
    """The true board that OpenSpiel prints: rows from the top, X and O."""
    rows = [line.split()[1] for line in str(state).split("\n") if line.strip()[:1].isdigit() and len(line.split()) == 2]
    return bytes("+XO".index(letter) for row in reversed(rows[:size]) for letter in row)


@pytest.mark.slow
def test_captures_and_legality_agree_with_openspiel() -> None:
    """Ten thousand random tries."""
    done, refused = compare_tries(9, 10_000, 1)
    assert done == 10_000
    assert refused > 1000
