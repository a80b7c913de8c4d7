"""Find out exactly who wins Alter Igo on small boards with best play.

    python -m benchmarks.strength.small_boards [SPEC ...]

The program works back from the positions in which every move loses to the empty board. Draws by repetition need no
history: a player who can win can win without repeating a board. Printed is the result, the number of moves of the
quickest win against the longest defence until every move loses, and the number of positions that play can reach.
Positions that differ by a symmetry or by swapped colours count once.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import gtp_variants as gv
from gtp_variants.rules.colour_names import colour_name

SIZES = ((2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (3, 3), (4, 3), (5, 3), (4, 4))
# Maximum number of points, and the number of positions whose moves are worked out at a time.
_MOST_POINTS = 16
_AT_A_TIME = 1 << 18

Masks = NDArray[np.uint16]
Numbers = NDArray[np.int32]


class Boards:
    """Boards of Alter Igo as pairs of bit masks: the stones of the side to move, and those of the other side."""

    def __init__(self, rules: gv.Rules) -> None:
        count = len(rules.board)
        if rules.name != "alter-igo" or rules.values["white_passes"] or count > _MOST_POINTS:
            raise ValueError(f"{rules.spec}: expected alter-igo without passes and with {_MOST_POINTS} points at most")
        masks = np.arange(1 << count)
        bits = masks[:, None] >> np.arange(count) & 1
        self.count = count
        self._all = np.uint16((1 << count) - 1)
        self._near = np.zeros(len(masks), np.uint16)
        for point in range(count):
            for near in rules.board.neighbours[point]:
                self._near |= (bits[:, point] << near).astype(np.uint16)
        # A board's number under each symmetry is the sum of its own stones' number and twice that of the others'.
        turns = gv.symmetries(rules)
        self._numbers = [(bits @ 3 ** np.asarray(turn, np.int64)).astype(np.int32) for turn in turns]

    def play(self, own: Masks, others: Masks, point: int) -> tuple[NDArray[np.bool_], Masks, Masks]:
        """Return which boards allow a move that does not lose at once, and these boards after it."""
        bit = np.uint16(1 << point)
        is_free = (own | others) & bit == 0
        placed, others = own[is_free] | bit, others[is_free]
        kept, others_kept = self._with_liberty(placed, others), self._with_liberty(others, placed)
        is_safe = (placed ^ kept != bit) | (others != others_kept)
        is_free[is_free] = is_safe
        return is_free, others_kept[is_safe], kept[is_safe]

    def _with_liberty(self, stones: Masks, others: Masks) -> Masks:
        """Return the stones whose chains have a liberty."""
        found: Masks = stones & self._near[~(stones | others) & self._all]
        while True:
            more = found | (stones & self._near[found])
            if (more == found).all():
                return found
            found = more

    def number(self, own: Masks, others: Masks) -> Numbers:
        """Return the numbers of boards, equal under all symmetries."""
        found: Numbers = np.minimum.reduce([numbers[own] + 2 * numbers[others] for numbers in self._numbers])
        return found


def solve(rules: gv.Rules) -> str:
    """Return who wins Alter Igo from the empty board."""
    boards = Boards(rules)
    # The position with each number, or -1. Positions are found in the order of the moves that reach them.
    known = np.full(3**boards.count, -1, np.int32)
    empty = np.zeros(1, np.uint16)
    known[boards.number(empty, empty)] = 0
    own, others = [empty], [empty]
    parents, children = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    done, count = 0, 1
    while done < count:
        at, found = np.concatenate(own)[done:count], np.concatenate(others)[done:count]
        for first in range(0, len(at), _AT_A_TIME):
            piece = slice(first, first + _AT_A_TIME)
            for point in range(boards.count):
                is_safe, *after = boards.play(at[piece], found[piece], point)
                numbers = boards.number(*after)
                news, places = np.unique(numbers, return_index=True)
                places = places[known[news] < 0]
                known[numbers[places]] = np.arange(count, count + len(places))
                count += len(places)
                own.append(after[0][places])
                others.append(after[1][places])
                parents.append((done + first + np.flatnonzero(is_safe)).astype(np.int32))
                children.append(known[numbers])
        done += len(at)
    plies = _work_back(np.concatenate(parents), np.concatenate(children), count)
    if plies[0] < 0:
        return f"a draw ({count:,} positions)"
    winner = colour_name(rules.colours[1 - plies[0] % 2])
    return f"{winner} wins in {plies[0]} moves ({count:,} positions)"


def _work_back(parents: Numbers, children: Numbers, count: int) -> Numbers:
    """Return the moves until the loser has to lose, an even number if the side to move loses; -1 for draws."""
    open_moves = np.bincount(parents, minlength=count)
    order = np.argsort(children, kind="stable")
    parents, ends = parents[order], np.searchsorted(children[order], np.arange(count + 1))
    plies = np.where(open_moves == 0, 0, -1).astype(np.int32)
    now = np.flatnonzero(plies == 0)
    for ply in range(1, count):
        if not len(now):
            break
        counts = ends[now + 1] - ends[now]
        starts = np.repeat(ends[now] - np.cumsum(counts) + counts, counts)
        above = parents[starts + np.arange(counts.sum())]
        above = above[plies[above] < 0]
        if ply % 2:
            now = np.unique(above)
        else:
            np.subtract.at(open_moves, above, 1)
            now = np.unique(above[open_moves[above] == 0])
        plies[now] = ply
    return plies


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = [f"alter-igo:width={width},height={height}" for width, height in SIZES]
    parser.add_argument("specs", nargs="*", default=usual)
    for spec in parser.parse_args(arguments).specs:
        print(f"{spec}: {solve(gv.parse(spec))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
