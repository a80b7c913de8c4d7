BEGIN TRANSACTION;
CREATE TABLE dice (
    id      text primary key,
    kept_s  real not null,
    over    integer not null,
    log     text not null       -- one line of JSON, see board_dice.py
) without rowid;
INSERT INTO "dice" VALUES('kept-dice',1.79592632279894304277e+09,0,'{"spec": "aleago:size=9,dice=1d4,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=none,lang=en", "over": false, "log": "{\"format\": \"gtp-variants-dice\", \"version\": 1, \"dice\": \"1d4\", \"commitment\": \"630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd\"}\n{\"draw\": 1, \"faces\": [4]}\n{\"secret\": \"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"}\n"}');
CREATE TABLE games (
    id      text primary key,
    made_s  real not null,      -- seconds since 1970
    kept_s  real not null,
    over    integer not null,
    room    text not null,      -- of a game that version 1 kept and that did not go on: one line of JSON
    begun   integer not null default 1  -- whether there is a move in it; nobody noted it before version 4
) without rowid;
INSERT INTO "games" VALUES('kept-in-the-middle-of-it',1.79592632279814076422e+09,1.79592632279814076422e+09,0,'',1);
INSERT INTO "games" VALUES('kept-with-an-open-seat',1.79592632279650330547e+09,1.79592632279650330547e+09,0,'',0);
CREATE TABLE lines (
    game    text not null,
    number  integer not null,   -- from 0
    line    text not null,      -- of its journal, see records/journal.py
    primary key (game, number)
) without rowid;
INSERT INTO "lines" VALUES('kept-in-the-middle-of-it',0,'{"format":"gtp-variants-journal","version":1,"spec":"phantom:size=5,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=agreed,lang=en","dice":"secret","commitment":"855787d73e47aee1c5c2c35f9fca4e1cf83ef5a422e66d6d3bc5a75c9b8d5449","secret":"8805a9b4d81273e7cad712e9f5561089c099aa87ec19f7bb86be506eceaa1c09","seats":{"b":{"kind":"person"},"w":{"kind":"person"}},"control":{"kind":"none"},"free_s":0.0}');
INSERT INTO "lines" VALUES('kept-in-the-middle-of-it',1,'["b","C3",0.0,null]');
INSERT INTO "lines" VALUES('kept-in-the-middle-of-it',2,'["w","C3",0.0,null]');
INSERT INTO "lines" VALUES('kept-in-the-middle-of-it',3,'["w","D4",0.0,null]');
INSERT INTO "lines" VALUES('kept-with-an-open-seat',0,'{"format":"gtp-variants-journal","version":1,"spec":"aleago:size=5,dice=1d6,star=false,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=agreed,lang=en","dice":"secret","commitment":"a8b6e9a355e6eea91969264eced60060c490b738c52bac289b298cf34bb0ef9a","secret":"dafee566b8f7e17e8a6110867e449fc9000ec1beac047b45edb845ebd220964c","seats":{"b":{"kind":"person","name":"Ann"},"w":{"kind":"person"}},"control":{"kind":"fischer","main_s":600,"increment_s":5},"free_s":0.0,"creator":"a9422b05fab5262c839d6a4159b706a18d6c35310abc4c0b94badbf781647ffe"}');
INSERT INTO "lines" VALUES('kept-with-an-open-seat',1,'["chance","4"]');
CREATE TABLE seats (
    game       text not null,
    colour     integer not null,
    token      text not null,   -- these three as SHA-256, '' for none, see seat_locks.py
    invitation text not null,
    recovery   text not null,
    primary key (game, colour)
) without rowid;
INSERT INTO "seats" VALUES('kept-in-the-middle-of-it',1,'cbcfa0170ce1e00413994722e1adb377e439f3a6373524480db883cecbac215c','','9e729988b9239c83fd9f7021f15cb3ddc1e09bb218c9c24e3c3ac8b0ee2f903d');
INSERT INTO "seats" VALUES('kept-in-the-middle-of-it',2,'50482657e20188895a6a536ed07210d8449da51c0f83afd514768182751d6804','','4edc1b3166d072386cb5d62d3440f4b9cb3d782e23c73943b7ed1eff176c1d2e');
INSERT INTO "seats" VALUES('kept-with-an-open-seat',1,'3e0f77ed4f939c7f0240889876bb24df6caecfc08c3948baf3bd551101b74ff5','','9f920a0f333941b838ddaef8cdd46502c864155e24d292d834982881820fd373');
INSERT INTO "seats" VALUES('kept-with-an-open-seat',2,'','2924111125ad9048f2e44eae40e73f096cff9cf1eeb2776b9eeebdcb523adff8','');
COMMIT;
PRAGMA user_version = 4;
