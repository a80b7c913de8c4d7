"""Sentences of the handbook, read from TOML, their placeholders filled when rendered.

Chapters in more languages, where the text of a game has them: Rosette in Spanish and Haitian Creole, as its source.

A file a language, a table a chapter; a sentence has the places of the English one. What hosts say during a game is in
English and French only, and so are the words in a diagram.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gtp_variants.lang import load
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import LANGUAGES, format_list, format_number

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
    return Path(__file__).parent / "translations" / f"{lang}.toml"


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is the same in meaning whatever `render` is told to write it in: "en", "fr" or a further language."""

    render: Callable[[str], str]


class Sentences:
    """The sentences in `chapters/NAME.toml`, as texts whose places are filled.

    Places take texts, numbers (7,5 in French), sequences ("1, 2 and 3"), and anything else as it is.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._file = Path(__file__).parent / "chapters" / f"{name}.toml"

    def __call__(self, key: str, **parts: object) -> Text:
        """The sentence of a key."""
        return self._fill(key, lambda lang: 0, parts)

    def count(self, key: str, number: float) -> Text:
        """A number of things, "0.5 point", "0 points", but "0 point" in French: a sentence with two forms."""
        is_many = {"fr": number >= 2}
        return self._fill(key, lambda lang: int(is_many.get(lang, not 0 < number <= 1)), {"number": number})

    def __contains__(self, key: str) -> bool:
        return key in load(self._file)

    def _fill(self, key: str, form: Callable[[str], int], parts: dict[str, object]) -> Text:
        sentence = load(self._file)[key]

        def render(lang: str) -> str:
            found = sentence[lang] if lang in sentence else translation(self._name, key, lang)
            template = found if isinstance(found, str) else found[form(lang)]
            filled = template.format(**{place: _write(part, lang) for place, part in parts.items()})
            return _space(filled) if lang == "fr" else filled

        return Text(render)


def _write(part: object, lang: str) -> str:
    match part:
        case Text():
            return part.render(lang)
        case float():
            # A comma in all but English.
            return format_number(part, "en" if lang == "en" else "fr")
        case tuple() | list():
            return _list([_write(each, lang) for each in part], lang)
    return str(part)


def _list(texts: Sequence[str], lang: str) -> str:
    if lang in LANGUAGES:
        return format_list(texts, lang)
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {translation(COMMON, 'and', lang)} {texts[-1]}"


def _space(french: str) -> str:
    """French with the blanks before its high punctuation and inside its quotation marks unbreakable."""
    for mark in ":;?!»":
        french = french.replace(f" {mark}", f"\u00a0{mark}")
    return french.replace("« ", "«\u00a0")


def verbatim(text: str) -> Text:
    """What is the same in both languages."""
    return Text(lambda lang: text)


def paragraph(*sentences: Text | None) -> Text:
    """Sentences one after the other, those that are None left out."""
    present: Sequence[Text] = [sentence for sentence in sentences if sentence is not None]
    return Text(lambda lang: " ".join(sentence.render(lang) for sentence in present))


def colour(number: int) -> Text:
    """The name of a colour."""
    key = ("nobody", "black", "white", "red")[number]

    def render(lang: str) -> str:
        return colour_name(number, lang) if lang in LANGUAGES else str(translation(COMMON, key, lang))

    return Text(render)
