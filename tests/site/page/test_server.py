"""The page's server from a client's view: games, seats, refusals, limits."""

import asyncio
import json
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from random import Random
from xml.etree import ElementTree

import pytest
from websockets.asyncio.client import ClientConnection as AsyncConnection, connect as dial
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gtp_variants.errors import ConfigError
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player, Seat
from gtp_variants.players.transcript import Transcript
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record, verify
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.dice_stream import Nonce
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.views import View
from gtp_variants.site.game_store import GameRows, GameStore
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.opponents import Opponents, read_engines
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.refusals import Full
from gtp_variants.site.site_file import open_site
from tests.site.page.serving import PATIENCE_S, Client, Json, Site, at_seat, process, site
from tests.support.programs import COMMAND

OPEN_GAMES = [name for name in GAMES if parse(name).is_open]
PAUSE = PageLimits(pause_s=0.0)


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site() as running:
        yield running


# -- games -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["go:size=5", "aleago:size=5,dice=1d3", "rosette:n=2", "alter-igo:size=4", "pentalath"]
)
def test_two_people_play_by_their_links(served: Site, spec: str) -> None:
    game, seats = served.begin(spec)
    assert set(seats) == {"b", "w"}
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white, served.sit(game) as watcher:
        ends = {"b": black, "w": white}
        for _ in range(8):
            mover = black.state["asked"]
            if mover is None:
                break
            turn = black.state["turn"]
            ends[mover].do("play", at=black.state["legal"][0], turn=turn)
            for end in (black, white, watcher):
                while end.state["turn"] == turn:
                    end.take()
        assert black.news == white.news == watcher.news
        assert black.state == white.state == watcher.state
        assert watcher.whole["you"] is None
        assert black.whole["you"] == "b"


def test_three_people_play_pentalath(served: Site) -> None:
    game, seats = served.begin("pentalath:players=3")
    assert set(seats) == {"w", "b", "r"}
    with ExitStack() as stack:
        ends = {letter: stack.enter_context(served.sit(game, token)) for letter, token in seats.items()}
        for turn, (letter, vertex) in enumerate([("w", "A1"), ("b", "B1"), ("r", "A2")], 1):
            ends[letter].until("asked", letter)
            ends[letter].do("play", at=vertex)
            for end in ends.values():
                end.until("turn", turn + 1)
        assert ends["w"].state["stones"] == {"A1": "w", "B1": "b", "A2": "r"}


def test_a_player_of_three_who_resigned_is_not_asked_again(served: Site) -> None:
    game, seats = served.begin("pentalath:players=3")
    with ExitStack() as stack:
        ends = {letter: stack.enter_context(served.sit(game, token)) for letter, token in seats.items()}
        ends["w"].do("play", at="A1")
        ends["b"].until("asked", "b")
        ends["b"].do("resign")
        ends["w"].until("asked", "r")
        for what in ("undo", "draw"):
            ends["w"].do(what)
            while (wish := ends["r"].take().get("state", {}).get("wish")) is None:
                pass
            assert (wish["what"], wish["agreed"], wish["asked"]) == (what, ["w"], ["r"])
            assert "left this game" in ends["b"].refused("refuse")
            ends["r"].do("allow")
        assert ends["r"].until("final", True)["stones"] == {}


def test_a_bot_answers(served: Site) -> None:
    game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "greedy"}})
    assert set(seats) == {"b"}
    with served.sit(game, seats["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 3)
        assert [item["actor"] for item in black.news] == ["b", "w"]
        assert black.whole["seats"]["w"] == {
            "kind": "bot",
            "bot": "greedy",
            "level": None,
            "here": True,
            "claimed": True,
            "title": {"en": "Greedy", "fr": "Glouton"},
            "meaning": {"en": "looks one stone ahead", "fr": "regarde une pierre en avant"},
        }


def test_a_bot_may_be_given_playouts_instead_of_a_level(served: Site) -> None:
    game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "mcts", "playouts": 20}})
    with served.sit(game, seats["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 3)
        seat = black.whole["seats"]["w"]
        assert (seat["bot"], seat["title"]["en"]) == ("mcts:playouts=20", "Search, 20 playouts a move")


def test_bots_that_think_at_once_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    lent: Queue[int] = Queue()
    may_answer = threading.Event()

    class Patient(Seat):
        def choose(self, view: View, clock: Clock) -> int:
            lent.put(self.cores)
            may_answer.wait(PATIENCE_S)
            return super().choose(view, clock)

    class Scripted(Opponents):
        def make(self, name: str, level: object = None) -> Player:
            return Patient()

    monkeypatch.setenv("GTP_VARIANTS_CORES", "16")
    limits = PageLimits(pause_s=0.0, threads=5)
    with site(limits=limits, opponents=Scripted()) as served, ExitStack() as stack:
        ends = []
        for cores in (5, 2, 1, 1):
            game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "greedy"}})
            ends.append(stack.enter_context(served.sit(game, seats["b"])))
            ends[-1].do("play", at="C3")
            assert lent.get(timeout=PATIENCE_S) == cores
        may_answer.set()
        for end in ends:
            end.until("turn", 3)
        # With others its search would begin anew.
        for end, cores in ((ends[0], 5), (ends[1], 2)):
            end.do("play", at=end.state["legal"][0])
            end.until("turn", 5)
            assert lent.get(timeout=PATIENCE_S) == cores


def test_bots_that_play_each_other_keep_no_person_waiting() -> None:
    is_held, may_answer = threading.Semaphore(0), threading.Event()

    class Patient(Seat):
        def choose(self, view: View, clock: Clock) -> int:
            is_held.release()
            may_answer.wait(PATIENCE_S)
            return view.actions[0]

    class Quick(Seat):
        def choose(self, view: View, clock: Clock) -> int:
            return view.actions[0]

    class Scripted(Opponents):
        def make(self, name: str, level: object = None) -> Player:
            return Quick() if name == "greedy" else Patient()

    bot, quick = ({"kind": "bot", "bot": name} for name in ("uniform", "greedy"))
    with site(limits=PageLimits(pause_s=0.0, threads=1), opponents=Scripted()) as served, ExitStack() as stack:
        for _ in range(3):
            game, _ = served.begin("go:size=5", seats={"b": bot, "w": bot})
            stack.enter_context(served.sit(game))
        assert is_held.acquire(timeout=PATIENCE_S)
        game, seats = served.begin("go:size=5", seats={"w": quick})
        with served.sit(game, seats["b"]) as black:
            black.do("play", at="C3")
            black.until("turn", 3)
        assert not is_held.acquire(blocking=False)
        may_answer.set()


def test_the_page_is_told_what_levels_mean(served: Site) -> None:
    levels = served.ask("/api/describe?spec=go:size=9&lang=fr").json["levels"]
    assert {len(levels[name]) for name in levels} == {10}
    assert levels["mcts"][8] == "environ une seconde par coup"
    assert "greedy" not in levels


def test_engines_sit_where_the_server_was_given_them_and_one_that_dies_forfeits() -> None:
    own = f"{sys.executable} -m gtp_variants gtp --bot uniform"
    opponents = Opponents(read_engines([f"own={own}", "broken=false"]))
    with site(opponents=opponents) as served:
        assert {"name": "own", "levels": False, "hidden": True, "title": {"en": "own", "fr": "own"}} in served.ask(
            "/api/about"
        ).json["bots"]
        for spec in ("aleago:size=5,dice=1d3", "rosette:n=2"):
            game, seats = served.begin(spec, seats={"w": {"kind": "bot", "bot": "own"}})
            with served.sit(game, seats["b"]) as black:
                black.do("play", at=black.state["legal"][0])
                black.until("turn", 3)
                assert black.state["asked"] == "b"
        limited = {"spec": "go:size=5", "seats": {"w": {"kind": "bot", "bot": "own", "seconds": 2}}}
        assert "seconds: not supported for engine 'own'" in served.ask("/api/games", limited).json["error"]
        game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "broken"}})
        with served.sit(game, seats["b"]) as black:
            black.do("play", at="C3")
            black.until("final", True)
            assert black.state["result"] == "B+F"


@pytest.mark.parametrize("text", ["x", "=x", "x=", "mcts=gnugo", "x='", "n" * 50 + "=x"])
def test_a_wrong_engine_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--engine"):
        read_engines([text])


def test_bots_play_each_other_as_long_as_somebody_looks(served: Site) -> None:
    bot = {"kind": "bot", "bot": "uniform"}
    game, seats = served.begin("pentalath", seats={"b": bot, "w": bot})
    assert seats == {}
    with served.sit(game) as watcher:
        watcher.until("final", True)
        assert watcher.state["result"] is not None


def test_with_two_people_the_other_is_asked_before_anything_is_taken_back(served: Site) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        black.do("play", at="C3")
        white.until("turn", 2)
        black.do("undo")
        while not white.state["wish"]:
            white.take()
        assert white.state["wish"] == {"colour": "b", "what": "undo", "dice": "", "agreed": ["b"], "asked": ["w"]}
        white.do("refuse")
        while white.state["wish"]:
            white.take()
        assert white.state["stones"] == {"C3": "b"}
        white.do("undo")
        while (black.state["wish"] or {}).get("colour") != "w":
            black.take()
        black.do("allow")
        black.until("turn", 1)
        assert black.state["stones"] == {}


class Pondering(Seat):
    """Says when it is asked, and plays when it may."""

    def __init__(self) -> None:
        self.asked, self.may_play = threading.Semaphore(0), threading.Event()

    def choose(self, view: View, clock: Clock) -> int:
        self.asked.release()
        assert self.may_play.wait(PATIENCE_S)
        return view.actions[0]


def test_a_refused_request_does_not_restart_a_thinking_bot() -> None:
    bot = Pondering()

    class Scripted(Opponents):
        def make(self, name: str, level: object = None) -> Player:
            return bot

    with site(opponents=Scripted()) as served:
        game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "greedy"}})
        with served.sit(game, seats["b"]) as black:
            black.do("play", at="C3")
            assert bot.asked.acquire(timeout=PATIENCE_S)
            black.do("refuse")
            assert black.refused("allow")
            bot.may_play.set()
            black.until("turn", 3)
        assert not bot.asked.acquire(blocking=False)


def test_against_a_bot_other_dice_come_with_the_next_turn_and_no_turn_has_two_draws(served: Site) -> None:
    bot = {"kind": "bot", "bot": "uniform"}
    game, seats = served.begin("aleago:size=9,dice=2d4", seats={"w": bot})
    with served.sit(game, seats["b"]) as black:
        draw = black.state["draw"]
        black.do("dice", dice="1d4")
        black.until("coming_dice", "1d4")
        assert black.state["draw"] == draw
        black.do("pass")
        black.until("turn", 3)
        assert (black.state["draw"]["dice"], "coming_dice" in black.state) == ("1d4", False)
        assert "new dice have already shown a draw" in black.refused("undo")


def test_dice_change_when_both_agree(served: Site) -> None:
    game, seats = served.begin("aleago:size=9,dice=2d4")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        assert black.refused("dice", dice="9x9") == "unknown dice; expected a name such as 1d6 or 2d4"
        black.do("dice", dice="1d4")
        while not white.state["wish"]:
            white.take()
        white.do("allow")
        while white.state["wish"]:
            white.take()
        assert white.state["draw"]["dice"] == "1d4"


def test_passes_suspend_and_both_agree_to_the_end(served: Site) -> None:
    game, seats = served.begin("go:size=5,dead=agreed")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        black.do("play", at="C3")
        white.until("turn", 2)
        white.do("play", at="A1")
        black.until("turn", 3)
        black.do("pass")
        white.until("turn", 4)
        white.do("pass")
        black.until("suspended", True)
        for dead, words in ((["A1"], "called dead"), ([], "alive again"), (["A1"], "called dead")):
            black.do("dead", at="A1")
            black.until("dead", dead)
            assert black.news[-1]["text"] == f"the chain on A1 is {words}"
        assert black.state["asked"] == "b"
        black.do("pass")
        white.until("asked", "w")
        white.do("pass")
        white.until("final", True)
        assert white.state["result"] == "B+17.5"
        assert black.refused("play", at="B2") == "the game is over"


def test_apparently_dead_chains_are_suggested_and_marked_together(served: Site) -> None:
    game, seats = served.begin("go:size=5,dead=agreed")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        black.do("play", at="C3")
        white.until("turn", 2)
        white.do("play", at="A1")
        black.until("turn", 3)
        assert "after passes" in black.refused("seem_dead")
        black.do("pass")
        white.until("turn", 4)
        white.do("pass")
        black.until("suspended", True)
        black.do("seem_dead")
        found = black.take_one("seem_dead")
        assert (found["chains"], found["result"]) == ([["A1"]], "Black wins by 17.5 points")
        black.do("dead", at=["A1"])
        assert white.until("dead", ["A1"])["result"] == "B+17.5"


def test_a_clock_that_runs_out_loses() -> None:
    with site() as served:
        game, seats = served.begin("go:size=5", clock={"main_s": 1, "increment_s": 0})
        with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
            assert black.state["clocks"] == {"b": 1.0, "w": 1.0}
            assert not black.state["running"]
            black.do("play", at="C3")
            white.until("final", True)
            assert white.state["result"] == "B+T"


def test_the_clock_of_a_bot_pays_for_no_pause() -> None:
    with site(limits=PageLimits(pause_s=3600.0)) as served:
        clock = {"main_s": 600, "increment_s": 0}
        game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "greedy"}}, clock=clock)
        with served.sit(game, seats["b"]) as black:
            black.do("play", at="C3")
            black.until("turn", 3)


@pytest.mark.slow
def test_a_hint_only_where_no_other_person_plays(served: Site) -> None:
    game, seats = served.begin("pentalath", seats={"b": {"kind": "bot", "bot": "uniform"}})
    with served.sit(game, seats["w"]) as white:
        white.do("hint", re=7)
        hint = white.take_one("hint")
        assert hint["re"] == 7
        assert hint["at"] in white.state["legal"]
        assert hint["moves"]
        assert set(hint["shares"]) == {"b", "w"}
        assert hint["owners"] == {}
    game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "uniform"}})
    with served.sit(game, seats["b"]) as black:
        black.do("hint")
        hint = black.take_one("hint")
        assert len(hint["owners"]) == 25
        assert all(-1 <= share <= 1 for share in hint["owners"].values())
    game, seats = served.begin("pentalath")
    with served.sit(game, seats["w"]) as white:
        assert "hint" in white.refused("hint")


def test_odds_of_the_next_lines(served: Site) -> None:
    game, _ = served.begin("aleago:size=9,dice=1d4")
    with served.sit(game) as watcher:
        watcher.do("odds")
        assert watcher.take_one("odds")["odds"] == {"1": 0.25, "2": 0.25, "3": 0.25, "4": 0.25, "5": 0.25}
    game, _ = served.begin("aleago:size=5,dice=1d3,free_player=w")
    with served.sit(game) as watcher:
        watcher.do("odds")
        # Black's dice lie there; the next turn is White's, who has none.
        assert watcher.take_one("odds")["odds"] == {"1": 1.0, "2": 1.0, "3": 1.0}


def test_a_record_that_no_screen_shows_is_refused(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    before_a_throw = Game(parse("aleago:size=5,dice=1d3"))
    answer = served.ask("/api/records", to_json(Record(before_a_throw)).encode())
    assert "throw" in answer.json["error"]
    monkeypatch.setattr("gtp_variants.site.page.page_games.MOST_EVENTS", 3)
    answer = served.ask("/api/records", to_json(Record(random_game(parse("go:size=5"), 1, 9))).encode())
    assert "more than 3 events" in answer.json["error"]


def test_an_endless_game_can_only_be_given_up(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.site.page.page_game.MOST_EVENTS", 1)
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        black.do("play", at="A1")
        white.until("turn", 2)
        assert "too long" in white.refused("play", at="B1")
        white.do("resign")
        white.until("final", True)


@pytest.mark.slow
def test_bots_alone_end_a_hidden_game_where_dead_stones_are_agreed_on(served: Site) -> None:
    bot = {"kind": "bot", "bot": "greedy"}
    game, _ = served.begin("phantom:size=3,dead=agreed", seats={"b": bot, "w": bot})
    with served.sit(game) as watcher:
        watcher.until("final", True)
        assert watcher.state["result"]


def test_a_record_is_shown_and_given_out(served: Site) -> None:
    played = random_game(parse("rosette:n=2"), 5)
    answer = served.ask("/api/records", to_json(Record(played)).encode())
    assert answer.status == 201
    game = answer.json["game"]
    with served.sit(game) as watcher:
        assert watcher.state["final"]
        assert watcher.state["result"] == (played.outcome and played.outcome.sgf)
        assert len(watcher.news) == len(played.events)
    sgf = served.ask(f"/api/games/{game}/record.sgf")
    assert "attachment" in sgf.headers["content-disposition"]
    again = served.ask("/api/records", sgf.body)
    with served.sit(again.json["game"]) as watcher:
        assert len(watcher.news) == len(played.events)


@pytest.mark.parametrize(
    ("moves", "result", "said"),
    [
        (";B[aa];W[bb]", "B+R", "the record says B+R"),
        # Whoever counted had taken dead stones off.
        (";B[aa];W[bb];B[];W[]", "W+2.5", "the record says W+2.5"),
        (";B[aa];W[bb];B[];W[]", "W+7.5", "White wins by 7.5 points"),
        (";B[aa];W[bb]", "", ""),
    ],
)
def test_a_record_is_shown_with_the_result_that_it_says(served: Site, moves: str, result: str, said: str) -> None:
    text = f"(;GM[1]SZ[5]KM[7.5]{f'RE[{result}]' if result else ''}{moves})"
    game = served.ask("/api/records", text.encode()).json["game"]
    as_json = served.ask(f"/api/games/{game}/record.json")
    for shown in (game, served.ask("/api/records", as_json.body).json["game"]):
        with served.sit(shown) as watcher:
            assert (watcher.state["result"] or "", watcher.state["reason"]) == (result, said)
            assert ("count" in watcher.state) == said.startswith("White wins")
    assert (as_json.json["result"] or "") == result


def test_the_dice_of_an_open_game_stay_secret_until_it_is_over(served: Site) -> None:
    game, seats = served.begin("aleago:size=5,dice=1d3")
    assert served.ask(f"/api/games/{game}/record.json").json["secret"] is None
    with served.sit(game, seats["b"]) as black:
        black.do("resign")
        black.until("final", True)
        commitment = black.whole["commitment"]
    record = served.ask(f"/api/games/{game}/record.json").json
    assert record["commitment"] == commitment
    assert len(record["secret"]) == 64


def test_what_a_spec_alone_says(served: Site) -> None:
    described = served.ask("/api/describe?spec=rosette:n=2").json
    _, _, width, height = map(float, ElementTree.fromstring(described["picture"]["svg"]).attrib["viewBox"].split())
    left, up = described["picture"]["origin"]
    places = [(left + 40 * x, up + 40 * y) for _, (x, y) in described["points"].values()]
    assert all(0 < x < width and 0 < y < height for x, y in places)
    assert len(described["picture"]["faces"]) == 7
    assert len(described["points"]) == 24
    assert described["spec"].startswith("rosette:n=2")
    brief = served.ask("/api/describe?brief&spec=rosette:n=2").json
    assert set(described) - set(brief) == {"options", "rule_sets", "levels", "handicap", "faces"}
    assert brief.items() <= described.items()
    page = served.ask("/api/rules?spec=aleago&lang=fr")
    assert "<h1>Aléago</h1>" in page.body.decode()
    assert b"<svg" in served.ask("/api/qr", b"http://192.168.1.2:8361/#game=x").body
    about = served.ask("/api/about").json
    assert [each["name"] for each in about["games"]] == list(GAMES)


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/describe?spec=chess", None, 400),
        ("/api/describe?spec=go&lang=de", None, 400),
        ("/api/describe?spec=" + "x" * 6000, None, 400),
        ("/api/games", {"spec": "chess"}, 400),
        ("/api/games", {"spec": 7}, 400),
        ("/api/games", {"spec": "\ud800"}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "\ud800"}}}, 400),
        ("/api/games", [1], 400),
        ("/api/games", {"spec": "go", "seats": {"r": {"kind": "person"}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "/etc/passwd.py:X"}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts:playouts=100000000"}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts", "level": 99}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts", "level": "5"}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": ["mcts"]}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": ["mcts"], "seconds": 1}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts", "seconds": 1e9}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts", "seconds": True}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts", "playouts": 1.5}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts", "level": 3, "seconds": 1}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "greedy", "seconds": 1}}}, 400),
        ("/api/games", {"spec": "go", "seats": {"b": {"kind": "bot", "bot": "mcts:net=/etc/passwd"}}}, 400),
        ("/api/games", {"spec": "phantom", "seats": {"w": {"kind": "bot", "bot": "mcts"}}}, 400),
        ("/api/games", {"spec": "go", "clock": {"main_s": 1e9, "increment_s": 0}}, 400),
        ("/api/games", {"spec": "go", "clock": {"main_s": float("nan"), "increment_s": 0}}, 400),
        ("/api/games", {"spec": "x" * 20_000}, 413),
        ("/api/records", b"no record", 400),
        ("/api/records", b"\xff\xfe{", 400),
        ("/api/records", b"{" * 5000, 400),
        ("/api/records", b" " * 1_000_001, 413),
        ("/api/games/nowhere/record.sgf", None, 404),
        ("/static/../server.py", None, 404),
        ("/static/%2e%2e/server.py", None, 404),
        ("/api/nothing", None, 404),
    ],
)
def test_a_wrong_request_is_refused_with_a_word(served: Site, path: str, body: object, status: int) -> None:
    answer = served.ask(path, body)
    assert answer.status == status
    assert answer.body


@pytest.mark.parametrize("level", [{}, {"level": 3}, {"playouts": 20}])
def test_a_bot_that_must_see_every_stone_is_refused_where_some_are_hidden(served: Site, level: Json) -> None:
    seats = {"w": {"kind": "bot", "bot": "mcts", **level}}
    why = served.ask("/api/games", {"spec": "phantom:size=5", "seats": seats}).json["error"]
    assert why.endswith(" cannot play phantom, where stones are hidden; phantom can")
    about = served.ask("/api/about").json
    assert {each["name"]: each["hidden"] for each in about["bots"]} == {
        "greedy": True,
        "mcts": False,
        "phantom": True,
        "uniform": True,
    }


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ({"seconds": 100}, "100 seconds per move: expected a number, more than 0 and at most 60"),
        ({"seconds": 0}, "0 seconds per move: expected a number, more than 0 and at most 60"),
        ({"playouts": 0}, "0 playouts per move: expected a whole number from 1 to 1000000"),
        ({"playouts": 1.5}, "1.5 playouts per move: expected a whole number from 1 to 1000000"),
    ],
)
def test_an_invalid_strength_is_named_with_the_expected_one(served: Site, limit: Json, why: str) -> None:
    seats = {"w": {"kind": "bot", "bot": "mcts", **limit}}
    assert served.ask("/api/games", {"spec": "go:size=5", "seats": seats}).json["error"] == why


def test_a_form_of_another_page_begins_no_game(served: Site) -> None:
    plain = served.ask("/api/games", b'{"spec":"go"}', **{"content-type": "text/plain", "accept-language": "fr"})
    assert (plain.status, plain.json["error"]) == (415, "application/json était attendu")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Host": "evil.example"},
        {"Host": ""},
        {"Host": "["},
    ],
)
def test_other_pages_and_names_are_not_let_in(served: Site, headers: dict[str, str]) -> None:
    assert served.ask("/api/about", **headers).status in (400, 403)
    if "Origin" in headers:
        with pytest.raises(InvalidStatus), served.dial(**headers):
            pass


def test_the_own_page_is_let_in(served: Site) -> None:
    assert served.ask("/api/about", Origin=served.base).status == 200
    game, _ = served.begin("go:size=5")
    with served.sit(game, Origin=served.base) as watcher:
        assert watcher.whole["game"] == game


def test_every_answer_keeps_other_contents_out(served: Site) -> None:
    for path in ("/", "/sw.js", "/static/main.js", "/static/icon.svg", "/api/about", "/api/nothing"):
        headers = served.ask(path).headers
        # Modules and data have no policy of their own: that of the page holds for them.
        policy = headers.get("content-security-policy", "")
        assert ("default-src 'none'" in policy) == (path not in ("/static/main.js", "/api/about"))
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("seat", ["", "x", "\ud800", "' or 1=1 --", "é" * 50])
def test_a_wrong_token_opens_no_seat(served: Site, seat: str) -> None:
    game, seats = served.begin("go:size=5")
    with served.dial() as line:
        line.send(json.dumps({"join": game, "seat": seat}))
        assert "not valid for a seat" in json.loads(line.recv(timeout=PATIENCE_S))["error"]
        with pytest.raises(ConnectionClosed):
            line.recv(timeout=PATIENCE_S)
    # The seat of one game opens no other.
    other, _ = served.begin("go:size=5")
    with served.sit(other, seats["b"]) as stranger:
        assert stranger.whole["you"] is None


def test_nobody_plays_for_another(served: Site) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["w"]) as white, served.sit(game) as watcher:
        assert white.refused("play", at="C3") == "it is Black's turn"
        assert "spectators" in watcher.refused("play", at="C3")
        assert "spectators" in watcher.refused("resign")
        assert white.state["stones"] == {}


def test_each_player_mixes_a_nonce_into_the_dice(served: Site) -> None:
    game, seats = served.begin("aleago:size=5")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        black.do("nonce", nonce="kq8WbX-zTn2PcL0vRf5y")
        assert white.refused("nonce", nonce="x" * 21) == "nonce: expected a word of at most 20 letters"
        black.do("resign")
        black.until("over", True)
        record = from_json(json.dumps(served.ask(f"/api/games/{game}/record.json").json))
    assert record.nonces == (Nonce(2, BLACK, b"kq8WbX-zTn2PcL0vRf5y"),)
    assert verify(record).kind == "proven"


@pytest.mark.parametrize(
    "words",
    [
        {"do": "nonce", "nonce": "x"},
        {"do": "play"},
        {"do": "play", "at": "Z99"},
        {"do": "play", "at": 5},
        {"do": "play", "at": "\ud800", "re": "\udfff"},
        {"do": "play", "at": "C3" * 100},
        {"do": "play", "at": "C3", "turn": 7},
        {"do": "play", "at": "C3", "turn": {"a": []}},
        {"do": "__init__"},
        {"do": ["play"]},
        {"do": None},
        {},
        {"do": "allow"},
        {"do": "undo"},
        {"do": "swap"},
        {"do": "dead", "at": "C3"},
        {"do": "dice", "dice": "1d6"},
        {"do": "odds"},
        {"do": "hidden"},
        {"do": "analysis", "at": {}, "of": []},
    ],
)
def test_a_wrong_word_is_refused_and_changes_nothing(served: Site, words: dict[str, object]) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black:
        black.line.send(json.dumps(words))
        assert black.take_one("error")["error"]
        black.do("play", at="C3")
        black.until("turn", 2)
        assert black.state["stones"] == {"C3": "b"}


def test_random_words_disturb_nobody(served: Site) -> None:
    rng = Random(11)
    keys = ["do", "at", "of", "turn", "dice", "re", "join", "seat", "x"]
    values = [
        "play",
        "pass",
        "C3",
        "dead",
        "dice",
        "1d6",
        "undo",
        "hint",
        "hidden",
        "analysis",
        "é",
        "",
        0,
        -1,
        1e308,
        None,
        True,
        [],
        {},
        [[]],
    ]
    game, seats = served.begin("phantom:size=5")
    with served.sit(game, seats["w"]) as white:
        for _ in range(60):
            words = {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(4))}
            if words.get("do") in ("pass", "play") or words.get("do") == "hint":
                words["turn"] = 99
            with served.sit(game, seats["b"]) as black:
                black.line.send(json.dumps(words))
                assert black.take_one("error")["error"]
        white.do("resign")
        white.until("final", True)


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "\u0000", '"x"', "[" * 3000, "{" + " " * 5000 + "}", "7"])
def test_an_invalid_message_ends_only_its_connection(served: Site, text: str) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["w"]) as white, served.sit(game, seats["b"]) as black:
        black.line.send(text)
        with pytest.raises(ConnectionClosed):
            black.drain()
        assert white.refused("play", at="C3") == "it is Black's turn"


def test_bytes_and_huge_messages_end_the_connection(served: Site) -> None:
    game, seats = served.begin("go:size=5")
    for sent in (b"\x00\xff", "x" * 100_000):
        with served.sit(game, seats["b"]) as black:
            black.line.send(sent)
            with pytest.raises(ConnectionClosed):
                black.drain()
    for sent in (
        b"\x00",
        "x" * 100_000,
        "{}",
        '{"join": 5}',
        '{"join": []}',
        '{"join": "nowhere"}',
        r'{"join": "\ud800"}',
    ):
        with served.dial() as line:
            line.send(sent)
            with pytest.raises(ConnectionClosed):
                list(line)


# -- limits ------------------------------------------------------------------------------------------------------------


def test_silent_or_flooding_connections_are_closed() -> None:
    with site(limits=PageLimits(join_s=0.2)) as served, served.dial() as line, pytest.raises(ConnectionClosed):
        line.recv(timeout=PATIENCE_S)
    with site(limits=PageLimits(pause_s=0, join_s=PATIENCE_S, burst=5, rate_hz=0.001)) as served:
        game, seats = served.begin("go:size=5")
        with served.sit(game, seats["b"]) as black:
            for _ in range(6):
                black.do("play", at="Z9")
            with pytest.raises(ConnectionClosed):
                black.drain()


def test_games_connections_and_listeners_are_limited() -> None:
    with site(limits=PageLimits(pause_s=0, games=2, sockets=2, listeners=2, seated=2)) as served:
        game, seats = served.begin("go:size=5")
        other, _ = served.begin("go:size=5")
        full = served.ask("/api/games", {"spec": "go"})
        assert (full.status, "2 games" in full.json["error"]) == (503, True)

        def is_refused(join: str, seat: str | None = None) -> bool:
            cookie, first = at_seat(join, seat)
            with served.dial(**cookie) as line:
                line.send(json.dumps(first))
                return "too many" in json.loads(line.recv(timeout=PATIENCE_S)).get("error", "")

        with served.sit(game, seats["b"]) as black, served.sit(game), served.sit(game):
            assert is_refused(game)
            assert is_refused(other)
            # Those who watch keep nobody from a seat.
            with served.sit(game, seats["w"]) as white:
                assert white.whole["you"] == "w"
                assert is_refused(game, seats["b"])
            black.do("resign")
            black.until("final", True)
        # The game that is over makes room for a new one.
        served.begin("go:size=5")
        assert served.ask(f"/api/games/{game}/record.sgf").status == 404


def test_one_network_leaves_room_for_spectators_from_others() -> None:
    async def watch() -> None:
        limits = PageLimits(pause_s=0, sockets=4, from_one_network=2)
        games = PageGames(GameStore(open_site(None)), limits)
        game, _ = games.begin({"spec": "go:size=5"}, "~ann")

        def is_admitted(address: str, colour: int | None = None) -> bool:
            try:
                games.join(game, colour, address=address)
            except Full:
                return False
            return True

        # An IPv6 network of 64 bits has one owner.
        crowd = ["192.0.2.1"] * 3 + ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.2"]
        assert [is_admitted(address) for address in crowd] == [True, True, False, True, True, False, False]
        assert is_admitted("192.0.2.1", 1)
        # A seat in a game that is over saves nobody's time.
        game.hosted.end("0", "")
        assert not is_admitted("192.0.2.1", 1)
        await games.close()

    asyncio.run(watch())


def test_a_guest_with_many_cookies_gets_the_thinking_of_one() -> None:
    async def play() -> None:
        games = PageGames(GameStore(open_site(None)), PageLimits(pause_s=0))
        seats = {"b": {"kind": "bot", "bot": "greedy"}}
        owners = []
        for visitor in ("~ann", "~anne", "anna"):
            game, _ = games.begin({"spec": "go:size=5", "seats": seats}, visitor)
            games.join(game, 2, visitor=visitor, address="2001:db8::1")
            games.join(game, None, visitor="~ben", address="192.0.2.1")
            owners.append(game.thinker)
        assert owners == ["2001:db8::/64", "2001:db8::/64", "anna"]
        await games.close()

    asyncio.run(play())


def test_a_slow_reader_is_dropped_and_the_game_continues() -> None:
    async def play() -> None:
        games = PageGames(GameStore(open_site(None)), PageLimits(pause_s=0, queue=4))
        room, _ = games.begin({"spec": "go:size=5"}, "~ann")
        ends = {letter: games.join(room, games.owners.find(room, "~ann", letter, None)) for letter in "bw"}
        sleeper = games.join(room, None)
        for turn, at in enumerate(("A1", "B1", "C1", "D1", "E1")):
            games.act(ends["bw"[turn % 2]], {"do": "play", "at": at})
            for end in ends.values():
                while not end.queue.empty():
                    end.queue.get_nowait()
        assert sleeper.is_lost.is_set()
        assert not any(end.is_lost.is_set() for end in ends.values())
        assert room.hosted.table.position.turn == 6
        await games.close()

    asyncio.run(play())


def write_lines(store: GameStore, name: str, *lines: str) -> None:
    """Write a game that may not be one."""
    rows = [(name, number, line) for number, line in enumerate(lines)]
    with store._database.transaction("a game") as connection:
        connection.execute("insert into games (id, made_s, kept_s, over, begun) values (?, 0, 0, 0, 0)", (name,))
        connection.executemany("insert into lines values (?, ?, ?)", rows)


def test_a_game_that_cannot_be_read_is_logged_once_and_left_out_of_the_list(caplog: pytest.LogCaptureFixture) -> None:
    async def list_twice() -> None:
        games = PageGames(GameStore(open_site(None)), PAUSE)
        readable, _ = games.begin({"spec": "go:size=5"}, "~ann")
        write_lines(games.store, "of rules that are gone", '{"spec": "go:size=5,gone=1"}')
        write_lines(games.store, "no journal", "[")
        for _ in range(2):
            assert [each["game"] for each in await games.latest()] == [readable.name]
        await games.close()

    asyncio.run(list_twice())
    assert sorted(record.message[:26] for record in caplog.records) == [
        "game no jou cannot be read",
        "game of rul cannot be read",
    ]


def test_games_continue_while_those_of_the_list_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, end = threading.Event(), threading.Event()

    replay = GameRows.replay

    def replay_slowly(stored: GameRows) -> PageGame:
        begun.set()
        assert end.wait(PATIENCE_S), "nobody was answered meanwhile"
        return replay(stored)

    with site() as served, ThreadPoolExecutor(1) as pool:
        game, seats = served.begin("go:size=5")
        other, _ = served.begin("go:size=5")
        with served.sit(game, seats["b"]) as black:
            monkeypatch.setattr(GameRows, "replay", replay_slowly)
            listed = pool.submit(served.ask, "/api/games")
            assert begun.wait(PATIENCE_S)
            black.do("play", at="C3")
            black.until("turn", 2)
            end.set()
        assert [each["game"] for each in listed.result(PATIENCE_S).json["games"]] == [other, game]


def test_a_stored_game_is_replayed_and_written_once_and_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    replays, written = list[str](), list[str]()
    replay, catch_up = GameRows.replay, Transcript.catch_up

    def note_replay(stored: GameRows) -> PageGame:
        replays.append(threading.current_thread().name)
        return replay(stored)

    def note_news(transcript: Transcript) -> list[Json]:
        if len(transcript._table.game.events) > len(transcript.ends):
            written.append(threading.current_thread().name)
        return catch_up(transcript)

    with site() as served:
        assert served.games is not None
        monkeypatch.setattr("gtp_variants.site.page.page_games._MOST_REPLAYED", 250)
        names = [served.show(random_game(parse("go:size=5"), seed, 30)) for seed in range(3)]
        served.loop.call_soon_threadsafe(lambda: setattr(threading.current_thread(), "name", "loop"))
        monkeypatch.setattr(GameRows, "replay", note_replay)
        monkeypatch.setattr(Transcript, "catch_up", note_news)
        for path in ("", "/record.sgf", "/picture.svg", ""):
            assert served.ask(f"/api/games/{names[0]}{path}").status == 200
        with served.sit(names[0]) as reader:
            assert len(reader.news) == 30
        assert (len(replays), len(written)) == (1, 1)
        assert "loop" not in replays + written
        assert served.ask("/api/games", {"spec": "go:size=5", "from": names[0], "at": 9}).status == 201
        assert len(replays) == 1
        # Beyond the limit the games that were asked for longest ago are forgotten.
        for name in (names[1], names[0], names[1]):
            assert served.ask(f"/api/games/{name}").status == 200
        assert len(replays) == 4
        # A game that is removed is gone from memory too.
        game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "greedy"}})
        assert served.ask(f"/api/games/{game}").status == 200
        assert served.ask(f"/api/games/{game}", method="DELETE", cookie=seats["b"].partition("|")[0]).status == 200
        assert served.ask(f"/api/games/{game}").status == 404


def test_joining_an_unreadable_game_is_refused_for_good() -> None:
    with site() as served:
        assert served.games is not None
        write_lines(served.games.store, "no-journal", "[")
        with served.dial() as line:
            line.send(json.dumps({"join": "no-journal", "lang": "fr"}))
            told = json.loads(line.recv(timeout=PATIENCE_S))
            assert (told["type"], told["key"]) == ("error", "page.unreadable")
            assert told["error"] == "cette partie ne se lit pas (line 1: expected JSON, got '[')"
            with pytest.raises(ConnectionClosed) as end:
                line.recv(timeout=PATIENCE_S)
        assert end.value.rcvd is not None
        assert end.value.rcvd.code == 4404


def test_a_dropped_listeners_connection_is_closed(served: Site) -> None:
    game, _ = served.begin("go:size=5")
    assert served.games is not None
    with served.sit(game) as watcher:
        (listener,) = served.games.listeners.of(game)
        asyncio.run_coroutine_threadsafe(_set(listener.is_lost), served.loop).result(PATIENCE_S)
        with pytest.raises(ConnectionClosed):
            watcher.drain()


async def _set(event: asyncio.Event) -> None:
    event.set()


def test_with_a_token_others_cannot_begin_games() -> None:
    token = "a-token-of-the-games"
    with site(token=token) as served:
        refused = served.ask("/api/games", {"spec": "go:size=5"})
        assert refused.status == 401
        assert served.ask("/api/games", {"spec": "go"}, authorization="Bearer wrong").status == 401
        assert served.ask("/api/games").status == 401
        assert served.ask("/api/records", b"(;GM[1])").status == 401
        assert served.ask("/api/about").json["token"] is True
        let_in = served.ask("/api/games", {"spec": "go:size=5"}, authorization=f"Bearer {token}")
        assert let_in.status == 201
        # Whoever is given a link needs no token.
        with served.sit(let_in.json["game"], let_in.json["seats"]["w"]) as white:
            assert white.whole["you"] == "w"


# -- restart -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_server_continues_with_the_same_game_and_dice(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite3"
    with process(store) as (served, child):
        game, seats = served.begin("aleago:size=9,dice=2d4", seats={"w": {"kind": "bot", "bot": "uniform"}})
        with served.sit(game, seats["b"]) as black:
            black.do("play", at=black.state["legal"][0])
            before = black.until("turn", 3)
            news, commitment = black.news, black.whole["commitment"]
            black.do("chat", text="good luck")
            black.take_one("chat")
            child.kill()
            child.wait(PATIENCE_S)
    with process(store) as (served, _), served.sit(game, seats["b"]) as black:
        assert black.news == news
        assert black.state == before
        assert black.whole["commitment"] == commitment
        assert [line["text"] for line in black.take_one("chat")["lines"]] == ["good luck"]
        black.do("undo")
        black.until("turn", 1)
        first = next(item["at"] for item in news if item["kind"] == "place")
        black.do("play", at=first)
        black.until("turn", 3)
        draws = [item for item in news if item["kind"] == "draw"]
        assert [item for item in black.news if item["kind"] == "draw"][:2] == draws[:2]
    assert store.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_ctrl_c_ends_the_server_without_a_word(tmp_path: Path) -> None:
    with process(tmp_path / "games.sqlite3") as (served, child):
        assert served.ask("/api/about").status == 200
        child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE_S) == 0


@pytest.mark.slow
def test_one_store_has_one_server(tmp_path: Path) -> None:
    import subprocess

    from tests.site.page.serving import CHECKOUT

    store = tmp_path / "games.sqlite3"
    with process(store):
        second = subprocess.run(
            [*COMMAND, "serve", "--port", "0", "--store", str(store)],
            capture_output=True,
            text=True,
            cwd=CHECKOUT,
            timeout=PATIENCE_S,
        )
    assert second.returncode == 2
    assert "another server" in second.stderr


def test_a_full_disk_is_said_and_the_game_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("database or disk is full")

    with site() as served:
        game, seats = served.begin("go:size=5")
        with served.sit(game, seats["b"]) as black:
            assert black.whole["kept"]
            monkeypatch.setattr(GameStore, "write", fail)
            black.do("play", at="C3")
            assert black.take_one("news")["kept"] is False
            assert served.ask("/api/games", {"spec": "go"}).status == 503
        # It stays in memory, and is written when that is possible again.
        with served.sit(game, seats["w"]) as white:
            assert white.state["stones"] == {"C3": "b"}
            monkeypatch.undo()
            white.do("play", at="A1")
            assert white.take_one("news")["kept"] is True


def test_an_unwatched_game_is_unloaded_and_restored_unchanged(tmp_path: Path) -> None:
    with site(tmp_path / "games.sqlite3") as served:
        game, seats = served.begin("go:size=5")
        with served.sit(game, seats["b"]) as black:
            black.do("play", at="C3")
            black.until("turn", 2)
        assert served.games is not None
        deadline = time.monotonic() + PATIENCE_S
        while served.games._games and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not served.games._games
        with served.sit(game, seats["w"]) as white:
            assert white.state["stones"] == {"C3": "b"}
            assert white.whole["seats"]["b"]["here"] is False


@pytest.mark.slow
def test_two_hundred_watch_one_game_and_hear_every_move(served: Site) -> None:
    game, seats = served.begin("go:size=5")

    async def until_turn(line: AsyncConnection, turn: int) -> Json:
        while (told := json.loads(await line.recv())).get("state", {}).get("turn") != turn:
            pass
        stones: Json = told["state"]["stones"]
        return stones

    async def watch() -> None:
        address = f"ws://127.0.0.1:{served.port}/api/socket"
        lines = []
        for number in range(201):
            cookie, first = at_seat(game, None if number else seats["b"])
            line = await dial(address, max_queue=None, open_timeout=PATIENCE_S, proxy=None, additional_headers=cookie)
            await line.send(json.dumps(first))
            await until_turn(line, 1)
            lines.append(line)
        await lines[0].send(json.dumps({"do": "play", "at": "C3"}))
        assert await asyncio.gather(*(until_turn(line, 2) for line in lines)) == [{"C3": "b"}] * 201
        await asyncio.gather(*(line.close() for line in lines))

    async def soon() -> None:
        await asyncio.wait_for(watch(), 120)

    asyncio.run(soon())
    with served.sit(game, seats["w"]) as white:
        white.do("play", at="D4")
        white.until("turn", 3)


def test_silent_connections_displace_each_other_and_nobody_who_plays() -> None:
    with site() as served:
        game, seats = served.begin("go:size=5")
        with served.sit(game, seats["b"]) as seat, ExitStack() as held:
            address = ("127.0.0.1", served.port)
            mute = [held.enter_context(socket.create_connection(address, timeout=PATIENCE_S)) for _ in range(300)]
            # They made room for those who came later.
            assert mute[0].recv(1) == b""
            unjoined = held.enter_context(served.dial())
            more = [held.enter_context(socket.create_connection(address, timeout=PATIENCE_S)) for _ in range(300)]
            assert mute[-1].recv(1) == b""
            with pytest.raises(ConnectionClosed):
                unjoined.recv(timeout=PATIENCE_S)
            assert served.ask("/api/about").status == 200
            seat.do("play", at="C3")
            seat.until("turn", 2)
            assert len(more) == len(mute)


def test_everybody_is_told_of_a_game_in_their_own_language(served: Site) -> None:
    game, seats = served.begin("go:size=5", lang="en")
    cookie, first = at_seat(game, seats["w"], lang="fr")
    with served.dial(**cookie) as line:
        line.send(json.dumps(first))
        white = Client(line)
        with served.sit(game, seats["b"]) as black:
            black.do("play", at="C3")
            white.until("turn", 2)
            assert white.refused("play", at="C3") == "C3 porte une pierre noire"
            assert "n'est pas un point" in white.refused("play", at="Z25")
            assert "White" in black.refused("pass")
            white.do("pass")
            black.until("turn", 3)
            assert "Noir" in white.refused("pass")
            black.do("pass")
            for end in (white, black):
                end.until("suspended", True)
            white.do("pass")
            black.until("asked", "b")
            black.do("pass")
            white.until("final", True)
            black.until("final", True)
            assert [item["text"] for item in white.news if item["kind"] == "pass"] == ["Blanc passe", "Noir passe"]
            assert [item["text"] for item in black.news if item["kind"] == "pass"] == ["White passes", "Black passes"]
            assert (white.state["reason"], black.state["reason"]) == (
                "Noir gagne de 17,5 points",
                "Black wins by 17.5 points",
            )


def test_an_invitation_shows_its_game(served: Site) -> None:
    game, _ = served.begin("go:size=5", seats={"b": {"kind": "person", "name": "Ann"}, "w": {"kind": "invited"}})
    known = served.ask(f"/api/games/{game}").json
    assert (known["title"], known["turn"], known["seats"]["b"]["name"]) == ("Go", 1, "Ann")
    assert served.ask("/api/games/nowhere").status == 404


def test_the_first_screen_loads_few_bytes(served: Site) -> None:
    """60 KB cross the line at most until the front door's first board is there; what is counted has no headers."""
    page = served.ask("/").body.decode()
    modules = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    home = ("screens/home.js", "screens/living_board.js", "data/opponents.js", "board/dice.js")
    entered = [f"/static/{name}" for name in (*home, "words/en.json", "games/aleago.json")]
    # The lists of games are not counted: they come beside the board, and other tests fill them.
    asked = ["/", "/api/about", "/api/describe?brief&lang=en&spec=aleago"]
    asked = [*dict.fromkeys([*asked, *modules, *entered])]
    sizes = {path: len(served.ask(path, **{"accept-encoding": "gzip"}).body) for path in asked}
    assert "/static/main.js" in sizes
    # Each request has some 300 bytes of headers.
    assert sum(sizes.values()) + 300 * len(sizes) < 60_000, sizes


@pytest.mark.parametrize(
    "path", ["/", "/static/words/fr.json", "/static/main.js", "/api/describe?spec=go", "/api/rules?spec=go"]
)
def test_a_browser_gets_again_only_what_has_changed(served: Site, path: str) -> None:
    tag = served.ask(path).headers["etag"]
    again = served.ask(path, **{"if-none-match": tag})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert served.ask(path, **{"if-none-match": '"another"'}).status == 200


def test_the_page_asks_at_once_for_the_texts_in_the_language_of_the_browser(served: Site) -> None:
    for lang in ("en", "fr"):
        answer = served.ask("/", **{"accept-language": lang})
        assert re.findall(r"/static/words/\w+", answer.body.decode()) == [f"/static/words/{lang}"]
        assert answer.headers["vary"] == "Accept-Language, Accept-Encoding"
