"""The handbook's sentences, which are read from TOML files. Placeholders are filled when a sentence is rendered.

English and French are in `chapters/`. Some chapters have further languages in `translations/`, which has one file for
each language, with one table for each chapter. Rosette has Spanish and Haitian Creole, as its source does. Diagrams and
games in progress use English or French.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gtp_variants.lang import load
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import LANGUAGES, format_list, format_number

# Each further language -> the language of its diagrams.
SPOKEN = {"es": "en", "ht": "fr"}
NAMES = {"en": "English", "fr": "français", "es": "español", "ht": "kreyòl"}
COMMON = "common"


def languages_of(game: str) -> tuple[str, ...]:
    """Return the languages of a game's chapter, English and French first."""
    return (*LANGUAGES, *(lang for lang in SPOKEN if game in load(_file(lang))))


def spoken(lang: str) -> str:
    """Return the language of the diagrams in a page in `lang`: English or French."""
    return SPOKEN.get(lang, lang)


@cache
def translation(chapter: str, key: str, lang: str) -> str | list[str]:
    """Return a sentence, or a list of its forms, in one of the further languages. Raises KeyError if it is missing."""
    found = load(_file(lang))[chapter][key]
    assert isinstance(found, str | list)
    return [str(each) for each in found] if isinstance(found, list) else found


def _file(lang: str) -> Path:
    return Path(__file__).parent / "translations" / f"{lang}.toml"


@dataclass(frozen=True, slots=True)
class Text:
    """A text in all languages. `render` takes the code of a language, such as en or fr."""

    render: Callable[[str], str]


class Sentences:
    """The sentences in `chapters/NAME.toml`, as texts with filled placeholders.

    A placeholder accepts a text, a number (7,5 in French), a sequence ("1, 2 and 3"), or any other value, which is
    written unchanged.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._file = Path(__file__).parent / "chapters" / f"{name}.toml"

    def __call__(self, key: str, **parts: object) -> Text:
        """Return the sentence with a key, its placeholders filled with `parts`."""
        return self._fill(key, lambda lang: 0, parts)

    def count(self, key: str, number: float) -> Text:
        """Return a text that counts things, from a sentence with a singular and a plural form.

        English has 0.5 point and 0 points, and French has 0 point.
        """
        is_many = {"fr": number >= 2}
        return self._fill(key, lambda lang: int(is_many.get(lang, not 0 < number <= 1)), {"number": number})

    def __contains__(self, key: str) -> bool:
        return key in load(self._file)

    def _fill(self, key: str, form: Callable[[str], int], parts: dict[str, object]) -> Text:
        sentence = load(self._file)[key]

        def render(lang: str) -> str:
            found = sentence[lang] if lang in sentence else translation(self.name, key, lang)
            template = found if isinstance(found, str) else found[form(lang)]
            return template.format(**{place: _write(part, lang) for place, part in parts.items()})

        return Text(render)


def _write(part: object, lang: str) -> str:
    match part:
        case Text():
            return part.render(lang)
        case float():
            # Only English uses a decimal point; the other languages use a comma, as French does.
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


def verbatim(text: str) -> Text:
    """Return a text that is the same in every language."""
    return Text(lambda lang: text)


def paragraph(*sentences: Text | None) -> Text:
    """Join sentences into a paragraph, ignoring None."""
    present: Sequence[Text] = [sentence for sentence in sentences if sentence is not None]
    return Text(lambda lang: " ".join(sentence.render(lang) for sentence in present))


def colour(number: int) -> Text:
    """Return the name of a colour as a text."""
    key = ("nobody", "black", "white", "red")[number]

    def render(lang: str) -> str:
        return colour_name(number, lang) if lang in LANGUAGES else str(translation(COMMON, key, lang))

    return Text(render)
