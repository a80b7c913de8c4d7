"""What a network is shown of options that it has not learnt."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from gtp_variants.errors import VariantsError
from gtp_variants.nets.encoding.features import features_of, flags_of
from gtp_variants.nets.encoding.planes import planes_of
from gtp_variants.rules import parse
from gtp_variants.rules.options import Value
from gtp_variants.rules.rules import Rules

# Where an option is off, what else it shows in is always the same: in Alter Igo nobody may pass.
_SHOWS_TOO = {"white_passes": ("may_pass",)}


@dataclass(frozen=True, slots=True)
class FrozenInputs:
    """Planes that a network shall see empty, and features at a fixed value, by name."""

    planes: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)


@lru_cache(maxsize=64)
def inputs_to_freeze(specs: str, rules: Rules) -> FrozenInputs:
    """What a network that was trained on some SPECs cannot read in a game, as it shall see it.

    Weights of what never changed while a network learnt mean nothing. So the flags of an option that has another value
    than in all SPECs stay as in the first of them, and what else shows it is gone if the option was off in all. Numbers
    that were on, such as komi, are read as they are.
    """
    learnt = list(_values_of(specs))
    planes: list[str] = []
    features: dict[str, float] = {}
    for option in rules.options:
        known = [values[option.key] for values in learnt if option.key in values]
        if not known or rules.values[option.key] in known:
            continue
        if not any(map(_is_on, known)):
            planes += [plane.name for plane in planes_of(rules) if _shows(plane.option, option.key)]
            shown = [each.name for each in features_of(rules) if _shows(each.option, option.key)]
            features |= dict.fromkeys([*shown, *_SHOWS_TOO.get(option.key, ())], 0.0)
        features |= flags_of(option, known[0])
    return FrozenInputs(tuple(planes), features)


def _values_of(specs: str) -> Iterator[Mapping[str, Value]]:
    """The options of each SPEC, but for SPECs that this version does not know."""
    for spec in specs.split():
        try:
            yield parse(spec).values
        except VariantsError:
            continue


def _is_on(value: Value) -> bool:
    return bool(value) and value != "none"


def _shows(option: str, key: str) -> bool:
    """Whether a plane or a feature that is there for an option, as KEY or KEY=WORD, is there for this one."""
    return option.partition("=")[0] == key
