"""One game that moves fast: as the rules play it, in both forms."""

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import numpy as np
import pytest

from gtp_variants import BLACK, CHANCE, PASS, Encoder, Game, IllegalMove, NotationError, State, svg
from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.games.state import Chance
from gtp_variants.rules import parse
from tests.ai.nets.forms import state_of_form
from tests.support.specs import EACH

FORMS = ["python", *(["native"] if search_backend() == "native" else [])]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", EACH)
def test_a_random_game_is_that_of_the_rules(spec: str, form: str) -> None:
    rules, rng = parse(spec), np.random.default_rng(8)
    state, game = state_of_form(form, rules, chance="given"), Game(rules)
    for _ in range(150):
        assert (state.to_play, state.outcome) == (game.position.to_play, game.outcome)
        assert list(state.actions()) == list(rules.actions(game.position))
        assert state.position() == game.position
        if game.outcome is not None:
            break
        action = int(rng.choice(state.actions()))
        state.play(action)
        game.play(game.position.to_play, action)
    seen = rules.view(game.heard(game.position.mover), game.position.mover)
    expected, features = Encoder(rules).encode(seen)
    planes, found = np.full_like(expected, 7), np.full_like(features, 7)
    state.encode(planes, found)
    assert np.array_equal(planes, expected)
    assert np.array_equal(found, features)


@pytest.mark.parametrize("form", FORMS)
def test_dice_come_from_the_seed(form: str) -> None:
    rules = parse("aleago:size=9,dice=2d4,crystal_ball=true")
    state = state_of_form(form, rules, seed=4)
    draws: list[tuple[int, ...]] = []
    while len(draws) < 5:
        draws.append(state.position().draws)
        state.play(PASS if len(draws) % 2 else state.actions()[0])
    # The same in both forms and on every machine.
    assert draws == [(15, 13), (13, 6), (6, 13), (13, 2), (2, 9)]
    assert state_of_form(form, rules, seed=5).position().draws != draws[0]


@pytest.mark.parametrize("form", FORMS)
def test_given_dice_are_awaited(form: str) -> None:
    state = state_of_form(form, parse("aleago:size=9,dice=1d4"), chance="given")
    assert state.to_play == CHANCE
    assert not state.mask().any()
    with pytest.raises(NotationError, match="1d4 has 4 outcomes, 0 to 3, and 4 opens every line: there is no number 9"):
        state.play(9)
    state.play(3)
    assert state.mask().sum() == 8 + 1 + 1


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_goes_its_own_way(form: str) -> None:
    rules = parse("aleago:size=9,dice=1d4")
    state = state_of_form(form, rules)
    state.play(state.actions()[0])
    twin = state.copy()
    before = state.position()
    twin.play(PASS)
    assert state.position() == before
    # The dice to come are the same.
    state.play(PASS)
    assert state.position() == twin.position()


def pickle_and_load(state: State) -> State:
    twin: State = pickle.loads(pickle.dumps(state))
    return twin


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chance", ["sampled", "given"])
@pytest.mark.parametrize("make_copy", [copy, deepcopy, pickle_and_load])
@pytest.mark.parametrize("spec", EACH)
def test_every_copy_of_python_goes_its_own_way(
    spec: str, make_copy: Callable[[State], State], chance: Chance, form: str
) -> None:
    rules, rng = parse(spec), np.random.default_rng(6)
    state = state_of_form(form, rules, seed=9, chance=chance)
    for _ in range(8):
        state.play(int(rng.choice(state.actions())))
    twin, before = make_copy(state), state.position()
    assert (twin.rules, twin.position()) == (rules, before)
    while twin.position() == before:
        action = int(rng.choice(twin.actions()))
        twin.play(action)
    assert state.position() == before
    # The dice to come are the same.
    while state.position() != twin.position():
        state.play(action)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("action", "reason"), [(0, "occupied"), (9, "off board"), (-2, "no swap"), (-17, None)])
def test_a_refused_action_says_why_and_changes_nothing(form: str, action: int, reason: str | None) -> None:
    state = state_of_form(form, parse("go:size=3"))
    state.play(0)
    before = state.position()
    with pytest.raises(IllegalMove if reason else NotationError) as caught:
        state.play(action)
    if isinstance(caught.value, IllegalMove):
        assert caught.value.reason == reason
        assert caught.value.sentence
    assert state.position() == before


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("action", [True, 2.0, "A1"])
def test_only_numbers_are_actions(form: str, action: Any) -> None:
    state = state_of_form(form, parse("go:size=5"))
    with pytest.raises(NotationError, match=r"action .*: expected a whole number"):
        state.play(action)
    assert state.to_play == BLACK


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("planes", "features", "error", "words"),
    [
        (np.float64, np.float32, TypeError, "planes float64, globals float32: expected uint8 or float32, and float32"),
        (np.int32, np.float32, TypeError, "planes int32, globals float32: expected uint8 or float32"),
        (np.uint8, np.float64, TypeError, "planes uint8, globals float64: expected uint8 or float32"),
        (np.float32, None, ValueError, "globals"),
    ],
)
def test_arrays_that_nothing_can_be_written_into_are_refused(
    form: str, planes: Any, features: Any, error: type[Exception], words: str
) -> None:
    rules = parse("go:size=3")
    seen, told = Encoder(rules).encode(rules.start())
    room = np.zeros(1, np.float32) if features is None else np.zeros(told.shape, features)
    with pytest.raises(error, match=words):
        state_of_form(form, rules).encode(np.zeros(seen.shape, planes), room)


@pytest.mark.parametrize("form", FORMS)
def test_a_refused_try_keeps_the_turn_and_is_remembered_by_its_seat_alone(form: str) -> None:
    rules = parse("phantom:size=5")
    state, encoder = state_of_form(form, rules), Encoder(rules)
    state.play(12)
    planes = np.zeros((len(encoder.planes), 25), np.uint8)
    features = np.zeros(len(encoder.globals), np.float32)
    state.encode(planes, features)
    assert not planes[encoder.planes.index("next")].any()
    state.play(12)
    assert state.to_play == 2
    state.encode(planes, features)
    assert planes[encoder.planes.index("refused")].any()
    assert not planes[encoder.planes.index("next")].any()


@pytest.mark.parametrize("form", FORMS)
def test_an_end_by_passes_may_be_provisional(form: str) -> None:
    state = state_of_form(form, parse("go:size=3,komi=0.5"))
    for action in (4, PASS, PASS):
        state.play(action)
    assert state.outcome is not None
    assert state.outcome.margin == 8.5
    state.play(0)
    assert state.outcome is None


@pytest.mark.parametrize(("chance", "told"), [("dice", "'dice'"), (None, "None"), (1, "1")])
def test_chance_is_sampled_or_given(chance: Any, told: str) -> None:
    with pytest.raises(NotationError, match=f"chance={told}: expected sampled or given"):
        State(parse("go:size=3"), chance=chance)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("seed", "own"), [(np.int64(3), 3), (np.uint8(3), 3), (2**64 + 3, 3), (np.int32(-1), 2**64 - 1)]
)
def test_a_seed_is_any_whole_number(form: str, seed: Any, own: int) -> None:
    rules = parse("aleago:size=9")
    assert state_of_form(form, rules, seed).position() == state_of_form(form, rules, own).position()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", ["x", 1.5, None, True])
def test_a_seed_that_is_no_number_is_refused(form: str, seed: Any) -> None:
    with pytest.raises(NotationError, match=r"seed .*: expected a whole number"):
        state_of_form(form, parse("go:size=3"), seed)


def test_a_notebook_shows_the_board() -> None:
    rules = parse("pentalath")
    state = State(rules)
    state.play(rules.board.point("D4"))
    assert state._repr_svg_() == svg(rules, state.position())
