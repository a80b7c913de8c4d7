"""Sequential halving: of many candidates the better half goes on, round by round, until one is left.

A budget of pairs is shared by the rounds, and within a round by those who are left, so that who is hard to tell apart
plays most. Source: Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits" (2013).
"""

from collections.abc import Sequence

from gtp_variants.arena.result_row import ResultRow


class HalvingStanding:
    """Candidates who are halved by their points. `pairs` are all that may be played.

    With `seeds` candidates meet these, and all their points count, as everybody has met the same; without they meet
    each other, and those of the round count. Of equals who is named first goes on.
    """

    def __init__(self, candidates: Sequence[str], pairs: int, seeds: Sequence[str] = ()) -> None:
        self.rounds: list[list[str]] = []
        self.winner: str | None = None
        self.points = dict.fromkeys(candidates, 0.0)
        self._candidates = list(candidates)
        self._pairs = pairs
        self._seeds = list(seeds)

    def add(self, row: ResultRow) -> None:
        """Count a game."""
        for player in row.players:
            if player in self.points:
                self.points[player] += row.score(player)

    def pair_up(self) -> list[tuple[str, str, int]]:
        """Who meets in the next round, in how many pairs; none when one is left."""
        alive = self.survivors()
        if len(alive) < 2:
            self.winner = alive[0]
            return []
        self.rounds.append(alive)
        each = pairs_each(len(self._candidates), len(alive), self._pairs, len(self._seeds))
        if self._seeds:
            return [(seed, name, each) for name in alive for seed in self._seeds]
        self.points = dict.fromkeys(alive, 0.0)
        return _meet_each_other(alive, each)

    def lines(self) -> list[str]:
        """Who was in every round, the best of the round before first, and who is left."""
        found = [f"Round {number}: {', '.join(names)}" for number, names in enumerate(self.rounds, 1)]
        return [*found, f"Left: {self.winner}"] if self.winner else found

    def survivors(self) -> list[str]:
        """Who goes on after what has been played, the best first."""
        if not self.rounds:
            return self._candidates
        last = self.rounds[-1]
        order = sorted(last, key=lambda name: (-self.points[name], self._candidates.index(name)))
        return order[: (len(last) + 1) // 2]


def count_rounds(candidates: int) -> int:
    """How many rounds leave one of so many."""
    return (candidates - 1).bit_length()


def pairs_each(candidates: int, alive: int, pairs: int, seeds: int) -> int:
    """How many pairs each meeting of a round has: with each seed, or with each of a row of other candidates."""
    meetings = alive * seeds if seeds else alive // 2
    return max(1, pairs // (count_rounds(candidates) * meetings))


def count_pairs(candidates: int, pairs: int, seeds: int) -> int:
    """How many pairs there are in all rounds: the budget, but that everybody plays at least one pair a round."""
    total, alive = 0, candidates
    while alive > 1:
        meetings = alive * seeds if seeds else alive // 2
        total += meetings * pairs_each(candidates, alive, pairs, seeds)
        alive = (alive + 1) // 2
    return total


def _meet_each_other(alive: Sequence[str], count: int) -> list[tuple[str, str, int]]:
    """Everybody plays `count` pairs, each against another as far as there are others: the circle method."""
    circle: list[str | None] = [*alive, *([None] if len(alive) % 2 else [])]
    found: dict[tuple[str, str], int] = {}
    for _ in range(count):
        for one, other in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if one is not None and other is not None:
                meeting = (one, other) if alive.index(one) < alive.index(other) else (other, one)
                found[meeting] = found.get(meeting, 0) + 1
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [(one, other, pairs) for (one, other), pairs in found.items()]
