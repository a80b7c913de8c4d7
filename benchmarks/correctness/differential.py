"""The native kernel against the rules over many random games: every game, every option of `tests/ai/mcts`.

    python -m benchmarks.correctness.differential --games 10000 [--spec SPEC]... [--state FILE]

A difference ends the run and prints the game that shows it. What was compared is kept in the state file after every
hundred games, so that a stopped run can continue; games are numbered, and number n is always the same.

To run it under AddressSanitizer and UBSan, build the kernel with them beside the sources and preload the libraries:

    cmake -S . -B build/sanitize -DGTP_VARIANTS_SANITIZE=address,undefined \\
        -Dnanobind_DIR="$(python -m nanobind --cmake_dir)"
    cmake --build build/sanitize && cp build/sanitize/_kernel*.so gtp_variants/ai/mcts/
    LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)" \\
        ASAN_OPTIONS=detect_leaks=0 python -m benchmarks.correctness.differential --games 200 --state ""
"""

import argparse
import json
import sys
import time
from pathlib import Path

from gtp_variants.rules import parse
from tests.ai.mcts.differential import Difference, compare_game
from tests.support.specs import ENDLESS, SMALL

_STEP = 100


def main() -> int:
    """Compare and print progress. Return the exit status, 1 after a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=10_000, help="games of each SPEC (default %(default)s)")
    parser.add_argument("--spec", action="append", help="a SPEC to compare instead of all; may be given several times")
    parser.add_argument("--state", default="results/differential.json", help='where progress is kept; "" for nowhere')
    arguments = parser.parse_args()
    specs = [parse(spec).spec for spec in arguments.spec or (*SMALL, *ENDLESS)]
    file = Path(arguments.state) if arguments.state else None
    done: dict[str, dict[str, int]] = json.loads(file.read_text(encoding="utf-8")) if file and file.is_file() else {}
    for spec in specs:
        counts = done.setdefault(spec, {"games": 0, "events": 0})
        rules = parse(spec)
        began = time.monotonic()
        while counts["games"] < arguments.games:
            until = min(counts["games"] + _STEP, arguments.games)
            try:
                counts["events"] += sum(compare_game(rules, seed) for seed in range(counts["games"], until))
            except Difference as difference:
                print(f"\nbetween games {counts['games']} and {until}: {difference}", file=sys.stderr)
                return 1
            counts["games"] = until
            if file:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
            if sys.stderr.isatty():
                print(f"\r{counts['games']:>8} {spec[:100]}", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r", end="", file=sys.stderr)
        took = time.monotonic() - began
        print(f"{counts['games']:>8} games {counts['events']:>10} events {took:7.1f} s  {spec}", flush=True)
    games = sum(done[spec]["games"] for spec in specs)
    events = sum(done[spec]["events"] for spec in specs)
    print(f"no difference in {games} games, {events} events, {len(specs)} SPECs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
