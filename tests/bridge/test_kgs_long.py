"""A week on KGS in small: a hundred cuts in games with people, of both kinds and at any message."""

import random
import re
from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from gtp_variants.records.files import load_record
from gtp_variants.records.record import verify
from tests.bridge.bridges import PASSWORD, run, running, until
from tests.bridge.kgs_people import KgsPerson, kgs_config, local_server

pytestmark = pytest.mark.long
_GAMES, _CUTS = 16, 110


def test_a_hundred_cuts_at_any_message(tmp_path: Path) -> None:
    async def test() -> None:
        rng = random.Random(11)
        more = "policies: {undo_wait: 2s}\n"
        game = "aleago:size=5,dice=1d3"
        async with local_server() as server, running(kgs_config(server, tmp_path, more, game=game)) as bridge:
            for number in range(_GAMES):
                person = await KgsPerson(server, "alpha", number).come()
                person.lets_undo = True
                table = await person.begin("botty", role="black" if number % 2 else "white")
                at = server.messages
                chosen = rng.sample(range(at + 20, at + 420), 2 * _CUTS // _GAMES)
                server.cut_at, server.sever_at = set(chosen[::2]), set(chosen[1::2])
                await person.play_on(table, 30, passes=0.05)
                server.cut_at, server.sever_at = set(), set()
                await until(lambda table=table: table.over or table.is_live, "the game again")  # type: ignore[misc]
                if not table.over:
                    await person.in_game("GAME_RESIGN")
                await until(lambda number=number: len(bridge.records()) == number + 1 and not bridge.session.sittings)  # type: ignore[misc]
                draws: dict[str, str] = {}
                for line in person.heard(r"Move \d+, (you|me): dice"):
                    found = re.search(r"Move (\d+), \w+: dice (\S+)", line)
                    assert found is not None
                    assert draws.setdefault(found[1], found[2]) == found[2]
                await person.go()
            for path in bridge.records():
                assert verify(load_record(path)).ok
            assert bridge.session.counters.lost_lines >= 50
            assert "unexpected" not in bridge.written()
            assert PASSWORD not in bridge.written()
        assert server.faults == []

    run(test(), 900)
