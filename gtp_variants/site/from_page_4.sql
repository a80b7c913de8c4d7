-- The page's files have a table of games. Version 1 kept a whole game in one line, `room`.
create table if not exists seats (game, colour, token, invitation, recovery);
alter table seats rename to page_seats;
alter table games rename to page_games;
{tables}
insert into games (id, made_s, kept_s, over, begun) select id, made_s, kept_s, over, begun from page_games;
insert or ignore into lines select id, 0, room from page_games where room <> '';
insert into seats select game, colour, '', invitation, token from page_seats;
drop table page_games;
drop table page_seats;
