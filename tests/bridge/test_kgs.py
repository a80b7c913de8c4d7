"""The bridge on KGS: ordinary Go with people, challenges both ways, cuts, and all that a server may do."""

from pathlib import Path

import pytest

from gtp_variants.bridge.config import BridgeConfig
from gtp_variants.records.files import load_record
from tests.bridge.bridges import PASSWORD, config_of, run, running, until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.kgs_people import KgsPerson
from tests.bridge.kgs_server import ROOMS, KgsServer

ROOM = ROOMS[2]


def _server() -> KgsServer:
    return KgsServer({"botty": PASSWORD, "alpha": "sesame", "bravo": "sesame"})


def _config(server: KgsServer, folder: Path, more: str = "", game: str = "go:size=5") -> BridgeConfig:
    return config_of("kgs", server.port, folder, more, game=game, server=f"room: {ROOM}, tls: false, pace: 1000")


def test_an_ordinary_game_is_played_and_counted(tmp_path: Path) -> None:
    async def test() -> None:
        async with _server() as server, running(_config(server, tmp_path)) as bridge:
            person = await KgsPerson(server, "alpha").come()
            table = await person.begin("botty", role="black")
            for number in range(40):
                await until(lambda: table.is_scoring or table.to_play == "black")
                if table.is_scoring:
                    break
                seen = len(table.moves)
                legal = [point for point in table.game.rules.legal(table.game.position) if point >= 0]
                await person.move(table.game.rules.board.vertex(legal[0]) if legal and number < 3 else "pass")
                await until(lambda seen=seen: len(table.moves) > seen)  # type: ignore[misc]
            await until(lambda: table.done == {"botty"}, "the bot's agreement")
            await person.in_game("GAME_SCORING_DONE", doneId=table.done_id)
            await until(lambda: table.over and not bridge.session.sittings, "the result")
            record = load_record(bridge.records()[0])
            assert record.result is not None
            assert record.result[0] == ("B" if table.score > 0 else "W")
            # It is ready for the next.
            await until(lambda: any(each.owner == "botty" for each in server.challenges.values()))
            await person.go()
        assert server.faults == []
        assert "unexpected" not in bridge.written()
        assert PASSWORD not in bridge.written()

    run(test())
