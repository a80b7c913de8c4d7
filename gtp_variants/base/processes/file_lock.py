"""A lock file that only one process at a time can hold."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from gtp_variants.errors import RecordError


@contextmanager
def hold_file(path: Path, patience_s: float = 0.0) -> Iterator[bool]:
    """Yield True if this process holds the lock file at a path while the context lasts, else False.

    The file is created if it does not exist, and stays empty. The lock is released when the process ends, in any way.
    `patience_s` is the time to wait for another holder to release it. Raises RecordError if the file cannot be locked
    at all.
    """
    with ExitStack() as opened:
        try:
            claim = opened.enter_context(closing(sqlite3.connect(path, timeout=patience_s, isolation_level=None)))
            # Use SQLite's lock, because it works on every system.
            claim.execute("BEGIN EXCLUSIVE")
            is_ours = True
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise RecordError(f"{path}: cannot be locked: {error}") from error
            is_ours = False
        yield is_ours
