"""The languages that games can use, and how each writes a number or a list."""

from collections.abc import Sequence

LANGUAGES = ("en", "fr")
# A text, in each of the languages.
Translated = tuple[str, str]

_CONJUNCTIONS = {"and": ("and", "et"), "or": ("or", "ou")}


def translate(texts: Translated, lang: str) -> str:
    """Return a text in a language."""
    return texts[LANGUAGES.index(lang)]


def format_list(items: Sequence[object], lang: str = "en", last: str = "and") -> str:
    """Return a list such as "6", "6 and 7" or "8, 9 and 10"; `last` is "and" or "or"."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {translate(_CONJUNCTIONS[last], lang)} {texts[-1]}"


def format_number(value: float, lang: str = "en") -> str:
    """Return a score or komi in its shortest decimal form, without an exponent: 7.5, 3 or 0.1; in French 7,5."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    text = "0" if text in ("-0", "") else text
    return text.replace(".", ",") if lang == "fr" else text
