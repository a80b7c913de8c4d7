"""Durations and time controls as people write them."""

import pytest

from gtp_variants.players import config_readers as times
from gtp_variants.players.clock import TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", TimeControl()),
        ("90s", TimeControl("absolute", 90)),
        ("1:30:00", TimeControl("absolute", 5400)),
        ("1m 30s + 500ms", TimeControl("fischer", 90, increment_s=0.5)),
        ("0+1x5s", TimeControl("byoyomi", 0, period_s=5, periods=1)),
        ("10m+5m/25", TimeControl("canadian", 600, period_s=300, stones=25)),
    ],
)
def test_times(text: str, control: TimeControl) -> None:
    assert times.control(text) == control
    assert times.control(times.control_text(control)) == control


@pytest.mark.parametrize(
    "text", ["", "10", "-1s", "1s+", "0", "0+1s", "0s+0s", "1m+0x5s", "1m+5x", "1m+5m/0", "1d", "1e3s", "x"]
)
def test_no_times(text: str) -> None:
    with pytest.raises(ValueError, match="expected "):
        times.control(text)
