"""KataGo's commands other than analysis: rules as JSON, parameters, the network's evaluation, and `stop`."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, ConfigError, NotationError
from gtp_variants.gtp.analysis.fields import describe_networks
from gtp_variants.gtp.engine.commands import command, read_seconds, read_whole, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import network_of, settings_of
from gtp_variants.lang import load
from gtp_variants.players.bots import parameters
from gtp_variants.players.table import Table
from gtp_variants.players.thinking.sliced_search import PACKAGES_NETWORK
from gtp_variants.records.katago_rules import expand_katago_rules, read_katago_rules, write_katago_rules
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import CHANCE, PASS, WHITE
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.nets.network import Network

# KataGo's parameter names -> our names for the same parameters.
_PARAMETERS: Mapping[str, str] = load(Path(__file__).with_suffix(".toml"))["parameters"]
# A parameter that only analysis has, and its maximum.
_WIDE_NOISE, _MOST_NOISE = "analysisWideRootNoise", 5.0
# Number of positions in a benchmark, as in KataGo, and number of moves between two positions.
_BENCHMARK_POSITIONS, _BENCHMARK_PLIES = 10, 3
# KataGo's values for limits that have not been set.
_UNLIMITED: Mapping[str, int | float] = {"maxPlayouts": 2**50, "maxVisits": 2**50, "maxTime": 1e20}


# -- rules -------------------------------------------------------------------------------------------------------------


@command("kata-set-rules")
def set_rules(session: Session, arguments: list[str]) -> None:
    """Use KataGo's rules or a SPEC's. Raises CommandFailed for another game after a setup or the first move."""
    wanted = expand_katago_rules(" ".join(arguments))
    if not isinstance(wanted, str):
        _set_rules(session, wanted)
        return
    game_class, given = split_spec(wanted)
    game = session.table.game
    if game_class is session.game_class:
        session.change(**given)
    elif game.setup or game.turns():
        raise CommandFailed("board not empty")
    else:
        session.set_game(wanted)


@command("kata-set-rule")
def set_rule(session: Session, arguments: list[str]) -> None:
    key, text = arguments[0], " ".join(arguments[1:])
    _set_rules(session, {key: {"true": True, "false": False}.get(text.lower(), text)})


def _set_rules(session: Session, wanted: dict[str, object]) -> None:
    """Change rules named as in KataGo's JSON, even after handicap stones. Raises CommandFailed for other rules."""
    changed, faults = read_katago_rules(session.rules, wanted)
    if faults:
        raise CommandFailed(f"cannot set rules: {', '.join(faults)}")
    if changed:
        session.change(**changed)


# -- parameters --------------------------------------------------------------------------------------------------------


def _parameters(session: Session) -> dict[str, str]:
    """Return the bot's parameter names, keyed by KataGo's names and by the bot's own names."""
    known = parameters(session.bot.make_player())
    return {name: own for name, own in _PARAMETERS.items() if own in known} | {own: own for own in known}


@command("kata-get-param")
def get_param(session: Session, arguments: list[str]) -> str:
    if arguments[0] == _WIDE_NOISE:
        return str(session.wide_root_noise)
    own = _own_name(session, arguments[0])
    return _text(_value(session, arguments[0], parameters(session.bot.make_player())[own]))


def _value(session: Session, name: str, value: object) -> object:
    """Return a parameter's value. Under KataGo's names, an unset parameter has the value in force."""
    if name in _UNLIMITED:
        return value or _UNLIMITED[name]
    return session.bot.search_threads if name == "numSearchThreads" else value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)


@command("kata-get-params")
def get_params(session: Session, arguments: list[str]) -> str:
    values = parameters(session.bot.make_player())
    told = {name: _value(session, name, values[own]) for name, own in _parameters(session).items()}
    return json.dumps({**told, _WIDE_NOISE: session.wide_root_noise})


@command("kata-set-param")
def set_param(session: Session, arguments: list[str]) -> None:
    name, text = arguments[0], " ".join(arguments[1:])
    if name == _WIDE_NOISE:
        session.wide_root_noise = _read_noise(text)
        return
    session.bot.set_parameter(_own_name(session, name), _own_text(name, text))


def _read_noise(text: str) -> float:
    expected = f"{_WIDE_NOISE} from 0 to {_MOST_NOISE:g}"
    if (noise := read_seconds(text, expected)) > _MOST_NOISE:
        raise NotationError(f"{text[:20]}: expected {expected}")
    return noise


def _own_text(name: str, text: str) -> str:
    """Return the text of a value in the bot's notation, where "none" means no limit."""
    try:
        return "none" if name in _UNLIMITED and float(text) == _UNLIMITED[name] else text
    except ValueError:
        return text


@command("kata-set-params")
def set_params(session: Session, arguments: list[str]) -> None:
    """Set all parameters in a JSON object, or none of the parameters if one is refused."""
    try:
        # Unlike `parse_json` this accepts NaN and infinities, which are refused later instead of read as null.
        wanted = json.loads(" ".join(arguments))
    except (ValueError, RecursionError) as error:
        raise NotationError(f"expected kata-set-params OBJECT ({error})") from None
    if not isinstance(wanted, dict):
        raise NotationError("expected kata-set-params OBJECT")
    noise = _read_noise(_text(wanted.pop(_WIDE_NOISE, session.wide_root_noise)))
    own = [(_own_name(session, name), _own_text(name, _text(value))) for name, value in _keep_tighter(wanted).items()]
    before = parameters(session.bot.make_player())
    tried: list[str] = []
    try:
        for name, text in own:
            session.bot.set_parameter(name, text)
            tried.append(name)
    except (NotationError, ConfigError):
        for name in reversed(tried):
            session.bot.set_parameter(name, _text(before[name]))
        raise
    session.wide_root_noise = noise


def _keep_tighter(wanted: Mapping[str, object]) -> Mapping[str, object]:
    """Return parameters without the larger of `maxVisits` and `maxPlayouts`, as KataGo obeys both limits."""
    visits, playouts = wanted.get("maxVisits"), wanted.get("maxPlayouts")
    if not isinstance(visits, int | float) or not isinstance(playouts, int | float):
        return wanted
    looser = "maxVisits" if visits > playouts else "maxPlayouts" if playouts > visits else ""
    return {name: value for name, value in wanted.items() if name != looser}


def _own_name(session: Session, name: str) -> str:
    known = _parameters(session)
    if name == "playoutDoublingAdvantage":
        raise CommandFailed(f"{name}: not supported; networks here judge players of equal strength")
    if name not in known:
        raise CommandFailed(f"{name[:40]}: expected a parameter of {session.bot.name}: {' '.join(known)}")
    return known[name]


@command("kata-benchmark")
def benchmark(session: Session, arguments: list[str]) -> str:
    """Time equal searches of ten positions from a random game. Raises CommandFailed in a game with hidden stones."""
    from gtp_variants.ai.mcts.tree_search import Thinker

    visits = read_whole(arguments[0], "a number of visits")
    if visits < 1:
        raise NotationError(f"{arguments[0][:20]}: expected 1 or more visits")
    rules, settings, rng = session.rules, settings_of(session), Random(0)
    if not rules.is_open:
        raise CommandFailed("cannot search: this game has hidden stones")
    table, positions, made, seconds = Table(rules, lambda: DiceStream("benchmark")), 0, 0, 0.0
    while positions < _BENCHMARK_POSITIONS and not rules.is_final(table.position):
        begun = time.perf_counter()
        thinker = Thinker(rules, 0, (), None, network_of(session), **settings)
        found = thinker.think(table.position, playouts=visits)
        seconds, made, positions = seconds + time.perf_counter() - begun, made + found.playouts, positions + 1
        for _ in range(_BENCHMARK_PLIES):
            if not rules.is_final(table.position):
                table.play(table.position.mover, rng.choice(rules.legal(table.position)))
    counts = f"{positions} / {_BENCHMARK_POSITIONS} positions, visits/s = {made / seconds:.2f} ({seconds:.1f} secs)"
    return f"numSearchThreads = {settings['threads']:2}: {counts}"


# -- the network -------------------------------------------------------------------------------------------------------


@command("kata-raw-nn")
def raw_nn(session: Session, arguments: list[str]) -> str:
    """Return the network's evaluation for `kata-raw-nn [COLOUR] [SYMMETRY]`. Raises CommandFailed if there is none."""
    words_left = list(arguments)
    position = session.position
    if words_left and words_left[0].lower() in COLOUR_WORDS:
        colour = session.colour(words_left.pop(0))
        if colour != position.mover:
            position = replace(position, mover=colour)
    if not session.rules.is_open:
        raise CommandFailed("cannot evaluate: this game has hidden stones")
    if position.to_play == CHANCE or session.rules.is_final(position):
        raise CommandFailed("cannot evaluate: no player is to move")
    network = _network_of(session)
    maps = _symmetries(session, words_left[0] if words_left else "0")
    return "\n".join(_write_evaluation(session.rules, position, network, *each) for each in maps)


def _network_of(session: Session) -> "Network":
    """Return the bot's network, even if it is too slow to play with. Raises CommandFailed if the bot has no network."""
    from gtp_variants.ai.nets.weight_choice import choose_network, find_weights

    wanted = network_of(session)
    choice = find_weights(session.rules) if wanted == PACKAGES_NETWORK else wanted
    network = None if choice is None else choose_network(session.rules, choice)
    if network is None:
        raise CommandFailed("cannot evaluate: the bot has no network")
    return network


@command("kata-get-models")
def get_models(session: Session, arguments: list[str]) -> str:
    """Return a JSON list that describes the bot's network, or an empty list if it has none."""
    from gtp_variants.ai.nets.weight_choice import choose_network, find_weights

    wanted = network_of(session)
    file = find_weights(session.rules) if wanted == PACKAGES_NETWORK else Path(wanted)
    if file is None or choose_network(session.rules, wanted) is None:
        return "[]"
    return json.dumps(describe_networks([file]))


def _symmetries(session: Session, word: str) -> list[tuple[int, Sequence[int] | None]]:
    """Return the wanted symmetries, each as (number, new point by point or None). Raises NotationError for others."""
    if word == "0":
        return [(0, None)]
    from gtp_variants.ai.nets.encoder import symmetries

    rows = enumerate(symmetries(session.rules))
    known: list[tuple[int, Sequence[int] | None]] = [(n, row.tolist()) for n, row in rows]
    if word == "all":
        return known
    expected = f"a symmetry, 0 to {len(known) - 1}, or all"
    number = read_whole(word, expected)
    if not 0 <= number < len(known):
        raise NotationError(f"{word}: expected {expected}")
    return [known[number]]


def _write_evaluation(
    rules: Rules, position: Position, network: "Network", symmetry: int, goes_to: Sequence[int] | None
) -> str:
    """Return an evaluation in KataGo's form: White's values, with -1 if unknown, and grids from the top left."""
    from gtp_variants.ai.nets.raw_evaluation import evaluate_position

    rows, white = rules.board.rows(), rules.colours.index(WHITE)
    said = evaluate_position(network, rules, position, goes_to)
    sign = 1 if white == 0 else -1
    lines = [
        f"symmetry {symmetry}",
        f"whiteWin {said.values[white]:.6f}",
        f"whiteLoss {said.values[1 - white]:.6f}",
        f"noResult {0:.6f}",
    ]
    if said.score is not None and said.score_stdev is not None:
        lead = sign * said.score
        lines += [f"whiteLead {lead:.3f}", f"whiteScoreSelfplay {lead:.3f}"]
        lines.append(f"whiteScoreSelfplaySq {lead * lead + said.score_stdev * said.score_stdev:.3f}")
    lines += [f"{name} {-1:.3f}" for name in ("varTimeLeft", "shorttermWinlossError", "shorttermScoreError")]

    def prior(move: int | None) -> str:
        return "    NAN" if move is None or move not in said.priors else f"{said.priors[move]:8.6f}"

    lines += ["policy", *(" ".join(map(prior, row)) for row in rows), f"policyPass {prior(PASS)}"]
    if said.ownership:
        owners = [[0.0 if point is None else sign * said.ownership[point] for point in row] for row in rows]
        lines += ["whiteOwnership", *(" ".join(f"{owner:9.7f}" for owner in row) for row in owners)]
    return "\n".join(lines)


register_all(
    {
        "kata-get-rules": lambda session, _: json.dumps(write_katago_rules(session.rules)),
        "get_komi": lambda session, _: format_number(session.rules.komi),
        "kata-list-params": lambda session, _: " ".join((*_parameters(session), _WIDE_NOISE)),
        "clear_cache": lambda session, _: session.bot.forget(),
        # Any line ends an analysis. This command also stops thinking on the opponent's time.
        "stop": lambda session, _: session.bot.stop_pondering(),
    }
)
