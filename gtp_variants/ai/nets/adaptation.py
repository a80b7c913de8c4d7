"""Adapting a network to a game: inputs that it does not know get no weight or a fixed value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gtp_variants.ai.nets.encoding.features import features_of, flags_of
from gtp_variants.ai.nets.encoding.layout import tap_table
from gtp_variants.ai.nets.encoding.planes import TURN_PLANES, planes_of
from gtp_variants.ai.nets.network import Network
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.options import Value
from gtp_variants.rules.rules import Rules

# Other features that are constant if an option is off: without `white_passes` nobody may pass in Alter Igo.
_SHOWS_TOO = {"white_passes": ("may_pass",)}
_Inputs = tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]


def adapt_to_rules(network: Network, rules: Rules, source: str) -> Network:
    """Return a network that takes all inputs of a game; unknown inputs have no weight.

    If an option's value was not in the network's training, a trained value is shown: see `inputs_to_freeze`. Raises
    ConfigError if the network is for another game, needs other inputs or has outputs for other boards.
    """
    (names, scales, globals_), taps = _inputs(rules)
    shape, colours = network.shape, len(rules.colours)
    faults = []
    if network.game not in (rules.name, rules.profile.judged_as):
        expected = rules.name if shape.has_hidden_stones else rules.profile.judged_as or rules.name
        faults.append(f"{source}: weights of {network.game}, expected {expected}")
    elif (shape.taps, shape.colours) != (taps, colours):
        faults.append(
            f"{source}: weights for {shape.taps} taps and {shape.colours} colours, expected {taps} and {colours}"
        )
    elif (shape.has_score, shape.has_owners) != (rules.is_scored, rules.is_scored):
        faults.append(
            f"{source}: weights with {_heads(shape.has_score, shape.has_owners)}, expected"
            f" {_heads(rules.is_scored, rules.is_scored)}"
        )
    else:
        # The last moves may be unknown: training forgets them, too.
        faults += _missing(source, "planes", network.planes, names + sum(TURN_PLANES, ()))
        faults += _missing(source, "globals", network.globals, globals_)
        known = dict(zip(names, scales, strict=True))
        faults += [
            f"{source}: {name} in steps of 1/{scale}, expected 1/{known[name]}"
            for name, scale in zip(network.planes, network.scales, strict=True)
            if known.get(name, scale) != scale
        ]
    if faults:
        raise ConfigError(faults)
    return _fit(network, rules)


# Cached, because a search with hidden stones needs this for every position.
@lru_cache(maxsize=64)
def _inputs(rules: Rules) -> tuple[_Inputs, int]:
    """Return names and scales of a game's planes, names of its features, and the number of taps on its board."""
    planes, features = planes_of(rules), features_of(rules)
    names, scales = tuple(plane.name for plane in planes), tuple(plane.scale for plane in planes)
    return (names, scales, tuple(feature.name for feature in features)), len(tap_table(rules.board)[0])


@lru_cache(maxsize=8)
def _fit(network: Network, rules: Rules) -> Network:
    """Return the network with a game's inputs, and trained values for options whose values it was not trained on."""
    wanted, _ = _inputs(rules)
    if (network.planes, network.scales, network.globals) != wanted:
        network = network.widen(*wanted)
    inputs = inputs_to_freeze(network.training.get("specs", ""), rules)
    return network.freeze_inputs(inputs.planes, inputs.features) if inputs.planes or inputs.features else network


def _heads(has_score: bool, has_owners: bool) -> str:
    return f"{'a' if has_score else 'no'} score and {'' if has_owners else 'no '}owners"


def _missing(source: str, what: str, wanted: Sequence[str], there: Sequence[str]) -> list[str]:
    absent = [name for name in wanted if name not in there]
    return [f"{source}: {len(wanted)} {what}, of which this game has no {' '.join(absent)}"] if absent else []


@dataclass(frozen=True, slots=True)
class FrozenInputs:
    """The names of planes always read as empty, and features with their fixed values."""

    planes: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)


@lru_cache(maxsize=64)
def inputs_to_freeze(specs: str, rules: Rules) -> FrozenInputs:
    """Return the inputs of a game that a network trained on some SPECs must not read.

    Weights of inputs that were constant in training are meaningless. If an option has an untrained value, its flags are
    set as in the first SPEC. If the option was off in every SPEC, other inputs that show it are removed too. A numeric
    option that was on, such as komi, is read as it is.
    """
    learnt = list(_values_of(specs))
    planes: list[str] = []
    features: dict[str, float] = {}
    for option in rules.options:
        known = [values[option.key] for values in learnt if option.key in values]
        if not known or rules.values[option.key] in known:
            continue
        if not any(value and value != "none" for value in known):
            planes += [plane.name for plane in planes_of(rules) if _shows(plane.option, option.key)]
            shown = [each.name for each in features_of(rules) if _shows(each.option, option.key)]
            features |= dict.fromkeys([*shown, *_SHOWS_TOO.get(option.key, ())], 0.0)
        features |= flags_of(option, known[0])
    return FrozenInputs(tuple(planes), features)


def _values_of(specs: str) -> Iterator[Mapping[str, Value]]:
    """Yield the options of each SPEC that this version can parse."""
    for spec in specs.split():
        try:
            yield parse(spec).values
        except VariantsError:
            continue


def _shows(option: str, key: str) -> bool:
    """Return True if an input's option, written KEY or KEY=WORD, has this key."""
    return option.partition("=")[0] == key
