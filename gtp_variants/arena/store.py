"""Where a match keeps its games, so that it can go on after anything.

::

    FOLDER/results.jsonl             a line per game, in the order they ended
    FOLDER/seed                      the seed of a match whose file has none
    FOLDER/MATCHUP/.settings.json    what decides how the games of this matchup go
    FOLDER/MATCHUP/0001a.json        the record of pair 1, leg a

A game counts as played when its line and its record both exist: the line is written first, the record in one step.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from gtp_variants.arena.config import MatchConfig
from gtp_variants.arena.referee import Played
from gtp_variants.errors import RecordError
from gtp_variants.records.files import save
from gtp_variants.records.record import Record

RESULTS = "results.jsonl"
SETTINGS = ".settings.json"
SEED = "seed"
LOCK = ".lock"
STOP = ".stop"


class Store:
    """The games of a match in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def record_file(self, fixture_id: str) -> Path:
        """Where the record of a game is."""
        return self.folder / f"{fixture_id}.json"

    def played(self) -> dict[str, Played]:
        """Every finished game by its id. Lines that cannot be read belong to no game."""
        found: dict[str, Played] = {}
        with suppress(FileNotFoundError), (self.folder / RESULTS).open(encoding="utf-8", errors="replace") as file:
            for line in file:
                with suppress(ValueError, TypeError, KeyError):
                    row = _row(json.loads(line))
                    found[row.id] = row
        return {key: row for key, row in found.items() if self.record_file(key).is_file()}

    def add(self, row: Played, record: Record) -> None:
        """Keep a finished game."""
        target = self.record_file(row.id)
        target.parent.mkdir(parents=True, exist_ok=True)
        with (self.folder / RESULTS).open("a+b") as file:
            if _is_torn(file):
                file.write(b"\n")
            file.write(json.dumps(asdict(row), ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        save(record, target)

    def changes(self, config: MatchConfig) -> list[str]:
        """What is different from the settings the kept games were played with, a sentence each."""
        found = []
        for matchup in config.matchups:
            file = self.folder / matchup.id / SETTINGS
            try:
                kept = json.loads(file.read_text(encoding="utf-8"))
            except FileNotFoundError:
                continue
            except ValueError:
                raise RecordError(f"{file}: cannot be read") from None
            now = config.settings(matchup)
            found += [
                f"{matchup.id}: {key} was {_brief(kept.get(key))}, is now {_brief(now[key])}"
                for key in now
                if kept.get(key) != now[key]
            ]
        return found

    def seed(self) -> str:
        """The match's own seed, 32 random bytes in hex, "" if it has none yet."""
        try:
            return (self.folder / SEED).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return ""

    def make_seed(self) -> str:
        """The match's own seed, made if there is none yet. Nobody else may read it: it tells the dice."""
        if not self.seed():
            self.folder.mkdir(parents=True, exist_ok=True)
            part = self.folder / f"{SEED}.part"
            part.touch(mode=0o600)
            part.write_text(token_hex(32) + "\n", encoding="ascii")
            part.replace(self.folder / SEED)
        return self.seed()

    def begin(self, config: MatchConfig) -> None:
        """Write down the settings of each matchup that has none yet, and forget an old wish to stop."""
        for matchup in config.matchups:
            file = self.folder / matchup.id / SETTINGS
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                part = file.with_suffix(".part")
                part.write_text(json.dumps(config.settings(matchup), indent=1) + "\n", encoding="utf-8")
                part.replace(file)
        (self.folder / STOP).unlink(missing_ok=True)

    def reset(self) -> int:
        """Delete every game of the match and nothing else; how many there were."""
        count = 0
        for settings in self.folder.glob(f"*/{SETTINGS}"):
            for file in settings.parent.glob("[0-9]*[ab].json"):
                file.unlink()
                count += 1
            settings.unlink()
            _remove_if_empty(settings.parent)
        for name in (RESULTS, STOP, SEED):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / LOCK).unlink(missing_ok=True)
        _remove_if_empty(self.folder)
        return count

    def ask_to_stop(self) -> None:
        """Ask whoever plays the match to stop after the games that are on."""
        (self.folder / STOP).touch()

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether somebody asked."""
        return (self.folder / STOP).exists()

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Whether we are the only process at work on this match. The lock goes with the process, however it ends."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK).open("a+b") as file:
            yield _lock(file)


def _lock(file: IO[bytes]) -> bool:
    try:
        import fcntl
    except ImportError:  # there is no such lock on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _row(fields: Mapping[str, Any]) -> Played:
    failures = tuple((str(player), str(kind), str(why)) for player, kind, why in fields["failures"])
    return Played(**{**fields, "failures": failures})


def _is_torn(file: IO[bytes]) -> bool:
    """Whether the last line lacks its end, as after a crash."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_brief(each)}" for key, each in value.items())
    return "missing" if value is None else str(value)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
