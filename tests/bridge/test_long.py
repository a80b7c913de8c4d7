"""A day's worth of games in small: nothing is lost, nothing grows, nothing stays behind."""

import gc
import random
import tracemalloc
from pathlib import Path

import pytest

from gtp_variants.records.files import load_record
from gtp_variants.records.record import verify
from tests.bridge.fakes.cgos_server import CgosServer
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.running_bridge import ACCOUNTS, ALEAGO, ENGINE, PASSWORD, Person, config_of, run, running
from tests.bridge.test_cgos import two_bridges
from tests.support.waiting import until

pytestmark = pytest.mark.long


async def _games(server: CgosServer, count: int) -> None:
    for number in range(len(server.finished) + 1, count + 1):
        await until(lambda number=number: len(server.finished) >= number, "the next game")  # type: ignore[misc]


def test_three_hundred_games_on_cgos_leave_no_growth(tmp_path: Path) -> None:
    async def test() -> None:
        async with CgosServer(most_games=300) as server:
            bridges = two_bridges(server, tmp_path)
            await _games(server, 50)
            gc.collect()
            tracemalloc.start()
            await _games(server, 100)
            gc.collect()
            first, _ = tracemalloc.get_traced_memory()
            server.said.clear()
            server.heard.clear()
            await _games(server, 300)
            gc.collect()
            server.said.clear()
            server.heard.clear()
            last, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            for bridge in bridges:
                await bridge.end()
                assert len(bridge.records()) == 300
            assert all("Illegal" not in match.result for match in server.finished)
            # What the server itself keeps of 200 games is in it.
            assert last - first < 40_000_000

    run(test(), 1200)


def test_a_hundred_cuts_in_twenty_games_with_programs(tmp_path: Path) -> None:
    async def test() -> None:
        rng = random.Random(7)
        async with CgosServer(most_games=20) as server:
            server.cut_at = {rng.randrange(10, 1600) for _ in range(110)}
            bridges = two_bridges(server, tmp_path, f"engine: {{command: {ENGINE} --bot greedy}}\n")
            await _games(server, 20)
            for bridge in bridges:
                await bridge.end()
                assert len(bridge.records()) == 20
                assert PASSWORD not in bridge.written()
            assert sum(bridge.session.counters.lost_lines for bridge in bridges) >= 90
            assert all("Illegal" not in match.result for match in server.finished)

    run(test(), 1200)


def test_a_hundred_games_with_people_on_nngs(tmp_path: Path) -> None:
    async def test() -> None:
        async with NngsServer(ACCOUNTS) as server:
            config = config_of("nngs", server.port, tmp_path, game=ALEAGO)
            async with running(config) as bridge:
                for number in range(100):
                    person = await Person(server, "alpha", number).come()
                    await person.begin("bw"[number % 2])
                    await person.play_on(60, passes=0.1)
                    person.type("done")
                    person.type("resign")
                    await until(lambda number=number: len(server.finished) == number + 1)  # type: ignore[misc]
                    await until(lambda: not bridge.session.games)
                    await person.go()
                    await until(lambda: "alpha" not in server.online)
                assert len(bridge.records()) == 100
                assert all(verify(load_record(path)).ok for path in bridge.records())
                assert "unexpected" not in bridge.written()

    run(test(), 1200)
