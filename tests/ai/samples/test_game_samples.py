"""A game as arrays: what each column holds, in every game."""

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.samples.game_samples import encode_game
from gtp_variants.ai.samples.thought import Thought, find_thought, read_thought
from gtp_variants.rules.actions import RESIGN
from tests.ai.samples.games import make_samples
from tests.support.specs import EACH


@pytest.mark.parametrize("spec", EACH)
def test_every_row_is_what_the_side_to_move_saw(spec: str) -> None:
    rules = gv.parse(spec)
    game, encoder = gv.random_game(rules, 3, 60), gv.Encoder(rules)
    samples = make_samples(spec, 3)
    columns = samples.columns
    assert samples.about["rows"] == len(columns["move"]) == sum(1 for event in game.events if event.actor)
    for row in range(0, len(columns["move"]), 7):
        number = int(columns["move"][row])
        position, event = game.positions[number], game.events[number]
        heard = gv.Game.replay(rules, game.events[:number]).heard(event.actor)
        levels, features = encoder.encode_levels(rules.view(heard, event.actor))
        assert np.array_equal(columns["planes"][row], levels)
        assert np.array_equal(columns["globals"][row], features)
        assert set(encoder.actions[columns["mask"][row]]) == set(rules.actions(position))
        assert (columns["to_play"][row], encoder.actions[columns["index"][row]]) == (event.actor, event.action)
        is_told = bool(number % 2)
        assert bool(columns["visits"][row].any()) == is_told
        assert not is_told or columns["visits"][row].argmax() == columns["index"][row]
        assert np.isnan(columns["values"][row]).any() != is_told


def test_outcomes_and_the_score_of_the_side_to_move() -> None:
    rules = gv.parse("go:size=3,komi=0.5")
    game = gv.Game(rules)
    for action in (4, gv.PASS, gv.PASS):
        game.play(game.position.mover, action)
    columns = encode_game("x", game, dict.fromkeys(range(3)), "B+8.5").columns
    assert columns["outcomes"].tolist() == [[1, 0]] * 3
    assert columns["score"].tolist() == [8.5, -8.5, 8.5]
    for result, outcomes, score in (("0", 0.5, 0.0), ("void", np.nan, np.nan), ("W+R", None, np.nan)):
        columns = encode_game("x", game, dict.fromkeys(range(3)), result).columns
        expected = [0, 1] if outcomes is None else [outcomes] * 2
        assert np.array_equal(columns["outcomes"], [expected] * 3, equal_nan=True)
        assert np.array_equal(columns["score"], [score] * 3, equal_nan=True)


def test_a_resignation_has_index_minus_one_and_an_opening_no_row() -> None:
    rules = gv.parse("go:size=3")
    game = gv.Game(rules)
    game.play(gv.BLACK, 4)
    game.play(gv.WHITE, RESIGN)
    columns = encode_game("x", game, {0: None, 1: None, 7: None}, "B+R").columns
    assert columns["index"].tolist() == [4, -1]
    # An opening is nobody's decision.
    assert encode_game("x", game, {1: None}, "B+R").columns["move"].tolist() == [1]


def test_news_are_what_the_seat_heard_since_its_row_before() -> None:
    rules = gv.parse("phantom:size=5")
    game, board = gv.Game(rules), rules.board
    for vertex in ("C3", "C3", "B3", "D3"):
        game.play(game.position.mover, board.point(vertex))
    news = encode_game("x", game, dict.fromkeys(range(4)), "void").columns["news"].tolist()
    assert news == ["", "b ?", "w refused C3", "b C3\nw refused ?\nw ?"]
    assert "news" not in make_samples("go:size=5", 1).columns


@pytest.mark.parametrize(
    ("visits", "values", "expected"),
    [
        ([(0, 3), (-1, 2)], [0.25, 0.75], Thought({0: 3, -1: 2}, (0.25, 0.75))),
        ([(0, 0), (9, 5), (-2, 1), (0, -1), (1, 2**40), "ab", None, (1, 2, 3)], [], None),
        ([(3, 1)], [0.5], Thought({3: 1})),
        ([], [2.0, -1.0], None),
        ([], [float("nan"), 0.5], None),
        ([], ["x", 0.5], None),
    ],
)
def test_visits_from_a_program_are_validated(visits: list[object], values: list[object], expected: object) -> None:
    assert read_thought(gv.parse("go:size=3"), visits, values) == expected


def test_a_search_result_tells_and_a_broken_one_does_not() -> None:
    class Broken:
        @property
        def visits(self) -> dict[int, int]:
            raise ValueError

    rules = gv.parse("go:size=3")
    found = gv.search(rules, rules.start(), playouts=50, seed=1)
    thought = find_thought(rules, found)
    assert thought is not None
    assert (dict(thought.visits), thought.values) == (
        {move: count for move, count in found.visits.items() if count},
        found.values,
    )
    assert find_thought(rules, Broken()) is find_thought(rules, None) is find_thought(rules, 3) is None
