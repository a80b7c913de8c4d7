"""Go Fantôme: a seat learns nothing but its news; `benchmarks/correctness/twin_games.py` compares many more pairs."""

from typing import Any

import pytest

from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.rules.views import View
from tests.gtp import leaks
from tests.gtp.twins import compare_answers, compare_windows
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, twin_pair

TWINS = [*QUICK_PAIRS, *(pytest.param(each, marks=pytest.mark.slow) for each in EVERY_TWO)]


@pytest.mark.slow
@pytest.mark.parametrize("number", TWINS)
def test_twin_games_look_alike(number: int) -> None:
    compare_answers(twin_pair(number))


@pytest.mark.parametrize("number", TWINS)
def test_a_window_shows_the_same_of_twin_games_at_the_same_moments(number: int) -> None:
    compare_windows(twin_pair(number))


@pytest.mark.slow
def test_games_that_sound_alike_look_alike() -> None:
    different = sum(leaks.compare_pair(number) for number in range(40))
    assert different > 20


@pytest.mark.slow
def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer in which the referee's board shows is noticed."""
    sessions: list[Any] = []

    def make(session: Any) -> Any:
        sessions.append(session)
        return GtpEngine(session)

    def leaking(rules: Any, view: View) -> dict[str, Any]:
        return {"leaked": sessions[-1].position.stones.hex()}

    monkeypatch.setattr(leaks, "GtpEngine", make)
    monkeypatch.setattr("gtp_variants.gtp.engine.handlers.variants.describe_view", leaking)
    with pytest.raises(leaks.Leak, match="variant-state"):
        sum(leaks.compare_pair(number) for number in range(20))
