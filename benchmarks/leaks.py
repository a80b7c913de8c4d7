"""Go Fantôme: pairs of games that differ only in what a seat is not told; nothing the seat gets may differ.

    python benchmarks/leaks.py [--pairs 10000] [--first 0]

Compared are the news, the view, what is written to an engine on the seat, the answers of every command that is open to
the seat, and the moves of the bots with one seed. A leak ends the run and is printed; pairs are numbered, and number n
is always the same.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.gtp.leaks import Leak, compare_pair

_STEP = 250


def main() -> int:
    """Compare, print progress, and answer the exit status: 1 after a leak."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10_000, help="how many (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first pair, to go on with a run")
    arguments = parser.parse_args()
    different, begun = 0, time.monotonic()
    for count in range(arguments.pairs):
        try:
            different += compare_pair(arguments.first + count)
        except Leak as leak:
            print(leak)
            return 1
        if (count + 1) % _STEP == 0 or count + 1 == arguments.pairs:
            spent_s = time.monotonic() - begun
            print(f"{count + 1} pairs alike, on {different} of them different boards, {spent_s:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
