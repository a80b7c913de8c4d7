"""How to search and when to end: what people may set, and what is wrong with it. Loads no search code."""

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
    """When to end a search.

    `playouts`      how many, 0 until the time is over; those that were kept from the move before do not count
    `seconds`       how long, 0 until the playouts are done
    `most_seconds`  how many seconds it may take where the best two moves are close
    `stop_early`    whether to end once the second move can no longer catch up
    `cpu_time`      whether seconds are those of the searching thread's own work, which other work does not bend
    """

    playouts: int = 0
    seconds: float = 0.0
    most_seconds: float = 0.0
    stop_early: bool = False
    cpu_time: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(SearchLimits):
    """How to search by playouts, games played on at random, without a network.

    `seed`         decides all random moves
    `threads`      how many threads search one tree; with more than one the same moves need not come out again
    `rave`         whether a move learns from all playouts in which it came later, too (rapid action value estimation)
    `equivalence`  playouts of a move at which its own result weighs as much as those in which it came later (`rave`)
    `exploration`  how much seldom tried moves are favoured: games that a move which wins half of its own is taken to
                   have won beside them, times the root of its position's visits; none is given up for good
    `even`         games that each new move is taken to have behind it, half of them won, of a pass a tenth
    `first_play`   share of games that a move which was never tried is taken to win, where neither `even` nor `priors`
                   says what
    `expand_at`    visits after which the moves that follow a move are looked at one by one
    `tactics`      Pentalath: whether fives are made and prevented before anything else
    `proofs`       whether won and lost games are remembered as such, and circles of Alter Igo are draws at once
    `atari`        whether playouts take chains in atari and save their own; in Aléago not unless set
    `shapes`       Go, Aléago: whether playouts and new moves know good shapes of 3x3 points; in Aléago not unless set
    `priors`       whether what a new move does adds to the games it is taken to have behind it: won ones where it
                   takes, saves or threatens, lost ones where it gives itself away or fills an own eye
    `dice_aware`   Aléago: whether throws to come count, or every point is open from the next move on
    `memory_mb`    the size of the tree in MiB at which positions visited least make room; plain Python counts what the
                   kernel's tree would take, and takes two to four times as much
    `variant`      "full", or "plain": without tactics, proofs, atari, shapes and priors; plain Python is always so

    With `variant=plain` both the kernel and plain Python choose the same moves.
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
        """The same settings; where they are plain, without what only the kernel knows."""
        if self.variant == "full":
            return self
        return replace(self, tactics=False, proofs=False, atari=False, shapes=False, priors=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuctSettings(SearchLimits):
    """How to search with an evaluator, which says what a position is worth and which moves deserve a look (PUCT).

    Plain Python refuses `noise`, `temperature` and `gumbel`. There the move is the most visited one, leaves are judged
    one at a time, and nothing is proved: `batch`, `virtual_loss`, `lcb_weight`, `tactics` and `proofs` do nothing.

    `seed`           decides all that is random: noise, Gumbel's variables, the choice under a temperature
    `batch`          leaves the evaluator is asked about at once; 0: as many as it wants
    `virtual_loss`   games that a move counts as lost while each answer about what follows it is awaited
    `exploration`    weight of priors and of seldom tried moves against values, which go from -1 to 1; with a network in
                     Pentalath 1.8 unless set
    `exploration_growth` how much `exploration` grows while visits go from none to 860 (their logarithm, as in KataGo)
    `fpu_reduction`  how much less than its position an unvisited move is worth, where the moves that had all the prior
                     were visited (first-play urgency); nothing at a root with noise, and with a network in Pentalath
                     unless set
    `noise`          part of the root's priors that is Dirichlet noise; 0.25 is usual in self-play, the tree begins anew
    `noise_total`    sum of the parameters of that noise over all moves
    `temperature`    the move is drawn by visits to the power of 1/temperature; 0: the best, as `lcb_weight` says
    `lcb_weight`     the best move has the highest lower confidence bound: its share, with what draws and the score are
                     worth, less this much divided by the root of its visits, where it has a tenth of the most visits;
                     0: the most visited, as with `gumbel`, hidden stones, or dice still to be thrown. The `lcb` that
                     analysis tells is another: three standard deviations below the value
    `gumbel`         so many moves at the root share the playouts by sequential halving, which begins anew for each
                     move; 0: PUCT there as everywhere
    `gumbel_noise`   whether Gumbel variables say which these are, or the priors alone
    `value_scale`    Gumbel: weight of values, 0 to 1, against the logarithms of priors
    `visit_offset`   Gumbel: visits that are added to the most visited move's in that weight
    `tactics`        Pentalath: whether fives are made and prevented before anything else
    `proofs`         games without a score: whether won and lost games are remembered as such, and circles are draws
    `memory_mb`      the size in MiB at which positions visited least make room, of all trees of a search together
    `threads`        a network in the kernel: how many threads search one tree
    `score_weight`   a network in the kernel: how much the score counts beside values, so that of two wins the larger is
                     played
    `draw_value`     a network in the kernel, two colours: what a draw is worth to the first of them, the other has the
                     rest; what is told of values counts it as half a game
    `playout_weight` a network in the kernel: how much of a position's value is that of a game played on at random from
                     it; in Go on boards up to 13x13 and in Aléago 0.5 unless set; nothing with three colours
    `playout_equivalence` a network in the kernel: visits of a move at which half of what such games have changed of its
                     value counts, since the result of one says little; 0: all of it at once
    `chance_values`  a network in the kernel: whether a position in which dice are to be thrown is judged before any of
                     the throws is looked at; in Aléago unless set
    `symmetries`     a network in the kernel: whether it is shown each position under one symmetry of the board, and
                     those visited often under all of them, from which priors are averaged
    `calibration`    the power to which the odds of what is told of values are raised, so that who is promised 70% wins
                     7 games of 10; it changes nothing in what is compared and chosen. With a network in the kernel that
                     of its weight file, unless set; 1: as they are compared. A draw is raised as half a game
    """

    seed: int = 0
    batch: int = 0
    virtual_loss: float = 1.0
    # What a search of 4x32 networks was tuned with on 9x9 Go.
    exploration: float = 1.3
    exploration_growth: float = 0.0
    fpu_reduction: float = 0.25
    noise: float = 0.0
    # D. Wu, "Accelerating Self-Play Learning in Go", 2019: 0.03 a move on 361 points.
    noise_total: float = 10.83
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
    """A move that a search leaves out for a colour, unless nothing else is left.

    It is left out until so many moves from the root: at the root alone with `until_depth` 1.
    """

    colour: int
    move: int
    until_depth: int


def avoid_all_but(rules: "Rules", colour: int, moves: Collection[int], until_depth: int) -> list[AvoidedMove]:
    """Every move of a game but these, left out for a colour."""
    every = (*[SWAP] * rules.has_swap, *[PASS] * rules.has_pass, *range(len(rules.board)))
    return [AvoidedMove(colour, move, until_depth) for move in every if move not in moves]


def find_moves_to_avoid(avoided: Iterable[AvoidedMove], colour: int) -> set[int]:
    """The moves that a colour is not to play now."""
    return {each.move for each in avoided if each.colour == colour}


def find_depths_to_avoid(avoided: Iterable[AvoidedMove]) -> dict[tuple[int, int], int]:
    """For each colour and move that are left out until how many moves from the root."""
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
# Those that a search without a network does not have.
_ONLY_WITH_NETWORK = _PUCT_SETTINGS.keys() - _PLAYOUT_SETTINGS.keys()
# Those of them that people may tune.
_NETWORK_SETTINGS: Mapping[str, type] = MappingProxyType(
    {
        name: _PUCT_SETTINGS[name]
        for name in (
            "exploration_growth",
            "fpu_reduction",
            "score_weight",
            "draw_value",
            "playout_weight",
            "playout_equivalence",
            "chance_values",
            "symmetries",
            "lcb_weight",
            "calibration",
        )
    }
)
# Name -> type of every setting of a search that people may tune, with or without a network.
SETTINGS: Mapping[str, type] = MappingProxyType({**_PLAYOUT_SETTINGS, **_NETWORK_SETTINGS})

# Those that say how long a search goes on.
LIMITS = tuple(item.name for item in fields(SearchLimits))


def asks_for_playouts(given: Iterable[str]) -> bool:
    """Whether there is a setting that only a search without a network has."""
    return not _PUCT_SETTINGS.keys() >= set(given)


_MOST_THREADS = 1024
# Numbers of the kernel: whole ones in 32 and in 64 bits.
_MOST_32 = 2.0**31 - 1
_MOST_64 = 2.0**63
_MOST_SECONDS = 1e9
# What divides, and is not 0.
_POSITIVE = NumberRange(1e-9)
_SHARE = NumberRange(0, 1)
_RANGES = {
    "playouts": NumberRange(0, _MOST_64, is_vast=True),
    "seconds": NumberRange(0, _MOST_SECONDS, is_vast=True),
    "most_seconds": NumberRange(0, _MOST_SECONDS, is_vast=True),
    "threads": NumberRange(1, _MOST_THREADS),
    "equivalence": _POSITIVE,
    "exploration": NumberRange(0),
    # It is counted in sixths of a game, in 32 bits.
    "even": NumberRange(0, 1e6, is_vast=True),
    "first_play": NumberRange(0),
    "expand_at": NumberRange(1, _MOST_32, is_vast=True),
    # The root of the largest board takes a twentieth of the least memory.
    "memory_mb": NumberRange(1, 2.0**40, is_vast=True),
    "batch": NumberRange(0, 2**20, is_vast=True),
    "virtual_loss": NumberRange(0),
    "exploration_growth": NumberRange(0),
    "fpu_reduction": NumberRange(0),
    "noise": _SHARE,
    "noise_total": _POSITIVE,
    "temperature": NumberRange(0),
    "lcb_weight": NumberRange(0),
    "gumbel": NumberRange(0, 2**20, is_vast=True),
    "value_scale": NumberRange(0),
    "visit_offset": NumberRange(0, _MOST_32, is_vast=True),
    "score_weight": _SHARE,
    "draw_value": _SHARE,
    "playout_weight": _SHARE,
    "playout_equivalence": NumberRange(0),
    "calibration": _POSITIVE,
}
# Of playouts without a tree; any whole number is a seed.
_PLAYOUT_RANGES = {
    "n": NumberRange(1, 2**63 - 1, is_vast=True),
    "threads": NumberRange(1, _MOST_THREADS, is_vast=True),
}
_VARIANTS = ("full", "plain")
_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: " or ".join(_VARIANTS)}
_SEEDS = 2**64

# A value of a setting.
Setting = bool | int | float | str


def check_settings(given: Mapping[str, object], *, may_have_network: bool = True) -> None:
    """Raises ConfigError for settings that are unknown, of a wrong type or out of range, with every fault at once.

    They may be those of a search with a network or an evaluator (`PuctSettings`), but not of both kinds, and only those
    of a search without one where `may_have_network` is False.

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
        faults += [f"{key}: belongs to a search with a network, here is none" for key in with_network]
    elif with_network and asks_for_playouts(given):
        others = [key for key in given if key in SETTINGS.keys() - _PUCT_SETTINGS.keys()]
        faults += [
            f"{key}: belongs to a search with a network, {others[0]} to one without" for key in with_network if others
        ]
    if faults:
        raise ConfigError(faults)


def _check(given: Mapping[str, object], types: Mapping[str, type]) -> dict[str, Any]:
    """The settings, as keyword arguments. Raises ConfigError with every fault at once."""
    faults = _faults_of(given, types)
    if faults:
        raise ConfigError(faults)
    return {key: _plain(value) for key, value in given.items()}


def _plain(value: object) -> "Setting":
    """A value that can be one of a setting as Python's own where it is another's number, such as numpy's."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    assert isinstance(value, Real)
    return float(value)


def find_playout_faults(n: object, seed: object, threads: object) -> list[str]:
    """What is wrong with so many playouts."""
    faults = []
    for name, value in (("n", n), ("seed", seed), ("threads", threads)):
        if isinstance(value, bool) or not isinstance(value, Integral):
            faults.append(f"{name}={value!r}: expected {_EXPECTED[int]}")
        elif name in _PLAYOUT_RANGES and int(value) not in _PLAYOUT_RANGES[name]:
            faults.append(f"{name}={value}: expected {_PLAYOUT_RANGES[name].expectation(int(value))}")
    return faults


def _faults_of(given: Mapping[str, object], types: Mapping[str, type] = SETTINGS) -> list[str]:
    faults = []
    for key, value in given.items():
        if key not in types:
            faults.append(f"{key}: no such setting, known: {' '.join(types)}")
        elif not _is_kind(value, types[key]) or (key == "variant" and value not in _VARIANTS):
            faults.append(f"{key}={value!r}: expected {_EXPECTED[types[key]]}")
        elif key in _RANGES and isinstance(number := _plain(value), int | float) and number not in _RANGES[key]:
            faults.append(f"{key}={value}: expected {_RANGES[key].expectation(number)}")
    return faults


def _is_kind(value: object, kind: type) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    # Whole numbers and others of numpy, too.
    return isinstance(value, Integral if kind is int else Real if kind is float else kind)


def make_settings(**given: Setting) -> SearchSettings:
    """SearchSettings, checked. Raises ConfigError with every fault at once."""
    checked = _check(given, _PLAYOUT_SETTINGS)
    return SearchSettings(**{**checked, "seed": checked.get("seed", 0) % _SEEDS})


def playout_settings(given: Mapping[str, Setting]) -> dict[str, Setting]:
    """Those of settings that a search without a network has; the others wait for one.

    Raises ConfigError for values that a search with a network would refuse.
    """
    faults = _faults_of({key: value for key, value in given.items() if key in _ONLY_WITH_NETWORK}, _PUCT_SETTINGS)
    if faults:
        raise ConfigError(faults)
    return {key: value for key, value in given.items() if key not in _ONLY_WITH_NETWORK}


def make_puct_settings(**given: Setting) -> PuctSettings:
    """PuctSettings, checked. Raises ConfigError with every fault at once."""
    checked = _check(given, _PUCT_SETTINGS)
    return PuctSettings(**{**checked, "seed": checked.get("seed", 0) % _SEEDS})


def make_limits(settings: SearchLimits, given: Mapping[str, object]) -> SearchLimits:
    """The limits of one search: those that are given, else those of the settings.

    Raises ConfigError, with every fault at once, for what is no limit or out of range, and if nothing would end it.
    """
    faults = _faults_of({key: value for key, value in given.items() if key in LIMITS})
    faults += [f"{key}: no limit of a search, known: {' '.join(LIMITS)}" for key in given if key not in LIMITS]
    if faults:
        raise ConfigError(faults)
    limits = SearchLimits(**_check({name: given.get(name, getattr(settings, name)) for name in LIMITS}, SETTINGS))
    if not limits.playouts and not limits.seconds:
        raise ConfigError(["playouts and seconds: expected a limit in at least one of them"])
    if isinstance(settings, PuctSettings) and settings.gumbel and not limits.playouts:
        raise ConfigError(["gumbel: expected a limit in playouts, of which each move gets its part"])
    return limits
