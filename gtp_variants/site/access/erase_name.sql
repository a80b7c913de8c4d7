-- Replace the :name of an account or a guest by :nobody in games, chats and tournaments.

-- Games among friends have no names in their rows, and no names of guests. The first line of a game from before version 5 has `players`.
update lines set line = (
    select json_replace(line,
        '$.seats.b.name', iif(b = :name, :nobody, b), '$.players.b', iif(old_b = :name, :nobody, old_b),
        '$.seats.w.name', iif(w = :name, :nobody, w), '$.players.w', iif(old_w = :name, :nobody, old_w),
        '$.seats.r.name', iif(r = :name, :nobody, r), '$.players.r', iif(old_r = :name, :nobody, old_r),
        '$.creator', iif(creator = :name, '', creator), '$.referee', iif(referee = :name, '', referee))
    from (select
        json_extract(line, '$.seats.b.name') b, json_extract(line, '$.seats.w.name') w, json_extract(line, '$.seats.r.name') r,
        json_extract(line, '$.players.b') old_b, json_extract(line, '$.players.w') old_w, json_extract(line, '$.players.r') old_r,
        json_extract(line, '$.creator') creator, json_extract(line, '$.referee') referee)
) where game in (select id from games where (number is null and :name not glob 'guest-*') or black = :name or white = :name)
    and line like '{%' and instr(line, :name) and json_valid(line);

update games set black = :nobody where black = :name;
update games set white = :nobody where white = :name;
update forfeits set black = :nobody where black = :name;
update forfeits set white = :nobody where white = :name;
update chat set name = :nobody where name = :name;
update tournaments set entrants = (
    select json_group_array(iif(value = :name collate nocase, :nobody, value)) from json_each(entrants)
) where exists (select 1 from json_each(entrants) where value = :name collate nocase);
