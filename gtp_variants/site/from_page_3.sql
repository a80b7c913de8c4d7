-- Files that the page wrote before version 4 do not say whether a game has begun.
alter table games add column begun integer not null default 1;
