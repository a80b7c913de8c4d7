"""Whether the first reports of an analysis are more flattering than settled ones.

    python -m benchmarks.strength.early_reports [--positions 14] [--settled 8000] [SPEC ...]

Each position comes from a game of its own, in its opening or middle game, which a short search plays against itself;
without a SPEC they are of ordinary Go on 9x9, 13x13 and 19x19. Printed is, by visits, the mean difference between the
reported win rate and the one after `--settled` visits, in percentage points, with its interval of 95% over positions:
for the side to move, for the first colour, and for the highest win rate of a move, which Sabaki draws. A mean above 0
is flattery. The mean size of the first difference follows.
"""

import argparse
import sys
from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev

import gtp_variants as gv
from gtp_variants.ai.mcts.candidates import winrate_after, winrate_of

SPECS = ("go:size=9", "go:size=13", "go:size=19")
VISITS = (50, 100, 200, 400, 800)
# Playouts for a move of the games, plies that are drawn by visits, and the part of the board that may be filled.
PLAYOUTS, DRAWN_PLIES, FILLED = 100, 8, 0.4


def make_position(rules: gv.Rules, number: int) -> gv.Position:
    """Return a position of a game; the number is its seed."""
    rng = Random(f"{rules.spec} {number}")
    game = gv.Game(rules)
    thinker = gv.Thinker(rules, number, network="auto", playouts=PLAYOUTS)
    for ply in range(rng.randrange(int(FILLED * len(rules.board)))):
        found = thinker.think(game)
        moves = [move for move in found.visits if move >= 0]
        weights = [found.visits[move] for move in moves]
        move = rng.choices(moves, weights)[0] if ply < DRAWN_PLIES and any(weights) else found.action
        if move < 0:
            break
        game.play(game.position.to_play, move)
    return game.position


def report_early(rules: gv.Rules, position: gv.Position, settled: int, seed: int) -> list[tuple[float, float]]:
    """Return the win rates of the side to move and of its highest move after each of `VISITS` and after `settled`.

    They are in per cent.
    """
    thinker = gv.Thinker(rules, seed, network="auto", playouts=1)
    told = []
    for visits in (*VISITS, settled):
        found = thinker.think(position, playouts=1)
        while sum(found.visits.values()) < visits:
            found = thinker.think(position, playouts=visits - sum(found.visits.values()))
        told.append((100 * winrate_of(found), 100 * max(winrate_after(found, move) for move in found.shares)))
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=SPECS)
    parser.add_argument("--positions", type=int, default=14)
    parser.add_argument("--settled", type=int, default=8000)
    given = parser.parse_args(arguments)
    found: dict[str, list[tuple[int, list[tuple[float, float]]]]] = {}
    for spec in given.specs:
        rules = gv.parse(spec)
        positions = [make_position(rules, number) for number in range(given.positions)]
        rates = [report_early(rules, each, given.settled, number) for number, each in enumerate(positions)]
        signs = [1 if each.mover == rules.colours[0] else -1 for each in positions]
        found[spec] = [
            (sign, [(rate - of_one[-1][0], best - of_one[-1][1]) for rate, best in of_one])
            for sign, of_one in zip(signs, rates, strict=True)
        ]
    found["all"] = [row for rows in found.values() for row in rows]
    for name, rows in found.items():
        for index, visits in enumerate(VISITS):
            own, best = zip(*(differences[index] for _, differences in rows), strict=True)
            first = [sign * difference for (sign, _), difference in zip(rows, own, strict=True)]
            means = f"{_mean(own)} side to move, {_mean(first)} first colour, {_mean(best)} highest move"
            print(f"{name:12} {visits:4} visits: {means}, size {fmean(map(abs, own)):.1f}")
    return 0


def _mean(numbers: Sequence[float]) -> str:
    return f"{fmean(numbers):+5.1f} ±{1.96 * stdev(numbers) / sqrt(len(numbers)):.1f}"


if __name__ == "__main__":
    sys.exit(main())
