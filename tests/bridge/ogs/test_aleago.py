"""Aléago hosted at OGS, where nobody can force an undo: wrong stones, passes, options, languages, cuts, the secret."""

import random
from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.records.notation import write_game
from tests.bridge.fakes.running_bridge import ALEAGO, PASSWORD, check_record, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.ogs_people import OgsPerson, at_game, ogs_config, resign
from tests.bridge.fakes.ogs_server import OgsServer

# Without fallback whoever throws a 3, or the number of a full line, has to pass.
PASSES = f"{ALEAGO},mapping=original"


async def test_from_the_challenge_to_the_secret(tmp_path: Path) -> None:
    more = 'chat: {greeting: ["Hello {opponent}, {game}!"], farewell: ["Bye {opponent}: {result}"]}\n'
    async with at_game(tmp_path, more, game=ALEAGO) as (_, bridge, person, game):
        await person.play_on(game, 3)
        await person.say(game, "!dés")
        await person.hears(r"Coup \d+, vous\u00a0: dés \d -> ligne")
        await person.say(game, "!fin")
        await person.hears("[Ll]es deux prochaines passes finissent la partie\\.")
        await person.in_game("game/resign", game)
        await person.hears(r"Bye alpha: W\+R")
        told = await person.hears(r"secret des dés était ([0-9a-f]{64})")
        await until(lambda: not bridge.session.games)
        assert person.heard("Hello alpha, Aléago!")
        person.check_secret(told)
        assert len(person.heard("D'accord. Les deux prochaines passes")) == 1
        check_record(bridge.records()[0])


@pytest.mark.parametrize(("country", "heard"), [("fr", "C'est Aléago"), ("un", "This is Aleago")])
async def test_people_are_spoken_to_in_the_language_of_their_country(tmp_path: Path, country: str, heard: str) -> None:
    async with at_game(tmp_path, game=ALEAGO, user={"country": country}) as (_, bridge, person, game):
        await person.hears(heard)
        await resign(person, bridge, game)


@pytest.mark.parametrize("as_number", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_a_wrong_stone_that_the_opponent_undoes(tmp_path: Path, as_number: bool) -> None:
    async with at_game(tmp_path, game=ALEAGO, undo_as_number=as_number) as (_, bridge, person, game):
        await person.play_wrong(lambda vertex: person.move(game, vertex))
        await person.hears("Please undo this move and play here: line")
        await person.ask_undo(game)
        await until(lambda: game.moves == [], "the undo")
        await person.hears("Move 1, you", 1)
        await person.play_on(game, 2)
        await until(lambda: len(game.moves) >= 3)
        person.check_draws()
        assert "dispute" in bridge.written()
        await resign(person, bridge, game)


async def test_a_wrong_stone_that_the_bot_asks_to_undo(tmp_path: Path, endless_request: None) -> None:
    """On its own turn two moves go; the bot's comes again under the same dice."""
    async with at_game(tmp_path, "policies: {undo_wait: 100ms}\n", game=ALEAGO) as (_, bridge, person, game):
        person.lets_undo = True
        await person.play_on(game, 1)
        await person.hears(r"Move 3, you: dice \d -> ")
        opened = next(each for each in person.lines if each.startswith("Move 3, you"))
        board = game.rules.board
        names = [board.vertex(point) for point in board.order]
        wrong = next(each for each in names if each not in game.vertices and each not in opened)
        await person.move(game, wrong)
        await person.gets("undo_requested")
        await person.hears("Move 3, you", 1)
        await until(lambda: len(game.moves) == 2, "the bot's move again")
        person.check_draws()
        await resign(person, bridge, game)


@pytest.mark.parametrize("lets_undo", [False, None])
@pytest.mark.parametrize(
    ("policy", "said"), [("let stand", "This time I let the stone stay"), ("resign", "cannot continue")]
)
async def test_a_wrong_stone_that_stays(tmp_path: Path, policy: str, said: str, lets_undo: bool | None) -> None:
    """The opponent does not let it go, by a click or by doing nothing."""
    more = f"policies: {{undo_wait: 100ms, illegal: {policy}}}\n"
    async with at_game(tmp_path, more, game=ALEAGO) as (_, bridge, person, game):
        person.lets_undo = lets_undo
        await person.play_wrong(lambda vertex: person.move(game, vertex))
        await person.hears(said)
        assert person.got("undo_requested")
        if policy == "let stand":
            await until(lambda: len(game.moves) == 2, "an answer")
            await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)
        assert (game.players["white"]["id"] == game.winner) == (policy == "let stand")
        check_record(bridge.records()[0])


@pytest.mark.slow
async def test_a_whole_game_with_many_forced_passes(tmp_path: Path) -> None:
    """The bot goes back to a game that is not over, before the server scores it, and the passes stay."""
    async with at_game(tmp_path, game=PASSES, score_s=2.0) as (_, bridge, person, game):
        await person.play_on(game, 30, passes=0.2)
        if game.phase != "finished":
            await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games, "the end")
        person.check_draws()
        check_record(bridge.records()[0])
        written = bridge.written()
        assert "dispute" not in written
        assert "two passes do not end the game" in written or "throw new dice" in written


async def test_options_are_agreed_on_before_the_first_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: True)
    async with at_game(tmp_path, "time: {first: 10m}\n", game="aleago:size=5") as (_, bridge, person, game):
        await person.hears("I show the first throw in 600 seconds, or as soon as you type !dice")
        await person.say(game, "!crystal on")
        await person.hears("Agreed. We play with dice 1d6, crystal ball on")
        await person.say(game, "!dice 2d4")
        await person.hears("Agreed. We play with dice 2d4, crystal ball on")
        await person.say(game, "!handicap white")
        await person.hears("without dice: White")
        assert not person.heard("Move 1, ")
        await person.say(game, "!dice")
        await person.hears(r"Move 1, you: dice")
        await person.say(game, "!crystal off")
        await person.hears("already shown the first throw")
        record = await resign(person, bridge, game)
        assert "crystal_ball=true" in record.game.rules.spec
        assert "free_player=w" in record.game.rules.spec


async def test_a_single_die_is_agreed_on_after_the_first_draw(tmp_path: Path) -> None:
    async with at_game(tmp_path, game="aleago:size=5,dice=2d2") as (_, bridge, person, game):
        await person.hears(r"Move 1, you: dice")
        await person.say(game, "!dice 1d2")
        await person.hears("Agreed: from the next throw that nobody has seen, we throw only 1d2")
        await person.play_on(game, 4)
        events = write_game((await resign(person, bridge, game)).game)
        assert [len(faces.split()) for actor, faces in events if actor == "chance"][:4] == [2, 1, 1, 1]


@pytest.mark.slow
async def test_random_cuts_leave_the_same_game_and_the_same_dice(tmp_path: Path) -> None:
    rng = random.Random(7)
    async with at_game(tmp_path, game=ALEAGO, seed=5) as (server, bridge, person, game):
        for _ in range(6):
            await person.play_on(game, 2)
            if game.phase == "finished":
                break
            await until(lambda: rng.random() < 0.2)
            line = server.online.get("botty")
            server.cut("botty")
            await until(lambda line=line: server.online.get("botty") not in (None, line))  # type: ignore[misc]
        if game.phase != "finished":
            await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games, "the end")
        person.check_draws()
        assert len(bridge.records()) == 1
        check_record(bridge.records()[0])


async def test_another_process_continues_with_the_same_dice(tmp_path: Path) -> None:
    async with OgsServer({"botty": PASSWORD, "alpha": "sesame-1"}) as server:
        config = ogs_config(server, tmp_path, game=ALEAGO)
        person = await OgsPerson(server, "alpha").come()
        async with running(config):
            game = await person.begin("botty", 5, colour="black")
            await person.play_on(game, 2)
        await until(lambda: "botty" not in server.online, "the end of the first")
        async with running(config) as bridge:
            await person.hears("The game continues with the same dice")
            await until(lambda: game.to_play == "black")
            await person.play_on(game, 2)
            person.check_draws()
            record = await resign(person, bridge, game)
        assert len(record.game.turns()) >= 7
        await person.go()
    assert server.faults == []
