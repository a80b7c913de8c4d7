"""Reading OGS's clocks."""

from typing import Any

import pytest

from gtp_variants.bridge.ogs.values import OgsClock, clock_of, control_of
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules.actions import BLACK, WHITE

BYOYOMI = TimeControl("byoyomi", 600, period_s=30, periods=5)
CANADIAN = TimeControl("canadian", 60, period_s=120, stones=10)
FISCHER = TimeControl("fischer", 120, increment_s=30, limit_s=300)


@pytest.mark.parametrize(
    ("control", "told", "gone_s", "clock"),
    [
        (BYOYOMI, {"thinking_time": 600, "periods": 5, "period_time": 30}, 10, Clock(BYOYOMI, 590)),
        (BYOYOMI, {"thinking_time": 5, "periods": 5, "period_time": 30}, 10, Clock(BYOYOMI, 25, 5)),
        (BYOYOMI, {"thinking_time": 0, "periods": 3, "period_time": 30}, 40, Clock(BYOYOMI, 20, 2)),
        (BYOYOMI, {"thinking_time": 0, "periods": 1, "period_time": 30}, 40, Clock(BYOYOMI, 0, 1)),
        (CANADIAN, {"thinking_time": 60, "moves_left": 10, "block_time": 120}, 70, Clock(CANADIAN, 110, 10)),
        (CANADIAN, {"thinking_time": 0, "moves_left": 4, "block_time": 50}, 20, Clock(CANADIAN, 30, 4)),
        (FISCHER, {"thinking_time": 100.5, "skip_bonus": False}, 0.5, Clock(FISCHER, 100)),
        (TimeControl("absolute", 900), {"thinking_time": 10}, 20, Clock(TimeControl("absolute", 900), 0)),
    ],
)
def test_clocks_run_since_the_last_move(
    control: TimeControl, told: dict[str, Any], gone_s: float, clock: Clock
) -> None:
    assert clock_of(control, told, gone_s) == clock


def test_a_time_for_each_move_is_told_as_a_time_stamp() -> None:
    control = control_of({"system": "simple", "per_move": 60})
    assert clock_of(control, 1795338556836, 10) == Clock(control, 50, 1)


def test_only_the_clock_of_the_side_to_move_runs() -> None:
    clock = OgsClock()
    fields = {"current_player": 7, "last_move": 1000, "black_time": {"thinking_time": 90}}
    clock.read({**fields, "white_time": {"thinking_time": 80}})
    left = clock.left(TimeControl("absolute", 100), {BLACK: 7, WHITE: 8}, 11_000)
    assert (left[BLACK].left_s, left[WHITE].left_s) == (80, 80)
    assert clock.since_last_move_s(11_000) == 10


def test_a_pause_is_the_players_unless_the_server_pauses_too() -> None:
    clock = OgsClock()
    clock.read({"pause": {"paused": True, "pause_control": {"paused": {}}}, "paused_since": 3000})
    assert clock.is_paused
    assert clock.paused_by_player_ms == 3000
    clock.read({"pause": {"paused": True, "pause_control": {"paused": {}, "weekend": {}}}})
    assert clock.is_paused
    assert clock.paused_by_player_ms is None
    clock.read({"pause": {"paused": False}})
    assert not clock.is_paused


def test_a_clock_that_says_nothing_of_a_pause_keeps_it() -> None:
    clock = OgsClock()
    clock.pause_by({"paused": {}})
    clock.read({"last_move": 1000})
    assert clock.is_paused
