-- The tables of a site's file.

create table accounts (
    name        text primary key collate nocase,
    password    text not null,  -- hashed; '' for nobody who can sign in
    kind        text not null,
    since_s     real not null default 0  -- seconds since 1970: cookies made before are void
) without rowid;
create table ratings (
    name        text not null collate nocase,
    game        text not null,  -- such as aleago
    value       real not null,
    deviation   real not null,
    volatility  real not null,
    games       integer not null,
    primary key (name, game)
) without rowid;
create table if not exists rating_history (
    name    text not null collate nocase,
    match   integer not null,   -- the number of a game
    rating  real not null,      -- after that game, at its kind of game
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
    number  integer unique,     -- of a game from the lobby; all below is of these alone
    spec    text not null default '',
    black   text not null default '',
    white   text not null default '',
    result  text not null default '',   -- "" while the game goes on
    ended   text not null default '',   -- UTC, ISO 8601
    event   text not null default '',   -- the tournament it belongs to
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

-- Since version 7.
create table if not exists chat (
    game    text not null,
    number  integer not null,
    room    text not null,      -- players or watchers
    colour  text not null,      -- the letter of its author's colour, '' for a spectator
    name    text not null,
    text    text not null,
    primary key (game, number)
) without rowid;
