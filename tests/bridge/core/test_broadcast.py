"""A bridge whose games are watched on a page: live, the secret of the dice at the end; without a page as ever."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gtp_variants.cli.compete import bridge
from gtp_variants.players.publisher import Address, Publisher
from tests.bridge.fakes.running_bridge import Running, at_match, config_of, run, text_of
from tests.site.lobby.servers import serving
from tests.site.page.serving import KEY, Json, Site, site
from tests.support.waiting import until


@asynccontextmanager
async def watched(bridge: Running, address: Address | None) -> AsyncIterator[None]:
    """The bridge's games published from now on."""
    publisher = Publisher(lambda: address, lambda text: None)
    bridge.session._games._publisher = publisher
    try:
        yield
    finally:
        await asyncio.to_thread(publisher.close)


def look(served: Site, name: str) -> Json:
    """Return what a new watcher sees."""
    with served.sit(name) as watcher:
        state: Json = watcher.state
        return state


def test_a_game_on_a_server_is_on_the_page_and_its_secret_when_it_is_over(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            at_match(tmp_path) as (_, bridge, person, _),
            watched(bridge, Address(served.base, KEY)),
        ):
            await person.play_on(3)

            async def seen() -> Json | None:
                found = (await asyncio.to_thread(served.ask, "/api/live")).json["games"]
                return found[0] if found else None

            while (game := await seen()) is None or game["turn"] < 3:
                await asyncio.sleep(0.02)
            assert game["source"] == "botty"
            assert game["seats"]["b"]["bot"] == "alpha"
            state = await asyncio.to_thread(look, served, game["game"])
            assert set(state["clocks"]) == {"b", "w"}
            assert 0 < state["clocks"]["w"] <= 600
            path = f"/api/games/{game['game']}/record.json"
            assert (await asyncio.to_thread(served.ask, path)).json["secret"] is None
            person.type("resign")
            told = await person.hears(r"[Ss]ecret.*[0-9a-f]{64}")
            while not (await seen() or {})["over"]:
                await asyncio.sleep(0.02)
            record = (await asyncio.to_thread(served.ask, path)).json
            assert record["secret"] == person.check_secret(told)
            assert record["result"] == "W+R"

    with site() as served:
        run(test())


@pytest.mark.long
@pytest.mark.parametrize("game", ["aleago:size=5", pytest.param("phantom:size=5", marks=pytest.mark.slow)])
def test_a_game_under_a_referee_is_on_the_page_when_it_hides_nothing(tmp_path: Path, game: str) -> None:
    pause = 30 if game.startswith("aleago") else 10
    more = f"engine: {{bot: uniform}}\ntime: {{at_least: {pause}ms}}\n"

    async def test() -> None:
        async with serving(tmp_path / "server", game) as server:
            bridges = []
            for name in ("alpha", "bravo"):
                config = config_of("variants", server.port, tmp_path / name, more, name=name, game=game)
                bridges.append(Running(config))
            async with watched(bridges[0], Address(served.base, KEY)):
                seen: set[tuple[bool, int]] = set()
                while not server.records():
                    for each in (await asyncio.to_thread(served.ask, "/api/live")).json["games"]:
                        seen.add((each["over"], each["turn"]))
                    await asyncio.sleep(0.02)
                assert any(not over for over, _ in seen) == game.startswith("aleago")
                for bridge in bridges:
                    bridge.session.stop()
                for bridge in bridges:
                    assert await bridge.status() == 0
            live = (await asyncio.to_thread(served.ask, "/api/live")).json["games"]
            assert any(each["over"] for each in live)
            assert all(each["source"] == "alpha" for each in live)

    with site() as served:
        run(test())


async def test_without_a_page_a_game_is_played_all_the_same(tmp_path: Path) -> None:
    async with at_match(tmp_path, game="go:size=5") as (_, bridge, person, match), watched(bridge, None):
        person.type("c3")
        await until(lambda: len(match.moves) == 2, "an answer")
        person.type("resign")
        await until(lambda: not bridge.session.games)


def test_an_invalid_address_is_refused_before_any_login(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bridge.yaml"
    file.write_text(text_of("nngs", 9, tmp_path))
    assert bridge.main([str(file), "--watch", "nowhere"]) == 2
    assert "expected an address" in capsys.readouterr().err
