"""Boards as rows of styled letters, with stones, marks, labels and a cursor on a cross.

If a board is too large for its room, a window shows the part around the cursor. The labels of the cursor's row and
column are then written at the edges of the window.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.records.drawing.diagram import STONES, Canvas
from gtp_variants.records.drawing.drawing_model import star_points
from gtp_variants.rules.actions import BLACK, RED, WHITE
from gtp_variants.rules.boards.board import Board, column_name
from gtp_variants.terminal.games.scene import SceneBoard

# The styles of a letter, separated by blanks with the last style on top, and the letter itself.
Cell = tuple[str, str]
Row = list[Cell]


def row_of(text: str, style: str = "") -> Row:
    """Return a row with a text in one style."""
    return [(style, letter) for letter in text]


def put(row: Row, column: int, letter: str | None, style: str | None) -> None:
    """Change a letter of a row, or add a style on top of its styles. Do nothing outside the row."""
    if 0 <= column < len(row):
        before, old = row[column]
        styles = before if style is None else f"{before} {style}" if before else style
        row[column] = (styles, old if letter is None else letter)


def fit(row: Row, width: int) -> Row:
    """Return a row cut to `width` letters, or filled up with blanks."""
    return row[:width] + [("", " ")] * (width - len(row))


STONE_STYLES = {BLACK: "stone.black", WHITE: "stone.white", RED: "stone.red"}


@dataclass(frozen=True, slots=True)
class Overlay:
    """Words of one or two letters to show on points, and the strengths of their colours from 0 to 1."""

    words: Mapping[int, str] = field(default_factory=dict)
    strengths: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoardWindow:
    """A drawn board: its rows, and the row and column of each visible point."""

    rows: tuple[Row, ...]
    where: Mapping[int, tuple[int, int]]

    def point_near(self, row: int, column: int) -> int | None:
        """Return the point in this row and column or one column beside it, or None if no point is there."""
        found = [(abs(c - column), point) for point, (r, c) in self.where.items() if r == row and abs(c - column) <= 1]
        return min(found)[1] if found else None


class BoardDrawing:
    """A board that can be drawn in any width and height. It remembers which part the window shows."""

    def __init__(self, board: Board, is_plain: bool = False) -> None:
        self.board = board
        self._is_plain = is_plain
        # The first visible row and the first visible column.
        self._scroll = (0, 0)
        self._canvases: dict[int, Canvas] = {}

    def _canvas(self, width: int) -> Canvas:
        """Return the widest canvas that fits into `width` columns, or else the narrowest canvas."""
        for step in (4, 2) if self.board.geometry == "hex" else (2,):
            canvas = self._canvases.setdefault(step, Canvas(self.board, step))
            if _width(canvas) <= width:
                break
        return canvas

    def width_in(self, room: int) -> int:
        """Return the width of the drawing in `room` columns."""
        return _width(self._canvas(room))

    def draw(self, shown: SceneBoard, cursor: int | None, overlay: Overlay, width: int, height: int) -> BoardWindow:
        """Draw the board in `width` columns and `height` rows, scrolled so that the cursor is visible."""
        canvas = self._canvas(width)
        rows = self._background(canvas)
        if cursor is not None:
            self._draw_cross(canvas, rows, cursor)
        for point in range(len(self.board)):
            self._draw_point(canvas, rows, point, shown, overlay)
        if cursor is not None:
            row, column = canvas.where(cursor)
            for place in (column - 1, column, column + 1):
                put(rows[row], place, None, "cursor")
        where = {point: canvas.where(point) for point in range(len(self.board))}
        return self._window(canvas, rows, where, cursor, width, height)

    def _background(self, canvas: Canvas) -> list[Row]:
        """Return rows with the labels and the wooden background of the board."""
        rows = [row_of("".join(letters), "label") for letters in canvas.letters]
        spans: dict[int, list[int]] = {}
        for point in range(len(self.board)):
            row, column = canvas.where(point)
            spans.setdefault(row, []).append(column)
        for row, columns in spans.items():
            for column in range(min(columns) - 1, max(columns) + 2):
                put(rows[row], column, None, "wood")
        if self.board.faces and not self._is_plain:
            for point, near in self.board.edges():
                (row, first), (other, last) = canvas.where(point), canvas.where(near)
                for column in range(first + 1, last) if row == other else ():
                    put(rows[row], column, "─", "wood")
        return rows

    def _draw_cross(self, canvas: Canvas, rows: list[Row], cursor: int) -> None:
        """Highlight the row and column of a point, including holes, and their labels."""
        x, y = self.board.cells[cursor]
        row, middle = canvas.where(cursor)
        for near, (column_x, row_y) in enumerate(self.board.cells):
            if column_x == x:
                at_row, at_column = canvas.where(near)
                put(rows[at_row], at_column, None, "cross")
            if row_y == y:
                _, at_column = canvas.where(near)
                for column in range(min(middle, at_column), max(middle, at_column) + 1):
                    put(rows[row], column, None, "cross")
        if self.board.faces:
            # The centres of hexagons are between the points of a column, and are highlighted too.
            lowest = min(row_y for column_x, row_y in self.board.cells if column_x == x)
            highest = max(row_y for column_x, row_y in self.board.cells if column_x == x)
            for row_y in range(lowest, highest + 1):
                put(rows[canvas.top - row_y], middle - _shift(canvas, row_y - y), None, "cross")
        for (at_row, first), name in ((canvas.column_labels[x], column_name(x)), (canvas.row_labels[y], str(y + 1))):
            for column in range(first, first + len(name)):
                put(rows[at_row], column, None, "label.lit")

    def _draw_point(self, canvas: Canvas, rows: list[Row], point: int, shown: SceneBoard, overlay: Overlay) -> None:
        picture = shown.picture
        row, column = canvas.where(point)
        line, stone = rows[row], picture.stones[point]
        if stone:
            put(line, column, STONES[stone] if self._is_plain else "●", STONE_STYLES[stone])
            if point in shown.dead:
                put(line, column, "x" if self._is_plain else "×", None)
        elif point in picture.open:
            put(line, column, "*" if self._is_plain else "•", "open")
        elif point in picture.tried:
            put(line, column, "?", "tried")
        else:
            star = point in star_points(self.board)
            put(line, column, "+" if star else "." if self._is_plain else "•" if self.board.faces else "·", None)
        if point == picture.last or point in picture.marked:
            before, after = "()" if point == picture.last else "[]"
            put(line, column - 1, before, "last")
            put(line, column + 1, after, "last")
        if point in overlay.words and not stone:
            strength = min(9, int(10 * overlay.strengths.get(point, 1.0)))
            for shift, letter in enumerate(overlay.words[point]):
                put(line, column + shift, letter, f"overlay.{strength}")

    def _window(
        self,
        canvas: Canvas,
        rows: list[Row],
        where: Mapping[int, tuple[int, int]],
        cursor: int | None,
        width: int,
        height: int,
    ) -> BoardWindow:
        whole_width = _width(canvas)
        # If not all rows are visible, the last row of the window shows the label of the cursor's column.
        seen_height = height if len(rows) <= height else max(1, height - 1)
        at = where[cursor] if cursor is not None else (len(rows) // 2, whole_width // 2)
        first_row = _follow(self._scroll[0], at[0], seen_height, len(rows))
        first_column = _follow(self._scroll[1], at[1], width, whole_width)
        self._scroll = (first_row, first_column)
        seen = [fit(row[first_column:], width) for row in rows[first_row : first_row + seen_height]]
        inside = {
            point: (row - first_row, column - first_column)
            for point, (row, column) in where.items()
            if first_row <= row < first_row + seen_height and first_column <= column < first_column + width
        }
        if len(rows) > seen_height:
            seen.append(row_of(" " * width))
        if cursor is not None:
            self._pin_labels(canvas, seen, cursor, inside[cursor])
        return BoardWindow(tuple(seen), inside)

    def _pin_labels(self, canvas: Canvas, seen: Sequence[Row], cursor: int, at: tuple[int, int]) -> None:
        """Write the labels of the cursor's row and column at the edges of the window if they are not visible."""
        x, y = self.board.cells[cursor]
        row, column = at
        first_row, first_column = self._scroll
        width, bottom = len(seen[row]), len(seen) - 1
        if not first_column <= canvas.row_labels[y][1] < first_column + width:
            _write(seen[row], 0, f"{y + 1} ")
        label_row, label_column = canvas.column_labels[x]
        if label_row >= first_row + bottom or not first_column <= label_column < first_column + width:
            # A slanted column may leave the window at the bottom or at a side.
            name = column_name(x)
            below = column + _shift(canvas, bottom - row)
            _write(seen[bottom], max(0, min(below, width - len(name))), name)


def _write(row: Row, column: int, text: str) -> None:
    for shift, letter in enumerate(text):
        put(row, column + shift, letter, "label.lit")


def _shift(canvas: Canvas, rows: int) -> int:
    """Return the shift of a column over `rows` rows downwards, in letters to the right."""
    return canvas.step // 2 * rows if canvas.board.geometry == "hex" else 0


def _width(canvas: Canvas) -> int:
    return max(map(len, canvas.rows())) + 1


def _follow(first: int, at: int, room: int, whole: int) -> int:
    """Return the first row or column of a window of `room`, moved as little as shows `at` with a margin."""
    if whole <= room:
        return 0
    margin = min(3, room // 4)
    first = min(first, at - margin)
    first = max(first, at + margin + 1 - room)
    return max(0, min(first, whole - room))
