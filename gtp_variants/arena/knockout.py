"""Knockout: who loses a meeting is out, and whoever is left at the end has won."""

from collections import defaultdict
from collections.abc import Sequence

from gtp_variants.arena.result_row import ResultRow

# After so many pairs beyond those of a meeting that is still level the better seed goes through.
MOST_EXTRA = 10


class KnockoutStanding:
    """The bracket of a knockout of `pairs` pairs a meeting. `names` are in the order of their seeds, the best first.

    The best seeds sit out the first round where the players are no power of two, and meet as late as can be. A meeting
    that is level goes on pair by pair.
    """

    def __init__(self, names: Sequence[str], pairs: int) -> None:
        self.rounds: list[list[tuple[str, str]]] = []
        self._results: list[list[str]] = []
        self.points: dict[str, float] = {}
        self._names = list(names)
        self._pairs = pairs
        self._extra: dict[tuple[str, str], int] = defaultdict(int)
        self._alive = list(names)

    def add(self, row: ResultRow) -> None:
        """Count a game of the present round."""
        for player in row.players:
            self.points[player] = self.points.get(player, 0.0) + row.score(player)

    def pair_up(self) -> list[tuple[str, str, int]]:
        """Who plays next, in how many pairs: the meetings that are level once more, else the next round, else none."""
        open_meetings = [meeting for meeting in self.rounds[-1] if self._is_open(meeting)] if self.rounds else []
        for meeting in open_meetings:
            self._extra[meeting] += 1
        if open_meetings:
            return [(*meeting, 1) for meeting in open_meetings]
        if self.rounds:
            losers = {self.loser(meeting) for meeting in self.rounds[-1]}
            self._results.append([self._words(meeting) for meeting in self.rounds[-1]])
            self._alive = [name for name in self._alive if name not in losers]
        if len(self._alive) < 2:
            return []
        self.rounds.append(self._next_meetings())
        self.points = {}
        self._extra.clear()
        return [(*meeting, self._pairs) for meeting in self.rounds[-1]]

    def _next_meetings(self) -> list[tuple[str, str]]:
        """The best seed of those left meets the worst, and so on; byes go to the best."""
        size = 1 << (len(self._alive) - 1).bit_length()
        playing = self._alive[size - len(self._alive) :]
        return [(playing[index], playing[-1 - index]) for index in range(len(playing) // 2)]

    def _is_open(self, meeting: tuple[str, str]) -> bool:
        one, other = meeting
        level = self.points.get(one, 0.0) == self.points.get(other, 0.0)
        return level and self._extra[meeting] < MOST_EXTRA

    def _words(self, meeting: tuple[str, str]) -> str:
        loser = self.loser(meeting)
        winner = meeting[meeting[0] == loser]
        return f"{winner} - {loser} {self.points.get(winner, 0.0):g}:{self.points.get(loser, 0.0):g}"

    def lines(self) -> list[str]:
        """What every round came to that is over, and who won."""
        found = [f"Round {number}: {', '.join(words)}" for number, words in enumerate(self._results, 1)]
        return [*found, f"Winner: {self.winner}"] if self.winner else found

    def loser(self, meeting: tuple[str, str]) -> str:
        """Who of a meeting of the present round is out: who has fewer points, of equals the worse seed."""
        return min(meeting, key=lambda name: (self.points.get(name, 0.0), -self._names.index(name)))

    @property
    def winner(self) -> str | None:
        """Who won the last meeting; None before it is over."""
        if len(self._alive) == 1:
            return self._alive[0]
        return None
