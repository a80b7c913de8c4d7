"""Readers of values in configuration files: numbers, durations, time controls, choices, lists, commands, folders."""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from gtp_variants.base.config_files import SCALAR, FieldUnreadable, Node, Reader, either, quote, read_or
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.players.clock import TimeControl

DURATION_WORDS = "a duration such as 250ms, 30s, 1m30s or 10:00 (minutes and seconds)"
CONTROL_WORDS = (
    "none, or a time such as 10m (for the whole game), 30s+1s (more after each move), 10m+5x30s (five periods "
    "of byo-yomi) or 10m+5m/25 (five minutes for 25 stones)"
)

_UNITS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?) *(ms|s|sec|m|min|h)")
_PARTS = re.compile(rf"(?:{_PART.pattern} *)+")
_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d\d(?:\.\d+)?)")
_MOST_S = 1e7


def duration(text: str) -> float:
    """Convert a written duration to seconds. Raises ValueError with the expected form if it is invalid or too long."""
    seconds = _seconds(text.strip().lower())
    if seconds is None or seconds > _MOST_S:
        raise ValueError(f"expected {DURATION_WORDS}")
    return seconds


def _seconds(word: str) -> float | None:
    clock = _CLOCK.fullmatch(word)
    if clock is not None:
        return 3600.0 * int(clock[1] or 0) + 60.0 * int(clock[2]) + float(clock[3])
    if _PARTS.fullmatch(word):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(word))
    return 0.0 if word == "0" else None


def control(text: str) -> TimeControl:
    """Parse a written time control. Raises ValueError with the expected form if it is invalid."""
    word = text.strip().lower()
    if word == "none":
        return TimeControl()
    try:
        return _control(word)
    except ValueError:
        raise ValueError(f"expected {CONTROL_WORDS}") from None


def _control(word: str) -> TimeControl:
    main, plus, more = word.partition("+")
    main_s = duration(main)
    times, by, period = more.partition("x")
    share, per, stones = more.partition("/")
    if by:
        found = TimeControl("byoyomi", main_s, period_s=duration(period), periods=_count(times))
    elif per:
        found = TimeControl("canadian", main_s, period_s=duration(share), stones=_count(stones))
    elif plus:
        found = TimeControl("fischer", main_s, increment_s=duration(more))
    else:
        found = TimeControl("absolute", main_s)
    # Main time may be 0 if periods follow, because the first period then starts immediately.
    if (found.period_s if by or per else main_s) <= 0 or (plus and found.period_s + found.increment_s <= 0):
        raise ValueError(word)
    return found


def _count(text: str) -> int:
    if not text.strip().isdecimal() or not 0 < int(text) < 1000:
        raise ValueError(text)
    return int(text)


def control_text(control: TimeControl) -> str:
    """Return a time control in the notation of `control`, in seconds: 30s+1s."""
    main = f"{control.main_s:g}s"
    if control.kind == "fischer":
        return f"{main}+{control.increment_s:g}s"
    if control.kind == "byoyomi":
        return f"{main}+{control.periods}x{control.period_s:g}s"
    if control.kind == "canadian":
        return f"{main}+{control.period_s:g}s/{control.stones}"
    return main if control.kind == "absolute" else "none"


T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
_WHOLE = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})")
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def scalar(expected: str, parse: Callable[[str], T], words: Sequence[str] = (), schema: Json = SCALAR) -> Reader[T]:
    """Return a reader of values that `parse` converts. After a ValueError the reader suggests similar `words`."""

    def read(node: Node) -> T:
        word = node.text()
        try:
            return parse(word)
        except ValueError as error:
            near = get_close_matches(word, words, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            node.refuse(str(error) or f"expected {expected}, not {quote(word)}{hint}")

    return Reader(expected, read, schema=schema)


def choice(*words: str) -> Reader[str]:
    """Return a reader that accepts only these words."""
    # Editors that validate against the schema take digits for a number, so the schema allows numbers too.
    numbers = [int(word) for word in words if word.isdecimal()]
    schema = {"enum": [*words, *numbers]}

    def parse(word: str) -> str:
        if word not in words:
            raise ValueError
        return word

    return scalar(either(words), parse, words, schema)


def whole(low: int = 1, high: int | None = None) -> Reader[int]:
    """Return a reader of whole numbers from `low` to `high`, or without an upper bound."""

    def parse(word: str) -> int:
        if not _WHOLE.fullmatch(word) or int(word) < low:
            raise ValueError
        if high is not None and int(word) > high:
            raise ValueError(f"expected at most {high}, not {int(word)}")
        return int(word)

    schema = {"type": "integer", "minimum": low} | ({} if high is None else {"maximum": high})
    return scalar(f"a whole number of {low} or more", parse, schema=schema)


def number(above: float | None = None, below: float | None = None) -> Reader[float]:
    """Return a reader of decimal numbers greater than `above` and less than `below`, if given."""
    expected = "a number" if above is None else f"a number above {above:g}"
    if above is not None and below is not None:
        expected = f"a number between {above:g} and {below:g}"

    def parse(word: str) -> float:
        if not _NUMBER.fullmatch(word):
            raise ValueError(f"expected a number, not {quote(word)}")
        found = float(word)
        if (above is not None and found <= above) or (below is not None and found >= below):
            raise ValueError(f"expected {expected}, not {found:g}")
        return found

    bounds = {"exclusiveMinimum": above, "exclusiveMaximum": below}
    schema: Json = {"type": "number"} | {key: bound for key, bound in bounds.items() if bound is not None}
    return scalar(expected, parse, schema=schema)


def _name(word: str) -> str:
    if not _NAME.fullmatch(word):
        raise ValueError(f"{quote(word)}: expected letters, digits and . _ + - only, as files are named after it")
    return word


def _truth(word: str) -> bool:
    if word.lower() not in _TRUTH:
        raise ValueError
    return _TRUTH[word.lower()]


def _quoting(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Return a function that adds the offending word to the error message of `parse`."""

    def read(word: str) -> T:
        try:
            return parse(word)
        except ValueError as error:
            raise ValueError(f"{error}; not {quote(word)}") from None

    return read


TEXT = scalar("a string", str)
NAME = scalar("a name of letters, digits and . _ + -", _name)
TRUTH = replace(
    scalar("true or false", _truth, schema={"enum": [True, False, *_TRUTH]}), show=lambda claim: str(claim).lower()
)
DURATION = replace(scalar(DURATION_WORDS, _quoting(duration)), show=lambda seconds: f"{seconds:g}s")
CONTROL = replace(scalar(CONTROL_WORDS, _quoting(control)), show=control_text)


def or_none(reader: Reader[T]) -> Reader[T | None]:
    """Return a reader that also accepts `none`, or a missing value, as None."""

    def read(node: Node) -> T | None:
        return None if node.value in (None, "none") else reader.read(node)

    return Reader(f"{reader.expected}, or none", read, schema={"anyOf": [reader.schema, {"enum": [None, "none"]}]})


def list_of(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Return a reader of lists. A single item need not be in a list. Unreadable items are reported as faults."""

    def read(node: Node) -> tuple[T, ...]:
        return tuple(readable(reader, node.items()))

    schema = {"anyOf": [reader.schema, {"type": "array", "items": reader.schema}]}
    return Reader(f"a list, each {reader.expected}", read, schema=schema)


def readable(reader: Reader[T], nodes: Iterable[Node]) -> Iterator[T]:
    """Yield the values of the readable nodes, and report the others as faults."""
    for node in nodes:
        try:
            yield reader.read(node)
        except FieldUnreadable:
            continue


def _pairs(node: Node) -> dict[str, str]:
    if not isinstance(node.value, dict):
        node.refuse("expected a mapping")
    found = {str(key): read_or(TEXT, node.child(str(key), value), None) for key, value in node.value.items()}
    return {key: word for key, word in found.items() if word is not None}


def _folder(node: Node) -> Path:
    where = _file(node)
    if not where.is_dir():
        node.refuse(f"there is no folder {where}")
    return where


def _file(node: Node) -> Path:
    try:
        return (node.folder / user_path(node.text())).absolute()
    except NotationError as error:
        node.refuse(str(error))


def command(expected: str = "a program and its arguments") -> Reader[tuple[str, ...]]:
    """Return a reader of a program with its arguments, written as a list or as one shell-quoted text."""

    def read(node: Node) -> tuple[str, ...]:
        if isinstance(node.value, list):
            found = TEXTS.read(node)
        else:
            text = node.text()
            try:
                # On Windows a backslash separates folders, so it must not escape the next character.
                found = tuple(shlex.split(text.replace("\\", "\\\\") if os.name == "nt" else text))
            except ValueError as error:
                node.refuse(f"cannot be read: {error}")
        if not found or not found[0]:
            node.refuse(f"expected {expected}")
        return found

    return Reader(expected, read, schema=TEXTS.schema)


TEXTS = list_of(TEXT)
PAIRS = Reader("a mapping of texts", _pairs, schema={"type": "object", "additionalProperties": SCALAR})
FOLDER = Reader("a folder", _folder)
FILE = Reader("a file", _file)
PATHS = list_of(FILE)
