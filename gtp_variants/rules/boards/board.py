"""Boards as graphs of named points, with their geometry.

A point is an int from 0 to `len(board) - 1`, numbered row by row from the bottom. Every board is part of a grid of
`width` columns and `height` rows. A vertex is a point's name in GTP: the letters of its column (A..Z without I, then
AA, AB, ..., also without I) and its row, counted from 1 at the bottom.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import SupportsIndex

from gtp_variants.errors import IllegalMove, NotationError

Cell = tuple[int, int]

COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_VERTEX = re.compile(r"([A-Z]+)([0-9]+)")
_RECT_STEPS = ((0, -1), (-1, 0), (1, 0), (0, 1))
_HEX_STEPS = ((-1, -1), (0, -1), (-1, 0), (1, 0), (0, 1), (1, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """One board, as tables of its points.

    `cells`       grid cell (x, y) of each point, x from the left and y from the bottom, both from 0
    `neighbours`  adjacent points of each point, ascending
    `diagonals`   diagonal points of each point on square grids; empty tuples elsewhere
    `faces`       the points around each hexagon of a honeycomb; empty elsewhere
    `fives`       every run of five points in a straight line on boards of hexagons; empty elsewhere
    `rings`       distance of each point from the edge, 1 on the border; empty unless the board is a square
    `order`       all points by column, then row: the order of every list sent to a host
    `geometry`    "rect" or "hex": how the cells of the grid adjoin

    >>> import gtp_variants as gv
    >>> board = gv.parse("go:size=9").board
    >>> len(board), board.width, board.geometry
    (81, 9, 'rect')
    >>> board.point("E5"), board.vertex(40)
    (40, 'E5')
    >>> [board.vertex(near) for near in board.neighbours[board.point("A1")]]
    ['B1', 'A2']
    """

    width: int
    height: int
    geometry: str
    cells: tuple[Cell, ...]
    neighbours: tuple[tuple[int, ...], ...]
    diagonals: tuple[tuple[int, ...], ...]
    faces: tuple[tuple[int, ...], ...] = ()
    fives: tuple[tuple[int, ...], ...] = ()
    rings: tuple[int, ...] = ()
    # The function that made the board, and its arguments. A pickle holds these instead of the tables.
    maker: tuple[Callable[..., "Board"], tuple[int, ...]] | None = None
    vertices: tuple[str, ...] = field(init=False)
    order: tuple[int, ...] = field(init=False)
    _points: dict[Cell, int] = field(init=False, repr=False)
    _fives_at: tuple[tuple[tuple[int, ...], ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = {cell: point for point, cell in enumerate(self.cells)}
        vertices = tuple(f"{column_name(x)}{y + 1}" for x, y in self.cells)
        object.__setattr__(self, "_points", points)
        object.__setattr__(self, "vertices", vertices)
        through: list[list[tuple[int, ...]]] = [[] for _ in self.cells]
        for five in self.fives:
            for point in five:
                through[point].append(five)
        object.__setattr__(self, "_fives_at", tuple(map(tuple, through)))
        object.__setattr__(self, "order", tuple(sorted(range(len(self.cells)), key=self.cells.__getitem__)))

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[object, ...]:
        return self.maker or object.__reduce_ex__(self, protocol)

    def __len__(self) -> int:
        return len(self.cells)

    def at(self, x: int, y: int) -> int | None:
        """Return the point on grid cell (x, y), or None if that cell is not a point of this board."""
        return self._points.get((x, y))

    def rows(self) -> list[list[int | None]]:
        """Return the points row by row from the top left, with None for cells of the grid that are not points."""
        return [[self.at(x, y) for x in range(self.width)] for y in reversed(range(self.height))]

    def vertices_of(self, points: Iterable[int]) -> list[str]:
        """Return the vertices of points, by column and then row."""
        return [self.vertices[point] for point in self.in_order(points)]

    def point(self, vertex: str) -> int:
        """Return the point that a vertex names, in upper or lower case.

        Raises NotationError for a text that is not a vertex, and IllegalMove("off board") for a vertex not on this
        board.
        """
        x, y = read_vertex(vertex)
        point = self._points.get((x, y))
        if point is None:
            raise IllegalMove("off board", f"{vertex.upper()[:20]} is not a point of this board")
        return point

    def vertex(self, point: int) -> str:
        """Return the vertex of a point. Raises NotationError for any other action, such as PASS."""
        if not 0 <= point < len(self.vertices):
            raise NotationError(f"{point} is not a point of this board: expected 0 to {len(self.vertices) - 1}")
        return self.vertices[point]

    def fives_at(self, point: int) -> tuple[tuple[int, ...], ...]:
        """Return the runs of five that go through a point."""
        return self._fives_at[point]

    def in_order(self, points: Iterable[int]) -> list[int]:
        """Return the points by column, then row."""
        return sorted(points, key=self.cells.__getitem__)

    def edges(self) -> list[tuple[int, int]]:
        """Return every pair of adjacent points once, the smaller first."""
        return [(p, q) for p, near in enumerate(self.neighbours) for q in near if p < q]

    def drawn_at(self, point: int) -> tuple[float, float]:
        """Return the place of a point in a drawing: x to the right and y down, with neighbours one unit apart."""
        x, y = self.cells[point]
        if self.geometry == "rect":
            return float(x), float(self.height - 1 - y)
        return x - y / 2, (self.height - 1 - y) * _ROW_HEIGHT


_ROW_HEIGHT = 3**0.5 / 2


def column_name(x: int) -> str:
    """Return the letters of column x, counted from 0: A..Z without I, then AA, AB, ..."""
    name = ""
    x += 1
    while x:
        x, digit = divmod(x - 1, len(COLUMN_LETTERS))
        name = COLUMN_LETTERS[digit] + name
    return name


def read_vertex(vertex: str) -> Cell:
    """Return the grid cell that a vertex names, on a board of any size. Raises NotationError for any other text."""
    # Check the type, because callers in Python may pass a value that is not a str.
    word = vertex.upper() if isinstance(vertex, str) and vertex.isascii() else ""
    match = _VERTEX.fullmatch(word)
    if match is None:
        raise NotationError(f"invalid colour or vertex: {str(vertex)[:20]} (a vertex is like D4)")
    letters, digits = match.groups()
    if "I" in letters:
        raise NotationError(f"invalid colour or vertex: {vertex[:20]} (there is no column {letters[:10]})")
    row = digits.lstrip("0")
    if not row:
        raise NotationError(f"invalid colour or vertex: {vertex[:20]} (rows count from 1)")
    x = 0
    # Cut longer vertices, which no board has, to keep hostile numbers small.
    for letter in letters[:8]:
        x = x * len(COLUMN_LETTERS) + COLUMN_LETTERS.index(letter) + 1
    return x - 1, int(row[:9]) - 1


def _link(cells: Sequence[Cell], steps: Iterable[Cell]) -> tuple[tuple[int, ...], ...]:
    points = {cell: point for point, cell in enumerate(cells)}
    around = tuple(steps)
    return tuple(
        tuple(sorted(points[x + dx, y + dy] for dx, dy in around if (x + dx, y + dy) in points)) for x, y in cells
    )


def rings(size: int) -> tuple[int, ...]:
    """Return the line of each point, counted from the edge: 1 on the border, (size + 1) // 2 at the centre.

    Shape (size * size,), row by row from A1. Raises ValueError if size < 1. Source: 000_b028ddfe0fa096f3.txt, "Tirage
    de la ligne".
    """
    if size < 1:
        raise ValueError(f"size {size}: expected 1 or more")
    last = size - 1
    return tuple(1 + min(x, y, last - x, last - y) for y in range(size) for x in range(size))


@cache
def rectangle(width: int, height: int) -> Board:
    """Return a board of width by height points on a square grid, with `rings` if it is a square."""
    cells = tuple((x, y) for y in range(height) for x in range(width))
    return Board(
        width,
        height,
        "rect",
        cells,
        _link(cells, _RECT_STEPS),
        _link(cells, ((-1, -1), (1, -1), (-1, 1), (1, 1))),
        rings=rings(width) if width == height else (),
        maker=(rectangle, (width, height)),
    )


@cache
def honeycomb(n: int) -> Board:
    """Return a board with n hexagons along each side: 6n² points at their corners, 9n² - 3n edges, 3n(n-1)+1 faces.

    The corners lie on a triangular lattice of 4n - 1 cells along each side. Every third cell is the centre of a
    hexagon if it is less than n hexagons from the middle. The points are the neighbours of the centres. Source:
    002_de0d3e2916539ccb.txt, "MATERIEL" (n = 7: 294 intersections).
    """
    side, middle = 4 * n - 1, 2 * n - 1
    centres = []
    for y in range(side):
        for x in range(side):
            dx, dy = x - middle, y - middle
            if (dx + dy) % 3 == 0:
                a, b = (2 * dx - dy) // 3, (2 * dy - dx) // 3
                if max(abs(a), abs(b), abs(a + b)) < n:
                    centres.append((x, y))
    taken = set(centres)
    around = [[(x + dx, y + dy) for dx, dy in _HEX_STEPS if (x + dx, y + dy) not in taken] for x, y in centres]
    cells = tuple(sorted({cell for ring in around for cell in ring}, key=lambda cell: (cell[1], cell[0])))
    points = {cell: point for point, cell in enumerate(cells)}
    faces = tuple(tuple(sorted(points[cell] for cell in ring)) for ring in around)
    links, diagonals = _link(cells, _HEX_STEPS), ((),) * len(cells)
    return Board(side, side, "hex", cells, links, diagonals, faces=faces, maker=(honeycomb, (n,)))


def honeycomb_centres(board: Board) -> list[Cell]:
    """Return the grid cells at the centres of a honeycomb's hexagons. These cells are not points; hosts darken them."""
    return [
        (sum(board.cells[p][0] for p in face) // 6, sum(board.cells[p][1] for p in face) // 6) for face in board.faces
    ]


@cache
def trapezoid() -> Board:
    """Return a board of 70 hexagons in rows of 7 to 13: the lower half of a big hexagon with seven along each side.

    Source: 004_245878c87de04f55.txt, "seven cells on the short sides, giving a total of 70 cells".
    """
    return _hexagons(trapezoid, 13, tuple((x, y) for y in range(7) for x in range(y + 7)))


@cache
def hexhex5() -> Board:
    """Return Yavalath's board of 61 hexagons, five along each side, on which Pentalath can be played too."""
    return _hexagons(hexhex5, 9, tuple((x, y) for y in range(9) for x in range(9) if abs(x - y) <= 4))


def _hexagons(maker: Callable[[], Board], side: int, cells: tuple[Cell, ...]) -> Board:
    points = {cell: point for point, cell in enumerate(cells)}
    fives = []
    for x, y in cells:
        for dx, dy in ((1, 0), (0, 1), (1, 1)):
            run = [points.get((x + i * dx, y + i * dy)) for i in range(5)]
            if None not in run:
                fives.append(tuple(point for point in run if point is not None))
    links, diagonals = _link(cells, _HEX_STEPS), ((),) * len(cells)
    return Board(side, side, "hex", cells, links, diagonals, fives=tuple(fives), maker=(maker, ()))
