"""Counts of games: of one matchup, and of all players together.

Elo of the players of a match with 95 % intervals: as it stands, and how it came about game by game.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gtp_variants.arena.config.match_config import MatchConfig, Matchup
from gtp_variants.arena.result_row import QUIT, ResultRow
from gtp_variants.statistics.estimates import Estimate, estimate, mean_interval, score_of_elo
from gtp_variants.statistics.ratings import Ratings, rate_points

# The fewest pairs whose spread says something about that of all.
_FEWEST_PAIRS = 20


@dataclass(slots=True)
class PlayerScore:
    """What a player did: games that count, results, places (of three players), failures by kind, and times.

    `points_as` and `games_as` are those as Black, White and Red.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    places: Counter[float] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    thought_s: float = 0.0
    slowest_s: float = 0.0
    moves: int = 0
    points_as: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    games_as: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, row: ResultRow, player: str) -> None:
        """Count a game."""
        self.failures.update(kind for who, kind, _ in row.failures if who == player)
        self.thought_s += row.thought_s.get(player, 0.0)
        self.slowest_s = max(self.slowest_s, row.slowest_s.get(player, 0.0))
        self.moves += row.moves // len(row.players)
        if row.is_void:
            return
        self.games += 1
        self.points += row.score(player)
        self.wins += row.winner == player
        self.draws += row.winner is None and player not in row.left
        self.losses += row.winner not in (None, player) or (row.winner is None and player in row.left)
        self.places[row.place(player)] += 1
        seat = row.players.index(player)
        self.points_as[seat] += row.score(player)
        self.games_as[seat] += 1

    def join(self, other: "PlayerScore") -> None:
        """Count all that another score counted."""
        self.games += other.games
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses
        self.points += other.points
        self.places.update(other.places)
        self.failures.update(other.failures)
        self.thought_s += other.thought_s
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.moves += other.moves
        self.points_as = [one + more for one, more in zip(self.points_as, other.points_as, strict=True)]
        self.games_as = [one + more for one, more in zip(self.games_as, other.games_as, strict=True)]


class MatchupTally:
    """The games of one matchup; of two players as the first of them sees them.

    A game in which just the same happened as in an earlier one between the same colours is a duplicate: it is played
    and has a result, but it says nothing new. What is estimated (`pairs`, `distinct`) therefore counts equal games
    once, and of pairs that share a game the first. Games are added in the order of the schedule for that.
    """

    def __init__(self, matchup: Matchup) -> None:
        self.matchup = matchup
        self.scores = {name: PlayerScore() for name in matchup.names}
        self.count = 0
        self.void = 0
        self.adjudicated = 0
        self.took_s = 0.0
        # Games won by Black, White and Red, and drawn ones.
        self.by_colour = [0] * len(matchup.players)
        self.drawn = 0
        # Games that are not duplicates, as the first player lost, drew and won them.
        self.distinct = [0, 0, 0]
        self.duplicates = 0
        self.repeated_pairs = 0
        # Of two games each: won, tied and lost, and how many the tie-break decided.
        self.matches = [0, 0, 0]
        self.tiebreaks = 0
        self._pairs = [0] * 5
        self._rounds: dict[str, list[float]] = {name: [] for name in matchup.names}
        self._open: dict[int, list[ResultRow]] = {}
        self._seen: set[tuple[tuple[str, ...], str]] = set()
        self._repeated: set[str] = set()  # the ids of pairs with a duplicate

    def add(self, row: ResultRow) -> None:
        """Count a game."""
        for name, score in self.scores.items():
            score.add(row, name)
        self.count += 1
        self.took_s += row.took_s
        self.void += row.is_void
        self.adjudicated += row.kind == "adjudicated"
        if not row.is_void and row.winner is not None:
            self.by_colour[row.players.index(row.winner)] += 1
        self.drawn += not row.is_void and row.winner is None
        self._compare(row)
        legs = self._open.setdefault(row.pair, [])
        legs.append(row)
        if len(legs) == len(self.matchup.players):
            self._complete(self._open.pop(row.pair))

    def _compare(self, row: ResultRow) -> None:
        """Count a game as a duplicate or as a distinct one."""
        key = row.players, row.fingerprint
        if row.fingerprint and key in self._seen:
            self.duplicates += 1
            self._repeated.add(row.pair_id)
            return
        self._seen.add(key)
        if not row.is_void:
            self.distinct[int(2 * row.score(self.matchup.names[0]))] += 1

    def _complete(self, legs: Sequence[ResultRow]) -> None:
        if any(row.is_void for row in legs):
            return
        if self.matchup.game.match == 2:
            first, second = self.matchup.names
            winner, by_tiebreak = winner_of_match(legs, self.matchup.game.tiebreak)
            self.matches[{first: 0, None: 1, second: 2}[winner]] += 1
            self.tiebreaks += by_tiebreak
        if legs[0].pair_id in self._repeated:
            self.repeated_pairs += 1
            return
        for name, points in self._rounds.items():
            points.append(sum(row.score(name) for row in legs))
        if len(legs) == 2:
            self._pairs[int(2 * sum(row.score(self.matchup.names[0]) for row in legs))] += 1

    @property
    def wins(self) -> int:
        """Games that the first player won."""
        return self.scores[self.matchup.names[0]].wins

    @property
    def draws(self) -> int:
        """Drawn games."""
        return self.scores[self.matchup.names[0]].draws

    @property
    def losses(self) -> int:
        """Games that the first player lost."""
        return self.scores[self.matchup.names[0]].losses

    @property
    def games(self) -> int:
        """Games that count."""
        return self.scores[self.matchup.names[0]].games

    @property
    def pairs(self) -> tuple[int, ...]:
        """Complete pairs of distinct games by the points the first player took of them: 0, 1/2, 1, 3/2, 2."""
        return tuple(self._pairs)

    @property
    def unpaired(self) -> int:
        """Games whose partners are missing."""
        return sum(not row.is_void for legs in self._open.values() for row in legs)

    @property
    def estimate(self) -> Estimate | None:
        """Elo of the first player against the second from complete pairs, from single games while there are none."""
        if any(self._pairs):
            return estimate(self._pairs)
        return estimate(self.distinct) if any(self.distinct) else None

    def mean_points(self, player: str) -> tuple[float, float] | None:
        """Points a game of a player in complete rounds, with half the width of the 95 % interval; None before one."""
        # Equal points are added up in different orders.
        samples = [round(points / len(self.matchup.players), 9) for points in self._rounds[player]]
        if not samples:
            return None
        low, high = mean_interval(samples)
        return sum(samples) / len(samples), (high - low) / 2

    def failures_of(self, player: str) -> int:
        """How often a player failed."""
        return self.scores[player].failures.total()


def winner_of_match(legs: Sequence[ResultRow], tiebreak: str) -> tuple[str | None, bool]:
    """Who won a match of two games, None if nobody, and whether the tie-break decided.

    More points win. Source: "the one who won as black in less moves": with `black_moves`, where both won as Black, the
    game with fewer stones, passes not counted, wins.
    """
    one, other = legs
    for player in one.players:
        points = one.score(player) + other.score(player)
        if points > 1:
            return player, False
    both_as_black = one.winner == one.players[0] and other.winner == other.players[0]
    if tiebreak == "black_moves" and both_as_black and one.stones != other.stones:
        return (one if one.stones < other.stones else other).winner, True
    return None, False


def rows_of_match(config: MatchConfig, rows: Iterable[ResultRow]) -> list[ResultRow]:
    """The games of a match among those of a store, in which other matches and pairs beyond its last may lie, too."""
    pairs = {matchup.id: matchup.pairs * max(1, config.swiss_rounds) for matchup in config.matchups}
    # How often two meet there follows from the results.
    is_open_ended = config.tournament.type in ("knockout", "halving")
    return [row for row in rows if row.matchup in pairs and (is_open_ended or row.pair <= pairs[row.matchup])]


def tally_matchups(config: MatchConfig, rows: Iterable[ResultRow]) -> list[MatchupTally]:
    """One tally for each matchup, in their order; games of other matchups and pairs beyond the last do not count."""
    found = {matchup.id: MatchupTally(matchup) for matchup in config.matchups}
    for row in sorted(rows_of_match(config, rows), key=lambda row: (row.pair, row.leg)):
        found[row.matchup].add(row)
    return list(found.values())


def total_scores(found: Iterable[MatchupTally]) -> dict[str, PlayerScore]:
    """What every player did in all its matchups."""
    total: dict[str, PlayerScore] = {}
    for tally in found:
        for name, score in tally.scores.items():
            total.setdefault(name, PlayerScore()).join(score)
    return total


def too_many_failures(found: Sequence[MatchupTally]) -> str | None:
    """Why the match must stop, if a player failed as often as its games allow."""
    total = total_scores(found)
    for tally in found:
        limit = tally.matchup.game.max_failures
        for player in tally.matchup.names:
            count = total[player].failures.total() - total[player].failures[QUIT]
            if limit is not None and count >= limit and tally.failures_of(player):
                return f"{player} failed {count} times (max_failures: {limit})"
    return None


def rate_players(found: Sequence[MatchupTally]) -> tuple[list[str], Ratings | None]:
    """The players, and their strengths from all games of two; None where nothing connects them."""
    names = list(dict.fromkeys(name for tally in found for name in tally.matchup.names))
    if any(len(tally.matchup.players) != 2 for tally in found):
        return names, None
    index = {name: number for number, name in enumerate(names)}
    points = [[0.0] * len(names) for _ in names]
    for tally in found:
        one, other = (index[name] for name in tally.matchup.names)
        lost, drawn, won = tally.distinct
        points[one][other] += won + drawn / 2
        points[other][one] += lost + drawn / 2
    fitted = rate_points(names, points)
    if fitted is None:
        return names, None
    return names, rate_points(names, points, _spread(found, index, fitted))


def _spread(found: Sequence[MatchupTally], index: dict[str, int], fitted: Ratings) -> float:
    """How much the points of pairs vary about what the ratings expect, against two independent games without draws."""
    seen = expected = 0.0
    pairs = 0
    for tally in found:
        one, other = (index[name] for name in tally.matchup.names)
        share = score_of_elo(fitted.elo[one] - fitted.elo[other])
        for points, count in enumerate(tally.pairs):
            seen += count * (points / 2 - 2 * share) ** 2
            expected += count * 2 * share * (1 - share)
            pairs += count
    if pairs < _FEWEST_PAIRS or not expected:
        return 1.0
    return max(seen / expected, 1 / pairs)


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
    step = (
        sum(len(tally.matchup.players) for tally in tallies)
        if config.tournament.type != "swiss"
        else 2 * len(config.players)
    )
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
