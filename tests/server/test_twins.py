"""Two games that one account cannot tell apart: what the server sends it is the same, line by line, clocks included."""

from pathlib import Path
from random import Random

import pytest

from gtp_variants.broadcast.publisher import Publisher, Shown
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.server.account_game import AccountGame
from gtp_variants.server.accounts import Account
from gtp_variants.server.game_publisher import ServerBroadcast
from gtp_variants.server.lobby import Guest, Lobby, LobbySettings, LoginStage
from gtp_variants.server.store import ServerStore
from tests.server.servers import run
from tests.support.twins import ALL_SPECS, QUICK_SPECS, is_unheard, make_twins

NAMES = ("alpha", "bravo")


class Watched(Publisher):
    """Notes that something is shown to those who watch."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(self, name: str, shown: Shown) -> None:
        self.shown.append(name)

    def leave(self, name: str) -> None:
        self.shown.append(name)


class Clock:
    """A clock that stands until it is moved on."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


async def _play(folder: Path, game: Game, colour: int, clock: Clock, pace: Random) -> list[str]:
    """What a colour's account is sent while a game is played, and when it comes back afterwards."""
    folder.mkdir(parents=True)
    store, watched = ServerStore(folder / "server.sqlite3"), Watched()
    settings = LobbySettings((game.rules.spec,), level_s=600.0, pause_s=0.0)
    broadcast = ServerBroadcast(watched, "server")
    lobby = Lobby(settings, store, folder, lambda line: None, Random(1), broadcast.show)
    lines: dict[str, list[str]] = {name: [] for name in NAMES}
    for name in NAMES:
        store.write_account(Account(name, ""))
        games = frozenset({game.rules.name})
        guest = Guest(lines[name].append, lambda: None, "", LoginStage.WAITING, name, games, is_told=True)
        lobby.guests[name] = guest
    lobby.pair()
    (running,) = lobby.running.values()
    for index, event in enumerate(game.events):
        actor, other = running.names[event.actor], running.names[3 - event.actor]
        clock.now_s += 1.0 if event.actor == colour else pace.random()
        before = len(lines[other])
        word = "pass" if event.action == PASS else game.rules.board.vertex(event.action)
        await lobby.receive(lobby.guests[actor], word)
        assert (len(lines[other]) == before) == is_unheard(game, index), lines[other][before:]
    account = running.names[colour]
    lobby.guests[account].stage = LoginStage.OVER
    await lobby.receive(lobby.guests[account], "ready")
    store.close()
    assert not watched.shown
    return lines[account]


async def _compare_twins(folder: Path, spec: str, colour: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    new, clock = AccountGame.new, Clock()

    def begin(
        number: int, spec: str, names: dict[int, str], level_s: float, gift_s: float, ratings: dict[int, str]
    ) -> AccountGame:
        return new(number, spec, names, level_s, gift_s, ratings=ratings, now=clock)

    monkeypatch.setattr(AccountGame, "new", begin)
    first, second = make_twins(spec, colour, seed)
    ours = await _play(folder / "one", first, colour, clock, Random(1))
    theirs = await _play(folder / "other", second, colour, clock, Random(2))
    assert ours == theirs, f"{spec}, {seed}"
    monkeypatch.undo()


@pytest.mark.parametrize("spec", QUICK_SPECS)
def test_an_account_is_sent_the_same_lines_of_twin_games(
    tmp_path: Path, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for colour in (BLACK, WHITE):
        run(_compare_twins(tmp_path / str(colour), spec, colour, colour, monkeypatch))


@pytest.mark.slow
def test_an_account_is_sent_the_same_lines_whatever_is_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, spec in enumerate(ALL_SPECS):
        for colour in (BLACK, WHITE):
            run(_compare_twins(tmp_path / f"{seed}-{colour}", spec, colour, seed, monkeypatch))
