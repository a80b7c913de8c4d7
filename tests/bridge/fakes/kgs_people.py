"""People at the local KGS: over HTTP, with raw messages and nothing of our own client."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.records.record import Record
from tests.bridge.fakes.kgs_http import ROOMS
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.kgs_table import Fields, Table
from tests.bridge.fakes.running_bridge import ACCOUNTS, PASSWORD, Listener, Running, check_record, config_of, running
from tests.support.waiting import until

ROOM = 2


def local_server() -> KgsServer:
    """A server that knows the bot and two people."""
    return KgsServer(ACCOUNTS)


def kgs_config(
    server: KgsServer, folder: Path, more: str = "", *, game: str = "go:size=5", name: str = "botty", pace: int = 1000
) -> BridgeConfig:
    """A bot in the room."""
    keys = f"room: {ROOMS[ROOM]}, tls: false, pace: {pace}"
    return config_of("kgs", server.port, folder, more, game=game, server=keys, name=name)


class KgsPerson(Listener):
    """A person who clicks and types; `play_on` plays Aléago as the bot says."""

    def __init__(self, server: KgsServer, name: str, seed: int = 1) -> None:
        self.server, self.name = server, name
        self.rng = random.Random(seed)
        self.messages: list[Fields] = []
        self.lets_undo = False
        self._wanted: Fields | None = None
        self._http = httpx.AsyncClient(timeout=60)
        self._task: asyncio.Task[None] | None = None

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/json/access"

    async def come(self) -> "KgsPerson":
        await self.post("LOGIN", name=self.name, password=self.server.passwords[self.name])
        self._task = asyncio.create_task(self._listen())
        await self.gets("LOGIN_SUCCESS")
        await self.post("JOIN_REQUEST", channelId=ROOM)
        await self.gets("ROOM_JOIN")
        return self

    async def go(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._http.aclose()
        self.server.cut(self.name)

    async def _listen(self) -> None:
        while True:
            try:
                response = await self._http.get(self._url)
            except httpx.HTTPError:
                return
            if response.status_code != 200:
                return
            for message in response.json().get("messages", ()):
                self.messages.append(message)
                await self._react(message)

    async def _react(self, message: Fields) -> None:
        """Do a client's automatic actions: accept own proposals, and allow undos if the owner would."""
        seats = message["proposal"]["players"] if message["type"] == "CHALLENGE_PROPOSAL" else ()
        if self._wanted is not None and any(seat.get("user", {}).get("name") == self.name for seat in seats):
            await self.post("CHALLENGE_ACCEPT", channelId=message["channelId"], **self._wanted)
        if message["type"] == "GAME_UNDO_REQUEST" and self.lets_undo:
            await self.post("GAME_UNDO_ACCEPT", channelId=message["channelId"])

    async def post(self, kind: str, **fields: Any) -> int:
        """Send a message; the status."""
        response = await self._http.post(self._url, content=json.dumps({"type": kind, **fields}))
        return response.status_code

    def got(self, kind: str) -> list[Fields]:
        return [message for message in self.messages if message["type"] == kind]

    async def gets(self, kind: str, after: int = 0) -> Fields:
        """Wait for a message of a kind, past the first `after` of them."""
        await until(lambda: len(self.got(kind)) > after, f"{kind} for {self.name}")
        return self.got(kind)[after]

    # -- games ---------------------------------------------------------------------------------------------------------

    async def challenge(self, owner: str, **changed: Any) -> int:
        """Submit to a challenge of somebody's; `changed` are fields of its rules, or `role`; the channel."""
        await until(lambda: any(each.owner == owner for each in self.server.challenges.values()), "a challenge")
        channel = next(number for number, each in self.server.challenges.items() if each.owner == owner)
        proposal = self.server.challenges[channel].proposal
        await self.post("JOIN_REQUEST", channelId=channel)
        await until(lambda: any(m["channelId"] == channel for m in self.got("CHALLENGE_JOIN")), "the challenge")
        role = changed.pop("role", None)
        kind = changed.pop("gameType", proposal["gameType"])
        seats = [{**seat, "name": seat.get("name", self.name)} for seat in proposal["players"]]
        if role is not None:
            other = "white" if role == "black" else "black"
            seats = [{**seat, "role": role if seat["name"] == self.name else other} for seat in seats]
        nigiri = proposal["nigiri"] and role is None
        rules = {**proposal["rules"], **changed}
        self._wanted = {**proposal, "gameType": kind, "rules": rules, "players": seats, "nigiri": nigiri}
        await self.post("CHALLENGE_SUBMIT", channelId=channel, **self._wanted)
        return channel

    async def begin(self, owner: str, **changed: Any) -> Table:
        """Challenge, and wait for the game."""
        count = len(self.got("GAME_JOIN"))
        await self.challenge(owner, **changed)
        joined = await self.gets("GAME_JOIN", count)
        return self.server.tables[joined["channelId"]]

    @property
    def table(self) -> Table:
        # The newest: who does not leave a game that is over is still in it.
        found = next((each for each in reversed(self.server.tables.values()) if self.name in each.users), None)
        assert found is not None
        return found

    async def move(self, vertex: str) -> int:
        table = self.table
        point = -1 if vertex == "pass" else table.game.rules.board.point(vertex)
        return await self.post("GAME_MOVE", channelId=table.channel, loc=table.loc(point))

    async def say(self, text: str) -> None:
        await self.post("CHAT", channelId=self.table.channel, text=text)

    async def in_game(self, kind: str, **fields: Any) -> int:
        """Post to the game."""
        return await self.post(kind, channelId=self.table.channel, **fields)

    # -- what is said --------------------------------------------------------------------------------------------------

    @property
    def lines(self) -> Sequence[str]:
        """The words of others, each once: as CHAT, or where the server sends none, as the newest line of a comment."""
        if self.server.chat_as != "comment":
            return [m["text"] for m in self.got("CHAT") if m["user"]["name"] != self.name]
        props = [event.get("prop", {}) for m in self.got("GAME_UPDATE") for event in m["sgfEvents"]]
        said = [prop["text"].splitlines()[-1].split(" [?]: ", 1) for prop in props if prop.get("name") == "COMMENT"]
        return [text for name, text in said if name != self.name]

    async def play_on(self, table: Table, moves: int, passes: float = 0.0) -> None:
        """Play Aléago for so many moves of one's own, as the bot says, or until the end; agree to what is counted."""
        played, opened = 0, ""
        tried: set[str] = set()
        agreed_to = newest = -1
        # The turn that was played last, and how many moves there were before it: its draw may be said again later.
        last = -1, 0
        while played < moves and not table.over:
            for line in self.news():
                drawn = re.search(r"Move (\d+), you: (?:dice \S+ -> (.*)|no dice.*)\.(?: Next.*)?$", line)
                turn = int(drawn[1]) if drawn is not None else -1
                if drawn is not None and turn >= newest and (turn != last[0] or len(table.moves) <= last[1]):
                    newest, opened, tried = turn, drawn[2] or "free", set()
            if table.is_scoring and table.done - {self.name} and agreed_to != table.done_id:
                agreed_to = table.done_id
                await self.in_game("GAME_SCORING_DONE", doneId=agreed_to)
            elif opened and not table.adjourned and not table.is_scoring and table.to_play == table.role(self.name):
                seen = len(table.moves)
                choice = self.choose(table.game, opened, tried, passes)
                if choice == "resign":
                    await self.in_game("GAME_RESIGN")
                    return
                if await self.move(choice) == 200 and len(table.moves) > seen:
                    opened, last = "", (newest, seen)
                    played += 1
            await asyncio.sleep(0.002)


@asynccontextmanager
async def in_room(
    folder: Path, role: str, more: str = "", *, game: str, name: str = "judge", server: KgsServer | None = None
) -> AsyncIterator[tuple[KgsServer, Running, list[KgsPerson]]]:
    """A bridge with a role of its own and three people in its room; nothing is wrong when they leave."""
    names = ("alpha", "bravo", "carol")
    new = KgsServer({name: PASSWORD, **dict.fromkeys(names, "sesame")})
    async with new if server is None else nullcontext(server) as there:
        there.unlucky = name
        async with running(kgs_config(there, folder, f"role: {role}\n{more}", game=game, name=name)) as bridge:
            people = [await KgsPerson(there, each).come() for each in names]
            await until(lambda: name in there.rooms[ROOM], f"the {role} in the room")
            yield there, bridge, people
            for person in people:
                await person.go()
        assert there.faults == []
        assert "unexpected" not in bridge.written()
        assert PASSWORD not in bridge.written()


@asynccontextmanager
async def at_board(
    folder: Path, more: str = "", *, game: str = "go:size=5", role: str = "black", seed: int = 1, **behaviour: Any
) -> AsyncIterator[tuple[KgsServer, Running, KgsPerson, Table]]:
    """The bot at a board with a person, on a server that behaves so; nothing is wrong when they leave."""
    async with local_server() as server, running(kgs_config(server, folder, more, game=game)) as bridge:
        for name, value in behaviour.items():
            assert hasattr(server, name)
            setattr(server, name, value)
        person = await KgsPerson(server, "alpha", seed).come()
        yield server, bridge, person, await person.begin("botty", role=role)
        await person.go()
    assert server.faults == []
    assert "unexpected" not in bridge.written()
    assert PASSWORD not in bridge.written()


async def resign(person: KgsPerson, bridge: Running) -> Record:
    """Give the game up; its record, which is right."""
    await person.in_game("GAME_RESIGN")
    await until(lambda: not bridge.session.games, "the end")
    return check_record(bridge.records()[0])
