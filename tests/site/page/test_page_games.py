"""Games replayed from the store while others change them, and the turns of clients who ask for many."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from gtp_variants.rules.actions import BLACK
from gtp_variants.site.game_store import GameRows
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.refusals import PageRefused
from gtp_variants.site.site_file import SiteStore
from tests.site.page.serving import PATIENCE_S

Change = Callable[[SiteStore, PageGames, PageGame], object]


class HeldReplays:
    """Replays of which the first ends only at `go_on`. `names` are the games replayed so far."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names = list[str]()
        self._begun, self._end, replay = threading.Event(), threading.Event(), GameRows.replay

        def note(stored: GameRows) -> PageGame:
            self.names.append(stored.name)
            self._begun.set()
            assert self._end.wait(PATIENCE_S)
            return replay(stored)

        monkeypatch.setattr(GameRows, "replay", note)

    async def await_first(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, PATIENCE_S)

    def go_on(self) -> None:
        self._end.set()


def begin(games: PageGames, visitor: str) -> PageGame:
    """Begin a game in whose chat Black has said something."""
    game, _ = games.begin({"spec": "go:size=5", "seats": {"b": {"kind": "person", "name": visitor}}}, visitor)
    games.store.write_chat(game.name, game.chat.say("b", visitor, "hello"))
    return game


def delete_account(site: SiteStore, games: PageGames, game: PageGame) -> None:
    games.forget_player("ann", site.accounts.delete("ann"))


@pytest.mark.parametrize(
    ("visitor", "change", "expected"),
    [
        ("~ann", lambda site, games, game: games.owners.adopt("~ann", "ann"), ("ann", "ann", ["~ann"])),
        ("ann", delete_account, ("", "", ["guest-gone"])),
        ("~ann", lambda site, games, game: games.remove_chat(game.name, 0), ("~ann", "~ann", [])),
        ("~ann", lambda site, games, game: games.delete(game, "~ann"), "page.no_game"),
        ("~ann", lambda site, games, game: games.forget_guests(time.time() + 1), "page.no_game"),
    ],
    ids=["seats given to an account", "account deleted", "chat line removed", "game deleted", "guests forgotten"],
)
def test_a_change_during_a_replay_holds(
    visitor: str, change: Change, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fetch() -> object:
        site = SiteStore(None)
        games = PageGames(site.games)
        game, replays = begin(games, visitor), HeldReplays(monkeypatch)
        asked = asyncio.create_task(games.fetch(game.name))
        await replays.await_first()
        change(site, games, game)
        replays.go_on()
        try:
            found = await asked
            assert await games.fetch(game.name) is found
            return found.locks[BLACK].owner, found.owner, [line.name for line in found.chat.lines]
        except PageRefused as error:
            return error.key
        finally:
            await games.close()
            site.close()

    assert asyncio.run(fetch()) == expected


def test_clients_have_their_games_replayed_in_turn_and_each_game_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fetch() -> None:
        games = PageGames(SiteStore(None).games)
        first, second, third, other = (begin(games, "~ann").name for _ in range(4))
        replays = HeldReplays(monkeypatch)
        asked = [(name, "192.0.2.1") for name in (first, second, third, other)]
        asked += [(first, "192.0.2.2"), (other, "192.0.2.3")]
        fetched = asyncio.gather(*(games.fetch(name, client=client) for name, client in asked))
        await replays.await_first()
        replays.go_on()
        found = await fetched
        assert replays.names == [first, other, second, third]
        assert found[4:] == [found[0], found[3]]
        await games.close()

    asyncio.run(fetch())
