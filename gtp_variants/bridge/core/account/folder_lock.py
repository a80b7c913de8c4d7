"""One bridge at a time writes into a folder: two would overwrite each other's games, records and logs."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gtp_variants.errors import ConfigError

_NAME = ".lock"

# Whoever only looks holds the lock for a moment.
_PATIENCE_S = 2.0


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, made if need be, as long as the context lasts; the lock goes with the process, however it ends.

    Raises ConfigError where another bridge holds it, or nobody can.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        claim = sqlite3.connect(folder / _NAME, timeout=_PATIENCE_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise ConfigError([f"outputs.dir: {folder}: cannot be written to: {error}"]) from None
    with closing(claim):
        try:
            # A lock of SQLite's own, on every system.
            claim.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise ConfigError([f"outputs.dir: {folder}: cannot be locked: {error}"]) from None
            raise ConfigError([f"outputs.dir: {folder}: another bridge is at work in it"]) from None
        yield


def is_locked(folder: Path) -> bool:
    """Whether a bridge is at work in a folder."""
    if not (folder / _NAME).exists():
        return False
    with closing(sqlite3.connect(folder / _NAME, timeout=0, isolation_level=None)) as claim:
        try:
            claim.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            return "locked" in str(error)
    return False
