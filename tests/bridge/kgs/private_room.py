"""A bridge that referees Go Fantôme in private at the local KGS, and people in its room who play there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gtp_variants.bridge.core.private_game import PrivateGame
from gtp_variants.rules.actions import BLACK, PASS
from gtp_variants.rules.game import Game
from tests.bridge.fakes.kgs_people import KgsPerson, in_room
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.running_bridge import Running
from tests.support.waiting import until

REFEREE = "judge"


class Matchmaker:
    """A bridge that referees in private, and three people in its room."""

    def __init__(self, server: KgsServer, bridge: Running, people: list[KgsPerson]) -> None:
        self.server, self.bridge = server, bridge
        self.black, self.white, self.fan = people
        self._came: list[KgsPerson] = []

    async def come(self, name: str) -> KgsPerson:
        """Somebody logs in again."""
        person = KgsPerson(self.server, name)
        self._came.append(person)
        return await person.come()

    async def close(self) -> None:
        for person in self._came:
            await person.go()

    async def say(self, person: KgsPerson, text: str) -> None:
        """Type something to the referee in private."""
        await person.post("CHAT", channelId=await self.channel(person), text=text)

    async def channel(self, person: KgsPerson) -> int:
        """The conversation with the referee."""
        if person.name not in self.conversed:
            count = len(person.got("CONVO_JOIN"))
            await person.post("CONVO_REQUEST", callbackKey=9, name=REFEREE)
            await person.gets("CONVO_JOIN", count)
        return self.conversed[person.name]

    @property
    def conversed(self) -> dict[str, int]:
        found = self.server.conversations.items()
        online = self.server.online
        return {
            name: channel
            for channel, pair in found
            for name in pair
            if name != REFEREE and name in online and channel in online[name].channels
        }

    async def begin(self, one: str = "!black", other: str = "!white") -> None:
        await self.say(self.black, one)
        await self.black.hears("You play Black. The game begins when somebody types !white|Vous jouez Noir")
        await self.say(self.white, other)
        for person in (self.black, self.white):
            await person.hears("This is Go Fantôme|C'est le Go Fantôme")

    @property
    def private_game(self) -> PrivateGame:
        """Return Black's game."""
        games = self.bridge.session.games.values()
        found = next(each for each in games if self.black.name in each.state.players.values())
        assert isinstance(found, PrivateGame)
        return found

    @property
    def game(self) -> Game:
        return self.private_game.table.game

    async def type(self, person: KgsPerson, text: str) -> None:
        """Type a try, and wait until it is taken."""
        game = self.game
        count = len(game.events)
        await self.say(person, text)
        await until(lambda: len(game.events) > count, f"{person.name}'s {text}")

    async def replay(self, game: Game) -> None:
        """Type the tries of a game."""
        for event in game.events:
            vertex = "pass" if event.action == PASS else game.rules.board.vertex(event.action)
            await self.type(self.black if event.actor == BLACK else self.white, vertex.lower())

    async def is_quiet(self) -> None:
        """The referee has heard all, and waits."""

        def waits() -> bool:
            login = self.server.online[REFEREE]
            return login.is_polling and not login.waiting

        await until(waits)

    async def ended(self) -> Path:
        """The record, when the game is over."""
        await until(lambda: not self.bridge.session.games and bool(self.bridge.records()), "the end")
        return self.bridge.records()[-1]

    def told(self, person: KgsPerson) -> list[str]:
        """Return everything the referee told a person in private."""
        channels = {number for number, pair in self.server.conversations.items() if person.name in pair}
        return [
            str(message["text"])
            for name, message in self.server.heard
            if name == REFEREE and message["type"] == "CHAT" and message["channelId"] in channels
        ]

    def public(self) -> list[dict[str, Any]]:
        """All that the referee sent but for private words."""
        return [
            message
            for name, message in self.server.heard
            if name == REFEREE
            and message["type"] not in ("CONVO_REQUEST", "SYNC_REQUEST")
            and message.get("channelId") not in self.server.conversations
        ]


@asynccontextmanager
async def open_parlour(
    folder: Path, more: str = "", game: str = "phantom:size=5", server: KgsServer | None = None
) -> AsyncIterator[Matchmaker]:
    async with in_room(folder, "private", more, game=game, server=server) as (there, bridge, people):
        parlour = Matchmaker(there, bridge, people)
        yield parlour
        await parlour.close()
