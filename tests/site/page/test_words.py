"""The words of the page: the same in both languages, none missing, none for nothing."""

import re
from pathlib import Path

from gtp_variants.rules import GAMES, parse

STATIC = Path(__file__).resolve().parents[3] / "gtp_variants" / "site" / "page" / "static"
if not STATIC.is_dir():
    import gtp_variants.site.page

    STATIC = Path(gtp_variants.site.page.__file__).parent / "static"
SCRIPTS = "".join(file.read_text(encoding="utf-8") for file in STATIC.rglob("*.js") if file.parent.name != "words")


def words(lang: str) -> str:
    """The file of a language."""
    return (STATIC / "words" / f"{lang}.js").read_text(encoding="utf-8")


def texts(lang: str) -> dict[str, str]:
    """What the page says in a language."""
    block = re.search(r"^export const TEXTS = \{\n(.*?)^\};$", words(lang), re.DOTALL | re.MULTILINE)
    assert block is not None
    found = re.findall(r'"([^"]+)": "([^"]*)"', block[1])
    assert len(found) == len(dict(found)), "a text is there twice"
    return dict(found)


def test_both_languages_say_the_same_with_the_same_places() -> None:
    english, french = texts("en"), texts("fr")
    assert english.keys() == french.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", french[key])), key
        assert french[key], key


def test_what_the_page_says_is_there_and_nothing_else() -> None:
    known = set(texts("en"))
    used = set(re.findall(r'say\("([^"]+)"', SCRIPTS))
    assert used <= known
    # Buttons and switches are named by their words, wishes and questions by what is wished; colours by their letters.
    named = {
        key
        for key in known
        if f'"{key}"' in SCRIPTS
        or re.search(rf"[{{ ]{key}: \(", SCRIPTS)
        or key.endswith((" sure", " kind"))
        or key.startswith(("wish ", "about "))
    }
    assert known == named


def test_a_colon_of_a_sentence_is_that_of_the_language() -> None:
    """In French a blank stands before it, so no script puts one between the words that it says."""
    assert re.findall(r'`[^`\n]*\}: .*|.*join\(": "\).*', re.sub(r"Error\(`.*", "", SCRIPTS)) == []


def test_every_option_has_a_french_meaning() -> None:
    block = words("fr").partition("MEANINGS = {")[2]
    for game in GAMES:
        for option in parse(game).options:
            assert option.key == "lang" or re.search(rf"\b{option.key}: ", block), option.key
