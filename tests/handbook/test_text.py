"""Texts in two languages: what fills their places, and that no sentence of a chapter is forgotten."""

import re
from pathlib import Path

import pytest

from gtp_variants import handbook
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph, verbatim
from gtp_variants.lang import load
from gtp_variants.rules.actions import BLACK

FOLDER = Path(handbook.__file__).parent
common, aleago = Sentences("common"), Sentences("aleago")


def both(text: Text) -> tuple[str, str]:
    return text.render("en"), text.render("fr")


@pytest.mark.parametrize(
    ("number", "english", "french"),
    [
        (0.0, "0 points", "0 point"),
        (0.5, "0.5 point", "0,5 point"),
        (1.0, "1 point", "1 point"),
        (7.5, "7.5 points", "7,5 points"),
    ],
)
def test_numbers_have_the_form_of_the_language(number: float, english: str, french: str) -> None:
    assert both(common.count("number_points", number)) == (english, french)


def test_places_take_texts_and_lists() -> None:
    assert both(aleago("closed_lines", lines=[7, 8, 9])) == (
        "No throw ever opens lines 7, 8 and 9.",
        "Aucun tirage n'ouvre jamais les lignes 7, 8 et 9.",
    )
    assert both(common("option_line", option="x=1", meaning=colour(BLACK))) == ("x=1: Black", "x=1\u00a0: Noir")
    assert both(paragraph(verbatim("A"), None, colour(BLACK))) == ("A Black", "A Noir")


@pytest.mark.parametrize("file", sorted((FOLDER / "chapters").glob("*.toml")), ids=lambda file: file.stem)
def test_every_sentence_is_used(file: Path) -> None:
    # What games have in common asks for sentences of their own chapters, too.
    names = [file.with_suffix(".py"), FOLDER / "chapters" / "common.py"]
    names += [FOLDER / name for name in ("chapter.py", "pages.py") if file.stem == "common"]
    sources = "".join(name.read_text(encoding="utf-8") for name in names)
    literal, stems = set(re.findall(r'"(\w+)"', sources)), tuple(re.findall(r'f"(\w+_)\{', sources))
    for name, figure in load(FOLDER / "figures.toml").get(file.stem, {}).items():
        literal |= {f"{name}_caption", *figure.get("boards", {})}
    # Options are asked for by their keys, effects by the codes of announcements.
    stems += ("option_", "captured_", "atari_", "self_atari_")
    assert {key for key in load(file) if key not in literal and not key.startswith(stems)} == set()
