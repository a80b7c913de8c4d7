"""The real gtp2ogs, unchanged, at the local OGS: our adapter plays against it, and a person at the page of its account.

It is found by the environment variable GTP2OGS, the path of its program or of its `gtp2ogs.js`, or on the PATH. It asks
the REST interface at a usual port only, so the local server listens at port 80 of an address of the loopback.
"""

import asyncio
import json
import os
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.records.files import load_record
from gtp_variants.rules.actions import PASS
from tests.support.waiting import until

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.ogs_game import LocalGame
from tests.bridge.fakes.ogs_people import OgsPerson, ogs_config
from tests.bridge.fakes.ogs_server import OgsServer
from tests.bridge.fakes.running_bridge import PASSWORD, Running, environment, running

NAME, KEY = "otherbot", "key-of-the-other"
SIZE = 5


def _program() -> list[str]:
    found = os.environ.get("GTP2OGS") or shutil.which("gtp2ogs")
    if not found:
        pytest.skip("gtp2ogs is not installed; GTP2OGS may name its gtp2ogs.js")
    if not found.endswith(".js"):
        return [found]
    node = shutil.which("node")
    if node is None:
        pytest.skip("gtp2ogs needs node")
    return [node, found]


@asynccontextmanager
async def _server() -> AsyncIterator[OgsServer]:
    rng = random.Random(os.getpid())
    address = f"127.{rng.randrange(1, 255)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"
    server = OgsServer({"botty": PASSWORD, NAME: KEY, "alpha": "sesame"}, address, 80)
    try:
        await server.open()
    except OSError as error:
        pytest.skip(f"gtp2ogs asks at port 80 only, which cannot be had: {error}")
    try:
        yield server
    finally:
        await server.close()


@asynccontextmanager
async def _gtp2ogs(server: OgsServer, folder: Path) -> AsyncIterator[Path]:
    """gtp2ogs at work, with an engine of ours; what it writes."""
    config = {
        "apikey": KEY,
        "server": f"http://{server.address}",
        "log_game_chat": True,
        "min_move_time": 0,
        "status_update_frequency": 0,
        "allowed_board_sizes": "square",
        "max_games_per_player": 0,
        "greeting": {"en": "Hello"},
        "farewell": {"en": "Bye"},
        # An engine that is kept for a game would go on from what was there before an undo.
        "bot": {
            "manager": "pool",
            "command": [sys.executable, "-m", "gtp_variants", "gtp", f"go:size={SIZE}", "--bot", "greedy"],
        },
    }
    path, log = folder / "gtp2ogs.json5", folder / "gtp2ogs.log"
    path.write_text(json.dumps(config))
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            *_program(), "--config", str(path), stdout=written, stderr=written, env=environment()
        )
        watch = asyncio.create_task(_watch(process, asyncio.current_task()))
        try:
            await until(lambda: NAME in server.bot_configs, "gtp2ogs")
            yield log
            assert process.returncode is None, log.read_text()[-4000:]
        finally:
            watch.cancel()
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def _watch(process: asyncio.subprocess.Process, test: "asyncio.Task[object] | None") -> None:
    """End a test whose gtp2ogs has ended."""
    await process.wait()
    if test is not None:
        test.cancel(f"gtp2ogs has ended with status {process.returncode}")


def _bridge_config(server: OgsServer, folder: Path) -> BridgeConfig:
    config = ogs_config(
        server,
        folder,
        f"offer: {{players: [{NAME}], time: 5m+5x30s, every: 50ms, again: 50ms}}\ntime: {{at_least: 100ms}}\n",
        game=f"go:size={SIZE}",
    )
    return replace(config, server=replace(config.server, host=server.address))


async def _disturb(server: OgsServer, page: OgsPerson, game: LocalGame, number: int) -> None:
    """Handle the events of a game other than moves, by the number of the game."""
    began, kind = time.monotonic(), number % 5
    if kind in (1, 4):
        # gtp2ogs ends for good when an engine that it lets go is younger than a second.
        for name, seconds in (("botty", 0.0), (NAME, 1.5)):
            await until(lambda seconds=seconds: game.moves and time.monotonic() > began + seconds)  # type: ignore[misc]
            if game.phase == "play":
                line = server.online.get(name)
                server.cut(name)
                await until(lambda name=name, line=line: server.online.get(name) not in (None, line))  # type: ignore[misc]
    if kind in (2, 4):
        await _undo(page, game, number % 2 + 1)
    if kind == 3:
        await until(lambda: game.phase != "play", "the passes")
        if game.phase == "stone removal":
            await page.in_game("game/removed_stones/reject", game)
            await until(lambda: game.phase != "stone removal")


async def _undo(page: OgsPerson, game: LocalGame, count: int) -> None:
    """Somebody at the page of gtp2ogs's account asks for an undo, which our adapter lets them."""
    before = sum("lets the move be undone" in line for line in game.seen)
    game.habits.undo_count = count
    while game.phase == "play" and sum("lets the move be undone" in line for line in game.seen) == before:
        if len(game.moves) >= 4:
            await page.ask_undo(game)
        await asyncio.sleep(0.05)
    game.habits.undo_count = None


async def _finish(server: OgsServer, page: OgsPerson, game: LocalGame) -> None:
    """Wait for the end; where the server does not score by itself, the page accepts, and so has our adapter to."""
    accepted = False
    while game.phase != "finished":
        if game.phase == "stone removal" and game.habits.score_s is None and not accepted:
            accepted = True
            await page.in_game("game/removed_stones/accept", game, stones=game.removed, strict_seki_mode=False)
        await asyncio.sleep(0.02)


def _check(bridge: Running, games: list[LocalGame]) -> None:
    """All games ended by play, and are in the records as the server has them; later games may have begun."""
    assert {game.outcome for game in games} & {"Timeout", "Cancellation"} == set()
    records = bridge.records()[: len(games)]
    for path, game in zip(records, games, strict=True):
        record = load_record(path)
        board = record.game.rules.board
        moves = [event.action for event in record.game.events if event.action >= PASS]
        assert ["pass" if move == PASS else board.vertex(move) for move in moves] == game.vertices
        winner = "B" if game.winner == game.players["black"]["id"] else "W"
        assert record.result is not None
        assert record.result[0] == winner


async def _play_games(folder: Path, count: int, first: int) -> None:
    with (
        patch("gtp_variants.bridge.ogs.game._SCORE_S", 0.3),
    ):
        async with _server() as server, _gtp2ogs(server, folder) as log:
            server.habits.data_after_undo = True
            page = await OgsPerson(server, NAME).come()
            async with running(_bridge_config(server, folder)) as bridge:
                for number in range(count):
                    server.habits.score_s = None if (first + number) % 4 == 3 else 0.6
                    await until(lambda number=number: len(server.games) > number, "a game")  # type: ignore[misc]
                    game = list(server.games.values())[number]
                    await _disturb(server, page, game, first + number)
                    await _finish(server, page, game)
                await until(lambda: bridge.session.counters.results.total() >= count, "the last result")
                _check(bridge, list(server.games.values())[:count])
                await bridge.end()
                written = bridge.written()
            await page.go()
            assert server.faults == []
            assert "unexpected" not in written
            assert PASSWORD not in written
            assert "Game over." in log.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
async def test_twenty_games_with_undo_removal_and_lost_lines(tmp_path: Path, part: int) -> None:
    """Two games each, well within the time of a test; what happens in them goes through all combinations."""
    await _play_games(tmp_path, 2, 2 * part)
