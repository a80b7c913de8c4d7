"""The bridge on CGOS: whole games, cuts at any message, and all that a server may do."""

import random
import re
from pathlib import Path

import pytest

from gtp_variants.records.files import load_record
from gtp_variants.records.record import Record, verify
from tests.bridge.fakes.cgos_server import CgosServer
from tests.bridge.fakes.running_bridge import ENGINE, PASSWORD, Running, config_of, running
from tests.support.waiting import until


def two_bridges(server: CgosServer, folder: Path, *more: str) -> tuple[Running, ...]:
    """Two bridges; `more` is said in the file of each, or of both."""
    files = more if len(more) == 2 else more * 2 or ("", "")
    pairs = zip(("alpha", "bravo"), files, strict=True)
    configs = [config_of("cgos", server.port, folder / name, file, name=name) for name, file in pairs]
    return tuple(map(Running, configs))


def _check_games(server: CgosServer, bridges: tuple[Running, ...]) -> None:
    """No game lost or played twice, no wrong move sent, the records equal what the server saw."""
    assert all("Illegal" not in match.result and "Time" not in match.result for match in server.finished)
    for bridge in bridges:
        name = bridge.config.name
        mine = [match for match in server.finished if name in match.names.values()]
        records = [load_record(path) for path in bridge.records()]
        kept = [_moves(record) for record in records]
        assert len(kept) == len(mine)
        for match in mine:
            played = [word.lower() for word, _, _ in match.moves]
            # A line that broke as the game ended takes the last moves with it: the server tells them nobody again.
            assert any(moves == played[: len(moves)] and len(moves) >= len(played) - 2 for moves in kept), match.number
        assert all(verify(record).ok for record in records)
        assert PASSWORD not in bridge.written()


def _moves(record: Record) -> list[str]:
    board = record.game.rules.board
    return [board.vertex(event.action).lower() if event.action >= 0 else "pass" for event in record.game.turns()]


async def test_whole_games_and_their_records(tmp_path: Path) -> None:
    async with CgosServer(most_games=4) as server:
        bridges = two_bridges(server, tmp_path)
        await until(lambda: len(server.finished) == 4, "four games")
        for bridge in bridges:
            await until(lambda bridge=bridge: not bridge.session.games, "the end")  # type: ignore[misc]
            assert await bridge.end() == 0
        _check_games(server, bridges)
        for bridge in bridges:
            results = [load_record(path).result for path in bridge.records()]
            assert sorted(map(str, results)) == sorted(match.result for match in server.finished)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
async def test_random_cuts_lose_no_game_and_send_no_wrong_move(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    async with CgosServer(most_games=6) as server:
        server.cut_at = {rng.randrange(10, 500) for _ in range(30)}
        bridges = two_bridges(server, tmp_path)
        await until(lambda: len(server.finished) == 6, "six games")
        for bridge in bridges:
            await bridge.end()
        assert sum(bridge.session.counters.lost_lines for bridge in bridges) > 5
        _check_games(server, bridges)


@pytest.mark.slow
async def test_a_cut_at_every_message_of_a_game(tmp_path: Path) -> None:
    async with CgosServer(most_games=3) as server:
        server.cut_at = set(range(12, 300, 3))
        bridges = two_bridges(server, tmp_path)
        await until(lambda: server.messages > 300, "the messages")
        await until(lambda: len(server.finished) == 3, "three games")
        for bridge in bridges:
            await bridge.end()
        _check_games(server, bridges)


async def test_an_engine_is_told_its_time_and_its_analysis_goes_to_the_server(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(_ANALYST)
    async with CgosServer(most_games=1) as server:
        more = f"engine: {{command: {_python()} {engine}}}\n"
        bridges = two_bridges(server, tmp_path, more)
        await until(lambda: len(server.finished) == 1, "a game")
        for bridge in bridges:
            await bridge.end()
        notes = [note for _, _, note in server.finished[0].moves]
        assert notes
        assert '"winrate": 0.5' in notes[0]
        for bridge in bridges:
            (talk,) = (bridge.config.outputs.folder / "logs").glob("*.gtp")
            said = talk.read_text()
            # The margin of a second is kept, and no move is asked for without a word of the clock.
            left = [int(found) for found in re.findall(r"time_left [bw] (\d+)", said)]
            assert len(left) >= said.count("kata-genmove_analyze ") > 0
            assert all(50 < each <= 59 for each in left)


def _python() -> str:
    return ENGINE.split()[0]


_ANALYST = r"""
import sys
size, played = 5, []
names = "protocol_version list_commands boardsize clear_board komi play genmove quit kata-genmove_analyze time_left"
for line in sys.stdin:
    words = line.split()
    text = ""
    if not words:
        continue
    if words[0] == "list_commands":
        text = "\n".join(names.split())
    elif words[0] == "clear_board":
        played = []
    elif words[0] == "play":
        played.append(words[2].upper())
    elif "genmove" in words[0]:
        free = [c + str(r) for r in (1, 2) for c in "ABCDE" if c + str(r) not in played]
        move = free[0] if len(played) < 8 else "pass"
        played.append(move)
        text = move
        if "analyze" in words[0]:
            text = f"\ninfo move {move} visits 10 winrate 0.5 scoreLead 1.5 order 0 pv {move} pass\nplay {move}"
    print("=", text, end="\n\n", flush=True)
    if words[0] == "quit":
        break
"""


async def test_a_wrong_password_ends_the_bridge(tmp_path: Path) -> None:
    async with CgosServer() as server:
        server.passwords["botty"] = "another"
        bridge = Running(config_of("cgos", server.port, tmp_path))
        assert await bridge.status() == 3
        assert PASSWORD not in bridge.written()
        assert "password doesn't match" in bridge.written()


async def test_another_login_ends_the_bridge_instead_of_a_ping_pong(tmp_path: Path) -> None:
    async with CgosServer() as server:
        first = Running(config_of("cgos", server.port, tmp_path / "a"))
        await until(lambda: "botty" in server.online)
        async with running(config_of("cgos", server.port, tmp_path / "b")) as second:
            assert await first.status() == 3
            await until(lambda: second.session.counters.state == "online")
            assert second.session.counters.logins == 1


async def test_the_server_goes_down_in_the_middle_of_a_game_and_comes_back(tmp_path: Path) -> None:
    async with CgosServer(most_games=1) as server:
        bridges = two_bridges(server, tmp_path)
        await until(lambda: server.match is not None and len(server.match.moves) > 4, "some moves")
        await server.close()
        await until(lambda: all(bridge.session.counters.lost_lines > 1 for bridge in bridges), "failed logins")
        await server.open()
        await until(lambda: len(server.finished) == 1, "the game")
        for bridge in bridges:
            await bridge.end()
        _check_games(server, bridges)


async def test_the_first_signal_lets_the_game_end(tmp_path: Path) -> None:
    async with CgosServer() as server:
        bridges = two_bridges(server, tmp_path)
        await until(lambda: server.match is not None and len(server.match.moves) > 2, "some moves")
        for bridge in bridges:
            bridge.session.stop()
        assert [await bridge.status() for bridge in bridges] == [0, 0]
        assert len(server.finished) == 1
        assert server.match is None
        _check_games(server, bridges)


@pytest.mark.slow
@pytest.mark.parametrize("when", ["dies", "hangs", "garbles"])
async def test_an_engine_that_fails_is_started_again_and_fed_again(tmp_path: Path, when: str) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(_FAILING.replace("WHEN", when).replace("FOLDER", str(tmp_path)))
    async with CgosServer(most_games=1) as server:
        failing = f"engine: {{command: {_python()} {engine}, restarts: 3, grace: 10ms, limits: {{command: 1s}}}}\n"
        # A clock that is nearly over bounds how long an engine that hangs is waited for.
        server.level_ms = 12_000 if when == "hangs" else 60_000
        margin = "time: {margin: 8s}\n" if when == "hangs" else ""
        bridges = two_bridges(server, tmp_path, failing + margin, "")
        await until(lambda: len(server.finished) == 1, "the game")
        for bridge in bridges:
            await bridge.end()
        assert bridges[0].session.counters.engine_failures in (0, 1)
        assert "the engine failed (1)" in bridges[0].written()
        assert "given up" not in bridges[0].written()
        _check_games(server, bridges)


_FAILING = (
    _ANALYST.replace(" kata-genmove_analyze", "")
    .replace("import sys", "import sys, time, pathlib\nonce = pathlib.Path('FOLDER/once')")
    .replace(
        '    elif "genmove" in words[0]:',
        """    elif "genmove" in words[0] and len(played) > 3 and not once.exists():
        once.touch()
        if "WHEN" == "hangs":
            time.sleep(60)
        if "WHEN" == "garbles":
            print("what?", flush=True)
            continue
        sys.exit(1)
    elif "genmove" in words[0]:""",
    )
)


async def test_an_engine_that_never_works_is_given_up_and_the_bridge_ends(tmp_path: Path) -> None:
    hook = tmp_path / "hook.sh"
    hook.write_text(f'#!/bin/sh\nsleep 0.3\necho "$GTP_VARIANTS_EVENT $GTP_VARIANTS_WHY" >> {tmp_path}/failures\n')
    hook.chmod(0o700)
    async with CgosServer() as server:
        more = (
            f"engine: {{command: {_python()} -c 'import sys', restarts: 1, grace: 1ms, failed_games: 2}}\n"
            f"hooks: {{on_failure: {hook}}}\n"
        )
        async with running(config_of("cgos", server.port, tmp_path / "b", name="bravo")):
            bridge = Running(config_of("cgos", server.port, tmp_path / "a", more, name="alpha"))
            assert await bridge.status() == 4
        assert [match.result[2:] for match in server.finished] == ["Resign", "Resign"]
        assert "the engine failed in 2 games" in (tmp_path / "failures").read_text()
