"""Decoding SGF files: by their declared encoding, or else by a guess, with bytes that nobody understands kept.

An undecodable byte becomes half of a surrogate pair (the error handler `surrogateescape`), so that it can be written
back. charset-normalizer measures how orderly a text looks in an encoding. It was made for documents; a record has a few
names, so its measure is corrected here by what is true of names in East Asian scripts.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from gtp_variants.errors import RecordError
from gtp_variants.records.record import Caveat, check_size

_CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.:+-]{1,40})\s*\]")
_HEAD_BYTES = 4096
# Encodings that are supersets of ASCII. SGF files do not use other encodings.
_CHARSETS = {
    *("utf-8", "ascii", "mac-roman", "cp437", "cp850", "cp866", "cp874", "koi8-r", "koi8-u"),
    *(f"iso8859-{part}" for part in range(1, 17)),
    *(f"cp125{page}" for page in range(9)),
    *("shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949", "johab"),
    *("gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950"),
}
# Encodings and the supersets of them that programs mean.
_MEANT = {"shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs"}
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Names of encodings that programs write, but Python does not know.
_ALIASES = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gbk", "x-euc-kr": "euc_kr", "unicode": "utf-8"}
# The encodings that are guessed, with the cost of each on the scale of charset-normalizer, where 0 is orderly and 1 is
# noise: of two that suit, the likelier one. Single bytes are Latin-1 by the definition of FF[4].
_GUESSED = {
    "gb18030": 0.0,
    "cp932": 0.02,
    "cp949": 0.04,
    "big5hkscs": 0.06,
    "euc_jp": 0.08,
    "cp1252": 0.1,
    "cp1251": 0.3,
    "koi8_r": 0.35,
}
# The cost of an unlikely feature.
_ODD = 0.3
_BYTES = re.compile("[\udc80-\udcff]")
# Words with letters other than ASCII, how many characters of them are measured, and how many are needed for that.
_WORDS = re.compile(r"[^\x00-\x1f \[\];()]*[^\x00-\x7f][^\x00-\x1f\[\];()]*")
_MEASURED, _LEAST = 1000, 200

# The form of an undamaged file. The second byte of a letter may look like a bracket in another encoding.
_WHOLE = re.compile(r"(?:[\s\ufeff();]|[A-Za-z0-9]+\s*+(?:\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]\s*+)*+)*+", re.DOTALL)
_KANA, _HALFWIDTH = re.compile("[\u3041-\u30fe]"), re.compile("[\uff61-\uff9f]")
# Ideographs that hardly any name has.
_RARE = re.compile("[\u3400-\u4dbf\ue000-\uf8ff\U00020000-\U0003ffff]")
_HANGUL, _IDEOGRAPHS = "[\uac00-\ud7a3]", "[\u4e00-\u9fff]"
# Two scripts in one word.
_MIXED = re.compile(f"(?:{_HANGUL}|[a-z]{{2}}){_IDEOGRAPHS}|{_IDEOGRAPHS}(?:{_HANGUL}|[a-z]{{2}})")


def decode(content: bytes) -> tuple[str, list[Caveat]]:
    """Return the text of an SGF file, and what was guessed. Raises RecordError for an unsupported encoding.

    An encoding that a file declares but does not have is guessed, too. What is pure ASCII needs none.
    """
    check_size(len(content))
    for mark, named in _MARKS.items():
        if content.startswith(mark):
            return _keep_bytes(content[len(mark) :], named)
    found = _CHARSET.search(content, 0, _HEAD_BYTES)
    if found is None:
        if content.isascii():
            return content.decode("ascii"), []
        return _guess(content, "utf-8", "")
    name = found[1].decode()
    try:
        charset = codecs.lookup(_ALIASES.get(name.lower(), name)).name
    except LookupError:
        charset = ""
    if charset not in _CHARSETS and content.isascii():
        return content.decode("ascii"), []
    if charset not in _CHARSETS:
        raise RecordError(f"CA[{name}]: unknown encoding")
    return _guess(content, charset, name)


def _guess(content: bytes, likely: str, declared: str) -> tuple[str, list[Caveat]]:
    """Return the text in the likely encoding if it can be decoded, or else in the one that suits best."""
    for charset in (likely, _MEANT.get(likely, likely)):
        with suppress(UnicodeDecodeError):
            return content.decode(charset), []
    text, kept = _keep_bytes(content, likely)
    best = min(_measure(content), default=None)
    if best is None or 2 * len(_BYTES.findall(text)) <= len(content) - len(content.decode("ascii", "ignore")):
        # No more than half of the bytes beyond ASCII are damaged.
        return text, kept
    key = "encoding_wrong" if declared else "encoding"
    return content.decode(best[1]), [Caveat(key, {"charset": best[1], "declared": declared})]


def _keep_bytes(content: bytes, charset: str) -> tuple[str, list[Caveat]]:
    """Return a text in which undecodable bytes are halves of surrogate pairs."""
    text = content.decode(charset, "replace" if charset.startswith("utf-16") else "surrogateescape")
    count = len(_BYTES.findall(text))
    return text, [Caveat("bytes", {"count": count, "charset": charset})] if count else []


def _measure(content: bytes) -> Iterator[tuple[float, str]]:
    """Yield how unlikely each encoding is in which a file can be decoded, and its name."""
    for charset, cost in _GUESSED.items():
        with suppress(UnicodeDecodeError):
            text = content.decode(charset)
            words = "\n".join(found[0] for found in islice(_WORDS.finditer(text), _MEASURED))[:_MEASURED]
            # A longer text is measured better, even if it says the same again.
            sample = f"{words}\n" * (1 + _LEAST // (len(words) + 1))
            disorder = _disorder(sample.encode(charset), charset)
            is_broken = _WHOLE.fullmatch(text) is None
            yield disorder + _ODD * (_count_oddities(words, charset) + is_broken) + cost, charset


def _disorder(sample: bytes, charset: str) -> float:
    """Return what charset-normalizer finds: noise less the share of letters that a language uses most."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        # The engine also runs with the standard library alone, and then guesses by the rest.
        return 0.0
    found = from_bytes(sample, cp_isolation=[charset], threshold=1.0, enable_fallback=False).best()
    return 1.0 if found is None else found.chaos - found.coherence


def _count_oddities(words: str, charset: str) -> int:
    """Return how many features words have that names in the script of their encoding do not have."""
    is_japanese = charset in ("cp932", "euc_jp")
    return sum(
        (
            _HALFWIDTH.search(words) is not None,
            not is_japanese and _KANA.search(words) is not None,
            _MIXED.search(words) is not None,
            _RARE.search(words) is not None,
        )
    )
