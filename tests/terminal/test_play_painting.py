"""Boards and dice for terminals of every width: what fits, what colours change, what they do not."""

import pytest

from gtp_variants.records.diagram import drawn, legend
from gtp_variants.records.picture import picture
from gtp_variants.rules import parse
from gtp_variants.rules.game import random_game
from gtp_variants.terminal import painting
from gtp_variants.terminal.blocks import Shown


def shown(spec: str, plies: int = 30) -> Shown:
    game = random_game(parse(spec), 1, plies)
    seen = picture(game.rules, game.position)
    return Shown(game.rules.board, seen, (), tuple(legend(seen, "en")))


@pytest.mark.parametrize(
    ("spec", "width", "step"),
    [
        ("go", 80, 2),
        ("go", 41, 2),
        ("go", 40, 1),
        ("go:size=25", 40, 1),
        ("pentalath", 80, 4),
        ("pentalath", 40, 2),
        ("rosette", 100, 4),
        ("rosette", 80, 2),
        ("rosette:n=13", 300, 4),
    ],
)
def test_the_widest_drawing_that_fits_is_taken(spec: str, width: int, step: int) -> None:
    canvas, needs = painting.fitting(shown(spec), width)
    assert canvas is not None
    assert canvas.step == step
    assert max(map(len, canvas.rows())) == needs <= width


def test_what_does_not_fit_is_measured() -> None:
    canvas, needs = painting.fitting(shown("rosette"), 40)
    assert canvas is None
    assert needs == 47


@pytest.mark.parametrize("spec", ["go", "go:size=9", "aleago:size=9", "rosette", "rosette:n=13", "pentalath:players=3"])
def test_every_stone_stands_where_its_letter_stands(spec: str) -> None:
    block = shown(spec)
    for step in painting.steps(block):
        canvas = drawn(block.board, block.picture, step)
        rows = canvas.rows()
        painted = painting.painted(canvas, block)
        for point, colour in enumerate(block.picture.stones):
            row, column = canvas.where(point)
            letter = rows[row][column]
            assert (letter.upper() in "XOR") == bool(colour)
            assert (painted[row].plain[column] == "●") == bool(colour)
            assert letter.islower() == (step == 1 and point == block.picture.last)
        plain = [row.plain.rstrip() for row in painted]
        table = str.maketrans("XOR*.·•●─", "???????? ")
        assert [row.upper().translate(table) for row in rows] == [
            row.upper().translate(table) for row in plain
        ] or step == 1


def test_the_legend_names_the_mark_that_is_painted() -> None:
    block = shown("aleago:size=9")
    assert [line.plain for line in painting.legend(block, is_painted=False)] == list(block.legend)
    if block.picture.open:
        assert painting.legend(block, is_painted=True)[0].plain == "• open"


def test_dice() -> None:
    assert painting.dice((2, 10), is_ascii=True) == [
        "  +---+  +----+",
        "  | 2 |  | 10 |",
        "  +---+  +----+",
    ]
    assert painting.dice((1,), is_ascii=False)[1] == "  │ 1 │"
    assert painting.dice((1,) * 9, is_ascii=True) == []
