"""A week on KGS in small: a hundred cuts in games with people, of both kinds and at any message."""

import random
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.records.files import load_record
from gtp_variants.records.record import verify
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.game import Game
from tests.bridge.fakes.kgs_people import ROOM, KgsPerson, kgs_config, local_server
from tests.bridge.fakes.running_bridge import ALEAGO, PASSWORD, run, running
from tests.bridge.kgs.private_room import REFEREE, Matchmaker, open_parlour
from tests.support.waiting import until

pytestmark = pytest.mark.long
_GAMES, _CUTS = 16, 110
# The last that a player is told of where their game stands.
_STANDS = r"^It is (your|\w+'s) turn"


def test_a_hundred_cuts_at_any_message(tmp_path: Path) -> None:
    async def test() -> None:
        rng = random.Random(11)
        more = "policies: {undo_wait: 2s}\n"
        async with local_server() as server, running(kgs_config(server, tmp_path, more, game=ALEAGO)) as bridge:
            for number in range(_GAMES):
                person = await KgsPerson(server, "alpha", number).come()
                person.lets_undo = True
                table = await person.begin("botty", role="black" if number % 2 else "white")
                at = server.messages
                chosen = rng.sample(range(at + 20, at + 420), 2 * _CUTS // _GAMES)
                server.cut_at, server.sever_at = set(chosen[::2]), set(chosen[1::2])
                await person.play_on(table, 30, passes=0.05)
                server.cut_at, server.sever_at = set(), set()
                await until(lambda table=table: table.over or table.is_live, "the game again")  # type: ignore[misc]
                if not table.over:
                    await person.in_game("GAME_RESIGN")
                await until(lambda number=number: len(bridge.records()) == number + 1 and not bridge.session.games)  # type: ignore[misc]
                person.check_draws()
                await person.go()
            for path in bridge.records():
                assert verify(load_record(path)).ok
            assert bridge.session.counters.lost_lines >= 50
            assert "unexpected" not in bridge.written()
            assert PASSWORD not in bridge.written()
        assert server.faults == []

    run(test(), 900)


def _is_heard(game: Game, count: int, person: KgsPerson, told: int) -> bool:
    """Whether a try was taken, or its player told anew where the game stands."""
    return len(game.events) > count or len(person.heard(_STANDS)) > told


async def _private_game(parlour: Matchmaker, rng: random.Random) -> None:
    """Two people type tries, what they are not sure was heard once more, until one of them resigns."""
    server, session = parlour.server, parlour.bridge.session
    await parlour.say(parlour.black, "!black")
    await parlour.say(parlour.white, "!white")
    await until(lambda: bool(session.games), "a game")
    game = parlour.game
    for _ in range(30):
        mover = parlour.black if game.position.mover == BLACK else parlour.white
        choice = rng.choice([point for point in game.rules.actions(game.position) if point >= 0])
        # Who is told anew where the game stands types again.
        count, told = len(game.events), len(mover.heard(_STANDS))
        await parlour.say(mover, game.rules.board.vertex(choice).lower())
        await until(partial(_is_heard, game, count, mover, told))
        if rng.random() < 0.1:
            (server.cut if rng.random() < 0.5 else server.sever)(rng.choice((REFEREE, REFEREE, "carol")))
    server.cut_at, server.sever_at = set(), set()
    await until(lambda: REFEREE in server.rooms[ROOM], "the referee")
    while session.games:
        told = len(parlour.black.heard(_STANDS))
        await parlour.say(parlour.black, "resign")
        await until(lambda told=told: not session.games or len(parlour.black.heard(_STANDS)) > told)  # type: ignore[misc]


def test_private_games_with_cuts_at_any_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: True)

    async def test() -> None:
        rng = random.Random(5)
        async with open_parlour(tmp_path, game="phantom:size=4") as parlour:
            for number in range(_GAMES):
                at = parlour.server.messages
                chosen = rng.sample(range(at + 20, at + 600), 2 * _CUTS // _GAMES)
                parlour.server.cut_at, parlour.server.sever_at = set(chosen[::2]), set(chosen[1::2])
                await _private_game(parlour, rng)
                assert len(parlour.bridge.records()) == number + 1
            for path in parlour.bridge.records():
                assert load_record(path).game.outcome is not None
            assert not list((tmp_path / "out" / "games").glob("*.json"))
            assert parlour.bridge.session.counters.lost_lines >= 50

    run(test(), 900)
