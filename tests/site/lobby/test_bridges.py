"""Bridges on the server: every game, lost lines, restarts; what each saw is what the referee saw."""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants.bridge.core.game_sync import OpenReplay
from gtp_variants.bridge.core.games_in_progress import is_retry
from gtp_variants.errors import ConfigError
from gtp_variants.players.counting import refused_in_a_row
from gtp_variants.records.files import load_record
from gtp_variants.records.record import verify
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import random_game
from gtp_variants.site.lobby.account_game import AccountGame
from tests.bridge.fakes.running_bridge import DEADLINE_S, PASSWORD, Running, config_of
from tests.site.lobby.servers import Server, run, serving
from tests.support.programs import COMMAND
from tests.support.waiting import until

OTHERS = ("go:size=5", "alter-igo:size=5", "pentalath", "rosette:n=2")
GAMES = [
    "aleago:size=5,crystal_ball=true",
    "phantom:size=5",
    *(pytest.param(spec, marks=pytest.mark.slow) for spec in OTHERS),
]
ENGINE = f"engine: {{command: {sys.executable} -m gtp_variants gtp --bot greedy}}\n"


def _bridges(server: Server, folder: Path, game: str, more: str = "") -> list[Running]:
    for name in ("alpha", "bravo"):
        (folder / name).mkdir(exist_ok=True)
    return [
        Running(config_of("variants", server.port, folder / name, more, name=name, game=game))
        for name in ("alpha", "bravo")
    ]


def _check(server: Server, bridges: list[Running], count: int) -> None:
    """Each bridge has the referee's records, all of them and no other."""
    referee = [load_record(path) for path in server.records()][:count]
    assert all(verify(record).ok for record in referee)
    for bridge in bridges:
        seen = [load_record(path) for path in bridge.records()]
        for record in referee:
            assert sum(record.game == other.game and record.players == other.players for other in seen) == 1
        assert "dispute" not in bridge.written()
        assert "unexpected" not in bridge.written()
        assert PASSWORD not in bridge.written()
    assert not any("Illegal" in line or "Time" in line for line in server.log)


async def _ended(server: Server, bridges: list[Running], count: int) -> None:
    await until(lambda: len(server.records()) >= count, f"{count} games")
    for bridge in bridges:
        bridge.session.stop()
    for bridge in bridges:
        assert await bridge.status() == 0


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_two_bots_play_over_the_network_and_see_what_the_referee_sees(tmp_path: Path, game: str) -> None:
    async def test() -> None:
        async with serving(tmp_path / "server", game) as server:
            bridges = _bridges(server, tmp_path, game)
            await _ended(server, bridges, 2)
            _check(server, bridges, 2)

    run(test())


@pytest.mark.slow
@pytest.mark.parametrize("game", ["aleago:size=5", "phantom:size=5"])
def test_programs_of_their_own_play_over_the_network(tmp_path: Path, game: str) -> None:
    async def test() -> None:
        async with serving(tmp_path / "server", game) as server:
            bridges = _bridges(server, tmp_path, game, ENGINE)
            await _ended(server, bridges, 1)
            _check(server, bridges, 1)

    run(test())


@pytest.mark.slow
@pytest.mark.parametrize("game", ["aleago:size=5", "phantom:size=5"])
def test_lines_that_break_and_servers_that_restart_leave_the_same_game(tmp_path: Path, game: str) -> None:
    async def test() -> None:
        rng = random.Random(7)
        bridges: list[Running] = []
        port = 0
        more = "engine: {bot: uniform}\ntime: {at_least: 5ms}\n"
        for _ in range(4):
            async with serving(tmp_path / "server", game, port=port) as server:
                port = server.port
                bridges = bridges or _bridges(server, tmp_path, game, more)
                for _ in range(8):
                    await asyncio.sleep(0.01 + 0.1 * rng.random())
                    for guest in list(server.lobby.guests.values())[:1]:
                        guest.hang_up()
        async with serving(tmp_path / "server", game, port=port) as server:
            begun = len(server.records()) + len(server.lobby.running)
            await _ended(server, bridges, max(2, begun))
            _check(server, bridges, 0)
            assert all(verify(load_record(path)).ok for path in server.records())
            assert all(bridge.session.counters.lost_lines >= 4 for bridge in bridges)

    run(test())


def test_a_seat_knows_from_its_lines_that_it_goes_on_trying() -> None:
    """So a bridge takes no more time over several tries in private than over one."""
    spec = "phantom:size=4,impossible=private"
    for number in range(8):
        hosted = AccountGame.new(1, spec, {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.0)
        for event in random_game(parse(spec), number, 40).events:
            hosted.hosted.play(event.actor, event.action)
            for colour in (BLACK, WHITE):
                is_theirs = hosted.asked == colour and refused_in_a_row(hosted.game) > 0
                assert is_retry(hosted.lines.for_seat(colour, 0, with_own=True), colour) == is_theirs


def test_an_engine_that_keeps_ending_resigns(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path / "server", "go:size=5") as server:
            hopeless = (
                f"engine: {{command: {sys.executable} -c pass, restarts: 0, failed_games: 1, fallback: resign}}\n"
            )
            (tmp_path / "hopeless").mkdir()
            one = Running(config_of("variants", server.port, tmp_path / "hopeless", hopeless, name="hopeless"))
            (tmp_path / "alpha").mkdir()
            other = Running(config_of("variants", server.port, tmp_path / "alpha", name="alpha"))
            assert await one.status() == 4
            assert "the engine is given up" in one.written()
            assert await other.end() == 0
            outcome = load_record(server.records()[0]).game.outcome
            assert outcome is not None
            assert outcome.how == "resign"

    run(test())


def test_a_server_that_knows_only_go_is_refused(tmp_path: Path) -> None:
    from tests.bridge.fakes.cgos_server import CgosServer

    async def test() -> None:
        async with CgosServer() as server:
            bridge = Running(config_of("variants", server.port, tmp_path, game="aleago:size=5"))
            assert await bridge.status() == 3
            assert "type: cgos" in bridge.written()

    run(test())


@pytest.mark.slow
def test_a_bridge_of_cgos_plays_go_here(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path / "server", "go:size=5", "aleago:size=5") as server:
            bridges = _bridges(server, tmp_path, "go:size=5")
            plain = [Running(config_of("cgos", server.port, tmp_path / "alpha", name="charlie"))]
            await until(lambda: sum("charlie" in line for line in server.log if "plays" in line) >= 2, "its games")
            await until(lambda: len(server.records()) >= 4)
            for bridge in [*bridges, *plain]:
                assert await bridge.end() == 0
            assert not any("Illegal" in line for line in server.log)

    run(test())


def test_games_for_three_are_no_games_of_this_server(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a game for two"):
        config_of("variants", 1, tmp_path, game="pentalath:players=3")


def test_a_draw_that_was_not_told_is_a_fault() -> None:
    course = OpenReplay(parse("aleago:size=5"))
    fault = course.follow(["play b C3"])
    assert fault is not None
    assert "the server did not send the draw of turn 1" in str(fault.error)
    assert course.follow(["draw 1 b free", "draw 2 w 2", "play b C3 1000"]) is None
    fault = course.follow(["draw 1 b free", "draw 2 w 2", "play b C3 1000", "play w C3 1000"])
    assert fault is not None
    assert fault.index == 3
    assert course.follow(["draw 1 b x"]) is not None
    assert course.follow(["noise"]) is not None


@pytest.mark.slow
def test_a_server_in_its_own_process_is_killed_and_continues(tmp_path: Path) -> None:
    """The command itself: killed in the middle of games, started again at the same port, ended by a signal."""

    def start(port: int) -> "subprocess.Popen[str]":
        command = [*COMMAND, "server", "aleago:size=5", "--port", str(port)]
        more = ["--dir", str(tmp_path / "server"), "--pause", "0", "--pair", "50ms"]
        return subprocess.Popen(
            [*command, *more], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ}
        )

    def port_of(process: "subprocess.Popen[str]") -> int:
        assert process.stdout is not None
        found = re.search(r":(\d+)$", process.stdout.readline().strip())
        assert found is not None
        return int(found[1])

    async def test() -> None:
        process = start(0)
        try:
            port = port_of(process)
            more = "engine: {bot: uniform}\ntime: {at_least: 20ms}\n"
            for name in ("alpha", "bravo"):
                (tmp_path / name).mkdir()
            bridges = [
                Running(config_of("variants", port, tmp_path / name, more, name=name, game="aleago:size=5"))
                for name in ("alpha", "bravo")
            ]
            await until(lambda: all(bridge.session.counters.moves > 5 for bridge in bridges), "some moves")
            process.kill()
            await asyncio.to_thread(process.wait)
            assert process.stdout is not None
            process.stdout.close()
            process = start(port)
            assert await asyncio.to_thread(port_of, process) == port
            records = tmp_path / "server" / "records"
            await until(lambda: records.is_dir() and len(list(records.glob("*.sgf"))) >= 2, "two games")
            for bridge in bridges:
                assert await bridge.end() == 0
                assert bridge.session.counters.logins >= 2
            first = sorted(records.glob("*.sgf"))[0]
            assert first.name.startswith("000001-")
            assert verify(load_record(first)).ok
            process.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(process.wait, DEADLINE_S) == 0
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    run(test())
