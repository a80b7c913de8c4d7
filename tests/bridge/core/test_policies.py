"""The bridge's decisions at their limits."""

import pytest

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import ChallengeConfig, TimeConfig
from gtp_variants.bridge.core.engine_seat import note_of_analysis
from gtp_variants.bridge.core.game_sync import RESUMED, PrivateSteps, ReplayedGame, Step, steps_of
from gtp_variants.bridge.core.server import Terms
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE


def _clock(left_s: float, **more: float) -> Clock:
    return Clock(TimeControl("absolute", 60.0), left_s, **more)  # type: ignore[arg-type]


def test_the_engines_clock_excludes_lag_and_elapsed_time() -> None:
    config = TimeConfig(margin_s=1.0)
    assert policies.thinking_clock(_clock(30.0), config, 0.5).left_s == 28.5
    assert 0 < policies.thinking_clock(_clock(0.5), config, 0.2).left_s <= 0.5
    none = Clock()
    assert policies.thinking_clock(none, config, 5.0) == none
    limited = policies.thinking_clock(none, TimeConfig(no_clock_s=3.0), 0.0)
    assert limited.longest_s == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({}, None),
        ({"size": 19}, "bridge.size"),
        ({"handicap": 2}, "bridge.handicap"),
        ({"komi": 50.0}, "bridge.komi"),
        ({"rated": True}, "bridge.rated"),
        ({"control": TimeControl("absolute", 60.0)}, "bridge.main"),
        ({"control": TimeControl("canadian", 600.0, period_s=7200.0, stones=25)}, "bridge.period"),
    ],
)
def test_each_filter_refuses_for_its_own_reason(change: dict[str, object], key: str | None) -> None:
    config = ChallengeConfig(sizes=(9,), main_s=(300.0, 3600.0))
    terms = Terms(**{"size": 9, "control": TimeControl("absolute", 600.0), "colour": WHITE, **change})  # type: ignore[arg-type]
    refusal = policies.refusal(config, "anna", terms, 0)
    assert (refusal.key if refusal else None) == key


def test_friends_are_played_on_any_terms_and_without_a_limit() -> None:
    config = ChallengeConfig(sizes=(9,), per_user=1, allow=("Anna",), block=("bert",), only_allowed=True)
    terms = Terms(9, TimeControl("absolute", 1.0), BLACK, rated=True)
    assert policies.refusal(config, "anna", terms, 99) is None
    for name, key in (("Bert", "blocked"), ("carl", "not_allowed")):
        refusal = policies.refusal(config, name, terms, 0)
        assert refusal is not None
        assert refusal.key == f"bridge.{key}"


def test_steps_that_the_server_does_not_hear_stand_where_they_belong() -> None:
    moves = ((BLACK, "A1"), (WHITE, "pass"))
    mine = (Step(BLACK, "pass"), Step(WHITE, RESUMED), Step(WHITE, "pass"))
    steps = steps_of(moves, [PrivateSteps(2, mine)], [0])
    assert [step.word for step in steps] == ["A1", "pass", "pass", RESUMED, "pass"]
    assert steps[0].is_off_line
    course = ReplayedGame(parse("aleago:size=5,dice=1d3"), b"secret", {})
    assert course.follow(steps) is None
    assert course.table.position.turn == 5
    assert not course.table.suspended
    # Shorter again: the same dice come.
    draws = course.table.game.positions[1].draws
    assert course.follow(steps[:1]) is None
    assert course.table.game.positions[1].draws == draws


def test_a_step_that_cannot_be_played_is_a_fault_and_changes_nothing() -> None:
    course = ReplayedGame(parse("go:size=5"), b"", {})
    fault = course.follow([Step(BLACK, "C3"), Step(WHITE, "C3"), Step(BLACK, "A1")])
    assert fault is not None
    assert (fault.index, fault.step.word) == (1, "C3")
    assert len(course.table.game.events) == 1


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ('{"winrate":0.5}', '{"winrate":0.5}'),
        ("info move D4 visits 10 winrate 5000 order 0 pv D4 E5", '"winrate":0.5'),
        ("info move D4 visits 10 winrate 0.25 scoreLead -1.5 order 0", '"score":-1.5'),
        ("thinking about it", ""),
        ("[1, 2]", ""),
        ("info move D4 visits many", '"move":"D4"'),
    ],
)
def test_engine_evaluations_are_read_in_every_format(said: str, note: str) -> None:
    assert note in note_of_analysis(said)
    assert bool(note_of_analysis(said)) == bool(note)
