"""Chapters in more languages, where the text of a game has them: Rosette in Spanish and Haitian Creole, as its source.

A file a language, a table a chapter; a sentence has the places of the English one. What hosts say during a game is in
English and French only, and so are the words in a diagram.
"""

from functools import cache
from pathlib import Path

from gtp_variants.lang import load
from gtp_variants.rules.words import LANGUAGES

# Language -> the one of ours that stands in diagrams.
SPOKEN = {"es": "en", "ht": "fr"}
NAMES = {"en": "English", "fr": "français", "es": "español", "ht": "kreyòl"}
COMMON = "common"


def languages_of(game: str) -> tuple[str, ...]:
    """The languages that a game's chapter is written in, ours first."""
    return (*LANGUAGES, *(lang for lang in SPOKEN if game in load(_file(lang))))


def spoken(lang: str) -> str:
    """The language of ours that goes with one."""
    return SPOKEN.get(lang, lang)


@cache
def translation(chapter: str, key: str, lang: str) -> str | list[str]:
    """A sentence in one of the further languages. Raises KeyError where there is none."""
    found = load(_file(lang))[chapter][key]
    assert isinstance(found, str | list)
    return [str(each) for each in found] if isinstance(found, list) else found


def _file(lang: str) -> Path:
    return Path(__file__).with_name(f"{lang}.toml")
