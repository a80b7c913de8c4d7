"""Advice: for whom it is, what it tells, and that it knows nothing a seat may not know."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, RESIGN, WHITE
from gtp_variants.rules.game import Game, random_game
from gtp_variants.site.page.advice import Advice
from gtp_variants.site.page.listeners import PageLimits, PageListener
from gtp_variants.site.page.page_game import PageGame
from tests.site.page.serving import KEY, PATIENCE_S, Json, Site, at_seat, site
from tests.support.twins import make_twins

UNIFORM = {"kind": "bot", "bot": "uniform"}


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site(limits=PageLimits(pause_s=0)) as running:
        yield running


@pytest.mark.slow
def test_a_record_is_analysed_moment_by_moment(served: Site) -> None:
    game = random_game(parse("go:size=5"), 3, 8)
    with served.sit(served.show(game)) as watcher:
        found: list[Json] = []
        for moment in (0, 4, 8, 4):
            watcher.do("analysis", at=moment)
            found.append(watcher.take_one("analysis"))
        assert [each["at"] for each in found] == [0, 4, 8, 4]
        assert found[1] == found[3]
        for each in found:
            assert abs(sum(each["shares"].values()) - 1) < 0.01
            assert len(each["owners"]) == 25
            assert each["moves"]
        wrong: list[object] = [-1, 9, True, "4", None, 10**40]
        for at in wrong:
            assert "at:" in watcher.refused("analysis", at=at)
        assert "of:" in watcher.refused("analysis", at=1, of="r")
        assert "of:" in watcher.refused("analysis", at=1, of=["b"])


def test_the_board_that_was_given_up_is_analysed_at_the_end(served: Site) -> None:
    game = random_game(parse("rosette:n=2"), 3, 8)
    game.play(game.position.mover, RESIGN)
    with served.sit(served.show(game)) as watcher:
        watcher.do("analysis", at=9)
        assert watcher.take_one("analysis")["shares"]


def test_where_stones_may_have_been_as_a_seat_saw_it(served: Site) -> None:
    game = Game(parse("phantom:size=5"))
    board = game.rules.board
    for vertex in ("C3", "C3", "A1", "D4", "C4"):
        game.play(game.position.mover, board.point(vertex))
    game.play(game.position.mover, RESIGN)
    with served.sit(served.show(game)) as watcher:
        watcher.do("analysis", at=2, of="w")
        odds = watcher.take_one("analysis")["odds"]
        assert odds["C3"] == 1.0
        assert abs(sum(odds.values()) - 1) < 0.1
        watcher.do("analysis", at=1, of="w")
        assert watcher.take_one("analysis")["odds"].get("C3", 0.0) < 0.9
        assert "of:" in watcher.refused("analysis", at=1)


def test_nobody_analyses_a_game_that_people_play(served: Site) -> None:
    name, seats = served.begin("go:size=5", seats={"w": UNIFORM})
    with served.sit(name, seats["b"]) as black, served.sit(name) as watcher:
        for end in (black, watcher):
            assert "analysed when it is over" in end.refused("analysis", at=0)


def test_a_game_that_is_played_elsewhere_is_analysed_while_it_continues_unless_it_hides_something(served: Site) -> None:
    for number, spec in enumerate(("pentalath", "phantom:size=5")):
        game = random_game(parse(spec), 3, 5)
        events = [[event.actor, event.action] for event in game.events]
        head: Json = {"source": "s", "title": "t", "spec": spec, "players": {}, "setup": []}
        name = f"an-analysed-published-game-{number}"
        headers = {"authorization": f"Bearer {KEY}"}
        assert served.ask(f"/api/live/{name}", {"from": 0, "events": events, "head": head}, **headers).status == 200
        with served.sit(name) as watcher:
            if number:
                assert "analysed when it is over" in watcher.refused("analysis", at=0)
                assert "analysed when it is over" in watcher.refused("analysis", at=0, of="b")
            else:
                watcher.do("analysis", at=5)
                assert watcher.take_one("analysis")["shares"]


def test_hidden_stone_odds_are_only_for_one_person_to_move_against_bots(served: Site) -> None:
    name, seats = served.begin("phantom:size=5", seats={"w": UNIFORM})
    with served.sit(name, seats["b"]) as black, served.sit(name) as watcher:
        black.do("play", at="C3")
        while black.state["turn"] < 3:
            black.take()
        black.do("hidden")
        told = black.take_one("hidden")
        assert told["turn"] == 3
        assert "C3" not in told["odds"]
        assert abs(sum(told["odds"].values()) - 1) < 0.2
        assert "hints are available only" in watcher.refused("hidden")
    name, seats = served.begin("phantom:size=5")
    with served.sit(name, seats["b"]) as black:
        assert "hints are available only" in black.refused("hidden")
    name, seats = served.begin("go:size=5", seats={"w": UNIFORM})
    with served.sit(name, seats["b"]) as black:
        assert "no hidden stones" in black.refused("hidden")


@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_hidden_stone_odds_depend_only_on_the_seats_news(colour: int) -> None:
    rules = parse("phantom:size=5")
    found: list[Any] = []
    # Until somebody's turn comes who is asked, without the passes at the end.
    for game in make_twins("phantom:size=5", colour, seed=1, plies=24):
        count = len(game.events)
        while game.positions[count].mover != colour or rules.is_over(game.positions[count]):
            count -= 1
        begun = Game.replay(rules, game.events[:count])
        seats = {each: Participant(PERSON if each == colour else BOT, "uniform") for each in rules.colours}
        hosted = PageGame("name", HostedGame.new(Record(begun, secret=bytes([count])), seats))
        found.append((begun.heard(colour), asyncio.run(_hidden(hosted, colour)), begun.position.stones))
    assert found[0][0] == found[1][0]
    assert found[0][2] != found[1][2]
    assert found[0][1] == found[1][1]


async def _hidden(game: PageGame, colour: int) -> Json:
    advice = Advice()
    try:
        return await advice.hidden(PageListener(asyncio.Queue(), game, colour, "en", ""))
    finally:
        advice.close()


def test_advice_is_refused_in_the_users_language(served: Site) -> None:
    name, seats = served.begin("go:size=5")
    cookie, first = at_seat(name, seats["b"], lang="fr")
    with served.dial(**cookie) as line:
        line.send(json.dumps(first))
        line.recv(timeout=PATIENCE_S)
        refusals = [
            ("hint", "contre des programmes"),
            ("undo", "rien à reprendre"),
            ("dice", "sans dés"),
            ("play", "'Q' n'est pas un point de ce plateau\u00a0: un point se nomme comme C3"),
        ]
        for word, said in refusals:
            line.send(json.dumps({"do": word, "dice": "1d6", "at": "Q"}))
            while (told := json.loads(line.recv(timeout=PATIENCE_S)))["type"] != "error":
                pass
            assert said in told["error"]
    langs: list[object] = [[], {}, "xx", 5]
    for strange in langs:
        with served.dial() as line:
            line.send(json.dumps({"join": name, "lang": strange}))
            assert json.loads(line.recv(timeout=PATIENCE_S))["type"] == "game"
    with served.dial() as line:
        line.send(json.dumps({"join": "nowhere", "lang": "fr"}))
        assert "cette partie n'existe pas" in str(line.recv(timeout=PATIENCE_S))
    refused = served.ask("/api/games/nowhere/record.sgf", **{"accept-language": "fr"})
    assert refused.json == {"error": "cette partie n'existe pas"}
    refused = served.ask("/api/describe?spec=go:size=99", **{"accept-language": "fr"})
    assert refused.json["error"] == "ce jeu n'est pas possible (size=99\u00a0: il faut un nombre de 1 à 25)"
    with site(token="a token of some letters") as closed:
        for lang, said in (("fr-FR,fr;q=0.9", "demande son jeton"), ("de, en", "needs its token"), ("", "needs")):
            assert said in closed.ask("/api/games", **{"accept-language": lang}).json["error"]
