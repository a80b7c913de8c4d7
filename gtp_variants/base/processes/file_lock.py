"""Files that one process at a time holds, so that no two write into one place."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from gtp_variants.errors import RecordError


@contextmanager
def hold_file(path: Path, patience_s: float = 0.0) -> Iterator[bool]:
    """Whether this process alone holds the file at a path, as long as the context lasts.

    The file is made if need be, stays empty, and is let go of when the process ends, however it ends. Others are waited
    for so long. Raises RecordError where nobody can hold it.
    """
    with ExitStack() as opened:
        try:
            claim = opened.enter_context(closing(sqlite3.connect(path, timeout=patience_s, isolation_level=None)))
            # A lock of SQLite's own, on every system.
            claim.execute("BEGIN EXCLUSIVE")
            is_ours = True
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise RecordError(f"{path}: cannot be locked: {error}") from error
            is_ours = False
        yield is_ours
