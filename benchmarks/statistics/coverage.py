"""How often the 95 % interval of Elo holds the true one: `python -m benchmarks.statistics.coverage [--pairs 3,5,10]`.

For each number of pairs, kind of match and true score from 0.05 to 0.95: the share of matches whose interval holds the
truth. Where there are few possible results, each is weighed with its probability; otherwise 10,000 matches are
simulated, so that a share may be wrong by 0.5 %. A table goes to standard output: mean over the true scores, least and
most; then the mean and the least of each kind over all numbers of pairs.
"""

import argparse
from collections.abc import Iterator, Sequence
from math import comb, exp, lgamma, log
from statistics import fmean

import numpy as np

from gtp_variants.statistics import elo_of_score, estimate

TRUE_SCORES = [index / 20 for index in range(1, 20)]
# Most possible results that are all weighed.
_MOST_RESULTS = 2000
_MATCHES = 10_000
_COUNTS = (*range(3, 21), 25, 30, 40, 60, 100, 300, 1000)
# Less likely results are left out; their sum is far below the table's precision.
_NEGLIGIBLE = 1e-7


def independent(score: float) -> list[float]:
    """Return the chances of the five results of a pair with independent games."""
    return [(1 - score) ** 2, 0, 2 * score * (1 - score), 0, score**2]


def with_first_move(score: float) -> list[float]:
    """Return the chances if the first player's odds are e times better, which splits most pairs."""
    odds = score / (1 - score)
    first, second = odds * exp(1) / (1 + odds * exp(1)), odds / (odds + exp(1))
    return [(1 - first) * (1 - second), 0, first * (1 - second) + second * (1 - first), 0, first * second]


def same_luck(score: float) -> list[float]:
    """Return the chances if dice or openings decide half of the pairs, so one player wins both games."""
    alone = independent(score)
    return [alone[0] / 2 + (1 - score) / 2, 0, alone[2] / 2, 0, alone[4] / 2 + score / 2]


def with_draws(score: float) -> list[float]:
    """Return the chances if three games of ten are drawn."""
    win, draw, loss = 0.7 * score, 0.3, 0.7 * (1 - score)
    return [loss * loss, 2 * loss * draw, 2 * win * loss + draw * draw, 2 * win * draw, win * win]


KINDS = {f.__name__: f for f in (independent, with_first_move, same_luck, with_draws)}


def results(pairs: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to divide pairs among kinds of results."""
    if kinds == 1:
        yield (pairs,)
        return
    for count in range(pairs + 1):
        for rest in results(pairs - count, kinds - 1):
            yield (count, *rest)


def holds(counts: Sequence[int], elo: float) -> bool:
    """Return True if the interval of a match holds the true difference."""
    low, high = estimate(counts).interval
    return low <= elo <= high


def exact_coverage(chances: Sequence[float], pairs: int) -> float:
    """Return the probability that a match's interval holds the truth, over all possible results."""
    elo = elo_of_score(sum(index * chance for index, chance in enumerate(chances)) / 4)
    possible = [index for index, chance in enumerate(chances) if chance]
    total = weight = 0.0
    for found in results(pairs, len(possible)):
        logs = (count * log(chances[index]) - lgamma(count + 1) for index, count in zip(possible, found, strict=True))
        chance = exp(lgamma(pairs + 1) + sum(logs))
        if chance < _NEGLIGIBLE:
            continue
        counts = [0] * 5
        for index, count in zip(possible, found, strict=True):
            counts[index] = count
        weight += chance
        total += chance * holds(counts, elo)
    return total / weight


def simulated_coverage(chances: Sequence[float], pairs: int) -> float:
    """Return the share of simulated matches whose interval holds the truth."""
    elo = elo_of_score(sum(index * chance for index, chance in enumerate(chances)) / 4)
    drawn = np.random.RandomState(pairs).multinomial(pairs, chances, _MATCHES)
    found, times = np.unique(drawn, axis=0, return_counts=True)
    return sum(int(n) * holds(counts, elo) for counts, n in zip(found.tolist(), times, strict=True)) / _MATCHES


def coverages(kind: str, pairs: int) -> list[float]:
    """Return the coverage at each true score."""
    rows = [KINDS[kind](score) for score in TRUE_SCORES]
    is_exact = comb(pairs + sum(map(bool, rows[0])) - 1, pairs) <= _MOST_RESULTS
    return [(exact_coverage if is_exact else simulated_coverage)(row, pairs) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", default=",".join(map(str, _COUNTS)), help="numbers of pairs, by commas")
    args = parser.parse_args()
    print(f"{'pairs':>6}  {'kind':<16} {'mean':>7} {'least':>7} {'most':>7}")
    every: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for pairs in map(int, args.pairs.split(",")):
        for kind in KINDS:
            found = coverages(kind, pairs)
            every[kind] += found
            print(f"{pairs:>6}  {kind:<16} {fmean(found):7.1%} {min(found):7.1%} {max(found):7.1%}", flush=True)
    for kind, found in every.items():
        print(f"{'all':>6}  {kind:<16} {fmean(found):7.1%} {min(found):7.1%} {max(found):7.1%}")


if __name__ == "__main__":
    main()
