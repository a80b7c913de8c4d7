"""Every sentence that people are told, in English and French: one catalogue for all hosts of games.

A sentence lies in `SUBJECT.toml` beside this file, both languages one below the other, and is asked for as
`say("subject.key", lang, ...)`. Its places, such as {name}, are filled as by `str.format`. What the rules themselves
say (reasons of an illegal move, announcements, results) lies with them on floor 0.
"""

import tomllib
from functools import cache
from pathlib import Path

from gtp_variants.errors import VariantsError
from gtp_variants.json_values import Json
from gtp_variants.rules.words import LANGUAGES

_FOLDER = Path(__file__).parent


def say(key: str, lang: str, **parts: object) -> str:
    """The sentence of a key such as `game.passes`, its places filled. Raises KeyError if there is none."""
    subject, _, name = key.partition(".")
    return sentences(subject)[name][lang].format(**parts)


def sentences(subject: str) -> dict[str, dict[str, str]]:
    """The sentences of a subject: key -> language -> text."""
    return load(_FOLDER / f"{subject}.toml")


@cache
def load(file: Path) -> dict[str, Json]:
    """A file of sentences: key -> language -> text, or several forms of it."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def subjects() -> list[str]:
    """The subjects of the catalogue."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def as_sentence(clause: str) -> str:
    """A clause, such as the reason of a refusal, with a capital at its beginning and a full stop at its end."""
    return f"{clause[:1].upper()}{clause[1:]}."


def accepted_language(accepted: str) -> str:
    """The first of our languages that an `Accept-Language` names, English where it names none."""
    wanted = (each.partition(";")[0].strip().lower()[:2] for each in accepted.split(","))
    return next((lang for lang in wanted if lang in LANGUAGES), "en")


class RequestRefused(VariantsError):
    """Something a person asked for and cannot have, why as a key of the catalogue; as a string it is in English."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(say(key, "en", **parts))
        self.key = key
        self.parts = parts

    def reason(self, lang: str) -> str:
        """Why, in a language: a clause."""
        return say(self.key, lang, **self.parts)
