"""Go Fantôme keeps its secrets: whole games that differ only in what is hidden, and all that crossed each socket."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random

import pytest

from gtp_variants.players.seat_views import news_of
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE, Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.page_games import PageLimits
from tests.support.specs import two_quick
from tests.web.serving import Client, Site, site

SPECS = [
    "phantom:size=5",
    "phantom:size=5,announce=joined,atari=all,lang=fr",
    "phantom:size=5,impossible=private,self_atari=new_only,dead=agreed",
    "phantom:size=5,captures=owner,refused=shown",
]


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site(limits=PageLimits(pause_s=0, rate_hz=10_000, burst=10_000)) as running:
        yield running


def heard(rules: Rules, game: Game, action: int, colour: int) -> News | None:
    """What a colour would hear if the side to move did this."""
    before = game.position
    event = Event(before.mover, action)
    return rules.hears(before, event, rules.play(before, action), colour)


def twins(rules: Rules, colour: int, seed: int, plies: int = 70) -> tuple[Game, Game]:
    """Two games of random tries in which a colour hears exactly the same, though the others' stones differ."""
    rng, first, second = Random(seed), Game(rules), Game(rules)
    for _ in range(plies):
        mover = first.position.mover
        if mover == colour:
            tries = [
                action
                for action in rules.actions(first.position)
                if action in rules.actions(second.position)
                and heard(rules, first, action, colour) == heard(rules, second, action, colour)
                and action != PASS
            ]
            action = other = rng.choice(tries or [PASS])
        else:
            action = rng.choice(rules.actions(first.position)[:-1] or [PASS])
            said = heard(rules, first, action, colour)
            fitting = [a for a in rules.actions(second.position) if heard(rules, second, a, colour) == said]
            if not fitting:
                action = other = PASS
            else:
                other = rng.choice([a for a in fitting if a != action] or fitting)
        first.play(mover, action)
        second.play(mover, other)
        if rules.is_over(first.position):
            # A stone opens the game again; nobody agrees yet.
            break
    while not rules.is_over(first.position):
        for game in (first, second):
            game.play(game.position.mover, PASS)
    return first, second


def played(served: Site, game: Game) -> dict[str, Client]:
    """The game played on the server; what came to Black, White and somebody who watches.

    A message comes to those who hear something, and to nobody else.
    """
    rules = game.rules
    name, seats = served.begin(rules.spec)
    with ExitStack() as stack:
        ends = {letter: stack.enter_context(served.sit(name, seats[letter])) for letter in ("b", "w")}
        ends["watching"] = stack.enter_context(served.sit(name))
        for index, event in enumerate(game.events):
            word = {"do": "pass"} if event.action == PASS else {"do": "play", "at": rules.board.vertex(event.action)}
            ends[COLOUR_LETTERS[event.actor]].line.send(json.dumps(word))
            heard_by = {COLOUR_LETTERS[c]: news_of(game, index, c) is not None for c in (BLACK, WHITE)}
            heard_by["watching"] = all(heard_by.values())
            for who in (who for who, hears in heard_by.items() if hears):
                assert ends[who].take_one("news")["news"]
    assert served.ask(f"/api/games/{name}/record.sgf").status == 400
    for end in ends.values():
        for who in (each for each in map(json.loads, end.came) if each["type"] == "who"):
            assert set(who) == {"type", "seats", "watching", "kept", "lost"}
        # Who is there is told when it happens to be, and again with the news.
        end.came = [text.replace(name, "GAME") for text in end.came if not text.startswith('{"type": "who"')]
    return ends


@pytest.mark.parametrize("spec", two_quick(SPECS))
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_nothing_crosses_a_socket_that_depends_on_what_its_seat_may_not_know(
    served: Site, spec: str, colour: int
) -> None:
    rules = parse(spec)
    first, second = twins(rules, colour, seed=1)
    assert first.heard(colour) == second.heard(colour)
    assert first.position.stones != second.position.stones
    ours, theirs = played(served, first), played(served, second)
    letter = COLOUR_LETTERS[colour]
    assert ours[letter].came == theirs[letter].came
    assert ours["watching"].came == theirs["watching"].came
    # The other seat heard something else, so the comparison is one.
    other = "w" if letter == "b" else "b"
    assert ours[other].came != theirs[other].came
    for end in (ours[letter], ours["watching"]):
        assert end.state["suspended"]
        assert end.state["result"] is None


def test_those_who_watch_see_no_stone_and_no_point_before_the_end(served: Site) -> None:
    game, _ = twins(parse("phantom:size=5"), BLACK, 3)
    watcher = played(served, game)["watching"]
    captured = {vertex for item in watcher.news for vertex in item["captured"]}
    assert {item["at"] for item in watcher.news} == {None}
    assert all(item["put"] == {} for item in watcher.news)
    assert any(item["said"] for item in watcher.news)
    named = {vertex for vertex in game.rules.board.vertices if any(f'"{vertex}"' in text for text in watcher.came)}
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


def test_who_comes_just_before_a_private_refusal_is_told_no_sooner_for_it() -> None:
    with site(limits=PageLimits(pause_s=0, meeting_s=1.0)) as served:
        name, seats = served.begin("phantom:size=5,impossible=private")
        with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
            black.do("play", at="C3")
            white.until("turn", 2)
            black.until("turn", 2)
            black.take_one("who")
            with served.sit(name):
                white.do("play", at="C3")
                white.take_one("news")
                told = black.take()
                assert (told["type"], told["watching"]) == ("who", 1)


def test_what_was_taken_is_shown_to_its_owner_alone(served: Site) -> None:
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
        white.do("dead", at="A1")
        black.until("dead", ["A1"])
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


def test_nothing_is_taken_back_where_something_was_learned(served: Site) -> None:
    name, seats = served.begin("phantom:size=5")
    with served.sit(name, seats["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 2)
        assert black.refused("undo")


def test_a_bot_keeps_the_turn_after_a_refused_try(served: Site) -> None:
    bot = {"kind": "bot", "bot": "greedy"}
    name, seats = served.begin("phantom:size=5", seats={"w": bot})
    with served.sit(name, seats["b"]) as black:
        tried = Random(5)
        while not any(item["refused"] and item["actor"] == "w" for item in black.news):
            black.until("asked", "b") if black.state["asked"] != "b" else None
            black.do("play", at=tried.choice([word for word in black.state["legal"] if word != "pass"]))
            count = len(black.news)
            while len(black.news) == count:
                black.take()
        refused = next(item for item in black.news if item["refused"] and item["actor"] == "w")
        assert refused["at"] is None
