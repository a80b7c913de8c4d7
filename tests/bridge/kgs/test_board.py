"""Alter Igo on a demonstration board of KGS: moves come by chat, and what is shown is what our rules say."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gtp_variants.bridge.core.role_games import DemonstrationGame
from gtp_variants.records.files import load_record
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game
from tests.bridge.fakes.running_bridge import Running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.kgs_demonstration import Demonstration
from tests.bridge.fakes.kgs_people import KgsPerson, in_room
from tests.bridge.fakes.kgs_server import KgsServer

COLOURS = {"black": BLACK, "white": WHITE}


class Player:
    """A person at the board, who types."""

    def __init__(self, bridge: Running, server: KgsServer, person: KgsPerson, fan: KgsPerson) -> None:
        self.bridge, self.server, self.person, self.fan = bridge, server, person, fan
        self.rng = random.Random(3)

    @property
    def board(self) -> Demonstration:
        return next(each for each in self.server.tables.values() if isinstance(each, Demonstration))

    async def come(self) -> None:
        await until(lambda: any(isinstance(each, Demonstration) for each in self.server.tables.values()), "a board")
        for person in (self.person, self.fan):
            if person.name not in self.board.users:
                await person.post("JOIN_REQUEST", channelId=self.board.channel)
                await until(lambda person=person: person.name in self.board.users)  # type: ignore[misc]

    async def type(self, text: str, person: KgsPerson | None = None) -> None:
        await (person or self.person).post("CHAT", channelId=self.board.channel, text=text)

    def game(self) -> Game:
        """The game as the bridge has it."""
        game = next(iter(self.bridge.session.games.values()))
        assert isinstance(game, DemonstrationGame)
        return game.replay.table.game

    async def moves_come(self, count: int) -> None:
        await until(lambda: self.board.count == count, f"{count} moves")

    async def check_shown(self) -> None:
        """The board on the server is the position of our rules, as soon as both have heard of each other."""

        def is_shown() -> bool:
            position, board = self.game().position, self.game().rules.board
            stones = {board.vertex(point): stone for point, stone in enumerate(position.stones) if stone}
            return {vertex: COLOURS[colour] for vertex, colour in self.board.shown.items()} == stones

        await until(is_shown, f"{self.board.shown}")

    def is_asked(self) -> bool:
        """Whether the person who has Black is to move."""
        return self.game().outcome is None and self.game().position.mover == BLACK

    def choice(self) -> str:
        rules, position = self.game().rules, self.game().position
        return str(rules.board.vertex(self.rng.choice([point for point in rules.legal(position) if point >= 0])))


@asynccontextmanager
async def board(folder: Path, more: str = "", size: int = 4) -> AsyncIterator[Player]:
    game = f"alter-igo:size={size}"
    async with in_room(folder, "board", more, game=game, name="botty") as (server, bridge, people):
        player = Player(bridge, server, people[0], people[2])
        await player.come()
        yield player


@pytest.mark.slow
async def test_a_whole_game_is_drawn_as_our_rules_say(tmp_path: Path) -> None:
    async with board(tmp_path) as player:
        shown = player.board
        await player.type("!black")
        await player.person.hears(
            "This is Alter Igo. After each move, every stone or chain without a liberty is removed"
        )
        await player.person.hears("You play Black")
        while not shown.root("RESULT"):
            count = shown.count
            await until(lambda: bool(shown.root("RESULT")) or player.is_asked(), "its move")
            if shown.root("RESULT"):
                break
            await player.check_shown()
            await player.type(player.choice().lower())
            await until(lambda count=count: shown.count > count or bool(shown.root("RESULT")))  # type: ignore[misc]
        await until(lambda: not player.bridge.session.games, "the end")
        # In nearly every game stones are taken; in all of them what stands is what our rules say.
        record = load_record(player.bridge.records()[0])
        assert record.result == shown.root("RESULT")[0]["text"]
        assert len(record.game.turns()) == shown.count
        await player.person.hears("The game is over: ")
        assert shown.flags == {"saved"}
        # Another board is open for the next.
        await until(lambda: "botty" not in shown.users, "its leave")
        await until(lambda: any("botty" in each.users for each in player.server.tables.values()), "a new board")


@pytest.mark.slow
async def test_wrong_moves_and_others_words_change_nothing(tmp_path: Path) -> None:
    async with board(tmp_path, size=5) as player:
        await player.type("d4")
        await player.type("!white")
        await player.person.hears("You play White")
        await player.moves_come(1)
        taken = next(iter(player.board.shown)).lower()
        await player.type(taken)
        await player.person.hears("Please type another point")
        for word in ("z9", "pass", "a0", "d44"):
            await player.type(word)
        await until(lambda: len(player.person.heard("Please type another point")) >= 4, "all answers")
        await player.type("!black", player.fan)
        await player.type(player.choice(), player.fan)
        await player.type("!aide")
        await player.person.hears("!règles")
        await player.type(taken)
        await player.person.hears("Tapez un autre point")
        assert player.board.count == 1
        await player.type(player.choice())
        await player.moves_come(3)
        await player.check_shown()


@pytest.mark.slow
async def test_moves_are_taken_back_and_the_game_given_up(tmp_path: Path) -> None:
    async with board(tmp_path, "policies: {undo: 2}\n", size=5) as player:
        await player.type("!noir")
        await player.person.hears("Vous jouez Noir")
        await player.type("c3")
        await player.moves_come(2)
        await player.type("undo")
        await player.moves_come(0)
        assert player.board.shown == {}
        await player.type("b2")
        await player.moves_come(2)
        await player.type("c3" if "C3" not in player.board.shown else "d4")
        await player.moves_come(4)
        await player.type("annuler")
        await player.moves_come(2)
        assert player.board.shown["B2"] == "black"
        await player.check_shown()
        await player.type("undo")
        await player.person.hears("Je n'accepte plus d'annulation")
        await player.type("abandon")
        await player.person.hears("La partie est finie\u00a0: ")
        await until(lambda: not player.bridge.session.games)
        assert load_record(player.bridge.records()[0]).result == "W+R"


@pytest.mark.slow
async def test_a_lost_line_loses_no_move_and_draws_none_twice(tmp_path: Path) -> None:
    async with board(tmp_path, size=5) as player:
        shown = player.board
        await player.type("!black")
        await player.person.hears("You play Black")
        for number in range(3):
            await until(player.is_asked)
            await player.type(player.choice())
            if number % 2:
                await player.moves_come(2 * number + 2)
            player.server.cut("botty")
            logins = number + 2
            await until(lambda logins=logins: player.bridge.session.counters.logins == logins)  # type: ignore[misc]
            await until(lambda: "botty" in shown.users, "the owner again")
            # What was typed while nobody heard it is typed again; what was heard may be shown later.
            if player.is_asked() and len(player.game().turns()) < 2 * number + 2:
                await player.type(player.choice())
            await player.moves_come(2 * number + 2)
            await player.check_shown()
        assert len(player.bridge.records()) == 1
