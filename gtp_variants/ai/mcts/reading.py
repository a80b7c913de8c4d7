"""Reading in Go: whether a chain can be captured, or two chains cut apart, by moves close to them.

A proof-number search (df-pn) tries every sequence that `_Aim.moves` suggests. The attack works if the chain is captured
or the chains are apart. It fails if the chain has many liberties, the chains are joined, a board recurs or reading
takes too many steps. Reading is exact in ladders, where playouts are not. Playouts judge whether a large group lives
(`search_life`).

Chains are read twice: first neither side may retake a ko at once, then one side always may. The two results show which
side needs a ko threat.

Source: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from gtp_variants.ai.mcts.settings import AvoidedMove, make_settings
from gtp_variants.ai.mcts.tree_search import make_playout_tree
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import chain, ko_point, last_liberties, liberties, place
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# Maximum steps for reading a capture, and for reading a connection, where each step takes longer.
_MOST_STEPS, _MOST_CUT_STEPS = 3000, 1000
# Depth, in moves, up to which reading looks beyond the liberties of the chain.
_WIDE = 3
# Number of liberties with which a chain escapes if the attacker moves next, and if its owner moves next.
_FREE, _FREE_TO_MOVE = 5, 4
# Number of playouts in a search for life, and the search's maximum distance from the chain, in empty points.
_PLAYOUTS, _REACH = 1000, 6
_ALWAYS = 10_000
# Two chains are apart if joining them takes `_APART` moves. A capture may join them if the enemy chain has at most
# `_CAPTURED_IN` liberties.
_APART, _CAPTURED_IN = 5, 2
_PROVED = 10**9


class Reading(IntEnum):
    """The result of reading, for the side that moves first, as in GNU Go."""

    FAILS = 0
    WORKS = 1
    # TAKES_KO: this side takes a ko first, and the other side needs a threat. NEEDS_THREAT: the reverse.
    TAKES_KO = 2
    NEEDS_THREAT = 3


@dataclass(frozen=True, slots=True)
class _Spot:
    """A position in reading. `ko` is the point that a ko bars, or None."""

    stones: bytes
    mover: int
    ko: int | None = None


class _Aim:
    """The attacker's aim: to capture the chain at `point`, or to cut it from the chain at `other`."""

    def __init__(self, board: Board, stones: bytes, point: int, other: int | None) -> None:
        self._board, self.point, self.other = board, point, other
        self.owner = stones[point]
        self.attacker = 3 - self.owner

    def judge(self, spot: _Spot) -> tuple[bool | None, int]:
        """Return True if the attack has worked, False if it has failed, else None; and how many moves it may take."""
        stones, is_attack = spot.stones, spot.mover == self.attacker
        if stones[self.point] != self.owner or (self.other is not None and stones[self.other] != self.owner):
            return True, 0
        members = chain(self._board, stones, self.point)
        if self.other is None:
            count = len(liberties(self._board, stones, members))
            return False if count >= (_FREE if is_attack else _FREE_TO_MOVE) else None, count
        if self.other in members:
            return False, 0
        apart = self._distances(stones, self.point).get(self.other, _APART)
        return True if apart >= _APART else None, max(1, _APART - apart)

    def moves(self, spot: _Spot, *, is_wide: bool) -> list[int]:
        """Return the points worth trying for the side to move; if `is_wide`, also points one step from liberties."""
        stones = spot.stones
        points = [self.point] if self.other is None else [self.point, self.other]
        beside, near = set[int](), set[int]()
        for point in points:
            members = chain(self._board, stones, point)
            beside |= liberties(self._board, stones, members)
            near |= {n for member in members for n in self._board.neighbours[member] if stones[n] == self.attacker}
        best = beside if self.other is None else self._between(stones)
        found = set(best)
        if self.other is None and len(beside) > 1 and is_wide:
            found |= liberties(self._board, stones, beside)
        while near:
            enemies = chain(self._board, stones, near.pop())
            near.difference_update(enemies)
            left = liberties(self._board, stones, enemies)
            if len(left) <= (len(beside) + 1 if spot.mover == self.owner else min(2, len(beside))):
                # The owner may capture the enemy chain; the attacker may save it, perhaps by a capture.
                found |= left
                found |= last_liberties(self._board, stones, self.attacker) if spot.mover == self.attacker else set()
        return sorted(found, key=lambda point: (point not in best, point))

    def _between(self, stones: bytes) -> set[int]:
        """Return the empty points on the shortest paths between the chains, and on paths one move longer."""
        one, other = self._distances(stones, self.point), self._distances(stones, self.other or 0)
        least = one.get(self.other or 0, _APART)
        return {p for p in one if not stones[p] and one[p] + other.get(p, _APART) - 1 <= least + 1}

    def _distances(self, stones: bytes, start: int) -> dict[int, int]:
        """Return each near point's distance from a chain, in moves of its owner. Captures count as moves."""
        distance = {start: 0}
        rings: list[list[int]] = [[start], *([] for _ in range(_APART))]
        captures: dict[int, int] = {}
        for steps, ring in enumerate(rings):
            for point in ring:
                for near in self._board.neighbours[point] if distance[point] == steps else ():
                    if stones[near] == self.attacker and near not in captures:
                        members = chain(self._board, stones, near)
                        left = len(liberties(self._board, stones, members))
                        captures.update(dict.fromkeys(members, left if left <= _CAPTURED_IN else _APART))
                    # A capture is counted once, on entering the chain: its stones are captured together.
                    is_new = point not in captures
                    cost = steps + (captures[near] if is_new and near in captures else stones[near] == EMPTY)
                    if cost < distance.get(near, _APART):
                        distance[near] = cost
                        rings[cost].append(near)
        return distance


class _Proof:
    """A proof-number search. `free` is the colour that may retake kos at once, or EMPTY for neither."""

    def __init__(self, board: Board, aim: _Aim, free: int) -> None:
        self._board, self._aim, self._free = board, aim, free
        # Proof and disproof numbers: how hard it is to prove that a position's mover reaches its aim, or fails.
        self._numbers: dict[_Spot, tuple[int, int]] = {}
        self._children: dict[_Spot, list[tuple[int, _Spot]]] = {}
        self._path: set[_Spot] = set()
        self._left = _MOST_STEPS if aim.other is None else _MOST_CUT_STEPS

    def solve(self, spot: _Spot) -> tuple[bool, int]:
        """Return True if the side to move reaches its aim, and its move. An attack without a proof fails."""
        if self._aim.judge(spot)[0] is None:
            self._search(spot, _PROVED, _PROVED)
        own, against = self._look(spot)
        move = min(self.children(spot), key=lambda each: self._look(each[1])[1], default=(PASS, spot))[0]
        return own == 0 if spot.mover == self._aim.attacker else against != 0, move

    def _look(self, spot: _Spot) -> tuple[int, int]:
        known = self._numbers.get(spot)
        if known is None:
            has_won, count = self._aim.judge(spot)
            # An owner who may always retake a ko recaptures the stone, so the attack has not worked.
            has_won = has_won and not (spot.ko == self._aim.point and self._free == self._aim.owner)
            is_attack = spot.mover == self._aim.attacker
            if has_won is None:
                known = (count, 1) if is_attack else (1, count)
            else:
                known = (0, _PROVED) if has_won == is_attack else (_PROVED, 0)
            self._numbers[spot] = known
        return known

    def _search(self, spot: _Spot, most: int, most_against: int) -> None:
        self._path.add(spot)
        self._left -= 1
        children = [child for _, child in self.children(spot)]
        while True:
            seen = [self._look_from(child) for child in children]
            own = min((against for _, against in seen), default=_PROVED)
            against = min(_PROVED, sum(number for number, _ in seen))
            self._numbers[spot] = own, against
            if own >= most or against >= most_against or self._left <= 0:
                break
            best = min(range(len(seen)), key=lambda i: seen[i][1])
            second = min((number for i, (_, number) in enumerate(seen) if i != best), default=_PROVED)
            self._search(children[best], most_against - against + seen[best][0], min(most, second + 1))
        self._path.discard(spot)

    def _look_from(self, child: _Spot) -> tuple[int, int]:
        """Return a child's proof numbers; a board that recurs on the path counts as a failed attack."""
        if child in self._path:
            return (_PROVED, 0) if child.mover == self._aim.attacker else (0, _PROVED)
        return self._look(child)

    def children(self, spot: _Spot) -> list[tuple[int, _Spot]]:
        """Return the moves of a position, each with the resulting position. The chain's owner may pass."""
        known = self._children.get(spot)
        if known is None:
            known = self._children[spot] = list(self._make_children(spot))
        return known

    def _make_children(self, spot: _Spot) -> Iterator[tuple[int, _Spot]]:
        other = 3 - spot.mover
        for point in self._aim.moves(spot, is_wide=len(self._path) <= _WIDE):
            if point == spot.ko and self._free != spot.mover:
                continue
            placed = place(self._board, spot.stones, spot.mover, point)
            if placed is None:
                continue
            stones, taken = placed
            yield point, _Spot(stones, other, ko_point(self._board, stones, point, taken))
        if spot.mover == self._aim.owner:
            yield PASS, _Spot(spot.stones, other)


def read_capture(
    rules: Rules, position: Position, first: int, point: int, other: int | None = None
) -> tuple[Reading, int]:
    """Return the result of `first` moving first to capture or save the chain at `point`, and the move (PASS: it fails).

    With `other`, a point of the same colour, the aim is to cut the two chains apart or to join them.
    """
    board, last = rules.board, position.last
    ko = ko_point(board, position.stones, last.action, position.captured) if last and last.action >= 0 else None
    spot, aim = _Spot(position.stones, first, ko), _Aim(board, position.stones, point, other)
    works, move = _Proof(board, aim, EMPTY).solve(spot)
    # Solve the position again with kos that favour the loser of the first solution, who may always retake a ko.
    surely, sure_move = _Proof(board, aim, 3 - first if works else first).solve(spot)
    if works:
        return (Reading.WORKS, sure_move) if surely else (Reading.TAKES_KO, move)
    return (Reading.NEEDS_THREAT, sure_move) if surely else (Reading.FAILS, PASS)


def search_life(rules: Rules, position: Position, first: int, point: int) -> tuple[Reading, int]:
    """Return the result of `first` moving first to kill or save the group at `point`, by playouts, and the move.

    Only moves within `_REACH` empty points of the chain are tried.
    """
    stones, distance, queue = position.stones, {point: 0}, [point]
    for here in queue:
        for near in rules.board.neighbours[here]:
            steps = distance[here] + (stones[near] == EMPTY)
            if near not in distance and steps <= _REACH:
                distance[near] = steps
                queue.append(near)
    far = [AvoidedMove(colour, p, _ALWAYS) for p in range(len(stones)) if p not in distance for colour in rules.colours]
    wanted = {"seed": 0, "playouts": _PLAYOUTS, "stop_early": True}
    settings = make_settings(**{**rules.profile.search_defaults, **wanted})
    start = rules.start({p: colour for p, colour in enumerate(stones) if colour}, first)
    found = make_playout_tree(rules, start, settings, far, point).think(settings)
    return Reading(found.values[rules.colours.index(first)] > 0.5), found.action
