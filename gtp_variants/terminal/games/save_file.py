"""Kept games: files written after every event, so that a killed terminal loses nothing.

A kept game is a journal (`records/journal.py`) that only its user can read, because it has the secret of the dice, and
in Go Fantôme the stones. After the game its record goes to the folder of finished games.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from gtp_variants.base.folders import state_folder, user_path
from gtp_variants.errors import RecordError
from gtp_variants.lang import say
from gtp_variants.players.hosted_game import HostedGame, HostPolicy
from gtp_variants.records.files import write
from gtp_variants.records.journal import JournalFile, read_journal
from gtp_variants.records.json import to_json
from gtp_variants.records.record import Record

PLAY, REFEREE = "play", "referee"
# The person at the keyboard speaks for all who play at it.
POLICY = HostPolicy(one_speaks_for_all=True)

_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700


class GamesFolder:
    """The folders of this user's games: `games` for unfinished ones, `finished` for records of the others."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = state_folder() if folder is None else folder
        self.games = folder / "games"
        self.finished = folder / "finished"

    def new(self, name: str) -> "SaveFile":
        """Return a file for a new game. Raises OSError if it cannot be made."""
        for folder in (self.games, self.finished):
            folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        base = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
        number = 1
        while True:
            path = self.games / (f"{base}-{number}.json" if number > 1 else f"{base}.json")
            file = None if path.exists() or (self.finished / path.name).exists() else self.open(path)
            if file is not None:
                return file
            number += 1

    def open(self, path: Path) -> "SaveFile | None":
        """Return the file of a kept game, None while another process plays it."""
        lock = path.with_suffix(".lock").open("ab")
        if _lock(lock):
            return SaveFile(self, path, lock)
        lock.close()
        return None

    def paths(self, kind: str) -> Sequence[Path]:
        """Return the readable kept games of a kind, the last one first."""
        found = [path for path in self.games.glob("*.json") if not path.name.startswith(".")]
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [path for path in found if _kind(path) == kind]


class SaveFile:
    """The file of one kept game; no other process can play the game while this one lives."""

    def __init__(self, folder: GamesFolder, path: Path, lock: IO[bytes]) -> None:
        self.folder = folder
        self.path = path
        self._journal = JournalFile(path)
        self._lock = lock

    def load(self) -> HostedGame:
        """Return the game as it was last written. Raises RecordError with the file's name, OSError."""
        return _read(self._journal)

    def write(self, game: HostedGame) -> None:
        """Append the new lines of the game. Raises OSError."""
        self._journal.write(game.lines)

    def finish(self, record: Record) -> Path:
        """Move the game to the finished ones as a record, and return its path. Raises OSError."""
        target = self.folder.finished / self.path.name
        write(target, to_json(record).encode() + b"\n", _PRIVATE)
        self.path.unlink(missing_ok=True)
        self.release()
        return target

    def release(self) -> None:
        """Let other processes continue the game."""
        self._lock.close()
        if not self.path.exists():
            # A game that is still kept needs the lock's file.
            with suppress(OSError):
                self.path.with_suffix(".lock").unlink()


def load(path: Path) -> HostedGame:
    """Return the kept game in a file. Raises RecordError with the file's name, OSError."""
    return _read(JournalFile(path))


def is_save_file(path: Path) -> bool:
    """Return True if a file is a kept game, not a record. Raises OSError."""
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
    except ImportError:  # Windows has no such lock
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def resume(folder: GamesFolder, kind: str, asked: str) -> tuple[SaveFile, HostedGame]:
    """Open a kept game by name or file, "" for the last free one. Raises RecordError."""
    if asked:
        path = user_path(asked)
        if not path.is_file():
            path = folder.games / f"{Path(asked).name.removesuffix('.json')}.json"
        if not path.is_file():
            raise RecordError(f"no game {asked!r} is kept in {folder.games}, see --list")
        found = load(path).notes["kind"]
        if found != kind:
            raise RecordError(f"{path}: expected a game of `{kind}`, got one of `{found}`")
        file = folder.open(path)
        if file is None:
            raise RecordError(f"{path}: another window plays this game")
        return file, file.load()
    for path in folder.paths(kind):
        file = folder.open(path)
        if file is not None:
            return file, file.load()
    raise RecordError(f"no unfinished game is kept in {folder.games}")


def list_games(folder: GamesFolder, kind: str, lang: str) -> int:
    """Print the kept games of a kind, the last one first."""
    paths = folder.paths(kind)
    for path in paths:
        game = load(path)
        spec, turn = game.rules.short_spec, game.table.position.turn
        sys.stdout.write(say("terminal.list", lang, path=path.stem, spec=spec, turn=turn) + "\n")
    if not paths:
        sys.stdout.write(say("terminal.list_none", lang) + "\n")
    return 0
