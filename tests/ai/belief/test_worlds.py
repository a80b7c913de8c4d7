"""Go Fantôme: games that agree with all that a seat heard (`imagine`, `Worlds`)."""

import copy
import itertools
import pickle
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.belief.hypothesis import find_hypothesis
from gtp_variants.ai.belief.observations import ObservationHistory, mask
from gtp_variants.ai.belief.worlds import Worlds
from gtp_variants.base.rng import Rng
from gtp_variants.errors import ConfigError, GameOver, VariantsError
from gtp_variants.players import bots
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    MARK_DEAD,
    PASS,
    RED,
    RESIGN,
    RESUME,
    TURN,
    WHITE,
    Event,
    pack,
)
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.turn_rules import AreaRules
from gtp_variants.rules.views import Announcement, News

SPECS = [
    "phantom:size=5",
    "phantom:size=9",
    "phantom:size=5,atari=all",
    "phantom:size=5,self_atari=new_only",
    "phantom:size=5,impossible=private",
    "phantom:size=4,announce=joined,repetition=psk",
    "phantom:size=4,repetition=none",
    "phantom:size=3,repetition=simple",
    "phantom:size=4,repetition=nssk",
    "phantom:size=7",
    "phantom:size=5,rules=olympiad",
    "phantom:size=4,rules=openspiel",
    "phantom:size=4,captures=owner,atari=all",
    "phantom:size=5,atari=none",
    "phantom:size=4,self_atari=none,refused=shown,impossible=private",
]
SEATS = (BLACK, WHITE)


def history_of(rules: Any, news: list[News], colour: int) -> ObservationHistory:
    """A history in which all of the news was heard."""
    history = ObservationHistory(rules, colour)
    for item in news:
        history.hear(item)
    return history


def sample(rules: Rules, news: list[News], colour: int, seed: int = 0) -> Any:
    return gv.imagine(rules, rules.view(news, colour), Random(seed))


def odd_games() -> Iterator[Game]:
    """Games with handicap, passes, sides passed over, an end that was opened again, dead stones, somebody who left."""
    rules = parse("phantom:size=5")
    yield Game(rules, {0: BLACK, 12: BLACK}, WHITE)
    for spec in ("phantom:size=5", "phantom:size=5,repetition=psk", "phantom:size=5,repetition=none"):
        game = Game(parse(spec))
        for actor, action in ((BLACK, 12), (WHITE, TURN), (WHITE, 0), (BLACK, TURN), (BLACK, 6), (WHITE, TURN)):
            game.play(actor, action)
        yield game
        for leaver, how in ((BLACK, RESIGN), (WHITE, FLAG)):
            left = Game.replay(game.rules, game.events)
            left.play(leaver, how)
            yield left
    game = Game(parse("phantom:size=4,dead=agreed"))
    for vertex in ("A1", "D1", "A2", "D2", "A3", "D3"):
        game.play(game.position.mover, game.rules.board.point(vertex))
    game.play(BLACK, PASS)
    game.play(WHITE, PASS)
    yield game
    for vertex in ("D1", "D3"):
        game = Game.replay(game.rules, game.events)
        game.play(CHANCE, pack(MARK_DEAD, game.rules.board.point(vertex)))
        yield game
    for first in (None, WHITE):
        game = Game(rules, {6: BLACK, 18: BLACK, 7: WHITE} if first else None, first)
        rng = Random(5)
        for turn in range(30):
            mover = game.position.mover
            if turn % 7 == 5:
                game.play(3 - mover, TURN)
            elif turn % 11 in (8, 9):
                game.play(mover, PASS)
            elif turn == 21:
                game.play(mover, RESUME) if rules.is_suspended(game.position) else game.play(mover, PASS)
            else:
                game.play(mover, rng.choice(rules.actions(game.position)))
        yield game


# -- what the news says ------------------------------------------------------------------------------------------------


def heard_elsewhere(rules: Any, before: Any, event: Any, point: int, colour: int) -> News | None:
    """Return the seat's news if the player had acted on another point."""
    try:
        after = rules.play(before, point, event.actor)
    except VariantsError:
        return None
    return rules.hears(before, Event(event.actor, point), after, colour)  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_the_true_game_sounds_right_and_others_do_not(spec: str) -> None:
    """Each piece of news, with the true stones before it and their stone on every point where it may have been put."""
    rules: Any = parse(spec)
    verdicts = set()
    for seed in range(8):
        game = random_game(rules, seed, 60)
        for colour in SEATS:
            history, his, time = history_of(rules, game.heard(colour), colour), [0], 0
            for before, event, after in zip(game.positions, game.events, game.positions[1:], strict=False):
                news = rules.hears(before, event, after, colour)
                if news is None:
                    continue
                # A refused try of theirs is always taken to be on a stone of ours, as long as there is one.
                if time not in history.candidates or history.candidates[time] >> event.action & 1:
                    assert history.mismatch(time, his, event.action)[0] == 0, (seed, colour, time)
                for point in range(len(rules.board)):
                    if history.candidates.get(time, 0) >> point & 1:
                        is_same = heard_elsewhere(rules, before, event, point, colour) == news
                        assert (history.mismatch(time, his, point)[0] == 0) == is_same, (seed, colour, time, point)
                        verdicts.add(is_same)
                his.append(mask(point for point, there in enumerate(after.stones) if there == 3 - colour))
                time += 1
    assert verdicts == {True, False}


# -- one position ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_a_position_is_found_for_every_game(spec: str) -> None:
    rules = parse(spec)
    for seed, plies in enumerate((12, 30, 45)):
        game = random_game(rules, seed, plies)
        for colour in SEATS:
            view = rules.view(game.heard(colour), colour)
            position = gv.imagine(rules, view, Random(seed))
            hidden = [p for p, there in enumerate(position.stones) if there == 3 - colour and not view.stones[p]]
            assert bytes(0 if p in hidden else there for p, there in enumerate(position.stones)) == view.stones
            assert (len(hidden), position.mover, position.turn) == (view.hidden, game.position.mover, view.turn)
            assert position.taken == game.position.taken


@pytest.mark.parametrize("number", [3205, 5480, 6068, 9330])
def test_a_position_is_found_where_a_board_came_again(number: int) -> None:
    """The end of the game was a secret once, and positions were looked for in which it goes on."""
    rng = Random(number)
    rules = parse("phantom:size=4,rules=openspiel")
    game = random_game(rules, rng.getrandbits(32), rng.randint(4, 40))
    assert game.outcome == Outcome(None, "repetition")
    for colour in SEATS:
        view = rules.view(game.heard(colour), colour)
        for seed in range(4):
            position = gv.imagine(rules, view, Random(seed))
            assert rules.outcome(position) == game.outcome


def test_the_same_seed_gives_the_same_position() -> None:
    game = random_game(parse("phantom:size=9"), 1, 40)
    news = game.heard(BLACK)
    assert sample(game.rules, news, BLACK, 7) == sample(game.rules, news, BLACK, 7)
    assert len({sample(game.rules, news, BLACK, seed).stones for seed in range(8)}) > 1


def test_without_news_the_world_is_the_start_position() -> None:
    rules = parse("phantom:size=5")
    assert sample(rules, [], WHITE) == rules.start()
    assert Worlds(rules, WHITE, 3).positions() == [rules.start()] * 3


def contradicting(rules: Rules) -> list[News]:
    """Black plays on the same point twice."""
    game = Game(rules)
    game.play(BLACK, 0)
    [news] = game.heard(BLACK)
    return [news, News(WHITE, PASS), news]


def test_news_that_contradicts_itself_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for a consistent game ends after a fixed number of steps."""
    rules = parse("phantom:size=2")
    monkeypatch.setattr("gtp_variants.ai.belief.hypothesis._ATTEMPTS", 2)
    with pytest.raises(GameOver, match="no position was found that agrees with all the news"):
        sample(rules, contradicting(rules), BLACK)


def test_news_that_no_referee_could_send(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules have the last word: Black moves out of turn."""
    rules = parse("phantom:size=3")
    game = Game(rules)
    game.play(BLACK, 0)
    [news] = game.heard(BLACK)
    monkeypatch.setattr("gtp_variants.ai.belief.hypothesis._ATTEMPTS", 2)
    with pytest.raises(GameOver, match="no position was found"):
        sample(rules, [news, News(BLACK, 4, said=news.said)], BLACK)


def test_looking_ends_when_it_is_enough() -> None:
    rules = parse("phantom:size=2")
    asked: list[bool] = []

    def enough() -> bool:
        asked.append(True)
        return True

    with pytest.raises(GameOver):
        find_hypothesis(history_of(rules, contradicting(rules), BLACK), Rng(0), enough)
    assert len(asked) < 20
    worlds = Worlds(rules, BLACK, 2)
    for item in contradicting(rules):
        worlds.hear(item)
    with pytest.raises(GameOver):
        worlds.positions(enough)
    assert len(asked) < 40


@pytest.mark.parametrize(("seed", "plies"), [(0, 217), (5, 160), (6, 204)])
def test_a_position_of_a_very_dense_game_is_found(seed: int, plies: int) -> None:
    game = random_game(parse("phantom:size=9"), seed, plies)
    for colour in SEATS:
        history = history_of(game.rules, game.heard(colour), colour)
        hypothesis = find_hypothesis(history, Rng(seed))
        assert hypothesis.game().heard(colour) == game.heard(colour)
        assert hypothesis.game().position == hypothesis.position


@pytest.mark.parametrize(("number", "tries"), [(36, 85), (40, 118)])
def test_a_position_is_found_where_every_sentence_is_of_the_whole_board(number: int, tries: int) -> None:
    """`atari=all`, two bots: repaired all at once such hypotheses stay wrong, piece by piece they do not."""
    rules = parse("phantom:size=7,atari=all")
    table = Table(rules, lambda: DiceStream("no dice"))
    for colour in SEATS:
        table.seat(colour, bots.load("greedy"), f"{number}/{colour}")
    while len(table.game.events) < tries:
        table.step()
    for colour in SEATS:
        heard = table.game.heard(colour)
        assert find_hypothesis(history_of(rules, heard, colour), Rng(1)).game().heard(colour) == heard


def test_captured_stones_are_surrounded_in_every_world() -> None:
    """The true game, after each capture of theirs: such points are looked for sooner."""
    rules: Any = parse("phantom:size=5")
    looked_at = 0
    for seed in range(4):
        game = random_game(rules, seed, 60)
        for colour in SEATS:
            history = ObservationHistory(rules, colour)
            for before, event, after in zip(game.positions, game.events, game.positions[1:], strict=False):
                news = rules.hears(before, event, after, colour)
                history.hear(news)
                time = len(history.observations)
                if event.actor != colour and news.captured:
                    around = [point for point, required in enumerate(history.required) if required[-1:] == [time]]
                    assert around
                    assert all(after.stones[point] == 3 - colour for point in around)
                    looked_at += 1
    assert looked_at


def test_a_position_of_a_long_game_on_a_large_board_is_found() -> None:
    game = random_game(parse("phantom:size=13"), 6, 300)
    for colour in SEATS:
        heard = game.heard(colour)
        assert find_hypothesis(history_of(game.rules, heard, colour), Rng(1)).game().heard(colour) == heard


# -- many games, kept as the news comes --------------------------------------------------------------------------------


def expect_consistent(worlds: Worlds, rules: Rules, news: list[News], colour: int) -> None:
    """Check that each game, replayed by the rules, gives the heard news and the returned position."""
    for game, position in zip(worlds.games(), worlds.positions(), strict=True):
        assert game.heard(colour) == news
        assert game.position == position


@pytest.mark.parametrize("spec", SPECS)
def test_every_world_sounds_like_the_game(spec: str) -> None:
    rules = parse(spec)
    for seed in (1, 2):
        game = random_game(rules, seed, 40)
        for colour in SEATS:
            worlds = Worlds(rules, colour, 4, seed)
            news = game.heard(colour)
            for count, item in enumerate(news, 1):
                worlds.hear(item)
                if count % 8 == 0:
                    expect_consistent(worlds, rules, news[:count], colour)
            expect_consistent(worlds, rules, news, colour)


def test_worlds_continue_where_a_private_try_must_have_parted_passes() -> None:
    """Four passes in a row and one refused try of its own are all that Black hears; and the game still goes on."""
    rules = parse("phantom:size=5,impossible=private,in_a_row=tries")
    ours, theirs = rules.board.point("C3"), rules.board.point("D4")
    game, worlds = Game(rules), Worlds(rules, BLACK, 8, 1)
    stones, more = [(BLACK, ours), (WHITE, theirs), (BLACK, PASS)], [(WHITE, ours), (WHITE, PASS), (BLACK, theirs)]
    for actor, action in [*stones, *more, (BLACK, PASS), (WHITE, PASS)]:
        heard = len(game.heard(BLACK))
        game.play(actor, action)
        for news in game.heard(BLACK)[heard:]:
            worlds.hear(news)
        assert worlds.positions()
    assert {(position.passes, position.to_play) for position in worlds.positions()} == {(2, BLACK)}
    for guess in worlds.games():
        assert guess.heard(BLACK) == game.heard(BLACK)
        assert len(guess.events) == len(game.events)


def test_worlds_of_unusual_games() -> None:
    for game in odd_games():
        for colour in SEATS:
            worlds, news = Worlds(game.rules, colour, 4), game.heard(colour)
            for item in news:
                worlds.hear(item)
            expect_consistent(worlds, game.rules, news, colour)


def test_a_copy_of_worlds_has_heard_the_same() -> None:
    game = random_game(parse("phantom:size=5"), 3, 30)
    worlds = Worlds(game.rules, BLACK, 3, 7)
    for news in game.heard(BLACK):
        worlds.hear(news)
    worlds.positions()
    for again in (copy.deepcopy(worlds), pickle.loads(pickle.dumps(worlds))):
        expect_consistent(again, game.rules, game.heard(BLACK), BLACK)


def test_a_callback_may_stop_the_search_or_add_news() -> None:
    """Any answer that is true or false will do, and an error leaves everything as it was."""
    game = random_game(parse("phantom:size=7"), 6, 120)
    *first, last = game.heard(BLACK)
    answers: tuple[Any, ...] = (0, None, "", [])
    for answer in answers:
        worlds = Worlds(game.rules, BLACK, 3)
        for news in first:
            worlds.hear(news)
        worlds.positions(lambda answer=answer: answer)  # type: ignore[misc]
    asked = 0

    def interrupt() -> bool:
        nonlocal asked
        asked += 1
        if asked == 7:
            raise KeyboardInterrupt
        return False

    worlds = Worlds(game.rules, BLACK, 3)
    for news in first:
        worlds.hear(news)
    with pytest.raises(KeyboardInterrupt):
        worlds.positions(interrupt)
    worlds.hear(last)
    expect_consistent(worlds, game.rules, [*first, last], BLACK)


def test_contradictory_news_can_leave_no_near_board() -> None:
    """Black hears that their stones stand where White cannot have left them."""
    rules = parse("phantom:size=2")
    played = (Announcement("played", BLACK),)
    worlds = Worlds(rules, BLACK, 2)
    for point in range(4):
        worlds.hear(News(BLACK, point, said=played))
        worlds.hear(News(WHITE, PASS))
    with pytest.raises(GameOver, match=r"no position agrees with the news: .* has no liberty"):
        worlds.nearest()


def test_a_sample_counts_each_board_once() -> None:
    game = random_game(parse("phantom:size=4"), 3, 8)
    worlds = Worlds(game.rules, BLACK, 30, 1)
    for news in game.heard(BLACK):
        worlds.hear(news)
    sample = worlds.sample()
    counts = [count for _, count in sample]
    assert 1 < len(sample) == worlds.found
    assert sum(counts) == 30
    assert counts == sorted(counts, reverse=True)
    boards = [position.stones for position in worlds.positions()]
    assert all(boards.count(position.stones) == count for position, count in sample)
    assert {position.to_play for position, _ in worlds.sample(WHITE)} == {WHITE}


def test_a_sample_is_looked_for_twice_as_long_before_the_nearest_board_has_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = parse("phantom:size=2")
    worlds = Worlds(rules, BLACK, 2)
    for item in contradicting(rules):
        worlds.hear(item)
    seconds = itertools.count(step=0.001)
    looked: list[float] = []
    positions = worlds.positions

    def look(*arguments: Any) -> Any:
        try:
            return positions(*arguments)
        finally:
            looked.append(next(seconds))

    monkeypatch.setattr(worlds, "positions", look)
    [(nearest, times)] = worlds.sample(WHITE, 1.0, now=partial(next, seconds))
    assert (times, nearest.to_play) == (1, WHITE)
    assert nearest.stones[0] == BLACK
    first, second = looked
    assert (first, second) == pytest.approx((0.4, 0.8), abs=0.01)


def test_a_stopped_sample_returns_the_nearest_board() -> None:
    rules = parse("phantom:size=2")
    worlds = Worlds(rules, BLACK, 2)
    for item in contradicting(rules):
        worlds.hear(item)
    [(nearest, times)] = worlds.sample(WHITE, should_stop=lambda: True)
    assert (times, nearest.to_play, nearest.stones[0]) == (1, WHITE, BLACK)


def test_impossible_news_give_no_sample_or_a_near_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.ai.belief.hypothesis._ATTEMPTS", 2)
    rules = parse("phantom:size=2")
    worlds = Worlds(rules, BLACK, 2)
    for item in contradicting(rules):
        worlds.hear(item)
    with pytest.raises(GameOver):
        worlds.sample()
    [(nearest, count)] = worlds.sample(must_agree=False)
    assert (count, nearest.to_play, nearest.stones[0]) == (1, BLACK, BLACK)


def test_worlds_depend_on_the_seed_only() -> None:
    game = random_game(parse("phantom:size=5"), 3, 30)
    made = []
    for seed in (1, 1, 2):
        worlds = Worlds(game.rules, BLACK, 6, seed)
        for item in game.heard(BLACK):
            worlds.hear(item)
        made.append(list(worlds.positions()))
    assert made[0] == made[1] != made[2]


def test_worlds_in_a_hurry_leave_the_rest_for_later() -> None:
    """Unfinished work is done with the next news, and every result still agrees."""
    rng, late = Random(1), 0
    for seed in range(6):
        game = random_game(parse("phantom:size=5"), seed, 60)
        news, worlds = game.heard(WHITE), Worlds(game.rules, WHITE, 2, seed)
        for count, item in enumerate(news, 1):
            worlds.hear(item)
            left = rng.randrange(4)

            def enough() -> bool:
                nonlocal left
                left -= 1
                return left < 0

            try:
                assert len(worlds.positions(enough)) == 2
            except GameOver:
                late += 1
                continue
            expect_consistent(worlds, game.rules, news[:count], WHITE)
        expect_consistent(worlds, game.rules, news, WHITE)
    assert late


def test_the_nearest_board_is_a_board() -> None:
    """It shows our stones and some of theirs, and every chain has a liberty."""
    for seed in range(20):
        game = random_game(parse("phantom:size=4"), seed, 50)
        for colour in SEATS:
            worlds, view = Worlds(game.rules, colour, 3, seed), game.rules.view(game.heard(colour), colour)
            for item in game.heard(colour):
                worlds.hear(item)
            with suppress(GameOver):
                worlds.positions(lambda: True)
            position = worlds.nearest()
            assert position.mover == colour
            assert [there == colour for there in position.stones] == [there == colour for there in view.stones]
            assert position.stones.count(3 - colour) <= view.hidden
            for point, there in enumerate(position.stones):
                assert not there or liberties(
                    game.rules.board, position.stones, chain(game.rules.board, position.stones, point)
                )


def test_how_many_were_found() -> None:
    rules = parse("phantom:size=3")
    worlds = Worlds(rules, BLACK, 50)
    assert (worlds.found, worlds.asked) == (1, 50)
    game = Game(rules)
    game.play(BLACK, 4)
    game.play(WHITE, 0)
    for item in game.heard(BLACK):
        worlds.hear(item)
    assert worlds.found == 8, "White stands on one of the eight points around"
    assert sum(worlds.stones()) == pytest.approx(1)
    assert worlds.stones()[4] == 0
    assert len(worlds.positions()) == 50


@pytest.mark.parametrize(("spec", "numbers", "why"), [("phantom", (0, 0, 0), "asked=0"), ("go", (5, 0, 1), "hidden")])
def test_invalid_arguments_of_worlds_are_rejected(spec: str, numbers: tuple[int, int, int], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Worlds(parse(spec), BLACK, *numbers)
    with pytest.raises(ConfigError, match="colour=3: expected one of 1, 2"):
        Worlds(parse("phantom"), RED)
    with pytest.raises(ConfigError, match="rules='phantom': expected Rules, as"):
        Worlds("phantom", BLACK)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [1.5, "x", True, None, -1])
def test_an_invalid_number_of_worlds_is_rejected(number: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        Worlds(parse("phantom:size=5"), BLACK, number, attempts=number)
    assert caught.value.faults == (
        f"asked={number!r}: expected a whole number, 1 or more",
        f"attempts={number!r}: expected a whole number, 1 or more",
    )


def consistent(rules: Rules, news: list[News], colour: int) -> set[bytes]:
    """Every board that some game which sounds like the news comes to, by trying everything."""
    positions = {rules.start()}
    for item in news:
        following = set()
        for before in positions:
            for action in rules.actions(before) if item.action is None else (item.action,):
                game = Game(rules)
                game._positions[0] = before
                try:
                    event = game.play(item.actor, action)
                except Exception:
                    continue
                if rules.hears(before, event, game.position, colour) == item:
                    following.add(game.position)
        positions = following
    return {position.stones for position in positions}


@pytest.mark.slow
@pytest.mark.parametrize(("size", "plies"), [(3, 8), (3, 12), (4, 7)])
def test_every_possible_world_is_found(size: int, plies: int) -> None:
    """Nearly every board that agrees with the news comes up, and no other."""
    rules = parse(f"phantom:size={size},impossible=private")
    for seed in range(3):
        game = random_game(rules, seed, plies)
        for colour in SEATS:
            news = game.heard(colour)
            possible = consistent(rules, news, colour)
            rng = Random(seed)
            view = rules.view(news, colour)
            found = {gv.imagine(rules, view, rng).stones for _ in range(12 * len(possible))}
            assert found <= possible
            assert len(found) >= 0.8 * len(possible), (seed, colour, len(found), len(possible))


@pytest.mark.parametrize("spec", ["phantom:size=4,button=true,scoring=territory,handicap_bonus=N", "phantom:size=4"])
def test_a_seat_knows_what_counts_besides_area_and_so_do_its_positions(spec: str) -> None:
    rules = parse(spec)
    assert isinstance(rules, HiddenRules)
    assert isinstance(rules, AreaRules)
    for seed in range(8):
        rng = Random(seed)
        game = Game(rules, {0: 1, 5: 1} if seed % 2 else None, 2 if seed % 2 else None)
        for _ in range(24):
            actions = rules.actions(game.position)
            if not actions:
                break
            game.play(game.position.to_play, actions[-1] if rng.random() < 0.1 else rng.choice(actions))
        for colour in rules.colours:
            view = rules.view(game.heard(colour), colour)
            komi = rules.effective_komi(gv.imagine(rules, view, rng))
            assert komi == rules.heard_komi(view) == rules.effective_komi(game.position)
