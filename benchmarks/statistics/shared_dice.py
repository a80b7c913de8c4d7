"""How much variance shared dice for both games of a pair remove from a match's result.

    python -m benchmarks.statistics.shared_dice [--pairs 200] [--first mcts:playouts=50,seconds=0] [--second uniform]

Plays the same players with own and with shared dice, and prints for each the mean and the variance of the score of a
pair (0, 1/4, 1/2, 3/4 or 1 for the first player) with its standard error, then the ratio of the variances: the share
of pairs that shared dice need for the same precision. The games are kept in a folder, so that
the same command, also with more pairs, continues.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import gtp_variants as gv
from gtp_variants.arena.config.match_config import DICE
from gtp_variants.base.processes.cores import available_cores

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


def spread(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return mean and variance of a pair's score, and the standard error of the variance."""
    total = sum(counts)
    mean = sum(count * score for count, score in zip(counts, SCORES, strict=True)) / total
    second, fourth = (
        sum(count * (score - mean) ** power for count, score in zip(counts, SCORES, strict=True)) / total
        for power in (2, 4)
    )
    return mean, second, ((fourth - second**2) / total) ** 0.5


def main() -> None:
    """Play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="aleago:size=9", help="the game")
    parser.add_argument("--first", default="mcts:playouts=50,seconds=0", help="a bot")
    parser.add_argument("--second", default="uniform", help="another one")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=available_cores())
    parser.add_argument("--folder", type=Path, default=Path("out/shared-dice"))
    options = parser.parse_args()
    players = {"first": f"bot:{options.first}", "second": f"bot:{options.second}"}
    found = {}
    for dice in DICE:
        played = gv.match(
            options.variant,
            players,
            pairs=options.pairs,
            seed="shared dice",
            dice=dice,
            store=options.folder / f"{dice}.db",
            jobs=options.jobs,
        )
        mean, variance, error = found[dice] = spread(played.pentanomial)
        print(f"{dice:6}: {list(played.pentanomial)}, mean {mean:.3f}, variance {variance:.4f} +/- {error:.4f}")
    (_, own, own_error), (_, shared, shared_error) = found["own"], found["shared"]
    ratio = shared / own
    error = ratio * ((own_error / own) ** 2 + (shared_error / shared) ** 2) ** 0.5
    print(f"shared / own: {ratio:.2f} +/- {error:.2f}")


if __name__ == "__main__":
    main()
