"""Boards as text in at most 100 columns: X is black, O white, R red, `.` empty. The last stone is in parentheses."""

from collections.abc import Iterable

from gtp_variants.errors import ConfigError
from gtp_variants.lang import say
from gtp_variants.records.drawing import drawing_model
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

STONES = ".XOR"
_WIDEST = 100


def diagram(game: Rules | Game, position: Position | None = None, view: View | None = None) -> str:
    """Return the board of a game, of a position or of a view as text, without a line feed at the end.

    `*` marks points that the draw opens, and `?` points refused in this turn. Immune stones and a winning row are in
    brackets.

    >>> import gtp_variants as gv
    >>> game = gv.Game(gv.parse("go:size=3"))
    >>> _ = game.play(gv.BLACK, game.rules.board.point("B2"))
    >>> print(gv.diagram(game))
    3  . . .
    2  .(X).
    1  . . .
       A B C
    <BLANKLINE>
    stones taken by Black 0, White 0
    turn 2: White to play
    """
    rules = game.rules if isinstance(game, Game) else game
    shown = drawing_model.picture(game, position, view)
    return "\n".join([*draw_board(rules.board, shown).rows(), "", *shown.lines, *legend(shown, rules.lang)])


def draw_position(position: Position) -> str:
    """Return the board of a position and the side to move as text. Raises ConfigError if `position.board` is None."""
    if position.board is None:
        raise ConfigError(["cannot draw a position without its board; use diagram(rules, position)"])
    shown = drawing_model.Picture(
        position.stones, drawing_model.last_stone(position.stones, position.last), (), tried=position.tried
    )
    turn = say("game.turn", "en", turn=position.turn, name=colour_name(position.mover))
    return "\n".join([*draw_board(position.board, shown).rows(), "", turn])


def draw_board(board: Board, shown: drawing_model.Picture, step: int | None = None) -> "Canvas":
    """Return the drawing of the board without the lines below it.

    `step` is the number of characters from one point of a row to the next. A step of 1 leaves no room around a stone:
    the stone of the last move becomes a lower-case letter.
    """
    canvas = Canvas(board, step)
    for point, mark in enumerate(_marks(board, shown)):
        canvas.put(point, mark.lower() if canvas.step == 1 and point == shown.last else mark)
    if canvas.step > 1:
        for point in sorted(shown.marked):
            canvas.surround(point, "[]")
        if shown.last is not None:
            canvas.surround(shown.last, "()")
    return canvas


def _marks(board: Board, shown: drawing_model.Picture) -> list[str]:
    """Return the character to draw on each point."""
    marks = [STONES[colour] for colour in shown.stones]
    for points, mark in ((drawing_model.star_points(board), "+"), (shown.open, "*"), (shown.tried, "?")):
        for point in points:
            if not shown.stones[point]:
                marks[point] = mark
    return marks


def legend(shown: drawing_model.Picture, lang: str) -> Iterable[str]:
    """Yield the meanings of the marks on a board, one line each."""
    if shown.open:
        yield f"* {say('game.open', lang)}"
    if shown.tried:
        yield f"? {say('game.tried', lang)}"
    if shown.marked:
        yield f"[ ] {shown.mark}"


class Canvas:
    """A grid of characters, with points arranged as on the board. The rows of a hexagonal grid are shifted."""

    def __init__(self, board: Board, step: int | None = None) -> None:
        self.board = board
        self.top = max(y for _, y in board.cells)
        # Characters from one point of a row to the next: an even number on hexagonal grids, whose rows shift by half.
        self.step = step or (4 if board.geometry == "hex" and self._width(4) <= _WIDEST else 2)
        self.margin = (
            len(str(self.top + 1)) + 2 - min(self._place(x + 1, y) for _, x, y in drawing_model.row_labels(board))
        )
        columns = self.margin + self.step * (board.width + self.top) + 2
        self.letters = [[" "] * columns for _ in range(self.top + 2)]
        # Line and character index of each column label, by x, and of each row label, by y.
        self.column_labels: dict[int, tuple[int, int]] = {}
        self.row_labels: dict[int, tuple[int, int]] = {}
        for name, x, y in drawing_model.column_labels(board):
            # Keep a blank between column names that have two letters.
            shift = int(self.letters[self.top - y][self.margin + self._place(x, y) - 1] != " ")
            self._write(x, y, shift, name)
            self.column_labels[x] = self.top - y, self.margin + self._place(x, y) + shift
        for name, x, y in drawing_model.row_labels(board):
            shift = -2 - len(name)
            self._write(x + 1, y, shift, name)
            self.row_labels[y] = self.top - y, self.margin + self._place(x + 1, y) + shift

    def _place(self, x: int, y: int) -> int:
        return self.step * x - self.step // 2 * y if self.board.geometry == "hex" else self.step * x

    def _width(self, step: int) -> int:
        """Return the number of characters from the first row label to the last column label of a hexagonal grid."""
        labels = [*drawing_model.row_labels(self.board), *drawing_model.column_labels(self.board)]
        places = [step // 2 * (2 * x - y) for _, x, y in labels]
        return max(places) - min(places) + 2 * len(str(self.top + 1))

    def _write(self, x: int, y: int, shift: int, text: str) -> None:
        column = self.margin + self._place(x, y) + shift
        self.letters[self.top - y][column : column + len(text)] = text

    def where(self, point: int) -> tuple[int, int]:
        """Return the place of a point: its line from the top and its character from the left."""
        x, y = self.board.cells[point]
        return self.top - y, self.margin + self._place(x, y)

    def put(self, point: int, letter: str) -> None:
        """Write a character on a point."""
        self._write(*self.board.cells[point], 0, letter)

    def surround(self, point: int, pair: str) -> None:
        """Write one character of a pair before a point, and the other after it."""
        self._write(*self.board.cells[point], -1, pair[0])
        self._write(*self.board.cells[point], 1, pair[1])

    def rows(self) -> list[str]:
        """Return the lines of the drawing, from the top."""
        return ["".join(line).rstrip() for line in self.letters]
