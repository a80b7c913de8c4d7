BEGIN TRANSACTION;
CREATE TABLE accounts (
    name        text primary key collate nocase,
    password    text not null,  -- hashed
    rating      real not null,
    games       integer not null
, kind text not null default 'bot') without rowid;
INSERT INTO "accounts" VALUES('alpha','scrypt 1 1 1 00 00',1524.0,4,'bot');
INSERT INTO "accounts" VALUES('ann','scrypt 1 1 1 00 00',1476.0,3,'person');
CREATE TABLE bans (
    whom    text primary key collate nocase,    -- a name or an address
    until   real not null,      -- seconds since 1970
    why     text not null
) without rowid;
INSERT INTO "bans" VALUES('203.0.113.9',4000000000.0,'noise');
CREATE TABLE events (
    match   integer not null,
    number  integer not null,   -- from 0
    line    text not null,      -- of its journal
    primary key (match, number)
) without rowid;
INSERT INTO "events" VALUES(1,0,'["b","C3",0.0,600.0]');
INSERT INTO "events" VALUES(1,1,'["w","resign",0.0,600.0]');
INSERT INTO "events" VALUES(1,2,'{"end":["B+Resign","Black wins by resignation"]}');
INSERT INTO "events" VALUES(2,0,'["b","C3",0.0,600.0]');
INSERT INTO "events" VALUES(2,1,'["w","C3",0.0,600.0]');
CREATE TABLE forfeits (
    event   text not null,          -- the tournament, round and number of the game
    black   text not null,
    white   text not null,
    points  real not null,          -- Black's
    against real not null,          -- White's
    primary key (event, black, white)
) without rowid;
INSERT INTO "forfeits" VALUES('cup 1.2','ann','alpha',0.0,1.0);
CREATE TABLE matches (
    number  integer primary key,
    spec    text not null,
    black   text not null,
    white   text not null,
    result  text not null,      -- "" while the game goes on
    why     text not null,
    secret  blob not null,      -- of the dice
    head    text not null,      -- the first line of its journal, see records/journal.py
    filed   integer not null    -- 1 when its record is in a file of its own
, begun text not null default '', ended text not null default '', event text not null default '');
INSERT INTO "matches" VALUES(1,'go:size=5,komi=7.5,repetition=psk,dead=none,suicide=false,scoring=area,lang=en','alpha','ann','B+Resign','Black wins by resignation',X'0101010101010101010101010101010101010101010101010101010101010101','{"format":"gtp-variants-journal","version":1,"spec":"go:size=5,komi=7.5,repetition=psk,dead=none,suicide=false,scoring=area,lang=en","dice":"secret","commitment":"72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793","secret":"0101010101010101010101010101010101010101010101010101010101010101","seats":{"b":{"kind":"account","name":"alpha"},"w":{"kind":"account","name":"ann"}},"control":{"kind":"absolute","main_s":600.0},"free_s":0.25,"ratings":{"b":"1500?","w":"1500?"},"event":"cup 1.1"}',1,'2026-11-29T04:25:22+00:00','2026-11-29T04:25:22+00:00','cup 1.1');
INSERT INTO "matches" VALUES(2,'phantom:size=5,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=none,lang=en','ann','alpha','','',X'0202020202020202020202020202020202020202020202020202020202020202','{"format":"gtp-variants-journal","version":1,"spec":"phantom:size=5,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=none,lang=en","dice":"secret","commitment":"75877bb41d393b5fb8455ce60ecd8dda001d06316496b14dfa7f895656eeca4a","secret":"0202020202020202020202020202020202020202020202020202020202020202","seats":{"b":{"kind":"account","name":"ann"},"w":{"kind":"account","name":"alpha"}},"control":{"kind":"absolute","main_s":600.0},"free_s":0.25,"ratings":{"b":"1476?","w":"1524?"}}',0,'2026-11-29T04:25:22+00:00','','');
CREATE TABLE rating_history (
    name    text not null collate nocase,
    match   integer not null,
    rating  real not null,      -- after that game
    primary key (name, match)
) without rowid;
INSERT INTO "rating_history" VALUES('alpha',1,1524.0);
INSERT INTO "rating_history" VALUES('ann',1,1476.0);
CREATE TABLE sessions (
    name    text primary key collate nocase,
    tag     text not null,      -- see passwords.py
    mac     text not null
) without rowid;
INSERT INTO "sessions" VALUES('alpha','tag','mac');
CREATE TABLE tournaments (
    name        text primary key,
    entrants    text not null,      -- JSON, in the order of their seeds
    begun       text not null default (datetime('now'))
) without rowid;
INSERT INTO "tournaments" VALUES('cup','["alpha", "ann"]','2026-11-29 04:25:22');
CREATE INDEX unfiled on matches (number) where filed = 0;
CREATE INDEX latest on matches (ended) where result <> '';
CREATE INDEX by_black on matches (black, number);
CREATE INDEX by_white on matches (white, number);
COMMIT;
PRAGMA user_version = 4;
