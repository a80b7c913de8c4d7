"""The games of the page in SQLite, one row per event, so that a killed server loses nothing."""

import time
from collections.abc import Mapping, Sequence

from gtp_variants.base.database import Database
from gtp_variants.site.page.seat_locks import SeatLock


class PageStore:
    """The games and dice of the page, in the database of its site. Every method may raise OSError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(
        self, game_id: str, lines: Sequence[str], is_over: bool, is_news: bool = True, is_begun: bool = True
    ) -> None:
        """Append a journal's new lines, or replace another journal. `is_news` puts the game first in `ids`."""
        now = time.time()
        with self._database.transaction(f"game {game_id[:6]}") as connection:
            connection.execute(
                "insert into games (id, made_s, kept_s, over, begun) values (?, ?, ?, ?, ?) "
                "on conflict (id) do update set over = excluded.over, begun = excluded.begun, "
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
        return [line for (line,) in rows]

    def write_locks(self, game_id: str, locks: Mapping[int, SeatLock]) -> None:
        """Write the locks of some seats of a game, atomically."""
        rows = [(game_id, colour, lock.owner, lock.invitation, lock.token) for colour, lock in locks.items()]
        with self._database.transaction(f"the seats of game {game_id[:6]}") as connection:
            connection.executemany("insert or replace into seats values (?, ?, ?, ?, ?)", rows)

    def load_locks(self, game_id: str) -> dict[int, SeatLock]:
        """Return the locks of the seats of a game, by colour."""
        query = "select colour, owner, invitation, token from seats where game = ?"
        return {colour: SeatLock(*digests) for colour, *digests in self._database.rows(query, (game_id,))}

    def change_owner(self, guest: str, account: str) -> None:
        """Give all seats of a guest to an account."""
        change = "update seats set owner = ? where owner = ?"
        self._database.write(f"the seats of {account}", change, (account, guest))

    def count(self) -> int:
        return int(self._database.rows("select count(*) from games where number is null")[0][0])

    def ids(self, most: int) -> list[str]:
        """Return the ids of at most `most` games, the game with the latest news first."""
        rows = self._database.rows("select id from games where number is null order by kept_s desc limit ?", (most,))
        return [game_id for (game_id,) in rows]

    def forget_over(self, spare: int) -> int:
        """Remove up to `spare` finished games, the oldest first, and return the number removed."""
        with self._database.transaction("the end of old games") as connection:
            oldest = "select id from games where over and number is null order by kept_s limit ?"
            for table in ("lines", "seats"):
                connection.execute(f"delete from {table} where game in ({oldest})", (spare,))
            return connection.execute(f"delete from games where id in ({oldest})", (spare,)).rowcount

    def idle(self, is_begun: bool, age_s: float) -> list[str]:
        """Return the unfinished games without news for `age_s` seconds, the oldest first.

        The games have a move if `is_begun`, and no move otherwise.
        """
        query = "select id from games where number is null and not over and begun = ? and kept_s < ? order by kept_s"
        return [game_id for (game_id,) in self._database.rows(query, (is_begun, time.time() - age_s))]

    def delete(self, game_id: str) -> None:
        """Remove a game and its locks. A game between accounts, which has a number, is kept."""
        with self._database.transaction(f"the end of game {game_id[:6]}") as connection:
            if connection.execute("delete from games where id = ? and number is null", (game_id,)).rowcount:
                for table in ("lines", "seats"):
                    connection.execute(f"delete from {table} where game = ?", (game_id,))

    def keep_dice(self, log_id: str, log: str, is_over: bool, most: int) -> bool:
        """Write a log of dice, deleting finished logs for room. Return False if `most` other logs are in use."""
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
        """Return the stored log of dice with this id, or None."""
        rows = self._database.rows("select log from dice where id = ?", (log_id,))
        return str(rows[0][0]) if rows else None
