"""Ratings of many players from all their games: the Bradley-Terry model, with a draw as half a win for each.

At maximum likelihood every player's score is what the ratings predict. Newton's method finds this point, and the
inverse of the information at this point is the covariance.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from gtp_variants.statistics.estimates import Z, score_of_elo

_PER_ELO = 0.005756462732485115  # ln 10 / 400
_ROUNDS = 100
_CLOSE = 1e-10
_LONGEST_STEP = 2.0
# Number of imagined games, half of them won, added between players who met, if strengths would otherwise be infinite.
PRIOR = 1.0
# Information about the mean of all strengths, added to make the matrix invertible: games say nothing about the mean.
_ANCHOR = 1e-6

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class Ratings:
    """The Elo of each of the `players`, with mean 0, and the covariance of these Elo values."""

    players: tuple[str, ...]
    elo: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    has_prior: bool  # True if imagined games were added, because a group won or lost every game against the others

    def error(self, player: int) -> float:
        """Return half the width of a player's 95 % interval."""
        return Z * sqrt(max(0.0, self.covariance[player][player]))

    def difference(self, player: int, other: int) -> tuple[float, float]:
        """Return the Elo difference of one player to another, and its standard error."""
        matrix = self.covariance
        variance = matrix[player][player] + matrix[other][other] - 2 * matrix[player][other]
        return self.elo[player] - self.elo[other], sqrt(max(0.0, variance))


def rate(games: Iterable[tuple[str, str, float]]) -> Ratings | None:
    """Return the ratings from games, each given as two players and the score of the first, from 0 to 1.

    Returns None without games or if games do not connect all players. Raises ValueError for a score out of range.
    """
    index: dict[str, int] = {}
    taken: dict[tuple[int, int], float] = defaultdict(float)
    for first, second, score in games:
        if not 0 <= score <= 1:
            raise ValueError(f"{first} against {second}: expected a score from 0 to 1, not {score}")
        one, other = (index.setdefault(name, len(index)) for name in (first, second))
        taken[one, other] += score
        taken[other, one] += 1 - score
    return rate_points(tuple(index), [[taken[i, j] for j in range(len(index))] for i in range(len(index))])


def rate_points(players: Sequence[str], points: Sequence[Sequence[float]], spread: float = 1.0) -> Ratings | None:
    """Return the ratings from `points[i][j]`, the points that player i scored against player j.

    `spread` is the variance of results relative to independent games without draws. Draws and pairs of games
    with the same dice reduce the variance, and pairs that repeat each other increase it. Returns None if some players
    are not connected by games.
    """
    count = len(points)
    played = [[points[i][j] + points[j][i] for j in range(count)] for i in range(count)]
    if count < 2 or len(_reach(played)) < count:
        return None
    has_prior = not (len(_reach(points)) == len(_reach(list(zip(*points, strict=True)))) == count)
    if has_prior:
        points = [[points[i][j] + PRIOR / 2 * (played[i][j] > 0) for j in range(count)] for i in range(count)]
        played = [[points[i][j] + points[j][i] for j in range(count)] for i in range(count)]
    strengths = [0.0] * count
    information: Matrix = []
    for _ in range(_ROUNDS):
        expected = [[score_of_elo(strengths[i] - strengths[j]) for j in range(count)] for i in range(count)]
        missing = [sum(points[i][j] - played[i][j] * expected[i][j] for j in range(count)) for i in range(count)]
        information = _information(played, expected)
        step = _solve(information, [[value * _PER_ELO] for value in missing])
        longest = max(abs(row[0]) for row in step) * _PER_ELO
        damping = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        strengths = [strength + damping * row[0] for strength, row in zip(strengths, step, strict=True)]
        if longest < _CLOSE:
            break
    mean = sum(strengths) / count
    # Subtract the contribution of `_ANCHOR`.
    inverse = _solve(information, [[float(i == j) for j in range(count)] for i in range(count)])
    anchored = 1 / (count * count * _ANCHOR)
    covariance = [[spread * (value - anchored) for value in row] for row in inverse]
    return Ratings(tuple(players), tuple(value - mean for value in strengths), tuple(map(tuple, covariance)), has_prior)


def _information(played: Sequence[Sequence[float]], expected: Matrix) -> Matrix:
    """Return the games' information about the strengths, with a little information about their mean added."""
    count = len(played)
    found = [[_ANCHOR] * count for _ in range(count)]
    for i in range(count):
        for j in range(count):
            if i != j:
                weight = played[i][j] * expected[i][j] * expected[j][i] * _PER_ELO**2
                found[i][i] += weight
                found[i][j] -= weight
    return found


def _reach(points: Sequence[Sequence[float]]) -> set[int]:
    """Return the players reached from the first by steps from a player to any opponent against whom they scored."""
    found, queue = {0}, [0]
    for player in queue:
        for other, value in enumerate(points[player]):
            if value > 0 and other not in found:
                found.add(other)
                queue.append(other)
    return found


def _solve(matrix: Matrix, right: Matrix) -> Matrix:
    """Return the solution x of matrix * x = right, by elimination."""
    rows = [list(row) + list(more) for row, more in zip(matrix, right, strict=True)]
    count = len(rows)
    for column in range(count):
        best = max(range(column, count), key=lambda row: abs(rows[row][column]))
        rows[column], rows[best] = rows[best], rows[column]
        head = rows[column]
        for row in range(count):
            if row != column and rows[row][column]:
                factor = rows[row][column] / head[column]
                rows[row] = [value - factor * lead for value, lead in zip(rows[row], head, strict=True)]
    return [[value / rows[index][index] for value in rows[index][count:]] for index in range(count)]
