"""The series: players, game and target score of each.

A player is a bot as `gtp-variants match` names it, `gnugo:COMMAND`, `program:SECONDS:COMMAND` for another program that
speaks GTP, or `blind:PARAMETERS`: the bot `phantom`, blind to the news. Nobody resigns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# The two games of a pair, with colours swapped.
LEGS = "ab"

GAMES = {
    "go9": "go:size=9,komi=7.5",
    "aleago9": "aleago:size=9,dice=1d4",
    "aleago13": "aleago:size=13",
    "rosette4": "rosette:n=4",
    "alter-igo9": "alter-igo:size=9",
    "pentalath": "pentalath",
}

# `mcts` cannot play with hidden stones.
HIDDEN = "phantom:size=9"

# GNU Go captures dead stones before it passes, because the whole board is scored as it is.
GNUGO = "gnugo:gnugo --mode gtp --level 10 --chinese-rules --capture-all-dead --never-resign"
# Larger boards for games with GNU Go, and the target score of the default bot there.
LARGE = {"go13": ("go:size=13,komi=7.5", 0.95), "go19": ("go:size=19,komi=7.5", 0.5)}
PLAIN = ",rave=false,priors=false,shapes=false,atari=false,tactics=false,proofs=false,exploration=0.5"

# Target score of a level against the one below, and of the lowest against `greedy`.
STEP, LOWEST = (0.65, 0.85), (0.05, 0.45)


@dataclass(frozen=True, slots=True)
class Series:
    """Games of two players at one SPEC.

    `aim` is the lowest and the highest score (0 to 1) that the first player is to reach, `form` the form of the search
    that thinks for both, "native" or "python". `openings` is a file with an opening a line, "" for random ones.
    With `equal_time` the score counts only if both sides think equally long.
    """

    name: str
    spec: str
    first: str
    second: str
    aim: tuple[float, float] = (0.0, 1.0)
    form: str = "native"
    openings: str = ""
    equal_time: bool = False


def timed(seconds: float, settings: str = "") -> str:
    """Return the bot `mcts` with a time per move in seconds; further settings begin with a comma."""
    return f"mcts:playouts=0,seconds={seconds},resign=false{settings}"


def phantom_timed(seconds: float, settings: str = "") -> str:
    """Return the bot `phantom` for hidden stones, likewise."""
    return f"phantom:seconds={seconds}{settings}"


def counted(playouts: int, settings: str = "") -> str:
    """Return the bot `mcts` with a number of playouts per move."""
    return f"mcts:playouts={playouts},seconds=0,resign=false{settings}"


def _against(name: str, game: str, opponent: str, aim: float, seconds: float = 0.1) -> Series:
    return Series(f"{game}-{name}", GAMES[game], timed(seconds), opponent, (aim, 1.0))


def _hidden(name: str, opponent: str, aim: float) -> Series:
    return Series(f"phantom9-{name}", HIDDEN, "phantom:seconds=0.1", opponent, (aim, 1.0))


def _ten_times(game: str, playouts: int, aim: float) -> Series:
    return Series(f"{game}-10x{playouts}", GAMES[game], counted(10 * playouts), counted(playouts), (aim, 1.0))


def _without(game: str, *keys: str) -> Series:
    """Return a series of the full search against itself without some parts."""
    off = "".join(f",{key}=false" for key in keys)
    return Series(f"{game}-without-{'-'.join(keys)}", GAMES[game], timed(0.1), timed(0.1, off))


SERIES = (
    _against("gnugo-0.3s", "go9", GNUGO, 0.88, seconds=0.3),
    _against("gnugo-1s", "go9", GNUGO, 0.94, seconds=1),
    *(Series(f"{game}-gnugo-1s", spec, timed(1), GNUGO, (aim, 1.0)) for game, (spec, aim) in LARGE.items()),
    _against("blind", "aleago13", timed(0.1, ",dice_aware=false"), 0.75),
    _against("blind", "aleago9", timed(0.1, ",dice_aware=false"), 0.85),
    _against("greedy", "aleago13", "greedy", 0.97),
    _against("plain", "pentalath", timed(0.1, PLAIN), 0.95),
    _against("greedy", "pentalath", "greedy", 0.98),
    _against("plain", "alter-igo9", timed(0.1, PLAIN), 0.98),
    _against("plain", "rosette4", timed(0.1, PLAIN), 0.98),
    _ten_times("go9", 200, 0.95),
    _ten_times("aleago9", 100, 0.95),
    _ten_times("aleago13", 100, 0.95),
    _ten_times("rosette4", 200, 0.95),
    _ten_times("alter-igo9", 100, 0.95),
    _ten_times("pentalath", 500, 0.85),
    _hidden("uniform", "uniform", 0.99),
    _hidden("greedy", "greedy", 0.99),
    _hidden("blind", "blind:seconds=0.1", 0.92),
    _hidden("tenth", "phantom:seconds=0.01", 0.85),
    *(Series(f"{game}-python", GAMES[game], timed(2), "greedy", (0.90, 1.0), "python") for game in GAMES),
    # The worth of each part of the search, without a target.
    _without("go9", "atari", "shapes"),
    _without("go9", "shapes"),
    _without("go9", "priors"),
    _without("go9", "rave"),
    _without("aleago13", "atari"),
    _without("aleago13", "priors"),
    _without("aleago13", "rave"),
    _without("rosette4", "atari"),
    _without("rosette4", "priors"),
    _without("rosette4", "rave"),
    _without("alter-igo9", "atari"),
    _without("alter-igo9", "priors"),
    _without("alter-igo9", "rave"),
    _without("alter-igo9", "proofs"),
    _without("pentalath", "tactics"),
    _without("pentalath", "priors"),
    _without("pentalath", "rave"),
    _without("pentalath", "proofs"),
)

# The shipped levels of the bots, and the games that measure them.
LEVELS = {level: f"level={level}" for level in range(1, 11)}
LADDERS = {**GAMES, "phantom9": HIDDEN, **{game: spec for game, (spec, _) in LARGE.items()}}


def steps(levels: Mapping[int, str]) -> Iterator[Series]:
    """Return series of each level against the one below and the lowest against `greedy`, for every game."""
    for game, spec in LADDERS.items():
        below, aim, opponent = "greedy", LOWEST, "greedy"
        name, more = ("phantom", "") if spec == HIDDEN else ("mcts", ",resign=false")
        for level, settings in sorted(levels.items()):
            bot = f"{name}:{settings}{more}"
            yield Series(f"{game}-level{level}-{below}", spec, bot, opponent, aim)
            below, aim, opponent = f"{level}", STEP, bot
