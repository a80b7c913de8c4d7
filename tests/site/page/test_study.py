"""Variations of games that are over: who may try what, what comes of it, the files it is taken away in."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.records.drawing import svg
from gtp_variants.records.drawing.drawing_model import Picture
from gtp_variants.records.drawing.svg import animate
from gtp_variants.records.record import verify
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.records.sgf.variations import read_remarks
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.actions import CHANCE, RESIGN, Event
from gtp_variants.rules.game import Game, random_game
from gtp_variants.site.page.advice import Branch, analysis, copy_game, play_branch
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_game import new_game
from tests.site.page.serving import Client, Json, Site, site

UNIFORM = {"kind": "bot", "bot": "uniform"}


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site(limits=PageLimits(pause_s=0, rate_hz=1000, burst=1000)) as running:
        yield running


def played(spec: str, plies: int) -> Game:
    """A game of random moves that was given up."""
    game = random_game(parse(spec), 3, plies)
    while game.position.to_play == CHANCE or game.outcome is not None:
        game.cut(len(game.events) - 1)
    game.play(game.position.mover, RESIGN)
    return game


def try_out(client: Client, at: int, plays: list[str], events: list[list[int]] | None = None) -> Json:
    client.do("branch", at=at, events=events or [], plays=plays)
    return client.take_one("branch")


@pytest.mark.parametrize("name", GAMES)
def test_something_else_is_tried_at_a_moment_of_any_game(served: Site, name: str) -> None:
    game = played(game_class(name).profile.small_spec, 10)
    at = next(i for i in range(5, len(game.events)) if game.positions[i].to_play != CHANCE)
    rules, position = game.rules, game.positions[at]
    point = next(action for action in rules.actions(position) if action >= 0 and action != game.events[at].action)
    with served.sit(served.show(game)) as watcher:
        first = try_out(watcher, at, [rules.board.vertex(point)])
        assert first["at"] == at
        assert first["events"][0] == [position.mover, point]
        assert len(first["news"]) == len(first["events"])
        assert first["news"][0]["at"] == rules.board.vertex(point)
        # The dice of the next turn have fallen, and the same fall again.
        assert try_out(watcher, at, [rules.board.vertex(point)]) == first
        after = Game.replay(rules, [*game.events[:at]], game.setup, game.first)
        for actor, action in first["events"]:
            after.play(actor, action)
        assert after.position.to_play != CHANCE
        more = next((action for action in rules.actions(after.position) if action >= 0), None)
        if more is not None:
            second = try_out(watcher, at, [rules.board.vertex(more)], first["events"])
            assert second["events"][: len(first["events"])] == first["events"]
            assert second["news"][: len(first["news"])] == first["news"]


def test_illegal_variation_moves_are_refused_with_a_sentence(served: Site) -> None:
    game = played("go:size=5", 6)
    stone = game.rules.board.vertex(next(e.action for e in game.events if e.action >= 0))
    with served.sit(served.show(game)) as watcher:
        assert stone in watcher.refused("branch", at=2, plays=[stone])
        assert "not on this board" in watcher.refused("branch", at=2, plays=["Z9"])
        wrong: list[Json] = [
            {"at": -1},
            {"at": 10**6},
            {"at": True},
            {"at": None},
            {"at": 1, "events": {}},
            {"at": 1, "events": [[1]]},
            {"at": 1, "events": [["b", 3]]},
            {"at": 1, "events": [[7, 3]]},
            {"at": 1, "events": [[1, 10**30]]},
            {"at": 1, "events": [[2, 3]] * 401},
            {"at": 1, "plays": "C3"},
            {"at": 1, "plays": ["C3"] * 100},
            {"at": 1, "plays": [3]},
            {"at": 1, "plays": ["x" * 99]},
        ]
        for asked in wrong:
            assert watcher.refused("branch", **asked)


@pytest.mark.parametrize("spec", ["go:size=5", "phantom:size=5"])
def test_nobody_tries_anything_of_a_game_that_people_play(served: Site, spec: str) -> None:
    name, seats = served.begin(spec, seats={"w": UNIFORM})
    with served.sit(name, seats["b"]) as black, served.sit(name) as watcher:
        for end in (black, watcher):
            assert "analysed when it is over" in end.refused("branch", at=0, plays=["C3"])
        answer = served.ask(f"/api/games/{name}/record.sgf", {"branches": []})
        assert answer.status == (200 if parse(spec).is_open else 400)


def test_a_variation_is_analysed_as_a_moment_is(served: Site) -> None:
    with served.sit(served.show(played("go:size=5", 6))) as watcher:
        tried = try_out(watcher, 4, ["A1"]) if "A1" else {}
        watcher.do("analysis", at=4, events=tried["events"])
        found = watcher.take_one("analysis")
        assert (found["at"], found["events"]) == (4, tried["events"])
        best = found["moves"][0]
        # How play goes on begins with the move, and the sides take turns.
        assert best["line"][0][1] == best["at"]
        assert [colour for colour, _ in best["line"]] == [("w", "b")[i % 2] for i in range(len(best["line"]))]
        assert "event" in watcher.refused("analysis", at=4, events=[[1, 2], [1, 2]])


def test_variations_are_saved_beside_the_game(served: Site) -> None:
    game = played("aleago:size=5,dice=1d3", 8)
    at = next(i for i in range(5, len(game.events)) if game.positions[i].to_play != CHANCE)
    with served.sit(name := served.show(game)) as watcher:
        lines = [try_out(watcher, at, ["pass"]), try_out(watcher, 1, ["pass", "pass"])]
    branches = [{"at": line["at"], "events": line["events"]} for line in lines]
    answer = served.ask(f"/api/games/{name}/record.sgf", {"branches": branches})
    assert answer.status == 200
    assert answer.headers["content-disposition"].endswith('.sgf"')
    text = answer.body.decode()
    assert from_sgf(text).game == game
    assert len(read_remarks(text, game.rules.board)[1]) == 2
    # The server keeps none of it.
    assert "(;" not in served.ask(f"/api/games/{name}/record.sgf").body.decode()[2:]
    for wrong in ({}, {"branches": 3}, {"branches": [3]}, {"branches": [{"at": 99}]}, {"branches": [{"at": 0}] * 101}):
        assert served.ask(f"/api/games/{name}/record.sgf", wrong).status == 400


def test_a_file_in_another_encoding_is_given_back_as_what_it_is_sent_in(served: Site) -> None:
    name = served.ask("/api/records", "(;CA[gb18030]SZ[9]PB[棋];B[aa])".encode("gb18030")).json["game"]
    assert served.ask(f"/api/games/{name}/record.sgf").body.decode() == "(;CA[UTF-8]SZ[9]PB[棋]\n;B[aa])\n"


def test_a_variation_is_played_on(served: Site) -> None:
    game = played("aleago:size=5,dice=1d3", 8)
    with served.sit(name := served.show(game)) as watcher:
        tried = try_out(watcher, 1, ["pass"])
    made = served.ask("/api/games", {"from": name, "at": 1, "events": tried["events"]})
    assert made.status == 201
    with served.sit(made.json["game"], made.json["seats"]["b"]) as black:
        assert black.state["turn"] == 2
        assert [item["kind"] for item in black.news] == ["draw", "pass", "draw"]
    for events in ([[2, 0]], [[1, 99]], "x", [[0, 0]] * 3):
        assert served.ask("/api/games", {"from": name, "at": 1, "events": events}).status == 400


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_taken_away_as_a_picture_that_moves(served: Site, name: str) -> None:
    answer = served.ask(f"/api/games/{served.show(played(game_class(name).profile.small_spec, 12))}/animation.svg")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "<animate" in answer.body.decode()


def test_each_stone_of_a_long_game_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game, drawn = Game(parse("go:size=5")), 0
    stones = svg._stones

    def count(frame: svg.BoardFrame, shown: Picture) -> Iterable[str]:
        nonlocal drawn
        drawn += 1
        return stones(frame, shown)

    monkeypatch.setattr(svg, "_stones", count)
    for number in range(20):
        game.play(game.position.mover, number)
    animate(game)
    assert drawn == 20


def test_variations_are_played_on_a_copy() -> None:
    game = random_game(parse("aleago:size=5"), 3, 20)
    copy, events = copy_game(game), list(game.events)
    tried = play_branch(game, Branch(len(events) - 2))
    assert tried == Game.replay(game.rules, events[:-2], game.setup, game.first)
    assert list(tried.turns()) == list(Game.replay(game.rules, events[:-2], game.setup, game.first).turns())
    game.cut(4)
    assert list(copy.events) == events
    assert copy == Game.replay(game.rules, events, game.setup, game.first)
    with pytest.raises(RecordError, match="event 5"):
        play_branch(game, Branch(4, (Event(CHANCE, 10_000),)))


def test_a_throw_that_falls_here_is_checked_in_a_game_that_is_played_on_from_before_it() -> None:
    game = random_game(parse("aleago:size=5"), 3, 6)
    while game.position.to_play != CHANCE:
        game.cut(len(game.events) - 1)
    turn = game.position.turn
    seats = {"b": {"kind": "person"}, "w": {"kind": "person"}}
    before, _ = new_game({"seats": seats}, Opponents(), "~ann", game)
    assert before.hosted.table.position.to_play != CHANCE
    assert before.hosted.record.told == frozenset(range(1, turn))
    checked = replace(before.hosted.record, game=before.hosted.table.game)
    assert verify(checked).ok
    after, _ = new_game({"seats": seats}, Opponents(), "~ann", before.hosted.table.game)
    assert after.hosted.record.told == frozenset(range(1, turn + 1))


def test_a_hidden_game_in_progress_has_no_picture(served: Site) -> None:
    name, _ = served.begin("phantom:size=5")
    assert served.ask(f"/api/games/{name}/animation.svg").status == 400


def test_how_much_each_seat_had_heard_is_told_when_the_game_is_over(served: Site) -> None:
    game = Game(parse("phantom:size=5"))
    for vertex in ("C3", "C3", "A1", "D4"):
        game.play(game.position.mover, game.rules.board.point(vertex))
    game.play(game.position.mover, RESIGN)
    with served.sit(served.show(game)) as watcher:
        whole = watcher.whole
        for colour, heard in whole["heard_at"].items():
            assert len(heard) == len(whole["news"])
            assert heard == sorted(heard)
            assert heard[-1] == len(whole["heard"][colour])


@pytest.mark.slow
def test_luck_of_throws_and_loss_of_moves_are_separated() -> None:
    """Before a throw the mean of all throws counts, so that throws give nothing on the whole."""
    rules = parse("aleago:size=5,dice=1d3")
    start = rules.start()
    assert start.to_play == CHANCE
    mean = analysis(rules, start)["worth"]
    worths = [analysis(rules, rules.play(start, action))["worth"] for action in rules.actions(start)]
    odds = rules.odds(start)
    after = sum(worth * odd for worth, odd in zip(worths, odds, strict=True))
    assert 0 < mean < 1
    assert abs(mean - after) < 0.15
    # The first colour's share all the same where the other side moves.
    assert 0 <= analysis(rules, rules.play(rules.play(start, 0), 0))["worth"] <= 1
