"""The accounts of a site in its file: passwords, bans, and ratings by game."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from getpass import getuser
from itertools import chain, count
from pathlib import Path
from sqlite3 import Connection

from gtp_variants.base.database import Database, read_statements
from gtp_variants.site.access.accounts import BOT, GUESTS, PERSON, RESERVED, Account, is_name
from gtp_variants.site.access.ratings import Rating, rate

_RATING = "value, deviation, volatility, games"
# The deviation of a fixed rating.
_FIXED_DEVIATION = 50.0
# The name in games of an account that has been deleted.
NOBODY = f"{GUESTS}gone"
# Maximum accounts in a list of standings, and maximum ratings in a history.
_MOST_RANKED, _MOST_STEPS = 1000, 2000


class AccountStore:
    """The accounts in a site's database. Every method may raise OSError.

    `anchors` are fixed ratings, by the name of an account, or by its name, a blank and the name of a game.
    """

    def __init__(self, database: Database, anchors: Mapping[str, float]) -> None:
        self._database = database
        self.anchors = {name.lower(): rating for name, rating in anchors.items()}

    def find(self, name: str) -> Account | None:
        """Return the account with this name, ignoring case, or None if there is none."""
        rows = self._database.rows("select name, password, kind from accounts where name = ?", (name,))
        return Account(*rows[0]) if rows else None

    def write(self, account: Account) -> None:
        """Write a new account, or the new password of an existing account, whose browsers are signed out."""
        self._database.write(
            f"the account {account.name}",
            "insert into accounts (name, password, kind, since_s) values (?, ?, ?, ?) "
            "on conflict (name) do update set password = excluded.password, since_s = excluded.since_s",
            (account.name, account.password, account.kind, time.time()),
        )

    def change_password(self, account: Account, kept: str) -> bool:
        """Write the stored form of a new password, unless `account` has got another one. Return True if written."""
        change = "update accounts set password = ?, since_s = ? where name = ? and password = ?"
        with self._database.transaction(f"the account {account.name}") as connection:
            values = (kept, time.time(), account.name, account.password)
            return bool(connection.execute(change, values).rowcount)

    def find_owner(self) -> str:
        """Return the account of this computer's user, made if there is none. It has no password."""
        login = ""
        with suppress(ImportError, KeyError, OSError):  # no user of the system has this process
            login = re.sub("[^A-Za-z0-9_.-]", "", getuser())
        for name in chain((login, "player"), map("player{}".format, count(2))):
            account = self.find(name)
            if account is None and is_name(name) and name.lower() not in RESERVED:
                self.write(account := Account(name, "", PERSON))
            if account is not None and not account.password and account.kind == PERSON:
                return account.name
        raise AssertionError("one of the names is free")

    def keep_bots(self, ratings: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
        """Fix ratings of bots, each by name and game, and make their accounts. Leave out names that others have."""
        kept: dict[str, dict[str, float]] = {}
        for name, game, rating in ratings:
            if (account := self.find(name)) is None:
                self.write(account := Account(name, "", BOT))
            if account.kind == BOT and not account.password:
                kept.setdefault(name, {})[game] = self.anchors.get(name.lower(), rating)
                self.anchors[f"{name} {game}".lower()] = rating
        return kept

    def sign_out(self, name: str) -> None:
        """Sign out all browsers of an account."""
        self._database.write(
            f"the account {name}", "update accounts set since_s = ? where name = ?", (time.time(), name)
        )

    def delete(self, name: str) -> str:
        """Delete an account with its ratings. Return the name that its games have from now on, not its own."""
        *changes, find_nobody = read_statements(Path(__file__).with_name("delete_account.sql"))
        with self._database.transaction(f"the end of the account {name}") as connection:
            for change in changes:
                connection.execute(change, {"name": name})
            ((nobody,),) = connection.execute(find_nobody, {"name": name, "nobody": NOBODY}).fetchall()
            erase_name(connection, name, nobody)
        return str(nobody)

    def changed_since(self, since_s: float) -> list[str]:
        """Return the accounts that were made, signed out or got a password since a time (as time.time)."""
        return [name for (name,) in self._database.rows("select name from accounts where since_s >= ?", (since_s,))]

    def is_signed_in(self, name: str, made_s: float) -> bool:
        """Return True if a cookie made at `made_s` (as time.time) is newer than the account's password and sign-out."""
        rows = self._database.rows("select since_s from accounts where name = ?", (name,))
        return bool(rows) and made_s >= float(rows[0][0])

    def bans(self) -> dict[str, tuple[float, str]]:
        """Return the end (as time.time) and the reason of each ban, by name or address in lower case."""
        rows = self._database.rows("select whom, until, why from bans")
        return {whom.lower(): (until, why) for whom, until, why in rows}

    def write_ban(self, whom: str, until: float, why: str) -> None:
        """Ban a name or an address until a time; a past time lifts the ban."""
        with self._database.transaction(f"the ban of {whom}") as connection:
            if until > time.time():
                connection.execute("insert or replace into bans values (?, ?, ?)", (whom, until, why))
            else:
                connection.execute("delete from bans where whom = ?", (whom,))

    # -- ratings -------------------------------------------------------------------------------------------------------

    def rating(self, name: str, game: str) -> Rating:
        """Return the rating of an account at a game."""
        return self.ratings(name).get(game) or self._fix(name, game, Rating())

    def ratings(self, name: str) -> dict[str, Rating]:
        """Return the ratings of an account by game, the game it has played most first."""
        query = f"select game, {_RATING} from ratings where name = ? order by games desc, game"
        return {game: self._fix(name, game, Rating(*row)) for game, *row in self._database.rows(query, (name,))}

    def rate(self, game: str, names: Sequence[str], score: float) -> dict[tuple[str, str], Rating]:
        """Return two players' new ratings if the first scored `score` (1, 0.5 or 0); {} unless both have accounts."""
        pair = [account for account in map(self.find, names) if account is not None]
        found = {}
        for own, other, scored in zip(pair, pair[::-1], (score, 1 - score), strict=False):
            mine, others = (self.rating(each.name, game) for each in (own, other))
            # A person's results do not change a bot's rating.
            is_fixed = self._anchor(own.name, game) is not None or (own.kind == BOT and other.kind == PERSON)
            new = replace(mine, games=mine.games + 1) if is_fixed else rate(mine, [(others, scored)])
            found[own.name, game] = new
        return found if len(pair) == 2 else {}

    def _anchor(self, name: str, game: str) -> float | None:
        return self.anchors.get(name.lower(), self.anchors.get(f"{name} {game}".lower()))

    def _fix(self, name: str, game: str, rating: Rating) -> Rating:
        """Return the rating, with the value that is fixed for it, if any."""
        value = self._anchor(name, game)
        return rating if value is None else replace(rating, value=value, deviation=_FIXED_DEVIATION)

    def rated_games(self) -> list[str]:
        """Return the games at which accounts have ratings, the game with most ratings first."""
        rows = self._database.rows("select game from ratings group by game order by count(*) desc, game")
        return [game for (game,) in rows]

    def standings(self, game: str, kind: str) -> list[tuple[str, Rating]]:
        """Return the accounts of one kind with their ratings at a game, the strongest first."""
        rows = self._database.rows(
            f"select name, {_RATING} from ratings join accounts using (name) where game = ? and kind = ? "
            "order by value desc, name limit ?",
            (game, kind, _MOST_RANKED),
        )
        return sorted(
            ((name, self._fix(name, game, Rating(*row))) for name, *row in rows), key=lambda each: -each[1].value
        )

    def history(self, name: str, game: str) -> list[float]:
        """Return the last ratings of an account at a game, the latest last."""
        rows = self._database.rows(
            "select h.rating from rating_history h join games m on m.number = h.match "
            "where h.name = ? and m.spec || ':' like ? || ':%' order by h.match desc limit ?",
            (name, game, _MOST_STEPS),
        )
        return [rating for (rating,) in reversed(rows)]


def erase_name(connection: Connection, name: str, nobody: str) -> None:
    """Replace the name of an account or a guest by `nobody` in games, chats and tournaments."""
    for statement in read_statements(Path(__file__).with_name("erase_name.sql")):
        connection.execute(statement, {"name": name, "nobody": nobody})
