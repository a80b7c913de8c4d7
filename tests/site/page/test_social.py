"""Interaction of people in a game: chat, draws, rematches, clocks, handicap, names."""

import json
import time

import pytest

from gtp_variants.records.json import from_json
from gtp_variants.records.notation import write_game
from gtp_variants.site.page.chat import Chat
from tests.site.page.serving import Client, Json, Site, site
from tests.site.page.twins import expect_silence


@pytest.fixture(scope="module")
def served() -> Site:  # type: ignore[misc]
    with site() as running:
        yield running


def people(*names: str) -> Json:
    return {letter: {"kind": "person", "name": name} for letter, name in zip("bw", names, strict=False)}


def lines_of(end: Client) -> list[Json]:
    return list(end.take_one("chat")["lines"])


def test_players_and_watchers_have_separate_chat_rooms(served: Site) -> None:
    game, seats = served.begin("go:size=5", seats=people("Ann", "Bob"))
    with served.sit(game, seats["b"]) as ann, served.sit(game, seats["w"]) as bob, served.dial() as line:
        line.send(json.dumps({"join": game, "name": "Cleo"}))
        cleo = Client(line)
        while "Cleo" not in (who := bob.take_one("who"))["watchers"]:
            pass
        assert who["watchers"] == ["Cleo"]
        cleo.do("chat", text="D3 is better")
        assert lines_of(cleo)[0]["room"] == "watchers"
        ann.do("chat", text=" have\tfun\n ")
        assert lines_of(bob) == [{"room": "players", "colour": "b", "name": "Ann", "text": "have fun"}]
        # Who watches reads both rooms, also later; who plays reads the other one at the end.
        with served.sit(game) as later:
            assert [each["text"] for each in lines_of(later)] == ["D3 is better", "have fun"]
        with served.sit(game, seats["b"]) as again:
            assert [each["text"] for each in lines_of(again)] == ["have fun"]
        bob.do("resign")
        assert [each["text"] for each in lines_of(bob)] == ["D3 is better", "have fun"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 201, 5, None, ["a"]])
def test_invalid_chat_lines_are_refused(served: Site, text: object) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black:
        assert "200 letters" in black.refused("chat", text=text)


def test_nobody_writes_in_a_hidden_game_before_its_end(served: Site) -> None:
    game, seats = served.begin("phantom:size=5")
    with served.sit(game, seats["b"]) as black, served.sit(game) as watcher:
        for end in (black, watcher):
            assert "hidden game is over" in end.refused("chat", text="C3?")
        black.do("resign")
        black.until("final", True)
        black.do("chat", text="thanks")
        assert lines_of(watcher)[0]["text"] == "thanks"


def test_the_host_may_want_no_chat(served: Site) -> None:
    game, seats = served.begin("go:size=5", chat=False)
    with served.sit(game, seats["b"]) as black:
        assert black.whole["chat"] is False
        assert "no chat" in black.refused("chat", text="hello")


def test_a_chat_keeps_its_last_lines_only() -> None:
    chat = Chat()
    for number in range(300):
        chat.say("b", "", str(number))
    assert [line.text for line in chat.lines_for(is_seated=True, is_over=False)] == [str(n) for n in range(100, 300)]


def test_a_draw_is_agreed_on_in_one_turn(served: Site) -> None:
    game, seats = served.begin("pentalath")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        assert black.state["draws"]
        black.do("draw")
        white.take_one("news")
        assert white.state["wish"]["what"] == "draw"
        white.do("refuse")
        while black.state["declined"] is None:
            black.take()
        assert black.state["declined"] == {"what": "draw", "by": "w"}
        black.do("draw")
        while not white.state["wish"]:
            white.take()
        # A stone lies between: what was offered before it is no offer any more.
        white.do("play", at="A1")
        black.until("turn", 2)
        assert black.state["wish"] is None
        white.do("draw")
        while not black.state["wish"]:
            black.take()
        assert not black.state["final"]
        black.do("allow")
        white.until("final", True)
        assert (white.state["result"], white.state["reason"]) == ("0", "a draw by agreement")
        assert "RE[0]" in served.ask(f"/api/games/{game}/record.sgf").body.decode()


@pytest.mark.parametrize(("spec", "more"), [("go:size=5", {}), ("pentalath", {"w": {"kind": "bot", "bot": "greedy"}})])
def test_no_draw_is_offered_where_there_is_none_or_to_a_bot(served: Site, spec: str, more: Json) -> None:
    game, seats = served.begin(spec, seats=more)
    with served.sit(game, seats["b"]) as black:
        assert not black.state["draws"]
        assert "draw" in black.refused("draw")


def test_a_match_of_two_games_is_agreed_on_and_its_winner_is_told(served: Site) -> None:
    game, seats = served.begin("alter-igo:size=3", seats=people("Ann", "Bob"))
    with served.sit(game, seats["b"]) as ann, served.sit(game, seats["w"]) as bob, served.sit(game) as watcher:
        assert ann.state["agreements"] == ["white_passes", "match"]
        ann.do("agree", words="match 2 black_moves")
        bob.take_one("news")
        wish = {"colour": "b", "what": "agree", "words": "match 2 black_moves", "agreed": ["b"], "asked": ["w"]}
        assert bob.state["wish"] == wish
        assert watcher.until("wish", wish)
        bob.do("allow")
        ann.until("agreements", ["white_passes"])
        ann.do("agree", words="white_passes 2")
        bob.until("wish", wish | {"words": "white_passes 2"})
        bob.do("allow")
        # Each begins the game anew, so everybody receives it whole.
        watcher.take_one("game")
        assert "white_passes=2" in watcher.take_one("game")["spec"]
        assert "not possible now" in ann.refused("agree", words="white_passes 3")
        for turn, (who, vertex) in enumerate(((ann, "A1"), (bob, "B3"), (ann, "C1")), 1):
            who.until("turn", turn)
            who.do("play", at=vertex)
        bob.until("turn", 4)
        bob.do("resign")
        assert ann.until("final", True)["match"].startswith("This was the first of two games.")
        ann.do("again")
        bob.do("again")
        new = watcher.take_one("again")["game"]
    with served.sit(new, seats["b"]) as white, served.sit(new, seats["w"]) as black:
        assert white.whole["news"][0]["text"].startswith("game 2 of a match of two games")
        black.do("play", at="B2")
        white.until("turn", 2)
        white.do("resign")
        assert black.until("final", True)["match"] == (
            "Both won as Black. Black of this game won in fewer moves, and so wins the match."
        )
    record = from_json(served.ask(f"/api/games/{game}/record.json").body.decode())
    assert write_game(record.game)[:2] == [("b", "match 1/2 black_moves"), ("b", "white_passes 2")]
    assert record.game.outcome is not None
    assert record.game.outcome.sgf == "B+R"


def test_a_single_die_against_a_bot_is_agreed_on_at_once(served: Site) -> None:
    seats = {"w": {"kind": "bot", "bot": "uniform"}}
    game, links = served.begin("aleago:size=5,dice=2d3", seats=seats)
    with served.sit(game, links["b"]) as black:
        black.do("agree", words="set_dice 1d3")
        assert black.until("coming_dice", "1d3")["wish"] is None
        black.do("play", at=black.state["legal"][0])
        black.until("turn", 3)
        assert len(black.state["draw"]["drawn"]) == 1
    record = from_json(served.ask(f"/api/games/{game}/record.json").body.decode())
    assert ("w", "set_dice 1d3") in write_game(record.game)


def test_the_same_game_once_more_has_the_colours_swapped(served: Site) -> None:
    clock = {"kind": "byoyomi", "main_s": 60, "period_s": 10, "periods": 3}
    game, seats = served.begin("go:size=5", seats=people("Ann", "Bob"), clock=clock)
    with served.sit(game, seats["b"]) as ann, served.sit(game, seats["w"]) as bob, served.sit(game) as watcher:
        assert "after the game is over" in ann.refused("again")
        assert "after the game is over" in watcher.refused("again")
        ann.do("resign")
        for end in (ann, bob, watcher):
            end.until("final", True)
        ann.do("again")
        while bob.take_one("who")["again"] != ["b"]:
            pass
        bob.do("again")
        told = {name: end.take_one("again") for name, end in (("ann", ann), ("bob", bob), ("watcher", watcher))}
        new = told["ann"]["game"]
        assert {each["game"] for each in told.values()} == {new}
        with served.sit(new, seats["b"]) as white, served.sit(new, seats["w"]) as black, served.sit(new) as stranger:
            assert (white.whole["you"], black.whole["you"], stranger.whole["you"]) == ("w", "b", None)
            assert white.whole["seats"]["b"]["name"] == "Bob"
            assert white.state["control"]["kind"] == "byoyomi"


def test_a_game_from_a_set_up_position_is_played_again_from_it(served: Site) -> None:
    opened = served.ask("/api/records", b"(;GM[1]SZ[5]AB[aa]AW[bb][cc];B[dd])").json["game"]
    made = served.ask("/api/games", {"from": opened, "at": 1}).json
    with served.sit(made["game"], made["seats"]["b"]) as black:
        black.do("resign")
        black.until("final", True)
        black.do("again")
        with served.sit(black.take_one("again")["game"]) as watcher:
            assert watcher.whole["setup"] == {"A5": "b", "B4": "w", "C3": "w"}
            assert watcher.state["asked"] == "b"


def test_a_player_who_left_gets_no_rematch(served: Site) -> None:
    game, seats = served.begin("go:size=5")
    with served.sit(game, seats["b"]) as black:
        black.do("resign")
        black.until("final", True)
        with served.sit(game, seats["w"]) as white:
            white.do("again")
            while black.take_one("who")["again"] != ["w"]:
                pass
        while black.take_one("who")["again"]:
            pass


def test_against_a_bot_the_next_game_begins_at_once(served: Site) -> None:
    game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "uniform"}})
    with served.sit(game, seats["b"]) as black:
        black.do("resign")
        black.until("final", True)
        black.do("again")
        with served.sit(black.take_one("again")["game"], seats["b"]) as white:
            assert white.whole["you"] == "w"


def test_a_game_is_played_once_more_only_once(served: Site) -> None:
    """Nobody shows the word that begins games, so that this must not fill the server."""
    game, seats = served.begin("go:size=5", seats={"w": {"kind": "bot", "bot": "uniform"}})
    with served.sit(game, seats["b"]) as black:
        black.do("resign")
        black.until("final", True)
        black.do("again")
        first = black.take_one("again")
        black.do("again")
        assert black.take_one("again") == first
    with served.sit(game, seats["b"]) as black:
        black.do("again")
        assert black.take_one("again") == first


def test_an_offer_of_a_draw_does_not_come_back_with_its_turn(served: Site) -> None:
    game, seats = served.begin("pentalath")
    with served.sit(game, seats["w"]) as white, served.sit(game, seats["b"]) as black:
        white.do("draw")
        while not black.state["wish"]:
            black.take()
        white.do("play", at="A1")
        black.until("turn", 2)
        white.do("undo")
        while not black.state["wish"]:
            black.take()
        black.do("allow")
        white.until("turn", 1)
        assert white.state["wish"] is None
        assert not white.state["final"]


def test_a_private_try_does_not_end_what_all_see_of_a_refused_draw(served: Site) -> None:
    game, seats = served.begin("phantom:size=5,komi=7,impossible=private")
    with served.sit(game, seats["b"]) as black, served.sit(game, seats["w"]) as white:
        black.do("play", at="A1")
        white.until("turn", 2)
        white.do("play", at="C3")
        black.until("turn", 3)
        black.do("draw")
        while not white.state["wish"]:
            white.take()
        white.do("refuse")
        while black.state["declined"] is None:
            black.take()
        white.until("declined", {"what": "draw", "by": "w"})
        black.do("play", at="C3")
        assert black.take_one("news")
        expect_silence(white, "a private try")
        assert white.state["declined"] == {"what": "draw", "by": "w"}


DAY_S = 86_400


CLOCKS: list[Json] = [
    {"main_s": 60, "increment_s": 3},
    {"kind": "fischer", "main_s": 7 * DAY_S, "increment_s": DAY_S},
    {"kind": "absolute", "main_s": 60},
    {"kind": "canadian", "main_s": 0, "period_s": 600, "stones": 25},
    {"kind": "byoyomi", "main_s": 0, "period_s": 3 * DAY_S, "periods": 1},
]
NO_CLOCKS: list[object] = [
    {"kind": "hourglass", "main_s": 60},
    {"kind": "byoyomi", "main_s": 60},
    {"kind": "byoyomi", "main_s": 60, "period_s": 1, "periods": 0},
    {"kind": "byoyomi", "main_s": 60, "period_s": 1, "periods": 2.7},
    {"kind": "absolute", "main_s": 60, "increment_s": 1},
    {"kind": ["fischer"], "main_s": 1, "increment_s": 1},
    {"main_s": True, "increment_s": 1},
    {"main_s": 29 * DAY_S, "increment_s": 0},
    {"kind": "canadian", "main_s": 1, "period_s": "5", "stones": 1},
    5,
    [],
]


@pytest.mark.parametrize("clock", CLOCKS)
def test_every_kind_of_clock_runs(served: Site, clock: Json) -> None:
    game, seats = served.begin("go:size=5", clock=clock)
    with served.sit(game, seats["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 2)
        assert black.state["control"]["kind"] == clock.get("kind", "fischer")
        assert black.state["running"]
        full = clock["main_s"] or clock["period_s"]
        assert full - 5 <= black.state["clocks"]["w"] <= full
        assert black.state["periods"]["w"] == (0 if clock["main_s"] else clock.get("periods", clock.get("stones", 0)))


@pytest.mark.slow
def test_a_player_in_byoyomi_loses_only_when_the_last_period_is_over() -> None:
    with site() as served:
        clock = {"kind": "byoyomi", "main_s": 1, "period_s": 1, "periods": 2}
        game, seats = served.begin("go:size=5", clock=clock)
        with served.sit(game, seats["b"]) as black:
            begun_s = time.monotonic()
            black.do("play", at="C3")
            black.until("final", True)
            # One second of main time, two of periods.
            assert time.monotonic() - begun_s > 2.5
            assert black.state["result"] == "B+T"


@pytest.mark.parametrize("clock", NO_CLOCKS)
def test_invalid_clocks_are_refused(served: Site, clock: object) -> None:
    assert served.ask("/api/games", {"spec": "go", "clock": clock}).status == 400


def test_handicap_stones_stand_and_white_begins(served: Site) -> None:
    for spec, count in (("go:size=9", 4), ("rosette:n=4", 3), ("aleago:size=9,dice=1d4", 2)):
        game, seats = served.begin(spec, handicap=count)
        with served.sit(game, seats["b"]) as black:
            assert list(black.state["stones"].values()) == ["b"] * count
            assert black.state["asked"] == "w"
        assert f"HA[{count}]" in served.ask(f"/api/games/{game}/record.sgf").body.decode()
    for asked in (
        {"spec": "pentalath", "handicap": 2},
        {"spec": "go:size=5", "handicap": 1},
        {"spec": "go", "handicap": "4"},
    ):
        assert served.ask("/api/games", asked).status == 400


def test_the_picture_of_a_game_is_one(served: Site) -> None:
    answer = served.ask("/api/picture?spec=rosette")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.body.startswith(b"<svg")
    assert served.ask("/api/picture?spec=nonsense").status == 400
