"""Twin games at the border of the server: every line and message that an account is sent, and what watchers see."""

import asyncio
import re
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

from gtp_variants.base.connection_gate import ConnectionLimits, Gate
from gtp_variants.players.player import news_of
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.game import Game
from gtp_variants.site.access.accounts import Account
from gtp_variants.site.access.visitors import Visitors
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.application import PUBLIC
from gtp_variants.site.lobby.browsers import LobbyBrowsers
from gtp_variants.site.lobby.guests import Guest, LobbySettings, LoginStage
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.page.requests import Services
from gtp_variants.site.site_file import SiteStore
from tests.support.twins import TwinPair, is_unheard

NAMES = ("alpha", "bravo")


class Clock:
    """A clock that stands until it is moved on."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Screens:
    """The browsers at one game of a lobby: a seat's, a watcher's, and one in the lobby."""

    def __init__(self, lobby: Lobby, game: AccountGame, colour: int) -> None:
        self._games, self._game, self._colour = lobby.games, game, colour
        self._lobby = LobbyBrowsers(lobby, Gate(ConnectionLimits()), Services(lobby.games, PUBLIC, Visitors(b"")))
        self._ears = {who: lobby.games.join(game, who) for who in (colour, None)}
        self.came: dict[int | None, list[str]] = {who: self._take(who) for who in self._ears}
        self._listed = self._lobby._describe()

    def _take(self, who: int | None) -> list[str]:
        queue = self._ears[who].queue
        # Digits of clocks are as many as they were: the sizes are compared, too.
        return [
            _CLOCKS.sub(lambda clocks: re.sub(r"\d", "0", clocks[0]), queue.get_nowait()) for _ in range(queue.qsize())
        ]

    def expect(self, game: Game, index: int) -> None:
        """Raises AssertionError if a browser got something of an event that it does not hear, or nothing of another."""
        hears = {each: news_of(game, index, each) is not None for each in game.rules.colours}
        for who, is_heard in ((self._colour, hears[self._colour]), (None, all(hears.values()))):
            came = self._take(who)
            assert bool(came) == is_heard, (index, who, came)
            self.came[who] += came
        assert self._lobby._describe() == self._listed

    def come_anew(self) -> None:
        """Note what those hear who come at the end."""
        for who in self._ears:
            self._ears[who] = self._games.join(self._game, who)
            self.came[who] += self._take(who)


_CLOCKS = re.compile(r'"(clocks": \{[^}]*\}|free_s": [0-9.]+)')


async def _play(folder: Path, game: Game, colour: int, clock: Clock, pace: Random) -> list[str]:
    """Play a game; return all lines sent to a colour's account, during it and after it returns, then to browsers."""
    folder.mkdir(parents=True)
    store = SiteStore(folder / "server.sqlite3")
    settings = LobbySettings((game.rules.spec,), level_s=600.0, pause_s=0.0)
    lobby = Lobby(settings, store, folder, lambda line: None, Random(1))
    lines: dict[str, list[str]] = {name: [] for name in NAMES}
    for name in NAMES:
        store.accounts.write(Account(name, ""))
        games = frozenset({game.rules.name})
        guest = Guest(lines[name].append, lambda: None, stage=LoginStage.WAITING, name=name, games=games, is_told=True)
        lobby.guests[name] = guest
    lobby.pair()
    await asyncio.sleep(0)
    (running,) = lobby.running.values()
    screens = Screens(lobby, running, colour)
    for index, event in enumerate(game.events):
        actor, other = running.names[event.actor], running.names[3 - event.actor]
        clock.now_s += 1.0 if event.actor == colour else pace.random()
        before = len(lines[other])
        word = "pass" if event.action == PASS else game.rules.board.vertex(event.action)
        lobby.receive(lobby.guests[actor], word)
        assert (len(lines[other]) == before) == is_unheard(game, index), lines[other][before:]
        screens.expect(game, index)
    account = running.names[colour]
    lobby.guests[account].stage = LoginStage.OVER
    lobby.receive(lobby.guests[account], "ready")
    screens.come_anew()
    store.close()
    return [*lines[account], *screens.came[colour], *screens.came[None]]


def compare_lines(folder: Path, pair: TwinPair) -> None:
    """Compare what a colour's account is sent in two games that sound alike to it; others take their own time."""
    clock, lines = Clock(), []
    with patch.object(AccountGame, "new", partial(AccountGame.new, now=clock)):
        for number, game in enumerate(pair.games):
            lines.append(asyncio.run(_play(folder / str(number), game, pair.colour, clock, Random(number))))
    assert lines[0] == lines[1], f"pair {pair.number}, {pair.spec}"
    assert len(lines[0]) > 5
