"""Commands that KataGo made usual, beside its analysis: rules as JSON, parameters, the position at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, ConfigError, NotationError
from gtp_variants.gtp.analysis.fields import describe_networks
from gtp_variants.gtp.engine.commands import command, read_whole
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import network_of
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.bots import parameters
from gtp_variants.players.thinking.sliced_search import PACKAGES_NETWORK
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import CHANCE, PASS, WHITE
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.nets.network import Network

# KataGo's names of a search's parameters that mean the same here.
_PARAMETERS = {
    "maxPlayouts": "playouts",
    # KataGo's visits count those kept from the move before, which no limit counts here: it is one limit by two names.
    "maxVisits": "playouts",
    "maxTime": "seconds",
    "numSearchThreads": "threads",
    "ponderingEnabled": "ponder",
    "allowResignation": "resign",
}
# KataGo's numbers for a limit that nobody has set.
_UNLIMITED: Mapping[str, int | float] = {"maxPlayouts": 2**50, "maxVisits": 2**50, "maxTime": 1e20}

_COLOURS = ("b", "w", "black", "white")


# -- rules -------------------------------------------------------------------------------------------------------------


@command("kata-get-rules")
def get_rules(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.katago_rules import write_katago_rules

    return json.dumps(write_katago_rules(session.rules))


@command("kata-set-rules")
def set_rules(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.katago_rules import expand_katago_rules

    wanted = expand_katago_rules(" ".join(arguments))
    if isinstance(wanted, str):
        return _set_spec(session, wanted)
    return _set_rules(session, wanted)


def _set_spec(session: Session, spec: str) -> str:
    """Another game only before the first move, as the stones mean something else there."""
    game_class, given = split_spec(spec)
    if game_class is session.game_class:
        session.change(**given)
        return ""
    game = session.table.game
    if game.setup or game.turns():
        raise CommandFailed("board not empty")
    session.set_game(spec)
    return ""


@command("kata-set-rule")
def set_rule(session: Session, arguments: list[str]) -> str:
    key, text = arguments[0], " ".join(arguments[1:])
    return _set_rules(session, {key: {"true": True, "false": False}.get(text.lower(), text)})


def _set_rules(session: Session, wanted: dict[str, object]) -> str:
    from gtp_variants.records.katago_rules import BONUS, read_katago_rules

    # Hosts set the rules before handicap stones or after them, and name rules for all that else they say.
    changed, faults = read_katago_rules(session.rules, wanted)
    if faults:
        raise CommandFailed(f"these rules cannot be: {', '.join(faults)}")
    if wanted.get(BONUS, "0") != "0":
        log(f"{BONUS}={wanted[BONUS]}: White gets no points for handicap stones here")
    if changed:
        session.change(**changed)
    return ""


@command("get_komi")
def get_komi(session: Session, arguments: list[str]) -> str:
    return format_number(session.rules.komi)


# -- parameters --------------------------------------------------------------------------------------------------------


def _parameters(session: Session) -> dict[str, str]:
    """What may be set: KataGo's name or the bot's own -> the bot's."""
    known = parameters(session.bot.make_player())
    return {name: own for name, own in _PARAMETERS.items() if own in known} | {own: own for own in known}


@command("kata-list-params")
def list_params(session: Session, arguments: list[str]) -> str:
    return " ".join(_parameters(session))


@command("kata-get-param")
def get_param(session: Session, arguments: list[str]) -> str:
    own = _own_name(session, arguments[0])
    return _text(_value(session, arguments[0], parameters(session.bot.make_player())[own]))


def _value(session: Session, name: str, value: object) -> object:
    """A parameter as it was set; by KataGo's names, under which nothing is none, as the bot goes by it now."""
    if name in _UNLIMITED:
        return value or _UNLIMITED[name]
    return session.bot.search_threads if name == "numSearchThreads" else value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)


@command("kata-get-params")
def get_params(session: Session, arguments: list[str]) -> str:
    values = parameters(session.bot.make_player())
    return json.dumps({name: _value(session, name, values[own]) for name, own in _parameters(session).items()})


@command("kata-set-param")
def set_param(session: Session, arguments: list[str]) -> str:
    name, text = arguments[0], " ".join(arguments[1:])
    session.bot.set_parameter(_own_name(session, name), _own_text(name, text))
    return ""


def _own_text(name: str, text: str) -> str:
    """The text of a value as the bot reads it."""
    try:
        return "none" if name in _UNLIMITED and float(text) == _UNLIMITED[name] else text
    except ValueError:
        return text


@command("kata-set-params")
def set_params(session: Session, arguments: list[str]) -> str:
    """All of an object, or nothing of it."""
    try:
        # Every number is kept, so that one that cannot be is refused and not taken for none.
        wanted = json.loads(" ".join(arguments))
    except (ValueError, RecursionError) as error:
        raise NotationError(f"expected kata-set-params OBJECT ({error})") from None
    if not isinstance(wanted, dict):
        raise NotationError("expected kata-set-params OBJECT (expected an object)")
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
    return ""


def _keep_tighter(wanted: Mapping[str, object]) -> Mapping[str, object]:
    """Parameters without the looser of `maxVisits` and `maxPlayouts`, as KataGo obeys both."""
    visits, playouts = wanted.get("maxVisits"), wanted.get("maxPlayouts")
    if not isinstance(visits, int | float) or not isinstance(playouts, int | float):
        return wanted
    looser = "maxVisits" if visits > playouts else "maxPlayouts" if playouts > visits else ""
    return {name: value for name, value in wanted.items() if name != looser}


def _own_name(session: Session, name: str) -> str:
    known = _parameters(session)
    if name not in known:
        raise CommandFailed(f"{name[:40]}: no parameter of {session.bot.name}, known: {' '.join(known)}")
    return known[name]


# -- search, position --------------------------------------------------------------------------------------------------


@command("kata-raw-nn")
def raw_nn(session: Session, arguments: list[str]) -> str:
    """`kata-raw-nn [COLOUR] [SYMMETRY]`: what the network of the bot says of the position, before any search."""
    words_left = list(arguments)
    position = session.position
    if words_left and words_left[0].lower() in _COLOURS:
        colour = session.colour(words_left.pop(0))
        if colour != position.mover:
            position = replace(position, mover=colour)
    if not session.rules.is_open:
        raise CommandFailed("stones are hidden: no network judges what nobody sees")
    if position.to_play == CHANCE or session.rules.is_final(position):
        raise CommandFailed("nobody is to move")
    network = _network_of(session)
    maps = _symmetries(session, words_left[0] if words_left else "0")
    return "\n".join(_write_evaluation(session.rules, position, network, *each) for each in maps)


def _network_of(session: Session) -> "Network":
    """The network of the bot; that of the package also where it is too slow here to play with."""
    from gtp_variants.ai.nets.weight_choice import choose_network, find_weights

    wanted = network_of(session)
    choice = find_weights(session.rules) if wanted == PACKAGES_NETWORK else wanted
    network = None if choice is None else choose_network(session.rules, choice)
    if network is None:
        raise CommandFailed("no network is loaded")
    return network


@command("kata-get-models")
def get_models(session: Session, arguments: list[str]) -> str:
    """The network that judges positions for the bot and for analysis, in a list; an empty one where none does."""
    from gtp_variants.ai.nets.weight_choice import choose_network, find_weights

    wanted = network_of(session)
    file = find_weights(session.rules) if wanted == PACKAGES_NETWORK else Path(wanted)
    if file is None or choose_network(session.rules, wanted) is None:
        return "[]"
    return json.dumps(describe_networks([file]))


def _symmetries(session: Session, word: str) -> list[tuple[int, Sequence[int] | None]]:
    """Numbers of symmetries, and where each point goes."""
    if word == "0":
        return [(0, None)]
    from gtp_variants.ai.nets.encoder import symmetries

    known: list[tuple[int, Sequence[int] | None]] = [
        (n, row.tolist()) for n, row in enumerate(symmetries(session.rules))
    ]
    if word == "all":
        return known
    number = read_whole(word, f"a symmetry, 0 to {len(known) - 1}, or all")
    if not 0 <= number < len(known):
        raise NotationError(f"{word}: expected a symmetry, 0 to {len(known) - 1}, or all")
    return [known[number]]


def _write_evaluation(
    rules: Rules, position: Position, network: "Network", symmetry: int, goes_to: Sequence[int] | None
) -> str:
    """KataGo's form, a grid from the top left; White speaks. What the network does not know is -1, as there."""
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


@command("clear_cache")
def clear_cache(session: Session, arguments: list[str]) -> str:
    """What the bot found so far is forgotten; its next move is thought of anew."""
    session.bot.forget()
    return ""


@command("stop")
def stop(session: Session, arguments: list[str]) -> str:
    """Ends what is thought on the others' time; an analysis is ended by any line."""
    session.bot.stop_pondering()
    return ""


@command("set_position")
def set_position(session: Session, arguments: list[str]) -> str:
    from gtp_variants.gtp.engine.handlers.setup import read_stones

    session.new_game(read_stones(session, arguments))
    return ""
