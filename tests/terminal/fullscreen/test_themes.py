"""The themes: complete, with their own colours filled in, and understood by the library that draws them."""

import pytest

from gtp_variants.terminal.fullscreen.themes import DEFAULT, PLAIN, THEMES, class_name

styles = pytest.importorskip("prompt_toolkit.styles")


@pytest.mark.parametrize("name", THEMES)
def test_a_theme_has_every_style_and_each_can_be_drawn(name: str) -> None:
    assert THEMES[name].keys() == THEMES[DEFAULT].keys()
    assert {f"overlay.{strength}" for strength in range(10)} <= THEMES[name].keys()
    styles.Style.from_dict({class_name(style): text for style, text in THEMES[name].items()})


def test_themes_differ_in_their_own_colours_alone() -> None:
    assert THEMES["wood"]["wood"] == "bg:#dcb35c #5c4410"
    assert THEMES["slate"]["stone.black"] == "bold #050505"
    assert THEMES["wood"]["title"] == THEMES["paper"]["title"] == "bold"
    assert not any("#" in text or "ansi" in text for text in THEMES[PLAIN].values())
