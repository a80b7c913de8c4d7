"""The colours of the screen, as named themes that define a style for every style name."""

from collections.abc import Mapping

# The theme without colours. Stones are letters, and bold, underlined or reversed text marks the rest.
PLAIN = "mono"

_LETTERS = {
    **dict.fromkeys("title said error asked prompt last open stone.black stone.white stone.red".split(), "bold"),
    **dict.fromkeys("quiet hint label tried wood page".split(), ""),
    **dict.fromkeys(("key", "cursor"), "reverse"),
    "label.lit": "reverse bold",
    "cross": "underline",
    **{f"overlay.{strength}": "bold" for strength in range(10)},
}


def _colours(wood: str, line: str, dark: str, light: str, cross: str, cursor: str) -> Mapping[str, str]:
    """Return a theme with the given colours for the board."""
    return {
        "title": "bold",
        "quiet": "ansibrightblack",
        "said": "bold ansicyan",
        "error": "ansired",
        "asked": "bold",
        "prompt": "bold",
        "key": "reverse",
        "hint": "ansibrightblack",
        "label": "ansibrightblack",
        "label.lit": f"nobold reverse {cross}",
        "wood": f"bg:{wood} {line}",
        "cross": f"bg:{cross}",
        "cursor": f"bg:{cursor}",
        "stone.black": f"bold {dark}",
        "stone.white": f"bold {light}",
        "stone.red": "bold #c01010",
        "open": "bold #005f00 bg:#a8e05f",
        "tried": "bold #c01010",
        "last": "bold #b00020",
        "page": "",
        **{f"overlay.{n}": f"bold #ffffff bg:{_blend('#3a5f9a', '#b00020', n / 9)}" for n in range(10)},
    }


def _blend(first: str, other: str, part: float) -> str:
    pairs = ((int(first[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


THEMES: Mapping[str, Mapping[str, str]] = {
    # This theme has the colours of the terminal that prints line by line.
    "wood": _colours("#dcb35c", "#5c4410", "#000000", "#ffffff", "#eccb80", "#f7ea9a"),
    "slate": _colours("#3a4652", "#9fb0c0", "#050505", "#ffffff", "#4d5d6d", "#7389a0"),
    "paper": _colours("#f4f1e8", "#8a8577", "#000000", "#9a9a9a", "#e2dccb", "#ffd75f"),
    PLAIN: _LETTERS,
}
DEFAULT = "wood"


def class_name(style: str) -> str:
    """Return a style's name without dots, because prompt_toolkit splits names at dots."""
    return style.replace(".", "-")
