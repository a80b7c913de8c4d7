"""Pairings for a tournament: Swiss rounds by points, and round robins by the circle method."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count


def pair_rounds(names: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return the pairings of each round in a round robin, with balanced colours. Source: J. Schurig, 1886."""
    circle: list[str | None] = [*names, None] if len(names) % 2 else [*names]
    rounds = []
    for number in range(len(circle) - 1):
        meetings = []
        for index in range(len(circle) // 2):
            one, other = circle[index], circle[-1 - index]
            if one is not None and other is not None:
                swaps = number % 2 if index == 0 else index % 2
                meetings.append((other, one) if swaps else (one, other))
        rounds.append(meetings)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


class SwissStanding:
    """The standings of a Swiss tournament. `names` are in seeding order, which breaks ties.

    A player who sits out a round gets `pairs` points. `byes` lists, by player, the rounds sat out, counted from 1.
    """

    def __init__(self, names: Sequence[str], pairs: float = 1) -> None:
        self.names = names
        self.pairs = pairs
        self.points: dict[str, float] = dict.fromkeys(names, 0.0)
        self.byes: dict[str, list[int]] = {name: [] for name in names}
        self.met: Counter[frozenset[str]] = Counter()
        self._rounds = 0

    def add(self, scores: Mapping[str, float]) -> None:
        """Add the points of each player from a game. A void game adds none."""
        for player, score in scores.items():
            self.points[player] += score

    def pair_up(self) -> list[tuple[str, str]]:
        """Return the pairings for the next round, leaders first. If the number of players is odd, one sits out."""
        self._rounds += 1
        order = sorted(self.names, key=lambda name: (-self.points[name], self.names.index(name)))
        if len(order) % 2:
            # Of the players with the fewest byes, the lowest-placed sits out.
            out = min(reversed(order), key=lambda name: len(self.byes[name]))
            order.remove(out)
            self.byes[out].append(self._rounds)
            self.points[out] += self.pairs
        meetings = next(found for again in count() if (found := self._pair(order, again)) is not None)
        for meeting in meetings:
            self.met[frozenset(meeting)] += 1
        seed = self.names.index
        return [(one, other) if seed(one) < seed(other) else (other, one) for one, other in meetings]

    def _pair(self, order: Sequence[str], again: int) -> list[tuple[str, str]] | None:
        """Return a pairing with at most `again` repeated meetings in total, or None if there is none."""
        if not order:
            return []
        first, rest = order[0], order[1:]
        for index, other in enumerate(rest):
            cost = self.met[frozenset((first, other))]
            if cost > again:
                continue
            found = self._pair([*rest[:index], *rest[index + 1 :]], again - cost)
            if found is not None:
                return [(first, other), *found]
        return None
