"""Measure how many more playouts per second a network search makes with more threads.

    python -m benchmarks.speed.search_threads [SPEC]...

For the games that have a network, on idle cores. Rounds take turns with one thread and with several, and medians of
them are compared.
"""

import argparse
import statistics
import time

import gtp_variants as gv
from gtp_variants.base.processes.cores import available_cores

SPECS = ("go:size=9", "go:size=19", "aleago:size=9", "rosette:n=4", "alter-igo:size=9", "pentalath")
ROUNDS, SECONDS, PLIES = 7, 0.5, 6


def playouts_a_second(spec: str, threads: int) -> float:
    """Return the playouts per second of a new search early in a game."""
    rules = gv.parse(spec)
    dice = gv.DiceStream("threads")
    table = gv.Table(rules, lambda: dice)
    for _ in range(PLIES):
        points = [point for point in rules.legal(table.position) if point >= 0]
        table.play(table.position.mover, points[len(points) // 2])
    begun = time.monotonic()
    found = gv.search(rules, table.position, seconds=SECONDS, network="auto", threads=threads)
    return found.playouts / (time.monotonic() - begun)


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="*", default=SPECS, help="the games (default all that have a network)")
    specs = parser.parse_args().spec
    counts = [2**step for step in range(5) if 2**step <= available_cores()]
    for spec in specs:
        rounds = [[playouts_a_second(spec, threads) for threads in counts] for _ in range(ROUNDS)]
        medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
        told = (f"{n} threads {each:,.0f} ({each / medians[0]:.2f})" for n, each in zip(counts, medians, strict=True))
        print(f"{spec}: {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
