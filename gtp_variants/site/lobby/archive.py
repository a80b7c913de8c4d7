"""What the pages read of a server's store: accounts, ratings over time, games. Only the server writes it."""

from dataclasses import dataclass
from pathlib import Path

from gtp_variants.base.database import Database
from gtp_variants.errors import RecordError
from gtp_variants.records.files import load_record
from gtp_variants.records.record import Record
from gtp_variants.site.access.accounts import Account, Anchors
from gtp_variants.site.lobby.account_game import load_game

_GAME = "number, spec, black, white, result, begun, ended, event"


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list; `result` is "" while it goes on, times are in UTC."""

    number: int
    spec: str
    black: str
    white: str
    result: str
    begun: str
    ended: str
    event: str


@dataclass(frozen=True, slots=True)
class RatingStep:
    """The rating an account had after a game."""

    number: int
    rating: float
    ended: str


class Archive:
    """Reads the store of a folder, from any thread. Every method raises OSError for a store that cannot be read."""

    def __init__(self, folder: Path, anchors: Anchors) -> None:
        self._records = folder / "records"
        self._anchors = anchors
        self._database = Database(folder / "server.sqlite3", "accounts and games", "read")

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def standings(self, kind: str) -> list[Account]:
        """The accounts of a kind that have played, the strongest first."""
        rows = self._database.rows(
            "select name, '', rating, games, kind from accounts where kind = ? and games > 0 "
            "order by rating desc, name limit 1000",
            (kind,),
        )
        found = [self._anchors.fix(Account(*row)) for row in rows]
        return sorted(found, key=lambda account: -account.rating)

    def account(self, name: str) -> Account | None:
        """The account of a name; None if there is none."""
        rows = self._database.rows("select name, '', rating, games, kind from accounts where name = ?", (name,))
        return self._anchors.fix(Account(*rows[0])) if rows else None

    def history(self, name: str) -> list[RatingStep]:
        """The ratings of an account, in the order of its games; the last two thousand."""
        rows = self._database.rows(
            "select h.match, h.rating, m.ended from rating_history h join matches m on m.number = h.match "
            "where h.name = ? order by h.match desc limit 2000",
            (name,),
        )
        return [RatingStep(*row) for row in reversed(rows)]

    def games(self, before: int = 2**62, most: int = 50) -> list[GameLine]:
        """The games that are over, the latest first."""
        query = f"select {_GAME} from matches where result <> '' and number < ? order by number desc limit ?"
        return [GameLine(*row) for row in self._database.rows(query, (before, most))]

    def games_of(self, name: str, before: int = 2**62, most: int = 50) -> list[GameLine]:
        """The games of an account that are over, the latest first."""
        # A column at a time, so that each is looked up in its index.
        query = " union ".join(
            f"select * from (select {_GAME} from matches where {colour} = ? and result <> '' and number < ? "
            "order by number desc limit ?)"
            for colour in ("black", "white")
        )
        rows = self._database.rows(f"{query} order by number desc limit ?", 2 * (name, before, most) + (most,))
        return [GameLine(*row) for row in rows]

    def game(self, number: int) -> GameLine | None:
        """A game, over or not; None if there is none."""
        rows = self._database.rows(f"select {_GAME} from matches where number = ?", (number,))
        return GameLine(*rows[0]) if rows else None

    def record(self, number: int) -> tuple[str, Record] | None:
        """The record of a game that is over, with its text as SGF; None if there is none that can be read."""
        for path in self._records.glob(f"{number:06}-*.sgf"):
            try:
                return path.read_text(encoding="utf-8"), load_record(path)
            except RecordError:
                continue
        return None

    def live_record(self, number: int) -> Record | None:
        """A game that is on, as far as it was written; None if there is none that can be read."""
        rows = self._database.rows("select head, secret, result, why from matches where number = ?", (number,))
        lines = self._database.rows("select line from events where match = ? order by number", (number,))
        try:
            return (
                load_game(number, [rows[0][0], *(line for (line,) in lines)], *rows[0][1:]).record() if rows else None
            )
        except RecordError:
            return None
