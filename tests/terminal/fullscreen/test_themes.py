"""The themes: complete, with their own colours filled in, and understood by the library that draws them."""

import re

import pytest

from gtp_variants.terminal.fullscreen.themes import DEFAULT, PLAIN, THEMES, class_name

styles = pytest.importorskip("prompt_toolkit.styles")
vt100 = pytest.importorskip("prompt_toolkit.output.vt100")


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


@pytest.mark.parametrize("name", sorted(THEMES.keys() - {PLAIN}))
def test_the_cursor_and_its_lines_are_seen_on_a_terminal_of_256_colours(name: str) -> None:
    colours = [re.findall("bg:#([0-9a-f]{6})", THEMES[name][style]) for style in ("wood", "cross", "cursor")]
    assert len({vt100._256_colors[tuple(bytes.fromhex(colour))] for (colour,) in colours}) == 3
