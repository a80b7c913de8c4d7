"""Games that are played elsewhere: published, watched, lost, found again; what they hide, and who may publish."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from gtp_variants.players.publisher import Address, Clocks, Publisher, Shown
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import CHANCE, Event
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.rules import Rules
from gtp_variants.site.page.listeners import PageLimits
from tests.site.page.serving import KEY, PATIENCE_S, Json, Site, site
from tests.support.waiting import wait_until

SMALL = {"go": "go:size=5", "aleago": "aleago:size=5,dice=1d3", "phantom": "phantom:size=5", "rosette": "rosette:n=2",
         "alter-igo": "alter-igo:size=4", "pentalath": "pentalath"}  # fmt: skip
NAME = "a-game-of-a-tournament-1"
BEARER = {"authorization": f"Bearer {KEY}"}


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site() as running:
        yield running


def shown(game: Game, **more: Any) -> Shown:
    names = {"b": "one", "w": "two", "r": "three"}
    letters = [("b", 1), ("w", 2), ("r", 3)]
    players = {letter: names[letter] for letter, colour in letters if colour in game.rules.colours}
    setup = tuple(sorted(game.setup.items()))
    about: Json = {"source": "night", "title": "a-b/0001a", "players": players, "setup": setup, "first": game.first}
    return Shown(spec=game.rules.spec, events=tuple(game.events), **{**about, **more})


@contextmanager
def publishing(served: Site) -> Iterator[Publisher]:
    publisher = Publisher(lambda: Address(served.base, KEY), lambda text: None)
    try:
        yield publisher
    finally:
        publisher.close()


def live(served: Site, title: str) -> Json | None:
    games = served.ask("/api/live").json["games"]
    return next((game for game in games if game["name"] == title), None)


def rests(game: Game) -> list[int]:
    """After how many events no dice are due."""
    return [count for count, position in enumerate(game.positions) if position.to_play != CHANCE]


def body(game: Game, count: int | None = None, first: int = 0, **more: Any) -> Json:
    events = [[event.actor, event.action] for event in game.events[first:count]]
    head = {} if first else {"head": shown(game).head}
    return {"from": first, "events": events, **head, **more}


def tell(served: Site, told: object, name: str = NAME, **headers: str) -> int:
    return served.ask(f"/api/live/{name}", told, **{**BEARER, **headers}).status


@pytest.mark.parametrize("name", list(GAMES))
def test_a_published_game_is_watched_move_by_move_to_its_end(served: Site, name: str) -> None:
    game = random_game(parse(SMALL[name]), seed=3, plies=40)
    counts = rests(game)
    game = Game.replay(game.rules, game.events[: counts[-1]])
    with publishing(served) as publisher:
        part = Game.replay(game.rules, game.events[: counts[1]])
        publisher.show(name, shown(part, title=name))
        found = wait_until(lambda: live(served, name))
        assert found["seats"]["b"] == {"kind": "elsewhere", "bot": "one", "level": None, "here": True, "claimed": True}
        with served.sit(found["game"]) as watcher:
            assert watcher.whole["you"] is None
            for count in counts[2:]:
                part = Game.replay(game.rules, game.events[:count])
                publisher.show(name, shown(part, title=name))
            publisher.show(name, shown(game, title=name, is_over=True, result="B+1", why="the limit of moves"))
            watcher.until("final", True)
            assert watcher.state["turn"] == game.position.turn
            named = {game.rules.board.vertices[p]: "?bwr"[c] for p, c in enumerate(game.position.stones) if c}
            assert watcher.state["stones"] == named
            assert watcher.state["reason"]
            assert "cannot do this" in watcher.refused("play", at="A1")
        record = served.ask(f"/api/games/{found['game']}/record.json")
        assert record.status == 200
        assert record.json["players"]["b"] == "one"


def twins(rules: Rules, seed: int) -> tuple[Game, Game]:
    """Two hidden games in which everybody who only listens hears the same, though other stones were played."""
    rng, first, second = Random(seed), Game(rules), Game(rules)
    for _ in range(8):
        for game in (first, second):
            position = game.position
            free = [p for p in rules.actions(position) if p >= 0 and not position.stones[p]]
            quiet = [p for p in free if _is_quiet(rules, game, p)]
            game.play(position.mover, rng.choice(quiet))
    return first, second


def _is_quiet(rules: Rules, game: Game, point: int) -> bool:
    before = game.position
    event = Event(before.mover, point)
    news = rules.hears(before, event, rules.play(before, point), 3 - before.mover)
    return news is not None and not news.refused and [said.code for said in news.said] == ["played"]


@pytest.mark.slow
def test_watchers_of_a_hidden_game_hear_only_announcements_until_its_end(served: Site) -> None:
    first, second = twins(parse("phantom:size=9"), 5)
    assert first.position.stones != second.position.stones
    came: list[list[Json]] = []
    with publishing(served) as publisher:
        for game in (first, second):
            title = f"hidden {len(came)}"
            publisher.show(title, shown(Game.replay(game.rules, game.events[:1]), title=title))
            name = wait_until(lambda title=title: live(served, title))["game"]  # type: ignore[misc]
            with served.sit(name) as watcher:
                for count in range(2, len(game.events) + 1):
                    publisher.show(title, shown(Game.replay(game.rules, game.events[:count]), title=title))
                    watcher.until("turn", count + 1)
                assert watcher.state["stones"] == {}
                assert {item["at"] for item in watcher.news} == {None}
                assert served.ask(f"/api/games/{name}/record.sgf").status == 400
                came.append(list(watcher.news))
                publisher.show(title, shown(game, title=title, is_over=True))
                watcher.until("final", True)
                assert len(watcher.whole["state"]["stones"]) == 8
                assert len(watcher.whole["boards"]["b"]) == 4
    assert came[0] == came[1]


def test_the_secret_of_dice_comes_with_the_end_and_must_be_the_right_one(served: Site) -> None:
    rules, dice = parse("aleago:size=5,dice=1d3"), DiceStream(b"s" * 32)
    game = Game(rules)
    game.play(CHANCE, dice.draw(game))
    about: Json = {**body(game)}
    about["head"]["commitment"] = dice.commitment
    assert tell(served, about) == 200
    with served.sit(NAME) as watcher:
        assert watcher.whole["commitment"] == dice.commitment
        assert dice.secret.hex() not in served.ask(f"/api/games/{NAME}/record.json").body.decode()
        end = {"from": 1, "events": [], "end": {"result": "B+R"}}
        assert tell(served, {**end, "end": {"secret": "00" * 32}}) == 400
        assert tell(served, {**end, "end": {"secret": 7}}) == 400
        assert not watcher.state["final"]
        assert tell(served, {**end, "end": {"secret": dice.secret.hex(), "result": "B+R", "why": "gone home"}}) == 200
        assert watcher.until("final", True)["reason"] == "gone home"
    assert served.ask(f"/api/games/{NAME}/record.json").json["secret"] == dice.secret.hex()


def test_what_was_taken_back_is_shown_again(served: Site) -> None:
    game = random_game(parse("go:size=5"), 4, 9)
    name = "taken-back-and-played-on"
    assert tell(served, body(game), name) == 200
    with served.sit(name) as watcher:
        other = Game.replay(game.rules, game.events[:5])
        while len(other.events) < 8:
            other.play(other.position.mover, other.rules.actions(other.position)[0])
        assert tell(served, body(other, first=5), name) == 200
        assert watcher.take_one("game")["state"]["turn"] == 9
        assert tell(served, body(game, first=5), name) == 200
        watcher.until("turn", 10)


def test_a_game_of_which_nothing_is_heard_is_called_lost_until_it_is_heard_of_again() -> None:
    game = random_game(parse("go:size=5"), 4, 3)
    name = "nobody-knows-what-became"
    with site() as served:
        assert tell(served, body(game), name) == 200
        with served.sit(name) as watcher:
            assert watcher.whole["lost"] is False
    with site(limits=PageLimits(lost_s=0.2)) as served:
        assert tell(served, body(game), name) == 200
        with served.sit(name) as watcher:
            # Whoever comes late reads at once that it is lost.
            lost = watcher.whole["lost"]
            while not lost:
                lost = watcher.take_one("who")["lost"]
            assert tell(served, {"from": 3, "events": []}, name) == 200
            assert watcher.take_one("news")["lost"] is False


def test_shown_games_are_limited_and_finished_ones_make_room(served: Site) -> None:
    with site(limits=PageLimits(live=2)) as small:
        game = random_game(parse("go:size=5"), 4, 3)
        names = [f"{letter * 24}" for letter in "abcd"]
        assert tell(small, body(game, end={"result": "B+R"}), names[0]) == 200
        with small.sit(names[0]):
            assert [tell(small, body(game), name) for name in names[1:3]] == [200, 503]
        wait_until(lambda: tell(small, body(game), names[2]) == 200)
        assert tell(small, body(game), names[3]) == 503
        assert {each["game"] for each in small.ask("/api/live").json["games"]} == set(names[1:3])


def clocks(**more: object) -> Json:
    return {"left_s": {"b": 100.0, "w": 250}, "age_s": 40.0, "runs": True, **more}


def test_clocks_are_shown_as_far_as_the_publisher_knows_them(served: Site) -> None:
    game = random_game(parse("go:size=5"), 4, 12)
    mover, other = ("b", "w") if game.position.mover == 1 else ("w", "b")
    left = {"b": 100.0, "w": 250.0}
    name = "a-game-with-clocks-to-be-seen"
    assert tell(served, body(game), name) == 200
    with served.sit(name) as watcher:
        assert "clocks" not in watcher.state
        assert tell(served, {"from": len(game.events), "events": [], "clocks": clocks()}, name) == 200
        watcher.until("running", True)
        # It is 40 s since the publisher looked, by his clock: that of the side to move has run on.
        shown_s = watcher.state["clocks"]
        assert shown_s[other] == left[other]
        assert left[mover] - 40 - PATIENCE_S < shown_s[mover] <= left[mover] - 40
        assert watcher.state["free_s"] == 0
        # What costs the side to move nothing is not taken off.
        free = clocks(left_s={"b": 90.0, "w": 90.0}, age_s=10.0, free_s=1000.0)
        assert tell(served, {"from": len(game.events), "events": [], "clocks": free}, name) == 200
        watcher.until("clocks", {"b": 90.0, "w": 90.0})
        assert 990.0 - PATIENCE_S < watcher.state["free_s"] <= 990.0
        # Without news of them they stay; when the game is over they stand.
        assert tell(served, {"from": len(game.events), "events": [], "clocks": clocks(runs=False)}, name) == 200
        watcher.until("running", False)
        assert watcher.state["clocks"] == left
        end: Json = {"result": "B+F", "why": "", "secret": None}
        last = {"from": len(game.events), "events": [], "end": end, "clocks": clocks(left_s={"b": 0, "w": 9})}
        assert tell(served, last, name) == 200
        watcher.until("final", True)
        assert (watcher.state["clocks"], watcher.state["running"]) == ({"b": 0.0, "w": 9.0}, False)


@pytest.mark.parametrize(
    "told",
    [5, {}, clocks(left_s={"b": 1}), clocks(left_s={"b": 1, "w": 1, "r": 1}), clocks(left_s={"b": -1, "w": 1}),
     clocks(left_s={"b": "1", "w": 1}), clocks(left_s=[1, 2]), clocks(age_s=None), clocks(age_s=-1), clocks(runs=1),
     clocks(age_s=True), clocks(left_s={"b": 10**400, "w": 1}), clocks(left_s={"b": float("nan"), "w": 1}),
     clocks(free_s=-1), clocks(free_s="1")],
)  # fmt: skip
def test_invalid_clocks_are_refused(served: Site, told: object) -> None:
    game = random_game(parse("go:size=5"), 4, 3)
    assert tell(served, body(game, clocks=told), "with-clocks-that-cannot-be-") == 400


def test_a_clock_that_was_read_a_while_ago_is_told_with_its_age(served: Site) -> None:
    game = random_game(parse("go:size=5"), 4, 3)
    mover, other = ("b", "w") if game.position.mover == 1 else ("w", "b")
    with publishing(served) as publisher:
        known = Clocks({mover: 600.0, other: 600.0}, time.monotonic() - 100.0)
        publisher.show("k", shown(game, title="ticking", clocks=known))
        name = wait_until(lambda: live(served, "ticking"))["game"]
        with served.sit(name) as watcher:
            assert watcher.state["clocks"][other] == 600.0
            assert 500.0 - PATIENCE_S < watcher.state["clocks"][mover] <= 500.0


BROKEN: list[object] = [
    {}, {"from": 0}, {"from": -1, "events": []}, {"from": 0, "events": {}}, {"from": True, "events": []},
    {"from": 0, "events": [[1, 2, 3]]}, {"from": 0, "events": [[1, 2.5]]}, {"from": 0, "events": [["b", "D4"]]},
    {"from": 0, "events": [[9, 1]]}, {"from": 0, "events": [[1, 10**30]]}, {"from": 0, "events": [[1, -(2**39)]]},
    {"from": 0, "events": [[-5, 4]]}, {"from": 0, "events": [[0, 4]]}, {"from": 0, "events": [[1, 3], [1, 3]]},
    {"from": 0, "events": [[1, 0]] * 2000}, {"from": 10**6, "events": []}, {"from": 0, "events": [], "end": 5},
    {"from": 0, "events": [], "head": {}}, {"from": 0, "events": [], "head": 3},
]  # fmt: skip


@pytest.mark.parametrize("told", BROKEN)
def test_a_publisher_that_talks_nonsense_is_refused_and_nothing_has_changed(served: Site, told: Json) -> None:
    game = random_game(parse("go:size=5"), 4, 3)
    name = f"nonsense-{BROKEN.index(told):02}-is-refused-here"
    assert tell(served, {"head": shown(game).head, **told}, name) == 400
    assert served.games is not None
    assert served.games.live.get(name) is None
    assert tell(served, body(game, end={"result": ""}), name) == 200
    assert tell(served, {"from": 9, "events": []}, "never-heard-of-in-here-yet") == 409


@pytest.mark.parametrize(
    "head",
    [{"spec": "chess"}, {"players": []}, {"players": {"r": "x"}}, {"players": {"b": "x" * 300}}, {"setup": [[99, 1]]},
     {"setup": [[0, 3]]}, {"setup": {}}, {"first": 3}, {"first": 1.0}, {"first": "b"}, {"commitment": "00"},
     {"source": 5}],
)  # fmt: skip
def test_an_invalid_head_is_refused(served: Site, head: Json) -> None:
    told = body(Game(parse("go:size=5")))
    told["head"] |= head
    assert tell(served, told, "with-a-head-that-cannot-be") == 400


def test_nobody_publishes_in_the_place_of_a_game_that_is_played_here(served: Site) -> None:
    name, seats = served.begin("go:size=5")
    with served.sit(name, seats["b"]) as black:
        assert tell(served, body(random_game(parse("go:size=5"), 4, 3)), name) == 400
        black.do("play", at="C3")
        black.until("turn", 2)
        assert black.state["stones"] == {"C3": "b"}


def test_publishing_needs_the_key(served: Site) -> None:
    told = body(random_game(parse("go:size=5"), 4, 3))
    path = "/api/live/forged-forged-forged-forged"
    assert served.ask(path, told).status == 401
    assert served.ask(path, told, authorization="Bearer the-key-of-publisherz").status == 401
    assert served.ask(path, told, **BEARER, origin="http://evil.example").status == 403
    assert served.ask("/api/live/short", told, **BEARER).status == 404
    assert served.ask(path, json.dumps(told).encode(), **BEARER).status == 415
    assert served.ask(path, {"from": 0, "events": [], "pad": "x" * 1_100_000}, **BEARER).status == 413
    assert served.ask(path, None, **BEARER).status == 405


def test_a_server_that_was_restarted_is_told_the_whole_game_again(served: Site) -> None:
    game = random_game(parse("go:size=5"), 4, 12)
    houses = [served]
    said: list[str] = []
    publisher = Publisher(lambda: Address(houses[-1].base, KEY), said.append)
    try:
        publisher.show("k", shown(Game.replay(game.rules, game.events[:6]), title="moving"))
        name = wait_until(lambda: live(served, "moving"))["game"]
        with site() as other:
            houses.append(other)
            publisher.show("k", shown(game, title="moving"))
            again = wait_until(lambda: live(other, "moving"))
            assert (again["game"], again["turn"]) == (name, game.position.turn)
            houses.pop()
    finally:
        publisher.close()
    assert said == [f"games are shown at {each.base}/#live=night" for each in (served, other)]


def test_a_long_game_comes_in_pieces(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.players.publisher.MOST_EVENTS_AT_ONCE", 7)
    game = random_game(parse("go:size=5"), 4, 40)
    with publishing(served) as publisher:
        publisher.show("k", shown(game, title="long"))
        wait_until(lambda: (live(served, "long") or {}).get("turn") == game.position.turn)


def test_long_words_are_cut_and_what_is_refused_does_not_keep_other_games_from_being_shown() -> None:
    game = random_game(parse("go:size=5"), 4, 12)
    with site(limits=PageLimits(live=1)) as served:
        said: list[str] = []
        publisher = Publisher(lambda: Address(served.base, KEY), said.append)
        try:
            publisher.show("one", shown(game, title="one"))
            wait_until(lambda: live(served, "one"))
            publisher.show("two", shown(game, title="two"))
            wait_until(lambda: len(said) == 2)
            publisher.show("one", shown(game, title="one", is_over=True, result="B+F", why="x" * 900))
            wait_until(lambda: (live(served, "one") or {}).get("over"))
            longer = Game.replay(game.rules, game.events)
            longer.play(longer.position.mover, -1)
            publisher.show("two", shown(longer, title="two"))
            wait_until(lambda: live(served, "two"))
        finally:
            publisher.close()
    assert said[1] == "the server refused a game: 1 games are shown here already"


def test_a_server_that_is_not_there_or_never_answers_keeps_nobody_waiting() -> None:
    game = random_game(parse("go:size=5"), 4, 40)
    import socket

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        port = deaf.getsockname()[1]
        said: list[str] = []
        absent = Publisher(lambda: None, said.append)
        silent = Publisher(lambda: Address(f"http://127.0.0.1:{port}", KEY), said.append)
        begun = time.monotonic()
        for number in range(1000):
            for publisher in (absent, silent):
                publisher.show(f"game {number}", shown(game, title=str(number)))
        assert time.monotonic() - begun < 20
        wait_until(lambda: said)
        absent.close(0.1)
        silent.close(0.1)
    assert said[0] == "no server shows the games at the moment; the games continue"
    # Only the one that waits for the silent server goes on.
    wait_until(lambda: sum(thread.name == "publisher" for thread in threading.enumerate()) <= 1)


def test_a_watcher_at_a_published_game_is_a_client_like_any_other(served: Site) -> None:
    game = random_game(parse("aleago:size=5,dice=1d3"), 4, 12)
    assert tell(served, body(game), "watched-from-many-places-1") == 400  # it ends before a throw
    assert tell(served, body(game, rests(game)[-1]), "watched-from-many-places-1") == 200
    with served.sit("watched-from-many-places-1") as one, served.sit("watched-from-many-places-1") as two:
        two.do("odds")
        assert sum(two.take_one("odds")["odds"].values()) > 0.99
        assert "hints are available only" in one.refused("hint")
