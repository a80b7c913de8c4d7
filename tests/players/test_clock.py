"""Clocks: the time left after a move. A player that keeps to the budget never loses on time."""

from dataclasses import replace

import pytest

from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl

CONTROLS = (
    TimeControl("absolute", 60),
    TimeControl("absolute", 5),
    TimeControl("canadian", 30, 10, 5),
    TimeControl("canadian", 0, 5, 25),
    TimeControl("byoyomi", 30, 5, periods=3),
    TimeControl("byoyomi", 0, 2, periods=1),
    TimeControl("byoyomi", 1, 2, periods=5),
    TimeControl("fischer", 20, increment_s=1),
    TimeControl("fischer", 5, increment_s=0.5, limit_s=10),
    TimeControl("fischer", 60, increment_s=1, limit_s=60, move_s=1.5),
)


def test_no_control_sets_no_limit() -> None:
    assert NO_LIMIT.budget_s(100) is None
    assert NO_LIMIT.after(1000).budget_s(100) is None


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("late_s", [0.0, 0.05])
def test_a_budgeted_move_never_loses_on_time(control: TimeControl, late_s: float) -> None:
    """Each move takes its budget and a little more, because the host is slow."""
    clock = Clock.full(control)
    for number in range(300):
        budget = clock.budget_s(max(0, 60 - number // 2))
        assert budget is not None
        spent = budget + late_s if budget > 0.002 or late_s == 0 else 0.0
        at_most = clock.left_s
        if control.kind in ("canadian", "byoyomi") and clock.left_count == 0:
            at_most += control.period_s * max(1, control.periods)
        assert 0 < spent <= at_most or spent == 0.0, (number, clock)
        clock = clock.after(spent)


def test_main_time_is_followed_by_periods() -> None:
    canadian = Clock.full(TimeControl("canadian", 10, 30, 5))
    assert canadian.after(4) == Clock(canadian.control, 6)
    assert canadian.after(12) == Clock(canadian.control, 28, 4)
    assert Clock(canadian.control, 3, 1).after(1) == Clock(canadian.control, 30, 5)
    byoyomi = Clock.full(TimeControl("byoyomi", 10, 30, periods=3))
    assert byoyomi.after(12) == Clock(byoyomi.control, 30, 3)
    assert byoyomi.after(45) == Clock(byoyomi.control, 30, 2)
    assert Clock(byoyomi.control, 30, 1).after(31) == Clock(byoyomi.control, 0, 1)


def test_fischer_adds_and_is_capped() -> None:
    control = TimeControl("fischer", 10, increment_s=3, limit_s=11)
    assert Clock.full(control).after(5).left_s == 8
    assert Clock.full(control).after(1).left_s == 11


@pytest.mark.parametrize(
    ("clock", "renews"),
    [
        (NO_LIMIT, True),
        (Clock(TimeControl("byoyomi", 60, 6, periods=3), 60), False),
        (Clock(TimeControl("byoyomi", 60, 6, periods=3), 6, 1), True),
        (Clock(TimeControl("canadian", 0, 6, 1), 6, 1), True),
        (Clock(TimeControl("canadian", 0, 60, 10), 6, 1), False),
        (Clock(TimeControl("canadian", 60, 6, 1), 60), False),
        (Clock(TimeControl("fischer", 60, increment_s=1), 60), False),
    ],
)
def test_a_period_of_a_single_move_is_given_back_whole(clock: Clock, renews: bool) -> None:
    assert clock.renews is renews


def test_no_move_takes_longer_than_one_may() -> None:
    clock = Clock.full(TimeControl("fischer", 60, increment_s=1, limit_s=60, move_s=1.5))
    assert clock.longest_s == 1.5
    assert clock.budget_s(40) == clock.most_s(40) == pytest.approx(1.4)
    assert replace(clock, left_s=0.5).longest_s == 0.5


def play_out(control: TimeControl, turns: int, late_s: float, takes_most: bool) -> float:
    """Play out a game in which each move costs `late_s` more than its thinking; return the seconds spent thinking."""
    clock, lag_s, thought_s = Clock.full(control), 0.0, 0.0
    for turn in range(turns):
        ahead = max(0, turns - turn), turn / turns, lag_s
        budget, most = clock.budget_s(*ahead), clock.most_s(*ahead)
        assert budget is not None
        assert most is not None
        assert 0 < budget <= most
        at_most = clock.left_s
        if control.kind == "byoyomi":
            at_most += control.period_s * (clock.left_count - 1 if clock.left_count else control.periods)
        elif control.kind == "canadian" and clock.left_count == 0:
            at_most += control.period_s
        taken = most if takes_most else budget
        assert taken + late_s <= at_most, (turn, clock)
        before, clock = clock, clock.after(taken + late_s)
        lag_s = max(lag_s, before.lag_s(clock, taken) or 0.0)
        thought_s += taken
    return thought_s


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("takes_most", [False, True])
@pytest.mark.parametrize("late_s", [0.0, 0.03, 0.1, 0.4])
@pytest.mark.parametrize("turns", [20, 45, 90, 160])
def test_nobody_loses_on_time_in_a_whole_game(
    control: TimeControl, takes_most: bool, late_s: float, turns: int
) -> None:
    """Games are short or long and hosts quick or slow, but every host leaves some time to think."""
    per_move = {
        "absolute": control.main_s / turns,
        "fischer": control.main_s / turns + control.increment_s,
        "canadian": control.period_s / max(1, control.stones),
        "byoyomi": control.period_s,
    }[control.kind]
    if late_s * 2.5 < per_move:
        play_out(control, turns, late_s, takes_most)


@pytest.mark.parametrize("turns", [45, 90])
def test_most_of_the_time_is_used(turns: int) -> None:
    assert play_out(TimeControl("absolute", 300), turns, 0.02, False) > 0.8 * 300
    assert play_out(TimeControl("fischer", 60, increment_s=2), turns, 0.02, False) > 0.7 * (60 + 2 * turns)
    assert play_out(TimeControl("byoyomi", 0, 10, periods=1), turns, 0.02, False) > 0.8 * 10 * turns
    assert play_out(TimeControl("canadian", 0, 60, 10), turns, 0.02, False) > 0.7 * 6 * turns


def test_time_is_spent_where_the_game_is_decided() -> None:
    clock = Clock.full(TimeControl("absolute", 100))
    opening, middle, end = (clock.budget_s(50, played) for played in (0.0, 0.3, 0.8))
    assert opening is not None
    assert middle is not None
    assert end is not None
    assert opening == pytest.approx(end)
    assert middle == pytest.approx(2 * end)


def test_lag_beyond_thinking_time_shows_on_the_clock() -> None:
    clock = Clock.full(TimeControl("absolute", 60))
    assert clock.lag_s(clock.after(2.5), 2.0) == pytest.approx(0.5)
    # A host that reports 57 may mean 57.9.
    assert clock.lag_s(Clock(clock.control, 57), 2.0) == pytest.approx(0.0)
    assert clock.lag_s(Clock(clock.control, 50), 2.0) == pytest.approx(7.0)
    period = Clock.full(TimeControl("byoyomi", 0, 10, periods=2))
    assert period.lag_s(period.after(5), 2.0) is None
    assert NO_LIMIT.lag_s(NO_LIMIT, 1.0) is None
    assert clock.lag_s(NO_LIMIT, 1.0) is None


@pytest.mark.parametrize(
    ("clock", "longest_s"),
    [
        (NO_LIMIT, float("inf")),
        (Clock(TimeControl("absolute", 60), 20), 20),
        (Clock(TimeControl("canadian", 60, 30, stones=5), 20), 50),
        (Clock(TimeControl("canadian", 60, 30, stones=5), 20, 3), 20),
        (Clock(TimeControl("byoyomi", 60, 30, periods=3), 20), 110),
        (Clock(TimeControl("byoyomi", 60, 30, periods=3), 20, 2), 50),
        (Clock(TimeControl("byoyomi", 60, 30, periods=3), 20, 1), 20),
    ],
)
def test_how_long_a_move_may_take_without_losing_on_time(clock: Clock, longest_s: float) -> None:
    assert clock.longest_s == longest_s


def test_nine_tenths_of_what_a_fischer_clock_pays_are_spent() -> None:
    clock = Clock.full(TimeControl("fischer", 100, increment_s=10))
    assert clock.budget_s(50) == pytest.approx(99.9 / 50 + 9)


def test_last_stone_of_a_canadian_period_does_not_take_what_the_others_left() -> None:
    control = TimeControl("canadian", 600, 300, 25)
    assert Clock(control, 299, 1).budget_s(100) == pytest.approx(36)
    assert Clock(control, 299, 25).budget_s(100) == pytest.approx(11.9, abs=0.1)
    # The only stone of a period loses its time if it does not take it.
    assert Clock(TimeControl("canadian", 600, 30, 1), 30, 1).budget_s(100) == pytest.approx(25.4)


def test_one_move_does_not_take_all_of_a_fischer_clock() -> None:
    """Time that a Fischer move leaves is not lost, and a slow machine needs it."""
    clock = Clock(TimeControl("fischer", 600, increment_s=30), 3.0)
    assert clock.budget_s(100) == clock.most_s(100) == pytest.approx(0.85 * 2.9)
