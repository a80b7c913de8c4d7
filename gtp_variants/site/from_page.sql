-- Converts a file of the page of an older version. Version 1 kept a whole game in one line, `room`. Versions before 4
-- did not store `begun`.
alter table games add column begun integer not null default 1;
-- FROM VERSION 4 ON
create table if not exists seats (game, colour, token, invitation, recovery);
alter table seats rename to page_seats;
alter table games rename to page_games;
-- THE NEW TABLES

insert into games (id, made_s, kept_s, over, begun) select id, made_s, kept_s, over, begun from page_games;
insert or ignore into lines select id, 0, room from page_games where room <> '';
insert into seats select game, colour, '', invitation, token from page_seats;
drop table page_games;
drop table page_seats;
