"""Find out exactly who wins Alter Igo on small boards with best play.

    python -m benchmarks.strength.small_boards [SPEC ...]

The program works back from the positions in which every move loses to the empty board. Draws by repetition need no
history: a player who can win can win without repeating a board. Printed is the result and the number of positions
that play can reach, those that symmetries make equal counted once.
"""

import argparse
import sys
from collections import deque
from collections.abc import Sequence

import gtp_variants as gv
from gtp_variants.rules.colour_names import colour_name

SIZES = ((2, 2), (3, 2), (4, 2), (5, 2), (3, 3), (4, 3))
State = tuple[bytes, int]


def solve(rules: gv.Rules) -> str:
    """Return who wins from the empty board."""
    turns = gv.symmetries(rules).tolist()
    start: State = (bytes(len(rules.board)), rules.colours[0])
    parents: dict[State, list[State]] = {start: []}
    open_moves: dict[State, int] = {}
    lost: deque[State] = deque()
    waiting = [start]
    while waiting:
        state = waiting.pop()
        stones, mover = state
        position = rules.start({point: colour for point, colour in enumerate(stones) if colour}, mover)
        after = {
            _turned(turns, rules.play(position, action))
            for action in rules.legal(position)
            if not rules.loses(position, action)
        }
        open_moves[state] = len(after)
        if not after:
            lost.append(state)
        for child in after:
            if child not in parents:
                parents[child] = []
                waiting.append(child)
            parents[child].append(state)
    # Whether the side to move wins.
    results = dict.fromkeys(lost, False)
    while lost:
        state = lost.popleft()
        for parent in parents[state]:
            if parent in results:
                continue
            if results[state]:
                open_moves[parent] -= 1
            if not results[state] or open_moves[parent] == 0:
                results[parent] = not results[state]
                lost.append(parent)
    first, second = map(colour_name, rules.colours)
    winner = "a draw" if start not in results else f"{first if results[start] else second} wins"
    return f"{winner} ({len(parents):,} positions)"


def _turned(turns: Sequence[Sequence[int]], position: gv.Position) -> State:
    """Return a position's stones, the same under all symmetries, and its mover."""
    stones = position.stones
    turned = []
    for turn in turns:
        moved = bytearray(len(stones))
        for point, to in enumerate(turn):
            moved[to] = stones[point]
        turned.append(bytes(moved))
    return min(turned), position.mover


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = [f"alter-igo:width={width},height={height}" for width, height in SIZES]
    parser.add_argument("specs", nargs="*", default=usual)
    for spec in parser.parse_args(arguments).specs:
        print(f"{spec}: {solve(gv.parse(spec))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
