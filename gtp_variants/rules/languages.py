"""The languages that games can use, and how each writes a sentence, a number or a list."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr")
# A text in each language, in the order of LANGUAGES.
Translated = tuple[str, str]

# A space before punctuation that ends a word, or inside quotation marks. No space of "type !help" or "a :4-1" matches.
_FRENCH_SPACE = re.compile(r"(?<=«) | (?=»|[:;!?%]+(?:[\s).,»\"*<]|$))")

_CONJUNCTIONS = {"and": ("and", "et"), "or": ("or", "ou")}


def sentence(subject: str, key: str, lang: str, /, **parts: object) -> str:
    """Return the sentence for a key in `SUBJECT.toml` beside this file, with its placeholders filled from `parts`."""
    return typeset(_sentences(subject)[key][lang], lang).format(**parts)


@cache
def _sentences(subject: str) -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name(f"{subject}.toml").read_text(encoding="utf-8"))


def translate(texts: Translated, lang: str) -> str:
    """Return a text in a language, typeset."""
    return typeset(texts[LANGUAGES.index(lang)], lang)


def typeset(text: str, lang: str) -> str:
    """Return a text with the non-breaking spaces that French has before `: ; ! ? %` and inside quotation marks."""
    return _FRENCH_SPACE.sub("\u00a0", text) if lang == "fr" else text


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
