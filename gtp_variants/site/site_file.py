"""The tables of a site's SQLite file. Files that older versions of `web` and `server` wrote are converted."""

from pathlib import Path

from gtp_variants.base.database import Access, Database

_VERSION = 5
_TABLES = """\
create table if not exists accounts (
    name        text primary key collate nocase,
    password    text not null,  -- hashed
    rating      real not null,
    games       integer not null,
    kind        text not null default 'bot',
    since_s     integer not null default 0  -- seconds since 1970: cookies made before are void
) without rowid;
create table if not exists sessions (
    name    text primary key collate nocase,
    tag     text not null,      -- see passwords.py
    mac     text not null
) without rowid;
create table if not exists rating_history (
    name    text not null collate nocase,
    match   integer not null,   -- the number of a game
    rating  real not null,      -- after that game
    primary key (name, match)
) without rowid;
create table if not exists bans (
    whom    text primary key collate nocase,    -- a name or an address
    until   real not null,      -- seconds since 1970
    why     text not null
) without rowid;
create table if not exists tournaments (
    name        text primary key,
    entrants    text not null,  -- JSON, in the order of their seeds
    begun       text not null default (datetime('now'))
) without rowid;
create table if not exists forfeits (
    event   text not null,      -- the tournament, round and number of the game
    black   text not null,
    white   text not null,
    points  real not null,      -- Black's
    against real not null,      -- White's
    primary key (event, black, white)
) without rowid;
create table games (
    id      text primary key,
    made_s  real not null,      -- seconds since 1970
    kept_s  real not null,
    over    integer not null,
    begun   integer not null,   -- whether there is a move in it
    number  integer unique,     -- of a game between accounts; all below is theirs alone
    spec    text not null default '',
    black   text not null default '',
    white   text not null default '',
    result  text not null default '',   -- "" while the game goes on
    why     text not null default '',
    ended   text not null default '',   -- UTC, ISO 8601
    event   text not null default '',   -- the tournament it belongs to
    secret  blob,               -- of the dice; in other games the first line has it
    filed   integer not null default 1  -- 1 when its record is in a file of its own
) without rowid;
create table if not exists lines (
    game    text not null,
    number  integer not null,   -- from 0
    line    text not null,      -- of its journal, see records/journal.py
    primary key (game, number)
) without rowid;
create table seats (
    game       text not null,
    colour     integer not null,
    owner      text not null,   -- a visitor of the site, '' for none
    invitation text not null,   -- these two as SHA-256, '' for none, see seat_locks.py
    token      text not null,
    primary key (game, colour)
) without rowid;
create table if not exists dice (
    id      text primary key,
    kept_s  real not null,
    over    integer not null,
    log     text not null       -- one line of JSON, see board_dice.py
) without rowid;
create index by_owner on seats (owner);
create index unfiled on games (number) where filed = 0;
create index latest on games (ended) where result <> '';
create index by_black on games (black, number);
create index by_white on games (white, number);
"""
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
