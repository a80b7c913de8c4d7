"""The command `gtp-variants bench`, which measures playouts and simulations per second on this computer."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from statistics import median

from gtp_variants.ai.backend import announcement, search_backend
from gtp_variants.ai.mcts.plain.playouts import run_playouts
from gtp_variants.ai.mcts.plain.tree import PlainTree
from gtp_variants.ai.mcts.settings import PuctSettings, SearchSettings
from gtp_variants.ai.mcts.tree_search import SearchTree
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import choose_network, find_weights, instruction_set
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.cli.parser import SECONDS, CommandParser
from gtp_variants.errors import ConfigError
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

_ROUNDS = 5
# Maximum playouts in a round: a search with only one legal move ends at once, so more playouts would not take longer.
_MOST = 1 << 24
_EVALUATIONS = "evaluations"

Row = dict[str, str | int | float]
Run = Callable[[int, int], tuple[int, int]]


def default_specs() -> list[str]:
    """Return the SPECs that the games declare for measurements."""
    profiles = [game_class(name).profile for name in GAMES]
    return [spec for profile in profiles for spec in profile.bench_specs or (profile.small_spec,)]


def rates(specs: Iterable[str], seconds: float = 1.0) -> Iterator[Row]:
    """Yield the speeds of searches from the start position of each game, with one row for each kind of search.

    The keys of a row are `spec, what, form, threads, per_second, moves_per_second, clock, instructions, weights`.

    `what` is "playouts" (uniform over legal moves that fill no eye of the mover), "simulations" (tree search with RAVE
    and such playouts) or "evaluations" (a search with a network from the package). Each row takes `seconds`.

    A rate is the median of five rounds. On one thread it is per second of CPU time, which does not depend on other
    programs (`clock` is "processor"). On all threads it is per second of elapsed time ("wall"). Moves include passes.
    `instructions` is the instruction set and `weights` the file of the network, or "" without a network. Raises
    ConfigError unless `seconds` is above 0, and SpecError for an unknown game or option.
    """
    if not 0 < seconds < float("inf"):
        raise ConfigError([f"seconds={seconds}: expected more than 0"])
    for spec in specs:
        rules = parse(spec)
        for what, threads, backend, run in _runs(rules):
            clock, measure = ("processor", time.thread_time) if threads == 1 else ("wall", time.perf_counter)
            per_second, moves_per_second = _rate(run, measure, seconds)
            weights = find_weights(rules) if what == _EVALUATIONS else None
            yield {
                "spec": spec,
                "what": what,
                "form": backend,
                "threads": threads,
                "per_second": round(per_second),
                "moves_per_second": round(moves_per_second),
                "clock": clock,
                "instructions": "" if weights is None else instruction_set(),
                "weights": "" if weights is None else weights.name,
            }


def _runs(rules: Rules) -> Iterator[tuple[str, int, str, Run]]:
    """Yield the measurements for a game: the kind, the threads, the backend, and a function to do n runs."""
    start = position = rules.start()
    while position.to_play == CHANCE:
        position = rules.play(position, rules.actions(position)[0])

    def search(make_tree: Callable[..., SearchTree], n: int, seed: int, threads: int = 1) -> tuple[int, int]:
        settings = SearchSettings(playouts=n, seed=seed, threads=threads, variant="plain")
        found = make_tree(rules, position, settings).think(settings)
        return found.playouts, found.turns

    if search_backend(rules) == "native":
        from gtp_variants.ai.mcts import kernel_calls

        def count_native(n: int, seed: int, threads: int = 1) -> tuple[int, int]:
            return n, kernel_calls.count_playouts(rules, start, n, seed, threads).turns

        all_threads = sorted({1, available_cores()})
        for threads in all_threads:
            yield "playouts", threads, "native", partial(count_native, threads=threads)
        for threads in all_threads:
            yield "simulations", threads, "native", partial(search, kernel_calls.KernelTree, threads=threads)
        # This row shows whether a network is worth using on this computer.
        file = find_weights(rules)
        network = None if file is None else choose_network(rules, file)
        if network is not None:
            yield _EVALUATIONS, 1, "native", partial(_evaluate, rules, position, network)
    yield "playouts", 1, "python", lambda n, seed: (n, run_playouts(rules, start, n, seed).turns)
    yield "simulations", 1, "python", partial(search, PlainTree)


def _evaluate(rules: Rules, position: Position, network: Network, n: int, seed: int) -> tuple[int, int]:
    from gtp_variants.ai.mcts.kernel_puct import KernelNetworkTree

    settings = PuctSettings(playouts=n, seed=seed)
    found = KernelNetworkTree(rules, position, settings, (), network).think(settings)
    return found.playouts, found.turns


def _rate(run: Run, clock: Callable[[], float], seconds: float) -> tuple[float, float]:
    """Return playouts and moves per second, as medians of rounds that last about `seconds` in all."""
    n, took = 1, 0.0
    # Double the number of runs until they take long enough to time. This also warms up caches.
    while took < seconds / 20 and n < _MOST:
        began = clock()
        run(n, 0)
        took = clock() - began
        n *= 2
    n = max(1, min(_MOST, int(n / 2 / max(took, 1e-9) * seconds / _ROUNDS)))
    rates = []
    for seed in range(1, _ROUNDS + 1):
        began = clock()
        played, turns = run(n, seed)
        took = max(clock() - began, 1e-9)
        rates.append((played / took, turns / took))
    return median(rate for rate, _ in rates), median(rate for _, rate in rates)


def main(arguments: Sequence[str]) -> int:
    """Print the measurements as a table or as JSON."""
    options = parser().parse_args(arguments)
    rows = []
    sys.stderr.write(f"{announcement(available_cores())}\n")
    for row in rates(options.spec or default_specs(), options.seconds):
        rows.append(row)
        if not options.json:
            threads = f"{row['threads']:>2} thread{' ' if row['threads'] == 1 else 's'}"
            head = f"{row['spec']:<28}{row['what']:<13}{row['form']:<8}{threads}"
            rate = f"{row['per_second']:>12,} a second{row['moves_per_second']:>15,} moves"
            how = ", ".join(str(each) for each in (f"{row['clock']} time", row["instructions"], row["weights"]) if each)
            sys.stdout.write(f"{head}{rate}   {how}\n")
            sys.stdout.flush()
    if options.json:
        sys.stdout.write(json.dumps(rows) + "\n")
    return 0


def parser() -> CommandParser:
    made = CommandParser("bench")
    made.add_argument("--json", action="store_true")
    made.add_argument("--spec", action="append", metavar="SPEC")
    made.add_argument("--seconds", type=SECONDS.read, default=1.0, metavar="S")
    return made
