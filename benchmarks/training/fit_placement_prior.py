"""Fit the weights of the log prior in `gtp_variants/ai/belief/prior.json` to games of a bot against itself.

    python -m benchmarks.training.fit_placement_prior [--games 24] [--player phantom:playouts=1000,worlds=8] [--size 9]

A conditional logit: of all empty points the one played is the more likely the higher the sum of the weights of its
features. Newton's method finds the weights, with a faint ridge for features that hardly ever occur. The last line is
the JSON of the file, to be rounded; `early`, the share of the board at which the opening is over, is not fitted.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import gtp_variants as gv
from gtp_variants.ai.belief.prior import COUNTS, LINES, PlacementPrior, load_prior
from gtp_variants.players import bots

RIDGE = 1e-3
ROUNDS = 12

# A choice: the features of each point that was empty, sparse, and which of them was played.
Features = dict[int, float]
Choice = tuple[list[Features], int]


def played_game(rules: gv.Rules, player: str, seed: str) -> gv.Game:
    """Return one game of a bot against itself."""
    table = gv.Table(rules, lambda: gv.DiceStream("no dice"))
    for colour in rules.colours:
        table.seat(colour, bots.load(player), f"{seed}/{colour}")
    while (colour := table.asked()) is not None:
        table.answer(colour, table.choose(colour))
    return table.game


def features(rules: gv.Rules, stones: bytes, point: int, colour: int, early: float) -> Features:
    """Return a point's features for a colour, by the index of their weight."""
    neighbours = rules.board.neighbours
    beside = neighbours[point]
    own = sum(stones[near] == colour for near in beside)
    other = sum(stones[near] not in (0, colour) for near in beside)
    further = {far for near in beside for far in neighbours[near]} - {point, *beside}
    line = min(max(rules.board.rings[point], 1), LINES) - 1
    filled = 1 - stones.count(0) / len(stones)
    counts = {
        line: 1.0,
        LINES + line: max(0.0, 1 - filled / early),
        2 * LINES + min(COUNTS - 1, own): 1.0,
        2 * LINES + COUNTS + min(COUNTS - 1, other): 1.0,
        2 * (LINES + COUNTS): float(sum(stones[far] == colour for far in further)),
        2 * (LINES + COUNTS) + 1: float(own == len(beside)),
    }
    # The last line and the absence of neighbours have weight 0.
    fixed = {LINES - 1, 2 * LINES - 1, 2 * LINES, 2 * LINES + COUNTS}
    return {key: value for key, value in counts.items() if value and key not in fixed}


def choices(game: gv.Game, early: float) -> Iterator[Choice]:
    """Yield each accepted stone of a game with the points that were empty."""
    for index, event in enumerate(game.events):
        if event.action >= 0 and game.is_turn(index):
            stones = game.positions[index].stones
            empty = [point for point, stone in enumerate(stones) if not stone]
            listed = [features(game.rules, stones, point, event.actor, early) for point in empty]
            yield listed, empty.index(event.action)


def fit(data: Sequence[Choice], size: int) -> tuple[list[float], float]:
    """Return the weights, and the mean negative log likelihood in nats."""
    weights, loss = [0.0] * size, 0.0
    for _ in range(ROUNDS):
        gradient = [-RIDGE * weight for weight in weights]
        hessian = [[RIDGE if i == j else 0.0 for j in range(size)] for i in range(size)]
        loss = 0.0
        for listed, index in data:
            scores = [math.exp(sum(weights[key] * value for key, value in each.items())) for each in listed]
            total = sum(scores)
            loss -= math.log(scores[index] / total)
            mean = [0.0] * size
            for each, score in zip(listed, scores, strict=True):
                share = score / total
                for key, value in each.items():
                    mean[key] += share * value
                    for other, there in each.items():
                        hessian[key][other] += share * value * there
            for key, value in listed[index].items():
                gradient[key] += value
            for i, part in enumerate(mean):
                gradient[i] -= part
                for j, there in enumerate(mean):
                    hessian[i][j] -= part * there
        weights = [weight + step for weight, step in zip(weights, solve(hessian, gradient), strict=True)]
    return weights, loss / len(data)


def solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """Solve a system of linear equations by elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(rows[row][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(size):
            if j != i:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def prior_of(weights: Sequence[float], usual: PlacementPrior) -> PlacementPrior:
    """Return the weights by name."""
    parts = [tuple(round(weight, 2) for weight in weights[begin : begin + 4]) for begin in range(0, 16, 4)]
    return replace(
        usual,
        line=parts[0],
        early_line=parts[1],
        beside_theirs=parts[2],
        beside_ours=parts[3],
        near_theirs=round(weights[16], 2),
        eye=round(weights[17], 2),
    )


def main() -> None:
    """Play, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=24)
    parser.add_argument("--player", default="phantom:playouts=1000,worlds=8")
    parser.add_argument("--size", type=int, default=9)
    options = parser.parse_args()
    rules, usual = gv.parse(f"phantom:size={options.size}"), load_prior()
    data: list[Choice] = []
    for number in range(options.games):
        data += choices(played_game(rules, options.player, str(number)), usual.early)
        print(f"{number + 1} games, {len(data)} moves", flush=True)
    weights, loss = fit(data, 2 * (LINES + COUNTS) + 2)
    at_random = sum(math.log(len(listed)) for listed, _ in data) / len(data)
    print(f"{len(data)} moves: {loss:.2f} nats a move, at random {at_random:.2f}")
    print(json.dumps({name: getattr(prior_of(weights, usual), name) for name in PlacementPrior.__slots__}))


if __name__ == "__main__":
    main()
