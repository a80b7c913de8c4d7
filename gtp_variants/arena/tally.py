"""Counts of the games for each matchup and player, and the players' Elo with 95 % intervals."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from gtp_variants.arena.config.match_config import MatchConfig, Matchup
from gtp_variants.arena.result_row import KILLED, QUIT, TAMPERED, UNJUDGED, ResultRow
from gtp_variants.players.agreements import winner_of_match
from gtp_variants.statistics.estimates import Estimate, estimate, mean_interval, score_of_elo
from gtp_variants.statistics.ratings import Ratings, rate_points

# Minimum number of pairs for estimating the spread of results.
_FEWEST_PAIRS = 20
# Maximum number of void games after which the players of a matchup still meet.
MOST_INTERFERENCES = 2


@dataclass(slots=True)
class PlayerScore:
    """A player's score: the games that count, their results, places among three, failures by kind, and times."""

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

    def add(self, row: ResultRow, player: str) -> None:
        """Count one more game of `player`."""
        self.failures.update(kind for who, kind, _ in row.failures if who in (player, ""))
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

    def join(self, other: "PlayerScore") -> None:
        """Add another score of the same player to this one."""
        slowest_s = max(self.slowest_s, other.slowest_s)
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        self.slowest_s = slowest_s


class MatchupTally:
    """The counts of one matchup's games; with two players, from the first player's point of view.

    A game with the same events and seats as an earlier one is a duplicate: its result counts, but it is no new
    evidence. Estimates therefore use `distinct`, which counts equal games only once, and `pairs`, which counts only the
    first of the pairs that share a game. Games must be added in the order of the schedule.
    """

    def __init__(self, matchup: Matchup) -> None:
        self.matchup = matchup
        self.scores = {name: PlayerScore() for name in matchup.names}
        self.count = self.void = self.drawn = self.adjudicated = self.interferences = 0
        self.took_s = 0.0
        # Number of games won by Black, White and Red.
        self.by_colour = [0] * len(matchup.players)
        # Number of games that the first player lost, drew and won, without duplicates.
        self.distinct = [0, 0, 0]
        self.duplicates = self.repeated_pairs = 0
        self.tampered: list[ResultRow] = []
        self.interfered: list[ResultRow] = []
        self.unjudged: list[ResultRow] = []
        # Number of two-game matches won, tied and lost, and number of matches decided by the tie-break.
        self.matches = [0, 0, 0]
        self.tiebreaks = 0
        self._pairs = [0] * 5
        self._rounds: dict[str, list[float]] = {name: [] for name in matchup.names}
        self._open: dict[int, list[ResultRow]] = {}
        self._seen: set[tuple[tuple[str, ...], str]] = set()
        # Ids of the pairs that have a duplicate.
        self._repeated: set[str] = set()

    def add(self, row: ResultRow) -> None:
        """Count one more game."""
        for name, score in self.scores.items():
            score.add(row, name)
        self.count += 1
        self.took_s += row.took_s
        self.void += row.is_void
        self.interferences += row.interferences
        self.interfered += [row] if row.interferences else []
        self.tampered += [row] if row.why.startswith(TAMPERED) else []
        self.unjudged += [row] if row.why.startswith(UNJUDGED) else []
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
            games = [(row.players, row.winner, row.stones) for row in legs]
            winner, by_tiebreak = winner_of_match(games, self.matchup.game.tiebreak == "black_moves")
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
    def first(self) -> PlayerScore:
        """The score of the first player."""
        return self.scores[self.matchup.names[0]]

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.first.games

    @property
    def pairs(self) -> tuple[int, ...]:
        """The numbers of complete pairs of distinct games in which the first player got 0, 1/2, 1, 3/2 and 2 points."""
        return tuple(self._pairs)

    @property
    def unpaired(self) -> int:
        """The number of games in incomplete pairs."""
        return sum(not row.is_void for legs in self._open.values() for row in legs)

    @property
    def estimate(self) -> Estimate | None:
        """The Elo of the first player against the second, from complete pairs or, before the first, from games."""
        if any(self._pairs):
            return estimate(self._pairs)
        return estimate(self.distinct) if any(self.distinct) else None

    def mean_points(self, player: str) -> tuple[float, float, float] | None:
        """Return a player's mean points a game in complete rounds, and the interval's bounds; None without rounds."""
        # Round, so that sums of the same points in different orders are equal.
        samples = [round(points / len(self.matchup.players), 9) for points in self._rounds[player]]
        return (sum(samples) / len(samples), *mean_interval(samples)) if samples else None


def rows_of_match(config: MatchConfig, rows: Iterable[ResultRow]) -> list[ResultRow]:
    """Return the games that belong to a match. A store may also have other games, and pairs with too high numbers."""
    pairs = {matchup.id: matchup.pairs * max(1, config.swiss_rounds) for matchup in config.matchups}
    # In these tournaments, results decide how often two players meet, so no number of pairs is too high.
    is_open_ended = config.tournament.type in ("knockout", "halving")
    return [row for row in rows if row.matchup in pairs and (is_open_ended or row.pair <= pairs[row.matchup])]


def tally_matchups(config: MatchConfig, rows: Iterable[ResultRow]) -> list[MatchupTally]:
    """Return a tally of the games that belong to the match for each matchup, in the order of the matchups."""
    found = {matchup.id: MatchupTally(matchup) for matchup in config.matchups}
    for row in sorted(rows_of_match(config, rows), key=lambda row: (row.pair, row.leg)):
        found[row.matchup].add(row)
    return list(found.values())


def total_scores(found: Iterable[MatchupTally]) -> dict[str, PlayerScore]:
    """Return the scores of all players, each over all matchups of the player."""
    total: dict[str, PlayerScore] = {}
    for tally in found:
        for name, score in tally.scores.items():
            total.setdefault(name, PlayerScore()).join(score)
    return total


def too_many_failures(found: Sequence[MatchupTally]) -> str | None:
    """Return the reason to stop if a player has failed `max_failures` times; None otherwise."""
    total = total_scores(found)
    for tally in found:
        limit = tally.matchup.game.max_failures
        for player in tally.matchup.names:
            failures = total[player].failures
            count = failures.total() - failures[QUIT] - failures[KILLED]
            if limit is not None and count >= limit and tally.scores[player].failures:
                return f"{player} failed {count} times (max_failures: {limit})"
    return None


def interfered_matchups(found: Iterable[MatchupTally]) -> dict[str, str]:
    """Return the ids of the matchups that stop because of interference, each with the reason."""
    return {
        tally.matchup.id: f"{' against '.join(tally.matchup.names)} is stopped: {tally.interferences} games were void, "
        "as somebody killed or stopped a player or the referee, or memory ran out; `reset` begins again"
        for tally in found
        if tally.interferences > MOST_INTERFERENCES
    }


def rate_players(found: Sequence[MatchupTally]) -> Ratings | None:
    """Return the players' ratings; None in games of three, or if no chain of games connects all players."""
    names = list(dict.fromkeys(name for tally in found for name in tally.matchup.names))
    if any(len(tally.matchup.players) != 2 for tally in found):
        return None
    index = {name: number for number, name in enumerate(names)}
    points = [[0.0] * len(names) for _ in names]
    for tally in found:
        one, other = (index[name] for name in tally.matchup.names)
        lost, drawn, won = tally.distinct
        points[one][other] += won + drawn / 2
        points[other][one] += lost + drawn / 2
    fitted = rate_points(names, points)
    return fitted and rate_points(names, points, _spread(found, index, fitted))


def _spread(found: Sequence[MatchupTally], index: dict[str, int], fitted: Ratings) -> float:
    """Return the variance of pairs' points around the ratings' prediction, relative to independent games."""
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
    """An Elo difference and the bounds of its 95 % interval."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloPoint:
    """The Elo of each player after a given number of games."""

    games: int
    elos: dict[str, EloInterval]


def elo_by_player(
    tallies: Sequence[MatchupTally], ratings: Ratings | None, found: Estimate | None
) -> dict[str, EloInterval]:
    """Return each player's Elo against the mean of all others, or {}. `found` is the estimate of a match for two."""
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
    """Return at most 100 points of the Elo history: one after every 2^n pairs per matchup, and one at the end."""
    in_order = list(rows)
    # The time to compute a point grows with the cube of the number of players, so many players get fewer points.
    most = max(10, min(100, 400 // max(1, len(config.players))))
    tallies = tally_matchups(config, ())
    tally_of = {tally.matchup.id: tally for tally in tallies}
    is_swiss = config.tournament.type == "swiss"
    step = 2 * len(config.players) if is_swiss else sum(len(tally.matchup.players) for tally in tallies)
    while step and len(in_order) > most * step:
        step *= 2
    points = []
    for count, row in enumerate(in_order, 1):
        tally_of[row.matchup].add(row)
        if count % step == 0 or count == len(in_order):
            met = [tally for tally in tallies if tally.count]
            elos = elo_by_player(met, rate_players(met), met[0].estimate if len(met) == 1 else None)
            points += [EloPoint(count, elos)] if elos else []
    return points
