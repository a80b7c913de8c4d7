"""The late single die between programs on the server: offers, answers, and a client that knows nothing of them."""

from pathlib import Path

import pytest

from gtp_variants.bridge.core.game_sync import OpenReplay
from gtp_variants.players.agreements import AGREE
from gtp_variants.records.files import load_record
from gtp_variants.records.json import from_json
from gtp_variants.records.notation import write_game
from gtp_variants.records.record import verify
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.lobby.account_game import AccountGame
from tests.bridge.fakes.running_bridge import Running, config_of, engine_key
from tests.site.lobby.servers import Client, new_game, run, serving

SPEC = "aleago:size=3,dice=2d2"
AGREES = "aleago agreements"


def open_point(client: Client) -> str:
    """Return a point that the last draw opens for a client, by the lines that it has heard."""
    replay = OpenReplay(parse(SPEC))
    assert replay.follow([line for line in client.lines if line.startswith(("agreed", "draw", "play"))]) is None
    rules, position = replay.rules, replay.table.position
    return rules.board.vertex(next(point for point in rules.legal(position) if point >= 0))


async def seated(port: int, *words: str) -> tuple[Client, Client]:
    """Return two clients that say these words of themselves, Black first, once Black is asked for a move."""
    players = [await Client(name, each).come(port) for name, each in zip(("alpha", "bravo"), words, strict=True)]
    is_black = [" b " in await player.until("variant") for player in players]
    black, white = players if is_black[0] else players[::-1]
    await black.until("genmove b")
    return black, white


async def resign(client: Client, bridge: Running) -> None:
    """Let a client resign its game with a bridge, and stop the bridge."""
    await client.until("genmove")
    client.type("resign")
    await client.until("gameover")
    bridge.session.stop()
    assert await bridge.status() == 0


def test_two_seats_agree_on_a_single_die_before_the_next_draw(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, SPEC) as server:
            black, white = await seated(server.port, AGREES, AGREES)
            black.type("propose set_dice 1d2")
            assert await white.until("propose") == "propose b set_dice 1d2"
            white.type("decline")
            await black.until("genmove b")
            # An offer has to be possible, and an answer to none changes nothing.
            for offer in ("set_dice 2d2", "resume", "white_passes 2", "match 2"):
                black.type(f"propose {offer}")
                await black.until("genmove b")
            white.type("accept set_dice 1d2")
            white.type("decline")
            black.type(open_point(black))
            await white.until("genmove w")
            white.type("propose set_dice 1d2")
            assert await black.until("propose") == "propose w set_dice 1d2"
            black.type("accept set_dice 1d2")
            await white.until("genmove w")
            # Whoever logs in again hears of it, too, as soon as the die is thrown.
            white.type(open_point(white))
            assert await black.until("agreed") == "agreed 3 set_dice 1d2"
            assert len((await black.until("draw 3 b")).split()) == 4
            again = await Client(black.name, AGREES).come(server.port)
            assert await again.until("agreed") == "agreed 3 set_dice 1d2"
            again.type("resign")
            record = from_json((await white.until("record")).partition(" ")[2])
            assert len([line for line in white.lines if line.startswith("propose")]) == 1
            assert len([line for line in white.lines if line.startswith("agreed")]) == 1
            events = write_game(record.game)
            assert [words for words in events if words[1].startswith("set_dice")] == [("b", "set_dice 1d2")]
            assert verify(record).ok
            for other in (load_record(server.records()[0]), from_sgf(to_sgf(record))):
                assert (other.game.events, other.game.position) == (record.game.events, record.game.position)

    run(test())


def test_a_client_that_says_nothing_of_agreements_is_never_asked(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, SPEC) as server:
            black, white = await seated(server.port, AGREES, AGREES.split()[0])
            knowing, other = (black, white) if black.name == "alpha" else (white, black)
            if knowing is white:
                black.type(open_point(black))
                await white.until("genmove w")
            knowing.type("propose set_dice 1d2")
            await knowing.until("genmove")
            knowing.type("resign")
            await other.until("gameover")
            assert not [line for line in other.lines if line.startswith(("propose", "agreed"))]

    run(test())


def test_a_bridge_accepts_for_its_bot(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path / "server", SPEC) as server:
            more = "engine: {bot: uniform}\ntime: {at_least: 5ms}\n"
            bridge = Running(config_of("variants", server.port, tmp_path, more, name="bravo", game=SPEC))
            alpha = await Client("alpha", AGREES).come(server.port)
            await alpha.until("genmove")
            alpha.type("propose set_dice 1d2")
            await alpha.until("genmove")
            alpha.type(open_point(alpha))
            assert "set_dice 1d2" in await alpha.until("agreed")
            await resign(alpha, bridge)
            seen, referee = load_record(bridge.records()[0]), load_record(server.records()[0])
            assert seen.game == referee.game
            assert "dispute" not in bridge.written()

    run(test())


@pytest.mark.slow
def test_a_bridge_asks_its_engine_and_sends_what_it_proposes(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path / "server", SPEC) as server:
            more = engine_key(tmp_path, "variant-accept=false", "variant-propose=set_dice 1d2")
            bridge = Running(config_of("variants", server.port, tmp_path, more, name="bravo", game=SPEC))
            alpha = await Client("alpha", AGREES).come(server.port)
            if (await alpha.until(("genmove", "propose"))).startswith("genmove"):
                # Black is the client, whose offer the engine declines.
                alpha.type("propose set_dice 1d2")
                await alpha.until("genmove")
                alpha.type(open_point(alpha))
                await alpha.until("propose")
            # The engine proposes in place of its move, and plays after the answer.
            alpha.type("accept set_dice 1d2")
            assert "set_dice 1d2" in await alpha.until("agreed")
            await resign(alpha, bridge)
            assert load_record(bridge.records()[0]).game == load_record(server.records()[0]).game

    run(test())


def test_an_open_offer_and_an_accepted_one_outlive_a_restart() -> None:
    game = new_game(SPEC)
    game.hosted.propose(BLACK, AGREE, "set_dice 1d2")
    game = AccountGame.load(1, game.hosted.lines)
    assert game.hosted.accept(WHITE)
    game = AccountGame.load(1, game.hosted.lines)
    game.hosted.clocks.start()
    game.play(game.rules.board.vertex(game.rules.legal(game.game.position)[0]))
    assert ("w", "set_dice 1d2") in write_game(game.game)
