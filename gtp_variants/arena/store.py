"""The store of a match: one SQLite file with a transaction per game, and beside it one file of samples per game.

A match that was interrupted in any way continues from its store. The process that plays the match locks a `.lock` file.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from sqlite3 import Connection
from typing import Any

from gtp_variants.ai.samples.formats import FORMATS as SAMPLE_FORMATS
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import without_folders
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.base.database import Database, DatabaseError
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.errors import RecordError
from gtp_variants.records.files import write

FORMAT = "1"

# Maximum seconds that a writer waits for another writer.
_PATIENCE_S = 30.0
_TABLES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
_COLUMNS = tuple(each.name for each in fields(ResultRow))
_AS_JSON = ("players", "failures", "left", "thought_s", "slowest_s", "parameters")
# Columns that stores written by earlier versions lack.
_LATER = {"parameters": "TEXT NOT NULL DEFAULT '{}'"}
# Values of settings in matches that were begun before these settings were stored.
_BEFORE_THEY_WERE_KEPT = {"dice": "shared"}
# Parts of a player's identity that are known only on a machine that can start the player.
_FOUND_OUT = ("version", "files")
_ADD = f"INSERT OR IGNORE INTO games ({', '.join(_COLUMNS)}, record) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"
_ADD_SETTINGS = "INSERT OR IGNORE INTO matchups VALUES (?, ?)"
# A match that already has games was begun earlier, at an unknown time.
_ADD_BEGUN = "INSERT OR IGNORE INTO about SELECT 'begun', ? WHERE NOT EXISTS (SELECT 1 FROM games)"
# Suffix of the sample file of a game that is not yet in the store.
_WAITING = ".waiting"


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that has changed since a matchup's games were stored. `player` is set for a player's setting."""

    matchup: str
    about: str
    was: object
    now: object
    player: str | None = None

    def __str__(self) -> str:
        return f"{self.matchup}: {self.about} was {_format_value(self.was)}, is now {_format_value(self.now)}"


class _StoreFile:
    """The SQLite file of a match, created by the first write. A read-only file can still be read.

    Raises RecordError, with the file's name, if SQLite cannot use it, and OSError if it cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database: Database | None = None
        # Identifies the open file, even if another file has taken its path.
        self._place: tuple[int, int] | None = None

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> Database:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # `Database` makes the file private, because the seed reveals the dice.
            self._database = Database(self.path, str(self.path), patience_s=_PATIENCE_S)
            self._place = _place_of(self.path)
            self._database.run_script(_TABLES)
            self.write_note("format", FORMAT, keep=True)
            self._expect_format()
            for column in set(_COLUMNS) - set(self.columns()):
                self._database.run_script(f"ALTER TABLE games ADD COLUMN {column} {_LATER[column]}")
        return self._database

    def _open_to_read(self) -> Database:
        if self._database is None:
            # Without a write-ahead log beside it, the file is complete, so nothing else need be read.
            is_whole = not self.path.with_name(f"{self.path.name}-wal").exists()
            self._database = Database(self.path, str(self.path), "frozen" if is_whole else "read")
            self._expect_format()
        return self._database

    def _expect_format(self) -> None:
        if (found := self.read_note("format")) != FORMAT:
            raise RecordError(f"{self.path}: expected format {FORMAT}, got {found}; another version wrote it")

    def columns(self) -> list[str]:
        """Return the columns of the file's table of games."""
        here = {str(each[1]) for each in self.read("PRAGMA table_info(games)")}
        return [column for column in _COLUMNS if column in here]

    def read(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows that a query finds; [] if there is no file yet."""
        if self._database is None and not self.path.is_file():
            return []
        is_writable = os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)
        try:
            database = self._open() if is_writable else self._open_to_read()
            return database.rows(query, values)
        except DatabaseError as error:
            raise RecordError(f"{self.path}: cannot be read: {error.reason}") from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection. Either everything done with the connection is written, or nothing."""
        try:
            with self._open().transaction(str(self.path)) as connection:
                yield connection
        except DatabaseError as error:
            raise RecordError(f"{self.path}: cannot be written: {error.reason}") from error

    def write_note(self, key: str, value: str, keep: bool = False) -> None:
        """Store a value under a key; with `keep` an earlier value stays."""
        verb = "INSERT OR IGNORE" if keep else "INSERT OR REPLACE"
        with self.transaction() as connection:
            connection.execute(f"{verb} INTO about VALUES (?, ?)", (key, value))

    def read_note(self, key: str) -> str:
        """Return the value stored under a key, or "" if nothing is stored."""
        rows = self.read("SELECT value FROM about WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def expect_in_place(self) -> None:
        """Raise RecordError if the file has been deleted or replaced since it was opened, after saving a copy of it."""
        if self._database is None or self._place == _place_of(self.path):
            return
        target = self.path.with_name(f"{self.path.name}.rescued")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.touch(mode=0o600)
        about = f"{self.path}: was deleted or replaced while the match was played"
        try:
            self._database.save_copy(target)
        except DatabaseError as error:
            raise RecordError(f"{about}, and its games are lost: {error.reason}") from error
        raise RecordError(f"{about}; all its games but the last are in {target}: move it back to continue")


class MatchStore(AbstractContextManager["MatchStore"]):
    """The stored games of a match, and their settings. Raises the same errors as `_StoreFile`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _StoreFile(path)

    def __exit__(self, *about: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def rows(self) -> dict[str, ResultRow]:
        """Return every finished game by its id."""
        found = {}
        columns = self._file.columns() or _COLUMNS
        for values in self._file.read(f"SELECT {', '.join(columns)} FROM games"):
            row = _row(dict(zip(columns, values, strict=True)), self.path)
            found[row.id] = row
        return found

    def add(self, game: FinishedGame) -> bool:
        """Store a finished game. Return False if it has already been stored; then the earlier game stays.

        Raises RecordError if the file has been deleted since it was opened; its games are then saved in a new file.
        """
        self._file.expect_in_place()
        with self._file.transaction() as connection:
            return connection.execute(_ADD, _values(game)).rowcount > 0

    def record(self, id: str) -> str:
        """Return the record of a game as text. Raises RecordError if there is no such game."""
        rows = self._file.read("SELECT record FROM games WHERE id = ?", (id,))
        if not rows:
            raise RecordError(f"{self.path}: there is no game {id}")
        return str(rows[0][0])

    def records(self) -> Iterator[tuple[str, str]]:
        """Yield the id and record of every game, ordered by id."""
        for (id,) in self._file.read("SELECT id FROM games ORDER BY id"):
            yield id, self.record(id)

    def settings(self) -> dict[str, Json]:
        """Return, by matchup id, the settings with which each matchup's games were played."""
        try:
            kept = self._file.read("SELECT id, settings FROM matchups")
            return {id: {**_BEFORE_THEY_WERE_KEPT, **json.loads(text)} for id, text in kept}
        except ValueError:
            raise RecordError(f"{self.path}: cannot be read") from None

    def changes(self, config: MatchConfig) -> list[Change]:
        """Return the differences between a match's settings and the settings of its stored games."""
        kept = self.settings()
        return [
            change
            for matchup in config.matchups
            if matchup.id in kept
            # Convert to JSON and back, as happened to the stored settings.
            for change in _changes(matchup.id, kept[matchup.id], json.loads(json.dumps(config.settings(matchup))))
        ]

    def begin(self, config: MatchConfig, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Store the start time, unless it is known, and the settings of new matchups. Clear any old request to stop."""
        kept = [(each.id, json.dumps(config.settings(each), ensure_ascii=False)) for each in config.matchups]
        with self._file.transaction() as connection:
            connection.executemany(_ADD_SETTINGS, kept)
            connection.execute(_ADD_BEGUN, (now().isoformat(timespec="seconds"),))
            connection.execute("DELETE FROM about WHERE key = 'stop'")

    @property
    def begun(self) -> datetime:
        """The time at which the match was begun or, if that is unknown, the time of the last write."""
        known = self._file.read_note("begun")
        return datetime.fromisoformat(known) if known else datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def dice(self) -> str:
        """Return the dice with which the match was begun, one of `match_config.DICE`; "" if it has not been begun."""
        return next((str(settings["dice"]) for settings in self.settings().values()), "")

    def seed(self) -> str:
        """Return the match's own seed, 32 random bytes in hex, or "" before it is made."""
        return self._file.read_note("seed")

    def make_seed(self) -> str:
        """Return the match's own seed, made now if it is missing. Keep it private, because it reveals the dice."""
        self._file.write_note("seed", token_hex(32), keep=True)
        return self.seed()

    def merge(self, other: "MatchStore") -> tuple[int, int, int]:
        """Copy another store's games. Return the numbers of new games, known games, and known games that differ.

        Raises RecordError if the games were played with other settings or another seed.
        """
        ours, theirs = self.settings(), other.settings()
        for id, settings in theirs.items():
            for change in _changes(id, ours.get(id, settings), settings):
                raise RecordError(f"{other.path}: played with other settings: {change}")
        if self.seed() and other.seed() and self.seed() != other.seed():
            raise RecordError(f"{other.path}: belongs to another match: its seed differs")
        rows, known = other.rows(), self.rows()
        fresh = [id for id in rows if id not in known]
        kept = [(id, json.dumps(settings, ensure_ascii=False)) for id, settings in theirs.items()]
        with self._file.transaction() as connection:
            connection.executemany(_ADD_SETTINGS, kept)
            connection.executemany(_ADD, (_values(FinishedGame(rows[id], other.record(id))) for id in fresh))
        otherwise = sum(known[id].fingerprint != row.fingerprint for id, row in rows.items() if id in known)
        return len(fresh), len(rows) - len(fresh), otherwise

    def forget(self, player: str | None = None) -> int:
        """Delete the games of one player, or all games; return the number of deleted games."""
        if not self.path.is_file():
            return 0
        gone = [row.id for row in self.rows().values() if player is None or player in row.players]
        matchups = [id for id, settings in self.settings().items() if player is None or player in settings["players"]]
        with self._file.transaction() as connection:
            connection.executemany("DELETE FROM games WHERE id = ?", [(id,) for id in gone])
            connection.executemany("DELETE FROM matchups WHERE id = ?", [(id,) for id in matchups])
        return len(gone)

    def delete(self) -> None:
        """Delete the file."""
        self.close()
        for ending in ("", "-wal", "-shm", ".lock"):
            with suppress(OSError):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    def ask_to_stop(self) -> None:
        """Ask the process that plays the match to stop after the games in progress."""
        self._file.write_note("stop", "1")

    @property
    def is_asked_to_stop(self) -> bool:
        """True if a stop was requested."""
        return bool(self._file.read_note("stop"))

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Yield True if no other process is working on the match. However this process ends, its lock is released."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with hold_file(self.path.with_name(self.path.name + ".lock")) as is_ours:
            yield is_ours


class SampleFiles:
    """The sample files of a match, one for each stored game.

    A file is written under a temporary name before its game is stored, and gets its final name afterwards. If the
    process is killed in between, the next run checks whether the store has the game. If so, the file is renamed;
    otherwise it is deleted and the game replayed.
    """

    def __init__(self, config: MatchConfig) -> None:
        self.folder = config.store_file.with_suffix(".samples")
        self._format = config.outputs.export

    def settle(self, kept: Collection[str]) -> None:
        """Rename an earlier run's waiting files if the store has `kept` their games; delete the other files."""
        for file in sorted(self.folder.rglob(f"*{_WAITING}")):
            name = file.with_name(file.name.removesuffix(_WAITING))
            if name.with_suffix("").relative_to(self.folder).as_posix() in kept:
                file.replace(name)
            else:
                file.unlink()

    def prepare(self, game: FinishedGame) -> None:
        """Write the sample file of a game that is not stored yet, if the game has samples."""
        if game.samples:
            target = self._waiting(game.row.id)
            target.parent.mkdir(parents=True, exist_ok=True)
            write(target, game.samples)

    def publish(self, game: FinishedGame) -> None:
        """Give the sample file of a stored game its final name."""
        if game.samples:
            waiting = self._waiting(game.row.id)
            waiting.replace(waiting.with_name(waiting.name.removesuffix(_WAITING)))

    def discard(self, game: FinishedGame) -> None:
        """Delete the waiting file of a game that was already in the store."""
        self._waiting(game.row.id).unlink(missing_ok=True)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete the files of these games, and folders that this leaves empty."""
        folders = {self.folder}
        for id in ids:
            for form in SAMPLE_FORMATS:
                (self.folder / f"{id}.{form}").unlink(missing_ok=True)
            folders.add((self.folder / id).parent)
        for folder in sorted(folders, reverse=True):
            with suppress(OSError):
                folder.rmdir()

    def _waiting(self, id: str) -> Path:
        return self.folder / f"{id}.{self._format}{_WAITING}"


def _place_of(path: Path) -> tuple[int, int] | None:
    """Return numbers that identify a file on this machine; None if there is no file."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _values(game: FinishedGame) -> list[object]:
    values = asdict(game.row)
    for key in _AS_JSON:
        values[key] = json.dumps(values[key], ensure_ascii=False)
    return [*values.values(), game.sgf]


def _row(values: Json, path: Path) -> ResultRow:
    try:
        for key in _AS_JSON:
            values[key] = json.loads(values.get(key, "{}"))
        values["failures"] = tuple((str(player), str(kind), str(why)) for player, kind, why in values["failures"])
        values["players"], values["left"] = tuple(values["players"]), tuple(values["left"])
        return ResultRow(**values)
    except (ValueError, TypeError, KeyError):
        raise RecordError(f"{path}: game {values.get('id')} cannot be read") from None


def _changes(matchup: str, was: Json, now: Json) -> Iterator[Change]:
    for key in now:
        if key != "players" and was.get(key) != now[key]:
            before, after = was.get(key), now[key]
            if key == "variant":
                before, after = _differing(str(before), str(after))
            yield Change(matchup, key, before, after)
    before, after = was.get("players", {}), now["players"]
    if list(before) != list(after):
        yield Change(matchup, "players", ", ".join(before), ", ".join(after))
        return
    for player, identity in after.items():
        earlier = before[player]
        if "bot" in earlier:
            # Earlier stores include the folders of files, which must not count as a change.
            earlier = {**earlier, "bot": without_folders(earlier["bot"])}
        for key in identity:
            # The player could not be started on one of the machines, so this part is unknown there.
            if key in _FOUND_OUT and not (earlier.get(key) and identity[key]):
                continue
            if earlier.get(key) != identity[key]:
                yield Change(matchup, f"{player}'s {key}", earlier.get(key), identity[key], player)


def _differing(was: str, now: str) -> tuple[str, str]:
    """Return two SPECs without the options that they have in common, or only the names of two different games."""
    (game, _, before), (other, _, after) = was.partition(":"), now.partition(":")
    if game != other:
        return game, other
    olds, news = before.split(","), after.split(",")
    gone, new = ([word for word in one if word not in two] for one, two in ((olds, news), (news, olds)))
    return f"{game}:{','.join(gone)}", f"{game}:{','.join(new)}"


def _format_value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_format_value(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "missing" if value is None else str(value) or "none"
