"""Alter Igo on a demonstration board of OGS: moves come by chat, and what is shown is what our rules say."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gtp_variants.bridge.core.role_games import DemonstrationGame
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.game import Game
from tests.bridge.fakes.running_bridge import PASSWORD, Running, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.ogs_people import OgsPerson, ogs_config
from tests.bridge.fakes.ogs_review import LocalReview
from tests.bridge.fakes.ogs_server import OgsServer


class Guest:
    """A person at the newest board, who types."""

    def __init__(self, server: OgsServer, bridge: Running, person: OgsPerson) -> None:
        self.server, self.bridge, self.person = server, bridge, person
        self.rng = random.Random(3)

    @property
    def board(self) -> LocalReview:
        return list(self.server.reviews.values())[-1]

    async def come(self) -> None:
        await until(lambda: self.server.reviews, "a board")
        await self.person.watch(self.board)
        await until(lambda: any(line.name == "alpha" for line in self.board.watchers))

    async def type(self, text: str) -> None:
        await self.person.type(self.board, text)

    def game(self) -> Game:
        """The game as the bridge has it."""
        game = next(iter(self.bridge.session.games.values()))
        assert isinstance(game, DemonstrationGame)
        return game.replay.table.game

    def is_asked(self) -> bool:
        return bool(self.bridge.session.games) and self.game().position.mover == BLACK and self.game().outcome is None

    def choice(self) -> str:
        rules, position = self.game().rules, self.game().position
        return str(rules.board.vertex(self.rng.choice([point for point in rules.legal(position) if point >= 0])))

    async def check_shown(self) -> None:
        def is_shown() -> bool:
            position, board = self.game().position, self.game().rules.board
            return self.board.shown == {board.vertex(p): stone for p, stone in enumerate(position.stones) if stone}

        await until(is_shown, f"{self.board.shown}")


@asynccontextmanager
async def _at_board(folder: Path, more: str = "", size: int = 4) -> AsyncIterator[Guest]:
    async with OgsServer({"botty": PASSWORD, "alpha": "sesame-1"}) as server:
        config = ogs_config(server, folder, f"role: board\n{more}", game=f"alter-igo:size={size}")
        async with running(config) as bridge:
            person = await OgsPerson(server, "alpha").come()
            guest = Guest(server, bridge, person)
            try:
                await guest.come()
                yield guest
            finally:
                await person.go()
        assert server.faults == []
        assert "unexpected" not in bridge.written()


async def test_a_whole_game_is_drawn_as_our_rules_say(tmp_path: Path) -> None:
    async with _at_board(tmp_path) as guest:
        board = guest.board
        await guest.type("!black")
        await guest.person.hears("You play Black")
        while not any("Result" in text for text in board.texts):
            await until(lambda: any("Result" in text for text in board.texts) or guest.is_asked(), "its move")
            if not guest.is_asked():
                break
            await guest.check_shown()
            count = len(guest.game().turns())
            await guest.person.type(board, guest.choice().lower())
            await until(
                lambda count=count: not guest.bridge.session.games or len(guest.game().turns()) > count  # type: ignore[misc]
            )
        await until(lambda: not guest.bridge.session.games, "the end")
        record = load_record(guest.bridge.records()[0])
        assert board.texts[-1] == f"Result: {record.result}"
        await guest.person.hears("The game is over: ")
        # Another board is open for the next.
        await until(lambda: guest.board is not board, "a new board")


async def test_moves_are_taken_back_and_a_cut_loses_none(tmp_path: Path) -> None:
    async with _at_board(tmp_path, size=5) as guest:
        await guest.type("!noir")
        await guest.person.hears("Vous jouez Noir")
        await guest.type("c3")
        await until(lambda: len(guest.board.shown) == 2, "an answer")
        await guest.type("undo")
        await until(lambda: guest.board.shown == {}, "the undo")
        await guest.type("b2")
        await until(lambda: len(guest.board.shown) == 2, "an answer")
        guest.server.cut("botty")
        await until(lambda: guest.bridge.session.counters.logins == 2)
        await until(lambda: any(line.name == "botty" for line in guest.board.watchers))
        await until(guest.is_asked)
        await guest.type(guest.choice())
        await until(lambda: guest.board.path.count("!1") == 2 and guest.is_asked(), "an answer after the cut")
        await guest.check_shown()
        await guest.type("abandon")
        await guest.person.hears("La partie est finie\u00a0: ")
        await until(lambda: not guest.bridge.session.games)
        assert load_record(guest.bridge.records()[0]).result == "W+R"


@pytest.mark.slow
async def test_passes_for_white_are_agreed_on_at_the_board(tmp_path: Path) -> None:
    async with _at_board(tmp_path, size=5) as guest:
        await guest.type("!black")
        await guest.person.hears("You play Black")
        await guest.type("!passes 1")
        await guest.person.hears("Agreed: the number of times that White may pass is 1")
        await guest.type("pass")
        await guest.person.hears("Please type another point")
        await guest.type("c3")
        await until(lambda: len(guest.board.shown) == 2, "an answer")
        await guest.type("resign")
        await until(lambda: not guest.bridge.session.games)
        record = load_record(guest.bridge.records()[0])
        assert write_game(record.game)[:2] == [("b", "white_passes 1"), ("b", "C3")]
        assert record.game.rules.values["white_passes"] == 1
