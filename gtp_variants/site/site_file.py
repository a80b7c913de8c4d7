"""The tables of a site's SQLite file. Files that older versions of `web` and `server` wrote are converted."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from gtp_variants.base.database import Access, Database
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.errors import ConfigError
from gtp_variants.site.access.account_store import AccountStore
from gtp_variants.site.access.ratings import Rating
from gtp_variants.site.game_store import GameStore

_VERSION = 6
_TABLES = Path(__file__).with_name("tables.sql").read_text(encoding="utf-8")
# The deviation of a rating that older versions found by Elo's rule for all games together.
_OLD_DEVIATION = 150.0
# The page's files have a table of games. Version 1 kept a whole game in one line, `room`. Versions before 4 did not
# store `begun`.
_ADD_BEGUN = "alter table games add column begun integer not null default 1;\n"
_FROM_PAGE = f"""\
create table if not exists seats (game, colour, token, invitation, recovery);
alter table seats rename to page_seats;
alter table games rename to page_games;
{_TABLES}
insert into games (id, made_s, kept_s, over, begun) select id, made_s, kept_s, over, begun from page_games;
insert or ignore into lines select id, 0, room from page_games where room <> '';
insert into seats select game, colour, '', invitation, token from page_seats;
drop table page_games;
drop table page_seats;
"""
# The server's files have a table `matches`, with fewer columns before version 4. An account had one rating for all
# games, which now counts at each game it has played. Secrets and results were beside the lines of a game.
_ADD_COLUMNS = """\
alter table accounts add column kind text not null default 'bot';
alter table matches add column begun text not null default '';
alter table matches add column ended text not null default '';
alter table matches add column event text not null default '';
"""
_FROM_SERVER = f"""\
alter table accounts rename to old_accounts;
alter table matches rename to old_matches;
drop table if exists sessions;
drop index if exists unfiled;
drop index if exists latest;
drop index if exists by_black;
drop index if exists by_white;
{_TABLES}
insert into accounts select name, password, kind, 0 from old_accounts;
insert into games (id, made_s, kept_s, over, begun, number, spec, black, white, result, ended, event, filed)
    select number, coalesce(strftime('%s', begun), 0), coalesce(strftime('%s', ended), 0), result <> '', 1,
    number, spec, black, white, result, ended, event, filed from old_matches;
insert into lines select number, 0, case when json_valid(head) and secret is not null
    then json_set(head, '$.secret', lower(hex(secret))) else head end from old_matches;
insert into lines select match, number + 1, line from events;
insert into lines select number, (select max(number) + 1 from lines where game = cast(m.number as text)),
    json_object('end', json_array(result, why)) from old_matches m where result <> '';
insert into ratings select a.name, substr(spec, 1, instr(spec || ':', ':') - 1) kind_of_game, rating,
    {_OLD_DEVIATION}, {Rating().volatility}, count(*) from old_accounts a join old_matches
    on a.name in (black, white) and result <> '' group by a.name, kind_of_game;
drop table old_accounts;
drop table old_matches;
drop table events;
"""


def open_site(path: Path | None, access: Access = "shared") -> Database:
    """Open the file of a site, which only its owner can read, or a database in memory if `path` is None.

    Raises OSError, or ConfigError for a file of an unknown version.
    """
    if path is not None and path.exists() and access != "read":
        # The file may be a copy that others can read, so make it private.
        path.chmod(0o600)
    if path is not None:
        SECRET_PLACES.update(Path(f"{path.absolute()}{ending}") for ending in ("", "-wal"))
    database = Database(path, "accounts and games", access)
    database.replace_damaged_letters()
    if access == "read":
        return database
    scripts = {0: _TABLES}
    if database.rows("select 1 from sqlite_master where name = 'matches'"):
        scripts |= {2: _ADD_COLUMNS + _FROM_SERVER, 3: _ADD_COLUMNS + _FROM_SERVER, 4: _FROM_SERVER}
    else:
        scripts |= dict.fromkeys((1, 2, 3), _ADD_BEGUN + _FROM_PAGE) | {4: _FROM_PAGE}
    database.upgrade(_VERSION, scripts)
    return database


class SiteStore:
    """The data of one site, in a file that only its owner can read, or in memory if `path` is None."""

    def __init__(
        self, path: Path | None, access: Access = "shared", anchors: Mapping[str, float] | None = None
    ) -> None:
        """Open the file; `anchors` are fixed ratings. Raises OSError, or ConfigError for an unsupported version."""
        self.path = path
        self._opened = ExitStack()
        self.database = open_site(path, access)
        self.accounts, self.games = AccountStore(self.database, anchors or {}), GameStore(self.database)

    def claim(self) -> None:
        """Lock the file against other servers; accounts can still be added. Raises ConfigError if it is locked."""
        assert self.path is not None
        if not self._opened.enter_context(hold_file(self.path.with_suffix(".lock"))):
            self._opened.close()
            raise ConfigError([f"{self.path}: cannot be used; perhaps another server uses it"])
        self.database.checkpoint_in_background()

    def close(self) -> None:
        self.database.close()
        self._opened.close()
