"""Whether a machine that plays games for a match gets other results than the others: a chi-square test.

For each matchup the wins, draws, losses and failures of one machine stand against those of all others. A machine that
is slower than the others, has another version of a program, or makes results up differs; of a thousand honest ones one
does so by chance.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import erfc, exp, pi, sqrt

from gtp_variants.arena.result_row import ResultRow

# fishtest purges workers at this level.
SUSPICIOUS = 0.001
# A column in which fewer are expected says nothing that the chi-square distribution describes.
_FEWEST_EXPECTED = 5.0


@dataclass(slots=True)
class MachineTally:
    """The results of one machine: by matchup how many games came out how."""

    results: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, row: ResultRow) -> None:
        """Count a game."""
        first = min(row.players)
        result = (
            "failure" if row.failures else "drawn" if row.winner is None else "won" if row.winner == first else "lost"
        )
        self.results.setdefault(row.matchup, Counter())[result] += 1

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(each.total() for each in self.results.values())


def differing_machines(tallies: Mapping[str, MachineTally]) -> dict[str, float]:
    """The machines whose results differ from those of all others, with how likely that is by chance."""
    chances = {
        name: chance_of(tally, [other for key, other in tallies.items() if key != name])
        for name, tally in tallies.items()
    }
    return {name: chance for name, chance in chances.items() if chance < SUSPICIOUS}


def chance_of(tally: MachineTally, others: Iterable[MachineTally]) -> float:
    """How likely one machine would differ from others at least so much by chance; 1 where there are too few games."""
    rest: dict[str, Counter[str]] = {}
    for other in others:
        for matchup, counts in other.results.items():
            rest.setdefault(matchup, Counter()).update(counts)
    total, degrees = 0.0, 0
    for matchup, ours in tally.results.items():
        found, freedom = _chi_square(ours, rest.get(matchup, Counter()))
        total, degrees = total + found, degrees + freedom
    return chi_square_tail(total, degrees) if degrees else 1.0


def _chi_square(ours: Counter[str], theirs: Counter[str]) -> tuple[float, int]:
    """The statistic of two rows of counts and its degrees of freedom; rare results are counted together."""
    share = ours.total() / max(1, ours.total() + theirs.total())
    smaller = min(share, 1 - share)
    columns: list[list[int]] = []
    rare = [0, 0]
    for key in sorted(ours | theirs):
        counts = [ours[key], theirs[key]]
        if sum(counts) * smaller >= _FEWEST_EXPECTED:
            columns.append(counts)
        else:
            rare = [rare[0] + counts[0], rare[1] + counts[1]]
    if sum(rare) * smaller >= _FEWEST_EXPECTED:
        columns.append(rare)
    if len(columns) < 2:
        return 0.0, 0
    sums = [sum(column[row] for column in columns) for row in (0, 1)]
    expected = [[sum(column) * sums[row] / sum(sums) for row in (0, 1)] for column in columns]
    statistic = sum(
        (column[row] - wished[row]) ** 2 / wished[row]
        for column, wished in zip(columns, expected, strict=True)
        for row in (0, 1)
    )
    return statistic, len(columns) - 1


def chi_square_tail(value: float, degrees: int) -> float:
    """How likely a chi-square variable is at least this large: the series that ends, for whole degrees of freedom."""
    if value <= 0:
        return 1.0
    half = value / 2
    tail, term = (exp(-half), exp(-half)) if degrees % 2 == 0 else (erfc(sqrt(half)), 2 * exp(-half) * sqrt(half / pi))
    first = 2 if degrees % 2 == 0 else 1
    for freedom in range(first, degrees, 2):
        if degrees % 2 == 0:
            term *= half / (freedom / 2)
            tail += term
        else:
            tail += term
            term *= half / (freedom / 2 + 1)
    return min(1.0, tail)
