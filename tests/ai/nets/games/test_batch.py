"""Games stepped together: both forms, any number of threads and the rules themselves agree; errors change nothing."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from gtp_variants import Batch, Encoder, IllegalMove, NotationError, State
from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.games.state import Chance
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from tests.ai.nets.forms import batch_of_form, choose
from tests.support.specs import EACH, ENDLESS, SMALL, two_quick

ATARI_GO = Path(__file__).parents[4] / "examples" / "atari_go.py"
FORMS = ["python", *(["native"] if search_backend() == "native" else [])]
needs_kernel = pytest.mark.skipif(len(FORMS) == 1, reason="the native kernel was not built")


WAYS = [
    f"{spec} {chance}"
    for spec in [*SMALL, *ENDLESS]
    for chance in ("sampled", "given")
    if chance == "sampled" or parse(spec).start().to_play == CHANCE
]


@needs_kernel
@pytest.mark.parametrize("way", two_quick(WAYS))
def test_both_forms_see_the_same(way: str) -> None:
    spec, word = way.split()
    chance: Chance = "given" if word == "given" else "sampled"
    rules, rng = parse(spec), np.random.default_rng(5)
    native, plain = (batch_of_form(form, rules, 3, seed=11, chance=chance) for form in ("native", "python"))
    seen, of_plain = native.reset(), plain.reset()
    for _ in range(16):
        for ours, others in zip(seen, of_plain, strict=True):
            assert np.array_equal(ours, others)
        indices = choose(rules, seen, rng)
        (seen, rewards, done), (of_plain, plain_rewards, plain_done) = native.step(indices), plain.step(indices)
        assert np.array_equal(rewards, plain_rewards)
        assert np.array_equal(done, plain_done)
        assert native.ended_games() == plain.ended_games()
    assert native.games() == plain.games()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", EACH)
def test_observations_agree_with_the_rules(spec: str, form: str) -> None:
    rules, rng = parse(spec), np.random.default_rng(2)
    batch, encoder = batch_of_form(form, rules, 2, dtype=np.float32), Encoder(rules)
    seen, done = batch.reset(), np.zeros(2, bool)
    for number in range(45):
        if number % 15 == 0:
            for row, game in enumerate(batch.games()):
                check_row(encoder, game, *(array[row] for array in seen))
        before = batch.games() if number > 30 else []
        seen, rewards, done = batch.step(choose(rules, seen, rng))
        assert not rewards[~done].any()
        for row, game in batch.ended_games().items():
            assert game.outcome is not None
            shares = [1.0 if game.outcome.winner == colour else 0.0 for colour in rules.colours]
            assert list(rewards[row]) == (shares if game.outcome.winner else [0.5] * len(shares))
            assert not before or game.events[: len(before[row].events)] == before[row].events


def check_row(encoder: Encoder, game: Game, planes: object, features: object, mask: object, to_play: int) -> None:
    rules, position = encoder.rules, game.position
    allowed = set(rules.actions(position))
    assert to_play == position.to_play
    assert np.array_equal(np.asarray(mask), [action in allowed for action in encoder.actions])
    view = rules.view(game.heard(position.mover), position.mover)
    expected_planes, expected_features = encoder.encode(view)
    assert np.array_equal(np.asarray(planes), expected_planes)
    assert np.array_equal(np.asarray(features), expected_features)


@needs_kernel
@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=9,dice=1d4", "phantom:size=5"])
def test_threads_change_nothing(spec: str) -> None:
    rules = parse(spec)
    batches = [batch_of_form("native", rules, 10, seed=3, threads=threads) for threads in (1, 3)]
    seen, rng = [batch.reset() for batch in batches], np.random.default_rng(1)
    for _ in range(60):
        indices = choose(rules, seen[0], rng)
        seen = [batch.step(indices)[0] for batch in batches]
    assert all(np.array_equal(one, other) for one, other in zip(*seen, strict=True))
    assert batches[0].games() == batches[1].games()


@pytest.mark.parametrize("form", FORMS)
def test_the_first_game_is_that_of_a_state(form: str) -> None:
    rules, rng = parse("aleago:size=9,dice=1d4"), np.random.default_rng(1)
    batch, state = batch_of_form(form, rules, 2, seed=9), State(rules, 9)
    seen = batch.reset()
    for _ in range(20):
        indices = choose(rules, seen, rng)
        state.play(int(Encoder(rules).actions[indices[0]]))
        seen, *_ = batch.step(indices)
    assert batch.games()[0].position == state.position()
    assert batch.games()[0] != batch.games()[1]


@pytest.mark.parametrize("form", FORMS)
def test_a_game_without_an_action_does_not_change(form: str) -> None:
    batch = batch_of_form(form, parse("go:size=2,komi=0"), 3)
    batch.step([0, 1, 4])
    seen, rewards, done = batch.step([3, -1, 4], acting=np.array([True, False, True]))
    assert [len(game.events) for game in batch.games()] == [2, 1, 0]
    assert (seen.to_play.tolist(), done.tolist()) == ([1, 2, 1], [False, False, True])
    seen, rewards, done = batch.step([0, 0, 0], acting=np.zeros(3, np.bool_))
    assert not done.any()
    assert not rewards.any()
    assert not batch.ended_games()
    # A number that does not fit, where nobody acts, is no index.
    batch.step([2**40, 0, 0], acting=np.zeros(3, np.bool_))
    with pytest.raises(NotationError, match=r"acting of shape \(2,\), bool: expected \(3,\), bool"):
        batch.step([0, 0, 0], acting=np.zeros(2, np.bool_))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("indices", "error", "words"),
    [
        ([0, 3, 1], IllegalMove, "game 1: index 3: D1 holds a black stone; expected one of the 25"),
        ([0, 26, 1], NotationError, "game 1: index 26: expected 0 to 25"),
        ([0, 0, -1], NotationError, "game 2: index -1: expected 0 to 25"),
        ([0, 2**32 + 1, 1], NotationError, "game 1: index 4294967297: expected 0 to 25"),
        ([0, -(2**32) + 1, 1], NotationError, "game 1: index -4294967295: expected 0 to 25"),
        ([0, -(2**31), 1], NotationError, "game 1: index -2147483648: expected 0 to 25"),
        (np.array([0, 2**63 + 1, 1], np.uint64), NotationError, "game 1: index 9223372036854775809: expected 0 to 25"),
        (np.array([0, 2**32, 1], np.uint64), NotationError, "game 1: index 4294967296: expected 0 to 25"),
        ([0, 1], NotationError, r"indices of shape \(2,\), int64: expected \(3,\), int32"),
        ([0.0, 1.0, 1.0], NotationError, "float64: expected"),
    ],
)
def test_an_index_that_is_not_allowed_changes_nothing(
    form: str, indices: ArrayLike, error: type[ValueError], words: str
) -> None:
    batch = batch_of_form(form, parse("go:size=5"), 3)
    seen, *_ = batch.step([2, 3, 4])
    before = [array.copy() for array in seen], batch.games()
    with pytest.raises(error, match=words):
        batch.step(indices)
    assert batch.games() == before[1]
    assert all(np.array_equal(one, other) for one, other in zip(seen, before[0], strict=True))
    # What a caller writes into the mask allows nothing.
    seen.mask[:] = True
    with pytest.raises(IllegalMove, match="game 0"):
        batch.step([2, 2, 2])


@pytest.mark.parametrize("form", FORMS)
def test_an_outcome_that_cannot_fall_is_refused(form: str) -> None:
    batch = batch_of_form(form, parse("aleago:size=9,dice=1d4"), 2, chance="given")
    seen = batch.reset()
    assert not seen.mask.any()
    assert list(seen.to_play) == [CHANCE, CHANCE]
    with pytest.raises(NotationError, match="game 1: index 5: expected an outcome of the dice, one of 5"):
        batch.step([0, 5])
    seen, *_ = batch.step([0, 4])
    assert list(seen.mask.sum(1)) == [33, 82]


@pytest.mark.parametrize("form", FORMS)
def test_a_game_that_ends_pays_and_begins_again(form: str) -> None:
    batch = batch_of_form(form, parse("go:size=3,komi=0.5"), 2)
    batch.step([4, 4])
    _, rewards, done = batch.step([9, 0])
    assert not done.any()
    assert not rewards.any()
    seen, rewards, done = batch.step([9, 9])
    assert list(done) == [True, False]
    assert rewards.tolist() == [[1, 0], [0, 0]]
    assert list(seen.to_play) == [BLACK, WHITE]
    assert seen.mask[0].all()
    assert batch.ended_games()[0].outcome == Outcome(BLACK, "score", 8.5)
    assert [len(game.events) for game in batch.games()] == [0, 3]


@pytest.mark.parametrize("form", FORMS)
def test_arrays_are_reused_and_shared_without_a_copy(form: str) -> None:
    batch = batch_of_form(form, parse("go:size=3"), 2)
    seen = batch.reset()
    shared = np.from_dlpack(seen.planes)
    again, *_ = batch.step([0, 1])
    assert all(np.shares_memory(one, other) for one, other in zip(seen, again, strict=True))
    assert np.shares_memory(shared, again.planes)
    assert np.array_equal(shared, again.planes)


def test_a_game_that_the_kernel_does_not_know_is_played_too() -> None:
    rules = runpy.run_path(str(ATARI_GO))["AtariGoRules"]({"size": "4"})
    batch, rng, ends = Batch(rules, 2), np.random.default_rng(4), 0
    seen = batch.reset()
    for _ in range(40):
        seen, rewards, done = batch.step(choose(rules, seen, rng))
        assert rewards.sum() == done.sum()
        ends += len(batch.ended_games())
    assert ends > 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n": 0}, "n=0"),
        ({"threads": 0}, "threads=0"),
        ({"dtype": np.int64}, "dtype=int64"),
        ({"chance": "x"}, "chance='x': expected sampled or given"),
        ({"chance": None}, "chance=None: expected sampled or given"),
        ({"n": "x"}, "n 'x': expected a whole number"),
        ({"n": 2.5}, "n '2.5': expected a whole number"),
        ({"threads": None}, "threads 'None': expected a whole number"),
        ({"seed": "x"}, "seed 'x': expected a whole number"),
    ],
)
def test_invalid_batch_arguments_are_reported(given: dict[str, object], words: str) -> None:
    with pytest.raises(NotationError, match=words):
        Batch(parse("go:size=3"), **({"n": 2} | given))  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_numpy_are_numbers(form: str) -> None:
    rules = parse("aleago:size=5,dice=1d2")
    numbers: list[Any] = [np.int64(2), np.uint64(2**64 - 1), np.int32(1)]
    batch = batch_of_form(form, rules, *numbers)
    assert type(batch.n) is int
    assert batch.games() == batch_of_form(form, rules, 2, -1).games()
