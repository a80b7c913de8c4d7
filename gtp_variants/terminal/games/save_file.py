"""Saved games: files written after every event, so that nothing is lost if the terminal is killed.

A saved game is a journal (`records/journal.py`) that only its owner can read, because it contains the secret of the
dice, or in Go Fantôme the hidden stones. After the game, its record is stored in the folder of finished games.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import IO

from gtp_variants.base.folders import state_folder, user_path
from gtp_variants.errors import RecordError
from gtp_variants.lang import RequestRefused, say
from gtp_variants.players.hosted_game import HostedGame, HostPolicy
from gtp_variants.records.files import write
from gtp_variants.records.journal import JournalFile, read_journal
from gtp_variants.records.json import to_json
from gtp_variants.records.record import Record

PLAY, REFEREE = "play", "referee"
# The person at the keyboard answers requests for all people who play there.
POLICY = HostPolicy(one_speaks_for_all=True)

_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700


class GamesFolder:
    """This user's folders: `games` for unfinished games, and `finished` for the records of finished games."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = state_folder() if folder is None else folder
        self.games = folder / "games"
        self.finished = folder / "finished"

    def new(self, name: str) -> "SaveFile":
        """Return a file for a new game. Raises OSError if the file cannot be created."""
        folders = (self.games, self.finished)
        for folder in folders:
            folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        base = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
        names = (f"{base}-{number}.json" if number > 1 else f"{base}.json" for number in count(1))
        free = (each for each in names if not any((folder / each).exists() for folder in folders))
        return next(file for each in free if (file := self.open(self.games / each)) is not None)

    def open(self, path: Path) -> "SaveFile | None":
        """Return the file of a saved game, or None while another process is playing the game."""
        lock = path.with_suffix(".lock").open("ab")
        if _lock(lock):
            return SaveFile(self, path, lock)
        lock.close()
        return None

    def paths(self, kind: str) -> Sequence[Path]:
        """Return the files of the readable saved games of a kind, the latest first."""
        found = [path for path in self.games.glob("*.json") if not path.name.startswith(".")]
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [path for path in found if _kind(path) == kind]


class SaveFile:
    """The file of one saved game. No other process can play the game until this process ends or releases the game."""

    def __init__(self, folder: GamesFolder, path: Path, lock: IO[bytes]) -> None:
        self.folder = folder
        self.path = path
        self._journal = JournalFile(path)
        self._lock = lock

    def load(self) -> HostedGame:
        """Return the game as last written. Raises RecordError, which names the file, or OSError."""
        return _read(self._journal)

    def write(self, game: HostedGame) -> None:
        """Append the new lines of the game. Raises OSError if the file cannot be written."""
        self._journal.write(game.lines)

    def finish(self, record: Record) -> Path:
        """Store the record with finished games, delete this file, return the new path. Raises OSError if that fails."""
        target = self.folder.finished / self.path.name
        write(target, to_json(record).encode() + b"\n", _PRIVATE)
        self.path.unlink(missing_ok=True)
        self.release()
        return target

    def release(self) -> None:
        """Release the game, so that other processes can continue it."""
        self._lock.close()
        if not self.path.exists():
            # The lock file stays while the saved game exists, and is deleted afterwards.
            with suppress(OSError):
                self.path.with_suffix(".lock").unlink()


def load(path: Path) -> HostedGame:
    """Return the saved game in a file. Raises RecordError, which names the file, or OSError."""
    return _read(JournalFile(path))


def is_save_file(path: Path) -> bool:
    """Return True if a file is a saved game and not a record. Raises OSError if it cannot be read."""
    with path.open("rb") as file:
        return b'"gtp-variants-' in file.read(100)


def _read(file: JournalFile) -> HostedGame:
    try:
        game = HostedGame(read_journal(file.load()), POLICY)
        if not game.people:
            raise RecordError("seats: expected a colour that a person plays")
        if game.notes.get("kind") not in (PLAY, REFEREE) or game.record.secret is None:
            raise RecordError("kind or secret: missing or wrong")
    except RecordError as error:
        raise RecordError(f"{file.path}: {error}") from error
    return game


def _kind(path: Path) -> str:
    try:
        return str(load(path).notes["kind"])
    except (OSError, RecordError):
        return ""


def _lock(file: IO[bytes]) -> bool:
    """Lock a file until the process ends. Return False if another process has the lock."""
    try:
        import fcntl
    except ImportError:  # Windows does not have this lock
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def resume(folder: GamesFolder, kind: str, asked: str) -> tuple[SaveFile, HostedGame]:
    """Open a saved game by name or file, or for "" the latest idle game. Raises RequestRefused if none is available."""
    if asked:
        path = user_path(asked)
        if not path.is_file():
            path = folder.games / f"{Path(asked).name.removesuffix('.json')}.json"
        if not path.is_file():
            raise RequestRefused("terminal.not_kept_game", asked=repr(asked), folder=folder.games)
        found = load(path).notes["kind"]
        if found != kind:
            raise RecordError(f"{path}: expected a game of `{kind}`, got a game of `{found}`")
        file = folder.open(path)
        if file is None:
            raise RequestRefused("terminal.other_window", path=path)
        return file, file.load()
    for path in folder.paths(kind):
        file = folder.open(path)
        if file is not None:
            return file, file.load()
    raise RequestRefused("terminal.no_unfinished_game", folder=folder.games)


def list_games(folder: GamesFolder, kind: str, lang: str) -> int:
    """Print the saved games of a kind, the latest first. Return 0."""
    paths = folder.paths(kind)
    for path in paths:
        game = load(path)
        spec, turn = game.rules.short_spec, game.table.position.turn
        sys.stdout.write(say("terminal.list", lang, path=path.stem, spec=spec, turn=turn) + "\n")
    if not paths:
        sys.stdout.write(say("terminal.list_none", lang) + "\n")
    return 0
