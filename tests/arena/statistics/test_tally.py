"""Counts of games in pairs, in rounds and over all matchups."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.schedule import Unit
from gtp_variants.arena.stopping import StoppingRules
from gtp_variants.arena.tally import MatchupTally, rate_players, tally_matchups, too_many_failures, total_scores
from gtp_variants.statistics.estimates import mean_interval


def config(tournament: str, spec: str = "aleago:size=9") -> MatchConfig:
    return resolve.read(f"""
        arena: 1
        players: {{a: {{command: bot:greedy}}, b: {{command: bot:uniform}}, c: {{command: bot:uniform}}}}
        defaults: {{variant: "{spec}"}}
        tournament: {tournament}
        """)


def games(config: MatchConfig, matchup: int, pair: int, *winners: str | None) -> list[ResultRow]:
    """Return the games of a pair or round with these winners; "" means a void game."""
    fixtures = Unit(config.matchups[matchup], pair).fixtures(config)
    return [
        ResultRow(
            *(
                each.id,
                each.matchup,
                pair,
                each.leg,
                each.names,
                "void" if winner == "" else "played",
                "",
                winner or None,
            ),
            moves=20,
            took_s=0.5,
            thought_s={"a": 1.5},
            slowest_s={"a": 0.1 * pair},
        )
        for each, winner in zip(fixtures, winners, strict=True)
    ]


def test_mean_points_of_three_players_come_from_whole_rounds() -> None:
    match = config("{type: roundrobin, pairs: 9}", "pentalath:players=3")
    tally = MatchupTally(match.matchups[0])
    for row in games(match, 0, 1, "a", "a", "b"):
        tally.add(row)
    mean, low, high = tally.mean_points("a") or (0, 0, 0)
    # Two wins in three games may be luck, so the interval is wide.
    assert mean == pytest.approx(2 / 3)
    assert high - low > 0.6
    for pair, winners in ((2, ("a", None, "c")), (3, ("b", "c", "c")), (4, ("", "a", "a"))):
        for row in games(match, 0, pair, *winners):
            tally.add(row)
    # Rounds of 2, 4/3 and 0 points; the round with a void game does not count.
    rounds = [2, 4 / 3, 0]
    assert tally.mean_points("a") == pytest.approx((sum(rounds) / 9, *mean_interval([points / 3 for points in rounds])))
    score = tally.scores["a"]
    assert (score.games, score.wins, score.draws, score.losses) == (11, 5, 1, 5)
    assert (score.moves, score.thought_s, score.slowest_s, tally.took_s) == (12 * 6, 12 * 1.5, 0.4, 12 * 0.5)
    assert (tally.by_colour, tally.drawn, tally.void, tally.unpaired) == ([4, 4, 2], 1, 1, 0)


@pytest.mark.parametrize(
    ("tournament", "last"),
    [("{type: roundrobin, pairs: 2}", 2), ("{type: swiss, rounds: 3, pairs: 2}", 6)],
)
def test_games_after_the_last_pair_do_not_count(tournament: str, last: int) -> None:
    match = config(tournament)
    rows = [row for pair in (1, last, last + 1) for row in games(match, 0, pair, "a", "b")]
    tally, *others = tally_matchups(match, rows)
    assert (tally.count, tally.pairs, [other.count for other in others]) == (4, (0, 0, 2, 0, 0), [0, 0])


def test_scores_of_several_matchups_are_added() -> None:
    match = config("{type: roundrobin, pairs: 3}")
    rows = [
        *games(match, 0, 1, "a", "b"),
        *games(match, 1, 2, "c", None),
        *games(match, 2, 1, "b", ""),
    ]
    found = tally_matchups(match, rows)
    total = total_scores(found)
    assert [(score.games, score.points) for score in total.values()] == [(4, 1.5), (3, 2.0), (3, 1.5)]
    assert (total["a"].slowest_s, total["a"].moves) == (0.2, 40)
    ratings = rate_players(found)
    assert ratings is not None
    assert list(ratings.players) == ["a", "b", "c"]


def test_pairs_count_as_matches_of_two_when_configured() -> None:
    match = config("{type: roundrobin, pairs: 9}")
    (matchup, *_) = match.matchups
    tally = MatchupTally(replace(matchup, game=replace(matchup.game, match=2)))
    for pair, winners in enumerate([("a", "a"), ("a", "b"), ("b", "b"), ("b", None), ("a", "")], 1):
        for row in games(match, 0, pair, *winners):
            tally.add(row)
    assert (tally.matches, tally.tiebreaks, tally.pairs) == ([1, 1, 2], 0, (1, 1, 1, 0, 1))


def test_match_stops_when_a_player_fails_too_often_over_all_matchups() -> None:
    match = config("{type: roundrobin, pairs: 9}")
    first, second = match.matchups[:2]
    limits = [replace(each, game=replace(each.game, max_failures=most)) for each, most in ((first, 3), (second, 2))]

    def stops(failures: Sequence[tuple[int, str]]) -> str | None:
        tallies = [MatchupTally(each) for each in limits]
        for matchup, player in failures:
            row = games(match, matchup, 1, "a", "a")[0]
            tallies[matchup].add(replace(row, kind="forfeit", failures=((player, "crash", "why"),)))
        return too_many_failures(tallies)

    # The matchups are a-b, with three failures at most, and a-c, with two.
    assert stops([(0, "b"), (0, "b")]) is None
    assert stops([(0, "b")] * 3) == "b failed 3 times (max_failures: 3)"
    assert stops([(0, "a"), (0, "a")]) is None
    assert stops([(0, "a"), (1, "a")]) == "a failed 2 times (max_failures: 2)"
    assert stops([(1, "c"), (0, "a")]) is None


def test_rating_intervals_widen_when_pairs_repeat_their_winner() -> None:
    match = config("{type: roundrobin, players: [a, b], pairs: 40}")
    alike = [row for pair in range(1, 31) for row in games(match, 0, pair, *(["a", "a"] if pair % 2 else ["b", "b"]))]
    split = [row for pair in range(1, 31) for row in games(match, 0, pair, "a", "b")]
    errors = []
    for rows in (alike, split, alike[:38]):
        ratings = rate_players(tally_matchups(match, rows))
        assert ratings is not None
        errors.append(ratings.error(0))
    # If one player wins both games, the variance is double that of independent games; one win each leaves almost none.
    assert errors[0] / errors[1] == pytest.approx(sqrt(2 * 30))
    one = rate_players(tally_matchups(match, alike[:40]))
    assert one is not None
    # Fewer than twenty pairs are too few to estimate the spread.
    assert errors[2] / one.error(0) == pytest.approx(sqrt(20 / 19 / 2), rel=1e-2)


def equal_games(match: MatchConfig, pairs: int) -> list[ResultRow]:
    """Return pairs of equal games, all won by the first player."""
    return [
        replace(row, fingerprint=row.leg) for pair in range(1, pairs + 1) for row in games(match, 0, pair, "a", "a")
    ]


def test_equal_games_count_once() -> None:
    match = config("{type: playoff, players: [a, b], pairs: 50}")
    (tally,) = tally_matchups(match, equal_games(match, 50))
    assert (tally.first.wins, tally.games, tally.duplicates, tally.repeated_pairs) == (100, 100, 98, 49)
    assert (tally.pairs, tally.distinct) == ((0, 0, 0, 0, 1), [0, 0, 2])
    (once,) = tally_matchups(match, equal_games(match, 1))
    assert tally.estimate == once.estimate


def test_first_pair_counts_when_pairs_share_a_game() -> None:
    match = config("{type: playoff, players: [a, b], pairs: 3}")
    shared = [
        *(replace(row, fingerprint=f"1{row.leg}") for row in games(match, 0, 1, "a", "a")),
        *(replace(row, fingerprint={"a": "1a", "b": "2b"}[row.leg]) for row in games(match, 0, 2, "a", "b")),
        *(replace(row, fingerprint=f"3{row.leg}") for row in games(match, 0, 3, "b", "b")),
    ]
    for rows in (shared, shared[::-1]):
        (tally,) = tally_matchups(match, rows)
        assert (tally.pairs, tally.distinct) == ((1, 0, 0, 0, 1), [3, 0, 2])


def test_same_moves_with_swapped_colours_are_not_a_duplicate() -> None:
    match = config("{type: playoff, players: [a, b], pairs: 1}")
    (tally,) = tally_matchups(match, [replace(row, fingerprint="x") for row in games(match, 0, 1, "a", "b")])
    assert (tally.duplicates, tally.pairs) == (0, (0, 0, 1, 0, 0))


def test_sprt_does_not_decide_on_equal_games() -> None:
    match = resolve.read("""
        arena: 1
        players: {a: {command: bot:greedy}, b: {command: bot:uniform}}
        defaults: {variant: "aleago:size=9"}
        tournament: {type: playoff, pairs: 500}
        stop: {sprt: {elo0: 0, elo1: 100}}
        """)
    equal = {row.id: row for row in equal_games(match, 500)}
    assert StoppingRules(match, equal).decision is None
    other = {id: replace(row, fingerprint=id) for id, row in equal.items()}
    assert StoppingRules(match, other).decision is not None
