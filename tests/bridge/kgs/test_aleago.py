"""Aléago hosted at KGS: rules and commitment, draws, wrong stones, passes, options, cuts, the secret at the end."""

import random
import re
from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core.go_server_game import GoGame
from gtp_variants.records.notation import write_game
from tests.bridge.fakes.running_bridge import ALEAGO, check_record, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.kgs_people import KgsPerson, at_board, kgs_config, local_server, resign

# Without fallback whoever throws a 3, or the number of a full line, has to pass.
PASSES = f"{ALEAGO},mapping=original"


@pytest.mark.parametrize(
    "chat_as", ["both", pytest.param("comment", marks=pytest.mark.slow), pytest.param("chat", marks=pytest.mark.slow)]
)
async def test_from_the_challenge_to_the_secret(tmp_path: Path, chat_as: str) -> None:
    more = 'chat: {greeting: ["Hello {opponent}, {game}!"], farewell: ["Bye {opponent}: {result}"]}\n'
    async with at_board(tmp_path, more, game=ALEAGO, chat_as=chat_as) as (_, bridge, person, table):
        assert person.got("GAME_LIST")[0]["games"][0]["name"] == "Aleago (dice go): read my chat, type !rules"
        await person.play_on(table, 4)
        await person.say("!dés")
        await person.hears(r"Coup \d+, vous\u00a0: dés \d -> ligne")
        await person.say("!fin")
        await person.hears("[Ll]es deux prochaines passes finissent la partie\\.")
        await person.in_game("GAME_RESIGN")
        await person.hears(r"Bye alpha: W\+R")
        told = await person.hears(r"secret des dés était ([0-9a-f]{64})")
        await until(lambda: not bridge.session.games)
        assert person.heard("Hello alpha, Aléago!")
        person.check_secret(told)
        # A command was answered once, whichever way it was told.
        assert len(person.heard("D'accord. Les deux prochaines passes")) == 1
        check_record(bridge.records()[0])


@pytest.mark.parametrize("undo_plies", ["one", pytest.param("own", marks=pytest.mark.slow)])
async def test_a_wrong_stone_that_the_opponent_undoes_themselves(tmp_path: Path, undo_plies: str) -> None:
    async with at_board(tmp_path, game=ALEAGO, undo_plies=undo_plies) as (_, bridge, person, table):
        await person.play_wrong(person.move)
        await person.hears("Please undo this move and play here: line")
        await person.in_game("GAME_UNDO_REQUEST")
        await until(lambda: table.moves == [], "the undo")
        await person.hears("Move 1, you", 1)
        await person.play_on(table, 2)
        await until(lambda: len(table.moves) >= 3)
        person.check_draws()
        assert "dispute" in bridge.written()
        await resign(person, bridge)


@pytest.mark.parametrize("undo_plies", ["one", pytest.param("own", marks=pytest.mark.slow)])
async def test_a_wrong_stone_that_the_bot_asks_to_undo(tmp_path: Path, undo_plies: str, endless_request: None) -> None:
    """Where two moves go, ours comes again under the same dice."""
    more = "policies: {undo_wait: 100ms}\n"
    async with at_board(tmp_path, more, game=ALEAGO, undo_plies=undo_plies) as (_, bridge, person, table):
        person.lets_undo = True
        await person.play_on(table, 1)
        drawn = await person.hears(r"Move 3, you: dice \d -> ")
        wrong = next(
            each
            for each in ("A1", "E5", "C3", "B2", "D4", "B4")
            if each not in table.moves and each not in re.findall(r"\b[A-T]\d\b", drawn)
        )
        await person.move(wrong)
        await until(lambda: bool(person.got("GAME_UNDO_REQUEST")), "the request")
        await person.hears(r"Move 3, you", 1)
        await until(lambda: len(table.moves) == 2)
        person.check_draws()
        await resign(person, bridge)


@pytest.mark.parametrize(
    ("policy", "said"),
    [("let stand", "This time I let the stone stay"), ("resign", "cannot continue"), ("stop", "cannot continue")],
)
async def test_a_wrong_stone_that_stays(tmp_path: Path, policy: str, said: str) -> None:
    more = f"policies: {{undo_wait: 20ms, illegal: {policy}}}\n"
    async with at_board(tmp_path, more, game=ALEAGO) as (_, bridge, person, table):
        await person.play_wrong(person.move)
        await person.hears(said)
        assert person.got("GAME_UNDO_REQUEST")
        if policy == "let stand":
            await until(lambda: len(table.moves) == 2, "an answer")
            await person.in_game("GAME_RESIGN")
        await until(lambda: not bridge.session.games)
        assert table.over == (policy != "stop")
        assert policy == "let stand" or table.score != "W+RESIGN"
        if table.over:
            check_record(bridge.records()[0])


@pytest.mark.long
@pytest.mark.parametrize(
    ("undo_plies", "lets_undo"), [("one", True), pytest.param("own", True, marks=pytest.mark.long), ("one", False)]
)
async def test_whole_games_with_many_forced_passes(tmp_path: Path, undo_plies: str, lets_undo: bool) -> None:
    # The first is for an opponent who takes their time, the second for one who never does.
    more = f"policies: {{undo_wait: {'20s' if lets_undo else '20ms'}}}\n"
    async with local_server() as server, running(kgs_config(server, tmp_path, more, game=PASSES)) as bridge:
        server.undo_plies = undo_plies
        for seed in range(2):
            person = await KgsPerson(server, "alpha", seed).come()
            person.lets_undo = lets_undo
            table = await person.begin("botty", role="black" if seed % 2 else "white")
            await person.play_on(table, 25, passes=0.2)
            if not table.over:
                await person.in_game("GAME_RESIGN")
            await until(lambda table=table: table.over and not bridge.session.games, "the end")  # type: ignore[misc]
            person.check_draws()
            await person.go()
        assert len(bridge.records()) == 2
        for path in bridge.records():
            check_record(path)
        written = bridge.written()
        assert "unexpected" not in written
        assert "dispute" not in written
        assert "have to play" in written or "must play instead" in written or "throw new dice" in written
    assert server.faults == []


async def test_options_are_agreed_on_before_the_first_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: True)
    more = "time: {first: 10m}\n"
    async with at_board(tmp_path, more, game="aleago:size=5") as (_, bridge, person, table):
        await person.hears("I show the first throw in 600 seconds, or as soon as you type !dice")
        await person.say("!crystal on")
        await person.hears("Agreed. We play with dice 1d6, crystal ball on")
        await person.say("!dice 2d4")
        await person.hears("Agreed. We play with dice 2d4, crystal ball on")
        await person.say("!dice 7")
        await person.hears("Our options are dice 2d4", 0)
        await person.say("!dice table")
        await person.hears("Agreed. We play with dice 1d6", 1)
        await person.say("!handicap white")
        await person.hears("without dice: White")
        assert not person.heard("Move 1, ")
        assert not bridge.records()
        await person.say("!dice")
        await person.hears(r"Move 1, you: dice")
        for count, text in enumerate(("!dice 2d4", "!dés 1d6", "!crystal off", "!handicap none")):
            await person.say(text)
            await person.hears("already shown the first throw|déjà montré le premier lancer", count)
        await person.play_on(table, 2)
        await person.say("!crystal off")
        await person.hears("already shown the first throw|déjà montré le premier lancer", 4)
        record = await resign(person, bridge)
        assert "crystal_ball=true" in record.game.rules.spec
        assert "free_player=w" in record.game.rules.spec


async def test_a_single_die_is_thrown_from_the_next_unseen_draw_on(tmp_path: Path) -> None:
    async with at_board(tmp_path, game="aleago:size=5,dice=2d2") as (server, bridge, person, table):
        await person.hears("Move 1, you: dice")
        await person.say("!dice 1d6")
        await person.hears("I have already shown the first throw")
        await person.say("!dice 1d2")
        await person.hears("Agreed: from the next throw that nobody has seen, we throw only 1d2.")
        await person.play_on(table, 4)
        server.cut("botty")
        await until(lambda: bridge.session.counters.logins == 2 and "botty" in table.users)
        await person.play_on(table, 6)
        await person.say("!dice 1d2")
        await person.hears("I have already shown the first throw", 1)
        record = await resign(person, bridge)
        events = write_game(record.game)
        first = events.index(("w", "set_dice 1d2"))
        # The first draw had been shown; all after it are of one die.
        assert [len(faces.split()) for actor, faces in events[:first] if actor == "chance"] == [2]
        assert {len(faces.split()) for actor, faces in events[first:] if actor == "chance"} == {1}


async def test_a_single_die_is_thrown_after_a_restart_too(tmp_path: Path) -> None:
    async with local_server() as server:
        config = kgs_config(server, tmp_path, game="aleago:size=5,dice=2d2")
        async with running(config):
            person = await KgsPerson(server, "alpha").come()
            table = await person.begin("botty", role="black")
            await person.hears("Move 1, you: dice")
            await person.say("!dice 1d2")
            await person.hears("Agreed: from the next throw")
            await person.play_on(table, 2)
        async with running(config) as bridge:
            await until(lambda: "botty" in table.users)
            await person.play_on(table, 6)
            events = write_game((await resign(person, bridge)).game)
            assert [len(faces.split()) for actor, faces in events if actor == "chance"][:3] == [2, 1, 1]
            await person.go()


async def test_nobody_chooses_among_draws(tmp_path: Path) -> None:
    async with at_board(tmp_path, game="aleago:size=5") as (server, bridge, person, table):
        await person.hears("Move 1, you: dice")
        for count, text in enumerate(("!dice 2d4", "!crystal on", "!handicap black")):
            await person.say(text)
            await person.hears("I have already shown the first throw. From then on nobody can change", count)
        server.cut("botty")
        await until(lambda: bridge.session.counters.logins == 2 and "botty" in table.users)
        await person.hears("Move 1, you: dice", 1)
        await person.say("!dés 1d2")
        await person.hears("J'ai déjà montré le premier lancer. Personne ne peut plus changer")
        assert not person.heard("Agreed|D'accord")
        person.check_draws()
        await resign(person, bridge)


async def test_the_bots_first_move_waits_for_what_is_agreed_on(tmp_path: Path) -> None:
    async with at_board(tmp_path, "time: {first: 10m}\n", game=ALEAGO, role="white") as (_, bridge, person, table):
        await person.say("!dés 1d2")
        await person.hears("D'accord. Nous jouons avec dés 1d2")
        assert not table.moves
        (game,) = bridge.session.games.values()
        assert isinstance(game, GoGame)
        timer = game.first_draw._timer
        assert timer is not None
        # The ten minutes are over.
        timer._run()
        await until(lambda: len(table.moves) == 1, "the bot's move")
        record = await resign(person, bridge)
        assert "dice=1d2" in record.game.rules.spec


@pytest.mark.long
@pytest.mark.parametrize("how", ["cut", "sever"])
async def test_random_cuts_leave_the_same_game_and_the_same_dice(tmp_path: Path, how: str) -> None:
    rng = random.Random(how)
    async with at_board(tmp_path, game=ALEAGO, seed=5) as (server, bridge, person, table):
        for _ in range(6):
            await person.play_on(table, 2)
            if table.over:
                break
            await until(lambda: rng.random() < 0.2)
            login = server.online.get("botty")
            (server.cut if how == "cut" else server.sever)("botty")
            # Between two polls a connection may break without a loss.
            await until(lambda login=login: how == "sever" or server.online.get("botty") not in (None, login))  # type: ignore[misc]
            await until(lambda: table.over or table.is_live, "the game again")
        if not table.over:
            await person.in_game("GAME_RESIGN")
        await until(lambda: not bridge.session.games, "the end")
        person.check_draws()
        assert len(bridge.records()) == 1
        check_record(bridge.records()[0])
