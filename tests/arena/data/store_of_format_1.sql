BEGIN TRANSACTION;
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "about" VALUES('format','1');
CREATE TABLE games (
    id TEXT PRIMARY KEY, matchup TEXT NOT NULL, pair INTEGER NOT NULL, leg TEXT NOT NULL,
    players TEXT NOT NULL, kind TEXT NOT NULL, result TEXT NOT NULL, winner TEXT,
    moves INTEGER NOT NULL, stones INTEGER NOT NULL, opening TEXT NOT NULL, fingerprint TEXT NOT NULL,
    failures TEXT NOT NULL, why TEXT NOT NULL, left TEXT NOT NULL,
    took_s REAL NOT NULL, thought_s TEXT NOT NULL, slowest_s TEXT NOT NULL, record TEXT NOT NULL
);
INSERT INTO "games" VALUES('a-b/0001a','a-b',1,'a','["a", "b"]','adjudicated','W+7.5','b',8,8,'','3f650b7a1c14ac59','[]','stopped at the limit of 8 moves','[]',0.032,'{"a": 0.0, "b": 0.0}','{"a": 0.0, "b": 0.0}','(;GM[1]FF[4]CA[UTF-8]AP[gtp-variants:1]SZ[5]KM[7.5]RU[Aléago]PB[a]PW[b]VARIANT[aleago:size=5,dice=1d2,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=none,lang=en]DICE[secret]COMMITMENT[51db18b3afa31a0857de96e0de379d5824e3268c9608667932c11d75c3f19de8]SECRET[ef51129a46e91da5346a056764e82b1475ecadd3cc8bd82ed6e0c24fef3f41ce]C[a-b/0001a: W+7.5, stopped at the limit of 8 moves]
;EVENT[chance 1]B[ae]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]W[be]WL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[ce]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 2]W[bd]WL[60]TIME[1 0 60 -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 2]B[cd]TIME[1 0 - -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1]W[de]WL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[ee]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 2]W[dd]WL[60]TIME[1 0 60 -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1])
');
INSERT INTO "games" VALUES('a-b/0001b','a-b',1,'b','["b", "a"]','adjudicated','W+7.5','a',8,8,'','3f650b7a1c14ac59','[]','stopped at the limit of 8 moves','[]',0.002,'{"b": 0.0, "a": 0.0}','{"b": 0.0, "a": 0.0}','(;GM[1]FF[4]CA[UTF-8]AP[gtp-variants:1]SZ[5]KM[7.5]RU[Aléago]PB[b]PW[a]VARIANT[aleago:size=5,dice=1d2,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=none,lang=en]DICE[secret]COMMITMENT[51db18b3afa31a0857de96e0de379d5824e3268c9608667932c11d75c3f19de8]SECRET[ef51129a46e91da5346a056764e82b1475ecadd3cc8bd82ed6e0c24fef3f41ce]C[a-b/0001b: W+7.5, stopped at the limit of 8 moves]
;EVENT[chance 1]B[ae]BL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]W[be]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[ce]BL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 2]W[bd]TIME[1 0 - -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 2]B[cd]BL[60]TIME[1 0 60 -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1]W[de]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[ee]BL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 2]W[dd]TIME[1 0 - -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1])
');
INSERT INTO "games" VALUES('a-b/0002a','a-b',2,'a','["a", "b"]','adjudicated','W+7.5','b',8,8,'','1e5282cda9135df8','[]','stopped at the limit of 8 moves','[]',0.001,'{"a": 0.0, "b": 0.0}','{"a": 0.0, "b": 0.0}','(;GM[1]FF[4]CA[UTF-8]AP[gtp-variants:1]SZ[5]KM[7.5]RU[Aléago]PB[a]PW[b]VARIANT[aleago:size=5,dice=1d2,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=none,lang=en]DICE[secret]COMMITMENT[45a862ac0e3e8b4748c38d181c1bd663a5842f0ea8e17d08671c90c918f75113]SECRET[5c4ba30b715054a93201fd1ed449390ff428468b8a9b5dadd5b50a9484c1321f]C[a-b/0002a: W+7.5, stopped at the limit of 8 moves]
;EVENT[chance 1]B[ae]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]W[be]WL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 2]B[bd]TIME[1 0 - -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1]W[ce]WL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[de]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]W[ee]WL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[ad]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 2]W[cd]WL[60]TIME[1 0 60 -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1])
');
INSERT INTO "games" VALUES('a-b/0002b','a-b',2,'b','["b", "a"]','adjudicated','W+7.5','a',8,8,'','1e5282cda9135df8','[]','stopped at the limit of 8 moves','[]',0.002,'{"b": 0.0, "a": 0.0}','{"b": 0.0, "a": 0.0}','(;GM[1]FF[4]CA[UTF-8]AP[gtp-variants:1]SZ[5]KM[7.5]RU[Aléago]PB[b]PW[a]VARIANT[aleago:size=5,dice=1d2,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=none,lang=en]DICE[secret]COMMITMENT[45a862ac0e3e8b4748c38d181c1bd663a5842f0ea8e17d08671c90c918f75113]SECRET[5c4ba30b715054a93201fd1ed449390ff428468b8a9b5dadd5b50a9484c1321f]C[a-b/0002b: W+7.5, stopped at the limit of 8 moves]
;EVENT[chance 1]B[ae]BL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]W[be]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 2]B[bd]BL[60]TIME[1 0 60 -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1]W[ce]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[de]BL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 1]W[ee]TIME[1 0 - -]C[draw 1: line 1 is open]
;EVENT[chance 1]B[ad]BL[60]TIME[1 0 60 -]C[draw 1: line 1 is open]
;EVENT[chance 2]W[cd]TIME[1 0 - -]C[draw 2: lines 2 and 3 are open]
;EVENT[chance 1])
');
CREATE TABLE matchups (id TEXT PRIMARY KEY, settings TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "matchups" VALUES('a-b','{"seed": "old", "variant": "aleago:size=5,dice=1d2,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,dead=none,lang=en", "move_limit": 8, "on_move_limit": "score", "handicap": 0, "on_crash": "replay:2", "openings": "", "match": "1 none", "players": {"a": {"time": "none", "margin": "0.1s", "bot": "first.py:First", "version": "sha256:b072bd39f6888a6f"}, "b": {"time": "60s+5x30s", "margin": "0.1s", "bot": "first.py:First", "version": "sha256:b072bd39f6888a6f"}}}');
COMMIT;
