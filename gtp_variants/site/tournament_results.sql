-- The decided games of the tournament :name: the key, Black, White, and the points of each. Any other result than a win or
-- a draw leaves a game undecided, and it is played again.
select substr(event, length(:name) + 2), black, white, iif(result like 'B%', 1.0, iif(result like 'D%', 0.5, 0.0)),
        iif(result like 'W%', 1.0, iif(result like 'D%', 0.5, 0.0))
    from games where substr(event, 1, length(:name) + 1) = :name || ' ' and substr(result, 1, 1) in ('B', 'W', 'D')
union all select substr(event, length(:name) + 2), black, white, points, against
    from forfeits where substr(event, 1, length(:name) + 1) = :name || ' ';
