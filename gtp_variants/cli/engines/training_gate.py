"""Matches of a network in training, at equal processor time: against the best before it, and against no network."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import log10
from pathlib import Path
from random import Random

from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import training_stages
from gtp_variants.ai.nets.weight_choice import choose_hidden_network, choose_network
from gtp_variants.arena.api import MatchResult, match
from gtp_variants.arena.run.preflight import MatchChanged
from gtp_variants.arena.store import MatchStore
from gtp_variants.cli.engines.gate_results import LOG, NO_NETWORK, GateResult, read_gate_results
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.records.files import write
from gtp_variants.records.notation import write_move
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.statistics.estimates import estimate

BEST = "best.safetensors"
_PLIES = 4
_NEW = "new"


class TrainingGate:
    """Keeps the best network of a training in its folder, and what the matches say; nothing is written before one.

    A network becomes the best if it scores at least half against the one before. Matches that were begun go on. Raises
    RecordError for a log that is damaged.
    """

    def __init__(self, rules: Rules, folder: Path, pairs: int, seconds: float) -> None:
        # From another working directory it is the same.
        self._rules, self._folder, self._pairs, self._seconds = rules, folder.resolve(), pairs, seconds
        self.results = read_gate_results(folder / LOG)

    def check(self) -> None:
        """Raise what would end a match before it begins: ConfigError for the folder, RecordError for the best network.

        ConfigError, too, for a best network that does not play the game, RecordError where it is gone, or the log is.
        """
        if "," in str(self._folder):
            raise ConfigError([f"{self._folder}: expected a path without a comma, which ends the parameter of a bot"])
        best = self._folder / BEST
        if best.exists():
            self._check_network(best)
            if not self.results:
                raise RecordError(f"{self._folder / LOG}: expected the gates that {BEST} has won, it is gone")
        elif any(each.against != NO_NETWORK for each in self.results):
            weights = f"weights/{self._iteration_of_best():05}.safetensors"
            raise RecordError(f"{best}: expected the best network so far, it is gone; it was that of {weights}")

    def play(self, iteration: int, hours: float, weights: Path) -> Sequence[GateResult]:
        """Let a network meet the search without one, and the best one so far, which it may become; what came out.

        `hours` are those of this training; in what came out those of what it began with are added. Meetings that have
        been played are not played again: a gate that was stopped anywhere goes on. Raises what `check` raises,
        RecordError for weights that are damaged, too; nothing has changed then.
        """
        self.check()
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
        """Let a network meet the search without one, unless it has. Raises RecordError for damaged weights."""
        self._check_network(weights)
        return self._meet(iteration, hours, weights, NO_NETWORK)

    def _check_network(self, weights: Path) -> None:
        """Raise RecordError for a file that a bot could not load: it would lose its games by forfeit."""
        choose = choose_network if self._rules.is_open else choose_hidden_network
        choose(self._rules, weights.resolve())

    def _iteration_of_best(self) -> int:
        """The iteration that the best network so far is of, as the log tells it."""
        won = [each.iteration for each in self.results if each.against != NO_NETWORK and each.elo >= 0]
        return [self.results[0].iteration, *won][-1]

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
        found = self._play_match(iteration, against, {_NEW: self._bot(str(weights.resolve())), **others})
        hours += sum(stage.hours for stage in training_stages(Network.load(weights))[:-1])
        result = GateResult(iteration, hours, against, len(found.games), *_elo(found))
        self.results.append(result)
        lines = "".join(json.dumps(asdict(each)) + "\n" for each in self.results)
        write(self._folder / LOG, lines.encode(), durable=True)
        return result

    def _play_match(self, iteration: int, against: str, players: Mapping[str, str]) -> MatchResult:
        # With other times, pairs or another SPEC a match that was begun does not go on.
        name = f"{iteration:05}-{against.replace(' ', '-')}-{self._pairs}-{self._seconds:g}s.db"
        folder = self._folder / "gates" / self._rules.short_spec.replace(":", "_")
        folder.mkdir(parents=True, exist_ok=True)
        play = partial(
            match,
            self._rules,
            players,
            pairs=self._pairs,
            seed=f"gate {iteration}",
            store=folder / name,
            openings=self._write_openings(folder),
        )
        try:
            return play()
        except MatchChanged:
            # Neither does it with other weights, or by another version of the package.
            with MatchStore(folder / name) as store:
                store.delete()
            return play()

    def _bot(self, network: str) -> str:
        if not self._rules.is_open:
            return f"bot:{self._rules.profile.default_bot}:seconds={self._seconds},cpu_time=true,hidden_net={network}"
        return f"bot:mcts:playouts=0,seconds={self._seconds},cpu_time=true,resign=false,net={network}"

    def _write_openings(self, folder: Path) -> Path | None:
        """Games that begin with moves at random, one a pair; where dice are thrown they differ anyway.

        None, too, on a board where every first move ends the game.
        """
        if isinstance(self._rules, DicedRules):
            return None
        rng = Random(1)
        openings = [opening for _ in range(self._pairs) if (opening := self._opening(rng))]
        path = folder / f"openings-{self._pairs}.txt"
        write(path, "".join(f"{opening}\n" for opening in openings).encode())
        return path if openings else None

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
