"""Readers for a training run's JSON files. Errors of `read_lines` name the file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError

Row = TypeVar("Row")


def read_object(raw: bytes) -> Json:
    """Parse a JSON object. Raises ValueError if it is invalid. Long numbers such as seeds are allowed."""
    try:
        found = json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(found, dict):
        raise ValueError("expected an object")
    return found


def read_lines(path: Path, make: Callable[[Json], Row]) -> list[Row]:
    """Return `make` of the JSON object in each line, or [] without a file. Raises RecordError naming a faulty line."""
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else [], 1):
        try:
            rows.append(make(read_object(line)))
        except ValueError as error:
            raise RecordError(f"{path}, line {number}: {error}") from None
    return rows


def check_numbers(row: Json, *names: str) -> None:
    """Raise ValueError if one of these values in an object is missing or not a number."""
    for name in names:
        if isinstance(row.get(name), bool) or not isinstance(row.get(name), int | float):
            raise ValueError(f"{name}: {row.get(name)!r}, expected a number")
