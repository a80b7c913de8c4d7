"""The games of the page in SQLite, one row per event, so that a killed server loses nothing."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from gtp_variants.base.database import Database
from gtp_variants.site.page.seat_locks import SeatLock

_VERSION = 4
_SCHEMA = """\
create table if not exists games (
    id      text primary key,
    made_s  real not null,      -- seconds since 1970
    kept_s  real not null,
    over    integer not null,
    room    text not null,      -- of a game that version 1 kept and that did not go on: one line of JSON
    begun   integer not null default 1  -- whether there is a move in it; nobody noted it before version 4
) without rowid;
create table if not exists lines (
    game    text not null,
    number  integer not null,   -- from 0
    line    text not null,      -- of its journal, see records/journal.py
    primary key (game, number)
) without rowid;
create table if not exists seats (
    game       text not null,
    colour     integer not null,
    token      text not null,   -- these three as SHA-256, '' for none, see seat_locks.py
    invitation text not null,
    recovery   text not null,
    primary key (game, colour)
) without rowid;
create table if not exists dice (
    id      text primary key,
    kept_s  real not null,
    over    integer not null,
    log     text not null       -- one line of JSON, see board_dice.py
) without rowid;
"""
_UPGRADE = "alter table games add column begun integer not null default 1;"


class PageStore:
    """The games of one server, in a file that only its user can read. Every method may raise OSError."""

    def __init__(self, path: Path | None) -> None:
        """Open the file, or a database in memory for None. Raises OSError, or ConfigError for an unknown version."""
        if path is not None and path.exists():
            # The file may be a copy that others can read.
            path.chmod(0o600)
        self._database = Database(path, "games", "exclusive")
        self._database.upgrade(_VERSION, {0: _SCHEMA} | dict.fromkeys((1, 2, 3), _SCHEMA + _UPGRADE))

    def write(
        self, game_id: str, lines: Sequence[str], is_over: bool, is_news: bool = True, is_begun: bool = True
    ) -> None:
        """Append the new lines of a journal, or replace a different one. `is_news` puts the game first in `ids`."""
        now = time.time()
        with self._database.transaction(f"game {game_id[:6]}") as connection:
            connection.execute(
                "insert into games values (?, ?, ?, ?, '', ?) "
                "on conflict (id) do update set over = excluded.over, room = '', begun = excluded.begun, "
                "kept_s = case when ? then excluded.kept_s else kept_s end",
                (game_id, now, now, is_over, is_begun, is_news),
            )
            # A journal with a different first line is from before the game got new dice: delete it.
            is_another = "exists (select 1 from lines where game = ? and number = 0 and line <> ?)"
            connection.execute(f"delete from lines where game = ? and {is_another}", (game_id, game_id, lines[0]))
            query = "select coalesce(max(number) + 1, 0) from lines where game = ?"
            ((count,),) = connection.execute(query, (game_id,)).fetchall()
            rows = [(game_id, number, lines[number]) for number in range(count, len(lines))]
            connection.executemany("insert into lines values (?, ?, ?)", rows)

    def load(self, game_id: str) -> list[str]:
        """Return the journal lines of a game; [] if it does not exist."""
        rows = self._database.rows("select line from lines where game = ? order by number", (game_id,))
        old = "select room from games where id = ? and room <> ''"
        return [line for (line,) in rows or self._database.rows(old, (game_id,))]

    def write_locks(self, game_id: str, locks: Mapping[int, SeatLock]) -> None:
        """Write the locks of some seats of a game, atomically."""
        rows = [(game_id, colour, lock.token, lock.invitation, lock.recovery) for colour, lock in locks.items()]
        with self._database.transaction(f"the seats of game {game_id[:6]}") as connection:
            connection.executemany("insert or replace into seats values (?, ?, ?, ?, ?)", rows)

    def load_locks(self, game_id: str) -> dict[int, SeatLock]:
        """Return the locks of the seats of a game, by colour."""
        query = "select colour, token, invitation, recovery from seats where game = ?"
        return {colour: SeatLock(*digests) for colour, *digests in self._database.rows(query, (game_id,))}

    def count(self) -> int:
        return int(self._database.rows("select count(*) from games")[0][0])

    def ids(self, most: int) -> list[str]:
        """Return at most `most` games, those with the latest news first."""
        rows = self._database.rows("select id from games order by kept_s desc limit ?", (most,))
        return [game_id for (game_id,) in rows]

    def forget_over(self, spare: int) -> int:
        """Remove up to `spare` finished games, the oldest first, and return the number removed."""
        with self._database.transaction("the end of old games") as connection:
            oldest = "select id from games where over order by kept_s limit ?"
            for table in ("lines", "seats"):
                connection.execute(f"delete from {table} where game in ({oldest})", (spare,))
            return connection.execute(f"delete from games where id in ({oldest})", (spare,)).rowcount

    def idle(self, is_begun: bool, age_s: float) -> list[str]:
        """Return the unfinished games without news for `age_s` seconds, the oldest first.

        `is_begun` selects the games with a move, or those without.
        """
        query = "select id from games where not over and begun = ? and kept_s < ? order by kept_s"
        return [game_id for (game_id,) in self._database.rows(query, (is_begun, time.time() - age_s))]

    def delete(self, game_id: str) -> None:
        """Remove a game and its locks."""
        with self._database.transaction(f"the end of game {game_id[:6]}") as connection:
            for table, column in (("lines", "game"), ("seats", "game"), ("games", "id")):
                connection.execute(f"delete from {table} where {column} = ?", (game_id,))

    def keep_dice(self, log_id: str, log: str, is_over: bool, most: int) -> bool:
        """Write a log of dice, deleting finished logs for room. Return False if `most` other dice are in use."""
        with self._database.transaction("the dice") as connection:
            others = "select count(*) from dice where id <> ?"
            (count,) = connection.execute(others, (log_id,)).fetchone()
            if count >= most:
                spare = "select id from dice where over and id <> ? order by kept_s limit ?"
                connection.execute(f"delete from dice where id in ({spare})", (log_id, count - most + 1))
                (count,) = connection.execute(others, (log_id,)).fetchone()
            if count >= most:
                return False
            row = (log_id, time.time(), is_over, log)
            connection.execute("insert or replace into dice values (?, ?, ?, ?)", row)
            return True

    def load_dice(self, log_id: str) -> str | None:
        """Return the stored log of some dice, or None if there is none."""
        rows = self._database.rows("select log from dice where id = ?", (log_id,))
        return str(rows[0][0]) if rows else None

    def close(self) -> None:
        self._database.close()
