"""Chains that cannot be captured even if their owner always passes, and their territory: Benson's algorithm.

Source: D. B. Benson, "Life in the game of Go", Information Sciences 10, 1976.
"""

from collections.abc import Sequence
from itertools import combinations

from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import Lives, Stones, chains, liberties, never_immune


def unconditionally_alive(
    board: Board, stones: Stones, colour: int, lives: Lives = never_immune
) -> list[Sequence[int]]:
    """Return the unconditionally alive chains of a colour; `lives` returns True for a chain that needs no liberty.

    >>> import gtp_variants as gv
    >>> from gtp_variants.rules.boards.unconditional_life import unconditionally_alive
    >>> rules = gv.parse("go:size=5")
    >>> wall = {rules.board.point(vertex): gv.BLACK for vertex in ("A2", "B2", "B1", "C2", "D2", "D1")}
    >>> stones = rules.start(wall).stones
    >>> [rules.board.vertices_of(each) for each in unconditionally_alive(rules.board, stones, gv.BLACK)]
    [['A2', 'B1', 'B2', 'C2', 'D1', 'D2']]
    """
    found = [frozenset(members) for members in chains(board, stones) if stones[members[0]] == colour]
    safe = {members for members in found if lives(stones, members)}
    # The regions of points without a stone of the colour, except regions without an empty point.
    others = bytes(stone != colour for stone in stones)
    regions = [frozenset(each) for each in chains(board, others) if any(not stones[point] for point in each)]
    while True:
        kept = [members for members in found if members in safe or _count_eyes(board, stones, members, regions) > 1]
        points = {point for members in kept for point in members}
        walled = [region for region in regions if _border(board, stones, region, colour) <= points]
        if len(kept) == len(found) and len(walled) == len(regions):
            return [sorted(members) for members in kept]
        found, regions = kept, walled


def unconditional_territory(board: Board, stones: Stones, colour: int, lives: Lives = never_immune) -> set[int]:
    """Return the points inside a colour's unconditionally alive chains, in regions where no other colour can live.

    Another colour cannot live in a region without room for two eyes, on points that touch neither these chains nor each
    other. Stones of other colours in this territory are dead.

    >>> import gtp_variants as gv
    >>> from gtp_variants.rules.boards.unconditional_life import unconditional_territory
    >>> rules = gv.parse("go:size=5")
    >>> wall = {rules.board.point(vertex): gv.BLACK for vertex in ("A2", "B2", "B1", "C2", "D2", "D1")}
    >>> stones = rules.start(wall).stones
    >>> rules.board.vertices_of(sorted(unconditional_territory(rules.board, stones, gv.BLACK)))
    ['A1', 'C1']
    """
    alive = {point for members in unconditionally_alive(board, stones, colour, lives) for point in members}
    found = set[int]()
    if not alive:
        return found
    outside = bytes(point not in alive for point in range(len(board)))
    for region in map(frozenset, chains(board, outside)):
        eyes = [each for each in region if not alive.intersection(board.neighbours[each])]
        has_two = any(b not in board.neighbours[a] for a, b in combinations(eyes, 2))
        # Enemy stones around a full hexagon would live without eyes, so a region with a hexagon does not count.
        if not has_two and not any(region.issuperset(face) for face in board.faces):
            found |= region
    return found


def _border(board: Board, stones: Stones, region: frozenset[int], colour: int) -> set[int]:
    return {near for point in region for near in board.neighbours[point] if stones[near] == colour}


def _count_eyes(board: Board, stones: Stones, members: frozenset[int], regions: Sequence[frozenset[int]]) -> int:
    """Return the number of regions vital to a chain: regions in which every empty point is a liberty of the chain.

    A region with all six points around a hexagon does not count: enemy stones there would live and could fill it.
    """
    free = liberties(board, stones, members)
    return sum(
        all(stones[point] or point in free for point in region)
        and not any(region.issuperset(face) for face in board.faces)
        for region in regions
    )
