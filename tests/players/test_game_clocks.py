"""Game clocks that run while a player thinks: into overtime periods, and across a restart."""

import pytest

from gtp_variants.players.clock import Clock, GameClocks, TimeControl
from gtp_variants.rules.actions import BLACK, WHITE

BYOYOMI = TimeControl("byoyomi", main_s=10, period_s=5, periods=3)
CANADIAN = TimeControl("canadian", main_s=10, period_s=60, stones=4)


class Watch:
    """A watch whose seconds are set by a test."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def running(control: TimeControl) -> tuple[GameClocks, Watch]:
    watch = Watch()
    clocks = GameClocks(control, (BLACK, WHITE), watch)
    clocks.start()
    clocks.run(BLACK)
    return clocks, watch


def test_thinking_continues_into_the_periods() -> None:
    clocks, watch = running(BYOYOMI)
    for now_s, left_s, count, until_flag_s in ((4, 6, 0, 21), (12, 3, 3, 13), (17, 3, 2, 8), (24, 1, 1, 1)):
        watch.now_s = now_s
        assert (clocks.clock(BLACK).left_s, clocks.clock(BLACK).left_count) == (left_s, count)
        assert clocks.time_left_s() == until_flag_s
    watch.now_s = 26
    assert clocks.clock(BLACK).left_s == 0
    assert clocks.time_left_s() == -1


def test_a_move_in_time_gives_the_whole_period_back() -> None:
    clocks, watch = running(BYOYOMI)
    watch.now_s = 18
    clocks.run(None)
    clocks.press(BLACK)
    assert clocks.clock(BLACK) == Clock(BYOYOMI, 5, 2)


def test_canadian_stones_are_counted() -> None:
    clocks, watch = running(CANADIAN)
    for number, count in enumerate((3, 2, 1, 4)):
        watch.now_s = 12 + number
        clocks.run(None)
        clocks.press(BLACK)
        assert clocks.clock(BLACK).left_count == count
        clocks.run(BLACK)


@pytest.mark.parametrize("control", [BYOYOMI, CANADIAN])
def test_the_period_is_the_same_after_a_restart(control: TimeControl) -> None:
    clocks, watch = running(control)
    watch.now_s = 13
    clocks.run(None)
    clocks.press(BLACK)
    shown = clocks.clock(BLACK)
    assert shown.left_count
    again = GameClocks(control, (BLACK, WHITE), watch, {BLACK: shown.left_s}, left_counts={BLACK: shown.left_count})
    assert again.clock(BLACK) == shown
