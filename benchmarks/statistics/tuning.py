"""Measure how near a tuning comes to the known optimum of three parameters.

    python -m benchmarks.statistics.tuning [--method spsa] [--pairs 2000] [--runs 30] [--steepness 4]
        [--step 0.1] [--rate 0.05]

No games are played: results are drawn from the model of Bradley and Terry, the logarithm of a player's strength being
`steepness` times minus the squared distance of its parameters, as parts of their ranges, from an optimum that is drawn
between 0.15 and 0.85 for each run. Every run starts in the middle.
"""

import argparse
from functools import partial
from math import log
from random import Random
from statistics import mean, median

from gtp_variants.arena.config.match_config import METHODS, RATE, STEP, TuneParameter, Values
from tests.arena.tuning.tunings import settings_of, simulate

ELO = 400 / log(10)
NAMES = ("a", "b", "c")


def strength(optimum: Values, steepness: float, values: Values) -> float:
    """The logarithm of a strength."""
    return -steepness * sum((values[name] - optimum[name]) ** 2 for name in NAMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", choices=METHODS, default="spsa")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--steepness", type=float, default=4.0)
    parser.add_argument("--step", type=float, default=STEP)
    parser.add_argument("--rate", type=float, default=RATE)
    options = parser.parse_args()
    parameters = {name: TuneParameter(0.5, 0.0, 1.0, options.step, options.rate) for name in NAMES}
    settings = settings_of(options.pairs, options.method, **parameters)
    far, left, begun = [], [], []
    for seed in range(options.runs):
        random = Random(f"optimum {seed}")
        optimum = {name: random.uniform(0.15, 0.85) for name in NAMES}
        strength_of = partial(strength, optimum, options.steepness)
        found = simulate(settings, strength_of, seed)
        far.append(max(abs(found[name] - optimum[name]) for name in NAMES))
        left.append(-ELO * strength_of(found))
        begun.append(-ELO * strength_of(settings.start))
    within = sum(each <= 0.1 for each in far)
    print(f"{options.method}, {options.pairs} pairs, steepness {options.steepness:g}: {options.runs} runs")
    print(f"farthest parameter off by: median {median(far):.3f}, worst {max(far):.3f}; within a tenth: {within}")
    print(f"Elo below the optimum: {mean(begun):.1f} at the start, {mean(left):.1f} at the end")


if __name__ == "__main__":
    main()
