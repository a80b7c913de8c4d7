"""Matches of a network in training, at equal processor time: against the best before it, and against no network."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log10
from pathlib import Path
from random import Random
from shutil import copyfile

from gtp_variants.arena.api import MatchResult, match
from gtp_variants.json_values import Json
from gtp_variants.records.files import write
from gtp_variants.records.notation import write_move
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.rules import Rules
from gtp_variants.statistics.estimates import estimate
from gtp_variants.training.progress_page import PlotLine

BEST = "best.safetensors"
NO_NETWORK = "no network"
_LOG = "gates.jsonl"
_PLIES = 4
_NEW = "new"


@dataclass(frozen=True, slots=True)
class GateResult:
    """How a network did: against whom, Elo with its 95 % interval, after so many processor hours of training."""

    iteration: int
    hours: float
    against: str
    games: int
    elo: float
    low: float
    high: float


class TrainingGate:
    """Keeps the best network of a training in its folder, and what the matches say.

    A network becomes the best if it scores at least half against the one before. Matches that were begun go on.
    """

    def __init__(self, rules: Rules, folder: Path, pairs: int, seconds: float) -> None:
        self._rules, self._folder, self._pairs, self._seconds = rules, folder, pairs, seconds
        (folder / "gates").mkdir(exist_ok=True)
        log = folder / _LOG
        rows: list[Json] = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        self.results = [GateResult(**row) for row in rows]

    def play(self, iteration: int, hours: float, weights: Path) -> Sequence[GateResult]:
        """Let a network meet the search without one, and the best one so far, which it may become; what came out."""
        earlier = max((each.iteration for each in self.results if each.against == NO_NETWORK), default=0)
        found = [self.measure(iteration, hours, weights)]
        best = self._folder / BEST
        if best.exists():
            found.append(self._meet(iteration, hours, weights, f"iteration {earlier}"))
        if found[-1].against == NO_NETWORK or found[-1].elo >= 0:
            copyfile(weights, best)
        return found

    def measure(self, iteration: int, hours: float, weights: Path) -> GateResult:
        """Let a network meet the search without one."""
        return self._meet(iteration, hours, weights, NO_NETWORK)

    def curves(self) -> list[PlotLine]:
        """Elo over hours, against the search without a network."""
        rows = [each for each in self.results if each.against == NO_NETWORK]
        points = [(each.hours, each.elo, (each.high - each.low) / 2) for each in rows]
        return [PlotLine("against no network", points)]

    def _meet(self, iteration: int, hours: float, weights: Path, against: str) -> GateResult:
        other = "none" if against == NO_NETWORK else str(self._folder / BEST)
        others = {f"old{'-2' * seat}": self._bot(other) for seat in range(len(self._rules.colours) - 1)}
        found = match(
            self._rules,
            {_NEW: self._bot(str(weights)), **others},
            pairs=self._pairs,
            seed=f"gate {iteration}",
            store=self._folder / "gates" / f"{iteration:05}-{against.replace(' ', '-')}.db",
            openings=self._openings(),
        )
        result = GateResult(iteration, hours, against, len(found.games), *_elo(found))
        self.results.append(result)
        write(self._folder / _LOG, "".join(json.dumps(asdict(each)) + "\n" for each in self.results).encode())
        return result

    def _bot(self, network: str) -> str:
        if not self._rules.is_open:
            return f"bot:{self._rules.default_bot}:seconds={self._seconds},cpu_time=true,hidden_net={network}"
        return f"bot:mcts:playouts=0,seconds={self._seconds},cpu_time=true,resign=false,net={network}"

    def _openings(self) -> Path | None:
        """Games that begin with moves at random; where dice are thrown they differ anyway."""
        if isinstance(self._rules, DicedRules):
            return None
        path = self._folder / "gates" / "openings.txt"
        if not path.exists():
            rng = Random(1)
            write(path, "".join(f"{self._opening(rng)}\n" for _ in range(self._pairs)).encode())
        return path

    def _opening(self, rng: Random) -> str:
        rules, position, words = self._rules, self._rules.start(), []
        for _ in range(_PLIES):
            stones = [action for action in rules.legal(position) if action >= 0]
            action = rng.choice(stones)
            words.append(write_move(rules.board, action))
            position = rules.play(position, action)
        return " ".join(words)


def _elo(found: MatchResult) -> tuple[float, float, float]:
    """By how much the new one is stronger than each other, with the 95 % interval.

    Among several equal others it wins as often as its strength has part in that of all (Bradley and Terry).
    """
    others = len(found.players) - 1
    if others == 1:
        return found.elo, *found.interval
    games, won = len(found.games), round(found.points(_NEW))
    against_all, even = estimate((games - won, 0, won)), 400 * log10(others)
    low, high = against_all.interval
    return against_all.elo + even, low + even, high + even
