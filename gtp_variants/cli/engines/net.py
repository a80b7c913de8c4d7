"""The `net` command: what stands in a weight file, how far two of them agree, and pictures of what one thinks."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path

from gtp_variants.cli.engines.network_page import network_page
from gtp_variants.cli.parser import CommandParser
from gtp_variants.errors import ConfigError
from gtp_variants.mcts.result import SearchResult
from gtp_variants.mcts.search import search
from gtp_variants.nets.adaptation import adapt_to_rules
from gtp_variants.nets.hidden_stones import hidden_stone_chances
from gtp_variants.nets.network import Network
from gtp_variants.nets.weights.training_stages import STAGE_KEYS, training_stages
from gtp_variants.records.files import write
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.game import random_game

_SMALLEST = 1e-9
# Where so many random games are over too soon, no more are tried for each position that is wanted.
_MOST_TRIES = 20


def main(arguments: Sequence[str]) -> int:
    """Print what each file is, with several also how far each agrees with the first; write a page of pictures.

    Raises ConfigError that names the file of a network that does not play what it is to be shown on, or that answers
    something else than the first.
    """
    asked = parser()
    options = asked.parse_args(arguments)
    if options.positions < 1:
        asked.error(f"--positions {options.positions}: expected 1 or more")
    networks = [Network.load(file) for file in options.files]
    _expect_one_kind(options.files, networks)
    specs = [options.spec] if options.spec else trained_specs(networks[0])
    if options.spec or options.html or len(networks) > 1:
        for file, network in zip(options.files, networks, strict=True):
            for spec in specs:
                adapt_to_rules(network, parse(spec), file)
    for file, network in zip(options.files, networks, strict=True):
        sys.stdout.write(f"{file}\n{describe(network)}")
    if len(networks) > 1:
        for file, said in zip(options.files[1:], compare_with_first(options, networks, specs), strict=True):
            sys.stdout.write(f"{file} beside {options.files[0]}: {said}\n")
    if options.html:
        write(options.html, network_page(networks[0], Path(options.files[0]), specs).encode())
        sys.stdout.write(f"{options.html}\n")
    return 0


def _expect_one_kind(files: Sequence[str], networks: Sequence[Network]) -> None:
    """Raise ConfigError unless all networks tell hidden stones, or none does: others have nothing to compare."""
    first = networks[0].shape.has_hidden_stones
    answers = {True: "tells hidden stones", False: "judges positions"}
    faults = [
        f"{file}: a network that {answers[not first]}, expected one that {answers[first]} as {files[0]} does"
        for file, network in zip(files, networks, strict=True)
        if network.shape.has_hidden_stones != first
    ]
    if faults:
        raise ConfigError(faults)


def compare_with_first(options: Namespace, networks: Sequence[Network], specs: Sequence[str]) -> Iterator[str]:
    """How far each further network agrees with the first, on as many positions of each board as are asked for."""
    counts = [options.positions // len(specs) + (at < options.positions % len(specs)) for at in range(len(specs))]
    asked = [(spec, count) for spec, count in zip(specs, counts, strict=True) if count]
    if networks[0].shape.has_hidden_stones:
        first, *guesses = [[each for spec, count in asked for each in guess(n, spec, count)] for n in networks]
        return (compare_guesses(first, other) for other in guesses)
    mine, *thoughts = [[each for spec, count in asked for each in judge(n, spec, count)] for n in networks]
    return (compare(mine, other) for other in thoughts)


def trained_specs(network: Network) -> list[str]:
    """The boards and options that it was trained on, each once; its game where nobody wrote them down."""
    return list(dict.fromkeys(network.training.get("specs", network.game).split()))


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("net")
    made.add_argument("files", nargs="+", metavar="FILE")
    made.add_argument("--spec", metavar="SPEC")
    made.add_argument("--positions", type=int, default=100, metavar="N")
    made.add_argument("--html", type=Path, metavar="PAGE")
    return made


def describe(network: Network) -> str:
    """Lines with its game, its shape, its size and how it was trained, the first training first."""
    shape = network.shape
    size = sum(map(len, network.tensors.values()))
    lines = [
        f"game: {network.game}, {shape.colours} colours",
        f"shape: {shape.blocks} blocks of {shape.channels} channels, {shape.taps} taps, {size:,} bytes of weights",
        f"sees: {shape.planes} planes, {shape.globals} globals",
        f"calibration: odds to the power of {network.calibration:g}",
        *(f"trained: {stage}" for stage in training_stages(network) if stage.positions),
        *(f"{key}: {value}" for key, value in network.training.items() if key not in STAGE_KEYS),
    ]
    return "".join(f"    {line}\n" for line in lines)


def judge(network: Network, spec: str, count: int) -> list[SearchResult]:
    """What it says of so many positions from random games: priors, and values after one playout."""
    rules = parse(spec)
    found: list[SearchResult] = []
    for seed in range(_MOST_TRIES * count):
        position = random_game(rules, seed, seed % max(1, len(rules.board) // 2)).position
        # The dice are thrown: before that there is nothing to choose.
        while position.to_play == CHANCE:
            position = rules.play(position, rules.actions(position)[seed % len(rules.actions(position))])
        if not rules.is_over(position):
            found.append(search(rules, position, playouts=1, network=network, playout_weight=0, calibration=1))
        if len(found) == count:
            break
    return found


def guess(network: Network, spec: str, count: int) -> list[tuple[float, ...]]:
    """Where it expects stones that a seat does not see, in positions from random games."""
    rules = parse(spec)
    found = []
    for seed in range(count):
        game = random_game(rules, seed, seed % max(1, len(rules.board) // 2))
        seat = game.position.mover
        found.append(hidden_stone_chances(rules, rules.view(game.heard(seat), seat), network) or ())
    return found


def compare_guesses(first: Sequence[tuple[float, ...]], second: Sequence[tuple[float, ...]]) -> str:
    """How far apart the chances of a stone lie, point by point."""
    pairs = [pair for one, other in zip(first, second, strict=True) for pair in zip(one, other, strict=True)]
    return f"chances {sum(abs(one - other) for one, other in pairs) / len(pairs):.4f} apart, {len(first)} positions"


def compare(first: Sequence[SearchResult], second: Sequence[SearchResult]) -> str:
    """Kullback-Leibler divergence of the priors, how often both like one move best, how far values lie apart."""
    pairs = list(zip(first, second, strict=True))
    divergence = agreed = apart = 0.0
    for one, other in pairs:
        divergence += sum(p * log(p / max(other.priors[move], _SMALLEST)) for move, p in one.priors.items() if p > 0)
        agreed += max(one.priors, key=one.priors.__getitem__) == max(other.priors, key=other.priors.__getitem__)
        apart += abs(one.values[0] - other.values[0])
    n = len(pairs)
    if not n:
        return "no position to compare on: random games there are over at once"
    return f"KL {divergence / n:.4f}, same best move {agreed / n:.1%}, values {apart / n:.3f} apart, {n} positions"
