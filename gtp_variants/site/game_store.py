"""The games of a site in its file, one row for each line of a journal, so that a killed server loses nothing."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection

from gtp_variants.base.database import Database, read_statements
from gtp_variants.errors import RecordError
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.account_store import NOBODY, erase_name
from gtp_variants.site.access.ratings import Rating
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.page.chat import MOST_LINES, Chat, RoomLine
from gtp_variants.site.page.page_game import PageGame, load_game
from gtp_variants.site.page.seat_locks import SeatLock
from gtp_variants.site.refusals import PageRefused

# Ratings after a game, by the name of an account and the name of the game.
NewRatings = Mapping[tuple[str, str], Rating]
_GAME = "number, spec, black, white, result, ended, event"
_FORGET, _WRITE = (read_statements(Path(__file__).with_name(f"{name}.sql")) for name in ("forget_guests", "write_game"))


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list. `result` is "" while it is in progress; `ended` is in UTC, or "" if unknown."""

    number: int
    spec: str
    black: str
    white: str
    result: str
    ended: str
    event: str

    @property
    def short_spec(self) -> str:
        """The name and size of the game in its SPEC, such as "go 19"."""
        name, _, rest = self.spec.partition(":")
        size = next((part for part in rest.split(",") if part.partition("=")[0] in ("size", "n", "width")), "")
        return f"{name} {size.partition('=')[2]}".strip()


def line_of(game: AccountGame) -> GameLine:
    """Return a game of the lobby as in a list, without the time of its end."""
    black, white = game.names[BLACK], game.names[WHITE]
    return GameLine(game.number, game.rules.spec, black, white, game.result, "", game.event)


@dataclass(frozen=True, slots=True)
class GameRows:
    """A game as read from the database. `number` is None unless the game was begun in the lobby."""

    name: str
    number: int | None
    lines: tuple[tuple[int, str], ...]
    locks: Mapping[int, SeatLock]
    chat: tuple[RoomLine, ...]

    def replay(self) -> PageGame:
        """Rebuild the game; may be called in any thread. Raises RecordError if the rows are invalid."""
        missing = next((index for index, (number, _) in enumerate(self.lines) if number != index), None)
        if missing is not None:
            raise RecordError(f"line {missing} is missing")
        lines = [line for _, line in self.lines]
        if self.number is None:
            game = load_game(self.name, lines, self.locks)
        else:
            game = AccountGame.load(self.number, lines, self.locks)
        game.chat = Chat(self.chat)
        return game


def _remove(connection: Connection, names: Sequence[tuple[str]]) -> None:
    """Remove games with all that belongs to them."""
    for table, key in (("lines", "game"), ("seats", "game"), ("chat", "game"), ("games", "id")):
        connection.executemany(f"delete from {table} where {key} = ?", names)


class GameStore:
    """The games, seats and dice in a site's database. Every method may raise OSError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, game: PageGame, is_news: bool = True, ratings: NewRatings | None = None) -> None:
        """Write what is new in a game, and at its end the `ratings` of its players, all together or nothing.

        `is_news` puts the game first in `ids`. The ratings are written once, however often the end is written.
        """
        hosted, values = game.hosted, {"id": game.name, "now_s": time.time(), "news": is_news, "number": game.number}
        values |= {"begun": hosted.table.position.turn > 1, "first": hosted.lines[0], "event": game.event}
        values |= {"spec": "", "black": "", "white": ""}
        if isinstance(game, AccountGame):
            names = {"black": game.names[BLACK], "white": game.names[WHITE]}
            values |= {"begun": True, "spec": hosted.rules.spec, **names}
        with self._database.transaction(f"game {game.name[:6]}") as connection:
            for statement in _WRITE:
                connection.execute(statement, values)
            # Ask the database how many lines it has, because some could not be written while the disk was full.
            query = "select coalesce(max(number) + 1, 0) from lines where game = ?"
            ((since,),) = connection.execute(query, (game.name,)).fetchall()
            rows = [(game.name, index, hosted.lines[index]) for index in range(since, len(hosted.lines))]
            connection.executemany("insert into lines values (?, ?, ?)", rows)
            now = "" if game.number is None else datetime.now(UTC).isoformat(timespec="seconds")
            end = (now and hosted.result, now, game.name)
            change = "update games set over = 1, result = ?, ended = ? where id = ? and not over"
            if hosted.is_over and connection.execute(change, end).rowcount:
                for (name, played), each in (ratings or {}).items():
                    row = (name, played, each.value, each.deviation, each.volatility, each.games)
                    connection.execute("insert or replace into ratings values (?, ?, ?, ?, ?, ?)", row)
                    step = (name, game.number, each.value)
                    connection.execute("insert or replace into rating_history values (?, ?, ?)", step)

    def load(self, name: str) -> GameRows | None:
        """Return the game with this name, or None if there is no such game."""
        rows = self._database.rows("select id, number from games where id = ?", (name,))
        return self._read(*rows[0]) if rows else None

    def replay(self, name: str) -> PageGame:
        """Return the game with this name. Raises PageRefused if there is none, RecordError if it cannot be read."""
        stored = self.load(name)
        if stored is None:
            raise PageRefused("page.no_game", 404)
        return stored.replay()

    def _read(self, name: str, number: int | None) -> GameRows:
        lines = self._database.rows("select number, line from lines where game = ? order by number", (name,))
        query = "select colour, owner, invitation, token from seats where game = ?"
        locks = {colour: SeatLock(*digests) for colour, *digests in self._database.rows(query, (name,))}
        said = "select number, room, colour, name, text from chat where game = ? order by number"
        chat = tuple(RoomLine(*line) for line in self._database.rows(said, (name,)))
        return GameRows(name, number, tuple(lines), locks, chat)

    def delete(self, name: str) -> None:
        """Remove a game and its locks. A game from the lobby, which has a number, is kept."""
        self._forget("id = ?", (name,))

    def forget_over(self, spare: int) -> list[str]:
        """Remove up to `spare` finished games, the oldest first, and return their ids."""
        return self._forget("over order by kept_s limit ?", (spare,))

    def _forget(self, which: str, values: Sequence[object]) -> list[str]:
        with self._database.transaction("the end of old games") as connection:
            rows = connection.execute(f"select id from games where number is null and {which}", values).fetchall()
            _remove(connection, rows)
            return [name for (name,) in rows]

    def count(self) -> int:
        return int(self._database.rows("select count(*) from games where number is null")[0][0])

    def ids(self, most: int) -> list[str]:
        """Return the ids of at most `most` games, the game with the latest news first."""
        rows = self._database.rows("select id from games where number is null order by kept_s desc limit ?", (most,))
        return [name for (name,) in rows]

    def idle(self, is_begun: bool, age_s: float) -> list[str]:
        """Return the unfinished games, with a move or without, without news for `age_s` seconds, the oldest first."""
        query = "select id from games where number is null and not over and begun = ? and kept_s < ? order by kept_s"
        return [name for (name,) in self._database.rows(query, (is_begun, time.time() - age_s))]

    # -- chat ----------------------------------------------------------------------------------------------------------

    def write_chat(self, name: str, line: RoomLine) -> None:
        """Write a new line of a game's chat, which keeps its latest lines."""
        with self._database.transaction(f"the chat of game {name[:6]}") as connection:
            row = (name, line.number, line.room, line.colour, line.name, line.text)
            connection.execute("insert into chat values (?, ?, ?, ?, ?, ?)", row)
            change = "delete from chat where game = ? and number <= ?"
            connection.execute(change, (name, line.number - MOST_LINES))

    def remove_chat(self, name: str, number: int) -> bool:
        """Remove a line of a game's chat. Return False if there is no such line."""
        with self._database.transaction(f"the chat of game {name[:6]}") as connection:
            change = "delete from chat where game = ? and number = ?"
            return bool(connection.execute(change, (name, number)).rowcount)

    # -- seats ---------------------------------------------------------------------------------------------------------

    def write_locks(self, name: str, locks: Mapping[int, SeatLock]) -> None:
        """Write the locks of some seats of a game, atomically."""
        rows = [(name, colour, lock.owner, lock.invitation, lock.token) for colour, lock in locks.items()]
        with self._database.transaction(f"the seats of game {name[:6]}") as connection:
            connection.executemany("insert or replace into seats values (?, ?, ?, ?, ?)", rows)

    def change_owner(self, guest: str, account: str) -> None:
        """Give all seats of a guest to an account."""
        change = "update seats set owner = ? where owner = ?"
        self._database.write(f"the seats of {account}", change, (account, guest))

    # -- games from the lobby ------------------------------------------------------------------------------------------

    def next_number(self) -> int:
        ((last,),) = self._database.rows("select max(number) from games")
        return 1 if last is None else int(last) + 1

    def find_unfiled(self, is_over: bool) -> list[GameRows]:
        """Return the games in progress when last written, or those that are over and have no file with their record."""
        query = "select id, number from games where filed = 0 and number is not null and over = ? order by number"
        return [self._read(*row) for row in self._database.rows(query, (is_over,))]

    def file(self, number: int) -> None:
        """Note that the record of a finished game has been written to a file."""
        self._database.write(f"game {number}", "update games set filed = 1 where number = ? and over", (number,))

    def put_aside(self, number: int) -> None:
        """Mark an unreadable game as over, with the result "Abort" if it has no result."""
        result = "case result when '' then 'Abort' else result end"
        change = f"update games set result = {result}, over = 1, filed = 1 where number = ?"
        self._database.write(f"game {number}", change, (number,))

    def met(self) -> Counter[tuple[str, str, str]]:
        """Return the number of games by Black, White and SPEC."""
        rows = self._database.rows("select black, white, spec, count(*) from games where number > 0 group by 1, 2, 3")
        return Counter({(black, white, spec): count for black, white, spec, count in rows})

    def line(self, number: str) -> GameLine | None:
        """Return the game with this number, in digits, in progress or finished, or None if there is no such game."""
        rows = self._database.rows(f"select {_GAME} from games where id = ? and number is not null", (number,))
        return GameLine(*rows[0]) if rows else None

    def results(self, before: int = 2**62, most: int = 50) -> list[GameLine]:
        """Return finished games numbered below `before`, the latest first."""
        query = f"select {_GAME} from games where result <> '' and number < ? order by number desc limit ?"
        return [GameLine(*row) for row in self._database.rows(query, (before, most))]

    def games_of(self, name: str, before: int = 2**62, most: int = 50) -> list[GameLine]:
        """Return up to `most` finished games of an account, the latest first, with numbers below `before`."""
        # One query for each colour, so that each uses its index.
        query = " union ".join(
            f"select * from (select {_GAME} from games where {colour} = ? and result <> '' and number < ? "
            "order by number desc limit ?)"
            for colour in ("black", "white")
        )
        rows = self._database.rows(f"{query} order by number desc limit ?", 2 * (name, before, most) + (most,))
        return [GameLine(*row) for row in rows]

    def forget_guests(self, before_s: float) -> dict[str, int | None]:
        """Forget the guests who last played before a time (as time.time), and the games that no account has played.

        Bots of the package, whose accounts have no password, do not count.
        In games with accounts they have the name `NOBODY`. Return the removed games with their numbers in the lobby.
        """
        before = datetime.fromtimestamp(before_s, UTC).isoformat(timespec="seconds")
        values = {"before": before, "before_s": before_s, "nobody": NOBODY}
        guests, *changes, removed = _FORGET
        with self._database.transaction("the end of old games") as connection:
            for (name,) in connection.execute(guests, values).fetchall():
                erase_name(connection, name, NOBODY)
            for change in changes:
                connection.execute(change, values)
            games = dict(connection.execute(removed, values).fetchall())
            _remove(connection, [(name,) for name in games])
        return games

    # -- dice of real boards -------------------------------------------------------------------------------------------

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
        """Return the stored log of dice with this id, or None if there is none."""
        rows = self._database.rows("select log from dice where id = ?", (log_id,))
        return str(rows[0][0]) if rows else None
