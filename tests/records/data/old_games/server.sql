BEGIN TRANSACTION;
CREATE TABLE accounts (
    name        text primary key collate nocase,
    password    text not null,  -- hashed
    rating      real not null,
    games       integer not null
) without rowid;
INSERT INTO "accounts" VALUES('alpha','scrypt$no',1500.0,3);
INSERT INTO "accounts" VALUES('bravo','scrypt$no',1500.0,3);
CREATE TABLE events (
    match   integer not null,
    number  integer not null,   -- from 0
    line    text not null,      -- of JSON, see journal.py
    primary key (match, number)
) without rowid;
INSERT INTO "events" VALUES(1,0,'["b","E1",0.3,599.95]');
INSERT INTO "events" VALUES(1,1,'["w","E4",0.425,599.825]');
INSERT INTO "events" VALUES(1,2,'["b","C1",0.55,599.6500000000001]');
INSERT INTO "events" VALUES(1,3,'["w","A3",0.675,599.4000000000001]');
INSERT INTO "events" VALUES(1,4,'["b","A2",0.8,599.1000000000001]');
INSERT INTO "events" VALUES(1,5,'["w","A5",0.925,598.7250000000001]');
INSERT INTO "events" VALUES(1,6,'["b","D4",1.05,598.3000000000002]');
INSERT INTO "events" VALUES(1,7,'["w","C5",1.175,597.8000000000002]');
INSERT INTO "events" VALUES(1,8,'["b","B4",1.3,597.2500000000002]');
INSERT INTO "events" VALUES(1,9,'["w","E2",1.425,596.6250000000002]');
INSERT INTO "events" VALUES(1,10,'["b","B1",1.55,595.9500000000003]');
INSERT INTO "events" VALUES(1,11,'["w","E3",1.675,595.2000000000003]');
INSERT INTO "events" VALUES(1,12,'["b","A1",1.8,594.4000000000003]');
INSERT INTO "events" VALUES(2,0,'["chance","4"]');
INSERT INTO "events" VALUES(2,1,'["chance","3"]');
INSERT INTO "events" VALUES(2,2,'["b","C3",0.3,599.95]');
INSERT INTO "events" VALUES(2,3,'["chance","5"]');
INSERT INTO "events" VALUES(2,4,'["w","C2",0.425,599.825]');
INSERT INTO "events" VALUES(2,5,'["chance","2"]');
INSERT INTO "events" VALUES(2,6,'["b","B2",0.55,599.6500000000001]');
INSERT INTO "events" VALUES(2,7,'["chance","5"]');
INSERT INTO "events" VALUES(2,8,'["w","D3",0.675,599.4000000000001]');
INSERT INTO "events" VALUES(2,9,'["chance","5"]');
INSERT INTO "events" VALUES(2,10,'["b","B3",0.8,599.1000000000001]');
INSERT INTO "events" VALUES(2,11,'["chance","3"]');
INSERT INTO "events" VALUES(2,12,'["w","C4",0.925,598.7250000000001]');
INSERT INTO "events" VALUES(2,13,'["chance","2"]');
INSERT INTO "events" VALUES(2,14,'["b","B4",1.05,598.3000000000002]');
INSERT INTO "events" VALUES(2,15,'["chance","2"]');
INSERT INTO "events" VALUES(2,16,'["w","D2",1.175,597.8000000000002]');
INSERT INTO "events" VALUES(2,17,'["chance","2"]');
INSERT INTO "events" VALUES(2,18,'["b","D4",1.3,597.2500000000002]');
INSERT INTO "events" VALUES(2,19,'["chance","3"]');
INSERT INTO "events" VALUES(2,20,'["w","A2",1.425,596.6250000000002]');
INSERT INTO "events" VALUES(2,21,'["chance","6"]');
INSERT INTO "events" VALUES(2,22,'["b","A3",1.55,595.9500000000003]');
INSERT INTO "events" VALUES(2,23,'["chance","1"]');
INSERT INTO "events" VALUES(2,24,'["w","B5",1.675,595.2000000000003]');
INSERT INTO "events" VALUES(2,25,'["chance","5"]');
INSERT INTO "events" VALUES(2,26,'["b","E3",1.8,594.4000000000003]');
INSERT INTO "events" VALUES(2,27,'["chance","2"]');
INSERT INTO "events" VALUES(3,0,'["b","C2",0.3,599.95]');
INSERT INTO "events" VALUES(3,1,'["w","D4",0.425,599.825]');
INSERT INTO "events" VALUES(3,2,'["b","D4",0.55,599.6500000000001]');
INSERT INTO "events" VALUES(3,3,'["b","E1",0.675,599.2250000000001]');
INSERT INTO "events" VALUES(3,4,'["w","B3",0.8,599.2750000000001]');
INSERT INTO "events" VALUES(3,5,'["b","B5",0.925,598.5500000000002]');
INSERT INTO "events" VALUES(3,6,'["w","B4",1.05,598.4750000000001]');
INSERT INTO "events" VALUES(3,7,'["b","D5",1.175,597.6250000000002]');
INSERT INTO "events" VALUES(3,8,'["w","B5",1.3,597.4250000000002]');
INSERT INTO "events" VALUES(3,9,'["w","C1",1.425,596.2500000000002]');
INSERT INTO "events" VALUES(3,10,'["b","C5",1.55,596.3250000000003]');
INSERT INTO "events" VALUES(3,11,'["w","A1",1.675,594.8250000000003]');
INSERT INTO "events" VALUES(3,12,'["b","C4",1.8,594.7750000000003]');
INSERT INTO "events" VALUES(4,0,'["w","G4",0.3,599.95]');
INSERT INTO "events" VALUES(4,1,'["b","F5",0.425,599.825]');
INSERT INTO "events" VALUES(4,2,'["w","G2",0.55,599.6500000000001]');
INSERT INTO "events" VALUES(4,3,'["b","J6",0.675,599.4000000000001]');
INSERT INTO "events" VALUES(4,4,'["w","J7",0.8,599.1000000000001]');
INSERT INTO "events" VALUES(4,5,'["b","F3",0.925,598.7250000000001]');
INSERT INTO "events" VALUES(4,6,'["w","E2",1.05,598.3000000000002]');
INSERT INTO "events" VALUES(4,7,'["b","E1",1.175,597.8000000000002]');
INSERT INTO "events" VALUES(4,8,'["w","B1",1.3,597.2500000000002]');
INSERT INTO "events" VALUES(4,9,'["b","H4",1.425,596.6250000000002]');
INSERT INTO "events" VALUES(4,10,'["w","K5",1.55,595.9500000000003]');
INSERT INTO "events" VALUES(4,11,'["b","N7",1.675,595.2000000000003]');
INSERT INTO "events" VALUES(4,12,'["w","J3",1.8,594.4000000000003]');
INSERT INTO "events" VALUES(5,0,'["b","E4",0.3,599.95]');
INSERT INTO "events" VALUES(5,1,'["w","D2",0.425,599.825]');
INSERT INTO "events" VALUES(5,2,'["b","C3",0.55,599.6500000000001]');
INSERT INTO "events" VALUES(5,3,'["w","D5",0.675,599.4000000000001]');
INSERT INTO "events" VALUES(5,4,'["b","D4",0.8,599.1000000000001]');
INSERT INTO "events" VALUES(5,5,'["w","A1",0.925,598.7250000000001]');
INSERT INTO "events" VALUES(5,6,'["b","C4",1.05,598.3000000000002]');
INSERT INTO "events" VALUES(5,7,'["w","E2",1.175,597.8000000000002]');
INSERT INTO "events" VALUES(5,8,'["b","C1",1.3,597.2500000000002]');
INSERT INTO "events" VALUES(5,9,'["w","C2",1.425,596.6250000000002]');
INSERT INTO "events" VALUES(5,10,'["b","D1",1.55,595.9500000000003]');
INSERT INTO "events" VALUES(5,11,'["w","B3",1.675,595.2000000000003]');
INSERT INTO "events" VALUES(5,12,'["b","A4",1.8,594.4000000000003]');
INSERT INTO "events" VALUES(5,13,'["w","forfeit"]');
CREATE TABLE matches (
    number  integer primary key,
    spec    text not null,
    black   text not null,
    white   text not null,
    result  text not null,      -- "" while the game goes on
    why     text not null,
    secret  blob not null,      -- of the dice
    head    text not null,      -- one line of JSON, see journal.py
    filed   integer not null    -- 1 when its record is in a file of its own
);
INSERT INTO "matches" VALUES(1,'go:size=5,komi=7.5,repetition=psk,dead=none,lang=en','alpha','bravo','','',X'0101010101010101010101010101010101010101010101010101010101010101','{"format":"gtp-variants server game","version":2,"spec":"go:size=5,komi=7.5,repetition=psk,dead=none,lang=en","players":{"b":"alpha","w":"bravo"},"ratings":{"b":"1500","w":"1500?"},"level_s":600.0,"gift_s":0.25,"commitment":"72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793"}',0);
INSERT INTO "matches" VALUES(2,'aleago:size=5,dice=1d6,star=false,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=true,komi=7.5,repetition=ssk,dead=none,lang=en','alpha','bravo','','',X'0202020202020202020202020202020202020202020202020202020202020202','{"format":"gtp-variants server game","version":2,"spec":"aleago:size=5,dice=1d6,star=false,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=true,komi=7.5,repetition=ssk,dead=none,lang=en","players":{"b":"alpha","w":"bravo"},"ratings":{"b":"1500","w":"1500?"},"level_s":600.0,"gift_s":0.25,"commitment":"75877bb41d393b5fb8455ce60ecd8dda001d06316496b14dfa7f895656eeca4a"}',0);
INSERT INTO "matches" VALUES(3,'phantom:size=5,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=none,lang=en','alpha','bravo','','',X'0303030303030303030303030303030303030303030303030303030303030303','{"format":"gtp-variants server game","version":2,"spec":"phantom:size=5,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=none,lang=en","players":{"b":"alpha","w":"bravo"},"ratings":{"b":"1500","w":"1500?"},"level_s":600.0,"gift_s":0.25,"commitment":"648aa5c579fb30f38af744d97d6ec840c7a91277a499a0d780f3e7314eca090b"}',0);
INSERT INTO "matches" VALUES(4,'pentalath:board=trapezoid,players=2,repetition=none,no_move=draw,supply=none,swap=false,lang=en','alpha','bravo','','',X'0404040404040404040404040404040404040404040404040404040404040404','{"format":"gtp-variants server game","version":2,"spec":"pentalath:board=trapezoid,players=2,repetition=none,no_move=draw,supply=none,swap=false,lang=en","players":{"b":"alpha","w":"bravo"},"ratings":{"b":"1500","w":"1500?"},"level_s":600.0,"gift_s":0.25,"commitment":"9f4fb68f3e1dac82202f9aa581ce0bbf1f765df0e9ac3c8c57e20f685abab8ed"}',0);
INSERT INTO "matches" VALUES(5,'go:size=5,komi=7.5,repetition=psk,dead=none,lang=en','alpha','bravo','B+Illegal','Illegal move error:(off board): that is no point of this board move:z99',X'0505050505050505050505050505050505050505050505050505050505050505','{"format":"gtp-variants server game","version":2,"spec":"go:size=5,komi=7.5,repetition=psk,dead=none,lang=en","players":{"b":"alpha","w":"bravo"},"ratings":{"b":"1500","w":"1500?"},"level_s":600.0,"gift_s":0.25,"commitment":"f849d67325facf04177bc663b2dc544051831c589ef581d412f2eba44834e77c"}',0);
CREATE INDEX unfiled on matches (number) where filed = 0;
COMMIT;
PRAGMA user_version = 2;
