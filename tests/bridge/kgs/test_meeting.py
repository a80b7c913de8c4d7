"""Whom the bridge meets on KGS: by automatch, by open challenges of others, and people before programs."""

from pathlib import Path

import pytest

from tests.bridge.fakes.running_bridge import running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.kgs_people import ROOM, KgsPerson, kgs_config, local_server

PREFERENCES = {"maxHandicap", "freeOk", "rankedOk", "unrankedOk", "robotOk", "humanOk", "blitzOk", "fastOk", "mediumOk"}


async def test_automatch_pairs_us_while_nothing_is_played(tmp_path: Path) -> None:
    more = "offer: {open: false, automatch: true, rank: 5k}\nchallenges: {handicap: [0, 6], people: 1}\n"
    async with local_server() as server, running(kgs_config(server, tmp_path, more, game="go:size=19")) as bridge:
        await until(lambda: "botty" in server.automatch, "automatch")
        said = server.automatch["botty"]
        assert (said["maxHandicap"], said["freeOk"], said["rankedOk"]) == (6, True, False)
        assert (said["robotOk"], said["humanOk"], said["blitzOk"], said["mediumOk"]) == (False, True, False, True)
        assert said["estimatedRank"] == "5k"
        alpha = await KgsPerson(server, "alpha").come()
        await alpha.post("AUTOMATCH_CREATE", **dict.fromkeys(PREFERENCES, True))
        await until(lambda: bool(bridge.session.games), "the game")
        assert "botty" not in server.automatch
        await alpha.in_game("GAME_RESIGN")
        await until(lambda: "botty" in server.automatch, "automatch after the game")
        assert not server.challenges
        await alpha.go()
    assert server.faults == []


async def test_a_game_that_somebody_asks_for_ends_automatch(tmp_path: Path) -> None:
    more = "offer: {automatch: true}\n"
    async with local_server() as server, running(kgs_config(server, tmp_path, more, game="go:size=19")) as bridge:
        await until(lambda: "botty" in server.automatch, "automatch")
        alpha = await KgsPerson(server, "alpha").come()
        await alpha.begin("botty", role="white")
        await until(lambda: "botty" not in server.automatch, "the end of automatch")
        assert bridge.session.games
        await alpha.go()
    assert server.faults == []


async def test_a_robot_is_played_after_people(tmp_path: Path) -> None:
    async with local_server() as server:
        server.robots.add("bravo")
        async with running(kgs_config(server, tmp_path, "challenges: {people: 1}\n")) as bridge:
            alpha, bravo = [await KgsPerson(server, name).come() for name in ("alpha", "bravo")]
            await bravo.challenge("botty")
            await bravo.hears("Games with people before my next game with a program: 1")
            await alpha.begin("botty", role="black")
            await alpha.in_game("GAME_RESIGN")
            await until(lambda: not bridge.session.games, "the end")
            await bravo.begin("botty", role="black")
            await bravo.in_game("GAME_RESIGN")
            await until(lambda: bridge.session.counters.results["won"] == 2, "both games")
            assert bridge.session._challenges.counts.people == 0
            for person in (alpha, bravo):
                await person.go()
    assert server.faults == []


async def test_open_challenges_are_taken_of_ranks_that_fit(tmp_path: Path) -> None:
    more = "offer: {open: false, take: true, ranks: [10k, 1d]}\n"
    rules = {"size": 5, "rules": "chinese", "komi": 7.5, "timeSystem": "absolute", "mainTime": 600}
    async with local_server() as server:
        server.ranks = {"alpha": "5d", "bravo": "3k"}
        async with running(kgs_config(server, tmp_path, more)):
            people = [await KgsPerson(server, name).come() for name in ("alpha", "bravo")]
            await until(lambda: "botty" in server.rooms[ROOM], "the bot")
            for number, person in enumerate(people):
                seats = [{"role": "white", "name": person.name}, {"role": "black"}]
                proposal = {"gameType": "free", "nigiri": False, "rules": rules, "players": seats}
                fields = {"channelId": ROOM, "callbackKey": number, "global": True, "text": "Hello"}
                await person.post("CHALLENGE_CREATE", **fields, proposal=proposal)
            await people[1].gets("CHALLENGE_SUBMIT")
            for person in people:
                assert len(person.got("CHALLENGE_SUBMIT")) == (person.name == "bravo")
                await person.go()
    assert server.faults == []
