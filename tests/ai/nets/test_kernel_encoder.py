"""The compiled encoder gives the numbers of the plain one, bit for bit, in every game."""

from random import Random

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.errors import VariantsError

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")

from gtp_variants.ai.kernel._kernel import KernelState
from gtp_variants.ai.nets.kernel_network import kernel_encoder
from gtp_variants.rules.actions import FLAG, MARK_DEAD, RESIGN, RESUME, SET_DICE, SETTLE, TURN, pack
from tests.ai.nets.laws import WHOLE, encode, turn_game
from tests.support import kernel_states
from tests.support.specs import ENDLESS, RECORDED, SMALL, two_quick

SPECS = (*SMALL, *ENDLESS, "phantom:size=1")


def compare(rules: gv.Rules, game: gv.Game, state: KernelState) -> None:
    plain = gv.Encoder(rules)
    assert bytes(plain.scales) == kernel_encoder(rules).scales
    position = game.position
    expect(plain, plain.encode_plainly(position), encode(rules, state, WHOLE), game)
    expect(plain, plain.encode_plainly(position), plain.encode_levels(position), game)
    for colour in rules.colours:
        seen = position if rules.is_open else rules.view(game.heard(colour), colour)
        expect(plain, plain.encode_plainly(seen, colour), encode(rules, state, colour), game)


def expect(
    plain: gv.Encoder, law: tuple[np.ndarray, np.ndarray], found: tuple[np.ndarray, np.ndarray], game: gv.Game
) -> None:
    planes = [name for name, *rows in zip(plain.planes, law[0], found[0], strict=True) if not np.array_equal(*rows)]
    features = [
        f"{name}: {a} {b}"
        for name, a, b in zip(plain.globals, law[1], found[1], strict=True)
        if a.tobytes() != b.tobytes()
    ]
    assert [*planes, *features] == [], f"{game.rules.spec} after {game.events}"


def choose(game: gv.Game, rng: Random) -> tuple[int, int]:
    """Mostly a lawful action; now and then what players agree on, or a departure."""
    position, points = game.position, len(game.rules.board)
    if rng.random() < 0.06:
        dice, dead = (pack(SET_DICE, 2003), pack(SET_DICE, 1002)), pack(MARK_DEAD, rng.randrange(points))
        leaving = (RESIGN, FLAG) if rng.random() < 0.2 else ()
        actor = rng.choice([position.mover, *game.rules.colours])
        return actor, rng.choice((TURN, TURN, RESUME, SETTLE, *dice, dead, *leaving))
    actions = game.rules.actions(position)
    if position.to_play and len(actions) > 1 and actions[-1] == gv.PASS and rng.random() < 0.9:
        actions = actions[:-1]
    return position.to_play, rng.choice(actions)


def compare_game(rules: gv.Rules, seed: int, most: int, every: int) -> None:
    rng, game, state = Random(seed), gv.Game(rules), kernel_states.start_state(rules)
    for number in range(most):
        if rules.is_final(game.position):
            break
        actor, action = choose(game, rng)
        try:
            game.play(actor, action)
        except VariantsError:
            continue
        kernel_states.play(state, action, actor)
        if number % every == seed % every:
            compare(rules, game, state)
    compare(rules, game, state)


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_it_equals_the_plain_encoder(spec: str) -> None:
    rules = gv.parse(spec)
    for seed in range(4):
        compare_game(rules, seed, most=80, every=8)


@pytest.mark.slow
@pytest.mark.parametrize("spec", RECORDED)
def test_it_equals_the_plain_encoder_on_large_boards(spec: str) -> None:
    compare_game(gv.parse(spec), 1, most=200, every=25)


def test_a_seat_hears_of_nothing_captured_in_the_turn_in_which_somebody_left() -> None:
    compare_game(gv.parse("phantom:size=4,repetition=ssk,announce=list"), 6, most=200, every=1)


@pytest.mark.slow
def test_a_seat_counts_the_passes_that_no_try_it_heard_of_has_parted() -> None:
    for seed in range(30):
        compare_game(gv.parse("phantom:size=2,impossible=private,in_a_row=tries"), seed, most=60, every=1)


@pytest.mark.long
def test_it_equals_the_plain_encoder_in_many_positions() -> None:
    for seed in range(5000):
        compare_game(gv.parse(SPECS[seed % len(SPECS)]), seed, most=200, every=3)


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_it_respects_every_symmetry(spec: str) -> None:
    for seed in range(12):
        turn_game(gv.parse(spec), seed, most=60)


@pytest.mark.long
def test_it_respects_every_symmetry_in_a_million_positions() -> None:
    positions = seed = 0
    while positions < 1_000_000:
        positions += turn_game(gv.parse(SPECS[seed % len(SPECS)]), seed, most=300)
        seed += 1
