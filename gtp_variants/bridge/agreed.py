"""What players may agree on before the first move of a game with dice: which dice, who has none, what is known."""

from gtp_variants.errors import NotationError, SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.aleago import TABLE, dice_of_size

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


def dice_for(size: int) -> tuple[str, ...]:
    """The dice that the source's table has for a size, the usual first."""
    found = [dice for dice, row_size, _ in TABLE if row_size == size]
    return tuple(found) or (dice_of_size(size),)


def agreed(spec: str, command: str, word: str, size: int) -> str:
    """The SPEC with the option of a command set to what was typed. Raises NotationError for what is no such value."""
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
    try:
        cls({**given, "size": str(size)})
    except SpecError as error:
        raise NotationError(str(error)) from None
    return f"{cls.name}:{','.join(f'{key}={value}' for key, value in given.items())}" if given else cls.name


def _read(known: dict[str, str], word: str) -> str:
    if word not in known:
        raise NotationError(f"{word[:20]!r}: expected one of {', '.join(filter(None, known))}")
    return known[word]
