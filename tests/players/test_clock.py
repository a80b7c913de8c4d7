"""Clocks: what is left after a move, and that nobody who keeps to the budget ever loses on time."""

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
)


def test_no_control_sets_no_limit() -> None:
    assert NO_LIMIT.budget_s(100) is None
    assert NO_LIMIT.after(1000).budget_s(100) is None


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("late_s", [0.0, 0.05])
def test_who_keeps_to_the_budget_never_loses_on_time(control: TimeControl, late_s: float) -> None:
    """A move takes its budget and a little more: the host is slow."""
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
