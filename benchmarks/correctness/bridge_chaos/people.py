"""People who play one of the bots again and again, random stones until the board is nearly full.

On NNGS they come with our own client, at KGS and OGS with those of the tests, raw messages and frames. They go on with
a game whenever their bot is there, and end theirs by two passes.
"""

import asyncio
import contextlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

import httpx
from websockets.exceptions import WebSocketException

from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.server import PLAYING, SCORING, Challenge, ServerGame, ServerMove
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.errors import PeerError
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from tests.bridge.fakes.kgs_people import KgsPerson
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.kgs_table import Table
from tests.bridge.fakes.ogs_game import LocalGame
from tests.bridge.fakes.ogs_people import OgsPerson
from tests.bridge.fakes.ogs_server import OgsServer

_ASKS_EVERY_S, _LOOKS_EVERY_S = 3.0, 0.05
# Seconds between two ended logins of a bot, in addition to cut connections; maximum seconds for an answer.
_LOSES_LOGIN_S, _ANSWER_S = (15.0, 45.0), 5.0
# Moves per point of the board after which people pass.
_FULL = 1.2


def choose(game: Game, moves: int, rng: random.Random) -> str:
    """A random stone, or `pass` on a board that is nearly full."""
    free = [point for point in game.rules.legal(game.position) if point >= 0]
    if moves > _FULL * len(game.rules.board) or not free:
        return "pass"
    return write_move(game.rules.board, rng.choice(free)).lower()


def replay(size: int, moves: Sequence[ServerMove]) -> Game:
    """Return a game of Go after these moves."""
    game = Game(parse(f"go:size={size},repetition=simple"))
    for colour, word in moves:
        game.play(colour, read_move(game.rules.board, word))
    return game


class NngsPlayer:
    """A person at NNGS whose connection is never cut."""

    def __init__(self, name: str, bot: str, port: int, folder: Path, rng: random.Random) -> None:
        self.name, self.bot, self._rng = name, bot, rng
        self._is_on = False
        self._played: tuple[str, int] | None = None
        self._config = config_file.read(
            f"bridge: 1\nserver: {{type: nngs, host: 127.0.0.1, port: {port}, account: {name}, "
            f"password: {{file: {folder / bot / 'password'}}}}}\ngame: go:size=9\nengine: {{bot: uniform}}\n",
            name,
            folder,
        )

    async def live(self, is_calm: Callable[[], bool], is_over: Callable[[], bool]) -> None:
        """Log in and play until it is calm, then finish the current game."""
        while not is_over():
            server = Nngs(self._config, lambda line: None, is_igs=False)
            try:
                self._is_on = False
                await server.login()
                asking = asyncio.create_task(self._ask(server, is_calm, is_over))
                try:
                    async for event in server.events():
                        if isinstance(event, ServerGame):
                            await self._act(server, event)
                        elif isinstance(event, Challenge):
                            await server.decline(event.user)
                finally:
                    asking.cancel()
            except (PeerError, OSError):
                await asyncio.sleep(1)
            finally:
                await server.close()

    async def _ask(self, server: Nngs, is_calm: Callable[[], bool], is_over: Callable[[], bool]) -> None:
        """Resume the interrupted game; without one, ask for games until it is calm."""
        while not is_over():
            asks = (f"load {self.bot}-{self.name}", f"match {self.bot} b 9 5 0")
            for command in asks[:1] if is_calm() else asks:
                with contextlib.suppress(PeerError):
                    if not self._is_on:
                        await server._line.write(command)
                await asyncio.sleep(_ASKS_EVERY_S)
        await server.close()

    async def _act(self, server: Nngs, game: ServerGame) -> None:
        self._is_on = game.phase in (PLAYING, SCORING)
        if game.phase == SCORING:
            await server.agree(game)
        elif game.awaits_move and self._played != (game.key + game.created, len(game.moves)):
            self._played = game.key + game.created, len(game.moves)
            move = choose(replay(game.size, game.moves), len(game.moves), self._rng)
            await server.play(game, move, "")


class LocalPlayer(ABC):
    """A person at a test server who sees its state, and sometimes disturbs the bot."""

    def __init__(self, name: str, bot: str, rng: random.Random) -> None:
        self.name, self.bot, self.rng = name, bot, rng
        self._asks_at = 0.0
        self._spoils_at = monotonic() + rng.uniform(*_LOSES_LOGIN_S)

    async def live(self, is_calm: Callable[[], bool], is_over: Callable[[], bool]) -> None:
        """Play until it is calm, then finish the current game."""
        while not is_over():
            with contextlib.suppress(httpx.HTTPError, WebSocketException, OSError, TimeoutError, AssertionError):
                await self.come()
                try:
                    while not is_over():
                        await self._look(is_calm())
                        await asyncio.sleep(_LOOKS_EVERY_S)
                finally:
                    await self.go()
            await asyncio.sleep(_LOOKS_EVERY_S)

    async def _look(self, is_calm: bool) -> None:
        if not self.is_there():
            raise OSError("thrown out")
        if not is_calm and monotonic() > self._spoils_at:
            self._spoils_at = monotonic() + self.rng.uniform(*_LOSES_LOGIN_S)
            self.spoil()
        if not await self.act() and not is_calm and monotonic() > self._asks_at:
            self._asks_at = monotonic() + _ASKS_EVERY_S
            async with asyncio.timeout(_ANSWER_S):
                await self.ask()

    @abstractmethod
    async def come(self) -> None:
        """Log in."""

    @abstractmethod
    async def go(self) -> None:
        """Log out."""

    @abstractmethod
    def is_there(self) -> bool:
        """Return True if the person is still logged in."""

    @abstractmethod
    async def act(self) -> bool:
        """Take the next action in the current game; return False without one."""

    @abstractmethod
    async def ask(self) -> None:
        """Ask the bot for a game."""

    @abstractmethod
    def spoil(self) -> None:
        """End the bot's login, and change the server's behaviour."""


class KgsPlayer(LocalPlayer):
    """A person at the local KGS."""

    def __init__(self, name: str, bot: str, server: KgsServer, rng: random.Random) -> None:
        super().__init__(name, bot, rng)
        self._server = server
        self._person = KgsPerson(server, name)

    async def come(self) -> None:
        self._person = await KgsPerson(self._server, self.name).come()

    async def go(self) -> None:
        await self._person.go()

    def is_there(self) -> bool:
        return self.name in self._server.online

    async def act(self) -> bool:
        mine = [table for table in self._server.tables.values() if self.name in table.users]
        table = next((each for each in mine if not each.over), None)
        for each in mine:
            if each.over:
                await self._person.post("UNJOIN_REQUEST", channelId=each.channel)
        if table is None or table.adjourned:
            # The bot restores both when it is back.
            return table is not None
        await self._act_at(table)
        return True

    async def _act_at(self, table: Table) -> None:
        if table.is_scoring and self.name not in table.done:
            await self._person.post("GAME_SCORING_DONE", channelId=table.channel, doneId=table.done_id)
        elif not table.is_scoring and table.to_play == table.role(self.name):
            word = choose(table.game, len(table.moves), self.rng)
            point = read_move(table.game.rules.board, word)
            await self._person.post("GAME_MOVE", channelId=table.channel, loc=table.loc(point))

    async def ask(self) -> None:
        if any(each.owner == self.bot for each in self._server.challenges.values()):
            with contextlib.suppress(KeyError, StopIteration):
                await self._person.challenge(self.bot, role=self.rng.choice(("black", "white")))

    def spoil(self) -> None:
        self._server.cut(self.bot)
        self._server.state_first = self.rng.random() < 0.5
        self._server.chat_as = self.rng.choice(("both", "chat", "comment"))
        self._server.posts_a_second = self.rng.choice((None, 4))


class OgsPlayer(LocalPlayer):
    """A person at the local OGS."""

    def __init__(self, name: str, bot: str, server: OgsServer, size: int, rng: random.Random) -> None:
        super().__init__(name, bot, rng)
        self._server, self._size = server, size
        self._person = OgsPerson(server, name)

    async def come(self) -> None:
        self._person = await OgsPerson(self._server, self.name).come()

    async def go(self) -> None:
        await self._person.go()

    def is_there(self) -> bool:
        return self.name in self._server.online

    async def act(self) -> bool:
        number = self._server.ids[self.name]
        mine = (each for each in self._server.games.values() if each.side_of(number) and each.phase != "finished")
        game = next(mine, None)
        if game is not None and game.phase == "play" and game.to_play == game.side_of(number):
            await self._move(game)
        elif game is not None and game.phase == "stone removal" and number not in game.accepted:
            fields = {"stones": game.removed, "strict_seki_mode": False}
            await self._person.in_game("game/removed_stones/accept", game, **fields)
        return game is not None

    async def _move(self, game: LocalGame) -> None:
        seen = len(game.moves)
        await self._person.move(game, choose(game.game, seen, self.rng))
        async with asyncio.timeout(_ANSWER_S):
            while len(game.moves) == seen and game.phase == "play":
                await asyncio.sleep(0.002)

    async def ask(self) -> None:
        if self.bot in self._server.bot_configs and self.bot in self._server.online:
            await self._person.challenge(self.bot, self._size, colour=self.rng.choice(("black", "white", "automatic")))

    def spoil(self) -> None:
        self._server.cut(self.bot)
        habits = self._server.habits
        habits.phase_first, habits.repeats_data = self.rng.random() < 0.5, self.rng.random() < 0.3
        habits.lost_echoes = self.rng.choice((0, 0, 1))
        habits.score_s = self.rng.choice((0.05, 1.0, None))
