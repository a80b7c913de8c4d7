"""Go Fantôme: hypotheses of hidden stones, repaired in plain Python and in the native kernel, step by step the same."""

from dataclasses import astuple
from random import Random
from typing import Any

import pytest

from gtp_variants.ai import backend
from gtp_variants.ai.belief.observations import ObservationHistory
from gtp_variants.ai.belief.prior import load_prior
from gtp_variants.ai.belief.repair import Assignment
from gtp_variants.base.interruption import never
from gtp_variants.base.rng import Rng
from gtp_variants.errors import ConfigError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game, random_game

MENDING = "gtp_variants.ai.belief._belief"
SEATS = (BLACK, WHITE)
SPECS = [
    "phantom:size=9",
    "phantom:size=7,self_atari=new_only,impossible=private",
    "phantom:size=5,rules=olympiad",
    "phantom:size=4,rules=openspiel",
    "phantom:size=4,atari=all",
    "phantom:size=4,captures=owner,atari=all,repetition=none",
    "phantom:size=3,repetition=psk",
    "phantom:size=3,repetition=nssk",
    "phantom:size=13,repetition=simple",
]
native = pytest.mark.skipif(backend.load_native(MENDING) is None, reason="the native kernel was not built")


def history_of(game: Game, colour: int) -> ObservationHistory:
    history = ObservationHistory(game.rules, colour)  # type: ignore[arg-type]
    for news in game.heard(colour):
        history.hear(news)
    return history


def state(history: ObservationHistory, assignment: Assignment, rng: Rng) -> list[Any]:
    """All of a hypothesis that can be seen, and where the generator stands."""
    points = [assignment.point(slot) for slot in history.placements if slot < assignment.length]
    return [
        assignment.mismatches(),
        assignment.conflicts,
        assignment.stones,
        assignment.length,
        assignment.first_changed,
        points,
        rng.state,
    ]


@native
@pytest.mark.parametrize("spec", SPECS)
def test_both_forms_take_the_same_steps(spec: str) -> None:
    """With the same numbers drawn: each hypothesis, each step and each copy is the same."""
    rules = parse(spec)
    for seed in range(6 if len(rules.board) < 50 else 2):
        start = {6: BLACK, 1: WHITE, 2: WHITE} if seed % 2 else None
        game = Game(rules, start, WHITE if start else None)
        rng = Random(seed)
        for _ in range(min(150, rng.randint(1, 3 * len(rules.board)))):
            if rules.is_final(game.position):
                break
            game.play(game.position.mover, rng.choice(rules.actions(game.position)))
        for colour in SEATS:
            follow(rules, game, colour, seed)


def follow(rules: Any, game: Game, colour: int, seed: int) -> None:
    """Both forms listen to a game and repair now and then."""
    history, of_python, of_native = ObservationHistory(rules, colour), Rng(seed), Rng(seed)
    assert history.native is not None
    python, kernel = Assignment(history), history.native.assignment()
    for index, news in enumerate(game.heard(colour)):
        history.hear(news)
        if index % 5:
            continue
        if index % 15 == 0:
            drawn = Random(index)
            history.expect([drawn.uniform(-3, 3) for _ in range(len(rules.board))])
        for what, steps in (("extend", 20), ("repair", 90), ("randomize", 5)):
            getattr(python, what)(of_python, steps, never)
            getattr(kernel, what)(of_native, steps, never)
            assert state(history, python, of_python) == state(history, kernel, of_native), (seed, colour, index)
        python, kernel = python.copy(), kernel.copy()


@pytest.mark.slow
def test_a_changed_hypothesis_finds_its_contradictions() -> None:
    """A step recomputes what it changes and keeps the rest, with the same result as a full replay."""
    for spec in (
        "phantom:size=5",
        "phantom:size=4,repetition=psk",
        "phantom:size=4,atari=all",
        "phantom:size=5,rules=olympiad",
    ):
        rules = parse(spec)
        for seed in range(6):
            game = random_game(rules, seed, 60)
            for colour in SEATS:
                history, rng = history_of(game, colour), Rng(seed)
                hypothesis = Assignment(history)
                hypothesis.extend(rng)
                for _ in range(40):
                    hypothesis.repair(rng, 5)
                    hypothesis.randomize(rng, 2)
                    costs = [
                        history.mismatch(time, hypothesis._theirs, hypothesis._points.get(time, -1))[0]
                        for time in range(len(history.observations))
                    ]
                    assert costs == hypothesis._costs
                    assert hypothesis.conflicts == sum(costs)
                    assert hypothesis._conflicting == [time for time, conflicts in enumerate(costs) if conflicts]


@native
def test_the_history_can_grow_during_a_callback() -> None:
    """`randomize` asks whether it is enough, and hears more news instead of an answer."""
    game = random_game(parse("phantom:size=7"), 1, 120)
    news = game.heard(BLACK)
    history = ObservationHistory(game.rules, BLACK)  # type: ignore[arg-type]
    for item in news[:40]:
        history.hear(item)
    rest = iter(news[40:])

    def enough() -> bool:
        for item in rest:
            history.hear(item)
        return False

    assert history.native is not None
    assignment, rng = history.native.assignment(), Rng(1)
    assignment.extend(rng, 50, never)
    assignment.randomize(rng, 200, enough)
    assert assignment.length == 40
    assignment.extend(rng, 50, never)
    assert assignment.length == len(history.observations)


@native
def test_the_generator_is_given_back_after_an_error() -> None:
    game = random_game(parse("phantom:size=7"), 1, 120)
    drawn = []
    for make in (Assignment, lambda history: history.native.assignment()):
        rng, asked = Rng(5), 0

        def enough() -> bool:
            nonlocal asked
            asked += 1
            if asked > 20:
                raise KeyboardInterrupt
            return False

        with pytest.raises(KeyboardInterrupt):
            make(history_of(game, BLACK)).extend(rng, 20, enough)
        drawn.append(rng.state)
    assert drawn[0] == drawn[1] != 5


@native
def test_the_kernel_knows_a_board_that_is_too_large() -> None:
    module: Any = backend.load_native(MENDING)
    with pytest.raises(ValueError, match="a board of 641 points: expected at most 640"):
        module.make_history([[]] * 641, [1] * 641, 1, "new", "always", *astuple(load_prior()))


def test_a_missing_kernel_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    backend.load_native.cache_clear()
    try:
        assert backend.load_native("gtp_variants.rules._not_built") is None
        backend.load_native.cache_clear()
        monkeypatch.setenv("GTP_VARIANTS_FORM", "native")
        with pytest.raises(ConfigError, match="GTP_VARIANTS_FORM=native: the kernel was not built here"):
            backend.load_native("gtp_variants.rules._not_built")
        monkeypatch.setenv("GTP_VARIANTS_FORM", "python")
        assert backend.load_native(MENDING) is None
    finally:
        backend.load_native.cache_clear()
