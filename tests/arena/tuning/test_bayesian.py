"""Bayesian tuning: the points it tries, and the optimum it finds."""

import pytest

from gtp_variants.arena.tuning import Tuning
from tests.arena.tuning.tunings import settings_of, simulate

pytest.importorskip("sklearn")


def test_batch_tries_one_point_and_first_points_are_spread() -> None:
    tuning = Tuning(settings_of(160, "bayesian"), "s")
    tried = []
    for pair in range(1, 161, 16):
        points = [tuning.ask(each, ("mine", "mine-start"))["mine"] for each in range(pair, pair + 16)]
        assert all(point == points[0] for point in points)
        tried.append(points[0])
        tuning.tell(pair, points[0], 1.0)
    for name in "abc":
        assert {int(point[name] * 3) for point in tried} == {0, 1, 2}
    again = Tuning(settings_of(160, "bayesian"), "s")
    assert [again.ask(pair, ("mine", "mine-start"))["mine"] for pair in (1, 17)] == tried[:2]
    assert again.ask(1, ("mine", "mine-start"))["mine-start"] == {"a": 0.5, "b": 0.5, "c": 0.5}


@pytest.mark.slow
def test_bayesian_tuner_finds_an_optimum_of_two_parameters() -> None:
    best = {"a": 0.3, "b": 0.7}
    parameters = settings_of(1).parameters
    settings = settings_of(400, "bayesian", a=parameters["a"], b=parameters["b"])
    found = simulate(settings, lambda values: -8 * sum((values[n] - best[n]) ** 2 for n in best), 1)
    assert max(abs(found[name] - best[name]) for name in best) < 0.12
