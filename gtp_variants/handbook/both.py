"""Sentences in both languages side by side, so that neither can be forgotten."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gtp_variants.rules import words


@dataclass(frozen=True, slots=True)
class Both:
    """A text in English and in French."""

    en: str
    fr: str

    def said(self, lang: str) -> str:
        """The text in one language."""
        return self.en if lang == "en" else _spaced(self.fr)


def _spaced(french: str) -> str:
    """French with the blanks before its high punctuation and inside its quotation marks unbreakable."""
    for mark in ":;?!»":
        french = french.replace(f" {mark}", f"\u00a0{mark}")
    return french.replace("« ", "«\u00a0")


def paragraph(*sentences: Both | None) -> Both:
    """Sentences one after the other, those that are None left out."""
    said = [sentence for sentence in sentences if sentence is not None]
    return Both(" ".join(each.en for each in said), " ".join(each.fr for each in said))


def decimal(value: float) -> Both:
    """A number: 7.5 in English, 7,5 in French."""
    return Both(words.number(value), words.number(value, "fr"))


def counted(number: float, english: tuple[str, str], french: tuple[str, str]) -> Both:
    """A number of things; the words are singular and plural. "0.5 point", "0 points", but "0 point" in French."""
    value = decimal(number)
    one = 0 < number <= 1
    return Both(f"{value.en} {english[not one]}", f"{value.fr} {french[number >= 2]}")


def colour(number: int) -> Both:
    """The name of a colour."""
    return Both(*(words.name(number, lang) for lang in words.LANGUAGES))


def listing(items: Sequence[object]) -> Both:
    """ "1, 2 and 3"."""
    return Both(*(words.listing(items, lang) for lang in words.LANGUAGES))


def listed(names: Iterable[Both]) -> Both:
    """ "Black, White and Red"."""
    both = list(names)
    return Both(words.listing([each.en for each in both], "en"), words.listing([each.fr for each in both], "fr"))
