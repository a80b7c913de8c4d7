"""The schedule: seeds, dice and colours of games, and the pairings of tournaments."""

import hmac
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import WHOLE, Fixture, Shard, count_games, units
from gtp_variants.players.pairing import SwissStanding
from gtp_variants.records.json import to_json

TEXT = """
arena: 1
players: {a: {command: bot:greedy}, b: {command: bot:uniform}, c: {command: bot:uniform}}
defaults: {variant: "aleago:size=5"}
tournament: {type: roundrobin, pairs: 2}
seed: SEED
"""


def match(seed: str = "x", **changes: str) -> MatchConfig:
    text = TEXT.replace("SEED", seed)
    for key, value in changes.items():
        text = "\n".join(line for line in text.splitlines() if not line.startswith(key)) + f"\n{key}: {value}\n"
    return resolve.read(text)


def games(config: MatchConfig, shard: Shard = WHOLE) -> list[Fixture]:
    return [fixture for unit in units(config, {}, shard) for fixture in unit.fixtures(config)]


def test_matchups_play_pairs_with_swapped_colours() -> None:
    found = games(match())
    assert [game.id for game in found[:7]] == [
        "a-b/0001a",
        "a-b/0001b",
        "a-c/0001a",
        "a-c/0001b",
        "b-c/0001a",
        "b-c/0001b",
        "a-b/0002a",
    ]
    assert len({game.id for game in found}) == len(found) == count_games(match()) == 12
    assert [game.names for game in found[:2]] == [("a", "b"), ("b", "a")]


def test_games_have_different_dice_unless_pairs_share_them() -> None:
    found = games(match())
    assert len({game.secret for game in found}) == 12
    assert len({game.secret for game in games(match(dice="own"))}) == 12
    shared = games(match(dice="shared"))
    assert shared[0].secret == shared[1].secret
    assert len({game.secret for game in shared}) == 6
    assert len({game.seat_seed(colour) for game in found for colour in (1, 2)}) == 24
    assert found[0].secret.hex() not in {game.seat_seed(colour) for game in found for colour in (1, 2)}


def test_same_seed_gives_the_same_games() -> None:
    def played(seed: str) -> list[str]:
        # Compare everything except times, which differ between runs.
        return [to_json(replace(play_game(game)[1], times={})) for game in games(match(seed))]

    found = {seed: played(seed) for seed in ("x", "y")}
    assert found["x"] == played("x")
    assert not set(found["x"]) & set(found["y"])


def test_dice_of_a_seed_never_change() -> None:
    # A seed in a record must give the same dice forever.
    assert games(match())[0].secret == hmac.digest(b"x", b"dice\na-b/0001a", "sha256")
    assert games(match(dice="shared"))[0].secret == hmac.digest(b"x", b"dice\na-b/0001", "sha256")


def test_shards_cover_all_pairs_once() -> None:
    whole = [game.id for game in games(match())]
    parts = [[game.id for game in games(match(), Shard(number, 4))] for number in range(1, 5)]
    assert sorted(id for part in parts for id in part) == sorted(whole)
    assert [len(part) for part in parts] == [4, 4, 2, 2]
    assert [count_games(match(), Shard(number, 4)) for number in range(1, 5)] == [4, 4, 2, 2]


def test_gauntlet_pairs_seeds_with_all_others() -> None:
    config = match(tournament="{type: gauntlet, seeds: [b], pairs: 2}")
    assert [each.names for each in config.matchups] == [("b", "a"), ("b", "c")]
    config = match(tournament="{type: gauntlet, seeds: [b, c], pairs: 2}")
    assert [each.names for each in config.matchups] == [("b", "a"), ("c", "a")]


def test_three_players_have_every_colour_once_a_round() -> None:
    found = games(match(defaults='{variant: "pentalath:players=3"}', tournament="{type: playoff, pairs: 2}"))
    assert [game.id for game in found] == ["a-b-c/0001" + leg for leg in "abc"] + ["a-b-c/0002" + leg for leg in "abc"]
    assert [game.names for game in found[:3]] == [("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")]
    assert [game.names for game in found[3:]] == [("c", "b", "a"), ("a", "c", "b"), ("b", "a", "c")]


# -- Swiss -------------------------------------------------------------------------------------------------------------


def won(winner: str, loser: str) -> dict[str, float]:
    return {winner: 1.0, loser: 0.0}


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 11])
def test_swiss_pairs_equals_who_have_not_met(count: int) -> None:
    names = [f"p{number:02}" for number in range(count)]
    table = SwissStanding(names)
    met: Counter[frozenset[str]] = Counter()
    out: Counter[str] = Counter()
    for _ in range(min(count - 1, 4)):
        meetings = table.pair_up()
        out.update(set(names) - {name for meeting in meetings for name in meeting})
        for one, other in meetings:
            met[frozenset((one, other))] += 1
            # The first player is the strongest.
            table.add(won(min(one, other), max(one, other)))
    assert max(met.values()) == 1
    assert sum(out.values()) == (min(count - 1, 4) if count % 2 else 0)
    assert max(out.values(), default=0) <= 1
    assert max(table.points, key=lambda name: table.points[name]) == "p00"


def test_swiss_leaders_meet_in_the_second_round() -> None:
    table = SwissStanding(list("abcd"))
    assert table.pair_up() == [("a", "b"), ("c", "d")]
    table.add(won("b", "a"))
    table.add(won("c", "d"))
    assert table.pair_up() == [("b", "c"), ("a", "d")]


def test_swiss_bye_goes_to_the_lowest_with_fewest_byes() -> None:
    table = SwissStanding(list("abc"))
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        assert table.pair_up() == [(one, other)]
        table.add(won(one, other))
    assert table.byes == {"a": [3], "b": [2], "c": [1]}


def test_swiss_players_meet_again_when_all_have_met() -> None:
    table = SwissStanding(list("abcd"))
    meetings = [frozenset(meeting) for _ in range(6) for meeting in table.pair_up()]
    assert Counter(meetings) == dict.fromkeys(map(frozenset, combinations("abcd", 2)), 2)


def test_swiss_round_is_known_when_the_last_one_is_over() -> None:
    config = match(tournament="{type: swiss, rounds: 3, pairs: 2}")
    assert count_games(config) == 3 * 2 * 2
    first = list(units(config, {}))
    assert [unit.id for unit in first] == ["a-b/0001", "a-b/0002"]
    rows = {id: play_of(unit.matchup.names, id) for unit in first for id in unit.ids}
    assert [unit.id for unit in units(config, rows)] == ["a-b/0001", "a-b/0002", "a-c/0003", "a-c/0004"]


def play_of(names: tuple[str, ...], id: str) -> ResultRow:
    return ResultRow(id, id[:3], int(id[4:8]), id[-1], names, "played", "B+1", names[0], 1)
