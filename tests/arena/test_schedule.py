"""The same seed gives the same games; a pair shares its dice and swaps the colours."""

import hmac

from gtp_variants.arena import config as configuration
from gtp_variants.arena.config import MatchConfig
from gtp_variants.arena.referee import play
from gtp_variants.arena.schedule import fixtures
from gtp_variants.records.json import to_json

TEXT = """
arena: 1
players: {a: {command: bot:greedy}, b: {command: bot:uniform}, c: {command: bot:uniform}}
defaults: {variant: "aleago:size=5"}
tournament: {type: roundrobin, pairs: 2}
seed: SEED
"""


def match(seed: str = "x") -> MatchConfig:
    return configuration.read(TEXT.replace("SEED", seed))


def test_every_matchup_plays_its_pairs_with_swapped_colours() -> None:
    games = list(fixtures(match()))
    assert [game.id for game in games[:7]] == [
        "a-b/0001a",
        "a-b/0001b",
        "a-c/0001a",
        "a-c/0001b",
        "b-c/0001a",
        "b-c/0001b",
        "a-b/0002a",
    ]
    assert len({game.id for game in games}) == len(games) == 12
    first, second = games[:2]
    assert (first.players, second.players) == (("a", "b"), ("b", "a"))


def test_a_pair_shares_its_dice_and_nothing_else_is_shared() -> None:
    games = list(fixtures(match()))
    assert games[0].secret == games[1].secret
    assert len({game.secret for game in games}) == 6
    assert len({game.seat_seed(colour) for game in games for colour in (1, 2)}) == 24
    assert games[0].secret.hex() not in {game.seat_seed(colour) for game in games for colour in (1, 2)}


def test_the_same_seed_gives_the_same_games_and_another_gives_others() -> None:
    records = {seed: [to_json(play(game)[1]) for game in fixtures(match(seed))] for seed in ("x", "y")}
    assert records["x"] == [to_json(play(game)[1]) for game in fixtures(match("x"))]
    assert not set(records["x"]) & set(records["y"])


def test_the_dice_do_not_change_between_versions() -> None:
    # A record that names its seed must stay what it is.
    assert next(fixtures(match())).secret == hmac.digest(b"x", b"dice\na-b/0001", "sha256")
