"""Make the opening sets in configs/openings: a few random moves, all different, with even chances.

    python -m benchmarks.strength.openings NAME [--count 200] [--playouts 20000] > configs/openings/NAME.txt

Every line is a list of moves and, as a comment, the share of points that the search expects for the side to move.
No side's share, of two or three, is further from an equal one than the set allows. The package's network judges, where
it has one that pays here: without one a search sees little of what decides Pentalath.
Two openings are alike where a symmetry of the board makes one position of them. Takes minutes; needs the kernel.
"""

import argparse
import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import gtp_variants as gv
from gtp_variants.ai.nets.weight_choice import choose_network

# Go's set also serves Go Fantôme on the same board: each seat learns only its own stones.
# Name -> game, moves, how far from equal a position may be seen, and the lowest line a stone may stand on.
SETS = {
    "alter-igo-9x9": ("alter-igo:size=9", 6, 0.04, 2),
    "pentalath": ("pentalath", 4, 0.08, 1),
    "pentalath-3": ("pentalath:players=3", 6, 0.08, 1),
    "go-7x7": ("go:size=7,komi=8.5", 4, 0.1, 2),
    "go-9x9": ("go:size=9", 6, 0.06, 3),
    "go-13x13": ("go:size=13", 6, 0.06, 3),
    "go-19x19": ("go:size=19", 6, 0.06, 3),
    "aleago-9x9": ("aleago:size=9,dice=1d4", 6, 0.06, 1),
    "aleago-13x13": ("aleago:size=13", 6, 0.06, 1),
    "rosette-4": ("rosette:n=4", 6, 0.06, 2),
    "rosette-7": ("rosette:n=7", 6, 0.06, 2),
}

# Factor by which the first search of a position is shorter.
_SHORT = 20


def canonical(stones: bytes, maps: Sequence[Sequence[int]]) -> bytes:
    """Return a key that is equal for symmetric positions."""
    return min(bytes(stones[point] for point in where) for where in maps)


def lines(rules: Any) -> list[int]:
    """Return the line of each point, counted from the edge."""
    board = rules.board
    full = max(map(len, board.neighbours))
    rim = [point for point, near in enumerate(board.neighbours) if len(near) < full]
    found = [0] * len(board)
    for point in rim:
        found[point] = 1
    queue = list(rim)
    for point in queue:
        for near in board.neighbours[point]:
            if not found[near]:
                found[near] = found[point] + 1
                queue.append(near)
    return found


def throw(rules: Any, position: Any, rng: Random) -> Any:
    """Return the position after any throw; the next stones will show which lines were open."""
    if position.to_play != gv.CHANCE:
        return position
    actions = rules.actions(position)
    return rules.play(position, rng.choices(actions, rules.odds(position))[0])


def openings(name: str, count: int, playouts: int) -> None:
    """Print the openings of a set."""
    spec, plies, most, lowest = SETS[name]
    rules, rng = gv.parse(spec), Random(name)
    network = choose_network(rules, "auto")
    maps, line = gv.symmetries(rules).tolist(), lines(rules)
    seen: set[bytes] = set()
    tried = 0
    print(f"# {name}: {plies} random moves of {spec},")
    equal = 1 / len(rules.colours)
    judge = "by the network" if network else "without a network"
    print(
        f"# after which a search {judge} of {playouts} playouts sees {equal - most:.2f} to {equal + most:.2f} for each."
    )
    print("# Made by benchmarks/strength/openings.py.")
    while count:
        position, moves = rules.start(), []
        for _ in range(plies):
            position = throw(rules, position, rng)
            points = [each for each in rules.actions(position) if each >= 0 and line[each] >= lowest]
            moves.append(rng.choice(points))
            position = rules.play(position, moves[-1])
        key = canonical(position.stones, maps)
        tried += 1
        if key in seen or rules.is_over(position):
            continue
        seen.add(key)
        # A short search rejects most of them.
        for looked, allowed in ((max(1, playouts // _SHORT), 2 * most), (playouts, most)):
            # As the search compares them, in files of all times.
            compared = {} if network is None else {"calibration": 1.0}
            found = gv.search(rules, position, playouts=looked, seed=1, network=network, **compared)
            if any(abs(value - equal) > allowed for value in found.values):
                break
        else:
            count -= 1
            value = found.values[rules.colours.index(position.mover)]
            print(f"{' '.join(map(rules.board.vertex, moves))}  # {value:.2f}", flush=True)
    print(f"{name}: {tried} tried", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=SETS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--playouts", type=int, default=20_000)
    options = parser.parse_args()
    openings(options.name, options.count, options.playouts)
