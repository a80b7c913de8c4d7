"""Ends of games that the user's hook has not been told yet: a file each, so that a kill in between loses none."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gtp_variants.records.files import write

# What a hook is told of an end: RESULT, RECORD, BLACK, WHITE.
Facts = dict[str, str]


class EndNotes:
    """The folder of notes, by the names of the records."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, facts: Mapping[str, str]) -> None:
        """Note an end. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(self._path(name), (json.dumps(dict(facts)) + "\n").encode())

    def delete(self, name: str) -> None:
        """The hook has been told."""
        self._path(name).unlink(missing_ok=True)

    def __iter__(self) -> Iterator[tuple[str, Facts]]:
        """The ends of earlier runs that are still to be told."""
        for path in sorted(self._folder.glob("*.json")):
            with suppress(OSError, ValueError, AttributeError):
                facts = json.loads(path.read_bytes())
                yield path.stem, {str(key): str(value) for key, value in facts.items()}

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
