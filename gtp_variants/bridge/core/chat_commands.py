"""What people type in the chat of a Go server, and greetings with places."""

import re
from collections.abc import Mapping

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
