-- Delete the account :name with its ratings, and name it :nobody in its games. The players of a tournament are told apart by
-- their names, so each of them becomes another nobody.
delete from accounts where name = :name;
delete from ratings where name = :name;
delete from rating_history where name = :name;
update seats set owner = '' where owner = :name;
select iif(exists (select 1 from tournaments, json_each(entrants) where value = :name collate nocase), :nobody || '-' || (
    select 1 + count(distinct value) from tournaments, json_each(entrants) where value glob :nobody || '*'), :nobody);
