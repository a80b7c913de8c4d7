"""JSON: the type of its objects, and a reader for JSON from strangers."""

import json
import re
from typing import Any

# A JSON object.
Json = dict[str, Any]

# Maximum number of digits, so that every number fits a float, a time or a length.
_LONGEST_NUMBER = 18
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str | bytes) -> object:
    """Return a JSON value. NaN, infinities and numbers with over 18 digits become None, and lone surrogates become `?`.

    Raises ValueError for a text that is not JSON or is nested too deep.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        found = json.loads(text, parse_constant=lambda word: None, parse_float=_read_float, parse_int=_read_int)
        return _complete(found) if _SURROGATE.search(text) else found
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_object(text: str | bytes) -> Json:
    """Return a JSON object, read as by `parse_json`. Raises ValueError for any other text."""
    found = parse_json(text)
    if not isinstance(found, dict):
        raise ValueError("expected an object")
    return found


def _read_float(word: str) -> float | None:
    number = float(word)
    return number if abs(number) < 10.0**_LONGEST_NUMBER else None


def _read_int(word: str) -> int | None:
    return int(word) if len(word) <= _LONGEST_NUMBER else None


def _complete(value: object) -> object:
    """Return a value without lone surrogates, which no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_complete(each) for each in value]
    if isinstance(value, dict):
        return {str(_complete(key)): _complete(each) for key, each in value.items()}
    return value
