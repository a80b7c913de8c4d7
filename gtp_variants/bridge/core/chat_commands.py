"""Chat commands that players type on a Go server, and the game options they can agree on."""

import re
from collections.abc import Mapping

from gtp_variants.errors import NotationError, SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

# Placeholders of greetings and farewells.
PLACES = ("me", "opponent", "game", "size", "komi", "result", "commitment")

# A user's commands that are answered at once, and per second in the long run.
ANSWERS_AT_ONCE = 6.0
ANSWERS_A_SECOND = 0.6

# Typed word -> (command, language), None if the word has no particular language.
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


# Agreeing to a proposal, and ending the game or the refereeing.
_AGREEING = {"!yes": ("yes", "en"), "!oui": ("yes", "fr")}
_LEAVING = {"!bye": ("bye", None), "!adieu": ("bye", "fr")}
# Additional commands: to a referee, on a demonstration board, and in private games.
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
# Words for moves other than vertices.
_TYPED = {
    **dict.fromkeys(("pass", "passe"), "pass"),
    **dict.fromkeys(("resign", "abandon"), "resign"),
    **dict.fromkeys(("undo", "annuler"), "undo"),
}


def quote(text: str) -> str:
    """Return the start of a typed text with unprintable characters replaced."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST_SHOWN])


def command_of(text: str, more: Mapping[str, tuple[str, str | None]] | None = None) -> tuple[str, str | None] | None:
    """Return the command in a text and its language, or None for other text. `more` are a role's own commands."""
    words = text.strip().lower().split()
    word = words[0].rstrip("?.") if words else ""
    return COMMANDS.get(word) or (more or {}).get(word)


def move_of(text: str) -> str | None:
    """Return the typed move: a lower-case vertex, `pass`, `resign` or `undo`; None for other text."""
    word = text.strip().lower().rstrip(".!")
    return word if _VERTEX.fullmatch(word) else _TYPED.get(word)


# The kind of agreement whose value is a SPEC.
OPTIONS = "options"

# Typed word -> value of the option.
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
    """Return the SPEC of a game with dice after a command has set an option to `word`.

    Raises NotationError if the option has no such value.
    """
    cls, given = split_spec(spec)
    word = word.strip().lower()
    if command == "dice":
        # Without `star` the dice use the usual star of their table.
        given.pop("dice", None)
        given.pop("star", None)
        given |= {} if word in _TABLE else {"dice": word}
    elif command == "crystal":
        given["crystal_ball"] = _read(_TRUTH, word)
    else:
        given["free_player"] = _read(_COLOURS, word)
    return _spec_of(cls, given, {"size": str(size)})


def with_option(spec: str, text: str) -> str:
    """Return the SPEC with one option set by `key=value` or `key value`.

    Raises NotationError if there is no such option or value, and for `lang`: each player has their own language.
    """
    cls, given = split_spec(spec)
    key, _, value = text.strip().lower().replace("=", " ").partition(" ")
    if key == "lang":
        raise NotationError("lang: each player types commands in their own language")
    return _spec_of(cls, {**given, key: value.strip()}, {})


def _spec_of(cls: type[Rules], given: Mapping[str, str], more: Mapping[str, str]) -> str:
    """Return the SPEC of the options `given`. Raises NotationError if the game refuses them together with `more`."""
    try:
        cls({**given, **more})
    except SpecError as error:
        raise NotationError(str(error)) from None
    return f"{cls.name}:{','.join(f'{key}={value}' for key, value in given.items())}" if given else cls.name


def _read(known: dict[str, str], word: str) -> str:
    if word not in known:
        raise NotationError(f"{word[:20]!r}: expected one of {', '.join(filter(None, known))}")
    return known[word]
