"""Which of our languages the person at this computer reads, from the locale."""

import os
from collections.abc import Mapping

from gtp_variants.rules.words import LANGUAGES

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
