"""The rules of the games. A new game is one file in `games/` and one line in `GAMES`."""

from collections.abc import Callable, Mapping
from importlib import import_module

from gtp_variants.rules.options import spec_error
from gtp_variants.rules.rules import Rules

# Game -> module and class. Modules are imported on first use: a GTP engine for one game loads only that game.
GAMES: dict[str, str] = {
    "go": "go:GoRules",
    "aleago": "aleago:AleagoRules",
    "phantom": "phantom:PhantomRules",
    "rosette": "rosette:RosetteRules",
    "alter-igo": "alter_igo:AlterIgoRules",
    "pentalath": "pentalath:PentalathRules",
}

# The game that is played if none is chosen.
DEFAULT_SPEC = "aleago"
# Ordinary Go, the only game that many files and programs know.
GO = "go"


def game_class(name: str) -> type[Rules]:
    """Return the Rules class of a game by its name or alias. Raises SpecError that lists the games."""
    word = name.strip().lower()
    if word not in GAMES:
        for known in GAMES:
            if word in game_class(known).aliases:
                return game_class(known)
        raise spec_error("unknown game", name=name[:40], known=" ".join(GAMES))
    module, cls = GAMES[word].split(":")
    found: type[Rules] = getattr(import_module(f"gtp_variants.rules.games.{module}"), cls)
    return found


def find_games(fit: Callable[[type[Rules]], bool]) -> list[str]:
    """Return the names of the games whose class fits, in the order of `GAMES`."""
    return [name for name in GAMES if fit(game_class(name))]


def split_spec(spec: str) -> tuple[type[Rules], dict[str, str]]:
    """Return the game of a SPEC `NAME[:key=value[,key=value]...]`, and the options it gives. Raises SpecError."""
    if not isinstance(spec, str):
        raise spec_error("no text", given=f"{spec!r:.40}")
    name, _, rest = spec.strip().partition(":")
    cls = game_class(name)
    given: dict[str, str] = {}
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        key = key.strip().lower()
        if not equals:
            raise spec_error("no equals", part=part[:40])
        if key in given:
            raise spec_error("given twice", option=key)
        given[key] = value
    return cls, given


def parse(spec: str, defaults: Mapping[str, str] | None = None) -> Rules:
    """Return the rules that a SPEC names.

    `defaults` are options that apply unless the SPEC gives others. Raises SpecError for an unknown game, key or value;
    the message lists the known ones.

    >>> import gtp_variants as gv
    >>> gv.parse("aleago:size=9,dice=1d4").short_spec
    'aleago:size=9'
    >>> gv.parse("pentalath").spec
    'pentalath:board=trapezoid,players=2,repetition=none,no_move=draw,supply=none,swap=false,lang=en'
    """
    cls, given = split_spec(spec)
    return cls({**(defaults or {}), **given})
