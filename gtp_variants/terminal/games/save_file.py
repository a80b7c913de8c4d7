"""Games that are kept while they are played: written after every event, so that a killed terminal loses nothing.

A kept game is one JSON file that only its user can read, because it holds the secret of the dice, and in Go Fantôme
the stones::

    {"format": "gtp-variants-kept", "version": 1, "kind": "play", "bots": {"w": "mcts:level=5"},
     "counting": false, "record": {...}}

with the record as in `records/json.py`. When the game is over its record goes to the folder of finished games.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from gtp_variants.errors import RecordError
from gtp_variants.folders import state_folder
from gtp_variants.lang import say
from gtp_variants.players.table import Table
from gtp_variants.records.files import write
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import MAX_BYTES, Record
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.words import COLOUR_LETTERS

FORMAT = "gtp-variants-kept"
VERSION = 1
PLAY, REFEREE = "play", "referee"

_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700


@dataclass(frozen=True, slots=True)
class Kept:
    """A game and how it is played.

    `record` holds the secret of the dice, too; `bots` are the colours that bots play; `counting` says that a hidden
    game was shown to both and waits for their word on dead stones.
    """

    record: Record
    kind: str = PLAY
    bots: Mapping[int, str] = field(default_factory=dict)
    counting: bool = False

    def table(self) -> Table:
        """The table at which the game goes on, with the same dice."""
        dice = DiceStream(self.record.secret)
        return Table.of(self.record.game, lambda: dice, {})

    def shortened(self, count: int) -> "Kept":
        """The game without its last `count` events."""
        game = self.record.game
        events = game.events[: len(game.events) - count]
        shorter = Game.replay(game.rules, events, game.setup, game.first)
        times = {number: took for number, took in self.record.times.items() if number < len(events)}
        return replace(self, record=replace(self.record, game=shorter, times=times, result=None))


def to_text(kept: Kept) -> str:
    """A kept game as one line of JSON."""
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kept.kind,
        "bots": {COLOUR_LETTERS[colour]: bot for colour, bot in kept.bots.items()},
        "counting": kept.counting,
        "record": json.loads(to_json(kept.record)),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> Kept:
    """The kept game of a line of JSON. Raises RecordError that says what is wrong."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError("not JSON") from None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise RecordError(f"not a kept game: expected format {FORMAT!r}")
    if fields.get("version") != VERSION:
        raise RecordError(f"version: this program reads version {VERSION}")
    record = from_json(json.dumps(fields.get("record"), ensure_ascii=False))
    bots = fields.get("bots")
    game = record.game
    letters = {COLOUR_LETTERS[colour]: colour for colour in game.rules.colours}
    if not isinstance(bots, dict) or not all(key in letters and isinstance(bot, str) for key, bot in bots.items()):
        raise RecordError("bots: expected names by colour")
    if len(bots) == len(letters):
        raise RecordError("bots: expected a colour that a person plays")
    if fields.get("kind") not in (PLAY, REFEREE) or record.secret is None:
        raise RecordError("kind or secret: is missing or wrong")
    counting = bool(fields.get("counting"))
    if counting and (game.rules.is_open or not game.rules.is_over(game.position)):
        raise RecordError("counting: expected a hidden game that is over")
    return Kept(record, fields["kind"], {letters[key]: bot for key, bot in bots.items()}, counting)


class Shelf:
    """The folder of this user's games: `games` for those that go on, `finished` for records of the others."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = state_folder() if folder is None else folder
        self.games = self.folder / "games"
        self.finished = self.folder / "finished"

    def new(self, name: str) -> "Slot":
        """A place for a new game. Raises OSError if there can be none."""
        for folder in (self.games, self.finished):
            folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        base = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
        number = 1
        while True:
            path = self.games / (f"{base}-{number}.json" if number > 1 else f"{base}.json")
            slot = None if path.exists() or (self.finished / path.name).exists() else self.open(path)
            if slot is not None:
                return slot
            number += 1

    def open(self, path: Path) -> "Slot | None":
        """The place of a kept game, None while another process plays it."""
        lock = path.with_suffix(".lock").open("ab")
        if _lock(lock):
            return Slot(self, path, lock)
        lock.close()
        return None

    def paths(self, kind: str) -> Sequence[Path]:
        """The games of a kind that are kept and can be read, the last one first."""
        found = [path for path in self.games.glob("*.json") if not path.name.startswith(".")]
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [path for path in found if _kind(path) == kind]


def _kind(path: Path) -> str:
    try:
        return load(path).kind
    except (OSError, RecordError):
        return ""


def load(path: Path) -> Kept:
    """The kept game in a file. Raises RecordError that begins with the file's name, OSError if it cannot be read."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        if len(content) > MAX_BYTES:
            raise RecordError(f"longer than {MAX_BYTES} bytes")
        return from_text(content.decode())
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: byte {error.start}: not UTF-8") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error


class Slot:
    """Where one game is kept; no other process plays it as long as this one lives."""

    def __init__(self, shelf: Shelf, path: Path, lock: IO[bytes]) -> None:
        self.shelf = shelf
        self.path = path
        self._lock = lock

    def keep(self, kept: Kept) -> None:
        """Write the game as it is now. Raises OSError."""
        write(self.path, to_text(kept).encode() + b"\n", _PRIVATE)

    def finish(self, record: Record) -> Path:
        """Put the record of the finished game, its secret revealed, where it stays. Raises OSError."""
        target = self.shelf.finished / self.path.name
        write(target, to_json(record).encode() + b"\n", _PRIVATE)
        self.path.unlink(missing_ok=True)
        self.release()
        return target

    def release(self) -> None:
        """Let other processes go on with the game."""
        self._lock.close()
        if not self.path.exists():
            # Only then is the lock's file of no use to anybody.
            with suppress(OSError):
                self.path.with_suffix(".lock").unlink()


def _lock(file: IO[Any]) -> bool:
    """Lock a file; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # there is no such lock on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def resumed(shelf: Shelf, kind: str, asked: str) -> tuple[Slot, Kept]:
    """A kept game by name or file, the last one that nobody plays for "". Raises RecordError if there is none."""
    if asked:
        path = Path(asked).expanduser()
        if not path.is_file():
            path = shelf.games / f"{Path(asked).name.removesuffix('.json')}.json"
        if not path.is_file():
            raise RecordError(f"no game {asked!r} is kept in {shelf.games}, see --list")
        kept = load(path)
        if kept.kind != kind:
            raise RecordError(f"{path}: is a game of `gtp-variants {kept.kind}`")
        slot = shelf.open(path)
        if slot is None:
            raise RecordError(f"{path}: another window plays this game")
        return slot, kept
    for path in shelf.paths(kind):
        slot = shelf.open(path)
        if slot is not None:
            return slot, load(path)
    raise RecordError(f"no unfinished game is kept in {shelf.games}")


def list_games(shelf: Shelf, kind: str, lang: str) -> int:
    """Print the games of a kind that are kept, the last one first."""
    paths = shelf.paths(kind)
    for path in paths:
        game = load(path).record.game
        sys.stdout.write(
            say("terminal.list", lang, path=path.stem, spec=game.rules.short_spec, turn=game.position.turn) + "\n"
        )
    if not paths:
        sys.stdout.write(say("terminal.list_none", lang) + "\n")
    return 0
