"""Elo, intervals, normalised Elo and LOS, against what fastchess and fishtest print for the same counts."""

from collections.abc import Iterator
from itertools import pairwise, product
from math import comb, isfinite, log, prod, sqrt

import pytest

from benchmarks.statistics.coverage import KINDS, TRUE_SCORES, coverages, results
from gtp_variants.statistics import elo_of_score, estimate, rate, score_of_elo
from gtp_variants.statistics.estimates import Z, elo_text, los_text, mean_interval
from gtp_variants.statistics.ratings import Ratings, rate_points

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
    assert [found.score, found.elo, *found.interval, found.error, found.nelo, found.nelo_error] == pytest.approx(
        [score, elo, low, high, error, nelo, nelo_error], abs=1e-6
    )
    assert round(100 * found.los, 2) == los


# -- few samples -------------------------------------------------------------------------------------------------------

# Every result of a few pairs, and of more that have no draws.
SMALL = [
    *(counts for pairs in (1, 2, 3) for counts in results(pairs, 5)),
    *((lost, 0, split, 0, won) for lost, split, won in results(7, 3)),
    *((0, 0, split, 0, 45 - split) for split in range(0, 46, 3)),
]


def neighbours(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The counts with one pair a step better."""
    for index in range(len(counts) - 1):
        if counts[index]:
            better = list(counts)
            better[index] -= 1
            better[index + 1] += 1
            yield tuple(better)


def test_the_figures_never_contradict_each_other() -> None:
    for counts in SMALL:
        found = estimate(counts)
        low, high = found.interval
        assert low <= found.elo <= high, counts
        assert (low > 0) == (found.los > 0.975) == (found.nelo > found.nelo_error), counts
        assert (high < 0) == (found.los < 0.025) == (-found.nelo > found.nelo_error), counts
        signs = [value > 1e-7 for value in (found.elo, found.nelo, found.los - 0.5)]
        assert len(set(signs)) == 1, counts


@pytest.mark.parametrize("few", [(0, 0), (3, 0), (10, 5), (0, 0, 0, 0), (2, 1, 1, 0), (0, 0, 25, 0)])
def test_however_many_samples_are_alike_the_figures_agree(few: tuple[int, ...]) -> None:
    for n in (51, 1000, 100_000, 10_000_000):
        for place in range(len(few) + 1):
            counts = (*few[:place], n, *few[place:])
            found, mirrored = estimate(counts), estimate(counts[::-1])
            low, high = found.interval
            assert low <= found.elo <= high
            assert (low > 0) == (found.los > 0.975) == (found.nelo > found.nelo_error)
            assert counts == counts[::-1] or mirrored == found.mirror() or found == mirrored.mirror()


def test_ten_times_as_many_wins_are_400_elo() -> None:
    """All games but for a share that is as likely to be a tenth: the odds are ten times as high."""
    for n in (10_000, 100_000, 1_000_000):
        found, more = estimate((0, 0, n)), estimate((0, 0, 10 * n))
        assert more.elo - found.elo == pytest.approx(400, abs=0.1)
        assert more.interval[1] - found.interval[1] == pytest.approx(400, abs=0.1)
        assert found.los == 1


@pytest.mark.parametrize("counts", [(0, 0, 1000), (1, 2, 7)])
def test_the_interval_ends_where_the_likelihood_ratio_is_that_of_1_96_deviations(counts: tuple[int, ...]) -> None:
    """The most likely shares with the mean of a bound, found by trying ten thousand shares of draws."""
    prior = (0.2, 0.05, 0.2)
    shares = [(count + more) / (sum(counts) + sum(prior)) for count, more in zip(counts, prior, strict=True)]
    for mean in map(score_of_elo, estimate(counts).interval):
        most = 2 * min(mean, 1 - mean)
        tried = [(1 - mean - draw / 2, draw, mean - draw / 2) for draw in (most * n / 10_000 for n in range(1, 10_000))]
        ratio = min(sum(p * log(p / q) for p, q in zip(shares, each, strict=True)) for each in tried)
        assert sqrt(2 * sum(counts) * ratio) == pytest.approx(Z, abs=1e-4)


def test_a_better_result_never_lowers_a_figure() -> None:
    for counts in SMALL:
        found = estimate(counts)
        for better in map(estimate, neighbours(counts)):
            assert better.elo >= found.elo - 1e-7
            assert [new >= old - 1e-7 for new, old in zip(better.interval, found.interval, strict=True)] == [True, True]
            assert better.los >= found.los - 1e-9


def test_both_sides_see_the_same() -> None:
    for counts in SMALL[:120]:
        found, other = estimate(counts), estimate(counts[::-1])
        if counts != counts[::-1]:
            assert (other.elo, other.interval) == (-found.elo, (-found.interval[1], -found.interval[0]))
        assert other.los == pytest.approx(1 - found.los, abs=1e-7)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((652.4, 298.1, 1323.6), "+652 [+298, +1324]"),
        ((-0.04, -3.26, 3.24), "+0.0 [-3.3, +3.2]"),
    ],
)
def test_elo_has_one_form(found: tuple[float, float, float], words: str) -> None:
    assert elo_text(*found) == words


def test_no_likelihood_is_called_certain() -> None:
    assert [los_text(los) for los in (1, 0.9996, 0.9994, 0.5, 0.001, 0)] == [
        *("> 99.9%", "> 99.9%", "99.9%", "50.0%", "0.1%", "< 0.1%")
    ]


def test_nine_of_ten_and_ten_of_ten_games() -> None:
    nine, ten = estimate((0, 0, 1, 0, 4)), estimate((0, 0, 0, 0, 5))
    assert 0.975 < nine.los < ten.los < 0.999
    assert 0 < nine.interval[0] < ten.interval[0]
    assert all(map(isfinite, (ten.elo, *ten.interval, ten.nelo)))


def test_even_results_say_nothing_about_who_is_better() -> None:
    found = estimate([0, 0, 7, 0, 0])
    assert found.los == pytest.approx(0.5)
    assert found.elo == pytest.approx(0, abs=1e-6)
    assert found.interval[1] > 50


def test_more_of_the_same_narrows_the_interval() -> None:
    widths = [estimate((0, 0, n, 0, 4 * n)).error for n in (1, 2, 4, 8, 16, 32, 64)]
    assert all(wide > narrow for wide, narrow in pairwise(widths))


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_of_few_pairs_holds_the_truth_19_times_of_20(kind: str) -> None:
    """The interval is rather too wide, as three pairs have only ten results."""
    for pairs in (3, 5):
        found = coverages(kind, pairs)
        assert min(found) >= 0.93
        assert sum(found) / len(TRUE_SCORES) <= 0.997


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "with_first_move", "same_luck"])
def test_the_interval_of_more_pairs_holds_the_truth_19_times_of_20(kind: str) -> None:
    for pairs in (7, 10, 15, 20, 40):
        found = coverages(kind, pairs)
        assert 0.945 <= sum(found) / len(TRUE_SCORES) <= 0.972
        assert min(found) >= 0.935


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
def test_the_interval_of_few_rounds_of_three_holds_the_truth(rounds: int) -> None:
    """Also where all rounds were alike: whoever took all of two rounds may lose the third."""
    found = {won: mean_interval([count / 3 for count in won]) for won in product(range(4), repeat=rounds)}
    for truth in TRUE_SCORES:
        chances = [comb(3, count) * truth**count * (1 - truth) ** (3 - count) for count in range(4)]
        held = sum(prod(chances[n] for n in won) for won, (low, high) in found.items() if low <= truth <= high)
        assert held > 0.94
    # Where all samples have the score 0 or 1, the prior counts keep the interval a hair away from it.
    assert all(
        0 <= low < sum(won) / 3 / rounds + 1e-6 and sum(won) / 3 / rounds - 1e-6 < high <= 1
        for won, (low, high) in found.items()
    )


def test_of_many_samples_the_interval_of_the_mean_is_that_of_the_normal_distribution() -> None:
    low, high = mean_interval([0.0, 1 / 3, 2 / 3, 1.0] * 100)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert (high - low) / 2 == pytest.approx(Z * sqrt(5 / 36 / 400))
    with pytest.raises(ValueError, match="at least one sample"):
        mean_interval([])


@pytest.mark.parametrize("counts", [[], [0, 0, 0], [1, 2], [0, 0, 0, 0, 0], [-1, 0, 3]])
def test_no_estimate_without_a_sample(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="expected 3 or 5 numbers"):
        estimate(counts)


def test_score_and_elo_are_inverse() -> None:
    assert str(elo_of_score(0.5)) == "0.0"
    assert [elo_of_score(score_of_elo(elo)) for elo in (-300, 0, 12.5)] == pytest.approx([-300, 0, 12.5])


# -- many players ------------------------------------------------------------------------------------------------------


def fit(points: list[list[float]], spread: float = 1.0) -> Ratings | None:
    return rate_points([str(player) for player in range(len(points))], points, spread)


def test_ratings_of_games_are_those_of_their_sums() -> None:
    games = [("a", "b", 1.0)] * 12 + [("b", "a", 1.0)] * 7 + [("b", "a", 0.5)] * 2 + [("c", "a", 0.0), ("a", "c", 0.0)]
    found, summed = rate(games), fit([[0, 13, 1], [8, 0, 0], [1, 0, 0]])
    assert found is not None
    assert summed is not None
    assert found.players == ("a", "b", "c")
    assert found.elo == pytest.approx(summed.elo)
    with pytest.raises(ValueError, match="a against b: expected a score from 0 to 1, not 2"):
        rate([("a", "b", 2)])


def test_strengths_of_many_players() -> None:
    found = fit([[0, 80, 76, 28], [120, 0, 85, 34], [124, 115, 0, 64], [172, 166, 136, 0]])
    assert found is not None
    differences = [found.difference(player, 0) for player in range(4)]
    assert [elo for elo, _ in differences] == pytest.approx([0, 54.423, 115.548, 290.528], abs=1e-3)
    assert [error for _, error in differences[1:]] == pytest.approx([18.65, 18.82, 21.20], abs=5e-3)
    assert sum(found.elo) == pytest.approx(0, abs=1e-9)
    assert not found.has_prior


def test_two_players_are_as_far_apart_as_their_score_says() -> None:
    found = fit([[0, 120], [80, 0]])
    assert found is not None
    elo, error = found.difference(0, 1)
    assert elo == pytest.approx(70.436504, abs=1e-6)
    assert 1.959964 * error == pytest.approx(49.516875, rel=0.01)


def test_winning_every_game_gives_a_finite_rating() -> None:
    found = fit([[0, 20, 18], [0, 0, 10], [2, 10, 0]])
    assert found is not None
    assert not found.has_prior
    found = fit([[0, 20, 20], [0, 0, 10], [0, 10, 0]])
    assert found is not None
    assert found.has_prior
    assert 300 < found.elo[0] < 700


def test_only_players_who_met_get_the_imagined_game() -> None:
    found = fit([[0, 10, 0], [0, 0, 5], [0, 5, 0]])
    assert found is not None
    assert found.has_prior
    assert found.difference(1, 2)[0] == pytest.approx(0, abs=1e-6)
    assert found.difference(0, 1)[0] == pytest.approx(elo_of_score(10.5 / 11), abs=1e-6)


def test_players_who_never_met_cannot_be_compared() -> None:
    assert fit([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 5], [0, 0, 5, 0]]) is None
    assert fit([[0.0]]) is None


def test_the_spread_of_pairs_widens_the_intervals() -> None:
    one, four = fit([[0, 12], [8, 0]]), fit([[0, 12], [8, 0]], spread=4)
    assert one is not None
    assert four is not None
    assert four.error(0) == pytest.approx(2 * one.error(0))
