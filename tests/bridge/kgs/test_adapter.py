"""The bridge on KGS: ordinary Go with people, challenges both ways, cuts, and all that a server may do."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.bridge.core.go_server_game import GoGame
from gtp_variants.records.files import load_record
from tests.bridge.fakes.running_bridge import PASSWORD, Running, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.kgs_people import KgsPerson, at_board, kgs_config, local_server
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.kgs_table import Table


async def _play(person: KgsPerson, table: Table, moves: int = 3) -> None:
    """A few stones, then passes, and agreement to what the bot counts."""
    mine = table.role(person.name)
    for number in range(60):
        await until(lambda: table.over or table.is_scoring or (table.to_play == mine and table.is_live))
        if table.over or table.is_scoring:
            break
        seen = len(table.moves)
        legal = [point for point in table.game.rules.legal(table.game.position) if point >= 0]
        await person.move(table.game.rules.board.vertex(legal[0]) if legal and number < moves else "pass")
        await until(lambda seen=seen: len(table.moves) != seen)  # type: ignore[misc]
    while not table.over:
        await until(lambda: table.over or "botty" in table.done, "the bot's agreement")
        await person.in_game("GAME_SCORING_DONE", doneId=table.done_id)


def _is_open(server: KgsServer, owner: str = "botty") -> bool:
    return any(each.owner == owner for each in server.challenges.values())


@pytest.mark.slow
@pytest.mark.parametrize("state_first", [pytest.param(False, marks=pytest.mark.slow), True])
async def test_an_ordinary_game_is_played_and_counted(tmp_path: Path, state_first: bool) -> None:
    """In whichever order a move and what may be done now are told."""
    async with at_board(tmp_path, state_first=state_first) as (server, bridge, person, table):
        await _play(person, table)
        await until(lambda: not bridge.session.games, "the result")
        record = load_record(bridge.records()[0])
        assert record.result is not None
        assert record.result[0] == ("B" if table.score > 0 else "W")
        # It is ready for the next.
        await until(lambda: _is_open(server))


@pytest.mark.slow
async def test_two_bots_find_each_other_and_play_unattended(tmp_path: Path) -> None:
    async with local_server() as server:
        server.passwords |= {"cato": PASSWORD}
        takes = "offer: {open: false, take: true, time: 5m}\n"
        config = kgs_config(server, tmp_path / "cato", takes, name="cato")
        async with running(kgs_config(server, tmp_path)) as bridge, running(config) as other:
            await until(lambda: len(server.finished) >= 2, "two games")
            scores = [f"{'B' if table.score > 0 else 'W'}+{abs(table.score):g}" for table in server.finished[:2]]
            # A record is there from the first move on. Two games of one second have no order in the folder.
            for each in (bridge, other):
                await until(lambda each=each: set(scores) <= {load_record(path).result for path in each.records()})  # type: ignore[misc]
        assert {frozenset(table.players.values()) for table in server.finished} == {frozenset({"botty", "cato"})}
    assert server.faults == []


async def test_challenges_are_filtered_and_refused_with_a_reason(tmp_path: Path) -> None:
    more = "challenges: {sizes: [5, 9], main: [1m, 15m], block: [bravo], per_user: 1, colours: white}\n"
    async with local_server() as server, running(kgs_config(server, tmp_path, more)) as bridge:
        alpha = await KgsPerson(server, "alpha").come()
        bravo = await KgsPerson(server, "bravo").come()
        await bravo.challenge("botty")
        await bravo.gets("CHALLENGE_DECLINE")
        for changed, said in (
            ({"size": 13}, "alpha: I do not play on size 13. Please choose size 5, 9"),
            ({"mainTime": 1800}, "I need a main time of 1 to 15 minutes, not 30"),
            ({"role": "white"}, "I play only as White"),
            ({"gameType": "ranked"}, "I play only free games"),
            ({"gameType": "teaching"}, "I play only free games"),
            ({"handicap": 3}, "I play with 0 to 0 handicap stones"),
        ):
            await alpha.challenge("botty", **changed)
            await alpha.hears(said, len(alpha.heard(said)) if "gameType" in changed else 0)
        declined = len(alpha.got("CHALLENGE_DECLINE"))
        # What nobody can play is declined without a word.
        channel = next(iter(server.challenges))
        for players in ([], [{"role": "white", "name": "alpha"}] * 3, None, "alpha"):
            proposal = {"gameType": "free", "rules": {"size": 5}, "players": players}
            server.push("botty", "CHALLENGE_SUBMIT", channelId=channel, user={"name": "alpha"}, proposal=proposal)
        table = await alpha.begin("botty")
        assert table.players["white"] == "botty"
        await until(lambda: len(alpha.got("CHALLENGE_DECLINE")) >= declined + 2)
        await alpha.in_game("GAME_RESIGN")
        await until(lambda: not bridge.session.games and _is_open(server))
        await alpha.challenge("botty")
        await alpha.hears("You have reached my limit for one day")
        assert not bravo.heard("Sorry, I do not play")
        assert bridge.session.counters.challenges_refused == 8
        await alpha.go()
        await bravo.go()
    assert server.faults == []


async def test_a_handicap_stands_where_the_server_says(tmp_path: Path) -> None:
    more = "challenges: {handicap: [0, 4]}\n"
    async with local_server() as server, running(kgs_config(server, tmp_path, more, game="go:size=9")) as bridge:
        person = await KgsPerson(server, "alpha").come()
        table = await person.begin("botty", role="black", handicap=3, komi=0.5)
        await until(lambda: len(table.moves) == 1, "White's first move")
        await person.move("A1" if "A1" not in table.moves else "B1")
        await until(lambda: len(table.moves) == 3)
        game = next(iter(bridge.session.games.values()))
        assert isinstance(game, GoGame)
        there = bytes(table.game.position.stones)
        await until(lambda: bytes(game.replay.table.position.stones) == there, "the same board")
        assert "komi=0.5" in game.rules.spec
        await person.go()
    assert server.faults == []


@pytest.mark.slow
async def test_the_server_goes_down_and_comes_back(tmp_path: Path) -> None:
    """The old cookie is worth nothing then; whoever of the two comes first loads the game once the other is here."""
    async with at_board(tmp_path) as (server, bridge, person, table):
        await person.move("C3")
        await until(lambda: len(table.moves) == 2)
        await server.close()
        await until(lambda: bridge.session.counters.lost_lines >= 2)
        await person.go()
        await server.open()
        await until(lambda: _is_open(server), "the bot")
        assert not server.tables
        person = await KgsPerson(server, "alpha").come()
        await until(lambda: table.is_live, "the game again")
        await _play(person, table, 1)
        await until(lambda: not bridge.session.games)
        assert len(bridge.records()) == 1
        await person.go()


@pytest.mark.slow
async def test_an_opponent_who_leaves_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gtp_variants.bridge.kgs import adapter

    monkeypatch.setattr(adapter, "_COMES_BACK_S", 0.3)
    async with at_board(tmp_path) as (server, bridge, person, table):
        await person.move("C3")
        await until(lambda: len(table.moves) == 2)
        await person.go()
        # They are waited for; then the bot is free for others.
        await until(lambda: table.adjourned and _is_open(server), "an open challenge")
        assert not bridge.session.games
        person = await KgsPerson(server, "alpha").come()
        await until(lambda: table.is_live, "the game again")
        await _play(person, table, 1)
        await until(lambda: not bridge.session.games)
        assert len(bridge.records()) == 1
        assert len(load_record(bridge.records()[0]).game.events) >= 4
        await person.go()


async def test_a_channel_that_is_closed_is_not_posted_to(tmp_path: Path) -> None:
    async with at_board(tmp_path) as (server, bridge, _, table):
        await until(lambda: bool(bridge.session.games))
        # The channel goes while the bot thinks and talks.
        server.lose(table)
        server.push("botty", "GAME_STATE", channelId=table.channel, **table.state())
        await until(lambda: _is_open(server), "a challenge")
        # A login that the server ends for a channel it does not know is not the last.
        server.push("botty", "LOGOUT", text="Internal error: java.lang.RuntimeException: Unknown channel 7")
        await until(lambda: bridge.session.counters.logins == 2)
        assert "Unknown channel 7" in bridge.written()


async def test_refused_logins_and_a_second_one_end_the_bridge(tmp_path: Path) -> None:
    async with local_server() as server:
        bridge = Running(kgs_config(server, tmp_path))
        await until(lambda: _is_open(server))
        thief = KgsPerson(server, "botty")
        await thief.come()
        assert await bridge.status() == 3
        await thief.go()
        server.passwords["botty"] = "another"
        bridge = Running(kgs_config(server, tmp_path))
        assert await bridge.status() == 3
        assert PASSWORD not in bridge.written()
        del server.passwords["botty"]
        assert await Running(kgs_config(server, tmp_path)).status() == 3
        server.passwords["botty"] = PASSWORD
        config = kgs_config(server, tmp_path)
        config = replace(config, server=replace(config.server, room="Nowhere"))
        bridge = Running(config)
        assert await bridge.status() == 3
        assert "there is no room 'Nowhere'" in bridge.written()
    assert server.faults == []


async def test_moves_are_let_be_taken_back_up_to_the_limit(tmp_path: Path) -> None:
    """The role of who asks is written in a way that no document has."""
    more = "policies: {undo: 2}\n"
    async with at_board(tmp_path, more, undo_plies="own") as (_, _, person, table):
        for number in range(3):
            await person.move("C3")
            await until(lambda: len(table.moves) == 2)
            await person.in_game("GAME_UNDO_REQUEST")
            if number < 2:
                await until(lambda: not table.moves, "the undo")
        await person.hears("I allow no more undos in this game \\(limit: 2\\)")
        assert len(table.moves) == 2


async def test_a_move_that_the_server_refuses_is_not_sent_again(tmp_path: Path) -> None:
    async with at_board(tmp_path) as (_, bridge, person, table):
        board = table.game.rules.board
        table.refuses = set(board.vertices) - {"A1", "C3"}
        await person.move("A1")
        await until(lambda: len(table.moves) == 2, "a move that is taken")
        assert table.moves[1] in ("C3", "pass")
        assert "the server refused a move" in bridge.written()


async def test_idleness_time_and_private_talk(tmp_path: Path) -> None:
    async with local_server() as server:
        server.idle_s = 0.3
        async with running(kgs_config(server, tmp_path, "time: {first: 10m}\n")) as bridge:
            await until(lambda: len([1 for _, m in server.heard if m["type"] == "WAKE_UP"]) >= 3, "signs of life")
            server.idle_s = None
            assert bridge.session.counters.lost_lines == 0
            person = await KgsPerson(server, "alpha").come()
            await person.post("CONVO_REQUEST", callbackKey=1, name="botty")
            joined = await person.gets("CONVO_JOIN")
            await person.post("CHAT", channelId=joined["channelId"], text="!help")
            await person.hears("!rules explains the rules")
            table = await person.begin("botty", role="white")
            await until(lambda: bool(bridge.session.games))
            server.expire(table)
            await until(lambda: table.over, "the end")
            await until(lambda: not bridge.session.games)
            await person.go()
    assert server.faults == []


@pytest.mark.parametrize(
    "trouble",
    ["posts", "503", pytest.param("429", marks=pytest.mark.slow), pytest.param("204", marks=pytest.mark.slow)],
)
async def test_a_server_that_is_asked_too_often(tmp_path: Path, trouble: str) -> None:
    async with at_board(tmp_path) as (server, bridge, person, table):
        if trouble == "posts":
            server.posts_a_second = 8
        for wishes in (("C3",), ("B2", "D4")):
            vertex = next(each for each in wishes if each not in table.moves)
            seen = len(table.moves)
            if trouble != "posts":
                server.poll_status["botty"] = int(trouble)
            while await person.move(vertex) == 429:
                await asyncio.sleep(0.1)
            await until(lambda seen=seen: len(table.moves) == seen + 2)  # type: ignore[misc]
        game = next(iter(bridge.session.games.values()))
        assert isinstance(game, GoGame)
        for _ in range(30 if trouble == "posts" else 0):
            await game.chat.say("bridge.go_on")
        server.posts_a_second = None
        await until(lambda: trouble != "posts" or len(person.heard("The game continues")) == 30, "all of it")
        assert bridge.session.counters.lost_lines == 0


async def test_a_server_that_says_nothing_is_left(tmp_path: Path) -> None:
    async with local_server() as server:
        config = kgs_config(server, tmp_path)
        config = replace(config, server=replace(config.server, silence_s=1.0))
        server.poll_s = 0.5
        async with running(config) as bridge:
            await until(lambda: _is_open(server))
            # On a busy computer a server that speaks may seem to say nothing, too.
            lost = bridge.session.counters.lost_lines
            server.poll_s = 30.0
            server.is_stalled = True
            await until(lambda: bridge.session.counters.lost_lines > lost, "the end of patience")
            server.is_stalled, server.poll_s = False, 0.5
            await until(lambda: bridge.session.counters.state == "online" and _is_open(server))
    assert server.faults == []


@pytest.mark.slow
async def test_unknown_and_senseless_messages_do_no_harm(tmp_path: Path) -> None:
    kinds = (
        *("GAME_UPDATE", "GAME_STATE", "GAME_JOIN", "GAME_OVER", "CHAT", "CHALLENGE_SUBMIT", "CHALLENGE_FINAL"),
        *("CHALLENGE_CREATED", "ARCHIVE_JOIN", "ROOM_JOIN", "GAME_LIST", "USER_ADDED", "SYNC", "CONVO_JOIN"),
        *(
            "GAME_UNDO_REQUEST",
            "ROOM_NAMES",
            "TOURN_NOTIFY",
            "PLAYBACK_ADD",
            "AD",
            "GAME_LOOP_WARNING",
            "(refused)",
            "",
        ),
    )
    values: tuple[Any, ...] = (
        None,
        0,
        -1,
        10**20,
        "x",
        [],
        {},
        [{}],
        {"name": None},
        [None],
        True,
        1.5,
        {"x": "y"},
        [[]],
    )
    fields = (
        *("channelId", "user", "text", "sgfEvents", "actions", "clocks", "players", "gameSummary", "games", "role"),
        *("doneId", "score", "proposal", "callbackKey", "rooms", "over", "refused", "users"),
    )
    async with at_board(tmp_path) as (server, bridge, person, table):
        await until(lambda: bool(bridge.session.games))
        rng = random.Random(3)
        for _ in range(400):
            chosen = {field: rng.choice(values) for field in rng.sample(fields, rng.randrange(8))}
            if chosen.get("channelId", 0) == table.channel:
                del chosen["channelId"]
            server.push("botty", rng.choice(kinds), **chosen)
        # Even in the game's own channel: what cannot be read is left out.
        for event in (
            {},
            {"type": "X"},
            {"type": "PROP_ADDED", "nodeId": 0},
            {"type": "PROP_ADDED", "nodeId": 0, "prop": {}},
        ):
            server.push("botty", "GAME_UPDATE", channelId=table.channel, sgfEvents=[event])
        server.push("botty", "GAME_UNDO_REQUEST", channelId=table.channel, role={"what": 1})
        await _play(person, table)
        await until(lambda: not bridge.session.games)
        assert bridge.session.counters.lost_lines == 0


@pytest.mark.slow
async def test_stones_called_dead_that_are_not(tmp_path: Path) -> None:
    """The bot asks to go back to the game; whoever does not want to ends it as it stands."""
    more = "policies: {undo_wait: 200ms}\n"
    async with at_board(tmp_path, more) as (_, bridge, person, table):
        mine = "C3"
        await person.move(mine)
        for _ in range(60):
            await until(lambda: table.is_scoring or table.to_play == "black")
            if table.is_scoring:
                break
            seen = len(table.moves)
            await person.move("pass")
            await until(lambda seen=seen: len(table.moves) > seen)  # type: ignore[misc]
        board, stones = table.game.rules.board, table.game.position.stones
        white = next(point for point in range(len(board)) if stones[point] == 2)
        place = table.loc(white)
        await until(lambda: "botty" in table.done)
        await person.in_game("GAME_MARK_LIFE", x=place["x"], y=place["y"], alive=False)
        await person.hears("I think the stone on")
        await person.hears("Please accept my undo")
        await until(lambda: "botty" in table.done, "the agreement all the same")
        await person.in_game("GAME_SCORING_DONE", doneId=table.done_id)
        await until(lambda: table.over and not bridge.session.games)
