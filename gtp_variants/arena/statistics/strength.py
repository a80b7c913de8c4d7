"""Elo of the players of a match with 95 % intervals: as it stands, and how it came about game by game."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.statistics.tally import MatchupTally, rate_players, tally_matchups
from gtp_variants.statistics.estimates import Estimate
from gtp_variants.statistics.ratings import Ratings


class EloInterval(NamedTuple):
    """An Elo difference with the bounds of its 95 % interval."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloPoint:
    """Elo by player after so many games."""

    games: int
    elos: dict[str, EloInterval]


def elo_by_player(
    tallies: Sequence[MatchupTally], ratings: Ratings | None, found: Estimate | None
) -> dict[str, EloInterval]:
    """Elo of each player against the mean of all others; empty where there is none.

    `found` is what is known of two who only met each other.
    """
    if len(tallies) == 1 and len(tallies[0].matchup.players) == 2 and found is not None:
        (low, high), (first, second) = found.interval, tallies[0].matchup.names
        return {first: EloInterval(found.elo, low, high), second: EloInterval(-found.elo, -high, -low)}
    if ratings is None:
        return {}
    factor = len(ratings.players) / (len(ratings.players) - 1)
    elos = {}
    for index, name in enumerate(ratings.players):
        elo, error = factor * ratings.elo[index], factor * ratings.error(index)
        elos[name] = EloInterval(elo, elo - error, elo + error)
    return elos


def elo_history(config: MatchConfig, rows: Iterable[ResultRow]) -> list[EloPoint]:
    """Elo while games were added in this order, at a hundred points at the most, fewer with many players.

    The distance is a power of two times the games of a pair of each matchup, so that the points of before stay.
    """
    in_order = list(rows)
    # The work of a point grows with the cube of the number of players.
    most = max(10, min(100, 400 // max(1, len(config.players))))
    tallies = tally_matchups(config, ())
    tally_of = {tally.matchup.id: tally for tally in tallies}
    step = sum(len(tally.matchup.players) for tally in tallies) if config.type != "swiss" else 2 * len(config.players)
    while step and len(in_order) > most * step:
        step *= 2
    points = []
    for count, row in enumerate(in_order, 1):
        tally_of[row.matchup].add(row)
        if count % step == 0 or count == len(in_order):
            met = [tally for tally in tallies if tally.count]
            elos = elo_by_player(met, rate_players(met)[1], met[0].estimate if len(met) == 1 else None)
            points += [EloPoint(count, elos)] if elos else []
    return points
