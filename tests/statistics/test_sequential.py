"""Elo after a sequential test ended a match: as often too high as too low, and one with interval and LOS."""

from random import Random

import pytest

from gtp_variants.statistics import bounds, estimate, estimate_after_test, llr, score_of_elo


def play_test(elo: float, elo1: float, rng: Random) -> tuple[int, ...]:
    """The pairs with which a test of 0 against `elo1` ends where the first player is `elo` stronger."""
    score = score_of_elo(elo)
    low, high = bounds(0.05, 0.05)
    counts = [0] * 5
    while low < llr(tuple(counts), 0, elo1) < high:
        counts[2 * ((rng.random() < score) + (rng.random() < score))] += 1
    return tuple(counts)


def test_while_the_test_continues_it_is_the_ordinary_estimate() -> None:
    counts = (20, 0, 48, 0, 32)
    assert estimate_after_test(counts, 0, 10) == estimate(counts)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
def test_early_stopping_bias_is_corrected(model: str) -> None:
    counts = (10, 0, 45, 0, 45)
    ordinary, found = estimate(counts), estimate_after_test(counts, 0, 50, model=model)
    assert llr(counts, 0, 50, model) > bounds(0.05, 0.05)[1]
    assert 0 < found.elo < ordinary.elo
    assert found.score == ordinary.score
    assert (found.interval[0] > 0) == (found.nelo > found.nelo_error) == (found.los > 0.975)


def test_both_players_see_the_same() -> None:
    counts = (5, 0, 40, 2, 50)
    found, mirrored = estimate_after_test(counts, 0, 30), estimate_after_test(counts[::-1], -30, 0)
    assert mirrored.elo == pytest.approx(-found.elo)
    assert mirrored.mirror().interval == pytest.approx(found.interval)
    assert mirrored.los == pytest.approx(1 - found.los)


def test_games_of_the_bayesian_model() -> None:
    counts = (60, 40, 120)
    assert llr(counts, 0, 50, "bayesian") > bounds(0.05, 0.05)[1]
    assert 0 < estimate_after_test(counts, 0, 50, model="bayesian").elo < estimate(counts).elo


def test_a_test_that_ends_at_once_has_a_finite_interval() -> None:
    counts = play_test(2000, 100, Random(1))
    assert counts[:4] == (0, 0, 0, 0)
    found = estimate_after_test(counts, 0, 100)
    assert 0 < found.interval[0] < found.elo < found.interval[1] < 5000


@pytest.mark.slow
@pytest.mark.parametrize("elo", [0, 40, 80])
def test_the_estimate_is_median_unbiased(elo: float) -> None:
    rng = Random(5)
    ended = [play_test(elo, 80, rng) for _ in range(300)]
    found = [estimate_after_test(counts, 0, 80) for counts in ended]
    too_high = sum(each.elo > elo for each in found) / len(found)
    held = sum(each.interval[0] <= elo <= each.interval[1] for each in found) / len(found)
    # Three standard errors.
    assert 0.41 < too_high < 0.59
    assert held > 0.91
