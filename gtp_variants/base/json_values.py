"""JSON: the type of its objects, and how what strangers send is read."""

import json
import re
from typing import Any

# As objects are written, and as they are read once somebody has checked what they hold.
Json = dict[str, Any]

# No number that anybody means is longer, and each fits a float, a time and a length.
_LONGEST_NUMBER = 18
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str | bytes) -> object:
    """What a stranger sent: a number that is not finite, or has over 18 digits, is None; halves of surrogates are `?`.

    Raises ValueError for what is no JSON, or nested too deep.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        found = json.loads(text, parse_constant=lambda word: None, parse_float=_read_float, parse_int=_read_int)
        return _complete(found) if _SURROGATE.search(text) else found
    except RecursionError:
        raise ValueError("nested too deep") from None


def parse_object(text: str | bytes) -> Json:
    """The object a stranger sent, read as `parse_json` does. Raises ValueError also for what is no object."""
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
    """A value whose texts can be written to files, which hold no half of a surrogate pair."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_complete(each) for each in value]
    if isinstance(value, dict):
        return {str(_complete(key)): _complete(each) for key, each in value.items()}
    return value
