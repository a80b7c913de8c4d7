"""Elo, intervals, normalised Elo and LOS, against what fastchess and fishtest print for the same counts."""

from math import inf, isinf

import pytest

from gtp_variants.arena.statistics.estimates import elo_of_score, estimate, score_of_elo, wilson
from gtp_variants.arena.statistics.ratings import rate

# counts, score, Elo, interval, error, nElo, its error, LOS in per cent
VECTORS = [
    ([96, 111, 136], 0.558309, 40.702458, 10.586756, 71.441192, 30.427218, 49.768415, 36.768451, 99.60),
    ([89, 123, 76], 0.477431, -15.693521, -46.272354, 14.643647, 30.458001, -20.756450, 40.126026, 15.53),
    ([80, 0, 120], 0.6, 70.436504, 22.339474, 121.373224, 49.516875, 70.919992, 48.151231, 99.81),
    ([40, 0, 60], 0.6, 70.436504, 2.766873, 143.909233, 70.571180, 70.919992, 68.096123, 97.94),
    ([356, 0, 34], 0.087179, -407.988432, -480.525705, -354.196675, 63.164515, -508.435325, 34.481812, 0.00),
    ([34, 54, 63, 64, 75], 0.579310, 55.579780, 28.276160, 83.583019, 27.653430, 57.935600, 28.275376, 100.00),
    ([332, 433, 498, 333, 334], 0.487565, -8.642667, -18.984509, 1.683880, 10.334194, -9.172914, 10.960459, 5.05),
    ([8, 0, 50, 0, 42], 0.67, 123.024345, 77.152138, 173.453088, 48.150475, 134.724484, 48.151231, 100.00),
    ([20, 0, 48, 0, 32], 0.56, 41.894140, -6.728698, 92.218705, 49.473701, 41.460737, 48.151231, 95.43),
    ([3, 17, 60, 15, 5], 0.505, 3.474472, -23.792704, 30.784602, 27.288653, 6.143772, 48.151231, 59.87),
]


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: str(row[0]))
def test_the_numbers_users_of_other_runners_know(
    row: tuple[list[int], float, float, float, float, float, float, float, float],
) -> None:
    counts, score, elo, low, high, error, nelo, nelo_error, los = row
    found = estimate(counts)
    assert found.nelo is not None
    assert [found.score, found.elo, found.low, found.high, found.error, found.nelo, found.nelo_error] == pytest.approx(
        [score, elo, low, high, error, nelo, nelo_error], abs=1e-6
    )
    assert round(100 * found.los, 2) == los


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [([0, 0, 20], 286.6, inf), ([0, 0, 10], 166.2, inf), ([0, 0, 0, 0, 10], 166.2, inf), ([20, 0, 0], -inf, -286.6)],
)
def test_a_sample_of_one_value_has_wilsons_interval(counts: list[int], low: float, high: float) -> None:
    found = estimate(counts)
    assert [round(found.low, 1), round(found.high, 1)] == [low, high]
    assert isinf(found.elo)
    assert found.nelo is None


def test_few_samples_near_an_end_have_a_finite_interval() -> None:
    found = estimate([2, 0, 1, 0, 0])
    assert found.nelo is not None
    assert -1000 < found.low < found.elo < found.high < 400


def test_wilsons_interval() -> None:
    assert (wilson(0, 20)[0], wilson(1, 20)[1]) == (0, 1)
    assert [round(elo_of_score(share), 1) for share in wilson(0.75, 20)] == [21.8, 359.9]
    assert [round(elo_of_score(share), 1) for share in wilson(0.6, 100)] == [1.4, 139.5]


def test_one_won_game_proves_little() -> None:
    assert 0.8 < estimate([0, 0, 1]).los < 0.9
    assert estimate([0, 0, 7, 0, 0]).los == 0.5
    assert estimate([0, 3, 0]).low < -100


@pytest.mark.parametrize("counts", [[], [0, 0, 0], [1, 2], [0, 0, 0, 0, 0], [-1, 0, 3]])
def test_no_estimate_without_a_sample(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="expected 3 or 5 counts"):
        estimate(counts)


def test_score_and_elo_are_inverse() -> None:
    assert str(elo_of_score(0.5)) == "0.0"
    assert [elo_of_score(score_of_elo(elo)) for elo in (-300, 0, 12.5)] == pytest.approx([-300, 0, 12.5])


# -- many players ------------------------------------------------------------------------------------------------------


def test_strengths_of_many_players() -> None:
    found = rate([[0, 80, 76, 28], [120, 0, 85, 34], [124, 115, 0, 64], [172, 166, 136, 0]])
    assert found is not None
    differences = [found.difference(player, 0) for player in range(4)]
    assert [elo for elo, _ in differences] == pytest.approx([0, 54.423, 115.548, 290.528], abs=1e-3)
    assert [error for _, error in differences[1:]] == pytest.approx([18.65, 18.82, 21.20], abs=5e-3)
    assert sum(found.elo) == pytest.approx(0, abs=1e-9)
    assert not found.has_prior


def test_two_players_are_as_far_apart_as_their_score_says() -> None:
    found = rate([[0, 120], [80, 0]])
    assert found is not None
    elo, error = found.difference(0, 1)
    assert elo == pytest.approx(70.436504, abs=1e-6)
    assert 1.959964 * error == pytest.approx(49.516875, rel=0.01)


def test_who_won_everything_is_finite() -> None:
    found = rate([[0, 20, 18], [0, 0, 10], [2, 10, 0]])
    assert found is not None
    assert not found.has_prior
    found = rate([[0, 20, 20], [0, 0, 10], [0, 10, 0]])
    assert found is not None
    assert found.has_prior
    assert 300 < found.elo[0] < 700


def test_only_those_who_met_get_the_imagined_game() -> None:
    found = rate([[0, 10, 0], [0, 0, 5], [0, 5, 0]])
    assert found is not None
    assert found.has_prior
    assert found.difference(1, 2)[0] == pytest.approx(0, abs=1e-6)
    assert found.difference(0, 1)[0] == pytest.approx(elo_of_score(10.5 / 11), abs=1e-6)


def test_players_who_never_met_cannot_be_compared() -> None:
    assert rate([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 5], [0, 0, 5, 0]]) is None
    assert rate([[0.0]]) is None


def test_the_spread_of_pairs_widens_the_intervals() -> None:
    one, four = rate([[0, 12], [8, 0]]), rate([[0, 12], [8, 0]], spread=4)
    assert one is not None
    assert four is not None
    assert four.error(0) == pytest.approx(2 * one.error(0))
