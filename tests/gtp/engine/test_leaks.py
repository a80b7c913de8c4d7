"""Go Fantôme: a seat learns nothing but its news; `benchmarks/leaks.py` compares as many pairs as one likes."""

from typing import Any

import pytest

from gtp_variants.gtp.engine.bot.engine_bot import NamedBot
from gtp_variants.gtp.engine.engine import make_engine
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.views import View
from tests.gtp import leaks
from tests.gtp.twins import SHOWN, compare_windows
from tests.support.twins import ALL_SPECS, QUICK_SPECS, make_twins


def _compare_twins(spec: str, colour: int, seed: int) -> None:
    first, second = make_twins(spec, colour, seed)
    told = []
    for game in (first, second):
        session = Session(spec, bot=NamedBot("uniform"), viewer=colour)
        session.table.game = game
        engine = make_engine(session)
        told.append([engine.answer(command.encode()) for command in SHOWN])
    assert told[0] == told[1]
    assert leaks.seen(first, colour, seed) == leaks.seen(second, colour, seed)


@pytest.mark.parametrize("spec", QUICK_SPECS)
def test_twin_games_with_other_private_refusals_look_alike(spec: str) -> None:
    for seed in range(4):
        _compare_twins(spec, 1 + seed % 2, seed)


@pytest.mark.parametrize("spec", QUICK_SPECS)
def test_a_window_shows_the_same_of_twin_games_at_the_same_moments(spec: str) -> None:
    compare_windows(BLACK, *make_twins(spec, BLACK, 3))


@pytest.mark.slow
def test_a_window_shows_the_same_whatever_is_announced() -> None:
    for seed, spec in enumerate(ALL_SPECS[::17]):
        colour = 1 + seed % 2
        compare_windows(colour, *make_twins(spec, colour, seed))


@pytest.mark.slow
def test_twin_games_look_alike_whatever_is_announced() -> None:
    for seed, spec in enumerate(ALL_SPECS):
        for colour in (BLACK, WHITE):
            _compare_twins(spec, colour, seed)


@pytest.mark.slow
def test_games_that_sound_alike_look_alike() -> None:
    different = sum(leaks.compare_pair(number) for number in range(40))
    assert different > 20


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer in which the referee's board shows is noticed."""
    sessions: list[Any] = []

    def make(session: Any) -> Any:
        sessions.append(session)
        return make_engine(session)

    def leaking(rules: Any, view: View) -> dict[str, Any]:
        return {"leaked": sessions[-1].position.stones.hex()}

    monkeypatch.setattr(leaks, "make_engine", make)
    monkeypatch.setattr("gtp_variants.gtp.engine.handlers.variants.describe_view", leaking)
    with pytest.raises(leaks.Leak, match="variant-state"):
        sum(leaks.compare_pair(number) for number in range(20))
