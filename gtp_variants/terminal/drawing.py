"""Boards and dice drawn as lines of text, with or without colours. Widths are in columns."""

from collections.abc import Mapping, Sequence

from rich.color import Color, blend_rgb, parse_rgb_hex
from rich.console import Console
from rich.style import Style
from rich.text import Text

from gtp_variants.records.drawing.diagram import Canvas, draw_board
from gtp_variants.rules.actions import BLACK, RED, WHITE
from gtp_variants.terminal.blocks import BoardBlock, tenths

_WOOD, _LINE = "#dcb35c", "#5c4410"
_PAINTS = {BLACK: "#000000", WHITE: "#ffffff", RED: "#c01010"}
_STONES = {colour: Style(color=paint, bold=True) for colour, paint in _PAINTS.items()}
_STONE, _OPEN_POINT = "●", "•"
_OPEN = Style(color="#005f00", bgcolor="#a8e05f", bold=True)
_TRIED = Style(color="#c01010", bold=True)
_LAST = Style(color="#b00020", bold=True)
_BOARD = Style(color=_LINE, bgcolor=_WOOD, dim=False)
_LABEL = Style(dim=True)
_WIDEST_DICE = 8
# The colour for a sure hidden stone. For lower chances it is blended with the wood.
_LIKELY = "#b00020"


def can_draw_in_colours(console: Console) -> bool:
    """Return True if a console can show boards in colour, rather than as letters."""
    has_colours = console.is_terminal and console.color_system is not None and not console.no_color
    return has_colours and not console.legacy_windows and console.encoding.startswith("utf")


def steps(shown: BoardBlock) -> Sequence[int]:
    """Return the possible distances in columns between the points of a row, the best first."""
    return (4, 2) if shown.board.geometry == "hex" else (2, 1)


def fit(shown: BoardBlock, width: int) -> tuple[Canvas | None, int]:
    """Return the widest drawing that fits, or None if no drawing fits, and the width of the last drawing tried."""
    needs = 0
    for step in steps(shown):
        canvas = draw_board(shown.board, shown.picture, step)
        needs = max(map(len, canvas.rows()))
        if needs <= width:
            return canvas, needs
    return None, needs


def draw(canvas: Canvas, shown: BoardBlock, is_painted: bool) -> list[Text]:
    """Return the rows of a board, with any estimates, in colours or as letters."""
    # Chances are written on the empty points, in tenths.
    chances = {point: each for point, each in enumerate(shown.chances) if not shown.picture.stones[point]}
    for point, chance in chances.items():
        canvas.put(point, tenths(chance))
    if not is_painted:
        return [Text(row) for row in canvas.rows()]
    rows = draw_in_colours(canvas, shown)
    _shade(canvas, chances, rows)
    return rows


def _shade(canvas: Canvas, chances: Mapping[int, float], texts: Sequence[Text]) -> None:
    """Shade the points of a coloured board by their chances."""
    wood, likely = parse_rgb_hex(_WOOD[1:]), parse_rgb_hex(_LIKELY[1:])
    for point, chance in chances.items():
        if tenths(chance) != ".":
            row, column = canvas.where(point)
            ground = Color.from_triplet(blend_rgb(wood, likely, chance))
            texts[row].stylize(Style(color="#ffffff", bgcolor=ground, bold=True), column, column + 1)


def draw_in_colours(canvas: Canvas, shown: BoardBlock) -> list[Text]:
    """Return the rows of a board in colours, with stones as discs on wood and open points highlighted."""
    picture = shown.picture
    rows = [list(row) for row in canvas.rows()]
    spans: dict[int, list[int]] = {}
    for point, colour in enumerate(picture.stones):
        row, column = canvas.where(point)
        spans.setdefault(row, []).append(column)
        if colour:
            rows[row][column] = _STONE
        elif point in picture.open:
            rows[row][column] = _OPEN_POINT
        elif rows[row][column] == ".":
            rows[row][column] = "•" if shown.board.faces else "·"
    if shown.board.faces:
        _link(canvas, rows)
    texts = [Text("".join(row), _LABEL) for row in rows]
    # At a distance of 1 there is no room between the points, so nothing is drawn beside them.
    beside = int(canvas.step > 1)
    for row, columns in spans.items():
        first, end = min(columns) - beside, max(columns) + 1 + beside
        texts[row].pad_right(max(0, end - len(texts[row].plain)))
        texts[row].stylize(_BOARD, first, end)
    for point, colour in enumerate(picture.stones):
        row, column = canvas.where(point)
        style = _STONES.get(colour) or (_OPEN if point in picture.open else _TRIED if point in picture.tried else None)
        if style is not None:
            texts[row].stylize(style, column, column + 1)
        if point == picture.last or point in picture.marked:
            texts[row].stylize(_LAST, column - beside, column)
            texts[row].stylize(_LAST, column + 1, column + 1 + beside)
            if not beside:
                texts[row].stylize(Style(underline=True), column, column + 1)
    return texts


def _link(canvas: Canvas, rows: list[list[str]]) -> None:
    """Draw the horizontal edges of a honeycomb, so that its hexagons can be recognised."""
    for point, near in canvas.board.edges():
        (row, first), (other, last) = canvas.where(point), canvas.where(near)
        if row == other:
            for column in range(first + 1, last):
                if rows[row][column] == " ":
                    rows[row][column] = "─"


def legend(shown: BoardBlock, is_painted: bool) -> list[Text]:
    """Return the lines that explain the marks on a board."""
    if not is_painted:
        return [Text(line) for line in shown.legend]
    texts = [Text(line.replace("*", _OPEN_POINT, 1)) for line in shown.legend]
    for text in texts:
        if text.plain.startswith(_OPEN_POINT):
            text.stylize(_OPEN, 0, 1)
    return texts


def draw_dice(faces: Sequence[int], is_ascii: bool) -> list[str]:
    """Return three lines that show the dice side by side, or [] if there are too many dice."""
    if len(faces) > _WIDEST_DICE:
        return []
    corners = "+-+|+-+" if is_ascii else "╭─╮│╰─╯"
    rows = ["", "", ""]
    for face in faces:
        text = f" {face} "
        rows[0] += f"  {corners[0]}{corners[1] * len(text)}{corners[2]}"
        rows[1] += f"  {corners[3]}{text}{corners[3]}"
        rows[2] += f"  {corners[4]}{corners[5] * len(text)}{corners[6]}"
    return rows
