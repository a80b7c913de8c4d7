"""Evaluations a second, and the mean batch, of searches that share one evaluator.

    python -m benchmarks.speed.shared_evaluator [--seconds 0.005]

The evaluator sleeps for each batch, as if it waited for a graphics card. Cores must be idle.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import gtp_variants as gv

SPEC, PLAYOUTS = "go:size=9", 64
# Number of searches, and the evaluator's batch size.
CASES = ((1, 64), (8, 64), (32, 64), (64, 64), (64, 256), (128, 256))


class Sleeper:
    """An evaluator that sleeps, finds every move equally good, and counts batches and rows."""

    def __init__(self, batch: int, seconds: float) -> None:
        self.batch = batch
        self.batches = self.rows = 0
        self._seconds = seconds

    def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
        self.batches += 1
        self.rows += len(mask)
        time.sleep(self._seconds)
        return mask.astype(np.float32), np.full((len(mask), 2), 0.5, np.float32)


def run(searches: int, sleeper: Sleeper) -> tuple[float, float]:
    """Search in threads; return the wall-clock and processor seconds."""
    rules, shared = gv.parse(SPEC), gv.SharedEvaluator(sleeper, searches)
    begun, begun_cpu = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(searches) as pool:
        for seed in range(searches):
            pool.submit(gv.search, rules, rules.start(), PLAYOUTS, seed=seed, evaluator=shared)
    return time.monotonic() - begun, time.process_time() - begun_cpu


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.005, help="how long the evaluator sleeps (default 0.005)")
    seconds = parser.parse_args().seconds
    run(1, Sleeper(1, 0))
    for searches, batch in CASES:
        sleeper = Sleeper(batch, seconds)
        wall_s, cpu_s = run(searches, sleeper)
        print(
            f"{searches} searches, batch {batch}: {sleeper.rows / wall_s:,.0f} evaluations a second, mean batch "
            f"{sleeper.rows / sleeper.batches:.1f}, {cpu_s:.2f} s of processors",
            flush=True,
        )


if __name__ == "__main__":
    main()
