"""Every sentence that people are told, in English and French: one catalogue for all hosts of games.

A sentence lies in `SUBJECT.toml` beside this file, both languages one below the other, and is asked for as
`say("subject.key", lang, ...)`. Its places, such as {name}, are filled as by `str.format`. What the rules themselves
say (reasons of an illegal move, announcements, results) lies with them on floor 0.

Which of our languages the person at this computer reads, from the locale.
"""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import VariantsError
from gtp_variants.rules.languages import LANGUAGES

_FOLDER = Path(__file__).parent


def say(key: str, lang: str, **parts: object) -> str:
    """The sentence of a key such as `game.passes`, its places filled. Raises KeyError if there is none."""
    subject, _, name = key.partition(".")
    return sentences(subject)[name][lang].format(**parts)


def sentences(subject: str) -> dict[str, dict[str, str]]:
    """The sentences of a subject: key -> language -> text."""
    return load(_FOLDER / f"{subject}.toml")


def option_meanings(lang: str) -> dict[str, str]:
    """What the options of the rules mean in a language other than English, which stands in `rules`; {} for English."""
    if lang == LANGUAGES[0]:
        return {}
    return {key: str(text) for key, text in load(_FOLDER / "translations" / f"options.{lang}.toml").items()}


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


_NO_LANGUAGE = ("C", "POSIX")


def system_language(environment: Mapping[str, str] | None = None) -> str:
    """The first of our languages that the locale names; English if it names none.

    As gettext reads it: LANGUAGE is a list by preference, LC_ALL goes before LC_MESSAGES and that before LANG; a locale
    C or POSIX is no language, whatever LANGUAGE says. Windows has a language of its own where none of these is set.
    """
    where = os.environ if environment is None else environment
    locale = next((where[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if where.get(name)), "")
    if not locale and os.name == "nt":
        locale = _windows_locale()
    if locale.partition(".")[0] in _NO_LANGUAGE:
        return LANGUAGES[0]
    wished = [*where.get("LANGUAGE", "").split(":"), locale] if locale else [locale]
    named = (name.replace("-", "_").partition("_")[0].partition(".")[0].lower() for name in wished)
    return next((name for name in named if name in LANGUAGES), LANGUAGES[0])


def _windows_locale() -> str:
    import ctypes
    import locale

    library = getattr(ctypes, "windll", None)
    return "" if library is None else locale.windows_locale.get(library.kernel32.GetUserDefaultUILanguage(), "")
