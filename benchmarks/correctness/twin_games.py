"""Play twin games of Go Fantôme, which one seat cannot tell apart: all data at an interface must be equal.

    python -m benchmarks.correctness.twin_games server match [--pairs 500] [--state FILE]

The borders: `python` (news, view, answers of the engine, moves of our bots), `gtp` (a window of one player), `match` (a
program in a match), `server`, `bridge` (a private game), `kgs` (the same over HTTP), `page` (seats, who watches and who
asks without a seat; published games, too), `keyboard` (two people at one) and `records` (read with the eyes of a seat).
Compared are whole transcripts: messages, their order and size, and that none comes at the moment of an event that the
seat does not hear. Pair number n is always the same, and 576 of them have every combination of the options that change
what is announced, from both seats. A stopped run can continue; a leak is printed and ends the run.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gtp_variants.base.connection_gate import TokenBuckets
from tests.arena.twins import compare_matches
from tests.bridge.kgs.twins import compare_conversations
from tests.bridge.twins import compare_private_games
from tests.gtp.leaks import compare_pair
from tests.gtp.twins import compare_answers, compare_windows
from tests.records.twins import compare_records
from tests.site.lobby.twins import compare_lines
from tests.site.page.serving import Site
from tests.site.page.twins import compare_page, compare_published, twin_site
from tests.support.twins import Leak, TwinPair, twin_pair
from tests.terminal.twins import compare_keyboard

_STEP = 50
# Resources that all pairs share, closed at the end.
_OPEN = ExitStack()


def _compare_in_python(folder: Path, pair: TwinPair) -> None:
    compare_answers(pair)
    compare_pair(pair.number)


def _compare_private_games(folder: Path, pair: TwinPair) -> None:
    # No limit on the speed of typing.
    TokenBuckets.allows = lambda buckets, user, now_s: True  # type: ignore[method-assign]
    asyncio.run(compare_private_games(folder, pair))


@cache
def _page() -> Site:
    return _OPEN.enter_context(twin_site())


def _compare_at_page(folder: Path, pair: TwinPair) -> None:
    compare_page(_page(), pair)
    compare_published(_page(), pair)


# Functions that play both games of a pair in a folder, and fail if they differ.
BORDERS: dict[str, Callable[[Path, TwinPair], None]] = {
    "python": _compare_in_python,
    "gtp": lambda folder, pair: compare_windows(pair),
    "match": compare_matches,
    "server": compare_lines,
    "bridge": _compare_private_games,
    "kgs": lambda folder, pair: asyncio.run(compare_conversations(folder, pair)),
    "page": _compare_at_page,
    "keyboard": compare_keyboard,
    "records": lambda folder, pair: compare_records(pair),
}


def main() -> int:
    """Compare and print progress. Return the exit status, 1 after a leak."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("borders", nargs="+", choices=BORDERS, help="where to play")
    parser.add_argument("--pairs", type=int, default=500, help="how many at each border (default %(default)s)")
    parser.add_argument("--state", type=Path, default=Path("results/twin_games.json"), help="where progress is kept")
    arguments = parser.parse_args()
    arguments.state.parent.mkdir(parents=True, exist_ok=True)
    with _OPEN:
        return max(_run(border, arguments.pairs, arguments.state) for border in arguments.borders)


def _run(border: str, pairs: int, state: Path) -> int:
    """Compare the remaining pairs at a border."""
    begun = time.monotonic()
    known = json.loads(state.read_text()) if state.exists() else {}
    first, different = known.get(border, [0, 0])
    for number in range(first, pairs):
        pair = twin_pair(number)
        try:
            with TemporaryDirectory() as folder:
                BORDERS[border](Path(folder), pair)
        except (Leak, AssertionError) as leak:
            print(f"{border}, pair {number}, {pair.spec}: {leak}")
            return 1
        different += pair.differs
        known = json.loads(state.read_text()) if state.exists() else {}
        state.write_text(json.dumps({**known, border: [number + 1, different]}))
        if (number + 1) % _STEP == 0 or number + 1 == pairs:
            spent_s = time.monotonic() - begun
            print(f"{border}: {number + 1} pairs alike, {different} of them two games, {spent_s:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
