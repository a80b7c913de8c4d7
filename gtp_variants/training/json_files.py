"""Files of a training in JSON: what is damaged in them is told with the name of the file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError

Row = TypeVar("Row")


def read_object(raw: bytes) -> Json:
    """The JSON object in a text. Raises ValueError for anything else.

    The seed of a training may have more digits than `parse_object` takes from strangers.
    """
    try:
        found = json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(found, dict):
        raise ValueError("expected an object")
    return found


def read_lines(path: Path, make: Callable[[Json], Row]) -> list[Row]:
    """What `make` makes of each line of a file, an object of JSON; nothing of a file that is not there.

    Raises RecordError with the file and the line for what is no object, and where `make` raises ValueError.
    """
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else [], 1):
        try:
            rows.append(make(read_object(line)))
        except ValueError as error:
            raise RecordError(f"{path}, line {number}: {error}") from None
    return rows


def check_numbers(row: Json, *names: str) -> None:
    """Raise ValueError for the first of these that is missing in an object, or is no number."""
    for name in names:
        if isinstance(row.get(name), bool) or not isinstance(row.get(name), int | float):
            raise ValueError(f"{name}: {row.get(name)!r}, expected a number")
