"""Go Fantôme: guesses of hidden stones, mended in plain Python and in the native kernel, step by step the same."""

from random import Random
from typing import Any

import pytest

from gtp_variants import backend
from gtp_variants.belief.observations import Story
from gtp_variants.belief.repair import Mender, never
from gtp_variants.errors import ConfigError
from gtp_variants.rng import Rng
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game, random_game

MENDING = "gtp_variants.belief._belief"
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


def story_of(game: Game, colour: int) -> Story:
    story = Story(game.rules, colour)  # type: ignore[arg-type]
    for news in game.heard(colour):
        story.hear(news)
    return story


def state(story: Story, mender: Mender, rng: Rng) -> list[Any]:
    """All of a guess that can be seen, and where the generator stands."""
    points = [mender.point(slot) for slot in story.slots if slot < mender.heard]
    return [mender.faults(), mender.wrong, mender.stones, mender.heard, mender.changed, points, rng.state]


@native
@pytest.mark.parametrize("spec", SPECS)
def test_both_forms_take_the_same_steps(spec: str) -> None:
    """With the same numbers drawn: each guess, each step and each copy is the same."""
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
    """Both forms listen to a game and mend now and then."""
    story, of_python, of_native = Story(rules, colour), Rng(seed), Rng(seed)
    assert story.told is not None
    python, kernel = Mender(story), story.told.mender()
    for index, news in enumerate(game.heard(colour)):
        story.hear(news)
        if index % 5:
            continue
        for what, steps in (("go_on", 20), ("mend", 90), ("stir", 5)):
            getattr(python, what)(of_python, steps, never)
            getattr(kernel, what)(of_native, steps, never)
            assert state(story, python, of_python) == state(story, kernel, of_native), (seed, colour, index)
        python, kernel = python.copy(), kernel.copy()


def test_a_guess_that_was_changed_in_many_ways_still_knows_what_is_wrong() -> None:
    """What a step touches is found out again; all else stays: together as if everything was heard anew."""
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
                story, rng = story_of(game, colour), Rng(seed)
                guess = Mender(story)
                guess.go_on(rng)
                for _ in range(40):
                    guess.mend(rng, 5)
                    guess.stir(rng, 2)
                    sounds = [
                        story.sound(time, guess._his, guess._points.get(time, -1))[0]
                        for time in range(len(story.ticks))
                    ]
                    assert sounds == guess._wrong
                    assert guess.wrong == sum(sounds)
                    assert guess._faulty == [time for time, wrong in enumerate(sounds) if wrong]


@native
def test_the_story_may_go_on_while_somebody_is_asked() -> None:
    """`stir` asks whether it is enough, and hears more news instead of an answer."""
    game = random_game(parse("phantom:size=7"), 1, 120)
    news = game.heard(BLACK)
    story = Story(game.rules, BLACK)  # type: ignore[arg-type]
    for item in news[:40]:
        story.hear(item)
    rest = iter(news[40:])

    def enough() -> bool:
        for item in rest:
            story.hear(item)
        return False

    assert story.told is not None
    mender, rng = story.told.mender(), Rng(1)
    mender.go_on(rng, 50, never)
    mender.stir(rng, 200, enough)
    assert mender.heard == 40
    mender.go_on(rng, 50, never)
    assert mender.heard == len(story.ticks)


@native
def test_the_generator_is_given_back_after_an_error() -> None:
    game = random_game(parse("phantom:size=7"), 1, 120)
    drawn = []
    for make in (Mender, lambda story: story.told.mender()):
        rng, asked = Rng(5), 0

        def enough() -> bool:
            nonlocal asked
            asked += 1
            if asked > 20:
                raise KeyboardInterrupt
            return False

        with pytest.raises(KeyboardInterrupt):
            make(story_of(game, BLACK)).go_on(rng, 20, enough)
        drawn.append(rng.state)
    assert drawn[0] == drawn[1] != 5


@native
def test_the_kernel_knows_a_board_that_is_too_large() -> None:
    module: Any = backend.load_native(MENDING)
    with pytest.raises(ValueError, match="a board of 641 points: expected at most 640"):
        module.make_story([[]] * 641, [1] * 641, 1, "new", "always")


def test_a_form_that_is_not_there_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
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
