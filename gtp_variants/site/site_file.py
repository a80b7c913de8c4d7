"""The tables of a site's SQLite file. Files that older versions of `web` and `server` wrote are converted."""

from pathlib import Path

from gtp_variants.base.database import Access, Database

_VERSION = 5
_TABLES = Path(__file__).with_name("tables.sql").read_text(encoding="utf-8")
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
# The server's files have a table `matches`, with fewer columns before version 4.
_ADD_COLUMNS = """\
alter table accounts add column kind text not null default 'bot';
alter table matches add column begun text not null default '';
alter table matches add column ended text not null default '';
alter table matches add column event text not null default '';
"""
_FROM_SERVER = f"""\
alter table accounts add column since_s integer not null default 0;
alter table matches rename to old_matches;
drop index if exists unfiled;
drop index if exists latest;
drop index if exists by_black;
drop index if exists by_white;
{_TABLES}
insert into games
    (id, made_s, kept_s, over, begun, number, spec, black, white, result, why, ended, event, secret, filed)
    select number, coalesce(strftime('%s', begun), 0), coalesce(strftime('%s', ended), 0), result <> '', 1,
    number, spec, black, white, result, why, ended, event, secret, filed from old_matches;
insert into lines select number, 0, head from old_matches;
insert into lines select match, number + 1, line from events;
drop table old_matches;
drop table events;
"""


def open_site(path: Path | None, access: Access = "shared") -> Database:
    """Open the file of a site, which only its owner can read, or a database in memory if `path` is None.

    Raises OSError, or ConfigError for a file of an unknown version.
    """
    if path is not None and path.exists():
        # The file may be a copy that others can read, so make it private.
        path.chmod(0o600)
    database = Database(path, "accounts and games", access)
    scripts = {0: _TABLES}
    if database.rows("select 1 from sqlite_master where name = 'matches'"):
        scripts |= {2: _ADD_COLUMNS + _FROM_SERVER, 3: _ADD_COLUMNS + _FROM_SERVER, 4: _FROM_SERVER}
    else:
        scripts |= dict.fromkeys((1, 2, 3), _ADD_BEGUN + _FROM_PAGE) | {4: _FROM_PAGE}
    database.upgrade(_VERSION, scripts)
    database.replace_damaged_letters()
    return database
