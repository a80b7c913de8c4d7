"""How the screen is coloured: themes by name, each a style for every name that cells use."""

from collections.abc import Mapping
from types import MappingProxyType

# Without colours stones are letters and everything else differs by being bold, underlined or reversed.
PLAIN = "mono"

_LETTERS = {
    "title": "bold",
    "quiet": "",
    "said": "bold",
    "error": "bold",
    "asked": "bold",
    "prompt": "bold",
    "key": "reverse",
    "hint": "",
    "label": "",
    "label.lit": "reverse bold",
    "cursor": "reverse",
    "cross": "underline",
    "last": "bold",
    "stone.black": "bold",
    "stone.white": "bold",
    "stone.red": "bold",
    "open": "bold",
    "tried": "",
    "wood": "",
    "page": "",
    **{f"overlay.{strength}": "bold" for strength in range(10)},
}


def _colours(wood: str, line: str, dark: str, light: str, cross: str, cursor: str) -> Mapping[str, str]:
    """A theme from the colours of its board."""
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


THEMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        # As the plain client paints it.
        "wood": _colours("#dcb35c", "#5c4410", "#000000", "#ffffff", "#eccb80", "#f7ea9a"),
        "slate": _colours("#3a4652", "#9fb0c0", "#050505", "#ffffff", "#4d5d6d", "#7389a0"),
        "paper": _colours("#f4f1e8", "#8a8577", "#000000", "#9a9a9a", "#e2dccb", "#ffd75f"),
        PLAIN: _LETTERS,
    }
)
DEFAULT = "wood"


def class_name(style: str) -> str:
    """A style's name as the library that draws the screen wants it: without a dot, which it would take apart."""
    return style.replace(".", "-")
