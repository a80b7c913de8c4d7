"""Frequencies of boards that agree with the news, compared with an exact count on 3x3."""

import pickle
from collections import Counter
from random import Random

import pytest

import gtp_variants as gv
from gtp_variants.ai.belief.stone_odds import StoneOdds, enumerate_boards
from gtp_variants.errors import ConfigError
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.views import View

# Games of nine tries in which Black does not see three or four stones that may stand in 6 and 10 ways.
SEEDS = (1, 21)


def heard_by_black(seed: int) -> tuple[HiddenRules, View]:
    rules = gv.parse("phantom:size=3")
    assert isinstance(rules, HiddenRules)
    return rules, rules.view(gv.random_game(rules, seed, plies=9).heard(gv.BLACK), gv.BLACK)


def boards_of_worlds(rules: HiddenRules, view: View, asked: int, seed: int, prior: str) -> list[bytes]:
    worlds = gv.Worlds(rules, gv.BLACK, asked=asked, seed=seed, prior=prior)
    for news in view.news:
        worlds.hear(news)
    return [position.stones for position in worlds.positions()]


def total_variation(exact: dict[bytes, float], found: "Counter[bytes]") -> float:
    count = found.total()
    return sum(abs(exact.get(board, 0) - found[board] / count) for board in {*exact, *found}) / 2


@pytest.mark.parametrize("prior", ["fitted", "uniform"])
@pytest.mark.parametrize("seed", SEEDS)
def test_many_games_and_single_ones_come_up_as_often_as_they_are_likely(seed: int, prior: str) -> None:
    rules, view = heard_by_black(seed)
    exact = enumerate_boards(rules, view, 10**6, prior)
    assert exact
    many: Counter[bytes] = Counter()
    for number in range(8):
        many.update(boards_of_worlds(rules, view, 64, number, prior))
    one = Counter(gv.imagine(rules, view, Random(number), prior).stones for number in range(600))
    # 512 drawn independently are off by 0.03 to 0.05.
    assert total_variation(exact, many) < 0.09
    assert total_variation(exact, one) < 0.09


def heard_of_few_ways() -> tuple[HiddenRules, View]:
    """A game without captures in which the white stones may stand in three ways."""
    rules = gv.parse("phantom:size=3")
    assert isinstance(rules, HiddenRules)
    game = gv.Game(rules)
    for index, vertex in enumerate("C1 B1 B2 A1 B3 C3".split()):
        game.play(rules.colours[index % 2], rules.board.point(vertex))
    return rules, rules.view(game.heard(gv.BLACK), gv.BLACK)


@pytest.mark.parametrize("prior", ["fitted", "uniform"])
@pytest.mark.parametrize("seed", [*SEEDS, None])
def test_a_single_world_comes_up_as_often_as_it_is_likely(seed: int | None, prior: str) -> None:
    rules, view = heard_of_few_ways() if seed is None else heard_by_black(seed)
    exact = enumerate_boards(rules, view, 10**6, prior)
    assert exact
    found: Counter[bytes] = Counter()
    for number in range(600):
        found.update(boards_of_worlds(rules, view, 1, number, prior))
    assert total_variation(exact, found) < 0.07


def test_weights_make_games_of_one_prior_games_of_another() -> None:
    rules, view = heard_by_black(21)
    exact = enumerate_boards(rules, view, 10**6, "uniform")
    assert exact
    worlds = gv.Worlds(rules, gv.BLACK, asked=600, seed=1)
    for news in view.news:
        worlds.hear(news)
    assert worlds.weights("fitted") == pytest.approx([1 / 600] * 600)
    weights = worlds.weights("uniform")
    assert sum(weights) == pytest.approx(1)
    found: Counter[bytes] = Counter()
    for position, weight in zip(worlds.positions(), weights, strict=True):
        found[position.stones] += weight  # type: ignore[assignment]
    plain = Counter(position.stones for position in worlds.positions())
    assert total_variation(exact, found) < 0.12 < total_variation(exact, plain)


def test_an_unknown_prior_is_refused() -> None:
    rules, view = heard_by_black(1)
    with pytest.raises(ConfigError, match="expected fitted or uniform"):
        gv.Worlds(rules, gv.BLACK, prior="flat")
    with pytest.raises(ConfigError, match="expected fitted or uniform"):
        gv.imagine(rules, view, Random(1), "flat")


def test_odds_are_counted_where_few_stones_are_hidden_and_say_how_sure_they_are_elsewhere() -> None:
    rules = gv.parse("phantom:size=5")
    game = gv.Game(rules)
    game.play(gv.BLACK, rules.board.point("C3"))
    game.play(gv.WHITE, rules.board.point("D3"))
    found = StoneOdds().find(rules, rules.view(game.heard(gv.BLACK), gv.BLACK))
    assert found is not None
    assert (found.boards, found.error) == (24, 0.0)
    assert sum(found.chances) == pytest.approx(1)
    game = gv.random_game(rules, seed=5, plies=16)
    view = rules.view(game.heard(gv.BLACK), gv.BLACK)
    found = StoneOdds().find(rules, view)
    assert found is not None
    assert found.boards > 20
    assert 0 < found.error < 0.12
    assert sum(found.chances) == pytest.approx(sum(s == gv.WHITE for s in game.position.stones))


def test_games_are_as_likely_as_a_network_expects_their_stones() -> None:
    """Where one stone is hidden and all games alike, a board is as likely as the odds of its point."""
    rules = gv.parse("phantom:size=3")
    game = gv.Game(rules)
    game.play(gv.BLACK, 4)
    game.play(gv.WHITE, 0)
    chances = [0.5, 0.75, 0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.0]
    worlds = gv.Worlds(rules, gv.BLACK, asked=600, seed=1, prior="uniform")
    for news in game.heard(gv.BLACK):
        worlds.hear(news)
    worlds.expect(chances)
    bounded = [max(chance, 0.01) for chance in chances]
    # A network's odds count to the power of a half.
    odds = [(chance / (1 - chance)) ** 0.5 if point != 4 else 0.0 for point, chance in enumerate(bounded)]
    expected = [each / sum(odds) for each in odds]
    assert worlds.stones() == pytest.approx(expected, abs=0.05)
    worlds.expect([0.5] * 9)
    assert worlds.stones() == pytest.approx([0.0 if point == 4 else 1 / 8 for point in range(9)], abs=0.05)


def test_chances_of_another_board_are_refused() -> None:
    worlds = gv.Worlds(gv.parse("phantom:size=3"), gv.BLACK)
    with pytest.raises(ConfigError, match="chances of 25 points: expected 9"):
        worlds.expect([0.5] * 25)


def one_stone_hidden(asked: int, seed: int = 1) -> gv.Worlds:
    rules = gv.parse("phantom:size=3")
    game = gv.Game(rules)
    game.play(gv.BLACK, 4)
    game.play(gv.WHITE, 0)
    worlds = gv.Worlds(rules, gv.BLACK, asked, seed, prior="uniform")
    for news in game.heard(gv.BLACK):
        worlds.hear(news)
    return worlds


@pytest.mark.parametrize("asked", [1, 2])
def test_every_game_follows_the_expected_chances(asked: int) -> None:
    found = []
    for seed in range(40):
        worlds = one_stone_hidden(asked, seed)
        worlds.positions()
        worlds.expect([0.0] * 8 + [1.0])
        found.append(worlds.stones()[8])
    # Its odds are ten, those of the other seven points a tenth each: 93%.
    assert sum(found) / len(found) > 0.8


@pytest.mark.parametrize("chance", [-0.1, 1.5, float("nan"), float("inf")])
def test_an_invalid_chance_is_rejected_with_its_point(chance: float) -> None:
    worlds = one_stone_hidden(4)
    with pytest.raises(ConfigError, match=r"chance .* of C.: expected 0 to 1"):
        worlds.expect([0.5, 0.5, chance] + [0.5] * 6)


def test_a_copy_expects_the_same() -> None:
    worlds = one_stone_hidden(64)
    worlds.expect([0.0] * 8 + [1.0])
    assert pickle.loads(pickle.dumps(worlds)).stones()[8] > 0.8
