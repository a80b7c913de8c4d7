"""Ratings by game: the figures of Glicko-2, and whom a result moves."""

import asyncio
from pathlib import Path

import pytest

from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import Account
from gtp_variants.site.access.ratings import Rating, rate
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import LobbySettings
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.site_file import SiteStore
from tests.site.lobby.servers import play


def test_the_example_of_the_paper_has_its_result() -> None:
    others = [(Rating(1400.0, 30.0), 1.0), (Rating(1550.0, 100.0), 0.0), (Rating(1700.0, 300.0), 0.0)]
    found = rate(Rating(1500.0, 200.0), others)
    assert (round(found.value, 2), round(found.deviation, 2), round(found.volatility, 5)) == (1464.05, 151.52, 0.06)
    assert found.games == 3


def test_a_rating_is_provisional_until_it_is_certain() -> None:
    one = other = Rating()
    counts = []
    for number in range(30):
        one, other = rate(one, [(other, number % 2)]), rate(other, [(one, 1 - number % 2)])
        counts.append(one.shown.endswith("?"))
    assert counts.index(False) == 13
    assert abs(one.value - 1500) < 60


@pytest.mark.parametrize(
    ("black", "white", "expected"),
    [
        ("ann", "ben", {"ann": "1338?", "ben": "1662?"}),
        # A person's results do not change a bot's rating, and an anchor stays.
        ("ann", "bot", {"ann": "1338?", "bot": "1500?"}),
        ("greedy", "bot", {"greedy": "1200", "bot": "1571?"}),
    ],
)
def test_a_result_moves_the_ratings_at_its_game(
    tmp_path: Path, black: str, white: str, expected: dict[str, str]
) -> None:
    async def test() -> None:
        store = SiteStore(tmp_path / "server.sqlite3", anchors={"Greedy": 1200.0})
        for name, kind in (("ann", "person"), ("ben", "person"), ("bot", "bot"), ("greedy", "bot")):
            store.accounts.write(Account(name, "", kind))
        lobby = Lobby(LobbySettings(("go:size=5",)), store, tmp_path, lambda line: None)
        game = AccountGame.new(1, "go:size=5", {BLACK: black, WHITE: white}, 600.0, 0.0)
        lobby.running[game.number] = game
        lobby.games.host(game)
        play(game, "resign")
        for _ in range(2):
            # Once only, however often the end is written.
            lobby.games.host(game)
        assert {name: store.accounts.rating(name, "go").shown for name in (black, white)} == expected
        assert store.accounts.rating(black, "go").games == store.accounts.rating(white, "go").games == 1
        assert store.accounts.rating(black, "aleago") == Rating() or black == "greedy"
        assert [name for name, _ in store.accounts.standings("go", "bot")] == sorted(
            {black, white} & {"bot", "greedy"}, key=lambda name: expected[name], reverse=True
        )
        store.close()

    asyncio.run(test())
