"""Find the komi at which each colour wins half of the games of a network against itself.

    python -m benchmarks.strength.fair_komi [--games 96] [--playouts 64] [--seed 1] [SPEC ...]

Games are those of a training (`gtp-variants train`) without its random opening moves: played to the end, nobody
resigns, every move has the same playouts, and noise makes them differ. The margin of a game is Black's points minus
White's, without komi. Games are played 16 at a time, each time at the median margin so far, so that both sides have to
fight; the first 16 only find this komi.

Printed are the median margin of the others, which is the fair komi; the share of them that White would have won at the
usual komi; and what happened on the board: the stones placed, how many of 100 were captured, and the groups at the end.
A group is what stones of one colour and their territory connect. Brackets hold the interval of 95% (bootstrap over
games). Last comes the komi at which a search from the empty board gives both colours a chance of 50%, which says
something only where the network has learnt the options of the game.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import floor
from random import Random
from statistics import fmean, median

import gtp_variants as gv
from gtp_variants.training.self_play import SelfPlayer
from gtp_variants.training.settings import SelfPlaySettings

SPECS = ("rosette:n=4", "rosette:n=7", "aleago:size=9", "aleago:size=13")
# Games played at one komi, and bootstrap samples for an interval.
CHUNK, DRAWS = 16, 2000
# Playouts of the search from the empty board, and how exactly its komi is found, in points.
SEARCHED, EXACT = 2000, 0.1


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """What a finished game says; the margin is Black's, in points without komi."""

    margin: float
    placed: int
    captured: int
    groups: int


def play_games(spec: str, komi: float, playouts: int, seed: int, first: int, count: int) -> Iterator[PlayedGame]:
    """Yield the games numbered from `first` for a seed."""
    rules = gv.parse(spec, {"komi": f"{komi}"})
    network = gv.Thinker(rules, network="auto", playouts=1).network
    if network is None:
        raise gv.ConfigError([f"{spec}: expected a game and a board that a network of the package knows"])
    settings = SelfPlaySettings(playouts, opening=0, long_opening=0)
    found = SelfPlayer(rules, network).play(settings, seed, first, count)
    for number in range(count):
        game = found.replay(number)
        placed = sum(event.action >= 0 for event in game.turns())
        groups = count_groups(rules.board, found.owners[number].tolist())
        yield PlayedGame(float(found.margins[number]) + komi, placed, sum(game.position.taken), groups)


def count_groups(board: gv.Board, owners: Sequence[int]) -> int:
    """Return the number of groups of both colours: connected points with one owner."""
    left, groups = {point for point, owner in enumerate(owners) if owner}, 0
    while left:
        groups += 1
        waiting = [left.pop()]
        while waiting:
            point = waiting.pop()
            near = {each for each in board.neighbours[point] if each in left and owners[each] == owners[point]}
            left -= near
            waiting += near
    return groups


def next_komi(spec: str, games: Sequence[PlayedGame]) -> float:
    """Return the komi of the next games: the median so far, moved to a half so that nobody draws."""
    return floor(median(game.margin for game in games)) + 0.5 if games else gv.parse(spec).komi


def report(spec: str, games: Sequence[PlayedGame]) -> str:
    """Return a line about the games of a SPEC."""
    margins = [game.margin for game in games[CHUNK:] or games]
    komi, placed = gv.parse(spec).komi, fmean(game.placed for game in games)
    facts = {
        "fair komi": _interval(margins, median),
        f"White wins at {komi:g}": _interval([100 * (margin < komi) for margin in margins], fmean),
        "stones": _interval([game.placed for game in games], fmean),
        "captured of 100": _interval([100 * game.captured / placed for game in games], fmean),
        "groups": _interval([game.groups for game in games], fmean),
    }
    return f"{spec}: {len(games)} games, " + ", ".join(f"{fact} {text}" for fact, text in facts.items())


def _interval(numbers: Sequence[float], middle: Callable[[Iterable[float]], float]) -> str:
    """Return a statistic with its interval of 95%."""
    rng = Random(1)
    drawn = sorted(middle(rng.choices(numbers, k=len(numbers))) for _ in range(DRAWS))
    return f"{middle(numbers):.1f} [{drawn[DRAWS // 40]:.1f}, {drawn[-1 - DRAWS // 40]:.1f}]"


def search_komi(spec: str) -> float:
    """Return the komi at which a search gives Black a chance of 50% on the empty board."""
    high = float(len(gv.parse(spec).board))
    low = -high
    while high - low > EXACT:
        middle = (low + high) / 2
        rules = gv.parse(spec, {"komi": f"{middle}"})
        found = gv.search(rules, rules.start(), playouts=SEARCHED, seed=1, network="auto")
        low, high = (middle, high) if found.values[0] > 0.5 else (low, middle)
    return low


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=SPECS, metavar="SPEC", help="without komi")
    parser.add_argument("--games", type=int, default=96)
    parser.add_argument("--playouts", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for spec in options.specs:
        if "komi=" in spec:
            parser.error(f"{spec}: expected a SPEC without komi, which each game sets")
        games: list[PlayedGame] = []
        while len(games) < options.games:
            komi, count = next_komi(spec, games), min(CHUNK, options.games - len(games))
            games += play_games(spec, komi, options.playouts, options.seed, len(games), count)
            sys.stderr.write(f"{report(spec, games)}\n")
        print(f"{report(spec, games)}, a search says {search_komi(spec):.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
