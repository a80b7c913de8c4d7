"""The meaning of SGF files of other programs: size, komi, rules and times in the spellings of people and programs.

In FF[4], KM is in points and TM in seconds. But Fox writes hundredths, `KM[375]`; Chinese programs count a komi in zi,
`KM[3.75]`; and people write `6目半` or `1小时`. A function returns a value and, if it guessed, a `Caveat`.
"""

import re
from pathlib import Path

from gtp_variants.errors import RecordError
from gtp_variants.lang import load
from gtp_variants.records.katago_rules import read_rules_name
from gtp_variants.records.record import MAX_SECONDS, Caveat
from gtp_variants.records.sgf.results import read_points
from gtp_variants.records.sgf.syntax import Node
from gtp_variants.rules.languages import format_number

_SIZE = re.compile(r"\s*([1-9][0-9]?)\s*(?:[:xX×*]\s*([1-9][0-9]?)|路|줄)?\s*")
# No komi is as large as the first number: 65 means tenths, and other multiples of the second mean hundredths.
_NO_KOMI, _QUARTER = 50, 25
# Words before and after the amount of a komi: 黑贴3又3/4子, コミ6目半, 5目半コミ出し.
_KOMI_WORD = re.compile(
    r"^(?:[黑黒]?[贴貼]目?|コミ(?:出し)?|덤|komi)[\s:：]*|(?:\s*コミ(?:出し)?)?[\s;,.。]*$", re.IGNORECASE
)
_SIGNED = re.compile(r"([+-]?)(.*)", re.DOTALL)
_SECONDS = re.compile(r"\d{1,10}(\.\d{0,400})?", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):(\d\d)", re.ASCII)
_UNIT_OF = {
    unit: int(seconds)
    for seconds, units in load(Path(__file__).with_name("dialects.toml"))["seconds"].items()
    for unit in units.split()
}
_DURATION = re.compile(
    rf"(\d{{1,6}}(?:[.,]\d{{1,3}})?)\s*({'|'.join(sorted(_UNIT_OF, key=len, reverse=True))})(?![a-z])\.?\s*", re.ASCII
)
_EACH = re.compile(r"\b(each|per player|chacun|et|and)\b|各|每方|ずつ|각|,")


def first_value(node: Node, name: str) -> str | None:
    """Return the first value of a property without surrounding blanks, or None if it is empty."""
    values = node.get(name)
    return values[0].strip() or None if values else None


def size_of(root: Node) -> tuple[int, int]:
    """Return the width and height of the board from SZ, by default 19 each. Raises RecordError for other text."""
    text = first_value(root, "SZ") or "19"
    match = _SIZE.fullmatch(text)
    if match is None:
        raise RecordError(f"SZ[{text[:20]}]: expected a size such as 19 or 13:9")
    return int(match[1]), int(match[2] or match[1])


def komi_of(root: Node) -> tuple[str | None, Caveat | None]:
    """Return the komi in points as an option's text, an unreadable komi unchanged, or None without a komi.

    Old files have the komi in KO. Quarters are read as zi, which are two points each.
    """
    old = first_value(root, "KO")
    text = first_value(root, "KM") or (old if old and old.strip("0.") and _plain(old) is not None else None)
    if text is None:
        return None, None
    sign, amount = _SIGNED.fullmatch(_KOMI_WORD.sub("", text)).groups()  # type: ignore[union-attr]
    points = read_points(amount)
    if points is None:
        return text, None
    if points >= _NO_KOMI:
        scale = 10 if points < 100 and points % 10 == 5 else 100 if points % _QUARTER == 0 else 1
        points = read_points(format_number(points / scale)) or 0.0
    komi = format_number(-points if sign == "-" else points)
    is_as_written = _plain(text) in (None, float(komi))
    return komi, None if is_as_written else Caveat("komi", {"text": text[:20], "komi": komi})


def _plain(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def options_of(root: Node, has_sides: bool) -> dict[str, str]:
    """Return a file's size, komi and rules of Go as options. Raises RecordError if the size cannot be read.

    If `has_sides`, the size is a width and a height. Otherwise only a square board has a size.
    """
    width, height = size_of(root)
    size = (
        {"width": str(width), "height": str(height)} if has_sides else {"size": str(width)} if width == height else {}
    )
    komi, _ = komi_of(root)
    named = read_rules_name(first_value(root, "RU") or "")
    usual = {"repetition": "psk"}
    return {**size, **({} if komi is None else {"komi": komi}), **(usual if named is None else named)}


def seconds_of(text: str | None) -> float | None:
    """Return the seconds of a time such as 300, 1:30:00, 90 min or 1小时, or None for text that is not a time."""
    if not text:
        return None
    words = _EACH.sub(" ", text.casefold()).strip()
    if _SECONDS.fullmatch(text):
        seconds = float(text)
    elif clock := _CLOCK.fullmatch(words):
        seconds = 3600.0 * int(clock[1] or 0) + 60 * int(clock[2]) + int(clock[3])
    elif _DURATION.sub("", words).strip() or not words:
        return None
    else:
        seconds = sum(float(count.replace(",", ".")) * _UNIT_OF[unit] for count, unit in _DURATION.findall(words))
    return seconds if seconds <= MAX_SECONDS else None


def count_of(node: Node, name: str) -> int | None:
    """Return the first value of a property as a number, or None unless it is 1 to 4 of the digits 0 to 9."""
    text = first_value(node, name)
    return int(text) if text and re.fullmatch("[0-9]{1,4}", text) else None


def overtime_of(root: Node) -> str:
    """Return the time after the main time as in OT. Fox writes the periods into TC and their seconds into TT."""
    count, each = count_of(root, "TC"), count_of(root, "TT")
    return first_value(root, "OT") or (f"{count}x{each} byo-yomi" if count and each is not None else "")
