"""SPSA: fishtest's gains, steps within the bounds, and the optimum it finds."""

import pytest

from gtp_variants.arena.config.match_config import TuneParameter
from gtp_variants.arena.tuning import SpsaTuner
from tests.arena.tuning.tunings import settings_of, simulate


def test_gains_equal_those_of_fishtest() -> None:
    tuner = SpsaTuner(settings_of(1000, x=TuneParameter(50.0, 0.0, 100.0, step=4.0, rate=0.01)), "s")
    # fishtest: c = c_end N^0.101, A = 0.1 N, a = r_end c_end^2 (A + N)^0.602,
    # c_k = c / k^0.101, R_k = a / (A + k)^0.602 / c_k^2
    for pair, step, rate in [(1000, 4.0, 0.01), (1, 8.03637, 0.0104308), (100, 5.04731, 0.0175266)]:
        plus, minus = (side["x"] for side in tuner.ask(pair))
        assert abs(plus - minus) == pytest.approx(2 * step, rel=1e-3)
        before = tuner.estimate["x"]
        tuner.tell(pair, {}, 2.0)
        moved = tuner.estimate["x"] - before
        assert moved == pytest.approx(2 * step * rate * (1 if plus > minus else -1), rel=1e-3)
        tuner.estimate = {"x": 50.0}


def test_estimate_moves_to_the_winner_and_stays_after_a_tie() -> None:
    for points, towards in [(2.0, 1), (1.5, 1), (1.0, 0), (0.0, -1)]:
        tuner = SpsaTuner(settings_of(100), "s")
        plus, minus = tuner.ask(1)
        tuner.tell(1, plus, points)
        for name in plus:
            moved = tuner.estimate[name] - 0.5
            assert moved * towards * (plus[name] - minus[name]) > 0 or moved == towards == 0


def test_tried_values_are_within_bounds_and_whole_ones_unbiased() -> None:
    whole = TuneParameter(3.3, 1.0, 9.0, step=0.1, is_whole=True)
    tuner = SpsaTuner(settings_of(400, w=whole, e=TuneParameter(0.0, 0.0, 1.0, step=0.5)), "s")
    tuner.estimate = {"w": 3.3, "e": 0.0}
    sides = [side for pair in range(1, 401) for side in tuner.ask(pair)]
    assert {side["w"] for side in sides} == {3.0, 4.0}
    assert sum(side["w"] for side in sides) / len(sides) == pytest.approx(3.3, abs=0.06)
    assert all(0.0 <= side["e"] <= 1.0 for side in sides)


def test_directions_follow_from_the_seed_and_vary() -> None:
    def directions(seed: str) -> list[tuple[bool, ...]]:
        tuner = SpsaTuner(settings_of(100), seed)
        asked = [tuner.ask(pair) for pair in range(1, 65)]
        return [tuple(plus[name] > minus[name] for name in plus) for plus, minus in asked]

    assert directions("s") == directions("s") != directions("t")
    assert len(set(directions("s"))) == 8


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spsa_tuner_finds_an_optimum_of_three_parameters(seed: int) -> None:
    best = {"a": 0.3, "b": 0.7, "c": 0.45}
    found = simulate(settings_of(800), lambda values: -8 * sum((values[n] - best[n]) ** 2 for n in best), seed)
    assert max(abs(found[name] - best[name]) for name in best) < 0.1
