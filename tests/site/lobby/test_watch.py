"""A server whose games are watched on a page: live, hidden games only when they are over, with and without a page."""

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.players.publisher import Address, Publisher, Shown
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.lobby import observers
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.observers import ServerBroadcast, game_for_page
from tests.site.lobby.servers import PATIENCE_S, Client, Server, play, run, serving
from tests.site.page.serving import KEY, Json, Site, site
from tests.support.programs import COMMAND
from tests.support.watch import Watch


class Heard(Publisher):
    """A publisher that publishes nothing and remembers all."""

    def __init__(self) -> None:
        self.games: list[Shown] = []

    def show(self, key: str, shown: Shown) -> None:
        self.games.append(shown)


@contextmanager
def publishing(served: Site) -> Iterator[ServerBroadcast]:
    publisher = Publisher(lambda: Address(served.base, KEY), lambda text: None)
    try:
        yield ServerBroadcast(publisher, "server-6867")
    finally:
        publisher.close()


async def live(served: Site, turn: int, *, is_over: bool = False) -> Json:
    """The only game that is shown, when it has come so far."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            games: list[Json] = (await asyncio.to_thread(served.ask, "/api/live")).json["games"]
            if games and games[0]["turn"] >= turn and games[0]["over"] == is_over:
                return games[0]
            await asyncio.sleep(0.02)


def seen(served: Site, name: str) -> Json:
    """Return what a new watcher sees."""
    with served.sit(name) as watcher:
        state: Json = watcher.state
        return state


async def players(server: Server, game: str) -> tuple[Client, Client]:
    """Black and White of a game that is on."""
    clients = [await Client(name, game).come(server.port) for name in ("alpha", "bravo")]
    for client in clients:
        await client.until("setup")
    (running,) = server.lobby.running.values()
    black, white = sorted(clients, key=lambda client: running.colour(client.name))
    return black, white


def test_a_game_is_on_the_page_while_it_is_played_and_after_a_restart(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5,dice=1d3", show=first.show) as server:
            black, white = await players(server, "aleago")
            game = await live(served, 1)
            assert game["source"] == "server-6867"
            assert game["name"] == "game 1"
            assert game["seats"]["b"]["bot"] == black.name
            await black.until("genmove b")
            black.type("pass")
            await white.until("genmove w")
            await live(served, 2)
            state = await asyncio.to_thread(seen, served, game["game"])
            assert state["clocks"]["b"] <= 600.0
            assert 500.0 < state["clocks"]["w"] <= 600.0
            assert state["running"]
            path = f"/api/games/{game['game']}/record.json"
            record = (await asyncio.to_thread(served.ask, path)).json
            assert record["secret"] is None
        async with serving(tmp_path, "aleago:size=5,dice=1d3", show=second.show) as server:
            (running,) = server.lobby.running.values()
            assert record["commitment"] == running.hosted.record.commitment
            await live(other, 2)
            white = await Client(white.name, "aleago").come(server.port)
            await white.until("genmove w")
            white.type("resign")
            game = await live(other, 2, is_over=True)
            record = (await asyncio.to_thread(other.ask, f"/api/games/{game['game']}/record.json")).json
            assert record["secret"] == (running.hosted.record.secret or b"").hex()
            assert record["result"] == "B+R"

    with site() as served, site() as other, publishing(served) as first, publishing(other) as second:
        run(test())


def test_a_hidden_game_is_on_the_page_when_it_is_over_and_not_before(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "phantom:size=5", show=show.show) as server:
            black, white = await players(server, "phantom")
            for client, vertex in ((black, "C3"), (white, "C3"), (white, "D4")):
                await client.until("genmove")
                client.type(vertex)
            await black.until("genmove b")
            assert (await asyncio.to_thread(served.ask, "/api/live")).json["games"] == []
            black.type("resign")
            game = await live(served, 3, is_over=True)
            record = (await asyncio.to_thread(served.ask, f"/api/games/{game['game']}/record.json")).json
            assert record["events"][:3] == [["b", "C3"], ["w", "C3"], ["w", "D4"]]

    with site() as served, publishing(served) as show:
        run(test())


@pytest.mark.parametrize("spec", ["aleago:size=5", "phantom:size=5", "go:size=5"])
def test_watchers_learn_nothing_that_a_player_does_not_know(spec: str) -> None:
    heard = Heard()
    match = AccountGame.new(1, spec, {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.25)
    show = ServerBroadcast(heard, "server").show
    for word in ("pass", "resign"):
        show(match)
        play(match, word, 0.0)
    assert len(heard.games) == (2 if match.rules.is_open else 0)
    assert all(each.secret is None and not each.is_over for each in heard.games)
    show(match)
    last = heard.games[-1]
    assert (last.is_over, last.result) == (True, "B+Resign")
    assert last.secret == ((match.hosted.record.secret or b"").hex() if spec.startswith("aleago") else None)


def test_watchers_see_a_clock_run_when_it_counts() -> None:
    watch = Watch()
    match = AccountGame.new(1, "go:size=5", {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.25, now=watch)
    match.hosted.clocks.start()
    watch.now_s = 0.1
    shown = game_for_page("server", match).clocks
    assert shown is not None
    assert shown.left_s == {"b": 60.0, "w": 60.0}
    assert shown.free_s == pytest.approx(0.15)


def test_the_number_of_shown_games_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observers, "_MOST_PUBLISHED", 2)
    heard = Heard()
    show = ServerBroadcast(heard, "server").show
    matches = [AccountGame.new(n, "go:size=5", {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.25) for n in (1, 2, 3)]
    for _ in range(2):
        for match in matches:
            show(match)
    assert [each.title for each in heard.games] == ["game 1", "game 2"] * 2
    matches[0].play("resign")
    for match in matches:
        show(match)
    assert [each.title for each in heard.games[4:]] == ["game 1", "game 2", "game 3"]


def test_a_game_that_cannot_be_read_by_the_rules_alone_says_how_it_ended() -> None:
    match = AccountGame.new(1, "go:size=5", {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.25)
    play(match, "Z99", 0.0)
    told = game_for_page("server", match)
    assert (told.result, "off board" in told.why) == ("W+Illegal", True)


@pytest.mark.slow
def test_the_command_itself_shows_its_games(tmp_path: Path) -> None:
    command = [*COMMAND, "server", "go:size=5", "--port", "0", "--dir", str(tmp_path)]

    async def test() -> None:
        line = Address(served.base, KEY).line
        with subprocess.Popen(
            [*command, "--pause", "0", "--pair", "50ms", "--watch", line], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                port = int(process.stdout.readline().rpartition(":")[2])
                for name in ("alpha", "bravo"):
                    await Client(name).come(port)
                assert (await live(served, 1))["source"] == "server-0"
            finally:
                process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0

    with site() as served:
        run(test())


def test_an_invalid_address_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["server", "--dir", str(tmp_path), "--port", "0", "--watch", "nowhere"]) == 2
    assert "expected an address" in capsys.readouterr().err
