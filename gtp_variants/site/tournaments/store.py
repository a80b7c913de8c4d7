"""What is kept of tournaments, beside the games: who entered, and what was decided without a game."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gtp_variants.site.tournaments.standing import Points, TournamentGame

_PATIENCE_S = 0.5
_SCHEMA = """\
create table if not exists tournaments (
    name        text primary key,
    entrants    text not null,      -- JSON, in the order of their seeds
    begun       text not null default (datetime('now'))
) without rowid;
create table if not exists forfeits (
    event   text not null,          -- the tournament, round and number of the game
    black   text not null,
    white   text not null,
    points  real not null,          -- Black's
    against real not null,          -- White's
    primary key (event, black, white)
) without rowid;
"""
_POINTS = {"B": (1.0, 0.0), "W": (0.0, 1.0), "D": (0.5, 0.5)}


class TournamentStore:
    """The tournaments in a server's file. Every method raises OSError for a file that cannot be used."""

    def __init__(self, folder: Path) -> None:
        path = folder / "server.sqlite3"
        try:
            self._file = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)
            self._file.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise OSError(f"{path}: tournaments cannot be kept: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def entrants(self, name: str) -> list[str] | None:
        """Who entered a tournament; None if it has not begun."""
        rows = self._do("select entrants from tournaments where name = ?", name)
        return None if not rows else [str(each) for each in json.loads(rows[0][0])]

    def begin(self, name: str, entrants: Sequence[str]) -> None:
        """A tournament begins."""
        self._do("insert into tournaments (name, entrants) values (?, ?)", name, json.dumps(list(entrants)))

    def forfeit(self, name: str, game: TournamentGame, points: Points) -> None:
        """A game was decided because somebody was not there."""
        values = (f"{name} {game.key}", game.black, game.white, *points)
        self._do("insert or ignore into forfeits values (?, ?, ?, ?, ?)", *values)

    def results(self, name: str) -> dict[tuple[str, str, str], Points]:
        """What was decided: by key of the game, Black and White."""
        found: dict[tuple[str, str, str], Points] = {}
        beginning = f"{name} "
        games = self._do(
            "select event, black, white, result from matches where substr(event, 1, ?) = ? and result <> ''",
            len(beginning),
            beginning,
        )
        for event, black, white, result in games:
            points = points_of(result)
            if points is not None:
                found[event.removeprefix(beginning), black, white] = points
        forfeits = self._do("select * from forfeits where substr(event, 1, ?) = ?", len(beginning), beginning)
        for event, black, white, points, against in forfeits:
            found[event.removeprefix(beginning), black, white] = (points, against)
        return found

    def _do(self, query: str, *values: str | float) -> list[Any]:
        try:
            return self._file.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"tournaments cannot be kept: {error}") from error


def points_of(result: str) -> Points | None:
    """What a result gives Black and White; None for a game that is to be played again."""
    return _POINTS.get(result[:1])
