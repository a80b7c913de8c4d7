"""Go Fantôme by private messages at OGS: each player hears what is theirs, and the end is shown on a board."""

from pathlib import Path

import pytest

from gtp_variants.records.files import load_record
from tests.bridge.fakes.running_bridge import PASSWORD, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.ogs_people import OgsPerson, ogs_config
from tests.bridge.fakes.ogs_server import OgsServer

PEOPLE = {"judge": PASSWORD, "alpha": "sesame-1", "bravo": "sesame-2"}


async def test_two_people_play_in_private(tmp_path: Path) -> None:
    """Each in their own language, over a lost line, and nobody hears the other's stones."""
    async with OgsServer(PEOPLE) as server:
        server.unlucky = "judge"
        config = ogs_config(server, tmp_path, "role: private\n", game="phantom:size=5", name="judge")
        async with running(config) as bridge:
            await until(lambda: "judge" in server.bot_configs)
            black, white = await OgsPerson(server, "alpha").come(), await OgsPerson(server, "bravo").come()
            await black.tell("judge", "!black")
            await black.hears("You play Black. The game begins when somebody types !white")
            await white.tell("judge", "!blanc")
            await white.hears("C'est à alpha")
            await black.tell("judge", "c3")
            await white.hears("Noir a joué")
            await white.tell("judge", "c3")
            await white.hears("C3 a été refusé")
            assert not white.heard("Noir.*C3|Black.*C3")
            server.cut("judge")
            await until(lambda: bridge.session.counters.logins == 2)
            await until(lambda: server.online.get("judge") is not None)
            await white.hears("La partie continue")
            await white.tell("judge", "b2")
            await black.hears("White has played")
            await black.tell("judge", "resign")
            await white.hears("alpha.*bravo|abandon")
            await until(lambda: server.reviews and next(iter(server.reviews.values())).path, "the game on a board")
            review = next(iter(server.reviews.values()))
            assert review.shown == {"C3": 1, "B2": 2}
            await until(lambda: bridge.records())
            assert load_record(bridge.records()[0]).result == "W+R"
            for person in (black, white):
                await person.go()
        assert server.faults == []
        assert "unexpected" not in bridge.written()
