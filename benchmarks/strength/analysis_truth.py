"""Check how true the bot's chances are: the calibration of its values, and the jumps of its win-rate graph.

    python -m benchmarks.strength.analysis_truth [--games 6] [--seconds 0.05] [--openings FILE] [--jobs 2] [--into FILE]
        [--net FILE] [SPEC ...]

The default bot of each game plays itself; only its processor time per move is set. Without a SPEC all six games are
played. They begin after two plies at random, or with the lines of an opening file, such as those in
`configs/openings`: otherwise one colour may win nearly every game, which is easy to predict. Each finished game
is a line of the file (`results/analysis_truth.jsonl`) and is not played again: a run may be ended at any time, and
`--games 20` continues a smaller one with the same seconds, openings and calibration.

Printed are for each game the share of moves after which the value for the first colour is more than 15 points away
from the one before, and, in ten bins of what the side to move was promised, what it got. A bin is right if the promise
lies in the interval of 95% around the share of games won. Positions of one game are not independent: the interval is
taken over games. Then the calibration that fits: the power to which the odds that a search compares would come true
(the likeliest, with an interval of 95%). A weight file says which is used (`gv.Network.calibration`).
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import log
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean

import gtp_variants as gv
from benchmarks.strength.matches.game import file_opening
from gtp_variants.ai.mcts.result import raise_odds
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.run.referee import Referee

SPECS = ("go:size=9", "aleago:size=9", "phantom:size=9", "rosette:n=4", "alter-igo", "pentalath")
JUMP = 0.15
BINS = 10
# Random plies before the bots begin, so that no two games are the same.
OPENING_PLIES = 2
FILE = Path("results/analysis_truth.jsonl")
# Candidate powers, 0.25 to 8 in steps of 6%, and the number of bootstrap samples for the interval.
POWERS = tuple(0.25 * 2 ** (step / 12) for step in range(61))
DRAWS = 400
# Limits chances, so that a single game cannot have an infinite loss.
LEAST_PROMISE = 1e-3


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game of the bot against itself.

    `values` are, move by move, the seat that was to move and what its search promised each colour, in turn order;
    `shares` what each colour got; `openings` the file whose line `number` it began with, counted from 0, or "";
    `calibration` the power to which the odds of these values were raised; `net` the network's file, "auto" for that of
    the package.
    """

    spec: str
    seconds: float
    number: int
    values: Sequence[tuple[int, Sequence[float]]]
    shares: Sequence[float]
    openings: str = ""
    calibration: float = 1.0
    net: str = "auto"


@dataclass(frozen=True, slots=True)
class Task:
    """A game to play, with the expected calibration of its values."""

    spec: str
    seconds: float
    number: int
    openings: str = ""
    calibration: float = 1.0
    net: str = "auto"


class _Watched:
    """A player whose values are noted, each with its seat."""

    def __init__(self, player: gv.Player, seat: int, notes: list[tuple[int, Sequence[float]]]) -> None:
        self._player, self._seat, self._notes = player, seat, notes
        self.avoided = ()

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        self._player.sit(rules, colour, seed)

    def hear(self, news: gv.News) -> None:
        self._player.hear(news)

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        action = self._player.choose(view, clock)
        found = getattr(self._player, "found", None)
        if found is not None and found.values:
            self._notes.append((self._seat, tuple(round(value, 4) for value in found.values)))
        return int(action)

    def leave(self, outcome: gv.Outcome | None) -> None:
        self._player.leave(outcome)


def play_game(task: Task) -> JudgedGame:
    """Play one game to its end; nobody resigns. Raises ConfigError if the opening file lacks the line."""
    spec, number, openings = task.spec, task.number, task.openings
    rules = gv.parse(spec)
    dice = gv.DiceStream(f"{spec} {number}")
    table, rng = gv.Table(rules, lambda: dice), Random(f"{spec} {number}")
    for point in file_opening(openings, number, rules) if openings else ():
        # The stones of a file show which lines were open.
        table.play_for_host(table.position.mover, point)
    for _ in range(0 if openings else OPENING_PLIES):
        points = [point for point in rules.legal(table.position) if point >= 0]
        table.play(table.position.mover, rng.choice(points))
    notes: list[tuple[int, Sequence[float]]] = []
    seats = {colour: _Watched(_load_bot(rules, task), seat, notes) for seat, colour in enumerate(rules.colours)}
    seeds = {colour: f"{number} {colour}" for colour in rules.colours}
    verdict = Referee(table, seats, seeds, GameSettings(spec)).run()
    if verdict.failures or verdict.outcome is None:
        raise RuntimeError(f"{spec} {number}: {verdict.kind}: {verdict.why}")
    winner = verdict.outcome.winner
    shares = [1 / len(rules.colours) if winner is None else float(colour == winner) for colour in rules.colours]
    return JudgedGame(rules.spec, task.seconds, number, notes, shares, openings, task.calibration, task.net)


def _load_bot(rules: gv.Rules, task: Task) -> gv.Player:
    bot = gv.load_bot(f"{rules.profile.default_bot}:seconds={task.seconds},cpu_time=true,net={task.net}")
    if hasattr(bot, "resign"):
        bot.resign = False
    return bot


def count_jumps(games: Iterable[JudgedGame]) -> tuple[int, int]:
    """Count the moves that change the first colour's value by over 15 points, and all moves counted.

    With hidden stones each seat has its own graph.
    """
    steps: list[float] = []
    for game in games:
        is_open = gv.parse(game.spec).is_open
        seats = {seat for seat, _ in game.values}
        graphs = [game.values] if is_open else [[each for each in game.values if each[0] == seat] for seat in seats]
        for graph in graphs:
            steps += [abs(after[0] - before[0]) for (_, before), (_, after) in pairwise(graph)]
    return sum(step > JUMP for step in steps), len(steps)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Positions with similar values: their number, their games, the mean value and the true share of wins.

    `error` is half of the interval of 95% of the truth, over games.
    """

    positions: int
    games: int
    promised: float
    got: float
    error: float

    @property
    def is_right(self) -> bool:
        """Return True if the value lies in the interval."""
        return abs(self.promised - self.got) <= self.error


def calibrate(games: Iterable[JudgedGame]) -> list[CalibrationBin | None]:
    """Return ten bins by the value for the side to move; None for an empty bin."""
    promised: list[dict[int, list[float]]] = [{} for _ in range(BINS)]
    got: list[dict[int, list[float]]] = [{} for _ in range(BINS)]
    for index, game in enumerate(games):
        for seat, values in game.values:
            place = min(BINS - 1, int(values[seat] * BINS))
            promised[place].setdefault(index, []).append(values[seat])
            got[place].setdefault(index, []).append(game.shares[seat])
    return [_bin(p, g) if p else None for p, g in zip(promised, got, strict=True)]


def _bin(promised: dict[int, list[float]], got: dict[int, list[float]]) -> CalibrationBin:
    total = sum(map(len, promised.values()))
    mean = sum(map(sum, got.values())) / total
    # The variance of a ratio of two sums over games, from each game's deviation.
    spread = sum((sum(shares) - mean * len(shares)) ** 2 for shares in got.values())
    count = len(got)
    error = 1.96 * (spread * count / (count - 1)) ** 0.5 / total if count > 1 else 1.0
    # A few games with equal results have a variance of 0, so use the bound from their number.
    error = max(error, 1.5 / (count + 3))
    return CalibrationBin(total, count, fmean(each for some in promised.values() for each in some), mean, error)


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """The likeliest power for the odds that a search compares, with its 95% interval."""

    power: float
    least: float
    most: float


def fit_calibration(games: Sequence[JudgedGame], seed: int = 1) -> CalibrationFit | None:
    """Fit by cross entropy of the results, with a bootstrap interval over games. Return None without a game."""
    losses = [[_loss(game, power) for power in POWERS] for game in games if game.values]
    if not losses:
        return None
    rng = Random(seed)
    drawn = sorted(_likeliest(rng.choices(losses, k=len(losses))) for _ in range(DRAWS))
    return CalibrationFit(_likeliest(losses), drawn[DRAWS // 40], drawn[-1 - DRAWS // 40])


def _loss(game: JudgedGame, power: float) -> float:
    """Return the cross entropy of a game's results in nats, with the search's odds raised to a power."""
    loss = 0.0
    for seat, values in game.values:
        told = raise_odds(values, power / game.calibration)[seat]
        promise, got = min(max(told, LEAST_PROMISE), 1 - LEAST_PROMISE), game.shares[seat]
        loss -= got * log(promise) + (1 - got) * log(1 - promise)
    return loss


def _likeliest(losses: Sequence[Sequence[float]]) -> float:
    totals = [sum(of_power) for of_power in zip(*losses, strict=True)]
    return POWERS[totals.index(min(totals))]


def load_games(file: Path) -> list[JudgedGame]:
    """Return the stored games, without an incomplete last line."""
    games = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        try:
            games.append(JudgedGame(**json.loads(line)))
        except ValueError:
            continue
    return games


def report(games: Sequence[JudgedGame]) -> str:
    """Return the report: jumps and bins of each game, and of all together."""
    lines = []
    specs = list(dict.fromkeys(game.spec for game in games))
    for name, of_spec in [(spec, [game for game in games if game.spec == spec]) for spec in specs] + [("all", games)]:
        jumps, moves = count_jumps(of_spec)
        bins = [each for each in calibrate(of_spec) if each is not None]
        right = sum(each.is_right for each in bins)
        lines.append(f"{name}: {len(of_spec)} games, {jumps} of {moves} moves jump ({jumps / max(1, moves):.1%}), ")
        lines[-1] += f"{right} of {len(bins)} bins right"
        fit = fit_calibration(of_spec)
        if fit is not None and name != "all":
            lines[-1] += f", calibration {of_spec[0].calibration:g}, what fits {fit.power:.2f} "
            lines[-1] += f"[{fit.least:.2f}, {fit.most:.2f}]"
        lines += [
            f"  promised {each.promised:6.1%}  got {each.got:6.1%} ±{each.error:.1%}"
            f"  ({each.positions} positions of {each.games} games){'' if each.is_right else '  WRONG'}"
            for each in bins
        ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=SPECS, metavar="SPEC")
    parser.add_argument("--games", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--openings", default="", metavar="FILE", help="game n begins with its line n")
    parser.add_argument("--net", default="auto", metavar="FILE", help="the network that judges the positions")
    parser.add_argument("--jobs", type=int, default=1, help="how many games are played at a time")
    parser.add_argument("--into", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    options.into.parent.mkdir(parents=True, exist_ok=True)
    wanted = [gv.parse(spec).spec for spec in options.specs]
    if options.openings and len(wanted) != 1:
        parser.error(f"--openings {options.openings}: expected one SPEC, whose games begin so, not {len(wanted)}")
    known = load_games(options.into)
    tasks = [
        Task(spec, options.seconds, number, options.openings, calibration_of(gv.parse(spec), options.net), options.net)
        for number in range(options.games)
        for spec in wanted
    ]
    done = {_task_of(game) for game in known}
    for game in _play_all([task for task in tasks if task not in done], options.jobs):
        known.append(game)
        with options.into.open("a", encoding="utf-8") as file:
            file.write("\n" if file.tell() and not _ends_in_a_line(options.into) else "")
            file.write(json.dumps(asdict(game)) + "\n")
    alike = {replace(task, number=0) for task in tasks}
    mine = [game for game in known if replace(_task_of(game), number=0) in alike]
    text = report(mine)
    print(text)
    return text


def calibration_of(rules: gv.Rules, net: str) -> float:
    """Return the power to which the bot raises its odds in a game."""
    settings = gv.Thinker(rules, network=net, playouts=1).settings
    return float(getattr(settings, "calibration", 1.0))


def _task_of(game: JudgedGame) -> Task:
    return Task(game.spec, game.seconds, game.number, game.openings, game.calibration, game.net)


def _play_all(tasks: Sequence[Task], jobs: int) -> Iterator[JudgedGame]:
    """Yield the games as they end."""
    if jobs == 1:
        yield from map(play_game, tasks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(play_game, tasks)


def _ends_in_a_line(file: Path) -> bool:
    return file.read_bytes().endswith(b"\n")


if __name__ == "__main__":
    main()
