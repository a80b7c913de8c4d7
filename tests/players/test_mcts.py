"""The search bot: levels, limits, passes, resignation, and thinking in the opponents' time."""

import threading
import time
from dataclasses import replace
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets import weight_choice
from gtp_variants.bots.mcts import Mcts
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.players import bots
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.levels import DEFAULT_LEVEL, level_of
from gtp_variants.players.table import Table
from gtp_variants.rules.rules import Rules


def seated(spec: str, text: str = "mcts:playouts=60", **setup: Any) -> tuple[Any, Table, Mcts]:
    """Return rules, a table at which the bot plays Black and nobody plays White, and the bot."""
    rules: Any = gv.parse(spec)
    table = Table(rules, lambda: gv.DiceStream("mcts"), **setup)
    bot: Any = bots.load(text)
    table.seat(gv.BLACK, bot, "seed")
    return rules, table, bot


def stones(rules: Any, black: str, white: str) -> dict[int, int]:
    """Return a setup with stones on these vertices."""
    points = {rules.board.point(vertex): gv.BLACK for vertex in black.split()}
    return points | {rules.board.point(vertex): gv.WHITE for vertex in white.split()}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("playouts=-1", "playouts=-1: expected 0 or more"),
        ("memory_mb=0", "memory_mb=0.0: expected 1 or more"),
        ("memory_mb=-3", "memory_mb=-3.0: expected 1 or more"),
        ("threads=0", "threads=0: expected 1 to 1024"),
        ("seconds=nan", "seconds=nan: expected 0 or more"),
        ("level=0", "level=0: expected 1 to 10"),
        ("level=11", "level=11: expected 1 to 10"),
        ("level=3,playouts=5", "level=3: stands for a number of playouts"),
        ("level=strong", "level=strong: expected a whole number"),
        (
            "strength=3",
            "unknown parameter 'strength' of bot Mcts, known: level slips ponder resign contempt net playouts",
        ),
        ("seed=3", "unknown parameter 'seed'"),
        ("draw_value=0.4", "unknown parameter 'draw_value'"),
        ("contempt=0.6", "contempt=0.6: expected 0 to 0.5"),
        ("contempt=-0.1", "contempt=-0.1: expected 0 to 0.5"),
    ],
)
def test_a_wrong_parameter_is_one_clear_error_at_once(given: str, why: str) -> None:
    with pytest.raises((ConfigError, NotationError)) as caught:
        bots.load(f"mcts:{given}")
    assert why in str(caught.value)
    key, _, value = given.partition("=")
    if "," not in given:
        bot = bots.load("mcts")
        before = bots.parameters(bot)
        with pytest.raises((ConfigError, NotationError)) as caught:
            bots.set_parameter(bot, key, value)
        assert why in str(caught.value)
        assert bots.parameters(bot) == before


def test_defaults_suit_the_game() -> None:
    bot: Any = bots.load("mcts:threads=2,rave=false")
    assert bot.settings() == {"threads": 2, "rave": False}
    assert all(value is None for key, value in bots.parameters(bots.load("mcts")).items() if key in gv.SETTINGS)


def test_how_long_it_thinks() -> None:
    rules, table, bot = seated("go:size=9", "mcts")
    view = table.view(gv.BLACK)
    clock = Clock.full(TimeControl("absolute", 60))
    unlimited = bot.limits(view, NO_LIMIT)
    assert (unlimited.playouts, unlimited.seconds) == (0, 1.0), "about a second, as at the level that says so"
    assert level_of(rules, DEFAULT_LEVEL).seconds == 1.0
    on_clock = bot.limits(view, clock)
    assert on_clock.playouts == 0, "the clock is used"
    assert on_clock.stop_early, "what is left of it is kept"
    in_period = Clock(TimeControl("byoyomi", 0, 6, periods=1), 6, 1)
    assert not bot.limits(view, in_period).stop_early, "what is left of a period is not kept"
    decided = replace(view, choices=lambda: (gv.PASS,))
    assert bot.limits(decided, in_period).stop_early, "there is nothing to think about"
    assert 0 < on_clock.seconds <= on_clock.most_seconds < 5
    for text, wanted in {
        "mcts:playouts=50": (50, 0.0),
        "mcts:seconds=0.5": (0, 0.5),
        "mcts:playouts=50,seconds=0.5": (50, 0.5),
        "mcts:level=3,net=none": (level_of(rules, 3).playouts, 1.0),
        "mcts:level=10": (0, 5.0),
        "mcts:level=3,net=none,seconds=2": (level_of(rules, 3).playouts, 2.0),
    }.items():
        other: Any = bots.load(text)
        other.sit(rules, gv.BLACK, "seed")
        limits = other.limits(view, NO_LIMIT)
        assert (limits.playouts, limits.seconds) == wanted
        assert limits.stop_early is bool(limits.playouts), "seconds of a move are not kept for another"
        assert other.limits(view, clock).seconds <= on_clock.seconds


def test_a_slip_is_a_move_of_greedy() -> None:
    """A bot that always slips plays the moves of `greedy`; a bot that never slips searches."""
    _, table, bot = seated("go:size=5", "mcts:playouts=40,slips=1")
    assert bot.choose(table.view(gv.BLACK), NO_LIMIT) >= 0
    assert bot.found is None
    bot.slips = 0.0
    bot.choose(table.view(gv.BLACK), NO_LIMIT)
    assert bot.found is not None


GAMES = ["go:size=5", "aleago:size=5,dice=1d3", "alter-igo:size=4", "pentalath:board=hexhex5", "rosette:n=2"]


def whole_game(spec: str, text: str) -> list[gv.Event]:
    """Return the events of a game of the bot against itself."""
    table = Table(gv.parse(spec), lambda: gv.DiceStream("same"))
    for colour in table.rules.colours:
        table.seat(colour, bots.load(text), f"seed {colour}")
    while table.asked() is not None and len(table.game.events) < 120:
        table.step()
    return list(table.game.events)


@pytest.mark.parametrize("spec", GAMES)
def test_the_same_seeds_give_the_same_game(spec: str) -> None:
    assert whole_game(spec, "mcts:playouts=60") == whole_game(spec, "mcts:playouts=60")


@pytest.mark.slow
@pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built")
@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("text", ["mcts:playouts=40", "mcts:level=1", "mcts:playouts=40,stop_early=false,expand_at=1"])
def test_both_backends_play_the_same_game(spec: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text += ",variant=plain"
    native = whole_game(spec, text)
    monkeypatch.setattr("gtp_variants.ai.mcts.tree_search.search_backend", lambda rules: "python")
    assert whole_game(spec, text) == native


# -- passing -----------------------------------------------------------------------------------------------------------


def test_the_bot_captures_stones_that_decide_the_count() -> None:
    """Every stone counts as alive: Black is behind until the dead stones are captured, and must not agree to end."""
    rules: Any = gv.parse("go:size=5,komi=2.5")
    # Black owns everything to the left of the white wall; three white stones inside have one liberty.
    setup = stones(rules, "C1 C2 C3 C4 C5 B4 A4", "D1 D2 D3 D4 D5 A1 A2 B1")
    table = Table(rules, gv.DiceStream, setup, gv.WHITE)
    table.play(gv.WHITE, gv.PASS)
    assert rules.standing(table.position).winner == gv.WHITE
    bot: Any = bots.load("mcts:playouts=3000,resign=false")
    table.seat(gv.BLACK, bot, "captures")
    while True:
        chosen = bot.choose(table.view(gv.BLACK), NO_LIMIT)
        table.play(gv.BLACK, chosen)
        if chosen == gv.PASS:
            break
        table.play(gv.WHITE, gv.PASS)
        assert len(table.game.events) < 60
    assert rules.standing(table.position).winner == gv.BLACK


@pytest.mark.parametrize(
    "net",
    [
        "none",
        pytest.param(
            str(weight_choice.FOLDER / f"go{weight_choice.SUFFIX}"),
            marks=pytest.mark.skipif(search_backend() == "python", reason="the native kernel was not built"),
            id="the package's",
        ),
    ],
)
def test_the_bot_captures_dead_stones_in_a_won_count(net: str) -> None:
    """A pass would lose two points for the white stone at D3, which cannot live."""
    rules: Any = gv.parse("go:size=9,komi=-30")
    black, white = (" ".join(f"{column}{row}" for column in "ABCDEFGHJ") for row in (5, 6))
    setup = stones(rules, f"{black} B4 D4 F4", f"{white} B7 D7 F7 D3")
    table = Table(rules, gv.DiceStream, setup, gv.WHITE)
    table.play(gv.WHITE, gv.PASS)
    assert rules.standing(table.position).winner == gv.BLACK
    bot: Any = bots.load(f"mcts:playouts=300,resign=false,net={net}")
    table.seat(gv.BLACK, bot, "gains")
    while (chosen := bot.choose(table.view(gv.BLACK), NO_LIMIT)) != gv.PASS:
        table.play(gv.BLACK, chosen)
        table.play(gv.WHITE, gv.PASS)
        assert len(table.game.events) < 60
    assert not table.position.stones[rules.board.point("D3")]


def test_the_bot_accepts_a_won_count() -> None:
    """Every region has an owner: another stone would gain nothing, although it would do no harm."""
    rules: Any = gv.parse("go:size=5,komi=0.5")
    black = "A3 B3 C3 D3 E3 A2 B2 C2 D2 E2 A5 C5 D5 E5 A4 B4 D4"
    table = Table(rules, gv.DiceStream, stones(rules, black, ""), gv.WHITE)
    table.play(gv.WHITE, gv.PASS)
    bot: Any = bots.load("mcts:playouts=500")
    table.seat(gv.BLACK, bot, "pass")
    assert bot.choose(table.view(gv.BLACK), NO_LIMIT) == gv.PASS


def test_in_aleago_it_passes_second_only_if_no_line_has_a_point_it_wants() -> None:
    """rules.md, A-6."""
    watched = 0
    for seed in range(4):
        rules: Any = gv.parse("aleago:size=5,dice=1d3")
        dice = gv.DiceStream(f"second {seed}")
        table = Table(rules, lambda dice=dice: dice)  # type: ignore[misc]
        for colour in rules.colours:
            table.seat(colour, bots.load("mcts:playouts=40,resign=false"), f"{seed} {colour}")
        while table.asked() is not None and len(table.game.events) < 300:
            before = table.position
            event = table.step()
            if event.action != gv.PASS or before.passes == 0 or not rules.open_points(before):
                continue
            watched += 1
            legal = rules.legal_points(before)
            assert all(gv.is_eye(rules.board, before.stones, point, event.actor) for point in legal)
    assert watched


# -- resigning ---------------------------------------------------------------------------------------------------------


def lost_game(text: str) -> tuple[Table, Any]:
    """Return a table and a bot for a game of Go in which White owns the board and Black is to move."""
    rules: Any = gv.parse("go:size=7")
    white = "D1 D2 D3 D4 D5 D6 D7 B2 B4 B6 F2 F4 F6 E4 C4"
    table = Table(rules, gv.DiceStream, stones(rules, "A7", white), gv.BLACK)
    bot: Any = bots.load(text)
    table.seat(gv.BLACK, bot, "lost")
    return table, bot


def test_the_bot_resigns_after_three_hopeless_turns() -> None:
    table, bot = lost_game("mcts:playouts=200")
    chosen = []
    for _ in range(3):
        chosen.append(bot.choose(table.view(gv.BLACK), NO_LIMIT))
        if chosen[-1] == gv.RESIGN:
            break
        table.play(gv.BLACK, chosen[-1])
        table.play(gv.WHITE, gv.PASS)
    assert len(chosen) == 3
    assert chosen[-1] == gv.RESIGN


def test_calibration_does_not_affect_resignation() -> None:
    table, bot = lost_game("mcts:playouts=200,calibration=0.1")
    assert [bot.choose(table.view(gv.BLACK), NO_LIMIT) for _ in range(3)][-1] == gv.RESIGN
    # Being behind is not a lost game, however high the reported certainty is.
    rules: Any = gv.parse("go:size=9,komi=0.5")
    table = Table(rules, gv.DiceStream, stones(rules, "C3 E3 G3 C5 G5 E7 G7", "E5 C7 D4 F6"), gv.WHITE)
    bot = bots.load("mcts:playouts=200,calibration=50")
    table.seat(gv.WHITE, bot, "behind")
    assert gv.RESIGN not in [bot.choose(table.view(gv.WHITE), NO_LIMIT) for _ in range(4)]


def test_the_bot_never_resigns_with_resign_false() -> None:
    table, bot = lost_game("mcts:playouts=200,resign=false")
    for _ in range(5):
        chosen = bot.choose(table.view(gv.BLACK), NO_LIMIT)
        assert chosen != gv.RESIGN
        table.play(gv.BLACK, chosen)
        table.play(gv.WHITE, gv.PASS)
        if table.is_final or table.suspended:
            break


def test_an_end_that_can_be_opened_again_is_not_given_up() -> None:
    table, bot = lost_game("mcts:playouts=200")
    table.play(gv.BLACK, gv.PASS)
    table.play(gv.WHITE, gv.PASS)
    for _ in range(4):
        assert bot.choose(table.view(gv.BLACK), NO_LIMIT) != gv.RESIGN


def test_an_empty_board_is_not_given_up() -> None:
    rules: Any = gv.parse("go:size=9,komi=80")
    table = Table(rules, gv.DiceStream)
    bot: Any = bots.load("mcts:playouts=60")
    table.seat(gv.BLACK, bot, "komi")
    for _ in range(5):
        assert bot.choose(table.view(gv.BLACK), NO_LIMIT) != gv.RESIGN


def change_profile(monkeypatch: pytest.MonkeyPatch, rules: Rules, **changes: Any) -> None:
    """Change a game's profile for one test."""
    monkeypatch.setattr(type(rules), "profile", replace(rules.profile, **changes))


def test_a_game_says_itself_when_a_bot_gives_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    table, bot = lost_game("mcts:playouts=200")
    change_profile(monkeypatch, table.rules, resign_turns=2)
    assert [bot.choose(table.view(gv.BLACK), NO_LIMIT) == gv.RESIGN for _ in range(2)] == [False, True]
    table, bot = lost_game("mcts:playouts=200")
    # Nothing is proved in a game that is decided by a score.
    change_profile(monkeypatch, table.rules, resign_threshold=None)
    assert gv.RESIGN not in [bot.choose(table.view(gv.BLACK), NO_LIMIT) for _ in range(4)]


def test_a_game_says_itself_how_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With twice as many turns to come, each gets half as much time."""
    rules, table, bot = seated("go:size=19", "mcts")
    view, clock = table.view(gv.BLACK), Clock.full(TimeControl("absolute", 1800))
    before_s = bot.limits(view, clock).seconds
    change_profile(monkeypatch, rules, expected_turns_a_point=2 * rules.profile.expected_turns_a_point)
    assert bot.limits(view, clock).seconds == pytest.approx(before_s / 2, rel=0.01)


# -- the others' time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=1d3", "alter-igo:size=4", "pentalath"])
def test_the_bot_ponders_only_on_the_opponents_time(spec: str) -> None:
    rules, table, bot = seated(spec, "mcts:playouts=30,ponder=true,resign=false")
    assert bot._thinker is None
    # After more stones a win may be proved, and there would be nothing left to think about.
    for _ in range(2):
        table.play(gv.BLACK, table.choose(gv.BLACK))
        assert bot._thinker is not None
        assert bot._thinker.is_pondering or rules.is_final(table.position) or search_backend() == "python"
        table.play(gv.WHITE, rules.legal(table.position)[0])
        assert not bot._thinker.is_pondering
        if rules.is_final(table.position):
            return
    bot.leave(None)
    assert bot._thinker is None


def test_among_three_it_thinks_until_it_is_its_turn_again() -> None:
    rules, table, bot = seated("pentalath:board=hexhex5,players=3", "mcts:playouts=30,ponder=true")
    assert rules.colours == (gv.WHITE, gv.BLACK, gv.RED)
    thinks = []
    for colour in (gv.WHITE, gv.BLACK, gv.RED, gv.WHITE):
        move = table.choose(gv.BLACK) if colour == gv.BLACK else rules.legal(table.position)[0]
        table.play(colour, move)
        thinks.append(bot._thinker is not None and bot._thinker.is_pondering)
    assert thinks == [False, True, True, False]
    bot.leave(None)


def test_without_being_asked_it_does_not_think_on() -> None:
    _, table, bot = seated("go:size=5", "mcts:playouts=30")
    table.play(gv.BLACK, table.choose(gv.BLACK))
    assert bot._thinker is not None
    assert not bot._thinker.is_pondering


def test_pondering_ends_at_undo_or_a_new_game() -> None:
    threads = set(threading.enumerate())
    rules, table, bot = seated("go:size=9", "mcts:playouts=30,ponder=true")
    table.play(gv.BLACK, table.choose(gv.BLACK))
    thinker = bot._thinker
    assert thinker is not None
    bot.sit(rules, gv.BLACK, "again")
    assert not thinker.is_pondering
    table.seat(gv.BLACK, bot, "again")
    table.undo()
    table.seat(gv.BLACK, bot, "again")
    table.play(gv.BLACK, table.choose(gv.BLACK))
    del bot, thinker
    # An undo drops the players without dismissing them.
    table.undo()
    for left in set(threading.enumerate()) - threads:
        left.join(60)
        assert not left.is_alive()
    before = time.process_time()
    time.sleep(0.1)
    assert time.process_time() - before < 0.08


# -- the clock ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    "control",
    [
        TimeControl("absolute", 3),
        TimeControl("canadian", 0.5, 1, 8),
        TimeControl("byoyomi", 0.5, 0.5, periods=2),
        TimeControl("fischer", 1, increment_s=0.1),
    ],
)
def test_the_bot_does_not_lose_on_time(control: TimeControl) -> None:
    """The clock is real, as at a table. The machine may be busy, so that only gross faults are detected."""
    rules, table, _ = seated("aleago:size=5,dice=1d3", "mcts:resign=false")
    clock = Clock.full(control)
    for _ in range(25):
        table.clocks[gv.BLACK] = clock
        begun = time.monotonic()
        action = table.choose(gv.BLACK)
        spent = time.monotonic() - begun
        clock = clock.after(spent)
        assert clock.left_s > 0
        if rules.is_final(table.position) or table.suspended:
            break
        table.play(gv.BLACK, action)
        if table.suspended or rules.is_final(table.position):
            break
        allowed = rules.legal(table.position)
        table.play(gv.WHITE, allowed[len(allowed) // 2])
