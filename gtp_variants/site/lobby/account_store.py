"""The accounts and games of a server: in SQLite, where every event is written before anybody is told, and in files."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection

from gtp_variants.base.database import Database
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.records.files import load_record, write
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.own_format import sgf_pieces
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import Account, Anchors
from gtp_variants.site.access.passwords import LoginSession
from gtp_variants.site.lobby.account_game import AccountGame, load_game
from gtp_variants.site.refusals import PageRefused
from gtp_variants.site.site_file import open_site

_GAME = "number, spec, black, white, result, ended, event"


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


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A stored game that cannot be read, with the reason and its lines."""

    number: int
    why: str
    lines: tuple[str, ...]


class ServerStore:
    """The data of one server, in a file that only its owner can read. Every method may raise OSError."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises ConfigError for an unsupported version."""
        self._path = path
        self._opened = ExitStack()
        self.database = open_site(path)

    def claim(self) -> None:
        """Lock the file against other servers; accounts can still be added. Raises ConfigError if it is locked."""
        is_ours = self._opened.enter_context(hold_file(self._path.with_suffix(".lock")))
        if not is_ours:
            self._opened.close()
            raise ConfigError([f"{self._path}: cannot be used; perhaps another server uses it"])
        self.database.checkpoint_in_background()

    def close(self) -> None:
        self.database.close()
        self._opened.close()

    # -- accounts ------------------------------------------------------------------------------------------------------

    def account(self, name: str) -> Account | None:
        """Return the account with this name, ignoring case."""
        rows = self.database.rows("select name, password, rating, games, kind from accounts where name = ?", (name,))
        return Account(*rows[0]) if rows else None

    def write_account(self, account: Account) -> None:
        """Write a new account, or the new password of an existing account, whose browsers are signed out."""
        self.database.write(
            f"the account {account.name}",
            "insert into accounts (name, password, rating, games, kind, since_s) values (?, ?, ?, ?, ?, ?) "
            "on conflict (name) do update set password = excluded.password, since_s = excluded.since_s",
            (account.name, account.password, account.rating, account.games, account.kind, int(time.time())),
        )

    def is_signed_in(self, name: str, made_s: float) -> bool:
        """Return True if a cookie for an account, made at `made_s` by time.time, is younger than the password."""
        rows = self.database.rows("select since_s from accounts where name = ?", (name,))
        return bool(rows) and made_s >= float(rows[0][0])

    def exchange_password(self, name: str, before: str, after: str) -> None:
        """Replace an account's password hash `before` with `after`, unless the hash has changed meanwhile."""
        change = "update accounts set password = ? where name = ? and password = ?"
        self.database.write(f"the account {name}", change, (after, name, before))

    def sessions(self) -> dict[str, LoginSession]:
        """Return the stored login sessions, by account name."""
        rows = self.database.rows("select name, tag, mac from sessions")
        return {name: LoginSession(tag, mac) for name, tag, mac in rows}

    def write_session(self, name: str, session: LoginSession) -> None:
        """Store a session, so that its password is recognised after a restart."""
        change = "insert or replace into sessions values (?, ?, ?)"
        self.database.write(f"the session of {name}", change, (name, session.tag, session.mac))

    def end_sessions(self, names: Iterable[str]) -> None:
        """Delete the sessions of these accounts."""
        with self.database.transaction("the end of a session") as connection:
            connection.executemany("delete from sessions where name = ?", [(name,) for name in names])

    def bans(self) -> dict[str, tuple[float, str]]:
        """Return the end (as time.time) and the reason of each ban, by name or address in lower case."""
        rows = self.database.rows("select whom, until, why from bans")
        return {whom.lower(): (until, why) for whom, until, why in rows}

    def write_ban(self, whom: str, until: float, why: str) -> None:
        """Ban a name or an address until a time; a past time lifts the ban."""
        with self.database.transaction(f"the ban of {whom}") as connection:
            if until > time.time():
                connection.execute("insert or replace into bans values (?, ?, ?)", (whom, until, why))
            else:
                connection.execute("delete from bans where whom = ?", (whom,))

    # -- games ---------------------------------------------------------------------------------------------------------

    def next_number(self) -> int:
        ((last,),) = self.database.rows("select max(number) from games")
        return 1 if last is None else int(last) + 1

    def write(self, game: AccountGame) -> None:
        """Write the new events of a game, atomically."""
        with self.database.transaction(f"game {game.number}") as connection:
            self._append(connection, game)

    def end(self, game: AccountGame, accounts: Iterable[Account]) -> None:
        """Write the end of a game and the new ratings, atomically. A second call changes nothing."""
        with self.database.transaction(f"the end of game {game.number}") as connection:
            self._append(connection, game)
            ends = "update games set result = ?, why = ?, ended = ?, over = 1 where number = ? and result = ''"
            if connection.execute(ends, (game.result, game.hosted.why, _now(), game.number)).rowcount:
                rates = "update accounts set rating = ?, games = ? where name = ?"
                connection.executemany(rates, [(each.rating, each.games, each.name) for each in accounts])
                notes = "insert or replace into rating_history values (?, ?, ?)"
                connection.executemany(notes, [(each.name, game.number, each.rating) for each in accounts])

    def file(self, number: int) -> None:
        """Note that the record of a finished game has been written to a file."""
        self.database.write(f"game {number}", "update games set filed = 1 where number = ?", (number,))

    def _append(self, connection: Connection, game: AccountGame) -> None:
        lines, now_s, secret = game.hosted.lines, time.time(), game.hosted.record.secret
        black, white = game.names[BLACK], game.names[WHITE]
        connection.execute(
            "insert into games (id, made_s, kept_s, over, begun, number, spec, black, white, secret, event, filed) "
            "values (?, ?, ?, 0, 1, ?, ?, ?, ?, ?, ?, 0) on conflict (id) do nothing",
            (game.name, now_s, now_s, game.number, game.rules.spec, black, white, secret, game.event),
        )
        # Ask the database how many lines it has, because some could not be written while the disk was full.
        query = "select coalesce(max(number) + 1, 0) from lines where game = ?"
        ((since,),) = connection.execute(query, (game.name,)).fetchall()
        rows = [(game.name, index, lines[index]) for index in range(since, len(lines))]
        connection.executemany("insert into lines values (?, ?, ?)", rows)

    def running(self) -> Iterator[AccountGame | Unreadable]:
        """Yield the games that were in progress when last written."""
        return self._matches("result = ''")

    def without_record(self) -> Iterator[AccountGame | Unreadable]:
        """Yield the finished games whose records have not been written to files yet."""
        return self._matches("result <> ''")

    def put_aside(self, number: int) -> None:
        """Mark an unreadable game as over, with the result "Abort" if it has no result."""
        result = "case result when '' then 'Abort' else result end"
        change = f"update games set result = {result}, over = 1, filed = 1 where number = ?"
        self.database.write(f"game {number}", change, (number,))

    def _matches(self, which: str) -> Iterator[AccountGame | Unreadable]:
        query = f"select number, secret, result, why from games where filed = 0 and {which} order by number"
        for number, *rest in self.database.rows(query):
            query = "select number, line from lines where game = ? order by number"
            rows = self.database.rows(query, (str(number),))
            lines = [line for _, line in rows]
            try:
                missing = next((index for index, row in enumerate(rows) if row[0] != index), None)
                if missing is not None:
                    raise RecordError(f"line {missing} is missing")
                yield load_game(number, lines, *rest)
            except RecordError as error:
                yield Unreadable(number, str(error), tuple(lines))

    def latest(self, most: int) -> list[GameLine]:
        """Return the last `most` finished games, the latest last."""
        query = f"select {_GAME} from games where result <> '' order by number desc limit ?"
        return [GameLine(*row) for row in reversed(self.database.rows(query, (most,)))]

    def met(self) -> Counter[tuple[str, str, str]]:
        """Return the number of games by Black, White and SPEC."""
        rows = self.database.rows("select black, white, spec, count(*) from games where number > 0 group by 1, 2, 3")
        return Counter({(black, white, spec): count for black, white, spec, count in rows})


@dataclass(frozen=True, slots=True)
class RatingStep:
    """The rating of an account after a game."""

    number: int
    rating: float
    ended: str


class Archive:
    """Reads the store in a server's folder, from any thread. Every method raises OSError if that fails."""

    def __init__(self, folder: Path, anchors: Anchors) -> None:
        self._records = folder / "records"
        self._anchors = anchors
        self._database = Database(folder / "server.sqlite3", "accounts and games", "read")

    def close(self) -> None:
        self._database.close()

    def standings(self, kind: str) -> list[Account]:
        """Return the accounts of one kind that have played, the strongest first."""
        rows = self._database.rows(
            "select name, '', rating, games, kind from accounts where kind = ? and games > 0 "
            "order by rating desc, name limit 1000",
            (kind,),
        )
        found = [self._anchors.fix(Account(*row)) for row in rows]
        return sorted(found, key=lambda account: -account.rating)

    def account(self, name: str) -> Account | None:
        rows = self._database.rows("select name, '', rating, games, kind from accounts where name = ?", (name,))
        return self._anchors.fix(Account(*rows[0])) if rows else None

    def history(self, name: str) -> list[RatingStep]:
        """Return the last 2,000 ratings of an account, the latest last."""
        rows = self._database.rows(
            "select h.match, h.rating, m.ended from rating_history h join games m on m.number = h.match "
            "where h.name = ? order by h.match desc limit 2000",
            (name,),
        )
        return [RatingStep(*row) for row in reversed(rows)]

    def line(self, number: int) -> GameLine | None:
        """Return the game with this number, in progress or finished, or None if there is no such game."""
        rows = self._database.rows(f"select {_GAME} from games where number = ?", (number,))
        return GameLine(*rows[0]) if rows else None

    def games(self, before: int = 2**62, most: int = 50) -> list[GameLine]:
        """Return finished games numbered below `before`, the latest first."""
        query = f"select {_GAME} from games where result <> '' and number < ? order by number desc limit ?"
        return [GameLine(*row) for row in self._database.rows(query, (before, most))]

    def games_of(self, name: str, before: int = 2**62, most: int = 50) -> list[GameLine]:
        """Return the finished games of an account numbered below `before`, the latest first."""
        # One query for each colour, so that each uses its index.
        query = " union ".join(
            f"select * from (select {_GAME} from games where {colour} = ? and result <> '' and number < ? "
            "order by number desc limit ?)"
            for colour in ("black", "white")
        )
        rows = self._database.rows(f"{query} order by number desc limit ?", 2 * (name, before, most) + (most,))
        return [GameLine(*row) for row in rows]

    def record(self, number: int) -> tuple[str, Record] | None:
        """Return the SGF text and the record of a finished game, or None if it cannot be read."""
        for path in self._records.glob(f"{number:06}-*.sgf"):
            with suppress(RecordError):
                return path.read_text(encoding="utf-8"), load_record(path)
        return None

    def game(self, number: int) -> AccountGame:
        """Return a game that is over, and so never changes. Raises PageRefused if there is none, or RecordError."""
        query = "select secret, result, why from games where number = ? and result <> ''"
        rows = self._database.rows(query, (number,))
        if not rows:
            raise PageRefused("page.no_game", 404)
        lines = self._database.rows("select line from lines where game = ? order by number", (str(number),))
        return load_game(number, [line for (line,) in lines], *rows[0])


def _now() -> str:
    """Return the current time in the format of the database."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# `next` returns this default at the end of some work; the steps before yield None.
_DONE = object()


class BackgroundWork:
    """Runs queued iterators: in each turn of the event loop one step, which takes a millisecond or two."""

    def __init__(self) -> None:
        self._waiting = deque[Iterator[None]]()
        self._is_due = False

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, work: Iterator[None]) -> None:
        """Do the first step of some work and queue the rest, so that short work is done at once."""
        if next(work, _DONE) is not _DONE:
            self._waiting.append(work)
            self._schedule()

    def finish(self) -> None:
        """Do all waiting work now."""
        while self._waiting:
            for _ in self._waiting.popleft():
                pass

    def _schedule(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._is_due = False
        if not self._waiting:
            return
        work = self._waiting.popleft()
        try:
            if next(work, _DONE) is not _DONE:
                self._waiting.appendleft(work)
        finally:
            if self._waiting:
                self._schedule()


# Maximum finished games that wait to be written while the disk is full.
_MOST_LATE = 100
# Nodes of a record written in one step, which takes a millisecond or two on a large board.
_NODES_AT_ONCE = 16


class GameKeeper:
    """Stores the games of one server. Records and unreadable games are written to files in `folder`."""

    def __init__(
        self, store: ServerStore, folder: Path, anchors: Anchors, log: Callable[[str], None], background: BackgroundWork
    ) -> None:
        self._store = store
        self._records, self._aside = folder / "records", folder / "aside"
        self._anchors = anchors
        self._log = log
        self._background = background
        # Finished games that could not be written, to be tried again.
        self.late: deque[AccountGame] = deque(maxlen=_MOST_LATE)

    def load_running(self) -> dict[int, AccountGame]:
        """Return the games in progress, by number. Raises OSError if they cannot be read."""
        return {game.number: game for game in self._read(self._store.running())}

    def file_missing(self) -> None:
        """Write the records that an earlier process could not write. Raises OSError if the games cannot be read."""
        for game in self._read(self._store.without_record()):
            for _ in self._file(game):
                pass

    def _read(self, kept: Iterable[AccountGame | Unreadable]) -> Iterator[AccountGame]:
        """Yield the readable games; end the others and write their lines to files."""
        for each in kept:
            if isinstance(each, AccountGame):
                yield each
                continue
            path = self._aside / f"{each.number:06}.jsonl"
            try:
                self._aside.mkdir(mode=0o700, parents=True, exist_ok=True)
                write(path, "".join(f"{line}\n" for line in each.lines).encode(), 0o600)
                self._store.put_aside(each.number)
            except OSError as error:
                self._log(f"game {each.number} cannot be read ({each.why}) or put aside: {error}")
            else:
                self._log(f"game {each.number} cannot be read ({each.why}); it was ended, and its lines are in {path}")

    def keep(self, game: AccountGame) -> None:
        """Write the new events of a game and, at its end, the ratings. A full disk does not stop the game."""
        try:
            if game.result:
                self._end(game)
            else:
                self._store.write(game)
        except OSError as error:
            self._log(str(error))
            if game.result:
                self.late.append(game)

    def keep_late(self) -> None:
        """Write the finished games that could not be written before."""
        while self.late:
            try:
                self._end(self.late[0])
            except OSError:
                return
            self.late.popleft()

    def _end(self, game: AccountGame) -> None:
        self._store.end(game, self._rate(game))
        self._background.add(self._file(game))

    def _rate(self, game: AccountGame) -> Sequence[Account]:
        """Return both accounts with their new ratings; () without a score, or if an account does not exist."""
        score = {"B": 1.0, "W": 0.0, "D": 0.5}.get(game.result[:1])
        black, white = (self._store.account(game.names[colour]) for colour in (BLACK, WHITE))
        if score is None or black is None or white is None:
            return ()
        return self._anchors.rate_game(black, white, score)

    def _file(self, game: AccountGame) -> Iterator[None]:
        """Write the record of a finished game into a file, step by step."""
        black, white = game.names[BLACK], game.names[WHITE]
        pieces: list[str] = []
        try:
            for piece in sgf_pieces(game.record()):
                pieces.append(piece)
                if len(pieces) % _NODES_AT_ONCE == 0:
                    yield
            self._records.mkdir(parents=True, exist_ok=True)
            write(self._records / f"{game.number:06}-{black}-{white}.sgf", "".join(pieces).encode())
            self._store.file(game.number)
        except OSError as error:
            self._log(f"cannot write the record of game {game.number}: {error}")
