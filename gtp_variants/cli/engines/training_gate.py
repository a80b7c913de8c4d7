"""Matches of a network in training, at equal processor time: against the best before it, and against no network."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import log10
from pathlib import Path
from random import Random

from gtp_variants.arena.api import MatchResult, match
from gtp_variants.json_values import Json
from gtp_variants.records.files import write
from gtp_variants.records.notation import write_move
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.rules import Rules
from gtp_variants.statistics.estimates import estimate
from gtp_variants.training.json_files import check_numbers, read_lines
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
        # From another working directory it is the same.
        self._rules, self._folder, self._pairs, self._seconds = rules, folder.resolve(), pairs, seconds
        (folder / "gates").mkdir(exist_ok=True)
        self.results = read_lines(folder / _LOG, _read_result)

    def play(self, iteration: int, hours: float, weights: Path) -> Sequence[GateResult]:
        """Let a network meet the search without one, and the best one so far, which it may become; what came out.

        Meetings that have been played are not played again: a gate that was stopped anywhere goes on.
        """
        known, best = len(self.results), self._folder / BEST
        self.measure(iteration, hours, weights)
        network = weights.read_bytes()
        # Else it has become the best one.
        if not best.exists() or best.read_bytes() != network:
            is_better = not best.exists() or self._meet(iteration, hours, weights, self._name_of_best()).elo >= 0
            if is_better:
                write(best, network, durable=True)
        return self.results[known:]

    def measure(self, iteration: int, hours: float, weights: Path) -> GateResult:
        """Let a network meet the search without one, unless it has."""
        return self._meet(iteration, hours, weights, NO_NETWORK)

    def curves(self) -> list[PlotLine]:
        """Elo over hours, against the search without a network."""
        rows = [each for each in self.results if each.against == NO_NETWORK]
        points = sorted((each.hours, each.elo, (each.high - each.low) / 2) for each in rows)
        return [PlotLine("against no network", points)]

    def _name_of_best(self) -> str:
        """The iteration that the best network so far is of, in words; its file's name if it is of none here."""
        best = (self._folder / BEST).read_bytes()
        for iteration in sorted({each.iteration for each in self.results}, reverse=True):
            weights = self._folder / "weights" / f"{iteration:05}.safetensors"
            if weights.exists() and weights.read_bytes() == best:
                return f"iteration {iteration}"
        return BEST

    def _meet(self, iteration: int, hours: float, weights: Path, against: str) -> GateResult:
        for each in self.results:
            if (each.iteration, each.against) == (iteration, against):
                return each
        other = "none" if against == NO_NETWORK else str(self._folder / BEST)
        others = {f"old{'-2' * seat}": self._bot(other) for seat in range(len(self._rules.colours) - 1)}
        # With other times a match that was begun does not go on.
        store = f"{iteration:05}-{against.replace(' ', '-')}-{self._seconds:g}s.db"
        found = match(
            self._rules,
            {_NEW: self._bot(str(weights.resolve())), **others},
            pairs=self._pairs,
            seed=f"gate {iteration}",
            store=self._folder / "gates" / store,
            openings=self._openings(),
        )
        result = GateResult(iteration, hours, against, len(found.games), *_elo(found))
        self.results.append(result)
        lines = "".join(json.dumps(asdict(each)) + "\n" for each in self.results)
        write(self._folder / _LOG, lines.encode(), durable=True)
        return result

    def _bot(self, network: str) -> str:
        if not self._rules.is_open:
            return f"bot:{self._rules.default_bot}:seconds={self._seconds},cpu_time=true,hidden_net={network}"
        return f"bot:mcts:playouts=0,seconds={self._seconds},cpu_time=true,resign=false,net={network}"

    def _openings(self) -> Path | None:
        """Games that begin with moves at random; where dice are thrown they differ anyway.

        None, too, on a board where every first move ends the game.
        """
        if isinstance(self._rules, DicedRules):
            return None
        path = self._folder / "gates" / "openings.txt"
        if not path.exists():
            rng = Random(1)
            openings = (self._opening(rng) for _ in range(self._pairs))
            write(path, "".join(f"{opening}\n" for opening in openings if opening).encode())
        return path if path.stat().st_size else None

    def _opening(self, rng: Random) -> str:
        """Moves at random, fewer where another one would end the game."""
        rules, position, words = self._rules, self._rules.start(), []
        for _ in range(_PLIES):
            stones = [action for action in rules.legal(position) if action >= 0]
            while stones:
                action = rng.choice(stones)
                after = rules.play(position, action)
                if not rules.is_over(after):
                    break
                stones.remove(action)
            else:
                break
            words.append(write_move(rules.board, action))
            position = after
        return " ".join(words)


def _read_result(row: Json) -> GateResult:
    """A row of the log. Raises ValueError."""
    names = [each.name for each in fields(GateResult)]
    if set(row) != set(names) or not isinstance(row["against"], str):
        raise ValueError(f"expected an object with {', '.join(names)}")
    check_numbers(row, *(name for name in names if name != "against"))
    return GateResult(**row)


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
