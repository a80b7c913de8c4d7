"""Private words: what reaches one player is the same in two games that differ only in what is hidden from them."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core import private_game
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import (
    ChatLine,
    RoomPresence,
    ServerGame,
)
from gtp_variants.bridge.core.session import AccountSession
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.publisher import Publisher, Shown
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game
from tests.bridge.fakes.running_bridge import config_of, run
from tests.bridge.twins import NAMES, Overheard, compare_private_games, overhear, typed
from tests.gtp.leaks import SPECS, another, unfinished
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, twin_pair
from tests.support.waiting import until


async def compare_pair(folder: Path, number: int) -> bool:
    """Compare what one player is sent in two games that sound alike to them; whether they are different games."""
    rng = Random(number)
    spec = SPECS[number % len(SPECS)]
    game, colour = unfinished(spec, rng.getrandbits(32)), rng.choice((BLACK, WHITE))
    other = another(game, colour, number)
    one = await overhear(folder / "one", spec, typed(game, colour, number, number))
    two = await overhear(folder / "other", spec, typed(other, colour, number, number + 1))
    for listener in (NAMES[colour], "carol", None):
        assert one.get(listener) == two.get(listener), f"pair {number}, {spec}, {listener}"
    assert set(one) == set(two) == set(NAMES.values())
    return bool(game.position.stones != other.position.stones)


class Watched(Publisher):
    """Notes what watchers are shown."""

    def __init__(self) -> None:
        self.shown: list[Shown] = []

    def show(self, name: str, shown: Shown) -> None:
        self.shown.append(shown)

    def leave(self, name: str) -> None:
        pass


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: True)


def test_an_unsent_result_is_sent_on_the_next_connection(tmp_path: Path) -> None:
    config = config_of("kgs", 80, tmp_path, "role: private\n", name="judge", game="phantom:size=3", server="room: here")
    log = Log(tmp_path / "out" / "bridge.log", config.outputs, config.server.password)
    lines: list[Overheard] = []
    watched = Watched()

    def make(_config: object, _log: object) -> Overheard:
        lines.append(Overheard("The game is over" if not lines else ""))
        lines[-1].coming.put_nowait(RoomPresence(frozenset(NAMES.values())))
        return lines[-1]

    async def test() -> None:
        session = AccountSession(config, log, make=make, publisher=watched)
        task = asyncio.create_task(session.run())
        await until(lambda: bool(lines))
        for name, text in (("alpha", "!black"), ("bravo", "!white"), ("alpha", "pass"), ("bravo", "pass")):
            lines[0].coming.put_nowait(ChatLine(name, text))
        await until(lambda: len(lines) == 2 and not session.games, "the end")
        assert lines[1].sent["alpha"][0] == "The game is over: White wins by 7.5 points."
        assert len(lines[1].sent["alpha"]) == len(lines[1].sent["bravo"])
        assert not list((tmp_path / "out" / "games").glob("*.json"))
        session.stop(at_once=True)
        await task

    run(test())
    log.close()
    # Who watches has seen the game when it was over, and not before.
    assert [shown.is_over for shown in watched.shown] == [True]


_STUBBORN = """
import gtp_variants as gv

class Stubborn(gv.Seat):
    def choose(self, view, clock):
        return 0
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine",
    [
        "{command: no-such-program-here, restarts: 0, grace: 1ms, fallback: resign}",
        "{bot: stubborn, grace: 1ms, fallback: resign}",
    ],
)
def test_an_engine_that_fails_or_tries_in_vain_for_ever_gives_its_game_up(tmp_path: Path, engine: str) -> None:
    (tmp_path / "stubborn.py").write_text(_STUBBORN)
    engine = engine.replace("bot: stubborn", f"bot: '{tmp_path / 'stubborn.py'}:Stubborn'")
    more = f"role: private\nengine: {engine}\n"
    config = config_of("kgs", 80, tmp_path, more, name="judge", game="phantom:size=3", server="room: here")
    server, log = Overheard(), Log(tmp_path / "out" / "bridge.log", config.outputs, config.server.password)

    async def test() -> None:
        session = AccountSession(config, log, make=lambda _config, _log: server)
        task = asyncio.create_task(session.run())
        server.coming.put_nowait(RoomPresence(frozenset(NAMES.values())))
        for text in ("!bot", "a1"):
            server.coming.put_nowait(ChatLine("alpha", text))
        await until(lambda: bool(server.sent.get(None)), "the end")
        assert "My engine has failed, so I resign this game. Sorry!" in server.sent["alpha"]
        assert "White resigns." in server.sent["alpha"]
        await until(lambda: not session.games)
        assert session.counters.results == {"lost": 1}
        session.stop(at_once=True)
        await task

    run(test())
    log.close()


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [14, pytest.param(42, marks=pytest.mark.long)])
async def test_games_with_equal_news_send_equal_messages(tmp_path: Path, pairs: int) -> None:
    different = 0
    for number in range(pairs):
        different += await compare_pair(tmp_path / str(number), number)
    assert different > 0.4 * pairs


@pytest.mark.parametrize("number", [*QUICK_PAIRS, *(pytest.param(each, marks=pytest.mark.slow) for each in EVERY_TWO)])
async def test_unheard_events_send_no_message(tmp_path: Path, number: int) -> None:
    await compare_private_games(tmp_path, twin_pair(number))


def test_a_leak_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that shows what stands there is noticed."""
    games: list[Game] = []

    def leaking(state: ServerGame, stored: StoredGame) -> HostedGame:
        hosted = new_hosted(state, stored)
        games.append(hosted.table.game)
        return hosted

    def diagram(rules: object, position: object, view: object = None) -> str:
        return str(games[-1].position.stones.hex())

    new_hosted = private_game.PrivateGame._new_game
    monkeypatch.setattr(private_game.PrivateGame, "_new_game", staticmethod(leaking))
    monkeypatch.setattr(private_game, "diagram", diagram)

    async def test() -> None:
        for number in range(10):
            await compare_pair(tmp_path / str(number), number)

    with pytest.raises(AssertionError, match="pair"):
        run(test())
