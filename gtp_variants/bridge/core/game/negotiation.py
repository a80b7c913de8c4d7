"""What players may agree on before the first move: the options of their game, as people type them."""

from collections.abc import Mapping

from gtp_variants.errors import NotationError, SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

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
