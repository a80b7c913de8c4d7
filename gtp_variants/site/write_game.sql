-- Note a game :id, if it is new. Games among friends (without a :number) have no names here, and no files of their own.
insert into games (id, made_s, kept_s, over, begun, number, spec, black, white, event, filed)
    values (:id, :now_s, :now_s, 0, :begun, :number, :spec, :black, :white, :event, :number is null)
    on conflict (id) do nothing;

-- A journal with another first line is older, or from before the game got new dice: it is written anew.
delete from lines where game = :id and exists (select 1 from lines where game = :id and number = 0 and line <> :first);

-- :news puts a game among friends first in lists.
update games set begun = :begun, kept_s = iif(:news, :now_s, kept_s) where id = :id and number is null;
