"""The sequential test, against fastchess's and fishtest's numbers; and that it judges pairs in the schedule's order."""

from itertools import permutations
from math import inf, isfinite
from random import Random
from typing import Any

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import MatchConfig, Sprt
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.schedule import units
from gtp_variants.arena.stopping import StoppingRules, accepted_hypothesis
from gtp_variants.statistics.sprt import bounds, llr

# Counts; normalized at [0, 5], [0, 10], [0, 50], then logistic.
VECTORS = [
    ((96, 111, 136), 0.664488, 1.258039, 3.465493, 0.799005, 1.493716, 3.285588),
    ((89, 123, 76), -0.276965, -0.613477, -5.427439, -0.378419, -0.860358, -8.372525),
    ((80, 0, 120), 0.554919, 1.068328, 3.686881, 0.554939, 1.068467, 3.692527),
    ((356, 0, 34), -4.674180, -9.428113, -50.178416, -4.674349, -9.429449, -50.364349),
    ((0, 0, 20), 0.285735, 0.567271, 2.663309, 0.285752, 0.567362, 2.671816),
    ((34, 54, 63, 64, 75), 1.301436, 2.483695, 7.668409, 1.337374, 2.551067, 7.732228),
    ((332, 433, 498, 333, 334), -1.863815, -4.526652, -54.213835, -1.998664, -4.888119, -59.235936),
    ((8, 0, 50, 0, 42), 0.959069, 1.878995, 7.832627, 0.962579, 1.892642, 8.073387),
    ((20, 0, 48, 0, 32), 0.318094, 0.594989, 1.339198, 0.312646, 0.586167, 1.344969),
    ((3, 17, 60, 15, 5), 0.030267, 0.018965, -1.600322, 0.025338, -0.077965, -4.881415),
    ((0, 0, 0, 0, 10), 0.201447, 0.398671, 1.818531, 0.142904, 0.283737, 1.336165),
]


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: str(row[0]))
def test_the_ratios_users_of_other_runners_know(row: tuple[tuple[int, ...], *tuple[float, ...]]) -> None:
    counts, *expected = row
    found = [llr(counts, 0, elo1, model) for model in ("normalized", "logistic") for elo1 in (5, 10, 50)]
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model", "expected"),
    [
        ((365, 16618, 36229, 16974, 390), 0, 2, "normalized", 2.250368),
        ((127, 4883, 10712, 5150, 104), -1.75, 0.25, "normalized", 3.010154),
        ((0, 0, 0, 0, 5550), 0, 5, "normalized", 111.797555),
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, "logistic", -3.074126),
        ((871, 26175, 55983, 26678, 821), 0, 2, "logistic", -4.978673),
        ((36027, 68692, 36433), 0, 2, "normalized", 0.923293),
        ((10650, 20431, 10871), -1.75, 0.25, "normalized", 2.297500),
        ((0, 0, 4250), 0, 10, "normalized", 120.548268),
        ((21184, 40708, 21404), 0.5, 2.5, "logistic", -1.571889),
    ],
)
def test_large_samples(counts: tuple[int, ...], elo0: float, elo1: float, model: str, expected: float) -> None:
    assert llr(counts, elo0, elo1, model) == pytest.approx(expected, abs=1e-6)


def test_the_bayesian_model_is_as_close_as_the_others_root_finding() -> None:
    # fastchess stops its search for the root early: up to 0.1 % on the logistic ratios of large samples.
    assert llr((68526, 128429, 68965), 0, 2, "bayesian") == pytest.approx(-1.262643, rel=1e-3)
    assert llr((5, 0, 9), 0, 2, "bayesian") == 0
    with pytest.raises(ValueError, match="expected 3 counts"):
        llr((1, 0, 0, 0, 0), 0, 2, "bayesian")


def test_whatever_is_counted_the_search_ends() -> None:
    """fastchess's issue: all losses and elo0=-1500 never came to an end."""
    rng = Random(1)
    for _ in range(1000):
        size = rng.choice((3, 5))
        counts = tuple(int(rng.random() ** 4 * rng.choice((3, 100, 100000))) for _ in range(size))
        elo0 = rng.uniform(-3000, 3000)
        for model in ("normalized", "logistic") + ("bayesian",) * (size == 3):
            assert isfinite(llr(counts, elo0, elo0 + rng.uniform(0.01, 2000), model))
    assert llr((100, 0, 0), -1500, 0) < -50
    assert llr((0, 0, 0), 0, 5) == 0


@pytest.mark.parametrize("elo", [1e9, -1e9])
@pytest.mark.parametrize("model", ["normalized", "logistic", "bayesian"])
def test_elo_may_lie_far_out(elo: float, model: str) -> None:
    assert isfinite(llr((5, 3, 4), 0, elo, model))
    assert isfinite(llr((5, 3, 4), elo, 0, model))


def test_counts_may_be_any_sequence() -> None:
    assert llr([96, 111, 136], 0, 5) == llr((96, 111, 136), 0, 5)
    np = pytest.importorskip("numpy")
    assert llr(np.array([96, 111, 136]), 0, 5) == llr((96, 111, 136), 0, 5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (((1, 2, 3, 4), 0, 5), r"counts \[1, 2, 3, 4\]: expected 3 or 5 numbers, each 0 or more"),
        (((), 0, 5), r"counts \[\]: expected 3 or 5 numbers"),
        (((1, -2, 3), 0, 5), r"counts \[1, -2, 3\]: expected 3 or 5 numbers"),
        (((1, float("nan"), 3), 0, 5), r"counts \[1, nan, 3\]: expected 3 or 5 numbers"),
        (((0, 0, 0), float("nan"), 5), "elo0=nan: expected a finite number"),
        (((1, 2, 3), 0, inf), "elo1=inf: expected a finite number"),
        (((1, 2, 3), 0, 5, "normalised"), "model='normalised': expected normalized, logistic or bayesian"),
    ],
)
def test_counts_without_a_likelihood_ratio_are_reported(given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        llr(*given)


@pytest.mark.parametrize(
    ("alpha", "beta", "words"),
    [
        (0, 0, "alpha=0: expected more than 0 and less than 1"),
        (0.05, 1, "beta=1: expected more than 0 and less than 1"),
        (float("nan"), 0.5, "alpha=nan: expected more than 0"),
        (0.5, 0.5, "alpha=0.5, beta=0.5: expected a sum below 1"),
    ],
)
def test_invalid_bounds_are_reported(alpha: float, beta: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bounds(alpha, beta)


def test_the_bounds() -> None:
    assert bounds(0.05, 0.05) == pytest.approx((-2.944438979, 2.944438979), abs=1e-9)
    assert bounds(0.05, 0.1) == pytest.approx((-2.251291799, 2.890371758), abs=1e-9)
    test = Sprt(("a", "b"), 0, 10)
    low, high = bounds(test.alpha, test.beta)
    accepted = [accepted_hypothesis(test, ratio) for ratio in (-inf, low, low + 1e-9, high - 1e-9, high)]
    assert accepted == ["H0", "H0", None, None, "H1"]


# -- stop rules --------------------------------------------------------------------------------------------------------


def match(stop: str, tournament: str = "{type: playoff, pairs: 60}", third: str = "") -> MatchConfig:
    return resolve.read(f"""
        arena: 1
        players: {{a: {{command: bot:greedy}}, b: {{command: bot:uniform}}{third}}}
        defaults: {{variant: "aleago:size=9"}}
        tournament: {tournament}
        stop: {stop}
        """)


def rows(config: MatchConfig, strength: float = 0.8) -> list[ResultRow]:
    """Games in which the earlier name wins that often."""
    rng = Random(7)
    return [
        ResultRow(
            fixture.id,
            fixture.matchup,
            fixture.pair,
            fixture.leg,
            fixture.names,
            "played",
            "B+1",
            min(fixture.names) if rng.random() < strength else max(fixture.names),
            10,
        )
        for unit in units(config, {})
        for fixture in unit.fixtures(config)
    ]


@pytest.mark.parametrize("stop", ["{sprt: {elo1: 50}}", "{elo_error: 110}", "{games: 33}"])
def test_the_order_in_which_games_end_decides_nothing(stop: str) -> None:
    config = match(stop)
    played = rows(config)
    decided = StoppingRules(config, {row.id: row for row in played})
    assert decided.decision is not None
    assert 0 < len(decided.counted_rows()) < len(played)
    rng = Random(3)
    for _ in range(5):
        # Up to eight games at a time: each ends at most so much out of order.
        order = sorted(range(len(played)), key=lambda number: number + rng.random() * 8)
        arrived: dict[str, ResultRow] = {}
        rules = StoppingRules(config, arrived)
        for number in order:
            if rules.decision is not None:
                break
            arrived[played[number].id] = played[number]
            rules.update()
        assert rules.decision == decided.decision
        assert rules.llr_history == decided.llr_history
        assert rules.counted_rows() == decided.counted_rows()


def test_pairs_after_a_gap_are_not_judged() -> None:
    config = match("{games: 4}")
    played = {row.id: row for row in rows(config)}
    missing = played.pop("a-b/0002a")
    rules = StoppingRules(config, played)
    assert (rules.decision, rules.is_over) == (None, False)
    played[missing.id] = missing
    rules.update()
    assert (rules.decision is not None, rules.is_over) == (True, True)
    assert [row.id[-5:] for row in rules.counted_rows()] == ["0001a", "0001b", "0002a", "0002b"]


def test_a_test_may_be_about_the_second_against_the_first() -> None:
    config = match("{sprt: {elo1: 50, players: [b, a]}}")
    rules = StoppingRules(config, {row.id: row for row in rows(config)})
    assert rules.decision is not None
    assert rules.decision.hypothesis == "H0"
    assert rules.decision.why == "SPRT: H0 accepted, b against a: 0 Elo normalized"


def test_a_test_in_a_tournament_looks_at_its_two_players_only() -> None:
    config = match(
        "{sprt: {elo1: 50, players: [a, b]}}", "{type: roundrobin, pairs: 60}", ", c: {command: bot:uniform}"
    )
    rules = StoppingRules(config, {row.id: row for row in rows(config)})
    assert rules.decision is not None
    assert rules.decision.unit.startswith("a-b/")
    assert len(rules.llr_history) == len(rules.counted_rows()) // 6 + 1


def test_an_error_of_a_tournament_is_that_of_its_worst_known_player() -> None:
    tournament = "{type: roundrobin, pairs: 60}"
    config = match("{elo_error: 60}", tournament, ", c: {command: bot:uniform}")
    rules = StoppingRules(config, {row.id: row for row in rows(config)})
    assert rules.decision is not None
    assert rules.decision.unit.startswith("b-c/")
    assert rules.decision.why.endswith("(stop.elo_error: 60)")


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_two_pairs_in_any_order(order: tuple[int, ...]) -> None:
    config = match("{games: 2}")
    played = rows(config)
    arrived: dict[str, ResultRow] = {}
    rules = StoppingRules(config, arrived)
    for number in order:
        arrived[played[number].id] = played[number]
        rules.update()
    assert [row.id for row in rules.counted_rows()] == ["a-b/0001a", "a-b/0001b"]
