"""The built-in bots, and the seat class that they share."""

from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.bots.greedy import Greedy
from gtp_variants.bots.uniform import Uniform
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.rules.boards.chains import is_eye


def test_a_bot_knows_that_somebody_else_begins() -> None:
    rules = gv.parse("go:size=5")
    game = gv.Game(rules, {}, gv.WHITE)
    assert rules.view(game.heard(gv.WHITE), gv.WHITE).actions


SPECS = (
    "go:size=7",
    "aleago:size=9,dice=1d4",
    "aleago:size=9,dice=2d4,crystal_ball=true,free_player=w",
    "aleago:size=7,dice=1d4,agreement=false",
    "phantom:size=5",
    "phantom:size=5,impossible=private",
    "rosette:n=2",
    "alter-igo:size=5",
    "alter-igo:size=4,white_passes=3",
    "pentalath",
    "pentalath:players=3",
    "pentalath:board=hexhex5,swap=true,no_move=pass",
)


def played(spec: str, bots: list[gv.Player], seed: str) -> gv.Game:
    """Return a complete game between bots, one for each colour."""
    rules = gv.parse(spec)
    table = gv.Table(rules, lambda: gv.DiceStream(seed))
    for colour, bot in zip(rules.colours, bots, strict=True):
        table.seat(colour, bot, f"{seed} {colour}")
    for _ in range(20_000):
        if table.asked() is None:
            return table.game
        table.step()
    raise AssertionError(f"{spec}: no end after 20,000 actions")


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("first", [Uniform, Greedy])
def test_bots_play_every_game_to_its_end(spec: str, first: type[gv.Seat]) -> None:
    others = [Greedy(), Uniform()]
    bots: list[gv.Player] = [first(), *others][: len(gv.parse(spec).colours)]
    game = played(spec, bots, "end")
    assert game.outcome is not None
    assert gv.Game.replay(game.rules, game.events) == game


def test_the_same_seeds_give_the_same_game() -> None:
    games = [played("aleago:size=7,dice=1d4", [Greedy(), Uniform()], "same") for _ in range(2)]
    assert games[0] == games[1]


@pytest.mark.parametrize("spec", ["go:size=7", "rosette:n=2", "phantom:size=5"])
@pytest.mark.parametrize("bot", [Uniform, Greedy])
def test_no_bot_fills_an_eye_of_its_own(spec: str, bot: type[gv.Seat]) -> None:
    for seed in range(5):
        game = played(spec, [bot(), bot()], f"eyes {seed}")
        for before, event in zip(game.positions, game.events, strict=False):
            if event.actor != gv.CHANCE and event.action >= 0:
                assert not is_eye(game.rules.board, before.stones, event.action, event.actor)


@pytest.mark.parametrize("bot", [Uniform, Greedy])
def test_a_bot_passes_second_only_if_no_line_has_a_point_it_wants(bot: type[gv.Seat]) -> None:
    """rules.md, A-6: "only if no line of the board has a point it would want"."""
    watched = 0
    for seed in range(8):
        game = played("aleago:size=9,dice=1d4", [bot(), bot()], f"second {seed}")
        rules: Any = game.rules
        for before, event in zip(game.positions, game.events, strict=False):
            if event.action != gv.PASS or before.passes == 0 or not rules.open_points(before):
                continue
            watched += 1
            legal = rules.legal_points(before)
            assert all(is_eye(game.rules.board, before.stones, point, event.actor) for point in legal)
    assert watched


def test_a_bot_resigns_where_every_stone_loses() -> None:
    """On a board of one point in Alter Igo, the first stone is the only one removed, and so loses."""
    rules = gv.parse("alter-igo:size=1")
    bot = Uniform()
    bot.sit(rules, gv.BLACK, "lost")
    assert bot.choose(rules.view([], gv.BLACK), NO_LIMIT) == gv.RESIGN


def test_greedy_takes_makes_five_and_blocks() -> None:
    rules = gv.parse("pentalath")
    board = rules.board
    four = {board.point(f"{column}4"): gv.WHITE for column in "BCDE"}
    apart = {board.point(vertex): gv.BLACK for vertex in ("A1", "C1", "E1", "G1")}
    for colour in (gv.WHITE, gv.BLACK):
        game = gv.Game(rules, {**four, **apart}, colour)
        bot = Greedy()
        bot.sit(rules, colour, "five")
        chosen = bot.choose(rules.view(game.heard(colour), colour), NO_LIMIT)
        assert board.vertex(chosen) in ("A4", "F4")
    go = gv.parse("go:size=5")
    setup = {go.board.point("A1"): gv.WHITE, go.board.point("A2"): gv.BLACK}
    game = gv.Game(go, setup, gv.BLACK)
    taker = Greedy()
    taker.sit(go, gv.BLACK, "take")
    assert go.board.vertex(taker.choose(go.view(game.heard(gv.BLACK), gv.BLACK), NO_LIMIT)) == "B1"


class TwentyLines:
    """A bot written from scratch: it needs only `sit`, `hear`, `choose` and `leave`."""

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        self.heard: list[gv.News] = []

    def hear(self, news: gv.News) -> None:
        self.heard.append(news)

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        assert len(view.news) == len(self.heard)
        untried = [action for action in view.actions if action not in view.tried]
        return untried[0]

    def leave(self, outcome: gv.Outcome | None) -> None:
        pass


def test_a_seat_skips_points_its_host_excludes() -> None:
    rules = gv.parse("go:size=3")
    bot = Uniform()
    bot.sit(rules, gv.BLACK, "x")
    view = rules.view([], gv.BLACK)
    assert bot.points(view) == list(range(9))
    bot.avoided = [gv.AvoidedMove(gv.BLACK, 4, 1), gv.AvoidedMove(gv.WHITE, 3, 1)]
    assert bot.points(view) == [0, 1, 2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize("spec", ["aleago:size=5,dice=1d4", "phantom:size=3", "alter-igo:size=3", "pentalath"])
def test_any_object_with_four_methods_is_a_player(spec: str) -> None:
    game = played(spec, [TwentyLines(), Uniform()], "own")
    assert game.outcome is not None


def test_a_seat_of_a_hidden_game_is_told_no_stone_of_the_other() -> None:
    rules = gv.parse("phantom:size=5")
    table = gv.Table(rules, gv.DiceStream)
    spy = TwentyLines()
    table.seat(gv.BLACK, spy, "spy")
    table.play(gv.BLACK, 0)
    table.play(gv.WHITE, 12)
    assert spy.heard[1].action is None
    assert spy.heard[1].after is None
    assert table.view(gv.BLACK).position is None
    assert table.view(gv.BLACK).stones[12] == gv.EMPTY
    assert table.view(gv.BLACK).hidden == 1
