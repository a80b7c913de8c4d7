"""How to search and when to end: what people may set, and what is wrong with it. Loads no search code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from types import MappingProxyType
from typing import Any

from gtp_variants.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLimits:
    """When to end a search.

    `playouts`      how many, 0 until the time is over; those that were kept from the move before do not count
    `seconds`       how long, 0 until the playouts are done
    `most_seconds`  how long it may take where the best two moves are close
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
    """How to search.

    `seed`         decides all random moves
    `threads`      how many search one tree; with more than one the same moves need not come out again
    `rave`         whether moves learn from all playouts in which they came later
    `equivalence`  playouts at which a move's own result weighs as much as what later moves told
    `exploration`  weight of the bonus for moves that were seldom tried
    `even`         virtual games of a new move, half of them won, of a pass a tenth
    `first_play`   value of a move that was never tried, where there are no virtual games
    `expand_at`    visits after which a leaf gets children
    `tactics`      Pentalath: whether fives are made and prevented before anything else
    `proofs`       whether won and lost games are remembered as such, and circles of Alter Igo are draws at once
    `atari`        whether playouts take and save chains in atari
    `shapes`       Go, Aléago: whether playouts and virtual games know shapes of 3x3 points
    `priors`       whether new moves get virtual games by what they do
    `dice_aware`   Aléago: whether draws to come count, or every point is open from the next move on
    `memory_mb`    the size at which the tree grows no more, in MiB; plain Python takes about four times as much
    `variant`      "full", or "plain": without tactics, proofs, atari, shapes and priors. Plain Python is always so

    With `variant=plain` both the kernel and plain Python choose the same moves.
    """

    seed: int = 0
    threads: int = 1
    rave: bool = True
    equivalence: float = 1000.0
    exploration: float = 0.0
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


# Colour, move and depth: moves that a search leaves out for a colour until so many moves from the root, 1 for the root
# alone. Where nothing else is left they are looked at all the same.
Avoided = Sequence[tuple[int, int, int]]

# Name -> type of every setting.
SETTINGS: Mapping[str, type] = MappingProxyType({item.name: type(item.default) for item in fields(SearchSettings)})

# The root of the largest board takes a twentieth of the least memory.
_RANGES: dict[str, tuple[float, float]] = {
    "playouts": (0, 2**63),
    "seconds": (0, 1e9),
    "most_seconds": (0, 1e9),
    "threads": (1, 1024),
    "equivalence": (1e-9, inf),
    "exploration": (0, inf),
    "even": (0, inf),
    "first_play": (0, inf),
    "expand_at": (1, 2**31 - 1),
    "memory_mb": (1, 2**40),
}
_VARIANTS = ("full", "plain")
_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: " or ".join(_VARIANTS)}
_SEEDS = 2**64

# A value of a setting.
Setting = bool | int | float | str


def check_settings(given: Mapping[str, object]) -> None:
    """Raises ConfigError for settings that are unknown, of a wrong type or out of range, with every fault at once.

    >>> import gtp_variants as gv
    >>> gv.check_settings({"playouts": 100, "threads": 2})
    >>> try:
    ...     gv.check_settings({"playout": 100, "threads": 0})
    ... except gv.ConfigError as error:
    ...     print(len(error.faults), "faults")
    2 faults
    """
    faults = _faults_of(given)
    if faults:
        raise ConfigError(faults)


def _faults_of(given: Mapping[str, object]) -> list[str]:
    faults = []
    for key, value in given.items():
        if key not in SETTINGS:
            faults.append(f"{key}: no such setting, known: {' '.join(SETTINGS)}")
        elif not _is_kind(value, SETTINGS[key]) or (key == "variant" and value not in _VARIANTS):
            faults.append(f"{key}={value!r}: expected {_EXPECTED[SETTINGS[key]]}")
        elif key in _RANGES and isinstance(value, int | float):
            least, most = _RANGES[key]
            if not least <= value <= most or value == inf:
                faults.append(f"{key}={value}: expected {_range(key, value)}")
    return faults


def _is_kind(value: object, kind: type) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, (int, float) if kind is float else kind)


def _range(key: str, value: float) -> str:
    least, most = _RANGES[key]
    if key == "threads" or least <= value < inf:
        return f"{least} to {most:.7g}"
    if value == inf:
        return "a finite number"
    return "more than 0" if key == "equivalence" else f"{least} or more"


def make_settings(**given: Setting) -> SearchSettings:
    """SearchSettings, checked. Raises ConfigError with every fault at once."""
    check_settings(given)
    checked: dict[str, Any] = given
    return SearchSettings(**{**checked, "seed": checked.get("seed", 0) % _SEEDS})


def make_limits(settings: SearchSettings, given: Mapping[str, object]) -> SearchLimits:
    """The limits of one search: those that are given, else those of the settings.

    Raises ConfigError, with every fault at once, for what is no limit or out of range, and if nothing would end it.
    """
    names = [item.name for item in fields(SearchLimits)]
    faults = _faults_of({key: value for key, value in given.items() if key in names})
    faults += [f"{key}: no limit of a search, known: {' '.join(names)}" for key in given if key not in names]
    if faults:
        raise ConfigError(faults)
    checked: dict[str, Any] = {name: given.get(name, getattr(settings, name)) for name in names}
    limits = SearchLimits(**checked)
    if not limits.playouts and not limits.seconds:
        raise ConfigError(["playouts and seconds: expected a limit in at least one of them"])
    return limits
