"""A bot that looks one stone ahead: it captures, saves, gives atari, makes fives, and avoids its own atari."""

from collections.abc import Sequence

import gtp_variants as gv

# Values of a point, in stones. Their order matters more than their sizes.
FIVE, BLOCK_FIVE, TAKE, SAVE, ATARI, OWN_ATARI = 10_000, 2_000, 10, 9, 3, -8
# The value of five points in a row without enemy stones, by the number of own stones.
WINDOW = (0.0, 0.2, 1.0, 6.0, 40.0)


class Greedy(gv.Seat):
    """Plays the point with the largest immediate gain, and breaks ties at random."""

    def pick(self, view: gv.View, points: Sequence[int]) -> int:
        """Return one of the points with the highest gain."""
        gains = {point: self.gain(view, point) for point in points}
        best = max(gains.values())
        return self.rng.choice([point for point, gain in gains.items() if gain == best])

    def gain(self, view: gv.View, point: int) -> float:
        """Return the value of a stone on a point, from what it captures, saves, threatens or lines up."""
        board = self.rules.board
        gain = self.lines(view.stones, point)
        seen: set[int] = set()
        for near in board.neighbours[point]:
            owner = view.stones[near]
            if not owner or near in seen:
                continue
            chain = gv.chain(board, view.stones, near)
            seen.update(chain)
            left = len(gv.liberties(board, view.stones, chain))
            if owner != self.colour:
                gain += {1: TAKE * len(chain), 2: ATARI + 0.1 * len(chain)}.get(left, 0)
            elif left == 1 and self.liberties_after(view, point) > 1:
                gain += SAVE * len(chain)
        return gain + (OWN_ATARI if gain < TAKE and self.liberties_after(view, point) == 1 else 0)

    def lines(self, stones: bytes, point: int) -> float:
        """Return the value of a point for making rows of five, or 0 on boards where they do not count."""
        worth = 0.0
        for five in self.rules.board.fives_at(point):
            there = [stones[member] for member in five if stones[member]]
            colours = set(there)
            if len(colours) == 1:
                own, count = colours == {self.colour}, len(there)
                worth += (FIVE if own else BLOCK_FIVE) if count == 4 else WINDOW[count] * (1.0 if own else 0.8)
        return worth
