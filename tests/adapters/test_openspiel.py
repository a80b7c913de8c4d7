"""The adapter for OpenSpiel, by OpenSpiel's own tests."""

import pickle
from random import Random
from typing import Any

import pytest

from gtp_variants.rules import AS_IT_STANDS, parse
from tests.support.specs import ENDLESS, SMALL, two_quick

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

# Every game, and ten option sets and more: all that are small.
SPECS = (*SMALL, *ENDLESS)


@pytest.fixture(autouse=True, scope="module")
def adapter() -> Any:
    import gtp_variants.adapters.openspiel as adapter

    return adapter


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_openspiels_own_conformance_test(spec: str, adapter: Any) -> None:
    """Random games: histories, copies, serialisation, chance, tensors and strings of every player."""
    pyspiel.random_sim_test(adapter.load_game(spec, max_game_length=200), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_the_names_of_openspiel_give_the_same_game(spec: str, adapter: Any) -> None:
    game = adapter.load_game(spec)
    assert pyspiel.load_game(str(game)).rules == game.rules == parse(spec, AS_IT_STANDS)


def test_a_number_for_each_colour(adapter: Any) -> None:
    game = pyspiel.load_game("gtp_pentalath(players=3,supply=40/40/30)")
    assert game.rules.short_spec == "pentalath:players=3,supply=40/40/30"
    # A text that is a number would come back from OpenSpiel as a number, which it then refuses.
    one = adapter.load_game("rosette:n=2,supply=7")
    assert "supply=7/7" in str(one)
    assert pickle.loads(pickle.dumps(one)).rules == one.rules


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


def test_strings_contain_no_hidden_stones() -> None:
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
            boards.add(other.game.position.stones)
    assert len(boards) > 2


def test_states_and_games_can_be_sent_to_other_processes(adapter: Any) -> None:
    game, rng = adapter.load_game("aleago:size=5,dice=1d3", max_game_length=40), Random(1)
    state = game.new_initial_state()
    while len(state.history()) < 12:
        state.apply_action(rng.choice(state.legal_actions()))
    for twin in (pickle.loads(pickle.dumps(state)), state.clone(), game.deserialize_state(state.serialize())):
        assert (str(twin), twin.legal_actions(), twin.history()) == (
            str(state),
            state.legal_actions(),
            state.history(),
        )
        twin.apply_action(twin.legal_actions()[0])
        assert len(state.history()) == 12
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_a_game_over_the_length_limit_is_scored(adapter: Any) -> None:
    state = adapter.load_game("go:size=3,komi=0.5", max_game_length=1).new_initial_state()
    state.apply_action(4)
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]
