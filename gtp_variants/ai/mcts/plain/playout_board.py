"""A fast board for playouts, updated stone by stone; `kernel/playouts/playout_board.hpp` is its C++ twin."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Self

from gtp_variants.rules.actions import BLACK, EMPTY, WHITE
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

NONE = -1

_ENDLESS = 1 << 30


class BoardTables:
    """The constant tables shared by all boards of one configured game.

    `buckets` is the number of lists of empty points: with dice, if `dice_aware`, one per line and one for all other
    points; otherwise 1.
    """

    def __init__(self, rules: Rules, dice_aware: bool = True) -> None:
        board = rules.board
        facts: dict[str, Any] = dict(rules.profile.kernel_facts(rules))
        self.rules = rules
        self.facts = facts
        self.points = points = len(board)
        self.neighbours = board.neighbours
        self.is_grid = board.geometry == "rect"
        self.degree = 4 if self.is_grid else 3 if board.faces else 6
        self.diagonals = board.diagonals
        # Number of enemy stones on an eye's diagonal points that makes the eye false.
        self.false_at = [2 if len(corners) == 4 else 1 for corners in board.diagonals]
        self.gaps = [self.degree - len(near) for near in board.neighbours]
        has_dice = isinstance(rules, DicedRules) and dice_aware
        line_of = rules.lines if isinstance(rules, DicedRules) and has_dice else (0,) * points
        self.lines = sorted(set(line_of) - {0})
        self.buckets = len(self.lines) + 1
        self.bucket_of = [self.lines.index(line) if line else len(self.lines) for line in line_of]
        self.supply = rules.supply or (_ENDLESS,) * 4
        # A chain that occupies all corners of a face is immune; it may then be allowed to fill its own last liberty.
        self.immunity = bool(facts.get("immunity"))
        self.immune_suicide = bool(facts.get("rosette_suicide"))
        self.faces_at = [[face for face in board.faces if point in face] for point in range(points)]
        self.has_fives = bool(board.fives)
        self.fives_at = [board.fives_at(point) for point in range(points)]
        # Games scored by area have a simple ko. In other games, a move may capture own chains unless five in a row win.
        self.is_area = rules.is_scored
        self.takes_own = not self.is_area and not board.fives


@lru_cache(maxsize=16)
def board_tables(rules: Rules, dice_aware: bool = True) -> BoardTables:
    """Return the cached tables for a configured game."""
    return BoardTables(rules, dice_aware)


class PlayoutBoard:
    """Stones and chains. A chain is identified by one of its points; a liberty counts once per adjacent stone."""

    __slots__ = tuple("around chain colour empties has_five is_immune ko liberties next size stones tables".split())

    def __init__(self, tables: BoardTables) -> None:
        points = tables.points
        self.tables = tables
        self.colour = [EMPTY] * points
        self.chain = [points] * points
        self.next = list(range(points))
        # Four bits per colour: the number of neighbours with this colour. Points off the board count for all colours.
        self.around = [gaps * 0x1110 + tables.degree - gaps for gaps in tables.gaps]
        self.liberties = [0] * points + [_ENDLESS]
        self.size = [0] * (points + 1)
        self.is_immune = [False] * (points + 1)
        self.empties: list[list[int]] = [[] for _ in range(tables.buckets)]
        for point in range(points):
            self.empties[tables.bucket_of[point]].append(point)
        self.stones = [0, 0, 0, 0]
        self.ko = NONE
        self.has_five = False

    @classmethod
    def of(cls, tables: BoardTables, position: Position) -> Self:
        """Return the board of a position; its stones are placed in ascending order of points."""
        board = cls(tables)
        for point, colour in enumerate(position.stones):
            if colour:
                points = board.empties[tables.bucket_of[point]]
                board._put(points, points.index(point), colour)
        board.has_five = False
        last = position.last
        if not tables.is_area or last is None or last.action < 0 or last.actor == position.mover:
            return board
        if len(position.captured) == 1:
            own, taken = board.colour[last.action], position.captured[0]
            near = [board.colour[point] for point in tables.neighbours[last.action] if point != taken]
            if own not in near and EMPTY not in near:
                board.ko = taken
        return board

    def copy(self) -> Self:
        other = type(self).__new__(type(self))
        other.tables = self.tables
        other.colour = self.colour.copy()
        other.chain = self.chain.copy()
        other.next = self.next.copy()
        other.around = self.around.copy()
        other.liberties = self.liberties.copy()
        other.size = self.size.copy()
        other.is_immune = self.is_immune.copy()
        other.empties = [points.copy() for points in self.empties]
        other.stones = self.stones.copy()
        other.ko = self.ko
        other.has_five = self.has_five
        return other

    def is_eye(self, point: int, colour: int) -> bool:
        """Return True if an empty point is an eye that its owner would not fill; see `chains.is_eye`."""
        tables = self.tables
        if (self.around[point] >> (4 * colour)) & 15 != tables.degree:
            return False
        if tables.is_grid:
            enemy, colours = 3 - colour, self.colour
            enemies = 0
            for corner in tables.diagonals[point]:
                if colours[corner] == enemy:
                    enemies += 1
            return enemies < tables.false_at[point]
        chain, liberties = self.chain, self.liberties
        around = [chain[near] for near in tables.neighbours[point]]
        return all(around.count(name) != liberties[name] for name in around)

    def is_legal(self, point: int, colour: int, mind_ko: bool = True) -> bool:
        """Return True if a stone may be placed on an empty point. Superko is ignored; so is ko unless `mind_ko`."""
        if self.around[point] & 15:
            return True
        if mind_ko and point == self.ko:
            return False
        tables, chain, liberties = self.tables, self.chain, self.liberties
        near = tables.neighbours[point]
        around = [chain[there] for there in near]
        for there, name in zip(near, around, strict=True):
            has_more = liberties[name] != around.count(name)
            if self.colour[there] == colour:
                if has_more:
                    return True
            elif not has_more and not self.is_immune[name]:
                return True
        if tables.immune_suicide and tables.immunity:
            held = any(self.colour[there] == colour and self.is_immune[chain[there]] for there in near)
            return held or self._completes_face(point, colour)
        return False

    def is_lone_suicide(self, point: int, colour: int) -> bool:
        """Return True if a stone on this empty point would touch no own stone and be captured at once."""
        around = self.around[point]
        if around & 15 or (around >> (4 * colour)) & 15 != self.tables.gaps[point]:
            return False
        return not self.is_legal(point, colour)

    def _completes_face(self, point: int, colour: int) -> bool:
        colours = self.colour
        return any(
            all(corner == point or colours[corner] == colour for corner in face) for face in self.tables.faces_at[point]
        )

    def play_at(self, points: list[int], place: int, colour: int) -> None:
        """Place a stone on `points[place]`, an empty point where it is legal, and remove captured stones."""
        point = points[place]
        around = self.around[point]
        self.ko = NONE
        if not self._put(points, place, colour):
            return
        tables, near = self.tables, self.tables.neighbours[point]
        chain, liberties, colours = self.chain, self.liberties, self.colour
        if not tables.is_area:
            looked_at = [chain[point]] if tables.takes_own else []
            looked_at += [chain[there] for there in near if tables.takes_own or colours[there] != colour]
            for name in dict.fromkeys(name for name in looked_at if not liberties[name]):
                self._remove(name)
            return
        taken, last = 0, NONE
        for there in near:
            name = chain[there]
            if colours[there] in (EMPTY, colour) or liberties[name] or self.is_immune[name]:
                continue
            taken += self.size[name]
            last = name
            self._remove(name)
        if taken == 1 and (around >> (4 * (3 - colour))) & 15 == tables.degree:
            self.ko = last

    def _put(self, points: list[int], place: int, colour: int) -> bool:
        """Place a stone and connect it to its chain; return True if a chain may have lost its last liberty."""
        point = points[place]
        end = points.pop()
        if end != point:
            points[place] = end
        tables, chain, liberties, arounds, colours = self.tables, self.chain, self.liberties, self.around, self.colour
        free = arounds[point] & 15
        colours[point] = colour
        self.stones[colour] += 1
        step = (1 << (4 * colour)) - 1
        is_breathless = False
        own = []
        for near in tables.neighbours[point]:
            arounds[near] += step
            name = chain[near]
            if colours[near] == colour:
                own.append(name)
            liberties[name] -= 1
            if not liberties[name]:
                is_breathless = True
        is_immune = tables.immunity and len(own) >= 2 and self._completes_face(point, colour)
        if tables.has_fives and own and not self.has_five:
            self.has_five = self._makes_five(point, colour)
        if not own:
            chain[point] = self.next[point] = point
            liberties[point], self.size[point], self.is_immune[point] = free, 1, is_immune
            return is_breathless or not free
        name = own[0]
        chain[point] = name
        self.next[point] = self.next[name]
        self.next[name] = point
        liberties[name] += free
        self.size[name] += 1
        if is_immune:
            self.is_immune[name] = True
        for index in range(1, len(own)):
            other = chain[own[index]]
            if other != name:
                name = self._merge(name, other)
        return is_breathless or not liberties[name]

    def _makes_five(self, point: int, colour: int) -> bool:
        colours = self.colour
        for five in self.tables.fives_at[point]:
            for member in five:
                if colours[member] != colour:
                    break
            else:
                return True
        return False

    def _merge(self, a: int, b: int) -> int:
        """Merge the smaller of two chains into the larger, and return the point that identifies the result."""
        chain, following = self.chain, self.next
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.liberties[a] += self.liberties[b]
        self.size[a] += self.size[b]
        if self.is_immune[b]:
            self.is_immune[a] = True
        chain[b] = a
        member = following[b]
        while member != b:
            chain[member] = a
            member = following[member]
        following[a], following[b] = following[b], following[a]
        return a

    def _remove(self, name: int) -> None:
        tables, chain, liberties, arounds = self.tables, self.chain, self.liberties, self.around
        colour = self.colour[name]
        self.stones[colour] -= self.size[name]
        step = (1 << (4 * colour)) - 1
        member = name
        while True:
            self.colour[member] = EMPTY
            chain[member] = tables.points
            self.empties[tables.bucket_of[member]].append(member)
            for near in tables.neighbours[member]:
                arounds[near] -= step
                liberties[chain[near]] += 1
            member = self.next[member]
            if member == name:
                return

    def area_margin(self, komi: float) -> float:
        """Return Black's area minus White's area and komi."""
        owned = self.stones.copy()
        for owner, region in self.regions():
            owned[owner] += len(region)
        return owned[BLACK] - owned[WHITE] - komi

    def regions(self) -> Iterator[tuple[int, list[int]]]:
        """Yield each empty region bordered by one colour only, as (colour, points)."""
        seen: set[int] = set()
        for points in self.empties:
            for point in points:
                if point in seen:
                    continue
                region, border = [point], 0
                seen.add(point)
                for member in region:
                    for near in self.tables.neighbours[member]:
                        if self.colour[near]:
                            border |= 1 << self.colour[near]
                        elif near not in seen:
                            seen.add(near)
                            region.append(near)
                for colour in (BLACK, WHITE):
                    if border == 1 << colour:
                        yield colour, region
