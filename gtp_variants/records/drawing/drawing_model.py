"""The content of a drawing of a position or view, for text and SVG: stones, marks, labels and sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gtp_variants.lang import say
from gtp_variants.records.sentences import draw_sentence
from gtp_variants.rules.actions import CHANCE, Event
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name, count_stones
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.views import View

# Kinds of marked points, and the catalogue key for each.
_MARKS = {"line": "game.five", "immune": "game.immune"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A board to be drawn.

    `last`     the point of the last stone, if the stone is still there
    `open`     the empty points on the lines that the draw opens
    `tried`    the points refused to the seat in this turn
    `marked`   immune stones or the winning row; `mark` is the word for either
    `faces`    the faces of the dice
    `lines`    sentences about the draw, the captures, the turn and the result
    """

    stones: bytes
    last: int | None
    lines: tuple[str, ...]
    open: frozenset[int] = frozenset()
    tried: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    mark: str = ""
    faces: tuple[int, ...] = ()


def picture(game: Rules | Game, position: Position | None = None, view: View | None = None) -> Picture:
    """Return the picture of a game, of a position, or of a view, which may hide parts of the position.

    Raises ConfigError if the position or view is from another game.
    """
    rules, position = (game.rules, position or game.position) if isinstance(game, Game) else (game, position)
    check_fits(rules, position if view is None else view.position or view)
    shown = position if view is None else view.position
    if shown is not None:
        return _of_position(rules, shown)
    assert view is not None
    return _of_view(rules, view)


def _of_position(rules: Rules, position: Position) -> Picture:
    opened, (points, mark) = open_lines(rules, position), find_mark(rules, position)
    lines = rules.lines if isinstance(rules, DicedRules) else ()
    open_points = frozenset(p for p, line in enumerate(lines) if line in (opened or ()) and not position.stones[p])
    faces = () if opened is None else faces_of(rules, position, position.draws[0])
    last, sentences = last_stone(position.stones, position.last), tuple(_lines(rules, position))
    return Picture(position.stones, last, sentences, open_points, marked=points, mark=mark, faces=faces)


def open_lines(rules: Rules, position: Position) -> Sequence[int] | None:
    """Return the lines that the draw in force opens, or None without a draw."""
    draw = rules.describe_draw(position) if isinstance(rules, DicedRules) else None
    return None if draw is None else draw["open"]


def find_mark(rules: Rules, position: Position) -> tuple[frozenset[int], str]:
    """Return the immune stones or the winning row, with the word for them, or no points and ""."""
    marks = rules.find_marks(position)
    mark = next((key for key in _MARKS if marks.get(key)), "")
    return (frozenset(marks[mark]), say(_MARKS[mark], rules.lang)) if mark else (frozenset(), "")


def last_stone(stones: bytes, last: Event | None) -> int | None:
    """Return the point of the last stone, or None if the last event placed no stone or the stone is gone."""
    return last.action if last is not None and last.action >= 0 and stones[last.action] else None


def _lines(rules: Rules, position: Position) -> Iterable[str]:
    lang = rules.lang
    yield from filter(None, [draw_sentence(rules, position)])
    yield _captures(rules, position.taken)
    outcome = rules.outcome(position)
    if outcome is not None:
        yield outcome.sentence(lang)
    if rules.is_suspended(position):
        yield say("game.suspended", lang)
    if not rules.is_final(position):
        yield say("game.turn", lang, turn=position.turn, name=colour_name(position.mover, lang))
        if position.to_play == CHANCE:
            yield say("game.thrown", lang, name=colour_name(position.mover, lang))


def _captures(rules: Rules, taken: Sequence[int]) -> str:
    counts = [f"{colour_name(colour, rules.lang)} {taken[colour]}" for colour in rules.colours]
    return say("game.captures", rules.lang, list=", ".join(counts))


def _of_view(rules: Rules, view: View) -> Picture:
    taken = [0] * len(COLOUR_LETTERS)
    last = None
    for item in view.news:
        taken[item.actor] += item.count
        if item.action is not None and item.action >= 0 and not item.refused:
            last = Event(item.actor, item.action)
    other = next(colour for colour in rules.colours if colour != view.colour)
    own = colour_name(view.colour, rules.lang)
    unseen = say("game.hidden", rules.lang, count=count_stones(other, view.hidden, rules.lang), name=own)
    turn = say("game.turn", rules.lang, turn=view.turn, name=colour_name(view.to_play, rules.lang))
    lines = _captures(rules, taken), unseen, turn
    return Picture(view.stones, last_stone(view.stones, last), lines, tried=view.tried)


def star_points(board: Board) -> frozenset[int]:
    """Return the star points of a board; only square grids from 7 lines on have star points."""
    if board.geometry != "rect" or min(board.width, board.height) < _SMALLEST_WITH_STARS:
        return frozenset()
    cells = [(x, y) for x in _star_lines(board.width) for y in _star_lines(board.height)]
    middle = ((board.width - 1) / 2, (board.height - 1) / 2)
    few = min(board.width, board.height) < _SMALLEST_WITH_NINE_STARS
    found = (board.at(x, y) for x, y in cells if not few or (x == middle[0]) == (y == middle[1]))
    return frozenset(point for point in found if point is not None)


_SMALLEST_WITH_STARS = 7
_SMALLEST_WITH_NINE_STARS = 17


def _star_lines(length: int) -> list[int]:
    edge = 2 if length < 12 else 3
    lines = {edge, length - 1 - edge}
    return sorted(lines | {length // 2} if length % 2 else lines)


def column_labels(board: Board) -> list[tuple[str, int, int]]:
    """Return the name and the grid cell of every column label. The cell is below the column's lowest point."""
    lowest: dict[int, int] = {}
    for x, y in board.cells:
        lowest[x] = min(y, lowest.get(x, y))
    names = {board.cells[p][0]: board.vertices[p].rstrip("0123456789") for p in range(len(board))}
    return [(names[x], x, y - 1) for x, y in sorted(lowest.items())]


def row_labels(board: Board) -> list[tuple[str, int, int]]:
    """Return the name and the grid cell of every row label: a free cell left of the row's first point."""
    first: dict[int, int] = {}
    for x, y in board.cells:
        first[y] = min(x, first.get(y, x))
    taken = {(x, y) for _, x, y in column_labels(board)}
    return [(str(y + 1), x - 2 if (x - 1, y) in taken else x - 1, y) for y, x in sorted(first.items())]
