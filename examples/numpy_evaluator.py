"""An evaluator in numpy that judges positions by a simple formula, without training.

python examples/numpy_evaluator.py pentalath:players=3
"""

import sys

import numpy as np

import gtp_variants as gv


class GlanceEvaluator:
    """An evaluator that prefers moves next to stones, and values a position by each side's number of stones."""

    batch = 64

    def __init__(self, rules):
        encoder = gv.Encoder(rules)
        self.taps = encoder.taps
        # The indices of the planes with stones, in turn order from the side to play.
        self.stones = [encoder.planes.index(name) for name in ("own", "next", "third") if name in encoder.planes]
        self.seats = np.zeros(4, np.int64)
        for seat, colour in enumerate(rules.colours):
            self.seats[colour] = seat

    def evaluate(self, planes, globals, mask, to_play):
        stones = planes[:, self.stones]
        # A tap beyond the edge refers to an extra, empty point.
        occupied = np.pad(stones.sum(axis=1), ((0, 0), (0, 1)))
        priors = np.full(mask.shape, 0.1, np.float32)
        priors[:, : stones.shape[2]] += occupied[:, self.taps].sum(axis=2)

        relative = np.exp(0.2 * stones.sum(axis=2))
        relative /= relative.sum(axis=1, keepdims=True)
        # Values are returned in turn order, so the share of the side to play goes to that side's seat.
        values = np.empty_like(relative)
        for step in range(relative.shape[1]):
            values[np.arange(len(values)), (self.seats[to_play] + step) % relative.shape[1]] = relative[:, step]
        return priors, values


def main(spec="go:size=9"):
    rules = gv.parse(spec)
    position = gv.random_game(rules, seed=1, plies=8).position
    found = gv.search(rules, position, playouts=400, seed=1, evaluator=GlanceEvaluator(rules))
    print(gv.diagram(rules, position))
    for move, visits in sorted(found.visits.items(), key=lambda item: -item[1])[:5]:
        vertex = rules.board.vertex(move) if move >= 0 else "pass"
        print(f"{vertex:5} {visits:4} visits, prior {found.priors[move]:.3f}, share {found.shares.get(move, 0):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
