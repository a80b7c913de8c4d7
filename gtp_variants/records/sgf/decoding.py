"""Decoding SGF files: by their declared encoding, or else by a guess. Bytes that cannot be decoded are kept.

An undecodable byte becomes half of a surrogate pair (the error handler `surrogateescape`), so that it can be written
back. charset-normalizer measures how orderly a text looks in an encoding. It was made for documents; a record has a few
names, so its measure is corrected here by features of names in East Asian scripts.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from gtp_variants.lang import load
from gtp_variants.records.record import Caveat, check_size

_CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.:+-]{1,40})\s*\]")
_HEAD_BYTES = 4096
_DIALECTS = load(Path(__file__).with_name("dialects.toml"))
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# The start of a file in UTF-16 without a mark.
_UNMARKED = re.compile(rb"(?:[^\x00]\x00)*?\(\x00|(?P<big>(?:\x00[^\x00])*?\x00\()")
# Encodings in which ASCII characters switch between alphabets, so that a text of ASCII may be no text.
_SHIFTED = ("hz", "iso2022_jp")
# The cost of an unlikely feature.
_ODD = 0.3
_FREQUENT = {charset: frozenset(letters) for charset, letters in _DIALECTS["frequent"].items()}
_BYTES = re.compile("[\udc80-\udcff]")
# Words with letters beyond ASCII, and the maximum and minimum number of their characters to measure. Only the start of
# a word is tried, so that a long one takes linear time.
_WORDS = re.compile(r"(?<![^\x00-\x20\[\];()])[^\x00-\x20\[\];()\x80-\U0010ffff]*+[^\x00-\x7f][^\x00-\x1f\[\];()]*")
_MEASURED, _LEAST = 1000, 200

# The form of an undamaged file. In a wrong encoding, the second byte of a letter may look like a bracket.
_WHOLE = re.compile(r"(?:[\s\ufeff();]|[A-Za-z0-9]+\s*+(?:\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]\s*+)*+)*+", re.DOTALL)
# The first byte of the rarer ideographs in most encodings.
_RARE = 0xD8
_CYRILLIC = re.compile("[А-ЯЁ][а-яё]+")
_KANA, _HANGUL, _IDEOGRAPH = re.compile("[\u3041-\u30fe]"), "[\uac00-\ud7a3]", "[\u4e00-\u9fff]"
# Features that hardly any name has: kana of half width, rare ideographs, and two scripts in one word.
_UNLIKELY = (
    re.compile("[\uff61-\uff9f\u3400-\u4dbf\ue000-\uf8ff\U00020000-\U0003ffff]"),
    re.compile(f"(?:{_HANGUL}|[a-z]{{2}}){_IDEOGRAPH}|{_IDEOGRAPH}(?:{_HANGUL}|[a-z]{{2}})"),
)


def decode(content: bytes) -> tuple[str, list[Caveat]]:
    """Return the text of an SGF file, and what was guessed. Raises RecordError for too many bytes.

    The encoding is guessed, too, if the declared encoding is wrong or unknown. Pure ASCII may declare any encoding.
    """
    check_size(len(content))
    for mark, named in _MARKS.items():
        if content.startswith(mark):
            return _keep_bytes(content[len(mark) :], named)
    if unmarked := _UNMARKED.match(content):
        named = "utf-16-be" if unmarked["big"] else "utf-16-le"
        text, kept = _keep_bytes(content, named)
        is_declared = "CA[UTF-16" in text[:_HEAD_BYTES].upper()
        return text, kept if is_declared else [Caveat("encoding", {"charset": named}), *kept]
    found = _CHARSET.search(content, 0, _HEAD_BYTES)
    if found is None:
        return _guess(content, "utf-8", "")
    name = found[1].decode()
    try:
        charset = codecs.lookup(_DIALECTS["alias"].get(name.lower(), name)).name
    except LookupError:
        charset = ""
    return _guess(content, charset if charset in _DIALECTS["charsets"].split() else "ascii", name)


def _guess(content: bytes, likely: str, declared: str) -> tuple[str, list[Caveat]]:
    """Return the text in the likely encoding if it can be decoded, or else in the encoding that suits best."""
    meant = _DIALECTS["meant"].get(likely, likely)
    for charset in (*["utf-8"] * _is_utf8(content, likely), likely, meant, "ascii"):
        with suppress(UnicodeDecodeError):
            wrong = {"charset": charset, "declared": declared}
            return content.decode(charset), [] if charset in (likely, meant) else [Caveat("encoding_wrong", wrong)]
    text, kept = _keep_bytes(content, "ascii" if likely in _SHIFTED else likely)
    best = min(_measure(content), default=None)
    # Letters of two bytes are weak evidence of UTF-8, because a letter of GBK may look like one.
    sound = sum(3 if letter > "\u07ff" else 1 for letter in _BYTES.sub("", text) if letter > "\x7f")
    if best is None or len(_BYTES.findall(text)) <= sound:
        return text, kept
    key = "encoding_wrong" if declared else "encoding"
    return content.decode(best[1]), [Caveat(key, {"charset": best[1], "declared": declared})]


def _is_utf8(content: bytes, declared: str) -> bool:
    """Return True for UTF-8 that is hardly text of the declared encoding: pairs of bytes may be letters of either."""
    has_pairs = len(b"\xb0\xa1".decode(declared, "replace")) == 1
    with suppress(UnicodeDecodeError):
        return re.search("[^\x00-\u07ff]" if has_pairs else "[^\x00-\x7f]", content.decode()) is not None
    return False


def _keep_bytes(content: bytes, charset: str) -> tuple[str, list[Caveat]]:
    """Return a text in which undecodable bytes are halves of surrogate pairs, or U+FFFD in UTF-16."""
    text = content.decode(charset, "replace" if charset.startswith("utf-16") else "surrogateescape")
    count = len(_BYTES.findall(text))
    return text, [Caveat("bytes", {"count": count, "charset": charset})] if count else []


def _measure(content: bytes) -> Iterator[tuple[float, str]]:
    """Yield the cost and the name of each encoding that can decode a file. The lowest cost is the likeliest."""
    for charset, cost in _DIALECTS["guessed"].items():
        with suppress(UnicodeDecodeError):
            text = content.decode(charset)
            words = "\n".join(found[0] for found in islice(_WORDS.finditer(text), _MEASURED))[:_MEASURED]
            # Repeat a short text, because longer texts are measured better.
            sample = f"{words}\n" * (1 + _LEAST // (len(words) + 1))
            disorder = _disorder(sample.encode(charset), charset)
            is_broken = _WHOLE.fullmatch(text) is None
            # A name of frequent letters is the strongest evidence.
            odd = _count_oddities(words, charset) + is_broken - 2 * _share_of_frequent(words, charset)
            yield disorder + _ODD * odd + cost, charset


def _disorder(sample: bytes, charset: str) -> float:
    """Return charset-normalizer's measure of a sample: noise less the share of usual letters; 0 without the package."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        # Without this package, which the engine does not require, guess by the other features.
        return 0.0
    found = from_bytes(sample, cp_isolation=[charset], threshold=1.0, enable_fallback=False).best()
    return 1.0 if found is None else found.chaos - found.coherence


def _share_of_frequent(words: str, charset: str) -> float:
    """Return which part of the letters is frequent in names, 0 to 1; Cyrillic names have one capital."""
    letters = [letter for letter in words if letter > "\x7f"]
    if charset in ("cp1251", "koi8_r"):
        names = [word for word in re.findall(r"[^\W\d_]+", words) if not word.isascii()]
        return float(bool(names) and all(map(_CYRILLIC.fullmatch, names)))
    frequent = _FREQUENT.get("cp932" if charset == "euc_jp" else charset, "")
    return sum(letter in frequent for letter in letters) / max(1, len(letters))


def _count_oddities(words: str, charset: str) -> int:
    """Return how many kinds of features the words have that are unlikely in names in this encoding."""
    signs = [*_UNLIKELY, *([] if charset in ("cp932", "euc_jp") else [_KANA])]
    # East Asian encodings have the common letters in an older, smaller set, and the rarer ideographs behind the others.
    small: str = next((name for name, large in _DIALECTS["meant"].items() if large == charset), charset)
    is_beyond = words.encode(small, "ignore") != words.encode(charset)
    ideographs: list[str] = re.findall(_IDEOGRAPH, words)
    is_rare = 2 * sum(letter.encode(charset)[0] >= _RARE for letter in ideographs) > len(ideographs)
    return sum(sign.search(words) is not None for sign in signs) + is_beyond + is_rare
