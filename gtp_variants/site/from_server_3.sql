-- Files that the server wrote before version 4 have fewer columns.
alter table accounts add column kind text not null default 'bot';
alter table matches add column begun text not null default '';
alter table matches add column ended text not null default '';
alter table matches add column event text not null default '';
