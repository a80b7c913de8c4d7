"""Positions as text: `print` shows the board, and one line of text reads back exactly."""

import copy
import json
import pickle

import pytest

import gtp_variants as gv
from gtp_variants.rules.position import Position
from tests.support.specs import SMALL


@pytest.mark.parametrize("spec", SMALL)
def test_every_position_of_a_game_reads_back_from_one_line(spec: str) -> None:
    game = gv.random_game(gv.parse(spec), seed=1)
    for position in [*game.positions[:40], game.position]:
        text = gv.write_position(position)
        assert text.isascii()
        assert "\n" not in text
        again = gv.read_position(game.rules, text)
        assert again == position
        assert type(again) is type(position)
        assert game.rules.actions(again) == game.rules.actions(position)
        assert str(again) == str(position)


def test_a_position_read_back_knows_the_boards_seen_before() -> None:
    rules = gv.parse("go:size=5")
    game = gv.Game(rules)
    for vertex in ("B1", "C1", "A2", "D2", "B3", "C3", "E5", "B2", "C2"):
        game.play(game.position.mover, rules.board.point(vertex))
    again = gv.read_position(rules, gv.write_position(game.position))
    with pytest.raises(gv.IllegalMove, match="repetition"):
        rules.play(again, rules.board.point("B2"))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"stones": "b"}, "a position of 1 points"),
        ({"stones": "?" * 9}, "tuple.index"),
        ({"stones": None}, "NoneType"),
        ({"mover": 3}, "colour 3"),
        ({"mover": True}, "True is not of type int"),
        ({"colour": 1}, "colour"),
        ({"last": [1]}, "zip"),
        ({"history": "eA=="}, "Error -5"),
    ],
)
def test_a_text_that_is_not_a_position_is_rejected(changes: dict[str, object], fault: str) -> None:
    rules = gv.parse("go:size=3")
    text = json.dumps({**json.loads(gv.write_position(rules.start())), **changes})
    with pytest.raises(gv.NotationError, match=r"expected a position of go:size=3, got .*") as caught:
        gv.read_position(rules, text)
    assert fault in str(caught.value)
    with pytest.raises(gv.NotationError):
        gv.read_position(rules, text[:-2])


@pytest.mark.parametrize("spec", SMALL)
def test_a_printed_position_shows_the_board_that_a_diagram_shows(spec: str) -> None:
    game = gv.random_game(gv.parse(spec), seed=1, plies=8)
    shown = str(game.position)
    assert shown.count("X") == game.position.stones.count(gv.BLACK)
    assert shown.splitlines()[0] in gv.diagram(game) or "*" in gv.diagram(game) or "[" in gv.diagram(game)
    assert shown.splitlines()[-1].startswith(f"turn {game.position.turn}: ")


def test_a_position_that_does_not_know_its_board_prints_its_fields() -> None:
    assert str(Position(stones=bytes(9), mover=gv.BLACK)).startswith("Position(stones=b'")


@pytest.mark.parametrize("spec", SMALL)
def test_copies_of_a_position_share_its_board(spec: str) -> None:
    position = gv.parse(spec).start()
    for again in (pickle.loads(pickle.dumps(position)), copy.deepcopy(position)):
        assert again == position
        assert again.board is position.board is not None
