"""The bridge on CGOS: whole games, cuts at any message, and all that a server may do."""

import asyncio
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from gtp_variants.bridge.core import base_game, engine_seat, games_in_progress
from gtp_variants.bridge.core.game_sync import ReplayedGame, Step
from gtp_variants.records.files import load_record
from gtp_variants.records.record import Record, verify
from gtp_variants.rules import parse
from tests.bridge.fakes import cgos_server
from tests.bridge.fakes.cgos_server import CgosServer
from tests.bridge.fakes.fake_server import LineClient
from tests.bridge.fakes.running_bridge import ENGINE, PASSWORD, Running, config_of, running
from tests.support.waiting import until
from tests.support.watch import Watch


def _asyncio_with(**changed: object) -> SimpleNamespace:
    return SimpleNamespace(**{**vars(asyncio), **changed})


@pytest.fixture
def engine_limits(monkeypatch: pytest.MonkeyPatch) -> list[asyncio.Timeout]:
    """Note the time limits of all engines' work, so that a test can let the last one run out at once."""
    noted: list[asyncio.Timeout] = []

    def timeout(seconds: float) -> asyncio.Timeout:
        noted.append(asyncio.timeout(seconds))
        return noted[-1]

    monkeypatch.setattr(engine_seat, "asyncio", _asyncio_with(timeout=timeout))
    return noted


async def _end_limit(hangs: Callable[[], bool], engine_limits: list[asyncio.Timeout]) -> None:
    """Wait until an engine hangs, and let its time limit run out."""
    await until(hangs, "an engine that hangs")
    engine_limits[-1].reschedule(asyncio.get_running_loop().time())


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


@pytest.mark.slow
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


async def test_the_least_time_of_a_move_loses_no_game_on_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the server's clock time goes by only while a bridge waits before it sends a move."""

    async def sleep(seconds: float) -> None:
        watch.now_s += seconds
        await asyncio.sleep(0)

    watch = Watch(1.0)
    monkeypatch.setattr(cgos_server, "time", SimpleNamespace(monotonic=watch))
    monkeypatch.setattr(base_game, "asyncio", _asyncio_with(sleep=sleep))
    async with CgosServer(most_games=1, level_ms=12_000) as server:
        bridges = two_bridges(server, tmp_path, "time: {at_least: 2s, margin: 200ms}\n")
        await until(lambda: len(server.finished) == 1, "a game")
        for bridge in bridges:
            await bridge.end()
        assert len(server.finished[0].moves) > 10
        assert watch.now_s > 3.0, "the bridges have waited"
        _check_games(server, bridges)


@pytest.mark.parametrize(
    ("size", "over", "told"),
    [(9, "W+Forfeit by admin", "unknown"), (9, "", "unknown"), (9, "W+2.5", "won"), (30, "W+Resign", None)],
)
async def test_after_a_game_that_ends_in_any_way_the_next_may_come(
    tmp_path: Path, size: int, over: str, told: str | None
) -> None:
    """An administrator's result says what they like; a board that we do not know is resigned."""
    heard: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for line in ("protocol genmove_analyze", "username", "password"):
            writer.write(f"{line}\n".encode())
            await reader.readline()
        writer.write(f"setup 7 {size} 7.5 600000 alpha(1800?) bravo(1700)\n".encode())
        writer.write(f"gameover 2026-11-27 {over}\n".encode())
        while line_of := await reader.readline():
            heard.append(line_of.decode().strip())
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with running(config_of("cgos", port, tmp_path, name="alpha", game="go:size=9")) as bridge:
            await until(lambda: "ready" in heard, "the word that it is ready")
            assert bridge.session.counters.results == ({told: 1} if told else {})
            assert bridge.session.counters.lost_lines == 0


async def test_an_engine_is_told_its_time_and_its_analysis_goes_to_the_server(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(_ANALYST)
    async with CgosServer(most_games=1, level_ms=600_000) as server:
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
            assert all(300 < each <= 599 for each in left)


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


async def test_another_login_with_the_account_ends_the_bridge(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("is_new_process", [False, True])
async def test_a_game_that_ended_while_we_were_away_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new_process: bool
) -> None:
    monkeypatch.setattr(games_in_progress, "SEEN_WITHIN_S", 0.2)
    hook = tmp_path / "hook.sh"
    hook.write_text(f'#!/bin/sh\necho "$GTP_VARIANTS_EVENT $GTP_VARIANTS_RESULT" >> {tmp_path}/ends\n')
    hook.chmod(0o700)
    async with CgosServer(most_games=1) as server:
        bridges = two_bridges(server, tmp_path, f"hooks: {{on_game_end: {hook}}}\n", "")
        await until(lambda: server.match is not None and len(server.match.moves) > 2, "some moves")
        if is_new_process:
            await bridges[0].end()
        await server.close()
        assert server.match is not None
        server.finished.append(server.match)
        server.match = None
        await server.open()
        if is_new_process:
            bridges = (Running(bridges[0].config), bridges[1])
        await until(lambda: (tmp_path / "ends").exists(), "the end")
        for bridge in bridges:
            await bridge.end()
        assert (tmp_path / "ends").read_text() == "game_end unknown\n"
        (path,) = bridges[0].records()
        record = load_record(path)
        assert record.result == "?"
        assert verify(record).ok
        assert bridges[0].session.counters.results == {"unknown": 1}
        assert not list((bridges[0].config.outputs.folder / "games").glob("*.json"))


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
async def test_an_engine_that_fails_is_started_again_and_fed_again(
    tmp_path: Path, engine_limits: list[asyncio.Timeout], when: str
) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(_FAILING.replace("WHEN", when).replace("FOLDER", str(tmp_path)))
    async with CgosServer(most_games=1) as server:
        failing = f"engine: {{command: {_python()} {engine}, restarts: 3, grace: 10ms, limits: {{command: 60s}}}}\n"
        server.level_ms = 600_000
        bridges = two_bridges(server, tmp_path, failing, "")
        if when == "hangs":
            await _end_limit((tmp_path / "once").exists, engine_limits)
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
            time.sleep(600)
        if "WHEN" == "garbles":
            print("what?", flush=True)
            continue
        sys.exit(1)
    elif "genmove" in words[0]:""",
    )
)


@pytest.mark.parametrize(
    "fault",
    [
        "occupied",
        "no vertex",
        *(
            pytest.param(fault, marks=pytest.mark.slow)
            for fault in ("hangs", "dies", "off board", "nonsense", "chatty", "slow")
        ),
    ],
)
async def test_nothing_that_an_engine_does_costs_a_game(tmp_path: Path, fault: str) -> None:
    """Every move of it is a fault: each is noticed, counted and told, and the fallback plays in time."""
    engine, hook = tmp_path / "engine.py", tmp_path / "hook.sh"
    engine.write_text(_FAULTY)
    hook.write_text(f"#!/bin/sh\nprintf '%s %s\\n' $GTP_VARIANTS_EVENT \"$GTP_VARIANTS_WHY\" >> {tmp_path}/failures\n")
    hook.chmod(0o700)
    command = f"[{_python()}, {engine}, {fault}, {tmp_path}]"
    more = f"engine: {{command: {command}, fallback: greedy, grace: 1ms, restarts: 2}}\nhooks: {{on_failure: {hook}}}\n"
    # An engine that hangs is given a quarter of the time left. The others have more than any computer needs.
    level_ms = 32_000 if fault in ("hangs", "slow") else 600_000
    async with CgosServer(most_games=1, level_ms=level_ms) as server:
        bridges = two_bridges(server, tmp_path, more, "")
        await until(lambda: len(server.finished) == 1, "the game")
        await until(lambda: not bridges[0].session.games, "its end")
        for bridge in bridges:
            await bridge.end()
        (match,) = server.finished
        assert match.result[2:] not in ("Resign", "Time", "Illegal")
        _check_games(server, bridges)
        counters, written = bridges[0].session.counters, bridges[0].written()
        faults = 0 if fault == "chatty" else 3
        assert counters.engine_failures == written.count("the engine failed (") == faults
        assert "unexpected" not in written
        assert "Traceback" not in written
        if faults:
            assert len((tmp_path / "failures").read_text().splitlines()) == faults


@pytest.mark.slow
async def test_an_engine_that_hangs_at_its_first_move_is_noticed_as_soon_as_at_any_other(
    tmp_path: Path, engine_limits: list[asyncio.Timeout]
) -> None:
    """What it may take to start is not what it may take to move: its clock is not spent on a start that is over."""
    engine = tmp_path / "engine.py"
    engine.write_text(_FAULTY)
    command = f"[{_python()}, {engine}, hangs, {tmp_path}]"
    more = f"engine: {{command: {command}, fallback: greedy, restarts: 1, limits: {{command: 60s}}}}\n"
    async with CgosServer(most_games=1, level_ms=600_000) as server:
        bridges = two_bridges(server, tmp_path, more, "")
        for number in (1, 2):
            await _end_limit(lambda number=number: len(list(tmp_path.glob("hangs*"))) == number, engine_limits)  # type: ignore[misc]
        await until(lambda: len(server.finished) == 1, "the game")
        for bridge in bridges:
            await bridge.end()
        written = bridges[0].written()
        assert written.count("the engine failed (") == written.count("it did not answer within 60.0 s") // 2 == 2
        _check_games(server, bridges)


_FAULTY = r"""
import sys, tempfile, time
fault, size, played = sys.argv[1], 5, []
names = "protocol_version list_commands boardsize clear_board komi play genmove quit time_left undo"
for line in sys.stdin:
    words, text = line.split(), ""
    if not words:
        continue
    if words[0] == "list_commands":
        text = "\n".join(names.split())
    elif words[0] == "clear_board":
        played = []
    elif words[0] == "play":
        played.append(words[2].upper())
    elif words[0] == "genmove":
        if fault == "dies":
            sys.exit(3)
        if fault == "hangs":
            tempfile.mkstemp(prefix="hangs", dir=sys.argv[2])
            time.sleep(600)
        if fault == "slow":
            time.sleep(12)
        if fault == "nonsense":
            print("% what is this")
            continue
        free = [c + str(r) for r in range(1, 6) for c in "ABCDE" if c + str(r) not in played]
        text = {"occupied": played[-1] if played else "Z1", "off board": "T19", "no vertex": "J99"}.get(fault, "pass")
        if fault == "chatty":
            sys.stderr.write("x" * 3_000_000 + "\n")
            text = free[0] if len(played) < 6 else "pass"
        played.append(text)
    print("=", text, end="\n\n", flush=True)
    if fault == "chatty":
        print("\n\n", flush=True)
    if words[0] == "quit":
        break
"""


@pytest.mark.slow
async def test_a_bot_that_answers_a_number_that_is_no_point_is_at_fault(tmp_path: Path) -> None:
    (tmp_path / "wild.py").write_text(
        "import gtp_variants as gv\nclass Wild(gv.Seat):\n    def choose(self, view, clock):\n        return 10**9\n"
    )
    more = f"engine: {{bot: '{tmp_path}/wild.py:Wild', fallback: greedy, grace: 1ms}}\n"
    async with CgosServer(most_games=1) as server:
        bridges = two_bridges(server, tmp_path, more, "")
        await until(lambda: len(server.finished) == 1, "the game")
        for bridge in bridges:
            await bridge.end()
        assert bridges[0].session.counters.engine_failures == 4
        assert "it wants point 1000000000: (off board)" in bridges[0].written()
        _check_games(server, bridges)


def test_a_board_that_stood_before_is_not_sent() -> None:
    rules = parse("go:size=5")
    replay = ReplayedGame(rules, b"", {})
    stones = [(1, "B3"), (2, "E3"), (1, "C4"), (2, "D4"), (1, "C2"), (2, "D2"), (1, "D3"), (2, "C3")]
    assert replay.follow([Step(colour, vertex) for colour, vertex in stones]) is None
    assert "repetition" in replay.why_not(1, rules.board.point("D3"))
    assert not replay.why_not(1, rules.board.point("A1"))


@pytest.mark.slow
@pytest.mark.parametrize("fallback", ["greedy", "resign"])
async def test_an_engine_that_never_works_is_given_up_and_the_bridge_ends(tmp_path: Path, fallback: str) -> None:
    hook = tmp_path / "hook.sh"
    hook.write_text(
        f"#!/bin/sh\nsleep 0.3\nprintf '%s %s\\n' $GTP_VARIANTS_EVENT \"$GTP_VARIANTS_WHY\" >> {tmp_path}/failures\n"
    )
    hook.chmod(0o700)
    async with CgosServer() as server:
        more = (
            f"engine: {{command: {_python()} -c 'import sys', restarts: 1, grace: 1ms, "
            f"failed_games: 2, fallback: {fallback}}}\n"
            f"hooks: {{on_failure: {hook}}}\n"
        )
        async with running(config_of("cgos", server.port, tmp_path / "b", name="bravo")):
            bridge = Running(config_of("cgos", server.port, tmp_path / "a", more, name="alpha"))
            assert await bridge.status() == 4
        assert [match.result[2:] == "Resign" for match in server.finished] == 2 * [fallback == "resign"]
        assert "the engine failed in 2 games" in (tmp_path / "failures").read_text()


async def test_a_move_that_is_found_while_we_log_in_again_is_no_answer_to_the_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine thinks while the line is lost; its move waits until the server has told the game again."""
    engine = tmp_path / "engine.py"
    # It answers as soon as the line is lost and somebody allows it.
    engine.write_text(
        _ANALYST.replace(" kata-genmove_analyze", "").replace(
            '    elif "genmove" in words[0]:',
            f"""    elif "genmove" in words[0]:
        import pathlib, time
        pathlib.Path("{tmp_path}/asked").touch()
        while not pathlib.Path("{tmp_path}/answer").exists():
            time.sleep(0.01)""",
        )
    )
    more = f"engine: {{command: {_python()} {engine}}}\n"
    async with CgosServer(most_games=1) as server:
        bridges = two_bridges(server, tmp_path, more, "")
        await until(lambda: (tmp_path / "asked").exists(), "the engine's turn")
        # Who logs in hears nothing until the move was found.
        name, greet = bridges[0].config.name, server._greet
        waiting: list[LineClient] = []
        monkeypatch.setattr(server, "_greet", waiting.append)
        server.cut(server.online[name])
        await until(lambda: bool(waiting), "the next login")
        before = len(server.heard)
        (tmp_path / "answer").touch()
        (game,) = bridges[0].session.games.values()
        await until(lambda: game.turn.decided is not None, "the engine's move")
        monkeypatch.setattr(server, "_greet", greet)
        assert [text for who, text in server.heard[before:] if not who] == []
        greet(waiting[0])
        await until(lambda: len(server.finished) == 1, "the game")
        for bridge in bridges:
            await bridge.end()
        _check_games(server, bridges)
