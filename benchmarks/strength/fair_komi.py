"""Find the komi at which each colour wins half of the games of a network against itself.

    python -m benchmarks.strength.fair_komi [--games 96] [--playouts 64] [--step 32] [--seed 1] [SPEC ...]
    python -m benchmarks.strength.fair_komi --training FOLDER [--games 500]

Games are those of a training (`gtp-variants train`) without its random opening moves: played to the end, nobody
resigns, every move has the same playouts, and noise makes them differ. The komi goes up and down: after every eight
games it moves against the winner of most of them, and half as far as before after each turn, so that both sides have
to fight. With the folder of a training, the latest games of each board there are read instead, with their own komi.

Printed are the komi at which each colour wins half of the games, and White's share of wins at the usual komi, both by a
logistic curve; and what happened on the board: the stones placed, how many of 100 were captured, and the groups at the
end. A group is what stones of one colour and their territory connect. Brackets hold the interval of 95%. Last comes the
komi at which a search from the empty board gives both colours a chance of 50%, which says something only where the
network has learnt the options of the game.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

import gtp_variants as gv
from gtp_variants.training.self_play import PlayedGames, SelfPlayer
from gtp_variants.training.settings import SelfPlaySettings

SPECS = ("rosette:n=4", "rosette:n=7", "aleago:size=9", "aleago:size=13")
# Games played at one komi, and how far it moves at least, in points.
CHUNK, LEAST_STEP = 8, 4.0
# Candidate widths of the logistic curve, in points.
WIDTHS = np.array([2.0, 4.0, 8.0, 16.0, 32.0])
# Playouts of the search from the empty board, and how exactly its komi is found, in points.
SEARCHED, EXACT = 2000, 0.1


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game: its komi, its winner, its stones and its groups."""

    komi: float
    white_won: bool
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
    return describe(SelfPlayer(rules, network).play(settings, seed, first, count))


def describe(found: PlayedGames) -> Iterator[PlayedGame]:
    """Yield what each game says."""
    rules = gv.parse(found.spec)
    for number in range(len(found)):
        game = found.replay(number)
        placed = sum(event.action >= 0 for event in game.turns())
        groups = count_groups(rules.board, found.owners[number].tolist())
        yield PlayedGame(rules.komi, bool(found.margins[number] < 0), placed, sum(game.position.taken), groups)


def read_training(folder: Path, most: int) -> dict[str, list[PlayedGame]]:
    """Return the latest games of each SPEC of a training, at most this many, by SPEC without komi."""
    found: dict[str, list[PlayedGame]] = {}
    for file in sorted(folder.glob("games/*.npz"), reverse=True):
        played = PlayedGames.load(file)
        name, _, options = gv.parse(played.spec).short_spec.partition(":")
        spec = f"{name}:" + ",".join(option for option in options.split(",") if not option.startswith("komi="))
        if len(found.setdefault(spec, [])) < most:
            found[spec] += describe(played)
    return found


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


def next_komi(komi: float, step: float, games: Sequence[PlayedGame]) -> float:
    """Return the komi of the next games, from that of the first and its first step."""
    before = 0.0
    for first in range(0, len(games), CHUNK):
        won = fmean(game.white_won for game in games[first : first + CHUNK])
        direction = 1.0 if won < 0.5 else -1.0
        if direction == -before:
            step = max(step / 2, LEAST_STEP)
        komi, before = komi + direction * step, direction
    return komi


def fit_komi(games: Sequence[PlayedGame], usual: float, points: int) -> tuple[float, float, float, float]:
    """Return the fair komi, its interval of 95%, and White's share of wins at the usual komi.

    White's wins follow a logistic curve of the komi; all fair values on the board and all `WIDTHS` are equally likely
    before the games.
    """
    fair = np.arange(-points, points + 0.25, 0.5)[:, None]
    # Logarithms, because the chance of many games together is too small for a float.
    logs = np.zeros((len(fair), len(WIDTHS)))
    for game in games:
        logs -= np.logaddexp(0, (fair - game.komi) / WIDTHS * (1 if game.white_won else -1))
    chance = np.exp(logs - logs.max())
    chance /= chance.sum()
    low, middle, high = (float(fair[np.searchsorted(chance.sum(1).cumsum(), at), 0]) for at in (0.025, 0.5, 0.975))
    return middle, low, high, float((chance / (1 + np.exp((fair - usual) / WIDTHS))).sum())


def report(spec: str, games: Sequence[PlayedGame]) -> str:
    """Return a line about the games of a SPEC."""
    rules = gv.parse(spec)
    fair, low, high, share = fit_komi(games, rules.komi, len(rules.board))
    placed = fmean(game.placed for game in games)
    facts = {
        "stones": [float(game.placed) for game in games],
        "captured of 100": [100 * game.captured / placed for game in games],
        "groups": [float(game.groups) for game in games],
    }
    told = [f"fair komi {fair:g} [{low:g}, {high:g}]", f"White wins {share:.0%} at {rules.komi:g}"]
    told += [f"{fact} {fmean(n):.1f} ±{1.96 * stdev(n) / sqrt(len(n)):.1f}" for fact, n in facts.items()]
    return f"{spec}: {len(games)} games, " + ", ".join(told)


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
    parser.add_argument("--step", type=float, default=32.0, help="how far the komi moves at first, in points")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--training", type=Path, metavar="FOLDER", help="read the games of a training")
    options = parser.parse_args(arguments)
    if options.training:
        for spec, found in read_training(options.training, options.games).items():
            print(report(spec, found), flush=True)
        return 0
    for spec in options.specs:
        if "komi=" in spec:
            parser.error(f"{spec}: expected a SPEC without komi, which each game sets")
        games: list[PlayedGame] = []
        while len(games) < options.games:
            komi = next_komi(gv.parse(spec).komi, options.step, games)
            games += play_games(spec, komi, options.playouts, options.seed, len(games), CHUNK)
            sys.stderr.write(f"komi {komi:g}: {report(spec, games)}\n")
        print(f"{report(spec, games)}, a search says {search_komi(spec):.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
