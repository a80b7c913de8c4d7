"""Boards as SVG: single positions, a search's candidate moves for notebooks, and animations of whole games.

Each picture is self-contained and has a background panel, so that it is legible on light and dark pages. Animations are
SVG, not GIF or APNG: they need no imaging library, are sharp at any size and are ten times smaller. They play without
scripts in browsers, even as an `<img>`. Other programs show the end of the game.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path

from gtp_variants.base.pages import render
from gtp_variants.lang import load, say
from gtp_variants.records.drawing.drawing_model import Picture, column_labels, picture, row_labels, star_points
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, RED, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

UNIT = 40  # pixels between two neighbouring points
_INK, _LINE = "#2b1d0e", "#6b4e25"
_LIT, _TRIED, _MARK, _HEXAGON = "#1f9d55", "#a11616", "#1766c9", "#b9d4f6"
_PALE = "#fff4d6"
_FACTS = load(Path(__file__).with_suffix(".toml"))
_STONES = dict(zip((BLACK, WHITE, RED), _FACTS["stones"].values(), strict=True))
_PIPS = {int(face): pips for face, pips in _FACTS["pips"].items()}
_STONE, _STONE_IN_CELL = 0.46, 0.42
_TEXT = 0.4  # height of a letter, in units
_LETTER = 0.56  # width of a letter divided by its height, rounded up to be safe
_HEX_RADIUS = 3**-0.5
_DIE = 1.2
_LINE_OF_LABEL = 0.32
_NONE: frozenset[int] = frozenset()


class SvgText(str):
    """An SVG document that notebooks display as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(
    game: Rules | Game,
    position: Position | None = None,
    view: View | None = None,
    *,
    heat: Mapping[int, float] | None = None,
    labels: Mapping[int, str] | None = None,
) -> SvgText:
    """Return the board of a game, of a position or of a view as an SVG document.

    `heat` gives points a shade from 0 (none) to 1 (full), and `labels` gives them short lines of text.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("pentalath")
    >>> gv.svg(rules, rules.start(), labels={rules.board.point("D4"): "62%"})[:4]
    '<svg'
    """
    rules = game.rules if isinstance(game, Game) else game
    shown = picture(game, position, view)
    lines = [*shown.lines, *([f"○ {shown.mark}"] if shown.marked else [])]
    if shown.tried:
        lines.append(f"× {say('game.tried', rules.lang)}")
    frame = BoardFrame(rules.board, lines, len(shown.faces))
    parts = [
        *frame.head(rules.title, sorted(set(shown.stones) - {EMPTY})),
        *_open_points(frame, shown),
        *_filled_hexagons(frame, shown),
        *draw_grid(rules.board, frame),
        *draw_labels(rules.board, frame),
        *_stones(frame, shown),
        *_marks(frame, shown),
        *_heat(frame, heat or {}),
        *_point_labels(frame, shown, heat or {}, labels or {}),
        *_dice(frame, shown.faces),
        *_text(frame, lines),
        "</svg>",
    ]
    return SvgText("\n".join(parts) + "\n")


@dataclass(frozen=True, slots=True)
class EmptyBoard:
    """An empty board, to be filled with stones.

    `opening` is the SVG of the board, without the closing tag. It defines the stone colours, such as `#gv-b`, and an
    empty group `#gv-faces` below the lines. `places` are the coordinates of the points, and `radius` is the radius of a
    stone. `faces` are the hexagons that may become rosettes, each given by its points in order around it.
    """

    opening: str
    places: tuple[tuple[float, float], ...]
    radius: float
    faces: tuple[tuple[int, ...], ...]


def stage(rules: Rules) -> EmptyBoard:
    """Return the empty board of a game."""
    board = rules.board
    frame = BoardFrame(board, (), 0)
    head = [*frame.head(rules.title, rules.colours), '<g id="gv-faces"></g>']
    parts = [*head, *draw_grid(board, frame), *draw_labels(board, frame)]
    places = tuple((float(x), float(y)) for x, y in map(frame.point, range(len(board))))
    faces = tuple(tuple(_around(board, face)) for face in board.faces)
    return EmptyBoard("\n".join(parts), places, UNIT * (_STONE_IN_CELL if _has_cells(board) else _STONE), faces)


class BoardFrame:
    """The layout of the panel in pixels: the board, with the dice and lines of text below it."""

    def __init__(self, board: Board, lines: Sequence[str], dice: int) -> None:
        self.board = board
        labels = [_cell_at(board, x, y) for _, x, y in (*column_labels(board), *row_labels(board))]
        places = [*labels, *(board.drawn_at(point) for point in range(len(board)))]
        left, self.up = min(x for x, _ in places) - 0.6, min(y for _, y in places) - 0.9
        right, self.bottom = max(x for x, _ in places) + 0.9, max(y for _, y in places) + 0.5
        # The text begins to the right of the dice.
        self.text_left = 0.5 + dice * (_DIE + 0.2)
        text_width = max((len(line) for line in lines), default=0) * _LETTER * _TEXT + self.text_left + 0.3
        self.width = max(right - left, text_width)
        self.left = left - (self.width - (right - left)) / 2
        below = max(_TEXT * 1.5 * len(lines), _DIE + 0.1 if dice else 0)
        self.height = self.bottom - self.up + below + 0.4

    def at(self, x: float, y: float) -> tuple[str, str]:
        """Return the pixel coordinates of a place on the board, as strings."""
        return _number((x - self.left) * UNIT), _number((y - self.up) * UNIT)

    def point(self, point: int) -> tuple[str, str]:
        """Return the pixel coordinates of a point, as strings."""
        return self.at(*self.board.drawn_at(point))

    def head(self, title: str, colours: Iterable[int]) -> Iterable[str]:
        """Return the beginning of the document: gradients for wood and stones, and the panel."""
        width, height = self.width * UNIT, self.height * UNIT
        sizes = {"width": width, "height": height, "inner_width": width - 2, "inner_height": height - 2}
        about = {
            "title": title,
            "stones": {COLOUR_LETTERS[colour]: _STONES[colour] for colour in colours},
            **{name: _number(size) for name, size in sizes.items()},
        }
        return [render("records/drawing/panel.html", **about)]


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _group(inner: Iterable[str], **attributes: str | float) -> Iterable[str]:
    """Yield a group of elements with shared attributes, or nothing if there are no elements."""
    drawn = "".join(inner)
    if drawn:
        shared = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        yield f"<g{shared}>{drawn}</g>"


def _circle(x: str, y: str, radius: float) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{_number(radius * UNIT)}"/>'


def _cell_at(board: Board, x: int, y: int) -> tuple[float, float]:
    """Return the place of a grid cell, in the units of `Board.drawn_at`. The cell need not be a point."""
    x0, y0 = board.cells[0]
    base_x, base_y = board.drawn_at(0)
    if board.geometry == "rect":
        return base_x + x - x0, base_y - (y - y0)
    return base_x + (x - x0) - (y - y0) / 2, base_y - (y - y0) * 3**0.5 / 2


def _has_cells(board: Board) -> bool:
    """Return True if stones are placed in hexagons, not on intersections."""
    return board.geometry == "hex" and not board.faces


def draw_apart(frame: BoardFrame, shown: Picture, stones: dict[tuple[int, int], str]) -> Iterator[tuple[int, str]]:
    """Yield every element of a picture that can change, with its layer, the lowest layer first.

    Layer 0 is below the lines of the board. `stones` caches the elements of stones by point and colour, for all
    pictures with the same frame.
    """
    blank = replace(shown, stones=bytes(len(shown.stones)), last=None, open=_NONE, tried=_NONE, marked=_NONE, lines=())
    for point in sorted(shown.open):
        yield 0, "".join(_open_points(frame, replace(blank, open=frozenset([point]))))
    yield 0, "".join(_filled_hexagons(frame, shown))
    for point, colour in enumerate(shown.stones):
        if colour and (point, colour) not in stones:
            alone = bytearray(len(shown.stones))
            alone[point] = colour
            stones[point, colour] = "".join(_stones(frame, replace(blank, stones=bytes(alone))))
        if colour:
            yield 1, stones[point, colour]
    for point in sorted(shown.marked):
        yield 2, "".join(_marks(frame, replace(blank, marked=frozenset([point]))))
    if shown.last is not None:
        yield 2, "".join(_marks(frame, replace(blank, stones=shown.stones, last=shown.last)))
    yield 3, "".join(_dice(frame, shown.faces))
    yield 3, "".join(_text(frame, shown.lines))


# -- the board --------------------------------------------------------------------------------------------------------


def draw_grid(board: Board, frame: BoardFrame) -> Iterable[str]:
    if _has_cells(board):
        path = "".join(_hexagon(frame, *board.drawn_at(point)) for point in range(len(board)))
        yield f'<path d="{path}" stroke="{_LINE}" stroke-width="1.5" stroke-linejoin="round" fill="{_PALE}"/>'
        return
    path = "".join(f"M{'L'.join(' '.join(frame.point(p)) for p in stroke)}" for stroke in _strokes(board))
    width = "1.5" if board.geometry == "rect" else "2"
    yield f'<path d="{path}" stroke="{_LINE}" stroke-width="{width}" stroke-linecap="round" fill="none"/>'
    yield from _group((_circle(*frame.point(point), 0.09) for point in sorted(star_points(board))), fill=_LINE)


def _strokes(board: Board) -> Iterable[Sequence[int]]:
    """Return the lines of a board as lists of points: straight lines on square grids, else trails of edges."""
    if board.geometry == "hex":
        return _trails(board)
    right, top = board.width - 1, (board.height - 1) * board.width
    rows = [(y * board.width, y * board.width + right) for y in range(board.height)]
    return rows + [(x, top + x) for x in range(board.width)]


def _trails(board: Board) -> Iterable[Sequence[int]]:
    """Yield trails that cover every edge once. They take half as much text as single edges."""
    left = {point: list(near) for point, near in enumerate(board.neighbours)}
    for start in range(len(board)):
        while left[start]:
            trail = [start]
            while left[trail[-1]]:
                here = trail[-1]
                following = left[here].pop()
                left[following].remove(here)
                trail.append(following)
            yield trail


def _hexagon(frame: BoardFrame, x: float, y: float) -> str:
    """Return the outline of a hexagon centred on a place, as a path."""
    half = [(0.0, _HEX_RADIUS), (0.5, _HEX_RADIUS / 2), (0.5, -_HEX_RADIUS / 2)]
    corners = [*half, *((-dx, -dy) for dx, dy in half)]
    return "M" + "L".join(" ".join(frame.at(x + dx, y + dy)) for dx, dy in corners) + "Z"


def _open_points(frame: BoardFrame, shown: Picture) -> Iterable[str]:
    """Yield the highlights of the open points."""
    squares = []
    for point in sorted(shown.open):
        x, y = frame.board.drawn_at(point)
        left, up = frame.at(x - 0.44, y - 0.44)
        squares.append(f'<rect x="{left}" y="{up}" width="{0.88 * UNIT}" height="{0.88 * UNIT}" rx="8"/>')
    yield from _group(squares, fill=_LIT, fill_opacity=0.42, stroke=_LIT, stroke_width=1.5)


def _filled_hexagons(frame: BoardFrame, shown: Picture) -> Iterable[str]:
    """Yield the hexagons that are complete rosettes, whose stones are immune."""
    board = frame.board
    whole = [
        face for face in board.faces if shown.marked.issuperset(face) and len({shown.stones[p] for p in face}) == 1
    ]
    path = "".join("M" + "L".join(" ".join(frame.point(p)) for p in _around(board, face)) + "Z" for face in whole)
    if path:
        yield f'<path d="{path}" fill="{_HEXAGON}"/>'


def _around(board: Board, face: Sequence[int]) -> Sequence[int]:
    """Return the points of a hexagon in the order in which they surround it."""
    walk = [face[0]]
    while len(walk) < len(face):
        walk.append(next(p for p in board.neighbours[walk[-1]] if p in face and p not in walk))
    return walk


def draw_labels(board: Board, frame: BoardFrame) -> Iterable[str]:
    rows = (_write(frame, *_cell_at(board, x, y), name) for name, x, y in row_labels(board))
    yield from _group(rows, text_anchor="middle", fill=_INK)
    columns = (_write(frame, *_cell_at(board, x, y), name) for name, x, y in column_labels(board))
    # Columns are in bold type, because row and column names share edges on a honeycomb.
    yield from _group(columns, text_anchor="middle", fill=_INK, font_weight="bold")


def _write(frame: BoardFrame, x: float, y: float, text: str) -> str:
    """Return a text element that is vertically centred on y."""
    left, base = frame.at(x, y + 0.35 * _TEXT)
    return f'<text x="{left}" y="{base}">{escape(text)}</text>'


# -- stones and marks -------------------------------------------------------------------------------------------------


def _stones(frame: BoardFrame, shown: Picture) -> Iterable[str]:
    board = frame.board
    taken = [point for point, colour in enumerate(shown.stones) if colour]
    radius = _STONE_IN_CELL if _has_cells(board) else _STONE
    shadows = (_circle(*frame.at(x + 0.04, y + 0.07), radius) for x, y in map(board.drawn_at, taken))
    yield from _group(shadows, fill="#3a2608", fill_opacity=0.3)
    for colour, stone in _STONES.items():
        stones = (_circle(*frame.point(point), radius) for point in taken if shown.stones[point] == colour)
        yield from _group(stones, fill=f"url(#gv-{COLOUR_LETTERS[colour]})", stroke=stone["edge"])


def _marks(frame: BoardFrame, shown: Picture) -> Iterable[str]:
    rings = (_circle(*frame.point(point), 0.36) for point in sorted(shown.marked))
    yield from _group(rings, fill="none", stroke=_MARK, stroke_width=4)
    if shown.last is not None:
        contrast = _STONES[shown.stones[shown.last]]["contrast"]
        yield from _group([_circle(*frame.point(shown.last), 0.19)], fill="none", stroke=contrast, stroke_width=3)
    crosses = [_cross(frame, point) for point in sorted(shown.tried) if not shown.stones[point]]
    yield from _group(crosses, stroke=_TRIED, stroke_width=4, stroke_linecap="round")


def _cross(frame: BoardFrame, point: int) -> str:
    x, y = frame.board.drawn_at(point)
    ends = [frame.at(x + dx, y + dy) for dx, dy in ((-0.2, -0.2), (0.2, 0.2), (-0.2, 0.2), (0.2, -0.2))]
    return '<path d="M{} {}L{} {}M{} {}L{} {}"/>'.format(*(number for end in ends for number in end))


def _heat(frame: BoardFrame, heat: Mapping[int, float]) -> Iterable[str]:
    """Yield a disc for each point with heat, in a shade from pale to blue."""
    warm = [(_circle(*frame.point(point), _STONE_IN_CELL), share) for point, share in sorted(heat.items()) if share > 0]
    yield from _group((disc for disc, _ in warm), fill=_PALE)
    for disc, share in warm:
        yield from _group([disc], fill=_MARK, fill_opacity=f"{min(share, 1):.2f}")


def _point_labels(
    frame: BoardFrame, shown: Picture, heat: Mapping[int, float], labels: Mapping[int, str]
) -> Iterable[str]:
    """Yield the labels on points, in white where the background is dark."""
    for point, text in sorted(labels.items()):
        x, y = frame.board.drawn_at(point)
        is_dark = heat.get(point, 0.0) > 0.5 or shown.stones[point] in (BLACK, RED)
        lines = text.split("\n")
        first = y - _LINE_OF_LABEL * (len(lines) - 1) / 2
        written = (_write(frame, x, first + _LINE_OF_LABEL * row, line) for row, line in enumerate(lines))
        yield from _group(written, text_anchor="middle", font_size=12, fill="#fff" if is_dark else _INK)


# -- below the board --------------------------------------------------------------------------------------------------


def _dice(frame: BoardFrame, faces: Sequence[int]) -> Iterable[str]:
    side = _number(_DIE * UNIT)
    for index, face in enumerate(faces):
        x, y = frame.left + 0.4 + index * (_DIE + 0.2), frame.bottom + 0.1
        left, up = frame.at(x, y)
        yield f'<rect x="{left}" y="{up}" width="{side}" height="{side}" rx="9" fill="#fffdf6" stroke="{_INK}"/>'
        middle = x + _DIE / 2, y + _DIE / 2
        if face not in _PIPS:
            yield from _group([_write(frame, *middle, str(face))], text_anchor="middle", font_weight="bold")
        pips = [(middle[0] + across * 0.32, middle[1] + down * 0.32) for across, down in _PIPS.get(face, ())]
        yield from _group((_circle(*frame.at(*pip), 0.12) for pip in pips), fill=_INK)


def _text(frame: BoardFrame, lines: Sequence[str]) -> Iterable[str]:
    x, y = frame.left + frame.text_left, frame.bottom + 0.1
    yield from _group(
        (_write(frame, x, y + _TEXT * (0.6 + 1.5 * index), line) for index, line in enumerate(lines)), fill=_INK
    )


# Minimum visits for showing a move on the board, as a share of the most visited move's visits.
_LEAST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move with its visits, and its expected share of the score (0 to 1) and prior, each None if unknown."""

    action: int
    visits: int
    share: float | None
    prior: float | None = None


def candidates_page(rules: Rules, at: Position | View, candidates: Sequence[Candidate], said: Sequence[str]) -> str:
    """Return an HTML `div` with the visits and the shares of the moves in a search.

    The `div` has the board, the lines `said`, and a table of the first moves.
    """
    position, view = (at.position, at) if isinstance(at, View) else (at, None)
    most, total = max((each.visits for each in candidates), default=0), sum(each.visits for each in candidates)
    shown = [each for each in candidates if each.action >= 0 and each.visits > _LEAST_SHARE * most]
    heat = {each.action: each.visits / most for each in shown}
    labels = {each.action: f"{percent(each.visits / total)}\n{percent(each.share)}" for each in shown}
    picture = svg(rules, position, view, heat=heat, labels=labels)
    names = {each.action: write_move(rules.board, each.action) for each in candidates}
    about = {"picture": picture, "said": said, "candidates": candidates, "names": names, "percent": percent}
    return render("records/drawing/candidates.html", **about)


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 as a percentage, such as `62%`, or "" if it is unknown."""
    return "" if share is None else f"{100 * share:.0f}%"


# Number of turns for which the last picture stays.
_LAST_TURNS = 4


def animate(game: Game, turn_s: float = 0.8) -> SvgText:
    """Return a game as an animated SVG document, with `turn_s` seconds per turn. Raises ValueError unless `turn_s` > 0.

    >>> import gtp_variants as gv
    >>> from gtp_variants.records.drawing.svg import animate
    >>> animate(gv.random_game(gv.parse("go:size=5"), seed=1, plies=3)).count("<animate") > 0
    True
    """
    if not turn_s > 0:
        raise ValueError(f"turn_s={turn_s}: expected more than 0")
    rules = game.rules
    moments = [picture(rules, game.positions[index]) for index in _find_moments(game)]
    shown = [replace(each, lines=(*each.lines, f"○ {each.mark}") if each.marked else each.lines) for each in moments]
    longest = max((line for each in shown for line in each.lines), key=len, default="")
    most = max(len(each.lines) for each in shown)
    frame = BoardFrame(rules.board, [longest] * most, max(len(each.faces) for each in shown))
    below, above = list[str](), list[str]()
    for (layer, element), when in sorted(_gather(frame, shown).items(), key=lambda drawn: drawn[0][0]):
        (above if layer else below).append(_show_during(element, when, len(shown), turn_s))
    colours = sorted({colour for each in shown for colour in each.stones} - {EMPTY})
    head, board = frame.head(rules.title, colours), (*draw_grid(rules.board, frame), *draw_labels(rules.board, frame))
    parts = [*head, *below, *board, *above, "</svg>"]
    return SvgText("\n".join(parts) + "\n")


def _find_moments(game: Game) -> list[int]:
    """Return the indices of the positions to show: the start, and the end of each turn, after any dice throw.

    If a turn has several tries, only the last one is shown.
    """
    events = game.events
    ends = [index + 1 for index, event in enumerate(events) if event.actor == CHANCE or game.is_turn(index)]
    # A throw is shown together with the move before it.
    shown = [end for end in ends if end == len(events) or events[end].actor != CHANCE]
    start = [] if events and events[0].actor == CHANCE else [0]
    return sorted({*start, *shown, len(events)})


def _gather(frame: BoardFrame, shown: Sequence[Picture]) -> dict[tuple[int, str], list[int]]:
    """Return a dict (layer, element) -> the numbers of the pictures that contain the element."""
    found: dict[tuple[int, str], list[int]] = {}
    stones: dict[tuple[int, int], str] = {}
    for number, each in enumerate(shown):
        for layer, element in draw_apart(frame, each, stones):
            if element:
                found.setdefault((layer, element), []).append(number)
    return found


def _show_during(element: str, numbers: Iterable[int], count: int, turn_s: float) -> str:
    """Return an element shown in pictures `numbers` of `count`; unanimated, it is visible only if in the last one."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    if len(runs) == 1 and len(runs[0]) == count:
        return element
    turns = count + _LAST_TURNS - 1
    values, times = ["none"], ["0"]
    for run in runs:
        if run[0] == 0:
            values, times = [], []
        values.append("inline")
        times.append(f"{run[0] / turns:.5f}" if run[0] else "0")
        if run[-1] + 1 < count:
            values.append("none")
            times.append(f"{(run[-1] + 1) / turns:.5f}")
    hidden = "" if runs[-1][-1] + 1 == count else ' display="none"'
    return (
        f"<g{hidden}>"
        f'<animate attributeName="display" calcMode="discrete" dur="{turns * turn_s:.2f}s" repeatCount="indefinite"'
        f' values="{";".join(values)}" keyTimes="{";".join(times)}"/>{element}</g>'
    )
