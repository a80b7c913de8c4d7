"""Go Fantôme keeps its secrets: whole games that differ only in what is hidden, and all that crossed each socket."""

import json
import time
from collections.abc import Iterator

import pytest

from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player, Seat
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.views import View
from gtp_variants.site.game_store import GameStore
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.opponents import Opponents
from tests.site.page.serving import Site, site
from tests.site.page.twins import PageTwin, compare_page, compare_published, expect_silence, twin_site
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, make_twins, twin_pair


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with twin_site() as running:
        yield running


# -- pairs of games that differ only in what is hidden -----------------------------------------------------------------


# Two with tries in private; then of every announcement some. All of them: benchmarks/correctness/twin_games.py.
MANY = [pytest.param(number, marks=pytest.mark.slow) for number in EVERY_TWO]


@pytest.mark.parametrize("number", [*QUICK_PAIRS, *MANY])
def test_nothing_that_crosses_a_socket_depends_on_what_its_seat_may_not_know(served: Site, number: int) -> None:
    compare_page(served, twin_pair(number))


@pytest.mark.parametrize("number", [*QUICK_PAIRS[1:], *MANY[::2]])
def test_watchers_of_a_published_game_hear_only_public_news(served: Site, number: int) -> None:
    compare_published(served, twin_pair(number))


def test_watchers_see_no_stone_or_point_before_the_end(served: Site) -> None:
    game = make_twins("phantom:size=5", BLACK, 3)[0]
    came = PageTwin(served, game).play()["watching"]
    news = [item for text in came for item in json.loads(text).get("news", ())]
    captured = {vertex for item in news for vertex in item["captured"]}
    assert {item["at"] for item in news} == {None}
    assert all(item["put"] == {} for item in news)
    assert any(item["said"] for item in news)
    named = {vertex for vertex in game.rules.board.vertices if any(f'"{vertex}"' in text for text in came)}
    assert named <= captured


def test_a_private_refusal_is_heard_by_nobody_else(served: Site) -> None:
    name, seats = served.begin("phantom:size=5,impossible=private")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white, served.sit(name) as watcher:
        black.do("play", at="C3")
        white.until("turn", 2)
        white.do("play", at="C3")
        while not white.news or not white.news[-1]["refused"]:
            white.take()
        assert white.news[-1]["at"] == "C3"
        white.do("play", at="C4")
        for end in (black, watcher):
            end.until("turn", 3)
            assert not any(item["refused"] for item in end.news)


@pytest.mark.slow
def test_a_private_refusal_does_not_change_presence_timing() -> None:
    with site(limits=PageLimits(pause_s=0, meeting_s=1.0)) as served:
        name, seats = served.begin("phantom:size=5,impossible=private")
        with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
            black.do("play", at="C3")
            white.until("turn", 2)
            black.until("turn", 2)
            while not all(each["here"] for each in black.take_one("who")["seats"].values()):
                pass
            with served.sit(name):
                white.do("play", at="C3")
                white.take_one("news")
                told = black.take()
                assert (told["type"], told["watching"]) == ("who", 1)


def test_watchers_do_not_hear_a_private_try_after_a_pass(served: Site) -> None:
    name, seats = served.begin("phantom:size=5,impossible=private,in_a_row=tries")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white, served.sit(name) as watcher:
        while watcher.take_one("who")["watching"] != 1:
            pass
        for turn, (end, point) in enumerate(((black, "C3"), (white, "A1"), (black, "D3"), (white, "")), 2):
            end.do("play", at=point) if point else end.do("pass")
            for each in (black, white, watcher):
                each.until("turn", turn)
        # That parts two passes, and only Black knows it.
        black.do("play", at="A1")
        assert black.take_one("news")["state"]["passes"] == 0
        expect_silence(watcher, "a try after a pass")
        assert watcher.state["passes"] == 1


def test_the_list_of_games_does_not_say_when_a_try_was_refused_in_private(served: Site) -> None:
    name, seats = served.begin("phantom:size=5,impossible=private")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
        black.do("play", at="C3")
        white.until("turn", 2)
        other, _ = served.begin("go:size=5")

        def first() -> str:
            return str(served.ask("/api/games").json["games"][0]["game"])

        assert first() == other
        white.do("play", at="C3")
        white.take_one("news")
        assert first() == other
        white.do("play", at="A1")
        white.until("turn", 3)
        assert first() == name


def test_storage_warnings_do_not_reveal_hidden_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("database or disk is full")

    with twin_site() as served:
        name, seats = served.begin("phantom:size=5,impossible=private")
        with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
            for end in (black, white):
                while not all(each["here"] for each in end.take_one("who")["seats"].values()):
                    pass
            black.do("play", at="C3")
            for end in (black, white):
                end.until("turn", 2)
            monkeypatch.setattr(GameStore, "write", fail)
            white.do("play", at="C3")
            assert white.take_one("news")["kept"] is False
            expect_silence(black, "a full disk")
            white.do("play", at="A1")
            assert black.take_one("news")["kept"] is False


def test_how_long_a_game_may_be_is_counted_in_what_a_seat_hears(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.site.page.page_game.MOST_EVENTS", 3)
    name, seats = served.begin("phantom:size=5,impossible=private")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
        black.do("play", at="C3")
        white.until("turn", 2)
        for vertex in ("C3", "A1"):
            white.do("play", at=vertex)
        black.until("turn", 3)
        # White has heard of three events, Black of two: that there was one more is nothing Black could find out.
        black.do("play", at="A2")
        black.until("turn", 4)
        assert "too long" in white.refused("play", at="B2")


class Refused(Seat):
    """A bot that tries Black's stone until it was refused a number of times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def choose(self, view: View, clock: Clock) -> int:
        refused = sum(news.refused for news in view.news)
        return view.actions[0] if refused >= self.times else 12


class RefusedBots(Opponents):
    """Bots that try Black's stone until they were refused `times` times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def make(self, name: str, level: object = None) -> Player:
        return Refused(self.times)


@pytest.mark.parametrize("times", [0, 3])
def test_how_often_a_bot_was_refused_in_private_does_not_make_it_later(times: int) -> None:
    limits = PageLimits(pause_s=0.1)
    with site(limits=limits, opponents=RefusedBots(times)) as served:
        bot = {"kind": "bot", "bot": "greedy"}
        name, seats = served.begin("phantom:size=5,impossible=private", seats={"w": bot})
        with served.sit(name, seats["b"]) as black:
            begun_s = time.monotonic()
            black.do("play", at="C3")
            black.until("turn", 3)
            # Three tries are as quick as one: whatever they take, it is a full step.
            assert time.monotonic() - begun_s > 3.5 * limits.pause_s
            assert sum(item["refused"] for item in black.news) == 0


def test_captured_stones_are_shown_to_their_owner_alone(served: Site) -> None:
    name, seats = served.begin("phantom:size=5,captures=owner")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white, served.sit(name) as watcher:
        for turn, (end, vertex) in enumerate(((black, "A1"), (white, "A2"), (black, "C3"), (white, "B1")), 2):
            end.do("play", at=vertex)
            for each in (black, white, watcher):
                each.until("turn", turn)
        assert [end.news[-1]["captured"] for end in (black, white, watcher)] == [["A1"], [], []]
        assert [end.state["last"]["captured"] for end in (black, white, watcher)] == [["A1"], [], []]
        assert {end.news[-1]["said"][0] for end in (black, white, watcher)} == {
            "White plays and captures 1 black stone"
        }
        assert [end.state["captures"]["w"] for end in (black, white, watcher)] == [1, 1, 1]
        for end in (white, watcher):
            assert "A1" not in json.dumps([end.news[-1], {**end.state, "legal": []}])


def test_at_the_end_all_is_shown_with_the_board_of_each_seat(served: Site) -> None:
    name, seats = served.begin("phantom:size=5")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white, served.sit(name) as watcher:
        black.do("play", at="C3")
        white.until("turn", 2)
        white.do("play", at="C3")
        white.do("play", at="A1")
        black.until("turn", 3)
        assert "holds a black stone" in black.refused("play", at="C3")
        black.do("resign")
        for end in (black, white, watcher):
            end.until("final", True)
            assert end.whole["state"]["stones"] == {"C3": "b", "A1": "w"}
            assert end.whole["boards"] == {"b": {"C3": "b"}, "w": {"A1": "w"}}
            assert [item["at"] for item in end.whole["heard"]["w"] if item["kind"] == "place"] == [None, "C3", "A1"]
        assert served.ask(f"/api/games/{name}/record.json").status == 200


def test_dead_stones_are_agreed_on_with_the_board_in_sight(served: Site) -> None:
    name, seats = served.begin("phantom:size=5,dead=agreed")
    with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
        for end, at in ((black, "C3"), (white, "A1")):
            end.until("asked", end.whole["you"])
            end.do("play", at=at)
        for end in (black, white):
            end.until("asked", end.whole["you"])
            assert "dead" in end.refused("dead", at="A1")
            end.do("pass")
        for end in (black, white):
            end.until("suspended", True)
            end.until("asked", end.whole["you"])
            end.do("pass")
        black.until("counting", True)
        assert black.whole["state"]["stones"] == {"C3": "b", "A1": "w"}
        assert black.refused("play", at="B2") == "the game is over"
        white.until("counting", True)
        for dead, words in ((["A1"], "called dead"), ([], "alive again"), (["A1"], "called dead")):
            white.do("dead", at="A1")
            black.until("dead", dead)
            assert black.news[-1]["text"] == f"the chain on A1 is {words}"
        black.do("pass")
        white.do("pass")
        black.until("final", True)
        assert black.state["result"] == "B+17.5"


def test_a_referee_enters_what_is_played_at_real_boards_and_others_only_hear_it(served: Site) -> None:
    name, seats = served.begin("phantom:size=5,dead=agreed", referee=True)
    assert set(seats) == {"referee"}
    with served.sit(name, seats["referee"]) as referee, served.sit(name) as player:
        assert referee.whole["referee"]
        assert "boards" not in referee.whole
        for turn, at in enumerate(["C3", "C3", "A1"], 1):
            referee.do("play", at=at)
            while len(referee.news) < turn:
                referee.take()
        assert [item["refused"] for item in referee.news] == [False, True, False]
        assert referee.state["stones"] == {"C3": "b", "A1": "w"}
        player.until("turn", 3)
        assert player.state["stones"] == {}
        assert [item["said"] for item in player.news] == [
            ["Black has played"],
            ["impossible move"],
            ["White has played"],
        ]
        for _ in range(4):
            referee.do("pass")
        referee.until("counting", True)
        assert referee.whole["boards"] == {"b": {"C3": "b"}, "w": {"A1": "w"}}
        referee.do("dead", at="A1")
        referee.do("pass")
        referee.until("final", True)
        assert referee.state["result"] == "B+17.5"
    bot = {"kind": "bot", "bot": "greedy"}
    assert served.ask("/api/games", {"spec": "phantom", "referee": True, "seats": {"w": bot}}).status == 400


def test_undo_is_refused_in_hidden_games(served: Site) -> None:
    name, seats = served.begin("phantom:size=5")
    with served.sit(name, seats["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 2)
        assert black.refused("undo")


def test_a_bot_keeps_the_turn_after_a_refused_try() -> None:
    with site(opponents=RefusedBots(1)) as served:
        bot = {"kind": "bot", "bot": "greedy"}
        name, seats = served.begin("phantom:size=5", seats={"w": bot})
        with served.sit(name, seats["b"]) as black:
            black.do("play", at="C3")
            black.until("turn", 3)
            told = [(item["actor"], item["refused"], item["at"]) for item in black.news]
            assert told == [("b", False, "C3"), ("w", True, None), ("w", False, None)]
