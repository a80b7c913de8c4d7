"""The points' expected owners at the end of the game, from a search's own network or from playouts."""

import time
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from gtp_variants.errors import IllegalMove
from gtp_variants.players.thinking.sliced_search import SLICE_S
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.plain.playout import Playout
    from gtp_variants.ai.mcts.result import OwnerSums, SearchResult

# Minimum number of point owners to sample at a time: on a small board a few playouts would say little.
_FEWEST_OWNERS = 200


class OwnershipEstimate:
    """The expected owner of each point, from -1 for another side to 1 for `colour`.

    Owners come from the search if a network judged its leaves. Otherwise, and after moves without judged leaves, they
    come from playouts of the moves that the search considered.
    """

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules, self._colour = rules, colour
        self._sign = 1 if colour == rules.colours[0] else -1
        self._rng = Random(0)
        self._position: Position | None = None
        self._starts: dict[int, Playout | None] = {}
        # By move and point: playouts in which we own it minus playouts in which others do, and playouts with any owner.
        self._sums: dict[int, list[int]] = {}
        self._owned: dict[int, list[int]] = {}
        self._counts: dict[int, int] = {}
        self._count = 0

    def sample(self, position: Position, found: "SearchResult") -> None:
        """Run playouts from a searched position for a moment, unless the search knows all owners."""
        if position is not self._position:
            self._position = position
            self._starts = {}
        moves = [move for move, count in found.visits.items() if count and move not in found.leaf_owners]
        if not moves:
            if found.leaf_owners:
                return
            moves = [PASS]
        # Add 1, because a proved move may have no visits.
        weights = [found.visits.get(move, 0) + 1 for move in moves]
        # Sorted so that the most visited move is popped first.
        new = [move for move in moves if move not in self._counts]
        unseen = sorted(new, key=lambda move: found.visits.get(move, 0))
        until = time.monotonic() + SLICE_S
        # Count attempts, not successes: a position that is only a guess may allow none of the moves.
        fewest = max(1, _FEWEST_OWNERS // len(self._rules.board))
        tries = 0
        while tries < fewest or time.monotonic() < until:
            self._play(unseen.pop() if unseen else self._rng.choices(moves, weights)[0])
            tries += 1

    def after(self, found: "SearchResult", move: int) -> list[float] | None:
        """Return the expected owner of each point after a move, or None if unknown."""
        known = found.leaf_owners.get(move)
        if known is not None:
            return self._means(known)
        count = self._counts.get(move)
        return None if not count else [total / count for total in self._sums[move]]

    def spread_after(self, found: "SearchResult", move: int) -> list[float] | None:
        """Return the standard deviation of each point's owner after a move, or None if unknown."""
        known = found.leaf_owners.get(move)
        if known is not None:
            return self._deviations(known)
        shares, count = self.after(found, move), self._counts.get(move)
        return None if shares is None or not count else _spread(shares, [n / count for n in self._owned[move]])

    def shares(self, found: "SearchResult") -> list[float]:
        """Return the expected owner of each point, averaged over the moves, weighted by their visits."""
        known = found.leaf_owners.get(None)
        return self._mean(self._sums, found) if known is None else self._means(known)

    def spread(self, found: "SearchResult") -> list[float]:
        """Return the standard deviation of each point's owner."""
        known = found.leaf_owners.get(None)
        if known is not None:
            return self._deviations(known)
        return _spread(self.shares(found), self._mean(self._owned, found))

    def _means(self, known: "OwnerSums") -> list[float]:
        return [self._sign * total / known.count for total in known.sums]

    def _deviations(self, known: "OwnerSums") -> list[float]:
        return _spread(self._means(known), [square / known.count for square in known.squares])

    def _mean(self, numbers: dict[int, list[int]], found: "SearchResult") -> list[float]:
        weights = {move: max(1, found.visits.get(move, 0)) for move in self._counts}
        whole = sum(weights.values())
        means = [0.0] * len(self._rules.board)
        for move, weight in weights.items():
            part = weight / whole / self._counts[move]
            means = [mean + part * number for mean, number in zip(means, numbers[move], strict=True)]
        return means

    def _play(self, move: int) -> None:
        from gtp_variants.ai.mcts.plain.playouts import final_stones

        start = self._start_of(move)
        if start is None:
            return
        sums = self._sums.setdefault(move, [0] * len(self._rules.board))
        owned = self._owned.setdefault(move, [0] * len(self._rules.board))
        for owner, points in enumerate(areas(self._rules.board, final_stones(start, self._count))):
            for point in points if owner != EMPTY else ():
                sums[point] += 1 if owner == self._colour else -1
                owned[point] += 1
        self._counts[move] = self._counts.get(move, 0) + 1
        self._count += 1

    def _start_of(self, move: int) -> "Playout | None":
        """Return the start for playouts after a move, or None if the move is illegal in this guessed position."""
        from gtp_variants.ai.mcts.plain.playouts import begin_playout

        if move not in self._starts:
            position = self._position
            assert position is not None
            try:
                after = self._rules.play(position, move)
                position = position if self._rules.is_over(after) else after
            except IllegalMove:
                position = position if move == PASS else None
            self._starts[move] = None if position is None else begin_playout(self._rules, position)
        return self._starts[move]


def _spread(means: Sequence[float], squares: Sequence[float]) -> list[float]:
    return [max(0.0, square - mean * mean) ** 0.5 for mean, square in zip(means, squares, strict=True)]
