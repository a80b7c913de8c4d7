"""The gates of a training run: matches that its networks play at equal processor time, and their results.

Each network plays against the search without a network, and against the best network so far.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import islice
from math import log10
from operator import attrgetter
from pathlib import Path

from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import training_stages
from gtp_variants.ai.nets.weight_choice import choose_hidden_network, choose_network
from gtp_variants.arena.api import MatchResult, match
from gtp_variants.arena.run.preflight import MatchChanged
from gtp_variants.arena.store import MatchStore
from gtp_variants.base.json_values import Json
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, render
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.records.files import write
from gtp_variants.records.notation import write_move
from gtp_variants.rules.game import random_game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.statistics.estimates import elo_text, estimate
from gtp_variants.training.json_files import check_numbers, read_lines

LOG = "gates.jsonl"
BEST = "best.safetensors"
NO_NETWORK = "no network"
# Number of random moves in an opening, and of random games for an opening in which no move passes or ends the game.
_PLIES, _TRIES_AN_OPENING = 4, 20
_NEW = "new"


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a network against one opponent: its Elo difference with the 95 % interval.

    `hours` are processor hours. They include the training of earlier networks on which this network is based.
    """

    iteration: int
    hours: float
    against: str
    games: int
    elo: float
    low: float
    high: float

    @property
    def elo_text(self) -> str:
        """The Elo difference with its interval, such as `+12 [-30, +54]`."""
        return elo_text(self.elo, self.low, self.high)


def read_gate_results(path: Path) -> list[GateResult]:
    """Return the results in a log, or [] without a file. Raises RecordError with the file name and the damaged line."""
    return read_lines(path, _read_result)


def show_strengths(results: Sequence[GateResult]) -> str:
    """Return HTML with Elo by processor hours, as a plot and a table, or "" without results."""
    if not results:
        return ""
    curves = []
    for name, is_plain in ((NO_NETWORK, True), ("the best before it", False)):
        rows = sorted((each for each in results if (each.against == NO_NETWORK) == is_plain), key=attrgetter("hours"))
        points = [PlotPoint(each.hours, each.elo, each.low, each.high, each.elo_text) for each in rows]
        curves += [PlotCurve(f"against {name}", points)] if points else []
    title = f"Elo {curves[0].name}, 95 % intervals" if len(curves) == 1 else "Elo, 95 % intervals"
    shown = Plot(title, curves, Axes("processor hours in all", "Elo", [(0.0, "")]))
    return render("cli/engines/strengths.html", plotted=shown, results=results)


def _read_result(row: Json) -> GateResult:
    """Return the result in a row of the log. Raises ValueError if the row is damaged."""
    names = [each.name for each in fields(GateResult)]
    if set(row) != set(names) or not isinstance(row["against"], str):
        raise ValueError(f"expected an object with {', '.join(names)}")
    check_numbers(row, *(name for name in names if name != "against"))
    return GateResult(**row)


class TrainingGate:
    """The gates of one training. The training folder has the best network and a log of results.

    A network becomes the best if it scores at least half against the previous best. An interrupted match is continued
    later. Nothing is written before the first match. Raises RecordError for a damaged log. In a game with hidden stones
    the network guesses them, or judges full boards if `judges`.
    """

    def __init__(self, rules: Rules, folder: Path, pairs: int, seconds: float, *, judges: bool = False) -> None:
        # The folder is absolute, so that a change of the working directory does not matter.
        self._rules, self._folder, self._pairs, self._seconds = rules, folder.resolve(), pairs, seconds
        self.results = read_gate_results(folder / LOG)
        self._judges = judges or rules.is_open

    def check(self) -> None:
        """Check for faults that would otherwise end a match with an error.

        Raises ConfigError if the folder is unusable or the best network is for another game, and RecordError if the
        best network is damaged, or if it or the log is missing.
        """
        if "," in str(self._folder):
            raise ConfigError([f"{self._folder}: expected a path without a comma: a comma ends a bot's parameter"])
        best = self._folder / BEST
        if best.exists():
            self._check_network(best)
            if not self.results:
                raise RecordError(f"{self._folder / LOG}: missing; expected the log of the gates that {BEST} has won")
        elif any(each.against != NO_NETWORK for each in self.results):
            won = [each.iteration for each in self.results if each.against != NO_NETWORK and each.elo >= 0]
            weights = f"weights/{[self.results[0].iteration, *won][-1]:05}.safetensors"
            raise RecordError(f"{best}: missing; expected the best network so far, a copy of {weights}")

    def play(self, iteration: int, hours: float, weights: Path) -> Sequence[GateResult]:
        """Play a network against the search without a network and against the best so far, and return the new results.

        `hours` are the hours of this training; the results add the training of earlier networks that it continued.
        Finished matches are not repeated, so an interrupted gate continues. Raises the same errors as `check`, or
        RecordError for damaged weights, before anything is changed.
        """
        self.check()
        known, best = len(self.results), self._folder / BEST
        self.measure(iteration, hours, weights)
        network = weights.read_bytes()
        # If the two files are equal, an interrupted gate has already made this network the best.
        if not best.exists() or (
            best.read_bytes() != network and self._meet(iteration, hours, weights, self._name_of_best()).elo >= 0
        ):
            write(best, network, durable=True)
        return self.results[known:]

    def measure(self, iteration: int, hours: float, weights: Path) -> GateResult:
        """Play a network once against the search without a network. Raises RecordError for damaged weights."""
        self._check_network(weights)
        return self._meet(iteration, hours, weights, NO_NETWORK)

    def _check_network(self, weights: Path) -> None:
        """Raise RecordError for a file that a bot cannot load, because the bot would lose its games by forfeit."""
        choose = choose_network if self._judges else choose_hidden_network
        choose(self._rules, weights.resolve())

    def _name_of_best(self) -> str:
        """Return `iteration N` for the best network, or its file name if no iteration in the folder has its weights."""
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
        # The name contains the settings that must stay the same for a match to be continued.
        name = f"{iteration:05}-{against.replace(' ', '-')}-{self._pairs}-{self._seconds:g}s.db"
        folder = self._folder / "gates" / self._rules.short_spec.replace(":", "_")
        folder.mkdir(parents=True, exist_ok=True)
        files: Json = {"store": folder / name, "openings": self._write_openings(folder)}
        play = partial(match, self._rules, players, pairs=self._pairs, seed=f"gate {iteration}", **files)
        try:
            return play()
        except MatchChanged:
            # The weights or the version of the package have changed, so begin again.
            with MatchStore(folder / name) as store:
                store.delete()
            return play()

    def _bot(self, network: str) -> str:
        bot = "mcts:playouts=0,resign=false," if self._rules.is_open else f"{self._rules.profile.default_bot}:"
        return f"bot:{bot}seconds={self._seconds},cpu_time=true,{'net' if self._judges else 'hidden_net'}={network}"

    def _write_openings(self, folder: Path) -> Path | None:
        """Write an opening of random moves for each pair of games, fewer on a tiny board. Return the path of the file.

        Return None for rules with dice, whose games differ anyway, and for a board on which such moves end the game.
        """
        if isinstance(self._rules, DicedRules):
            return None
        games = (random_game(self._rules, seed, _PLIES) for seed in range(_TRIES_AN_OPENING * self._pairs))
        whole = (game for game in games if game.outcome is None and all(map(game.is_turn, range(_PLIES))))
        played = ([event.action for event in game.events] for game in whole)
        found = islice((actions for actions in played if min(actions) >= 0), self._pairs)
        openings = [" ".join(write_move(self._rules.board, action) for action in actions) for actions in found]
        path = folder / f"openings-{self._pairs}.txt"
        write(path, "".join(f"{opening}\n" for opening in openings).encode())
        return path if openings else None


def _elo(found: MatchResult) -> tuple[float, float, float]:
    """Return the Elo difference between the new network and each other player, with the 95 % interval.

    The other players are assumed to be equal. The network's share of wins is then its share of the sum of all strengths
    (Bradley and Terry).
    """
    others = len(found.players) - 1
    if others == 1:
        return found.elo, *found.interval
    games, won = len(found.games), round(found.points(_NEW))
    against_all, even = estimate((games - won, 0, won)), 400 * log10(others)
    low, high = against_all.interval
    return against_all.elo + even, low + even, high + even
