"""Boards as SVG: one self-contained picture on a panel of its own, so that it reads on light and dark pages."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from gtp_variants.records.picture import Picture, column_labels, picture, row_labels, star_points
from gtp_variants.records.sentences import say
from gtp_variants.rules.actions import BLACK, RED, WHITE
from gtp_variants.rules.board import Board
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

_UNIT = 40  # pixels between two neighbouring points
_PANEL, _INK, _LINE, _CELL = "#e3bf7f", "#2b1d0e", "#5f4522", "#ecd09b"
_LIT, _TRIED, _MARK = "#2e8b57", "#a11616", "#1e6fd0"
_FILLS = {BLACK: ("#151515", "#000000"), WHITE: ("#fbfbf8", "#4a4a4a"), RED: ("#c62f2f", "#5f0f0f")}
_CONTRASTS = {BLACK: "#ffffff", WHITE: "#151515", RED: "#ffffff"}
_STONE = 0.46
_TEXT = 0.4  # height of letters in units
_LETTER = 0.56  # width of a letter in heights, on the safe side
_HEX_RADIUS = 3**-0.5
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


def svg(rules: Rules[Any], position: Any, view: View | None = None) -> str:
    """A position as an SVG document, or what a seat knows of it."""
    shown = picture(rules, position, view)
    lines = [*shown.lines, *([f"○ {shown.mark}"] if shown.marked else [])]
    if shown.tried:
        lines.append(f"× {say('tried', rules.lang)}")
    frame = _Frame(rules.board, lines)
    parts = [
        *frame.head(rules.title),
        *_grid(rules.board, frame, shown),
        *_labels(rules.board, frame),
        *_stones(frame, shown),
        *_dice(frame, shown.faces),
        *_text(frame, lines, len(shown.faces)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Frame:
    """Where things lie on the panel, in pixels."""

    def __init__(self, board: Board, lines: Sequence[str]) -> None:
        self.board = board
        labels = [_cell_at(board, x, y) for _, x, y in (*column_labels(board), *row_labels(board))]
        places = [*labels, *(board.drawn_at(point) for point in range(len(board)))]
        left, self.up = min(x for x, _ in places) - 0.5, min(y for _, y in places) - 0.8
        right, self.bottom = max(x for x, _ in places) + 0.8, max(y for _, y in places) + 0.5
        text_width = max((len(line) for line in lines), default=0) * _LETTER * _TEXT + 3
        self.width = max(right - left, text_width)
        self.left = left - (self.width - (right - left)) / 2
        self.height = self.bottom - self.up + _TEXT * 1.5 * max(len(lines), 2) + 0.4

    def at(self, x: float, y: float) -> tuple[str, str]:
        """A place on the board in pixels, as texts."""
        return _number((x - self.left) * _UNIT), _number((y - self.up) * _UNIT)

    def point(self, point: int) -> tuple[str, str]:
        """A point in pixels, as texts."""
        return self.at(*self.board.drawn_at(point))

    def head(self, title: str) -> Iterable[str]:
        """The beginning of the document, and the panel."""
        width, height = _number(self.width * _UNIT), _number(self.height * _UNIT)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' role="img" font-family="Helvetica, Arial, sans-serif">'
        )
        yield f"<title>{escape(title)}</title>"
        yield f'<rect width="{width}" height="{height}" rx="10" fill="{_PANEL}"/>'


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _cell_at(board: Board, x: int, y: int) -> tuple[float, float]:
    """Where a grid cell lies that need not be a point, as `Board.drawn_at` counts."""
    x0, y0 = board.cells[0]
    base_x, base_y = board.drawn_at(0)
    if board.geometry == "rect":
        return base_x + x - x0, base_y - (y - y0)
    return base_x + (x - x0) - (y - y0) / 2, base_y - (y - y0) * 3**0.5 / 2


# -- the board --------------------------------------------------------------------------------------------------------


def _grid(board: Board, frame: _Frame, shown: Picture) -> Iterable[str]:
    yield from _lit(frame, shown)
    if board.geometry == "hex" and not board.faces:
        yield from _cells(board, frame)
        return
    path = "".join(_stroke(frame, start, end) for start, end in _strokes(board))
    yield f'<path d="{path}" stroke="{_LINE}" stroke-width="1.5" stroke-linecap="round" fill="none"/>'
    for point in sorted(star_points(board)):
        x, y = frame.point(point)
        yield f'<circle cx="{x}" cy="{y}" r="3.5" fill="{_LINE}"/>'


def _strokes(board: Board) -> Iterable[tuple[int, int]]:
    """The lines of a board by their ends: whole lines on square boards, edges elsewhere."""
    if board.geometry == "hex":
        return board.edges()
    right, top = board.width - 1, (board.height - 1) * board.width
    rows = [(y * board.width, y * board.width + right) for y in range(board.height)]
    return rows + [(x, top + x) for x in range(board.width)]


def _stroke(frame: _Frame, start: int, end: int) -> str:
    return f"M{' '.join(frame.point(start))}L{' '.join(frame.point(end))}"


def _cells(board: Board, frame: _Frame) -> Iterable[str]:
    half = [(0.0, _HEX_RADIUS), (0.5, _HEX_RADIUS / 2), (0.5, -_HEX_RADIUS / 2)]
    corners = [*half, *((-x, -y) for x, y in half)]
    path = ""
    for point in range(len(board)):
        x, y = board.drawn_at(point)
        path += "M" + "L".join(" ".join(frame.at(x + dx, y + dy)) for dx, dy in corners) + "Z"
    yield f'<path d="{path}" stroke="{_LINE}" stroke-width="1.5" stroke-linejoin="round" fill="{_CELL}"/>'


def _lit(frame: _Frame, shown: Picture) -> Iterable[str]:
    """The open line: a square of light under each of its empty points."""
    for point in sorted(shown.open):
        x, y = frame.board.drawn_at(point)
        left, up = frame.at(x - 0.5, y - 0.5)
        yield f'<rect x="{left}" y="{up}" width="{_UNIT}" height="{_UNIT}" fill="{_LIT}" fill-opacity="0.55"/>'


def _labels(board: Board, frame: _Frame) -> Iterable[str]:
    for name, x, y in (*column_labels(board), *row_labels(board)):
        yield _write(*frame.at(*_cell_at(board, x, y)), name, anchor="middle")


def _write(x: str, y: str, text: str, anchor: str = "start") -> str:
    """A text, its middle at height y."""
    size = _number(_TEXT * _UNIT)
    style = f'dy="0.35em" font-size="{size}" text-anchor="{anchor}" fill="{_INK}"'
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'


# -- stones and marks -------------------------------------------------------------------------------------------------


def _stones(frame: _Frame, shown: Picture) -> Iterable[str]:
    radius = _number(_STONE * _UNIT)
    for point, colour in enumerate(shown.stones):
        if not colour:
            continue
        x, y = frame.point(point)
        fill, edge = _FILLS[colour]
        yield f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{edge}"/>'
        if point in shown.marked:
            yield _ring(x, y, 0.36, _MARK, 5)
        if point == shown.last:
            yield _ring(x, y, 0.2, _CONTRASTS[colour], 3)
    for point in sorted(shown.tried):
        if not shown.stones[point]:
            yield _cross(frame, point)


def _cross(frame: _Frame, point: int) -> str:
    x, y = frame.board.drawn_at(point)
    ends = [frame.at(x + dx, y + dy) for dx, dy in ((-0.2, -0.2), (0.2, 0.2), (-0.2, 0.2), (0.2, -0.2))]
    path = "M{} {}L{} {}M{} {}L{} {}".format(*(number for end in ends for number in end))
    return f'<path d="{path}" stroke="{_TRIED}" stroke-width="4"/>'


def _ring(x: str, y: str, radius: float, colour: str, width: int) -> str:
    drawn = _number(radius * _UNIT)
    return f'<circle cx="{x}" cy="{y}" r="{drawn}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


# -- below the board --------------------------------------------------------------------------------------------------

_DIE = 0.9


def _below(frame: _Frame) -> float:
    return frame.bottom + 0.1


def _dice(frame: _Frame, faces: Sequence[int]) -> Iterable[str]:
    side = _number(_DIE * _UNIT)
    for index, face in enumerate(faces):
        x, y = frame.left + 0.4 + index * (_DIE + 0.2), _below(frame)
        left, up = frame.at(x, y)
        yield (
            f'<rect x="{left}" y="{up}" width="{side}" height="{side}" rx="6" fill="#fbfbf8" stroke="{_INK}"'
            ' stroke-width="1.5"/>'
        )
        middle_x, middle_y = x + _DIE / 2, y + _DIE / 2
        if face not in _PIPS:
            yield _write(*frame.at(middle_x, middle_y), str(face), anchor="middle")
        for across, down in _PIPS.get(face, ()):
            pip_x, pip_y = frame.at(middle_x + across * 0.24, middle_y + down * 0.24)
            yield f'<circle cx="{pip_x}" cy="{pip_y}" r="3.6" fill="{_INK}"/>'


def _text(frame: _Frame, lines: Sequence[str], dice: int) -> Iterable[str]:
    x = frame.left + 0.4 + dice * (_DIE + 0.2)
    for index, line in enumerate(lines):
        yield _write(*frame.at(x, _below(frame) + _TEXT * (0.6 + 1.5 * index)), line)
