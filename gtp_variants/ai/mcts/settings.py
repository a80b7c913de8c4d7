"""The settings of a search, and their checks; this module loads no search code."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import PASS, SWAP

if TYPE_CHECKING:
    from gtp_variants.rules.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLimits:
    """The limits of a search.

    `playouts`  number of playouts, not counting those kept from earlier moves; 0: until the time is over
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
    """The settings of a search by random playouts, without a network.

    `seed`  seed of all random moves
    `threads`  threads that search one tree; with more than one, results may differ between runs
    `rave`  whether a move also learns from playouts in which it was played later (rapid action value estimation)
    `equivalence`  number of playouts of a move at which its own results weigh as much as those added by `rave`
    `exploration`  weight of exploration: virtual wins of a move that wins half of its games, to be multiplied by the
        square root of its position's visits; no move is abandoned for good
    `even`  number of virtual games of each new move, half of them won (for a pass, a tenth)
    `first_play`  win rate assumed for an untried move if neither `even` nor `priors` gives one
    `expand_at`  number of visits after which the replies to a move are searched one by one
    `tactics`  Pentalath: whether to complete and block fives before anything else
    `proofs`  whether to remember proved wins and losses, and to count repetition in Alter Igo as a draw at once
    `atari`  whether playouts capture chains in atari and save their own; off by default in Aléago
    `shapes`  Go, Aléago: whether playouts and new moves use known 3x3 shapes; off by default in Aléago
    `priors`  whether a new move gets more virtual games for its effect: wins if it captures, saves or threatens a
        chain, losses if it puts itself in atari or fills an eye of its own side
    `dice_aware`  Aléago: whether to take future throws into account; if not, every point is open from the next move on
    `memory_mb`  size of the tree in MiB at which the least visited positions are dropped; plain Python counts nodes at
        the kernel's sizes, but uses two to four times as much
    `variant`  "full", or "plain": without tactics, proofs, atari, shapes and priors; plain Python is always plain

    With `variant=plain` the kernel and plain Python choose the same moves.
    """

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
    one leaf at a time and proves nothing. `batch`, `virtual_loss`, `lcb_weight`, `tactics` and `proofs` have no effect.

    `seed`  seed of all randomness: noise, Gumbel variables, and the choice by temperature
    `batch`  maximum number of leaves sent to the evaluator at once; 0: as many as it wants
    `virtual_loss`  losses charged to a move for each pending answer about positions after it
    `exploration`  weight of priors, and of trying moves with few visits, against values, which range from -1 to 1;
        default 1.8 with a network in Pentalath
    `exploration_growth`  growth of `exploration` from 0 to 860 visits (logarithmic, as in KataGo)
    `fpu_reduction`  first-play urgency: how much less an unvisited move is worth than its position, once the visited
        moves have all the prior; 0 at a root with noise, and by default with a network in Pentalath
    `noise`  share of Dirichlet noise in the root's priors, usually 0.25 in self-play; each move then starts a new tree
    `noise_total`  sum of the noise's parameters over all moves
    `wide_root_noise`  how much wider to search the root, as KataGo's `wideRootNoise`: priors to the power of
        1/(4 * noise + 1), and a random bonus on the value of half of the moves; for analysis, not for play
    `temperature`  choose moves at random, with probabilities proportional to their visits to the power of
        1/temperature; 0: choose the best one, as `lcb_weight` says
    `lcb_weight`  choose the move with the highest lower confidence bound, its value (with `draw_value` and
        `score_weight`) minus this weight over the square root of its visits, among moves with at least a tenth of the
        most visits; 0: the most visited move, as with `gumbel`, hidden stones or dice still to be thrown. The `lcb`
        that analysis shows is different: three standard deviations below the value
    `gumbel`  number of root moves among which sequential halving divides the playouts, starting afresh for each move
        played; 0: use PUCT at the root too
    `gumbel_noise`  whether Gumbel variables affect the choice of these moves; if not, priors alone decide
    `value_scale`  Gumbel: weight of values, 0 to 1, against the logarithms of priors
    `visit_offset`  Gumbel: number added to the visits of the most visited move in this weight
    `tactics`  Pentalath: whether to complete and block fives before anything else
    `proofs`  games without a score: whether to remember proved wins and losses, and to count repetition as a draw at
        once
    `memory_mb`  size in MiB of all trees of a search together at which the least visited positions are dropped
    `threads`  a network in the kernel: number of threads that search one tree
    `score_weight`  a network in the kernel: weight of the score against values; the larger of two wins is preferred
    `draw_value`  a network in the kernel, two colours: value of a draw to the first colour; the second gets the rest.
        Reported values count a draw as half a win
    `playout_weight`  a network in the kernel: share of a random playout's result in a position's value; default 0.5 in
        Aléago and in Go up to 13x13; unused with three colours
    `playout_equivalence`  a network in the kernel: number of visits to a move at which half of the playouts' effect on
        its value applies, since a single result says little; 0: all of it from the start
    `chance_values`  a network in the kernel: whether to judge a position before the throw as well as after each one; on
        by default in Aléago
    `symmetries`  a network in the kernel: whether to show the network each position under one symmetry of the board,
        and frequently visited positions under all, averaging the priors
    `calibration`  power to which the odds of reported values are raised, so that 70% means 7 wins in 10; the choice of
        moves does not change. 1: values as the search compares them. The default with a network in the kernel is the
        power in its weight file. A draw counts as half a win
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
    """A move that a colour avoids in the first `until_depth` moves of a search, unless no other is left."""

    colour: int
    move: int
    until_depth: int


def avoid_all_but(rules: "Rules", colour: int, moves: Collection[int], until_depth: int) -> list[AvoidedMove]:
    """Return all moves of a game except `moves`, as moves to avoid for a colour."""
    every = (*[SWAP] * rules.has_swap, *[PASS] * rules.has_pass, *range(len(rules.board)))
    return [AvoidedMove(colour, move, until_depth) for move in every if move not in moves]


def find_moves_to_avoid(avoided: Iterable[AvoidedMove], colour: int) -> set[int]:
    """Return the moves that a colour must not play now."""
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
# Those of them that users may set.
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
    """Return True if any setting belongs only to a search without a network."""
    return not _PUCT_SETTINGS.keys() >= set(given)


_MOST_THREADS = 1024
# Limits of the kernel's 32-bit and 64-bit integers.
_MOST_32 = 2.0**31 - 1
_MOST_64 = 2.0**63
_MOST_SECONDS = 1e9
_RANGES = {
    # Maximum `n` of `playouts`, which builds no tree.
    "n": NumberRange(1, 2**63 - 1, is_vast=True),
    "playouts": NumberRange(0, _MOST_64, is_vast=True),
    "seconds": NumberRange(0, _MOST_SECONDS, is_vast=True),
    "most_seconds": NumberRange(0, _MOST_SECONDS, is_vast=True),
    "threads": NumberRange(1, _MOST_THREADS),
    # Visits are counted in sixths of a game, in 32 bits.
    "even": NumberRange(0, 1e6, is_vast=True),
    "expand_at": NumberRange(1, _MOST_32, is_vast=True),
    # The root for the largest board uses a twentieth of the minimum memory.
    "memory_mb": NumberRange(1, 2.0**40, is_vast=True),
    "batch": NumberRange(0, 2**20, is_vast=True),
    "gumbel": NumberRange(0, 2**20, is_vast=True),
    "visit_offset": NumberRange(0, _MOST_32, is_vast=True),
    # These are divisors, so 0 is not allowed.
    **dict.fromkeys(("equivalence", "noise_total", "calibration"), NumberRange(1e-9)),
    **dict.fromkeys(("noise", "score_weight", "draw_value", "playout_weight"), NumberRange(0, 1)),
    **dict.fromkeys(("exploration", "first_play", "virtual_loss", "exploration_growth", "temperature"), NumberRange(0)),
    "wide_root_noise": NumberRange(0, 5),
    **dict.fromkeys(("fpu_reduction", "lcb_weight", "value_scale", "playout_equivalence"), NumberRange(0)),
}
_VARIANTS = ("full", "plain")
_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: " or ".join(_VARIANTS)}
_SEEDS = 2**64

Setting = bool | int | float | str


def check_settings(given: Mapping[str, object], *, may_have_network: bool = True) -> None:
    """Raise ConfigError, listing every fault, for unknown settings and for wrong types or values.

    Settings of a search with a network (`PuctSettings`) are allowed unless `may_have_network` is False, but may not be
    mixed with those of a search without one.

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
    """Return settings as keyword arguments, after checking them. Raises ConfigError, listing every fault."""
    faults = _faults_of(given, types)
    if faults:
        raise ConfigError(faults)
    return {key: _plain(value) for key, value in given.items()}


def _plain(value: object) -> "Setting":
    """Return a setting as a plain Python value, converting numpy's number types."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    assert isinstance(value, Real)
    return float(value)


def find_playout_faults(n: object, seed: object, threads: object) -> list[str]:
    """Return the faults in the arguments of `playouts`."""
    return _faults_of({"n": n, "seed": seed, "threads": threads}, dict.fromkeys(("n", "seed", "threads"), int))


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
    """Return SearchSettings after checking them. Raises ConfigError, listing every fault."""
    checked = _check(given, _PLAYOUT_SETTINGS)
    return SearchSettings(**{**checked, "seed": checked.get("seed", 0) % _SEEDS})


def playout_settings(given: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return those settings that a search without a network has. Raises ConfigError if any of the others is invalid."""
    _check({key: value for key, value in given.items() if key in _ONLY_WITH_NETWORK}, _PUCT_SETTINGS)
    return {key: value for key, value in given.items() if key not in _ONLY_WITH_NETWORK}


def make_puct_settings(**given: Setting) -> PuctSettings:
    """Return PuctSettings after checking them. Raises ConfigError, listing every fault."""
    checked = _check(given, _PUCT_SETTINGS)
    return PuctSettings(**{**checked, "seed": checked.get("seed", 0) % _SEEDS})


def make_limits(settings: SearchLimits, given: Mapping[str, object]) -> SearchLimits:
    """Return the limits of one search: those given, and for the rest those in the settings.

    Raises ConfigError, listing every fault, for unknown limits, values out of range, and a search that nothing ends.
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
