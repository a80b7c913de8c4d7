"""The rules of the games. A new game is one file in `games/` and one line in `GAMES`."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from importlib import import_module

from gtp_variants.rules.options import did_you_mean, spec_error
from gtp_variants.rules.rules import Rules

# Game -> module and class. Modules are imported on first use, so a GTP engine for one game loads only that game.
GAMES: dict[str, str] = {
    "go": "go:GoRules",
    "aleago": "aleago:AleagoRules",
    "phantom": "phantom:PhantomRules",
    "rosette": "rosette:RosetteRules",
    "alter-igo": "alter_igo:AlterIgoRules",
    "pentalath": "pentalath:PentalathRules",
}

# The game that is played if no game is chosen.
DEFAULT_SPEC = "aleago"
# Ordinary Go, the only game that many files and programs know.
GO = "go"
# Values that replace a game's own defaults in `parse`. People agree on dead stones; in a game that is counted elsewhere
# or was saved before the option existed, every stone on the board counts.
AMONG_PEOPLE = {"dead": "agreed"}
AS_IT_STANDS = {"dead": "none"}


def game_class(name: str) -> type[Rules]:
    """Return the Rules class of a game by its name, alias or title, such as "Go Fantôme".

    Raises SpecError for an unknown name; the message lists the games and may suggest one.
    """
    word = name if name in GAMES else fold_name(name)
    found = word if word in GAMES else next((game for game in GAMES if word in _other_names(game)), None)
    if found is None:
        near = nearest_spec(word)
        hint = (lambda lang: did_you_mean(near, [near], lang)) if near else ""
        raise spec_error("unknown game", name=name[:40], known=" ".join(GAMES), hint=hint)
    module, cls = GAMES[found].split(":")
    made: type[Rules] = getattr(import_module(f"gtp_variants.rules.games.{module}"), cls)
    return made


def fold_name(name: str) -> str:
    """Return a name in lower case without accents, with "-" between its words."""
    letters = unicodedata.normalize("NFKD", name.strip().lower())
    return re.sub(r"[\s_]+", "-", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def _other_names(game: str) -> set[str]:
    kind = game_class(game)
    return {fold_name(each) for each in (kind.title, *kind.aliases)}


def nearest_spec(name: str) -> str:
    """Return the SPEC that a wrong name may stand for, such as `go:size=19` for "go19"; "" if no name is similar."""
    from difflib import get_close_matches

    word = fold_name(name)
    names = {each: game for game in GAMES for each in (game, *_other_names(game))}
    sized = re.fullmatch(r"(.*?)-?(\d{1,2})(x\2)?", word)
    if sized and (game := names.get(sized[1])) and any(option.key == "size" for option in game_class(game).options):
        return f"{game}:size={sized[2]}"
    near = [each for each in names if len(word) > 2 and each.startswith(word)] or get_close_matches(word, names, 1)
    return names[near[0]] if near else ""


def find_games(fit: Callable[[type[Rules]], bool]) -> list[str]:
    """Return the names of the games whose class `fit` accepts, in the order of `GAMES`."""
    return [name for name in GAMES if fit(game_class(name))]


def split_spec(spec: str) -> tuple[type[Rules], dict[str, str]]:
    """Return a SPEC's game class and given options, unchecked. Raises SpecError if malformed or of an unknown game."""
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

    `defaults` are values for options that the game has and the SPEC does not give. Raises SpecError for a malformed
    SPEC and for an unknown game, key or value; the message says what was expected.

    >>> import gtp_variants as gv
    >>> gv.parse("aleago:size=9,dice=1d4").short_spec
    'aleago:size=9'
    >>> gv.parse("pentalath").spec
    'pentalath:board=trapezoid,players=2,repetition=none,no_move=draw,supply=none,swap=false,lang=en'
    """
    cls, given = split_spec(spec)
    free = {option.key for option in cls.options} - cls.options.expand(given).keys()
    return cls({**{key: text for key, text in (defaults or {}).items() if key in free}, **given})
