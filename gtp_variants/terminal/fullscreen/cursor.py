"""A cursor on a board, moved by arrows along rows and columns, and by the diagonals of the grid or honeycomb."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from gtp_variants.rules.boards.board import Board, Cell

# What a step does to the cell, on a square grid and on a hexagonal one, whose rows are shifted by half a cell.
_RECT: Mapping[str, Cell] = MappingProxyType(
    {"up-left": (-1, 1), "up-right": (1, 1), "down-left": (-1, -1), "down-right": (1, -1)}
)
_HEX: Mapping[str, Cell] = MappingProxyType(
    {"up-left": (0, 1), "up-right": (1, 1), "down-left": (-1, -1), "down-right": (0, -1)}
)


class BoardCursor:
    """The point that is pointed at; it begins in the middle of the board."""

    def __init__(self, board: Board) -> None:
        self.board = board
        places = [board.drawn_at(point) for point in range(len(board))]
        self._middle = (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))
        self._has_moved = False
        self._begin_among(range(len(board)))

    def begin_at(self, points: Collection[int]) -> None:
        """Stand on one of the points that may be played, the nearest to the middle, as long as nobody has moved it."""
        if points and not self._has_moved:
            self._begin_among(points)

    def _begin_among(self, points: Collection[int]) -> None:
        self.point = min(points, key=lambda p: (_distance(self.board.drawn_at(p), self._middle), p))
        # Where the cursor wants to be, to the right, while it goes up and down.
        self._wanted = self.board.drawn_at(self.point)[0]

    def go_to(self, point: int) -> None:
        """Point at a point."""
        self.point, self._has_moved = point, True
        self._wanted = self.board.drawn_at(point)[0]

    def move(self, direction: str) -> bool:
        """One step: left, right, up, down, up-left, up-right, down-left or down-right; whether there was room for it.

        Up and down go to the nearest point of the next row, and keep to their line over several rows.
        """
        if direction in ("up", "down"):
            found = self._in_next_row(1 if direction == "up" else -1)
            if found is not None:
                self.point, self._has_moved = found, True
            return found is not None
        steps = _HEX if self.board.geometry == "hex" else _RECT
        dx, dy = {"left": (-1, 0), "right": (1, 0)}.get(direction) or steps[direction]
        point = self._along(dx, dy)
        if point is not None:
            self.go_to(point)
        return point is not None

    def _along(self, dx: int, dy: int) -> int | None:
        """The next point in a direction, holes of the board left out."""
        x, y = self.board.cells[self.point]
        while 0 <= x + dx < self.board.width and 0 <= y + dy < self.board.height:
            x, y = x + dx, y + dy
            point = self.board.at(x, y)
            if point is not None:
                return point
        return None

    def _in_next_row(self, step: int) -> int | None:
        row = self.board.cells[self.point][1] + step
        points = [point for point, (_, y) in enumerate(self.board.cells) if y == row]
        return min(points, key=lambda p: abs(self.board.drawn_at(p)[0] - self._wanted), default=None)


def _distance(first: tuple[float, float], other: tuple[float, float]) -> float:
    return (first[0] - other[0]) ** 2 + (first[1] - other[1]) ** 2
