"""A broken or hostile KGS or OGS: the bridge continues and plays its next game normally."""

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.bridge.fakes.mutations import mutate
from tests.bridge.fakes.running_bridge import PASSWORD, Running, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS and OGS need httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local servers need starlette and uvicorn: pip install 'gtp-variants[web]'")

from starlette.responses import Response

from tests.bridge.fakes import kgs_http
from tests.bridge.fakes.kgs_http import Login
from tests.bridge.fakes.kgs_people import KgsPerson, kgs_config
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.ogs_people import OgsPerson, ogs_config
from tests.bridge.fakes.ogs_server import OgsServer

SHARE = 0.25
ROUNDS, ROUND_S = 12, 0.25
# What a login is refused by ends a bridge for good, and rightly.
LOGIN = ("LOGIN", "HELLO", "ROOM_NAMES", "RECONNECT", "LOGOUT")


def _check(bridge: Running) -> None:
    assert not bridge.task.done()
    assert "unexpected" not in bridge.written()
    assert PASSWORD not in bridge.written()


async def _wait_for_progress(holds: Callable[[], bool]) -> None:
    """Where a message was lost there may be none."""
    with suppress(TimeoutError):
        async with asyncio.timeout(ROUND_S):
            while not holds():
                await asyncio.sleep(0.005)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_frames_of_ogs_that_are_wrong(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    async with OgsServer({"botty": PASSWORD, "alpha": "sesame-1"}) as server:
        send, is_hostile, late = server.send, True, list[tuple[Any, ...]]()

        def send_wrong(line: Any, *frame: Any) -> None:
            # The first answer is the login's.
            if is_hostile and line.name == "botty" and frame[0] != 1 and rng.random() < SHARE:
                if rng.random() < 0.3:
                    late.append(frame)
                    return
                frame = tuple(mutate(list(frame), rng))
            send(line, *frame)
            while late and rng.random() < 0.5:
                send(line, *late.pop())

        config = ogs_config(server, tmp_path, "reconnect: {first: 20ms, most: 50ms}\n")
        async with running(config) as bridge:
            person = await OgsPerson(server, "alpha", seed).come()
            game = await person.begin("botty", 5, colour="black")
            server.send = send_wrong  # type: ignore[method-assign]
            for _ in range(ROUNDS):
                seen = len(game.moves)
                if game.phase == "play" and game.to_play == "black":
                    free = [point for point in game.game.rules.legal(game.game.position) if point >= 0]
                    await person.move(game, game.rules.board.vertex(rng.choice(free)) if free else "pass")
                await person.say(game, "!help")
                await _wait_for_progress(lambda seen=seen: len(game.moves) >= seen + 2)  # type: ignore[misc]
                server.cut("botty")
            is_hostile = False
            await person.in_game("game/resign", game)
            server.cut("botty")
            await until(lambda: not bridge.session.games, "the end of that game")
            await until(lambda: "botty" in server.online, "the bot")
            again = await person.begin("botty", 5, colour="black")
            await person.move(again, "C3")
            await until(lambda: len(again.moves) == 2, "an answer")
            _check(bridge)
            await person.go()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_messages_of_kgs_that_are_wrong(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    push, is_hostile = Login.push, False

    def push_wrong(login: Login, kind: str, **fields: Any) -> None:
        if not is_hostile or login.name != "botty" or kind.startswith(LOGIN) or rng.random() > SHARE:
            push(login, kind, **fields)
            return
        login.waiting.append(mutate({"type": kind, **fields}, rng, frozenset(["type"] if rng.random() < 0.8 else [])))
        login.news.set()

    monkeypatch.setattr(Login, "push", push_wrong)
    # As some servers write numbers that are none.
    monkeypatch.setattr(kgs_http, "JSONResponse", lambda found: Response(json.dumps(found)))
    async with KgsServer({"botty": PASSWORD, "alpha": "sesame"}, poll_s=0.5) as server:
        config = kgs_config(server, tmp_path, "reconnect: {first: 20ms, most: 50ms}\n")
        async with running(config) as bridge:
            person = await KgsPerson(server, "alpha", seed).come()
            table = await person.begin("botty", role="black")
            is_hostile = True
            for _ in range(ROUNDS):
                seen = len(table.moves)
                if table.is_live and not table.is_scoring and table.to_play == "black":
                    free = [point for point in table.game.rules.legal(table.game.position) if point >= 0]
                    loc = table.loc(rng.choice(free) if free else -1)
                    await person.post("GAME_MOVE", channelId=table.channel, loc=loc)
                await _wait_for_progress(lambda seen=seen: len(table.moves) >= seen + 2)  # type: ignore[misc]
                server.cut("botty")
            is_hostile = False
            await person.post("GAME_RESIGN", channelId=table.channel)
            await person.post("UNJOIN_REQUEST", channelId=table.channel)
            server.cut("botty")
            await until(lambda: any(each.owner == "botty" for each in server.challenges.values()), "a challenge")
            again = await person.begin("botty", role="black")
            await person.post("GAME_MOVE", channelId=again.channel, loc=again.loc(12))
            await until(lambda: len(again.moves) == 2, "an answer")
            _check(bridge)
            await person.go()
