"""One SQLite file, which only its owner can read: opening, upgrades from earlier versions, queries and transactions."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from gtp_variants.errors import ConfigError

# Seconds between two checkpoints. Each copies the write-ahead log into the file; the log is then overwritten.
_CHECKPOINT_S = 30.0
# Maximum pages in the log (400 MB) before it is restarted, which blocks writers for perhaps a second.
_LONGEST_LOG = 100_000

# `shared` can write. `read` sees what other programs write. A `frozen` file has no writer, and SQLite creates no files
# beside it.
Access = Literal["shared", "read", "frozen"]


class DatabaseError(OSError):
    """SQLite failed, such as on a full disk or while another program writes too long. `reason` is SQLite's message."""

    def __init__(self, what: str, error: sqlite3.Error) -> None:
        super().__init__(f"{what}: {error}")
        self.reason = str(error)


@contextmanager
def _explain_failure(what: str) -> Iterator[None]:
    """Raise DatabaseError about `what` if SQLite fails in the context."""
    try:
        yield
    except sqlite3.Error as error:
        raise DatabaseError(what, error) from error


def read_statements(path: Path) -> list[str]:
    """Return the statements of an SQL file. Each ends with a semicolon at the end of a line."""
    return path.read_text(encoding="utf-8").rstrip().removesuffix(";").split(";\n")


class Database:
    """An open database that any thread may use. Its methods raise DatabaseError if SQLite fails."""

    def __init__(self, path: Path | None, contents: str, access: Access = "shared", *, patience_s: float = 0.5) -> None:
        """Open a file, or a database in memory if the path is None. A file to be written is created if necessary.

        `contents`, such as "games", names the data in errors. `patience_s` is the time to wait for another writer.
        Raises OSError if the file cannot be opened.
        """
        self._path, self._contents, self._patience_s = path, contents, patience_s
        self._lock = threading.RLock()
        self._checkpoints: threading.Thread | None = None
        self._is_closing = threading.Event()
        if path is not None and access == "shared":
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with _explain_failure(f"{path}: cannot be used"):
            self._connection = self._connect(access)
            try:
                if access == "shared":
                    self._connection.execute("pragma journal_mode = wal")
                    # Do not wait for the disk at every move, because this would delay all games. Writes survive a crash
                    # of the program; a power failure may lose the last few seconds.
                    self._connection.execute("pragma synchronous = normal")
            except sqlite3.Error:
                self._connection.close()
                raise

    def _connect(self, access: Access = "shared") -> sqlite3.Connection:
        address = ":memory:" if self._path is None else str(self._path)
        if self._path is not None and access in ("read", "frozen"):
            address = f"{self._path.absolute().as_uri()}?mode=ro{'&immutable=1' if access == 'frozen' else ''}"
        is_uri = address.startswith("file:")
        return sqlite3.connect(
            address, timeout=self._patience_s, isolation_level=None, check_same_thread=False, uri=is_uri
        )

    def close(self) -> None:
        if self._checkpoints is not None:
            # SQLite makes the last checkpoint when the last connection is closed.
            self._is_closing.set()
            self._checkpoints.join()
        with self._lock:
            self._connection.close()

    def upgrade(self, version: int, scripts: Mapping[int, str]) -> None:
        """Upgrade the tables to `version` with the script for their present version, which is 0 without tables.

        If this fails, nothing is changed and the file is closed. Raises ConfigError for a version without a script.
        """
        try:
            with _explain_failure(f"{self._path}: cannot be used"):
                ((found,),) = self._connection.execute("pragma user_version").fetchall()
            if found != version and found not in scripts:
                raise ConfigError([f"{self._path}: saved by another version of this program ({found})"])
            if found != version:
                self.run_script(f"begin;{scripts[found]}pragma user_version = {version};commit;")
        except (ConfigError, DatabaseError):
            self.close()
            raise

    def run_script(self, script: str) -> None:
        with _explain_failure(f"{self._path}: cannot be used"), self._lock:
            self._connection.executescript(script)

    def replace_damaged_letters(self) -> None:
        """Replace bytes that are not UTF-8 by U+FFFD when reading, so that one damaged row does not hide the others."""
        self._connection.text_factory = lambda text: text.decode("utf-8", "replace")

    def checkpoint_in_background(self) -> None:
        """Start a thread that copies the write-ahead log into the file, so that a slow disk delays no writer.

        The thread has a connection of its own.
        """
        assert self._path is not None
        self._connection.execute("pragma wal_autocheckpoint = 0")
        self._checkpoints = threading.Thread(target=self._make_checkpoints, name="checkpoints", daemon=True)
        self._checkpoints.start()

    def _make_checkpoints(self) -> None:
        with closing(self._connect()) as connection:
            while not self._is_closing.wait(_CHECKPOINT_S):
                # Ignore errors such as a full disk, because the next writer gets the same error.
                with suppress(sqlite3.Error):
                    _, pages, _ = connection.execute("pragma wal_checkpoint(passive)").fetchone()
                    if pages > _LONGEST_LOG:
                        connection.execute("pragma wal_checkpoint(restart)")

    def rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        with _explain_failure(f"{self._contents} cannot be read"), self._lock:
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self, what: str) -> Iterator[sqlite3.Connection]:
        """Write everything done in the context. If that fails, write nothing and raise DatabaseError about `what`."""
        with _explain_failure(f"{what} cannot be saved"), self._lock:
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            finally:
                # Check first, because SQLite ends some failed transactions itself.
                if self._connection.in_transaction:
                    self._connection.execute("rollback")

    def write(self, what: str, statement: str, values: Sequence[object]) -> None:
        """Carry out one statement as a transaction."""
        with self.transaction(what) as connection:
            connection.execute(statement, values)

    def save_copy(self, path: Path) -> None:
        """Copy the open file, even if it has been deleted, to another file. Raises DatabaseError if that fails."""
        with _explain_failure(f"{path}: cannot be written"), self._lock:
            self._connection.execute("vacuum into ?", (str(path),))
