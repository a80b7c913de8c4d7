"""Commands that people type in the chat of a Go server, and the options of a game that they may agree on."""

import re
from collections.abc import Mapping

from gtp_variants.errors import NotationError, SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

# What a greeting or farewell may name.
PLACES = ("me", "opponent", "game", "size", "komi", "result", "commitment")

# How many commands of one person are answered at once, and how many a second in the long run.
ANSWERS_AT_ONCE = 6.0
ANSWERS_A_SECOND = 0.6

# What people type -> the command and its language, None where it does not tell.
COMMANDS = {
    "!help": ("help", "en"),
    "!aide": ("help", "fr"),
    "!rules": ("rules", "en"),
    "!règles": ("rules", "fr"),
    "!regles": ("rules", "fr"),
    "!level": ("level", "en"),
    "!niveau": ("level", "fr"),
    "!dice": ("dice", "en"),
    "!dés": ("dice", "fr"),
    "!des": ("dice", "fr"),
    "!options": ("options", None),
    "!réglages": ("options", "fr"),
    "!reglages": ("options", "fr"),
    "!crystal": ("crystal", "en"),
    "!boule": ("crystal", "fr"),
    "!handicap": ("handicap", None),
    "!stop": ("stop", None),
    "!fin": ("stop", "fr"),
}


# What agrees to what somebody else would like, and what ends it all.
_AGREEING = {"!yes": ("yes", "en"), "!oui": ("yes", "fr")}
_LEAVING = {"!bye": ("bye", None), "!adieu": ("bye", "fr")}
# What people type to a referee, at a board that the bot draws, and to who referees in private.
TO_REFEREE: dict[str, tuple[str, str | None]] = {
    **_AGREEING,
    **_LEAVING,
    "!referee": ("referee", "en"),
    "!arbitre": ("referee", "fr"),
}
AT_BOARD = {
    "!black": ("black", "en"),
    "!noir": ("black", "fr"),
    "!white": ("white", "en"),
    "!blanc": ("white", "fr"),
}
IN_PRIVATE: dict[str, tuple[str, str | None]] = {
    **_AGREEING,
    **_LEAVING,
    **AT_BOARD,
    "!bot": ("bot", None),
    "!board": ("board", "en"),
    "!goban": ("board", "fr"),
    "!dead": ("dead", "en"),
    "!morte": ("dead", "fr"),
    "!count": ("count", "en"),
    "!compte": ("count", "fr"),
}
_LONGEST_SHOWN = 40
_VERTEX = re.compile(r"[a-z]{1,2}\d{1,2}")
# What people type beside vertices and commands.
_TYPED = {
    **dict.fromkeys(("pass", "passe"), "pass"),
    **dict.fromkeys(("resign", "abandon"), "resign"),
    **dict.fromkeys(("undo", "annuler"), "undo"),
}


def quote(text: str) -> str:
    """A text that somebody typed, short enough to be said again."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST_SHOWN])


def fill(line: str, places: dict[str, object]) -> str:
    """A greeting or farewell with its places filled in."""
    for place in PLACES:
        line = line.replace(f"{{{place}}}", str(places.get(place, "")))
    return line


def command_of(text: str, more: Mapping[str, tuple[str, str | None]] | None = None) -> tuple[str, str | None] | None:
    """The command somebody typed and the language it is in; None for other words. `more` are those of a role."""
    words = text.strip().lower().split()
    word = words[0].rstrip("?.") if words else ""
    return COMMANDS.get(word) or (more or {}).get(word)


def move_of(text: str) -> str | None:
    """The move somebody typed: a vertex in small letters, `pass`, `resign` or `undo`; None for other words."""
    word = text.strip().lower().rstrip(".!")
    return word if _VERTEX.fullmatch(word) else _TYPED.get(word)


# The kind of proposal whose value is a SPEC.
OPTIONS = "options"

# What people type -> the value of the option.
_COLOURS = {
    **dict.fromkeys(("b", "black", "n", "noir"), "b"),
    **dict.fromkeys(("w", "white", "blanc"), "w"),
    **dict.fromkeys(("none", "off", "aucun", "personne"), "none"),
}
_TRUTH = {
    **dict.fromkeys(("", "on", "yes", "true", "oui"), "true"),
    **dict.fromkeys(("off", "no", "false", "non"), "false"),
}
_TABLE = ("table", "tableau")


def with_command(spec: str, command: str, word: str, size: int) -> str:
    """The SPEC of a game with dice with the option of a command set to what was typed.

    Raises NotationError for what is no such value.
    """
    cls, given = split_spec(spec)
    word = word.strip().lower()
    if command == "dice":
        # The star is the table's for the dice, unless these are none of its rows.
        given.pop("dice", None)
        given.pop("star", None)
        given |= {} if word in _TABLE else {"dice": word}
    elif command == "crystal":
        given["crystal_ball"] = _read(_TRUTH, word)
    else:
        given["free_player"] = _read(_COLOURS, word)
    _check(cls, {**given, "size": str(size)})
    return _text(cls, given)


def with_option(spec: str, text: str) -> str:
    """The SPEC with one option set, `key=value` or `key value`. Raises NotationError for what is no such option.

    The language is not one: each player has their own.
    """
    cls, given = split_spec(spec)
    key, _, value = text.strip().lower().replace("=", " ").partition(" ")
    if key == "lang":
        raise NotationError("lang: each player types commands in their own language")
    given = {**given, key: value.strip()}
    _check(cls, given)
    return _text(cls, given)


def _check(cls: type[Rules], given: Mapping[str, str]) -> None:
    try:
        cls(given)
    except SpecError as error:
        raise NotationError(str(error)) from None


def _text(cls: type[Rules], given: Mapping[str, str]) -> str:
    return f"{cls.name}:{','.join(f'{key}={value}' for key, value in given.items())}" if given else cls.name


def _read(known: dict[str, str], word: str) -> str:
    if word not in known:
        raise NotationError(f"{word[:20]!r}: expected one of {', '.join(filter(None, known))}")
    return known[word]
