"""One file of SQLite: opened for its user, upgraded from earlier versions, read, and written in transactions."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from gtp_variants.errors import ConfigError

# Seconds between two checkpoints: each copies the log of changes into the file, and then the log is written over.
_CHECKPOINT_S = 30.0
# A log of 400 MB, in pages. To begin one again keeps writers out until the disk has it, perhaps for a second.
_LONGEST_LOG = 100_000

# `shared` and `exclusive` write, the latter with no other program beside; `read` sees what others write; a `frozen`
# file is written by nobody, and nothing is written beside it.
Access = Literal["shared", "exclusive", "read", "frozen"]


class DatabaseError(OSError):
    """SQLite cannot do something: the disk is full, the file is damaged, or another program writes for too long.

    `reason` is what SQLite says of it.
    """

    def __init__(self, what: str, error: sqlite3.Error) -> None:
        super().__init__(f"{what}: {error}")
        self.reason = str(error)


class Database:
    """An open file that any thread may use. Its methods raise DatabaseError."""

    def __init__(self, path: Path | None, contents: str, access: Access = "shared", *, patience_s: float = 0.5) -> None:
        """Open a file; one that is written is made if need be, readable for its user only. None: keep all in memory.

        `contents` names in errors what cannot be read, such as "games". Another writer is waited for `patience_s`.
        Raises OSError.
        """
        self._path, self._contents, self._patience_s = path, contents, patience_s
        self._lock = threading.RLock()
        self._checkpoints: _Checkpoints | None = None
        is_writer = access in ("shared", "exclusive")
        if path is not None and is_writer:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        try:
            self._connection = self._connect(access)
        except sqlite3.Error as error:
            raise DatabaseError(f"{path}: cannot be used", error) from error
        try:
            if access == "exclusive":
                self._connection.execute("pragma locking_mode = exclusive")
            if is_writer:
                self._connection.execute("pragma journal_mode = wal")
                # What was written outlives the program at once. A computer that loses its power may lose the last
                # seconds: to wait for the disk at every move would keep all games waiting.
                self._connection.execute("pragma synchronous = normal")
        except sqlite3.Error as error:
            self._connection.close()
            hint = ", perhaps another server does" if access == "exclusive" else ""
            raise DatabaseError(f"{path}: cannot be used{hint}", error) from error

    def _connect(self, access: Access = "shared") -> sqlite3.Connection:
        address = ":memory:" if self._path is None else str(self._path)
        if self._path is not None and access in ("read", "frozen"):
            address = f"{self._path.absolute().as_uri()}?mode=ro{'&immutable=1' if access == 'frozen' else ''}"
        is_uri = address.startswith("file:")
        return sqlite3.connect(
            address, timeout=self._patience_s, isolation_level=None, check_same_thread=False, uri=is_uri
        )

    def close(self) -> None:
        """Let others use the file."""
        if self._checkpoints is not None:
            self._checkpoints.close()
        with self._lock:
            self._connection.close()

    def upgrade(self, version: int, scripts: Mapping[int, str]) -> None:
        """Bring the tables to a version with the script for the version they have, 0 for none; all of it or nothing.

        The file is closed on an error. Raises ConfigError for a version without a script.
        """
        try:
            ((found,),) = self._connection.execute("pragma user_version").fetchall()
            if found != version and found not in scripts:
                raise ConfigError([f"{self._path}: kept by another version of this program ({found})"])
            if found != version:
                self.run_script(f"begin;{scripts[found]}pragma user_version = {version};commit;")
        except sqlite3.Error as error:
            self.close()
            raise DatabaseError(f"{self._path}: cannot be used", error) from error
        except (ConfigError, DatabaseError):
            self.close()
            raise

    def run_script(self, script: str) -> None:
        """Carry out statements that return nothing."""
        try:
            with self._lock:
                self._connection.executescript(script)
        except sqlite3.Error as error:
            raise DatabaseError(f"{self._path}: cannot be used", error) from error

    def replace_damaged_letters(self) -> None:
        """Read U+FFFD for what is no UTF-8: one damaged line does not make those read with it unreadable."""
        self._connection.text_factory = lambda text: text.decode("utf-8", "replace")

    def checkpoint_in_background(self) -> None:
        """Copy the log of changes into the file in a thread: a slow disk then holds up no writer."""
        assert self._path is not None
        self._connection.execute("pragma wal_autocheckpoint = 0")
        self._checkpoints = _Checkpoints(self._connect)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows of a query."""
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise DatabaseError(f"{self._contents} cannot be read", error) from error

    @contextmanager
    def transaction(self, what: str) -> Iterator[sqlite3.Connection]:
        """Write all that is done in the context, or nothing of it; `what` names in an error what cannot be kept."""
        try:
            with self._lock:
                self._connection.execute("begin immediate")
                try:
                    yield self._connection
                    self._connection.execute("commit")
                finally:
                    # SQLite itself ends some transactions that fail.
                    if self._connection.in_transaction:
                        self._connection.execute("rollback")
        except sqlite3.Error as error:
            raise DatabaseError(f"{what} cannot be kept", error) from error

    def save_copy(self, path: Path) -> None:
        """Write what the open file holds to another one, also where the open one was deleted."""
        try:
            with self._lock:
                self._connection.execute("vacuum into ?", (str(path),))
        except sqlite3.Error as error:
            raise DatabaseError(f"{path}: cannot be written", error) from error


class _Checkpoints:
    """The thread that makes checkpoints, with a connection of its own."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop; the connection that is closed last makes the last checkpoint."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        connection = self._connect()
        try:
            while not self._end.wait(_CHECKPOINT_S):
                try:
                    _, pages, _ = connection.execute("pragma wal_checkpoint(passive)").fetchone()
                    if pages > _LONGEST_LOG:
                        connection.execute("pragma wal_checkpoint(restart)")
                except sqlite3.Error:
                    # A full disk, say; whoever writes will be told.
                    continue
        finally:
            connection.close()
