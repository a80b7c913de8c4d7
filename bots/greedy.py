"""A bot that looks one stone ahead: it takes, saves, gives atari, makes fives, and fears its own atari."""

from collections.abc import Sequence

import gtp_variants as gv

# What a point is worth, in stones: the order matters more than the sizes.
FIVE, BLOCK_FIVE, TAKE, SAVE, ATARI, OWN_ATARI = 10_000, 2_000, 10, 9, 3, -8
# A window of five without enemy stones, by how many of our own it holds.
WINDOW = (0.0, 0.2, 1.0, 6.0, 40.0)


class Greedy(gv.Seat):
    """Plays the point that gains most at once, a random one among equals."""

    def pick(self, view: gv.View, points: Sequence[int]) -> int:
        """One of the points with the highest gain."""
        gains = {point: self.gain(view, point) for point in points}
        best = max(gains.values())
        return self.rng.choice([point for point, gain in gains.items() if gain == best])

    def gain(self, view: gv.View, point: int) -> float:
        """What a stone on the point takes, saves, threatens or lines up."""
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
        """What the point is worth in rows of five, 0 on boards where no five counts."""
        worth = 0.0
        for five in self.rules.board.fives_at(point):
            there = [stones[member] for member in five if stones[member]]
            colours = set(there)
            if len(colours) == 1:
                own, count = colours == {self.colour}, len(there)
                worth += (FIVE if own else BLOCK_FIVE) if count == 4 else WINDOW[count] * (1.0 if own else 0.8)
        return worth
