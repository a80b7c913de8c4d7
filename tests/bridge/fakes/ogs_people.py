"""People at the local OGS: a page's frames over a WebSocket and its posts, and nothing of our own client."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.records.record import Record
from tests.bridge.fakes.ogs_clock import Fields
from tests.bridge.fakes.ogs_game import LocalGame
from tests.bridge.fakes.ogs_review import LocalReview
from tests.bridge.fakes.ogs_server import OgsServer
from tests.bridge.fakes.running_bridge import ACCOUNTS, PASSWORD, Listener, Running, check_record, config_of, running
from tests.support.waiting import PATIENCE_S, until

BYOYOMI = {"system": "byoyomi", "speed": "live", "main_time": 600, "period_time": 30, "periods": 5}


def ogs_config(
    server: OgsServer, folder: Path, more: str = "", *, game: str = "go:size=5", name: str = "botty", pace: int = 1000
) -> BridgeConfig:
    """A bot at the local server."""
    return config_of("ogs", server.port, folder, more, game=game, server=f"tls: false, pace: {pace}", name=name)


def proposal(size: int, **changed: Any) -> Fields:
    """Return a page's data for a challenge; `colour` is the challenger's."""
    colour = changed.pop("colour", "automatic")
    time = changed.pop("time", BYOYOMI)
    game = {
        "name": "Friendly Match",
        "rules": "chinese",
        "ranked": False,
        "width": size,
        "height": size,
        "handicap": 0,
        "komi_auto": "automatic",
        "komi": None,
        "disable_analysis": True,
        "initial_state": None,
        "private": False,
        "time_control": time["system"],
        "time_control_parameters": {"time_control": time["system"], "pause_on_weekends": False, **time},
    }
    return {"initialized": False, "challenger_color": colour, "game": {**game, **changed}}


class OgsPerson(Listener):
    """A person who clicks and types; `play_on` plays Aléago as the bot says."""

    def __init__(self, server: OgsServer, name: str, seed: int = 1) -> None:
        self.server, self.name = server, name
        self.rng = random.Random(seed)
        self.frames: list[list[Any]] = []
        # What this person does when asked for an undo: lets it, or refuses, or None for nothing.
        self.lets_undo: bool | None = None
        self._jwt = f"jwt-{server.passwords[name]}"
        self._http = httpx.AsyncClient(timeout=60, headers={"Authorization": f"Bearer {self._jwt}"})
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._number = 0
        self.games: list[int] = []

    async def come(self) -> "OgsPerson":
        self._socket = await connect(
            f"ws://{self.server.address}:{self.server.port}/", open_timeout=PATIENCE_S, proxy=None
        )
        self._task = asyncio.create_task(self._listen(self._socket))
        self._number += 1
        await self.send("authenticate", {"jwt": self._jwt}, self._number)
        await until(lambda: self.name in self.server.online, f"{self.name}'s login")
        return self

    async def go(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._socket is not None:
            await self._socket.close()
        await self._http.aclose()

    async def _listen(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for text in socket:
                frame = json.loads(text)
                self.frames.append(frame)
                await self._react(str(frame[0]), frame[1] if len(frame) > 1 else None)

    async def _react(self, event: str, data: Any) -> None:
        """Do a page's automatic actions, and answer requests for undo."""
        if event == "active_game" and data["phase"] != "finished" and data["id"] not in self.games:
            self.games.append(data["id"])
            await self.send("game/connect", {"game_id": data["id"], "chat": True})
        found = re.fullmatch(r"game/(\d+)/undo_requested", event)
        if found is not None and self.lets_undo is not None and data["requested_by"] != self.server.ids[self.name]:
            command = "game/undo/accept" if self.lets_undo else "game/undo/cancel"
            await self.send(command, {"game_id": int(found[1]), "move_number": data["move_number"]})

    async def send(self, command: str, data: Fields, *number: int) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps([command, data, *number]))

    def got(self, event: str) -> list[Any]:
        """The data of all events of this name, whatever game they are of."""
        pattern = re.compile(rf"(game/\d+/)?{event}")
        return [frame[1] for frame in self.frames if isinstance(frame[0], str) and pattern.fullmatch(frame[0])]

    async def gets(self, event: str, after: int = 0) -> Any:
        await until(lambda: len(self.got(event)) > after, f"{event} for {self.name}")
        return self.got(event)[after]

    # -- games ---------------------------------------------------------------------------------------------------------

    async def challenge(self, to: str, size: int, **changed: Any) -> Fields:
        """Challenge a user, and return the server's answer."""
        url = f"http://{self.server.address}:{self.server.port}/api/v1/players/{self.server.ids[to]}/challenge"
        response = await self._http.post(url, json=proposal(size, **changed))
        assert response.status_code == 200, response.text
        answer: Fields = response.json()
        return answer

    async def begin(self, to: str, size: int, **changed: Any) -> LocalGame:
        """Challenge, and wait for the game."""
        await until(lambda: to in self.server.bot_configs, f"{to}, ready for challenges")
        number = (await self.challenge(to, size, **changed))["game"]
        await until(lambda: number in self.server.games and number in self.games, "the game")
        await until(lambda: self.server.online.get(to) in self.server.games[number].watchers, f"{to} in the game")
        return self.server.games[number]

    def side(self, game: LocalGame) -> str:
        return game.side_of(self.server.ids[self.name])

    async def move(self, game: LocalGame, vertex: str) -> None:
        await self.send("game/move", {"game_id": game.id, "move": game.word(vertex)})

    async def say(self, game: LocalGame, text: str) -> None:
        fields = {"game_id": game.id, "type": "main", "move_number": len(game.moves), "body": text}
        await self.send("game/chat", fields)

    async def in_game(self, command: str, game: LocalGame, **fields: Any) -> None:
        await self.send(command, {"game_id": game.id, **fields})

    async def ask_undo(self, game: LocalGame) -> None:
        await self.in_game("game/undo/request", game, move_number=len(game.moves))

    async def watch(self, review: LocalReview) -> None:
        """Look on at a demonstration board."""
        await self.send("review/connect", {"review_id": review.id})

    async def type(self, review: LocalReview, text: str) -> None:
        """Type something at a demonstration board."""
        fields = {"review_id": review.id, "from": 0, "moves": review.path, "body": text}
        await self.send("review/chat", fields)

    async def tell(self, to: str, text: str) -> None:
        """Write a private message."""
        self._number += 1
        fields = {"player_id": self.server.ids[to], "username": to, "uid": f"u{self._number}", "message": text}
        await self.send("chat/pm", fields)

    @property
    def lines(self) -> Sequence[str]:
        """The lines of others in games and in private, each once."""
        said: dict[str, str] = {}
        for frame in self.frames:
            if str(frame[0]).endswith("/chat") and frame[1]["line"]["username"] != self.name:
                said[frame[1]["line"]["chat_id"]] = str(frame[1]["line"]["body"])
            elif str(frame[0]).endswith("/r") and "chat" in frame[1] and frame[1]["chat"]["username"] != self.name:
                said[f"r{frame[0]}{frame[1]['chat']['chat_id']}"] = str(frame[1]["chat"]["body"])
            elif frame[0] == "private-message" and frame[1]["from"]["username"] != self.name:
                said[frame[1]["message"]["i"]] = str(frame[1]["message"]["m"])
        return list(said.values())

    async def play_on(self, game: LocalGame, moves: int, passes: float = 0.0) -> None:
        """Play Aléago for so many moves of one's own, as the bot says, or until the end."""
        played, opened = 0, ""
        tried: set[str] = set()
        newest, last = -1, (-1, 0)
        while played < moves and game.phase != "finished":
            for line in self.news():
                drawn = re.search(r"Move (\d+), you: (?:dice \S+ -> (.*)|no dice.*)\.(?: Next.*)?$", line)
                turn = int(drawn[1]) if drawn is not None else -1
                if drawn is not None and turn >= newest and (turn != last[0] or len(game.moves) <= last[1]):
                    newest, opened, tried = turn, drawn[2] or "free", set()
            if opened and game.phase == "play" and game.to_play == self.side(game):
                seen = len(game.moves)
                choice = self.choose(game.game, opened, tried, passes)
                if choice == "resign":
                    await self.in_game("game/resign", game)
                    return
                await self.move(game, choice)
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.5):
                        while len(game.moves) == seen:
                            await asyncio.sleep(0.002)
                if len(game.moves) > seen:
                    opened, last = "", (newest, seen)
                    played += 1
            await asyncio.sleep(0.002)


@asynccontextmanager
async def at_game(
    folder: Path,
    more: str = "",
    *,
    game: str = "go:size=5",
    colour: str = "black",
    size: int = 5,
    seed: int = 1,
    user: Fields | None = None,
    terms: Fields | None = None,
    **habits: Any,
) -> AsyncIterator[tuple[OgsServer, Running, OgsPerson, LocalGame]]:
    """The bot in a game with a person, on a server of such habits; nothing is wrong when they leave."""
    async with OgsServer(ACCOUNTS | {"alpha": "sesame-1", "bravo": "sesame-2"}) as server:
        for name, value in habits.items():
            assert hasattr(server.habits, name)
            setattr(server.habits, name, value)
        server.users["alpha"] = user or {}
        async with running(ogs_config(server, folder, more, game=game)) as bridge:
            person = await OgsPerson(server, "alpha", seed).come()
            try:
                yield server, bridge, person, await person.begin("botty", size, colour=colour, **(terms or {}))
            finally:
                await person.go()
        assert server.faults == []
        assert "unexpected" not in bridge.written()
        assert PASSWORD not in bridge.written()


async def resign(person: OgsPerson, bridge: Running, game: LocalGame) -> Record:
    """Give the game up; its record, which is right."""
    await person.in_game("game/resign", game)
    await until(lambda: not bridge.session.games, "the end")
    return check_record(bridge.records()[0])
