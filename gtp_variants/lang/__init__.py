"""The English and French sentences that all hosts of games use, and the choice of a person's language.

A sentence is in `SUBJECT.toml` beside this file, one language below the other. `say("subject.key", lang, ...)` returns
it with its placeholders, such as {name}, filled as by `str.format`. The sentences of the rules themselves (about
illegal moves, announcements and results) are in `rules/`.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.rules.languages import LANGUAGES, typeset

_FOLDER = Path(__file__).parent


def say(key: str, lang: str, **parts: object) -> str:
    """Return the sentence for a key such as `game.pass`, with filled placeholders. Raises KeyError for other keys."""
    subject, _, name = key.partition(".")
    return sentences(subject)[name][lang].format(**parts)


# The regular expressions of placeholders in `faults.toml`. Any other placeholder matches any text.
_PLACES = {"low": r"[-+.e\d]+", "high": r"[-+.e\d]+", "word": r"[^\s,]+", "words": r"[^\s,]+(?:, [^\s,]+)*"}
# Maximum length of a message that is translated.
_LONGEST_FAULT = 500
# Placeholders whose text must have a translation, so that no sentence is half English.
_TRANSLATED = ("fault", "range")


@cache
def _fault_patterns() -> dict[str, re.Pattern[str]]:
    def place(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}>{_PLACES.get(found[1], '.+?')})"

    texts = {key: re.escape(each["en"]) for key, each in sentences("faults").items()}
    return {key: re.compile(re.sub(r"\\{(\w+)\\}", place, text), re.DOTALL) for key, text in texts.items()}


# Cached, because a message and each of its parts are compared with many patterns.
@lru_cache(maxsize=10_000)
def translate_fault(message: str, lang: str) -> str:
    """Translate an English message that follows a pattern in `faults.toml`. Return other messages unchanged."""
    if lang == LANGUAGES[0] or len(message) > _LONGEST_FAULT:
        return message
    for key, pattern in _fault_patterns().items():
        if found := pattern.fullmatch(message):
            parts = {place: translate_fault(part, lang) for place, part in found.groupdict().items()}
            must = [found[place] for place in _TRANSLATED if place in parts]
            if not any(part in parts.values() and re.search("[A-Za-z]", part) for part in must):
                return say(f"faults.{key}", lang, **parts)
    return message


def sentences(subject: str) -> dict[str, dict[str, str]]:
    """Return the sentences of a subject: key -> language -> text."""
    return load(_FOLDER / f"{subject}.toml")


def option_meanings(lang: str) -> dict[str, str]:
    """Return the meanings of the rules' options in a language; {} for English, for which they are in `rules/`."""
    if lang == LANGUAGES[0]:
        return {}
    meanings = load(_FOLDER / "translations" / f"options.{lang}.toml")
    return {key: typeset(str(text), lang) for key, text in meanings.items()}


@cache
def load(file: Path) -> dict[str, Any]:
    """Return the contents of a TOML file. The texts, or lists of texts, whose key is a language are typeset."""
    return {key: _typeset(each, key) for key, each in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def _typeset(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {inner: _typeset(each, inner) for inner, each in value.items()}
    if isinstance(value, list):
        return [_typeset(each, key) for each in value]
    return typeset(value, key) if isinstance(value, str) else value


def subjects() -> list[str]:
    """Return the subjects of the catalogue."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def as_sentence(clause: str) -> str:
    """Return a clause, such as the reason for a refusal, with a capital letter and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


class RequestRefused(VariantsError):
    """Raised to refuse a person's request. The reason is a key in the catalogue; `str` gives the English text."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(say(key, "en", **parts))
        self.key = key
        self.parts = parts

    def reason(self, lang: str) -> str:
        """Return the reason for the refusal as a clause in a language."""
        return say(self.key, lang, **self.parts)


_NO_LANGUAGE = ("C", "POSIX")


def system_language(environment: Mapping[str, str] | None = None) -> str:
    """Return the first supported language that the locale names, or else English.

    The variables are read as gettext reads them: LANGUAGE is a list in order of preference, LC_ALL overrides
    LC_MESSAGES, and LC_MESSAGES overrides LANG. The locale C or POSIX means English, whatever LANGUAGE says. If none of
    the locale variables is set, Windows uses its own setting.
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
