"""A game: its events, undo, replay, and the news for the seats."""

import pickle
from random import Random
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.errors import GameOver, IllegalMove, NotationError, RecordError
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    FORFEIT,
    PASS,
    RED,
    RESIGN,
    RESUME,
    SETTLE,
    SWAP,
    TURN,
    WHITE,
    Event,
    pack,
)
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import News
from tests.boards import setup

# -- playing and taking back -------------------------------------------------------------------------------------------


def test_a_game_begins_empty() -> None:
    game = Game(parse("go:size=5"))
    assert (game.events, game.outcome, len(game.positions)) == ([], None, 1)
    assert game.position == game.rules.start()
    assert repr(game) == f"<Game {game.rules.spec} after 0 events>"


def test_events_and_positions_are_kept() -> None:
    game = Game(parse("go:size=5"))
    assert game.play(BLACK, 12) == Event(BLACK, 12)
    game.play(WHITE, PASS)
    assert game.events == [Event(BLACK, 12), Event(WHITE, PASS)]
    assert len(game.positions) == 3
    assert game.positions[1].stones[12] == BLACK
    assert game.position is game.positions[-1]


def test_a_refused_action_changes_nothing() -> None:
    game = Game(parse("go:size=5"))
    game.play(BLACK, 12)
    before = game.position
    for actor, action in ((WHITE, 12), (BLACK, 3), (WHITE, 25), (WHITE, SWAP), (CHANCE, 0), (RED, 0), (WHITE, -999)):
        with pytest.raises((IllegalMove, NotationError)):
            game.play(actor, action)
    assert game.position is before
    assert len(game.events) == 1


def test_numbers_of_numpy_are_kept_as_numbers() -> None:
    np = pytest.importorskip("numpy")
    game = Game(parse("go:size=5"), {np.int8(0): np.uint8(WHITE)}, np.int8(WHITE))
    game.play(np.int64(WHITE), np.int32(12))
    after = game.rules.play(game.position, np.int32(PASS), np.int64(BLACK))
    numbers = [*game.setup, *game.setup.values(), game.first, game.events[0].actor, game.events[0].action]
    assert after.last is not None
    assert {type(number) for number in (*numbers, after.last.actor, after.last.action, after.mover)} == {int}


@pytest.mark.parametrize("given", [True, 2.0, "A1", None])
def test_only_numbers_are_actions(given: Any) -> None:
    game = Game(parse("go:size=5"))
    with pytest.raises(NotationError, match=f"action '?{given}'?: expected a whole number"):
        game.play(BLACK, given)
    with pytest.raises(NotationError, match=f"action '?{given}'?: expected a whole number"):
        game.rules.play(game.position, given)
    with pytest.raises(NotationError, match=f"actor '?{given}'?: expected a whole number"):
        game.play(given, 12)
    assert game.events == []


def test_undo_takes_back_the_last_event() -> None:
    game = Game(parse("go:size=5"))
    start = game.position
    game.play(BLACK, 12)
    assert game.undo() == Event(BLACK, 12)
    assert game.position is start
    with pytest.raises(GameOver):
        game.undo()


def test_cut_takes_back_everything_after_some_events() -> None:
    game = Game(parse("go:size=5"))
    for action in range(6):
        game.play(game.position.mover, action)
    game.cut(2)
    assert (len(game.events), len(game.positions), game.position.mover) == (2, 3, BLACK)
    game.play(BLACK, 20)


def test_stones_passes_and_swaps_count_as_turns() -> None:
    """gtp.md 4: "refused moves and sides passed over do not count"."""
    game = Game(parse("phantom:size=5"))
    events = [(BLACK, 12), (WHITE, 12), (BLACK, TURN), (BLACK, 3), (WHITE, PASS), (BLACK, RESIGN)]
    for actor, action in events:
        game.play(actor, action)
    assert [game.is_turn(index) for index in range(6)] == [True, False, False, True, True, False]
    assert [game.is_refused(index) for index in range(6)] == [False, True, False, False, False, False]
    assert game.turns() == [Event(BLACK, 12), Event(BLACK, 3), Event(WHITE, PASS)]


def test_a_throw_is_no_turn_and_no_refused_try() -> None:
    game = Game(parse("aleago"))
    game.play(CHANCE, 2)
    assert (game.is_turn(0), game.is_refused(0), game.turns()) == (False, False, [])


# -- replaying ---------------------------------------------------------------------------------------------------------


def test_a_replay_is_the_same_game() -> None:
    game = random_game(parse("phantom:size=5"), seed=2, plies=50)
    again = Game.replay(game.rules, game.events)
    assert again == game
    assert again.positions == game.positions


@pytest.mark.parametrize("spec", ["go", "aleago:size=19", "phantom:size=19", "rosette", "alter-igo:width=19,height=19"])
def test_a_long_game_and_its_position_are_small_to_send(spec: str) -> None:
    played = random_game(parse(spec), seed=1, plies=200)
    position = pickle.dumps(played.position)
    assert len(position) < 4_000
    assert pickle.loads(position) == played.position
    assert pickle.loads(position).history.counts() == played.position.history.counts()
    game = pickle.dumps(played)
    assert len(game) < 8_000
    assert pickle.loads(game) == played
    assert list(pickle.loads(game).positions) == list(played.positions)


def test_a_replay_names_the_event_that_could_not_happen() -> None:
    rules = parse("go:size=5")
    with pytest.raises(RecordError, match="event 3"):
        Game.replay(rules, [Event(BLACK, 0), Event(WHITE, 1), Event(BLACK, 1)])


@pytest.mark.parametrize(
    "event",
    [
        Event(BLACK, 99),
        Event(BLACK, -999),
        Event(RED, RESIGN),
        Event(CHANCE, RESIGN),
        Event(CHANCE, 0),
        Event(7, 0),
        Event(7, TURN),
        Event(BLACK, pack(-5, 0)),
        Event(BLACK, pack(-6, 3)),
        Event(BLACK, pack(PASS, 3)),
        Event(BLACK, pack(RESIGN, 3)),
        Event(BLACK, SETTLE),
        Event(BLACK, RESUME),
        Event(BLACK, SWAP),
    ],
    ids=str,
)
@pytest.mark.parametrize("spec", ["go:size=3", "aleago:size=3", "phantom:size=3", "rosette:n=2"])
def test_a_damaged_record_is_a_record_error(spec: str, event: Event) -> None:
    """design.md: "`RecordError`": nothing else comes out of a record that contradicts itself."""
    rules = parse(spec)
    if spec.startswith("aleago") and event == Event(CHANCE, 0):
        assert Game.replay(rules, [event]).outcome is None
        return
    with pytest.raises(RecordError):
        Game.replay(rules, [event])


def test_games_are_equal_if_their_rules_start_and_events_are() -> None:
    rules = parse("go:size=5")
    assert Game(rules) == Game(parse("go:size=5"))
    assert Game(rules) != Game(parse("go:size=4"))
    assert Game(rules) != Game(rules, {0: BLACK})
    assert Game(rules) != Game(rules, None, WHITE)
    assert Game(rules) == Game(rules, None, BLACK)
    assert Game(rules) != rules
    one, other = Game(rules), Game(rules)
    one.play(BLACK, 0)
    assert one != other
    other.play(BLACK, 0)
    assert one == other


def test_a_replay_of_a_setup() -> None:
    rules = parse("go:size=5")
    game = Game(rules, {12: BLACK}, WHITE)
    game.play(WHITE, 0)
    assert Game.replay(rules, game.events, {12: BLACK}, WHITE) == game
    with pytest.raises(RecordError):
        Game.replay(rules, game.events)


@pytest.mark.parametrize("stones", [{-1: BLACK}, {25: BLACK}, {999: WHITE}, {0: 0}, {0: RED}, {0: 7}], ids=str)
def test_an_invalid_setup_is_a_fault_of_the_words(stones: dict[int, int]) -> None:
    """`Rules.start` raises NotationError, also for points and colours that do not exist."""
    with pytest.raises(NotationError):
        Game(parse("go:size=5"), stones)


@pytest.mark.parametrize("name", GAMES)
def test_a_side_that_does_not_play_cannot_begin(name: str) -> None:
    """`Rules.start` accepts only the colours of the game."""
    for first in (CHANCE, RED, 7):
        with pytest.raises(NotationError):
            Game(parse(name), None, first)


# -- random games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    """python.md: "With fixed playouts, one thread and one seed the same moves come out on every machine"."""
    rules = parse(name)
    one, other = random_game(rules, seed=5, plies=40), random_game(parse(name), seed=5, plies=40)
    assert one == other
    assert random_game(rules, seed=6, plies=40) != one


@pytest.mark.parametrize("plies", [0, 1, 17])
def test_a_random_game_has_at_most_the_given_plies(plies: int) -> None:
    game = random_game(parse("aleago:end_passes=100"), seed=1, plies=plies)
    assert len([event for event in game.events if event.actor != CHANCE]) == plies


def test_a_random_game_takes_numbers_of_numpy() -> None:
    np = pytest.importorskip("numpy")
    rules = parse("go:size=5")
    assert random_game(rules, np.int64(3), np.uint8(20)) == random_game(rules, 3, 20)


@pytest.mark.parametrize("given", [{"seed": "x"}, {"seed": None}, {"seed": 1.5}, {"seed": 1, "plies": "x"}])
def test_random_game_rejects_arguments_that_are_not_numbers(given: Any) -> None:
    with pytest.raises(NotationError, match=rf"^{list(given)[-1]} .*: expected a whole number"):
        random_game(parse("go:size=5"), **given)


def test_refused_tries_are_plies_of_a_random_game() -> None:
    games = [random_game(parse("phantom:size=3"), seed, plies=20) for seed in range(20)]
    assert all(len(game.events) <= 20 for game in games)
    assert any(game.is_refused(index) for game in games for index in range(len(game.events)))


# -- what a seat is told -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in GAMES if name != "phantom"])
def test_every_seat_of_an_open_game_gets_all_news(name: str) -> None:
    game = random_game(parse(name), seed=4, plies=30)
    rules = game.rules
    for colour in rules.colours:
        heard = game.heard(colour)
        assert [(news.actor, news.action, news.after) for news in heard] == [
            (event.actor, event.action, position)
            for event, position in zip(game.events, game.positions[1:], strict=True)
        ]
        view = rules.view(heard, colour)
        assert (view.position, view.stones, view.turn) == (game.position, game.position.stones, game.position.turn)
        assert gv.imagine(rules, view, Random(0)) == game.position


@pytest.mark.parametrize(
    "spec", ["go:size=3", "aleago:size=3,end_passes=50", "rosette:n=2", "alter-igo:size=3", "pentalath:players=3"]
)
def test_captured_stones_are_told_once(spec: str) -> None:
    """`News.captured` belongs to a single event: a throw or a turn passed over removes nothing from the board."""
    rules = parse(spec)
    captures = 0
    for seed in range(8):
        game = random_game(rules, seed, plies=60)
        for colour in rules.colours:
            for news, before, after in zip(game.heard(colour), game.positions, game.positions[1:], strict=False):
                taken = {point for point, there in enumerate(before.stones) if there and not after.stones[point]}
                # In Alter Igo the stone just played may be removed with them.
                own = {news.action} if news.action is not None and not after.stones[max(news.action, 0)] else set()
                assert set(news.captured) - own == taken - own
                captures += len(news.captured)
    assert captures > 0 or spec.startswith("pentalath")


def test_nothing_is_captured_by_a_turn_passed_over() -> None:
    rules = parse("go:size=3")
    game = Game(rules, setup(rules.board, ". X .\nX O .\n. X ."))
    game.play(BLACK, rules.board.point("C2"))
    assert game.heard(WHITE)[-1].captured == (4,)
    game.play(BLACK, TURN)
    assert game.heard(WHITE)[-1].captured == ()


@pytest.mark.parametrize("spec", ["go:size=3", "aleago:size=3", "rosette:n=2", "alter-igo:size=3", "pentalath"])
def test_a_view_of_a_game_that_the_other_side_begins(spec: str) -> None:
    """design.md: a `View` is "from what a seat heard, nothing else", so the seat must be told who begins."""
    rules = parse(spec)
    first = others(rules.colours, rules.start().mover)[0]
    game = Game(rules, None, first)
    for colour in rules.colours:
        view = rules.view(game.heard(colour), colour)
        assert view.to_play == game.position.to_play
        assert view.position == game.position


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=1d3", "rosette:n=2", "alter-igo:size=5"])
def test_a_view_of_a_setup(spec: str) -> None:
    rules = parse(spec)
    game = Game(rules, {3: WHITE, 7: BLACK}, WHITE)
    for colour in rules.colours:
        heard = game.heard(colour)
        assert len(heard) == 1
        assert rules.view(heard, colour).position == game.position


@pytest.mark.parametrize("spec", ["go:size=5", "phantom:size=5"])
@pytest.mark.parametrize("colour", [CHANCE, RED, 7])
def test_nobody_sits_where_nobody_plays(spec: str, colour: int) -> None:
    rules = parse(spec)
    with pytest.raises(NotationError, match=f"colour {colour}: expected one of 1, 2, the colours of this game"):
        rules.view([], colour)
    with pytest.raises(NotationError, match=f"colour {colour}: expected one of 1, 2"):
        Game(rules).heard(colour)


def test_a_view_lists_what_its_seat_may_do() -> None:
    rules = parse("go:size=3")
    game = Game(rules)
    assert rules.view(game.heard(BLACK), BLACK).actions == (*range(9), PASS)
    assert rules.view(game.heard(WHITE), WHITE).actions == ()
    game.play(BLACK, PASS)
    view = rules.view(game.heard(WHITE), WHITE)
    assert (view.to_play, view.passes, view.ends, view.hidden, view.tried) == (WHITE, 1, True, 0, frozenset())


def test_nobody_acts_while_the_dice_are_thrown() -> None:
    rules = parse("aleago:size=3,dice=1d2")
    game = Game(rules)
    view = rules.view(game.heard(BLACK), BLACK)
    assert (view.to_play, view.actions) == (CHANCE, ())
    game.play(CHANCE, 1)
    # On an empty board of nine points, the tengen is not suicide.
    assert rules.view(game.heard(BLACK), BLACK).actions == (4, PASS)


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=1d3", "phantom:size=4", "pentalath:players=3"])
def test_a_watch_knows_at_any_time_what_a_view_would_hold(spec: str) -> None:
    rules = parse(spec)
    game = random_game(rules, seed=9, plies=40)
    for colour in rules.colours:
        watch = rules.watch(colour)
        heard: list[News] = []
        for news in game.heard(colour):
            watch.hear(news)
            heard.append(news)
            assert watch.view() == rules.view(heard, colour)


# -- values ------------------------------------------------------------------------------------------------------------


def test_rules_cannot_be_changed_once_they_are_made() -> None:
    """design.md: "Rules ... immutable, picklable, one per configured game"."""
    rules: Any = parse("go:size=5")
    with pytest.raises(AttributeError, match="cannot be changed: komi"):
        rules.komi = 0
    with pytest.raises(AttributeError, match="cannot be changed: board"):
        del rules.board
    assert len(rules.board) == 25


@pytest.mark.parametrize("action", [RESIGN, FLAG, FORFEIT])
@pytest.mark.parametrize("name", GAMES)
def test_leaving_is_possible_in_every_game_on_any_turn(name: str, action: int) -> None:
    """rules.md [I-7] and gtp.md 4, `variant-resign COLOUR`."""
    rules = parse(name)
    for colour in rules.colours:
        game = Game(rules)
        game.play(colour, action)
        if len(rules.colours) == 2:
            assert game.outcome is not None
            assert game.outcome.winner == others(rules.colours, colour)[0]
            assert rules.actions(game.position) == ()
