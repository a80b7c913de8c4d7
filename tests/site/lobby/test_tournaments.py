"""Tournaments: pairings of each round, and the effects of a kill or an absence."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gtp_variants.errors import ConfigError
from gtp_variants.players.pairing import pair_rounds
from gtp_variants.site.lobby import pages
from gtp_variants.site.lobby.guests import LoginStage
from gtp_variants.site.tournaments import Tournament, TournamentPlan, Tournaments, TournamentStore, load_plan
from tests.site.lobby.people import Ear, Person, sign_in, site
from tests.site.lobby.servers import Client, Server, run, serving
from tests.support.waiting import until
from tests.support.watch import Watch

BEGINS = datetime(2026, 12, 1, 18, tzinfo=UTC)
LATER = BEGINS + timedelta(hours=1)
SPEC = "go:size=5"


def plan(**more: Any) -> TournamentPlan:
    return TournamentPlan("winter", **{"spec": SPEC, "begins": BEGINS, "games": 1, **more})


@asynccontextmanager
async def tournament(
    folder: Path, *plans: TournamentPlan, now: datetime = LATER
) -> AsyncIterator[tuple[Server, Tournaments]]:
    async with serving(folder, SPEC) as server:
        store = TournamentStore(server.store.database)
        yield server, Tournaments(server.lobby, plans, store, server.log.append, lambda: now)


async def play_as_black(client: Client) -> None:
    """Win with White, resign with Black, for as long as there are games."""
    while line := await client.read():
        if line.startswith("genmove b"):
            client.type("resign")
        elif line.startswith("gameover"):
            client.type("ready")


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9])
def test_everybody_meets_everybody_once_and_colours_are_even(count: int) -> None:
    names = [f"p{number}" for number in range(count)]
    rounds = pair_rounds(names)
    assert len(rounds) == count - 1 + count % 2
    met = Counter(frozenset(meeting) for meetings in rounds for meeting in meetings)
    assert met == dict.fromkeys(map(frozenset, combinations(names, 2)), 1)
    for meetings in rounds:
        assert len({name for meeting in meetings for name in meeting}) == 2 * len(meetings)
    first = Counter(one for meetings in rounds for one, _ in meetings)
    assert all(abs(2 * first[name] - (count - 1)) <= 2 for name in names)


@pytest.mark.parametrize("kind", ["swiss", "round-robin"])
def test_a_tournament_continues_from_its_results_alone(kind: str) -> None:
    made = plan(type=kind, rounds=3, games=2)
    whole = Tournament(made, list("abcde"))
    decided: dict[tuple[str, str, str], tuple[float, float]] = {}
    while not whole.is_over:
        game = whole.due[-1]
        points = (1.0, 0.0) if game.black < game.white else (0.0, 1.0)
        decided[game.key, game.black, game.white] = points
        again = Tournament(made, list("abcde"))
        again.replay(decided)
        whole.decide(game, points)
        # Decided twice it is the same.
        whole.decide(game, points[::-1])
        assert (again.round, again.due, again.standing()) == (whole.round, whole.due, whole.standing())
    assert whole.standing()[0][0] == "a"
    assert whole.round == whole.rounds
    colours = Counter(game.black for game in whole.results)
    if kind == "round-robin":
        assert set(colours.values()) == {4}


def _asked(found: Tournament, lang: str) -> pages.PageVisit:
    return pages.PageVisit(lang, 9, "", {"name": found.plan.name}, (), (), [found])


def test_a_bye_is_shown_with_its_points() -> None:
    found = Tournament(plan(type="swiss", rounds=2, games=2), list("abc"))
    assert found.byes == [(1, "c", 1.0)]
    for lang, word in (("en", "sits out"), ("fr", "exempt")):
        page = re.sub(r"</?a[^>]*>", "", pages.tournament(None, _asked(found, lang)) or "")
        assert f"<tr><td>1</td><td>c</td><td>{word}</td><td>1</td></tr>" in page
    while not found.is_over:
        found.decide(found.due[0], (1.0, 0.0))
    assert [number for number, _, _ in found.byes] == [1, 2]
    assert found.byes[1][1] != "c"


def test_a_file_says_all_that_is_wrong_with_it(tmp_path: Path) -> None:
    good = tmp_path / "winter-2026.yaml"
    good.write_text(
        "game: aleago:size=5\nbegins: 2026-12-01T18:00\nplayers: [alpha, bravo]\nwait: 2m\n", encoding="utf-8"
    )
    found = load_plan(good)
    assert (found.name, found.begins, found.players, found.wait_s) == ("winter-2026", BEGINS, ("alpha", "bravo"), 120.0)
    bad = tmp_path / "2026.yaml"
    bad.write_text("game: chess\nbegins: tomorrow\ntype: cup\nplayers: [alpha, ALPHA]\nround: 3\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_plan(bad)
    for part in (
        "chess",
        "a time such as",
        "round-robin",
        "each once",
        "did you mean rounds?",
        "2026: expected a file",
    ):
        assert part in str(caught.value)
    bad.write_text("rounds: 3\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"game: is missing"):
        load_plan(bad)


def test_a_round_robin_is_played_to_its_end_and_kept(tmp_path: Path) -> None:
    names = ("alpha", "bravo", "charlie")
    made = plan(type="round-robin", games=2, players=names)

    async def test() -> None:
        async with tournament(tmp_path, made) as (server, tournaments):
            clients = [await Client(name).come(server.port) for name in names]
            players = [asyncio.create_task(play_as_black(client)) for client in clients]
            await until(lambda: bool(tournaments.over), "the end")
            for player in players:
                player.cancel()
            (over,) = tournaments.over
            # White won each game, and everybody had White as often.
            assert sorted(over.standing()) == [(name, 2.0, 4) for name in sorted(over.entrants)]
            assert len(over.results) == len(over.entrants) * (len(over.entrants) - 1)
        async with tournament(tmp_path, made) as (server, tournaments):
            assert [sorted(each.standing()) for each in tournaments.over] == [sorted(over.standing())]

    run(test())


def test_a_game_that_was_on_when_the_server_was_killed_is_not_begun_again(tmp_path: Path) -> None:
    made = plan(type="round-robin", players=("alpha", "bravo"))

    async def test() -> None:
        async with tournament(tmp_path, made) as (server, _):
            clients = [await Client(name).come(server.port) for name in made.players]
            for client in clients:
                await client.until("setup 1 ")
        async with tournament(tmp_path, made) as (server, tournaments):
            clients = [await Client(name).come(server.port) for name in made.players]
            for client in clients:
                await client.until("setup 1 ")
            assert list(server.lobby.running) == [1]
            # A game that was aborted is played again.
            server.lobby.running[1].hosted.end("Abort", "a test")
            server.lobby.games.announce_change(server.lobby.running[1])
            for client in clients:
                await client.until("gameover")
                client.type("ready")
            for client in clients:
                await client.until("setup 2 ")
            (game,) = server.lobby.running.values()
            black = next(client for client in clients if client.name == game.names[1])
            await black.until("genmove")
            black.type("resign")
            assert "tournament winter: over: 1 " in await black.until("info tournament winter: over")
            (over,) = tournaments.over
            assert over.standing()[0][0] == game.names[2]

    run(test())


def test_an_absent_player_loses_without_delaying_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan(type="round-robin", players=("alpha", "bravo", "absent", "Gone"), wait_s=3.0)
    watch, ready = Watch(), (LoginStage.WAITING, LoginStage.PLAYING)
    monkeypatch.setattr("gtp_variants.site.tournaments.time", SimpleNamespace(monotonic=watch))

    def is_over(server: Server, tournaments: Tournaments) -> bool:
        """Let time go by only while those who are there wait or play, so that on no computer they are late."""
        watch.now_s += all(guest.stage in ready for guest in server.lobby.guests.values())
        return bool(tournaments.over)

    async def test() -> None:
        async with serving(tmp_path, SPEC) as server:
            clients = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            await until(lambda: len(server.lobby.guests) == 2, "the logins")
            store = TournamentStore(server.store.database)
            tournaments = Tournaments(server.lobby, [made], store, server.log.append, lambda: LATER)
            players = [asyncio.create_task(play_as_black(client)) for client in clients]
            await until(lambda: is_over(server, tournaments), "the end")
            for player in players:
                player.cancel()
            standing = {name: points for name, points, _ in tournaments.over[0].standing()}
            assert sorted((standing["alpha"], standing["bravo"])) == [2.0, 3.0]
            assert (standing["absent"], standing["Gone"]) == (0.0, 0.0)
        async with tournament(tmp_path, made) as (_, tournaments):
            assert {name: points for name, points, _ in tournaments.over[0].standing()} == standing

    run(test())


def test_before_its_time_a_tournament_keeps_nobody_from_playing(tmp_path: Path) -> None:
    async def test() -> None:
        async with tournament(tmp_path, plan(), now=BEGINS - timedelta(minutes=1)) as (server, tournaments):
            clients = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            for client in clients:
                await client.until("setup 1 ")
            assert server.lobby.running[1].event == ""
            assert tournaments.all == []

    run(test())


def test_somebody_who_only_looks_is_not_entered(tmp_path: Path) -> None:
    async def test() -> None:
        async with tournament(tmp_path) as (server, _), site(server) as served:
            now = [BEGINS - timedelta(hours=1)]
            store = TournamentStore(server.store.database)
            Tournaments(server.lobby, [plan()], store, server.log.append, lambda: now[0])
            cookie = (await sign_in(served.port, "Anna")).headers["set-cookie"].partition(";")[0]
            looks = await Ear.open(served.port, "/api/lobby", cookie, do="look")
            waits = await Person.come(served, "Bert", games=["go"])
            await Client("alpha").come(server.port)
            await until(lambda: set(server.lobby.guests) == {"Anna", "Bert", "alpha"}, "the logins")
            now[0] = BEGINS
            await until(lambda: any("begins:" in line for line in server.log), "the tournament")
            (line,) = (line for line in server.log if "begins:" in line)
            assert set(line.partition("begins: ")[2].split(", ")) == {"Bert", "alpha"}
            await looks.close()
            await waits.leave()

    run(test())


def test_the_lobby_hears_of_tournaments_and_results_without_asking(tmp_path: Path) -> None:
    async def test() -> None:
        now, names = [BEGINS - timedelta(hours=1)], ("alpha", "Anna")
        made = plan(type="round-robin", games=1, players=names)
        async with serving(tmp_path, SPEC) as server, site(server) as served:
            store = TournamentStore(server.store.database)
            Tournaments(server.lobby, [made], store, server.log.append, lambda: now[0])
            stranger = await Ear.open(served.port, "/api/lobby", "", do="look")
            told = (await stranger.until("lobby"))["tournaments"]
            coming = {"name": "winter", "spec": made.spec, "begins": BEGINS.isoformat(), "players": list(names)}
            assert told == [coming | {"round": 0, "rounds": 0, "over": False}]
            bot, anna = await Client("alpha", "go").come(server.port), await Person.come(served, "Anna", games=["go"])
            now[0] = BEGINS
            await anna.sit()
            await anna.do("resign")
            while not (news := await stranger.until("lobby"))["results"] or not news["tournaments"][0]["over"]:
                pass
            game = news["results"][0]
            assert (game["game"], sorted(game["players"]), game["spec"][:9]) == ("1", sorted(names), "go:size=5")
            assert game["result"] == ("B+Resign" if game["players"][0] == "alpha" else "W+Resign")
            assert (news["tournaments"][0]["round"], news["tournaments"][0]["players"]) == (1, ["alpha", "Anna"])
            # The results of those who have left are no news.
            await anna.leave()
            await bot.leave()
            while (await stranger.until("lobby"))["results"]:
                pass
            await stranger.close()

    run(test())


def test_nobody_is_challenged_away_from_a_tournament(tmp_path: Path) -> None:
    async def test() -> None:
        made = plan(players=("alpha", "Anna"), wait_s=600.0)
        async with tournament(tmp_path, made) as (server, tournaments), site(server) as served:
            bot = await Client("alpha").come(server.port)
            await until(lambda: bool(tournaments.all) and "alpha" in server.lobby.guests, "the tournament")
            clock = {"kind": "absolute", "main_s": 300}
            for name, asked in (
                ("Bert", {"do": "offer", "to": "alpha"}),
                ("Anna", {"do": "offer"}),
            ):
                cookie = (await sign_in(served.port, name)).headers["set-cookie"].partition(";")[0]
                ear = await Ear.open(served.port, "/api/lobby", cookie, do="look")
                await ear.send(**asked, spec=SPEC, clock=clock, lang="en")
                busy = asked.get("to", name)
                assert (await ear.until("info"))["text"] == f"{busy} is playing in a tournament until it is over"
                await ear.close()
            assert not server.lobby.running
            await bot.leave()

    run(test())
