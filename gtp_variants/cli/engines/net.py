"""The command `gtp-variants net`, which describes and compares weight files, and draws a network's judgements."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from random import Random
from types import MappingProxyType

from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.search import search
from gtp_variants.ai.nets.adaptation import adapt_to_rules
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.raw_evaluation import hidden_stone_chances
from gtp_variants.ai.nets.training_stages import STAGE_KEYS, training_stages
from gtp_variants.base.pages import render
from gtp_variants.cli.engines.training_gate import LOG, GateResult, read_gate_results, show_strengths
from gtp_variants.cli.parser import COUNT, CommandParser
from gtp_variants.errors import ConfigError
from gtp_variants.players.bots import load as load_bot
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.svg import percent, svg
from gtp_variants.records.files import write
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# Turns after which a picture of the network's game against itself is drawn.
_PLIES = (0, 8, 24)
_MOST_MOVES_A_POINT = 3
# Moves with a lower prior get no label.
_LEAST_PRIOR = 0.005
# Turns after which a picture of guessed stones is drawn, and the lowest chance that is shown.
_PLIES_OF_GUESSES = (12, 24, 40, 56)
_LEAST_CHANCE = 0.05
# Settings of the bots: playouts instead of seconds, so that the game is the same on every machine.
_BOT_SETTINGS = "playouts=240,worlds=12,net=none,hidden_net=none"


def network_page(
    network: Network, file: Path, specs: Sequence[str], sections: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return a page about a network: its origin, the course of its training, and its judgements on each board.

    The strength curves need the gate log, either in the training folder or beside the file, such as `go.gates.jsonl`
    for `go.safetensors`. `sections` are further parts of the page, heading -> HTML.
    """
    boards = {}
    for spec in specs:
        rules = parse(spec)
        boards[rules.short_spec] = (_guesses if network.shape.has_hidden_stones else _thoughts)(network, rules)
    training = {key: value for key, value in network.training.items() if key not in STAGE_KEYS}
    stages = [stage for stage in training_stages(network) if stage.positions]
    about = {"title": f"What {file.name} thinks", "network": network, "training": training, "stages": stages}
    about |= {"strengths": show_strengths(_gate_results(file)), "sections": sections, "boards": boards}
    return render("cli/engines/network_page.html", **about)


def _gate_results(file: Path) -> list[GateResult]:
    """Return the gate results from the training that produced a file. Raises RecordError for a damaged log."""
    folder = file.resolve().parent
    logs = (folder / f"{file.stem}.{LOG}", folder.parent / LOG, folder / LOG)
    return next((read_gate_results(each) for each in logs if each.is_file()), [])


def _thoughts(network: Network, rules: Rules) -> list[tuple[str, str]]:
    """Return pictures, with captions, of a game that the network plays against itself without a search."""
    game, figures, rng = Game(rules), list[tuple[str, str]](), Random(1)
    most = _MOST_MOVES_A_POINT * len(rules.board)
    while game.outcome is None and len(game.turns()) < most:
        position: Position = game.position
        if position.to_play == CHANCE:
            game.play(CHANCE, rng.choices(rules.actions(position), rules.odds(position))[0])
            continue
        found = search(rules, position, playouts=1, network=network, playout_weight=0, calibration=1)
        if len(figures) < len(_PLIES) and len(game.turns()) >= _PLIES[len(figures)]:
            figures.append(_figure(rules, position, found))
        game.play(position.to_play, max(found.priors, key=found.priors.__getitem__))
    result = Record(game).result or "not finished"
    return [*figures, (svg(game), f"Its game without a search: {len(game.turns())} moves, {result}")]


def _guesses(network: Network, rules: Rules) -> list[tuple[str, str]]:
    """Return pictures, with captions, of a game in which a network guesses the stones hidden from the seat to move."""
    table, figures = Table(rules, lambda: DiceStream("no dice")), list[tuple[str, str]]()
    for colour in rules.colours:
        table.seat(colour, load_bot(f"{rules.profile.default_bot}:{_BOT_SETTINGS}"), str(colour))
    while len(figures) < len(_PLIES_OF_GUESSES) and not rules.is_over(table.position):
        position, seat = table.position, table.position.to_play
        view = rules.view(table.game.heard(seat), seat)
        if position.turn >= _PLIES_OF_GUESSES[len(figures)]:
            chances = hidden_stone_chances(rules, view, network) or ()
            hidden = [point for point, stone in enumerate(position.stones) if stone and not view.stones[point]]
            likely = {point for point, chance in enumerate(chances) if chance >= _LEAST_CHANCE}
            # Points with a hidden stone get no shade, because the shade would cover the stone.
            heat = {point: chances[point] for point in likely.difference(hidden)}
            labels = {point: percent(chances[point]) for point in sorted(likely.union(hidden))}
            right = sum(chances[point] for point in hidden) / max(1, len(hidden))
            unseen = f"{colour_name(seat)} does not see {len(hidden)} stones"
            said = f"{unseen}; chance given to their points: {percent(right)}"
            figures.append((svg(rules, position, heat=heat, labels=labels), said))
        table.answer(seat, table.choose(seat))
    return figures


def _figure(rules: Rules, position: Position, found: SearchResult) -> tuple[str, str]:
    """Return a picture of a position with the priors of its moves, and each side's chance of winning."""
    likely = {move: prior for move, prior in found.priors.items() if move >= 0 and prior >= _LEAST_PRIOR}
    most = max(likely.values(), default=1.0)
    heat = {move: prior / most for move, prior in likely.items()}
    picture = svg(rules, position, heat=heat, labels={move: percent(prior) for move, prior in likely.items()})
    names = map(colour_name, rules.colours)
    said = [f"{colour} {percent(value)}" for colour, value in zip(names, found.values, strict=True)]
    others = [f"{write_move(rules.board, move)} {percent(prior)}" for move, prior in found.priors.items() if move < 0]
    leader = rules.colours[(found.score or 0) < 0]
    lead = [] if found.score is None else [f"{colour_name(leader)} leads by {abs(found.score):.1f}"]
    return picture, ", ".join([*said, *lead, *others])


_SMALLEST = 1e-9
# Maximum number of random games to try for each position, because many games end too soon.
_MOST_TRIES = 20


def main(arguments: Sequence[str]) -> int:
    """Describe each file, compare further files with the first file, and write a page of pictures.

    Raises ConfigError with the file name for a network that does not fit the game, or that is of another kind than
    the first network.
    """
    options = parser().parse_args(arguments)
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
    """Raise ConfigError unless all networks find hidden stones, or all networks judge positions."""
    first = networks[0].shape.has_hidden_stones
    answers = {True: "finds hidden stones", False: "judges positions"}
    faults = [
        f"{file}: this network {answers[not first]}; expected a network that {answers[first]}, like {files[0]}"
        for file, network in zip(files, networks, strict=True)
        if network.shape.has_hidden_stones != first
    ]
    if faults:
        raise ConfigError(faults)


def compare_with_first(options: Namespace, networks: Sequence[Network], specs: Sequence[str]) -> Iterator[str]:
    """Return sentences on how closely each further network agrees with the first in random positions."""
    counts = [options.positions // len(specs) + (at < options.positions % len(specs)) for at in range(len(specs))]
    asked = [(spec, count) for spec, count in zip(specs, counts, strict=True) if count]
    if networks[0].shape.has_hidden_stones:
        first, *guesses = [[each for spec, count in asked for each in guess(n, spec, count)] for n in networks]
        return (compare_guesses(first, other) for other in guesses)
    mine, *thoughts = [[each for spec, count in asked for each in judge(n, spec, count)] for n in networks]
    return (compare(mine, other) for other in thoughts)


def trained_specs(network: Network) -> list[str]:
    """Return the SPECs on which a network was trained, or its game if they are not recorded."""
    return list(dict.fromkeys(network.training.get("specs", network.game).split()))


def parser() -> CommandParser:
    made = CommandParser("net")
    made.add_argument("files", nargs="+", metavar="FILE")
    made.add_argument("--spec", metavar="SPEC")
    made.add_argument("--positions", type=COUNT.read_whole, default=100, metavar="N")
    made.add_argument("--html", type=Path, metavar="PAGE")
    return made


def describe(network: Network) -> str:
    """Return lines about a network's game, shape, size and training stages."""
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
    """Return a network's priors, and its values after one playout, for up to `count` positions from random games."""
    rules = parse(spec)
    found: list[SearchResult] = []
    for seed in range(_MOST_TRIES * count):
        position = random_game(rules, seed, seed % max(1, len(rules.board) // 2)).position
        # Throw the dice first, because there is no move to choose before that.
        while position.to_play == CHANCE:
            position = rules.play(position, rules.actions(position)[seed % len(rules.actions(position))])
        if not rules.is_over(position):
            found.append(search(rules, position, playouts=1, network=network, playout_weight=0, calibration=1))
        if len(found) == count:
            break
    return found


def guess(network: Network, spec: str, count: int) -> list[tuple[float, ...]]:
    """Return the chances of hidden stones at each point, for positions from random games."""
    rules = parse(spec)
    found = []
    for seed in range(count):
        game = random_game(rules, seed, seed % max(1, len(rules.board) // 2))
        seat = game.position.mover
        found.append(hidden_stone_chances(rules, rules.view(game.heard(seat), seat), network) or ())
    return found


def compare_guesses(first: Sequence[tuple[float, ...]], second: Sequence[tuple[float, ...]]) -> str:
    """Return a sentence on the mean difference between the chances that two networks report."""
    pairs = [pair for one, other in zip(first, second, strict=True) for pair in zip(one, other, strict=True)]
    return f"chances {sum(abs(one - other) for one, other in pairs) / len(pairs):.4f} apart, {len(first)} positions"


def compare(first: Sequence[SearchResult], second: Sequence[SearchResult]) -> str:
    """Return a sentence on how closely two networks agree.

    The sentence reports the Kullback-Leibler divergence of the priors, how often the best move is the same, and the
    mean difference between the values.
    """
    pairs = list(zip(first, second, strict=True))
    divergence = agreed = apart = 0.0
    for one, other in pairs:
        divergence += sum(p * log(p / max(other.priors[move], _SMALLEST)) for move, p in one.priors.items() if p > 0)
        agreed += max(one.priors, key=one.priors.__getitem__) == max(other.priors, key=other.priors.__getitem__)
        apart += abs(one.values[0] - other.values[0])
    n = len(pairs)
    if not n:
        return "no position to compare: random games on these boards end at once"
    return f"KL {divergence / n:.4f}, same best move {agreed / n:.1%}, values {apart / n:.3f} apart, {n} positions"
