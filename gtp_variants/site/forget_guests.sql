-- Guests who have no game in progress, and none that ended after :before, in ISO 8601.
select name from (
    select black name from games where result <> '' and ended < :before and filed = 1
    union select white from games where result <> '' and ended < :before and filed = 1
) where name glob 'guest-*' and name not glob 'guest-gone*'
    and not exists (select 1 from games where black = name and (result = '' or ended >= :before))
    and not exists (select 1 from games where white = name and (result = '' or ended >= :before));

-- Once their names are erased, they have no seats.
update seats set owner = '' where owner <> '' and colour = 1 and game in (select id from games where black = :nobody);
update seats set owner = '' where owner <> '' and colour = 2 and game in (select id from games where white = :nobody);

-- The games to be removed: those of nobody and of bots of the package, whose accounts have no password, but for the last,
-- whose number must not be given again; and the games among friends without news since :before_s, in seconds since 1970,
-- in which no account has a seat, referees or began.
select id, number from games where result <> '' and ended < :before and filed = 1 and event = ''
        and black in (select :nobody union select name from accounts where kind = 'bot' and password = '')
        and white in (select :nobody union select name from accounts where kind = 'bot' and password = '')
        and number < (select max(number) from games)
    union select id, null from games where number is null and kept_s < :before_s
        and not exists (select 1 from seats where game = id and owner <> '' and owner not glob '~*')
        and not exists (select 1 from lines where game = id and line like '{%' and json_valid(line) and (
            coalesce(nullif(json_extract(line, '$.referee'), ''), '~') not glob '~*'
            or coalesce(nullif(json_extract(line, '$.creator'), ''), '~') not glob '~*'));
