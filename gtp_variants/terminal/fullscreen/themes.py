"""The colours of the screen, as named themes that define a style for every style name. They are in `themes.toml`."""

from collections.abc import Mapping
from pathlib import Path

from gtp_variants.lang import load

# The default theme, and the theme without colours.
DEFAULT, PLAIN = "wood", "mono"

_FILE = load(Path(__file__).with_suffix(".toml"))
THEMES: Mapping[str, Mapping[str, str]] = {
    **{
        name: {style: text.format(**colours) for style, text in _FILE["styles"].items()}
        for name, colours in _FILE["themes"].items()
    },
    PLAIN: _FILE[PLAIN],
}


def class_name(style: str) -> str:
    """Return a style's name without dots, because prompt_toolkit splits names at dots."""
    return style.replace(".", "-")
