"""Find the komi at which each colour wins half of the games, when one bot plays both sides.

    python -m benchmarks.strength.fair_komi [--games 100] [--playouts 200] [--net auto] [--into FILE] [SPEC ...]

Nobody resigns, and every move has the same playouts. The margin of a game is Black's points minus White's, without
komi. A game is played at the median of the margins of the games before it, so that both sides have to fight; the first
quarter of the games only finds this komi. Printed is the median margin of the others, which is the fair komi, with an
interval of 95% (bootstrap over games), the share of games that White would have won at the usual komi, and what
happened on the board: the share of the placed stones that were captured and the number of groups at the end. A group
is stones of one colour that are connected by stones and territory. Last comes the komi at which a search from the
empty board gives both colours a chance of 50%; it is worth something only for options that the network learnt.

Without dice, the first moves are drawn by their visits, so that games differ. Each game is a line of the file
(`results/fair_komi.jsonl`) and is not played again: a run may be ended at any time.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import floor
from pathlib import Path
from random import Random
from statistics import fmean, median

import gtp_variants as gv
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.run.referee import Referee
from gtp_variants.rules.boards.chains import area
from gtp_variants.rules.traits import DicedRules

SPECS = ("rosette:n=4", "rosette:n=7", "aleago:size=9", "aleago:size=13")
# Number of moves without dice that are drawn by visits, and of bootstrap samples for an interval.
DRAWN_PLIES, DRAWS = 8, 2000
# Playouts of the search from the empty board, and how exactly its komi is found, in points.
SEARCHED, EXACT = 2000, 0.1
FILE = Path("results/fair_komi.jsonl")


@dataclass(frozen=True, slots=True)
class Series:
    """Games with equal settings besides their komi."""

    spec: str
    playouts: int
    net: str


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game; its number is its seed, and the margin is Black's, in points without komi."""

    series: Series
    number: int
    komi: float
    margin: float
    placed: int
    captured: int
    groups: int


def play_game(series: Series, number: int, komi: float) -> PlayedGame:
    """Play one game to its end. Raises RuntimeError if a player fails."""
    rules = gv.parse(series.spec, {"komi": f"{komi}"})
    seed = f"{series} {number}"
    dice = gv.DiceStream(seed)
    table = gv.Table(rules, lambda: dice)
    if not isinstance(rules, DicedRules):
        _draw_moves(table, series, seed)
    seats = {
        colour: gv.load_bot(f"mcts:playouts={series.playouts},net={series.net},resign=false")
        for colour in rules.colours
    }
    seeds = {colour: f"{seed} {colour}" for colour in rules.colours}
    verdict = Referee(table, seats, seeds, GameSettings(rules.spec)).run()
    outcome = verdict.outcome
    if verdict.failures or outcome is None:
        raise RuntimeError(f"{rules.spec} {number}: {verdict.kind}: {verdict.why}")
    margin = komi + (outcome.margin if outcome.winner == gv.BLACK else -outcome.margin)
    stones = table.position.stones
    placed = sum(event.action >= 0 and event.actor != gv.CHANCE for event in table.game.events)
    standing = len(stones) - stones.count(gv.EMPTY)
    return PlayedGame(series, number, komi, margin, placed, placed - standing, count_groups(rules.board, stones))


def _draw_moves(table: gv.Table, series: Series, seed: str) -> None:
    rng, thinker = Random(seed), gv.Thinker(table.rules, 0, network=series.net, playouts=series.playouts)
    for _ in range(DRAWN_PLIES):
        visits = {move: count for move, count in thinker.think(table.position).visits.items() if move >= 0}
        table.play(table.position.mover, rng.choices(list(visits), list(visits.values()))[0])


def count_groups(board: gv.Board, stones: bytes) -> int:
    """Return the number of groups of both colours: parts of their area that are connected."""
    owners = area(board, stones)
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


def next_komi(series: Series, games: Sequence[PlayedGame]) -> float:
    """Return the komi of the next game: the median so far, moved to a half so that nobody draws."""
    return floor(median(game.margin for game in games)) + 0.5 if games else gv.parse(series.spec).komi


def report(games: Sequence[PlayedGame]) -> str:
    """Return a line about the games of one series."""
    settled = games[len(games) // 4 :]
    margins = [game.margin for game in settled]
    komi = gv.parse(games[0].series.spec).komi
    placed = sum(game.placed for game in games)
    facts = {
        "fair komi": _interval(margins, median),
        f"White wins at {komi:g}": _interval([100 * (margin < komi) for margin in margins], fmean),
        "captured of 100 stones": _interval([100 * game.captured * len(games) / placed for game in games], fmean),
        "stones": _interval([game.placed for game in games], fmean),
        "groups": _interval([game.groups for game in games], fmean),
    }
    series = games[0].series
    name = f"{series.spec} playouts={series.playouts} net={series.net}"
    searched = f"search says {search_komi(series):.1f}"
    return f"{name}: {len(games)} games, " + ", ".join([*(f"{fact} {text}" for fact, text in facts.items()), searched])


def _interval(numbers: Sequence[float], middle: Callable[[Iterable[float]], float]) -> str:
    """Return a statistic with its interval of 95%."""
    rng = Random(1)
    drawn = sorted(middle(rng.choices(numbers, k=len(numbers))) for _ in range(DRAWS))
    return f"{middle(numbers):.1f} [{drawn[DRAWS // 40]:.1f}, {drawn[-1 - DRAWS // 40]:.1f}]"


def search_komi(series: Series) -> float:
    """Return the komi at which a search gives Black a chance of 50% on the empty board."""
    points = float(len(gv.parse(series.spec).board))
    low, high = -points, points
    while high - low > EXACT:
        middle = (low + high) / 2
        rules = gv.parse(series.spec, {"komi": f"{middle}"})
        found = gv.search(rules, rules.start(), playouts=SEARCHED, seed=1, network=series.net)
        low, high = (middle, high) if found.values[0] > 0.5 else (low, middle)
    return low


def load_games(file: Path, series: Series) -> list[PlayedGame]:
    """Return the stored games of a series, in their order."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        facts = json.loads(line)
        if facts["series"] == asdict(series):
            found.append(PlayedGame(**{**facts, "series": series}))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=SPECS, metavar="SPEC")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--playouts", type=int, default=200)
    parser.add_argument("--net", default="auto", help="a weight file, none, or auto (default)")
    parser.add_argument("--into", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    options.into.parent.mkdir(parents=True, exist_ok=True)
    for spec in options.specs:
        if "komi=" in spec:
            parser.error(f"{spec}: expected a SPEC without komi, which each game sets")
        series = Series(gv.parse(spec).short_spec, options.playouts, options.net)
        games = load_games(options.into, series)
        while len(games) < options.games:
            games.append(play_game(series, len(games), next_komi(series, games)))
            with options.into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(games[-1])) + "\n")
            sys.stderr.write(f"\r{len(games)} of {options.games} games, komi {games[-1].komi:g} ")
        sys.stderr.write("\n")
        print(report(games), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
