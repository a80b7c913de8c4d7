"""Boards and dice for terminals of every width: what fits, what colours change, what they do not."""

from dataclasses import replace

import pytest
from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.text import Text

from gtp_variants.records.drawing.diagram import draw_board, legend
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.rules import parse
from gtp_variants.rules.game import random_game
from gtp_variants.terminal import drawing
from gtp_variants.terminal.blocks import BoardBlock
from gtp_variants.terminal.games.enquiries import bar


def shown(spec: str, plies: int = 30) -> BoardBlock:
    game = random_game(parse(spec), 1, plies)
    seen = picture(game.rules, game.position)
    return BoardBlock(game.rules.board, seen, (), tuple(legend(seen, "en")))


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
    canvas, needs = drawing.fit(shown(spec), width)
    assert canvas is not None
    assert canvas.step == step
    assert max(map(len, canvas.rows())) == needs <= width


def test_an_oversized_board_reports_its_size() -> None:
    canvas, needs = drawing.fit(shown("rosette"), 40)
    assert canvas is None
    assert needs == 47


@pytest.mark.parametrize("spec", ["go", "go:size=9", "aleago:size=9", "rosette", "rosette:n=13", "pentalath:players=3"])
def test_every_stone_stands_where_its_letter_stands(spec: str) -> None:
    block = shown(spec)
    for step in drawing.steps(block):
        canvas = draw_board(block.board, block.picture, step)
        rows = canvas.rows()
        painted = drawing.draw_in_colours(canvas, block)
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
    assert [line.plain for line in drawing.legend(block, is_painted=False)] == list(block.legend)
    if block.picture.open:
        assert drawing.legend(block, is_painted=True)[0].plain == "• open"


def test_dice() -> None:
    assert drawing.draw_dice((2, 10), is_ascii=True) == [
        "  +---+  +----+",
        "  | 2 |  | 10 |",
        "  +---+  +----+",
    ]
    assert drawing.draw_dice((1,), is_ascii=False)[1] == "  │ 1 │"
    assert drawing.draw_dice((1,) * 9, is_ascii=True) == []


def test_chances_lie_on_the_board_in_tenths() -> None:
    """Where a stone is seen it stays; elsewhere there is a digit, darker in colours the likelier it is."""
    rules = parse("phantom:size=3")
    seen = replace(picture(rules, rules.start()), stones=bytes((1, 0, 0, 0, 0, 0, 0, 2, 0)))
    chances = (1.0, 0.0, 0.04, 0.05, 0.5, 0.94, 0.95, 1.0, 1.0)
    block = BoardBlock(rules.board, seen, chances=chances)
    for step in drawing.steps(block):
        canvas = draw_board(block.board, seen, step)
        rows = [row.plain for row in drawing.draw(canvas, block, is_painted=False)]
        assert "".join(rows[row][column] for row, column in map(canvas.where, range(9))) == "X..159#O#"
        texts = drawing.draw(canvas, block, is_painted=True)
        assert [texts[row].plain[column] for row, column in map(canvas.where, range(9))] == list("●··159#●#")
        grounds = [ground_of(texts[row], column) for row, column in map(canvas.where, (3, 4, 5, 6, 8))]
        assert len(set(grounds)) == 5
        # The red of wood is taken off more and more.
        assert grounds == sorted(grounds, key=lambda ground: -ground.green)


def ground_of(text: Text, column: int) -> ColorTriplet:
    """The colour below a letter."""
    [style] = [each for span in text.spans if span.start == column and (each := Style.parse(str(span.style))).bold]
    assert style.bgcolor is not None
    triplet = style.bgcolor.triplet
    assert triplet is not None
    return triplet


@pytest.mark.parametrize(("chance", "length"), [(0, 0), (0.02, 0), (0.03, 1), (0.5, 10), (1, 20)])
def test_a_bar(chance: float, length: int) -> None:
    assert bar(chance) == "#" * length + "-" * (20 - length)
