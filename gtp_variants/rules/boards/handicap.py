"""Points for handicap stones on any board."""

from gtp_variants.rules.boards.board import Board

_FEWEST = 2
# Maximum stones of a free handicap. GTP allows an engine to place fewer than it was asked to.
_MOST = 60


def fixed_points(board: Board, count: int) -> list[int] | None:
    """Return the points of a fixed handicap on a rectangle, by column, then row; None for an unsupported number.

    The maximum is nine stones if both sides are odd and at least 9, none if a side is below 7, otherwise four. Stones
    are on line 3 of a side below 13, otherwise on line 4. Source: the GTP version 2 draft, 4.1.1.
    """
    sides = board.width, board.height
    most = 0 if min(sides) < 7 else 4 if any(side % 2 == 0 or side == 7 for side in sides) else 9
    if not _FEWEST <= count <= most:
        return None
    lows = [2 if side < 13 else 3 for side in sides]
    (left, low), (right, high) = lows, [side - 1 - line for side, line in zip(sides, lows, strict=True)]
    centre, middle = (side // 2 for side in sides)
    cells = [(left, low), (right, high), (left, high), (right, low)][: min(count, 4)]
    if count >= 6:
        cells += [(left, middle), (right, middle)]
    if count >= 8:
        cells += [(centre, low), (centre, high)]
    if count in (5, 7, 9):
        cells.append((centre, middle))
    return board.in_order(y * board.width + x for x, y in cells)


def free_points(board: Board, count: int) -> list[int] | None:
    """Return points for a free handicap: the fixed points for `count`, or else points far from each other and the edge.

    Returns None for fewer than two stones or a board of at most two points. Returns at most `_MOST` points, and leaves
    at least one point of the board empty.
    """
    if count < _FEWEST or len(board) <= _FEWEST:
        return None
    if board.geometry == "rect":
        fixed = fixed_points(board, count)
        if fixed is not None:
            return fixed
    count = min(count, len(board) - 1, _MOST)
    most = max(map(len, board.neighbours))
    rim = _distances(board, [point for point, near in enumerate(board.neighbours) if len(near) < most])
    chosen: list[int] = []
    nearest = [len(board)] * len(board)
    while len(chosen) < count:
        best = max((min(nearest[p], 2 * rim[p] + 2), rim[p], -p) for p in range(len(board)) if nearest[p])
        chosen.append(-best[2])
        nearest = [min(old, new) for old, new in zip(nearest, _distances(board, chosen[-1:]), strict=True)]
    return board.in_order(chosen)


def _distances(board: Board, sources: list[int]) -> list[int]:
    """Return the number of steps from each point to the nearest source."""
    distances = [-1] * len(board)
    for source in sources:
        distances[source] = 0
    queue = list(sources)
    for point in queue:
        for near in board.neighbours[point]:
            if distances[near] < 0:
                distances[near] = distances[point] + 1
                queue.append(near)
    return distances
