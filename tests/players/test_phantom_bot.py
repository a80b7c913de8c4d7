"""The bot for Go Fantôme, and its use of what it has heard."""

from dataclasses import replace
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai import backend
from gtp_variants.players import bots

QUICK = "phantom:worlds=6,playouts=300"


def table(spec: str, black: str, white: str, number: int = 1) -> gv.Table:
    made = gv.Table(gv.parse(spec), lambda: gv.DiceStream("none"))
    for colour, name in ((gv.BLACK, black), (gv.WHITE, white)):
        made.seat(colour, bots.load(name), f"{number}/{colour}")
    return made


def run(made: gv.Table, most: int = 3000) -> gv.Table:
    while (colour := made.asked()) is not None and len(made.game.events) < most:
        made.answer(colour, made.choose(colour))
    return made


def seated(game: gv.Game, colour: int, name: str = QUICK) -> Any:
    """Return the bot after it has been told everything that the seat of a colour heard."""
    bot = bots.load(name)
    bot.sit(game.rules, colour, "seed")
    for news in game.heard(colour):
        bot.hear(news)
    return bot


def choice(game: gv.Game, colour: int, name: str = QUICK) -> int:
    view = game.rules.view(game.heard(colour), colour)
    return int(seated(game, colour, name).choose(view, gv.Clock()))


@pytest.mark.slow
def test_it_plays_to_the_end_and_wins() -> None:
    for number in (1, 2):
        own, other = (gv.BLACK, gv.WHITE) if number == 1 else (gv.WHITE, gv.BLACK)
        names = {own: QUICK, other: "uniform"}
        made = run(table("phantom:size=5,komi=0", names[gv.BLACK], names[gv.WHITE], number))
        assert made.is_final
        assert made.game.outcome is not None
        assert made.game.outcome.winner == own


@pytest.mark.slow
def test_the_same_seed_gives_the_same_game() -> None:
    games = [run(table("phantom:size=5", QUICK, QUICK, number), 60).game.events for number in (1, 1, 2)]
    assert list(games[0]) == list(games[1]) != list(games[2])


@pytest.mark.slow
def test_both_backends_play_the_same_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """With playouts and a seed, the sampled positions are equal, and so are their searches if these are plain."""
    if backend.search_backend() != "native":
        pytest.skip("the native kernel was not built")
    plain = "phantom:worlds=3,playouts=60,variant=plain"
    native = list(run(table("phantom:size=5", plain, plain), 16).game.events)
    monkeypatch.setenv("GTP_VARIANTS_FORM", "python")
    backend.load_native.cache_clear()
    try:
        assert backend.search_backend() == "python"
        assert list(run(table("phantom:size=5", plain, plain), 16).game.events) == native
    finally:
        backend.load_native.cache_clear()


def test_the_bot_captures_stones_announced_in_atari() -> None:
    """Three white stones, which Black has discovered by tries, have one liberty left."""
    rules = gv.parse("phantom:size=4,komi=0")
    game = gv.Game(rules)
    for vertex in ("B1 A1 A1 B2 A2 A2 B3 A3 A3 D4 D1").split():
        game.play(game.position.mover, rules.board.point(vertex))
    assert game.position.mover == gv.BLACK
    assert choice(game, gv.BLACK, "phantom:worlds=6,playouts=1200") == rules.board.point("A4")


def test_the_bot_tries_no_point_twice_in_a_turn() -> None:
    rules = gv.parse("phantom:size=3")
    game = gv.Game(rules)
    game.play(gv.BLACK, 4)
    tried = set()
    while game.position.mover == gv.WHITE:
        action = choice(game, gv.WHITE)
        assert action not in tried
        tried.add(action)
        game.play(gv.WHITE, action)


def test_the_bot_continues_after_contradictory_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.ai.belief.hypothesis._ATTEMPTS", 2)
    rules = gv.parse("phantom:size=2")
    bot = bots.load(QUICK)
    bot.sit(rules, gv.BLACK, "seed")
    game = gv.Game(rules)
    game.play(gv.BLACK, 0)
    [news] = game.heard(gv.BLACK)
    told = [news, gv.News(gv.WHITE, gv.PASS), news, gv.News(gv.WHITE, gv.PASS)]
    for item in told:
        bot.hear(item)
    view = rules.view(told, gv.BLACK)
    assert bot.choose(view, gv.Clock()) in view.actions


def test_imagining_positions_respects_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock advances whenever it is read. The bot plays a move all the same."""
    looked = 0

    def clock() -> float:
        nonlocal looked
        looked += 1
        return looked / 1000

    game = gv.random_game(gv.parse("phantom:size=7"), 3, 120)
    colour = game.position.mover
    bot = seated(game, colour, "phantom:seconds=0.3,cpu_time=true")
    view = game.rules.view(game.heard(colour), colour)
    shares: list[float] = []
    sample = bot.sample_positions

    def timed(*arguments: Any) -> Any:
        begun = looked
        try:
            return sample(*arguments)
        finally:
            shares.append((looked - begun) / 300)

    bot.sample_positions = timed
    monkeypatch.setattr("time.thread_time", clock)
    for _ in range(2):
        assert bot.choose(view, gv.Clock()) in view.actions
    assert max(shares) < 1, shares
    assert "playable in" in bot.explanation


def test_an_open_game_is_one_position() -> None:
    rules = gv.parse("go:size=3")
    game = gv.Game(rules)
    assert choice(game, gv.BLACK, "phantom:playouts=2000") == rules.board.point("B2")


@pytest.mark.parametrize(
    "given", ["worlds=0", "attempts=0", "playouts=0", "playouts=-1", "seconds=0", "seconds=inf", "seconds=-1"]
)
def test_invalid_parameters_are_rejected(given: str) -> None:
    with pytest.raises(gv.ConfigError, match=given.partition("=")[0]):
        bots.load(f"phantom:{given}")


def test_the_bot_explains_its_move() -> None:
    game = gv.Game(gv.parse("phantom:size=3"))
    bot = seated(game, gv.BLACK)
    bot.choose(game.rules.view([], gv.BLACK), gv.Clock())
    assert "playable in 6 of 6 positions, 1 different" in bot.explanation


@pytest.mark.parametrize(
    ("given", "worlds"),
    [
        ("seconds=0.1", 16),
        ("seconds=1", 64),
        ("seconds=0.001", 4),
        ("seconds=1,worlds=3", 3),
        ("playouts=5", 64),
        ("seconds=0.1,net=none", 64),
    ],
)
def test_few_positions_are_imagined_in_little_time_where_a_network_judges(given: str, worlds: int) -> None:
    rules = gv.parse("phantom:size=9")
    if gv.Thinker(rules, network="auto").network is None:
        pytest.skip("no network plays on this machine")
    asked: list[int] = []

    class Counted(gv.Worlds):
        def __init__(self, rules: gv.Rules, colour: int, count: int, *more: Any) -> None:
            asked.append(count)
            super().__init__(rules, colour, count, *more)

    bot = gv.load_bot(f"phantom:{given}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gv, "Worlds", Counted)
        bot.sit(rules, gv.BLACK, "seed")
    assert asked == [worlds]


def test_a_clock_that_runs_out_leaves_few_positions_to_search() -> None:
    """The bot has no time setting of its own, and is seated before it knows the clock."""
    rules = gv.parse("phantom:size=9")
    if gv.Thinker(rules, network="auto").network is None:
        pytest.skip("no network plays on this machine")
    game = gv.random_game(rules, seed=3, plies=20)
    colour = game.position.to_play
    view = rules.view(game.heard(colour), colour)
    searches = seated(game, colour, "phantom").think(view, gv.SearchLimits(seconds=0.03))
    assert 1 <= len(searches.searched) <= 5


@pytest.mark.parametrize("name", ["phantom", "phantom:seconds=0.5", "phantom:level=10"])
def test_the_tries_of_a_turn_share_its_time_without_a_clock_too(name: str) -> None:
    game = gv.Game(gv.parse("phantom:size=9"))
    bot, view = seated(game, gv.BLACK, name), game.rules.view([], gv.BLACK)
    limits = [bot.limits(replace(view, tried=frozenset(range(tries))), gv.Clock()) for tries in range(6)]
    # At level 10 and by default, six tries once took six times as long as one.
    assert sum(each.seconds for each in limits) < 2 * limits[0].seconds + 0.4
    assert len({each.playouts for each in limits}) == 1
    # A requested number of playouts is used for every try, so that the same seed leads to the same game.
    counted: Any = bots.load("phantom:playouts=50")
    counted.sit(game.rules, gv.BLACK, "seed")
    for tries in (0, 3):
        found = counted.limits(replace(view, tried=frozenset(range(tries))), gv.Clock())
        assert (found.playouts, found.seconds) == (50, 0)


def test_a_count_of_playouts_is_kept_however_short_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("phantom:size=5")
    game = gv.random_game(rules, seed=3, plies=8)
    colour = game.position.to_play
    view = rules.view(game.heard(colour), colour)
    bot = seated(game, colour, "phantom:worlds=24,playouts=48")
    monkeypatch.setattr(bot, "_count_within", lambda seconds: 3)
    searches = bot.think(view, gv.SearchLimits(playouts=48, seconds=60.0))
    assert len(searches.searched) > 3
    assert searches.playouts == len(searches.searched) * (48 // len(searches.searched))


def seen(rules: gv.Rules, plies: int, seed: int = 3) -> tuple[gv.Game, int, gv.View]:
    """Return a random game, the colour to move, and that colour's view."""
    game = gv.random_game(rules, seed=seed, plies=plies)
    colour = game.position.to_play
    return game, colour, rules.view(game.heard(colour), colour)


def test_last_turns_estimates_count_as_much_as_new_ones() -> None:
    rules = gv.parse("phantom:size=5")
    game, colour, view = seen(rules, 8)
    seat = rules.colours.index(colour)
    bot = seated(game, colour)
    bot.choose(view, gv.Clock())
    first = bot.found
    told = seated(game, colour)
    told._thought = view.turn - 2, 0.9
    told.choose(view, gv.Clock())
    assert told.found.values[seat] == pytest.approx((first.values[seat] + 0.9) / 2)
    assert sum(told.found.values) == pytest.approx(1)
    # Hosts show the values of moves, which therefore change as well.
    assert all(told.found.shares[move] > share for move, share in first.shares.items() if 0 < share < 1)
    assert f"value {told.found.values[seat]:.1%}" in told.explanation


def test_each_try_of_a_turn_starts_a_new_estimate() -> None:
    rules = gv.parse("phantom:size=5")
    game, colour, view = seen(rules, 8)
    bot = seated(game, colour)
    bot._thought = view.turn - 2, 0.9
    values = []
    for _ in range(4):
        bot.choose(view, gv.Clock())
        values.append(bot.found.values[rules.colours.index(colour)])
    assert max(values) - min(values) < 0.1
    bot.sit(rules, colour, "seed")
    assert not bot.found
    assert bot._thought is None


def test_the_bot_answers_after_the_end() -> None:
    rules = gv.parse("phantom:size=5")
    game = gv.Game(rules)
    for _ in range(2):
        game.play(game.position.to_play, rules.legal(game.position)[0])
    while not rules.is_over(game.position):
        game.play(game.position.to_play, gv.PASS)
    for colour in rules.colours:
        assert gv.PASS <= choice(game, colour) < len(rules.board)


def test_it_looks_for_its_own_move_though_another_is_to_move() -> None:
    """A host may ask the same side twice, for example with `genmove b` after `play b`."""
    rules = gv.parse("phantom:size=5")
    game, mover, _ = seen(rules, 8)
    colour = 3 - mover
    view = replace(rules.view(game.heard(colour), colour), to_play=colour)
    bot = seated(game, colour)
    searched = bot.think(view, gv.SearchLimits(playouts=60)).searched
    assert {position.to_play for position, _ in searched} == {colour}
