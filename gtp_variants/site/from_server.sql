-- Converts a file of a server of an older version, which has a table `matches`, with fewer columns before version 4.
-- An account had one rating for all games, found by Elo's rule, which now counts at each game it has played, with the
-- deviation 150. Secrets and results were beside the lines of a game.
alter table accounts add column kind text not null default 'bot';
alter table matches add column begun text not null default '';
alter table matches add column ended text not null default '';
alter table matches add column event text not null default '';
-- FROM VERSION 4 ON
alter table accounts rename to old_accounts;
alter table matches rename to old_matches;
drop table if exists sessions;
drop index if exists unfiled;
drop index if exists latest;
drop index if exists by_black;
drop index if exists by_white;
-- THE NEW TABLES

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
    150.0, 0.06, count(*) from old_accounts a join old_matches
    on a.name in (black, white) and result <> '' group by a.name, kind_of_game;
drop table old_accounts;
drop table old_matches;
drop table events;
