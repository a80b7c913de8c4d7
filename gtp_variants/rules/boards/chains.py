"""Chains and their liberties on any board: the part of the rules that all games share.

`stones` has one byte per point: EMPTY, BLACK, WHITE or RED.
"""

from collections.abc import Callable, Collection, Sequence

from gtp_variants.rules.boards.board import Board

Stones = bytes | bytearray
Lives = Callable[[Stones, Collection[int]], bool]

_MAX_COLOURS = 4
_SMALLEST_SACRIFICE = 2


def chain(board: Board, stones: Stones, point: int) -> list[int]:
    """Return the points of the chain that contains `point`, with `point` first; for an empty point, its empty region.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> stones = rules.start({rules.board.point(vertex): gv.BLACK for vertex in ("A1", "A2", "C3")}).stones
    >>> rules.board.vertices_of(gv.chain(rules.board, stones, rules.board.point("A1")))
    ['A1', 'A2']
    """
    neighbours, colour = board.neighbours, stones[point]
    members, seen = [point], {point}
    for member in members:
        for near in neighbours[member]:
            if stones[near] == colour and near not in seen:
                seen.add(near)
                members.append(near)
    return members


def breathless(board: Board, stones: Stones, point: int) -> list[int] | None:
    """Return the chain that contains `point` if it has no liberty, else None."""
    neighbours, colour = board.neighbours, stones[point]
    members, seen = [point], {point}
    for member in members:
        for near in neighbours[member]:
            there = stones[near]
            if not there:
                return None
            if there == colour and near not in seen:
                seen.add(near)
                members.append(near)
    return members


def liberties(board: Board, stones: Stones, members: Collection[int]) -> set[int]:
    """Return the empty points next to the members of a chain.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> stones = rules.start({rules.board.point("A1"): gv.BLACK}).stones
    >>> rules.board.vertices_of(sorted(gv.liberties(rules.board, stones, [rules.board.point("A1")])))
    ['A2', 'B1']
    """
    return {near for member in members for near in board.neighbours[member] if not stones[near]}


def chains(board: Board, stones: Stones) -> list[list[int]]:
    """Return every chain of stones once, in the order of its lowest point."""
    seen: set[int] = set()
    found = []
    for point, colour in enumerate(stones):
        if colour and point not in seen:
            members = chain(board, stones, point)
            seen.update(members)
            found.append(members)
    return found


def last_liberties(board: Board, stones: Stones, spared: int) -> set[int]:
    """Return the points that are the only liberty of a chain whose colour is not `spared`."""
    neighbours = board.neighbours
    seen: set[int] = set()
    found: set[int] = set()
    for start, colour in enumerate(stones):
        if not colour or colour == spared or start in seen:
            continue
        members = [start]
        seen.add(start)
        only = -1
        several = False
        for member in members:
            for near in neighbours[member]:
                there = stones[near]
                if there == colour:
                    if near not in seen:
                        seen.add(near)
                        members.append(near)
                elif not there and near != only:
                    several = only >= 0
                    only = near if only < 0 else only
                    if several:
                        break
            if several:
                # The chain has at least two liberties; only mark its other stones as seen.
                for other in members:
                    for near in neighbours[other]:
                        if stones[near] == colour and near not in seen:
                            seen.add(near)
                            members.append(near)
                break
        if only >= 0 and not several:
            found.add(only)
    return found


def never_immune(stones: Stones, members: Collection[int]) -> bool:
    """Return False: in most games no chain lives without a liberty."""
    return False


def place(
    board: Board, stones: bytes, colour: int, point: int, lives: Lives = never_immune, may_stand: Lives = never_immune
) -> tuple[bytes, tuple[int, ...]] | None:
    """Place a stone on an empty point, then remove enemy chains without a liberty, unless the placement is suicide.

    Returns the stones afterwards and the captured points in ascending order, or None if the placement is suicide.
    `lives` returns True for an enemy chain that stays without a liberty, and `may_stand` for an own chain that needs no
    liberty. Source: 002_de0d3e2916539ccb.txt, "CAPTURE"; 004_245878c87de04f55.txt, "CAPTURE", "No suicide".
    """
    after = bytearray(stones)
    after[point] = colour
    taken: set[int] = set()
    has_liberty = False
    for near in board.neighbours[point]:
        there = after[near]
        if not there:
            has_liberty = True
        elif there != colour and near not in taken:
            members = breathless(board, after, near)
            if members is not None and not lives(after, members):
                taken.update(members)
    if taken:
        # A captured chain touches the new stone, so the stone's chain now has a liberty.
        for member in taken:
            after[member] = 0
    elif not has_liberty:
        members = breathless(board, after, point)
        if members is not None and not may_stand(after, members):
            return None
    return bytes(after), tuple(sorted(taken))


def ko_point(board: Board, stones: Stones, point: int, taken: Sequence[int]) -> int | None:
    """Return the point that a simple ko forbids after a stone on `point` has captured `taken`, or None without a ko."""
    is_ko = len(taken) == 1 and liberties(board, stones, chain(board, stones, point)) == set(taken)
    return taken[0] if is_ko and all(stones[near] != stones[point] for near in board.neighbours[point]) else None


def sacrifice(
    board: Board, stones: bytes, colour: int, point: int, lives: Lives = never_immune
) -> tuple[bytes, tuple[int, ...]] | None:
    """Place a stone that leaves its own chain without a liberty, and remove that chain.

    Returns the stones afterwards and the removed points in ascending order, including the new stone. Returns None if
    the chain has a liberty or only one stone, or if `lives` returns True for it.
    """
    after = bytearray(stones)
    after[point] = colour
    removed = tuple(sorted(breathless(board, after, point) or ()))
    if len(removed) < _SMALLEST_SACRIFICE or lives(after, removed):
        return None
    return without(bytes(after), removed), removed


def area(board: Board, stones: Stones) -> list[int]:
    """Return the size of each colour's area, indexed by colour: its stones, and empty regions that only it touches.

    Index 0 counts the neutral points. Source: 002_de0d3e2916539ccb.txt, "TERRITOIRE", "FIN".
    """
    return [len(owned) for owned in areas(board, stones)]


def areas(board: Board, stones: Stones) -> list[list[int]]:
    """Return the points that `area` counts for each colour, indexed by colour; index 0 has the neutral points."""
    owned: list[list[int]] = [[] for _ in range(_MAX_COLOURS)]
    seen: set[int] = set()
    for point, colour in enumerate(stones):
        if colour:
            owned[colour].append(point)
        elif point not in seen:
            region = chain(board, stones, point)
            seen.update(region)
            border = {stones[near] for member in region for near in board.neighbours[member]} - {0}
            owned[border.pop() if len(border) == 1 else 0].extend(region)
    return owned


def is_eye(board: Board, stones: Stones, point: int, colour: int) -> bool:
    """Return True if an empty point is an eye that `colour` should not fill.

    All its neighbours must have the colour. On square grids at most one diagonal point may have an enemy stone (none at
    the edge). On other boards, every chain around the point must have another liberty.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> stones = rules.start({rules.board.point(vertex): gv.BLACK for vertex in ("A2", "B1", "B2")}).stones
    >>> gv.is_eye(rules.board, stones, rules.board.point("A1"), gv.BLACK)
    True
    """
    if stones[point] or any(stones[near] != colour for near in board.neighbours[point]):
        return False
    if board.geometry == "rect":
        corners = board.diagonals[point]
        enemies = sum(1 for corner in corners if stones[corner] not in (0, colour))
        return enemies <= (1 if len(corners) == 4 else 0)
    return all(len(liberties(board, stones, chain(board, stones, near))) > 1 for near in board.neighbours[point])


def without(stones: bytes, points: Sequence[int] | Collection[int]) -> bytes:
    """Return the stones with `points` emptied."""
    after = bytearray(stones)
    for point in points:
        after[point] = 0
    return bytes(after)
