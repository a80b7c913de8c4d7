"""The settings of a search, explained in `settings.toml`, and their checks. This module imports no search code."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gtp_variants.base.number_ranges import read_ranges
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import PASS, SWAP

if TYPE_CHECKING:
    from gtp_variants.rules.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLimits:
    """The limits of a search.

    `playouts`  number of playouts, not counting playouts kept from earlier moves; 0: until the time is over
    `seconds`  duration; 0: until the playouts are done
    `most_seconds`  maximum duration when the best two moves are close
    `stop_early`  whether to end once the second move can no longer catch up
    `cpu_time`  whether to measure the searching thread's CPU time, which other work does not affect
    """

    playouts: int = 0
    seconds: float = 0.0
    most_seconds: float = 0.0
    stop_early: bool = False
    cpu_time: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(SearchLimits):
    """The settings of a search without a network. With `variant=plain` kernel and Python choose the same moves."""

    seed: int = 0
    threads: int = 1
    rave: bool = True
    equivalence: float = 1000.0
    exploration: float = 0.1
    even: float = 10.0
    first_play: float = 1.0
    expand_at: int = 2
    tactics: bool = True
    proofs: bool = True
    atari: bool = True
    shapes: bool = True
    priors: bool = True
    dice_aware: bool = True
    memory_mb: float = 1024.0
    variant: str = "full"

    @property
    def reduced(self) -> "SearchSettings":
        """The settings that apply: with `variant=plain`, the features that only the kernel has are off."""
        if self.variant == "full":
            return self
        return replace(self, tactics=False, proofs=False, atari=False, shapes=False, priors=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuctSettings(SearchLimits):
    """The settings of a search (PUCT) in which an evaluator or a network judges positions.

    Plain Python refuses `noise`, `wide_root_noise`, `temperature` and `gumbel`. It plays the most visited move, judges
    one leaf at a time, proves nothing and ignores `batch`, `virtual_loss`, `lcb_weight`, `tactics` and `proofs`.
    """

    seed: int = 0
    batch: int = 0
    virtual_loss: float = 1.0
    # Tuned for networks of 4 blocks and 32 channels on 9x9 Go.
    exploration: float = 1.3
    exploration_growth: float = 0.0
    fpu_reduction: float = 0.25
    noise: float = 0.0
    # D. Wu, "Accelerating Self-Play Learning in Go", 2019: 0.03 for each of 361 points.
    noise_total: float = 10.83
    wide_root_noise: float = 0.0
    temperature: float = 0.0
    lcb_weight: float = 2.0
    gumbel: int = 0
    gumbel_noise: bool = True
    value_scale: float = 0.35
    # I. Danihelka and others, "Policy improvement by planning with Gumbel", 2022.
    visit_offset: int = 50
    tactics: bool = True
    proofs: bool = True
    memory_mb: float = 1024.0
    threads: int = 1
    score_weight: float = 0.2
    draw_value: float = 0.5
    playout_weight: float = 0.0
    playout_equivalence: float = 20.0
    chance_values: bool = False
    symmetries: bool = True
    calibration: float = 1.0


@dataclass(frozen=True, slots=True)
class AvoidedMove:
    """A move that a colour avoids in the first `until_depth` moves of a search, unless no other move is left."""

    colour: int
    move: int
    until_depth: int


AvoidedMoves = Sequence[AvoidedMove]


def avoid_all_but(rules: "Rules", colour: int, moves: Collection[int], until_depth: int) -> list[AvoidedMove]:
    """Return all moves of a game except `moves`, as moves that a colour is to avoid up to depth `until_depth`."""
    every = (*[SWAP] * rules.has_swap, *[PASS] * rules.has_pass, *range(len(rules.board)))
    return [AvoidedMove(colour, move, until_depth) for move in every if move not in moves]


def find_moves_to_avoid(avoided: Iterable[AvoidedMove], colour: int) -> set[int]:
    """Return the moves that `avoided` lists for a colour, whatever their depth."""
    return {each.move for each in avoided if each.colour == colour}


def find_depths_to_avoid(avoided: Iterable[AvoidedMove]) -> dict[tuple[int, int], int]:
    """Return, by (colour, move), the depth below which each avoided move is left out."""
    depths: dict[tuple[int, int], int] = {}
    for each in avoided:
        key = each.colour, each.move
        depths[key] = max(each.until_depth, depths.get(key, 0))
    return depths


def _types_of(settings: type[SearchLimits]) -> Mapping[str, type]:
    return MappingProxyType({item.name: type(item.default) for item in fields(settings)})


_PLAYOUT_SETTINGS = _types_of(SearchSettings)
_PUCT_SETTINGS = _types_of(PuctSettings)
_EVERY_SETTING: Mapping[str, type] = MappingProxyType({**_PLAYOUT_SETTINGS, **_PUCT_SETTINGS})
# Settings that only a search with a network has.
_ONLY_WITH_NETWORK = _PUCT_SETTINGS.keys() - _PLAYOUT_SETTINGS.keys()
# Settings in `_ONLY_WITH_NETWORK` that users may set.
_TUNABLE_WITH_NETWORK = (
    "exploration_growth fpu_reduction score_weight draw_value playout_weight playout_equivalence chance_values"
    " symmetries lcb_weight calibration"
).split()
# Name and type of every setting that users may set, with or without a network.
SETTINGS: Mapping[str, type] = MappingProxyType(
    {**_PLAYOUT_SETTINGS, **{name: _PUCT_SETTINGS[name] for name in _TUNABLE_WITH_NETWORK}}
)
LIMITS = tuple(item.name for item in fields(SearchLimits))


def asks_for_playouts(given: Iterable[str]) -> bool:
    """Return True if any given setting does not exist in a search with a network."""
    return not _PUCT_SETTINGS.keys() >= set(given)


_RANGES = read_ranges(Path(__file__).with_name("ranges.toml"))
_VARIANTS = ("full", "plain")
_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: " or ".join(_VARIANTS)}
_SEEDS = 2**64

Setting = bool | int | float | str


def check_settings(given: Mapping[str, object], *, may_have_network: bool = True) -> None:
    """Raise ConfigError, listing every fault, for unknown settings and for wrong types or values.

    Settings of a search with a network (`PuctSettings`) are allowed unless `may_have_network` is False, but may not be
    mixed with settings of a search without a network.

    >>> import gtp_variants as gv
    >>> gv.check_settings({"playouts": 100, "threads": 2})
    >>> try:
    ...     gv.check_settings({"playout": 100, "threads": 0})
    ... except gv.ConfigError as error:
    ...     print(len(error.faults), "faults")
    2 faults
    """
    faults = _faults_of(given, _EVERY_SETTING)
    with_network = [key for key in given if key in _ONLY_WITH_NETWORK]
    if not may_have_network:
        faults += [f"{key}: needs a search with a network" for key in with_network]
    elif with_network and asks_for_playouts(given):
        others = [key for key in given if key in SETTINGS.keys() - _PUCT_SETTINGS.keys()]
        faults += [f"{key}: needs a search with a network, {others[0]} one without" for key in with_network if others]
    if faults:
        raise ConfigError(faults)


def _check(given: Mapping[str, object], types: Mapping[str, type]) -> dict[str, Any]:
    """Return settings as keyword arguments. Raises ConfigError, listing every fault, if any is invalid."""
    faults = _faults_of(given, types)
    if faults:
        raise ConfigError(faults)
    checked = {key: _plain(value) for key, value in given.items()}
    if isinstance(seed := checked.get("seed"), int):
        checked["seed"] = seed % _SEEDS
    return checked


def _plain(value: object) -> "Setting":
    """Return a setting as a plain Python value, converting numpy's number types."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    assert isinstance(value, Real)
    return float(value)


def read_playouts(**given: object) -> dict[str, int]:
    """Return the arguments of `playouts` as plain numbers. Raises ConfigError, listing every fault, if any is bad."""
    return _check(given, dict.fromkeys(given, int))


def _faults_of(given: Mapping[str, object], types: Mapping[str, type] = SETTINGS) -> list[str]:
    faults = []
    for key, value in given.items():
        if key not in types:
            faults.append(f"{key}: unknown setting, expected one of {' '.join(types)}")
        elif not _is_kind(value, types[key]) or (key == "variant" and value not in _VARIANTS):
            faults.append(f"{key}={value!r}: expected {_EXPECTED[types[key]]}")
        elif key in _RANGES and isinstance(number := _plain(value), int | float) and number not in _RANGES[key]:
            faults.append(f"{key}={value}: expected {_RANGES[key].expectation(number)}")
    return faults


def _is_kind(value: object, kind: type) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    # This accepts numpy's number types too.
    return isinstance(value, Integral if kind is int else Real if kind is float else kind)


def make_settings(**given: Setting) -> SearchSettings:
    """Return the given settings as SearchSettings. Raises ConfigError, listing every fault, if any is invalid."""
    return SearchSettings(**_check(given, _PLAYOUT_SETTINGS))


def playout_settings(given: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return the given settings without those that need a network. Raises ConfigError if any of these is invalid."""
    _check({key: value for key, value in given.items() if key in _ONLY_WITH_NETWORK}, _PUCT_SETTINGS)
    return {key: value for key, value in given.items() if key not in _ONLY_WITH_NETWORK}


def make_puct_settings(**given: Setting) -> PuctSettings:
    """Return the given settings as PuctSettings. Raises ConfigError, listing every fault, if any is invalid."""
    return PuctSettings(**_check(given, _PUCT_SETTINGS))


def make_limits(settings: SearchLimits, given: Mapping[str, object]) -> SearchLimits:
    """Return the limits of one search: the given limits, completed by the limits in the settings.

    Raises ConfigError for unknown limits, values out of range, a search without a limit, and `gumbel` without playouts.
    """
    faults = _faults_of({key: value for key, value in given.items() if key in LIMITS})
    faults += [f"{key}: unknown limit, expected one of {' '.join(LIMITS)}" for key in given if key not in LIMITS]
    if faults:
        raise ConfigError(faults)
    limits = SearchLimits(**_check({name: given.get(name, getattr(settings, name)) for name in LIMITS}, SETTINGS))
    if not limits.playouts and not limits.seconds:
        raise ConfigError(["playouts and seconds: expected at least one limit"])
    if isinstance(settings, PuctSettings) and settings.gumbel and not limits.playouts:
        raise ConfigError(["gumbel: expected a limit of playouts, to divide among the moves"])
    return limits
