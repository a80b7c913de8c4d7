"""Boards for playouts in plain Python: chains with counted liberties, updated stone by stone.

The twin of `kernel/board.hpp`; what is written there as a comment holds here.
"""

from typing import Self

from gtp_variants.mcts import patterns
from gtp_variants.rules.actions import BLACK, EMPTY, RED, WHITE
from gtp_variants.rules.games.aleago import AleagoRules
from gtp_variants.rules.games.go import GoFamily
from gtp_variants.rules.games.pentalath import PentalathRules
from gtp_variants.rules.games.rosette import RosetteRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

NONE = -1

_ENDLESS = 1 << 30

# A run of five that holds four stones of a colour and nothing else, as its window counts them -> the colour.
_FOURS = {4 << (4 * colour): colour for colour in (BLACK, WHITE, RED)}


class Ground:
    """What all boards of one game share and nothing changes: its tables and options.

    Not aware of the dice, Aléago is played as ordinary Go.
    """

    def __init__(self, rules: Rules, dice_aware: bool = True) -> None:
        board = rules.board
        self.rules = rules
        self.game = "go" if rules.name == "aleago" and not dice_aware else rules.name
        self.points = points = len(board)
        self.neighbours = board.neighbours
        self.is_grid = board.geometry == "rect"
        self.degree = 4 if self.is_grid else 3 if board.faces else 6
        self.diagonals = board.diagonals
        self.false_at = [2 if len(corners) == 4 else 1 for corners in board.diagonals]
        self.gaps = [self.degree - len(near) for near in board.neighbours]
        line_of = rules.lines if isinstance(rules, AleagoRules) and dice_aware else (0,) * points
        self.lines = sorted(set(line_of) - {0})
        self.buckets = len(self.lines) + 1
        self.bucket_of = [self.lines.index(line) if line else len(self.lines) for line in line_of]
        self.komi = float(rules.komi) if isinstance(rules, GoFamily) else 0.0
        supply = rules.supply if isinstance(rules, RosetteRules | PentalathRules) else None
        self.supply = _ENDLESS if supply is None else supply
        self.immunity = isinstance(rules, RosetteRules) and bool(rules.values["immunity"])
        self.rosette_suicide = isinstance(rules, RosetteRules) and rules.values["rosette_suicide"] == "legal"
        self.faces_at = [[face for face in board.faces if point in face] for point in range(points)]
        numbers = {five: number for number, five in enumerate(board.fives)}
        self.surroundings: tuple[tuple[tuple[int, int], ...], ...] = ()
        self.worthy = b""
        self.edges: list[int] = []
        if self.game in ("go", "aleago", "phantom"):
            around = patterns.surroundings(board)
            # Seen from its neighbour number i, a point is number 7 - i.
            self.surroundings = tuple(
                tuple((point, 14 - 2 * i) for i, point in enumerate(points) if point >= 0) for points in around
            )
            self.edges = [sum(3 << 2 * i for i, point in enumerate(points) if point < 0) for points in around]
            self.worthy = patterns.table()
        self.fives_at = [[numbers[five] for five in board.fives_at(point)] for point in range(points)]


class Board:
    """Stones, chains with counted liberties, and lists of empty points; see `kernel/board.hpp`."""

    __slots__ = (
        "around",
        "chain",
        "colour",
        "empties",
        "fours",
        "ground",
        "has_five",
        "has_rosette",
        "ko",
        "liberties",
        "next",
        "size",
        "stones",
        "windows",
    )

    def __init__(self, ground: Ground) -> None:
        points = ground.points
        self.ground = ground
        self.colour = [EMPTY] * points
        self.chain = [points] * points
        self.next = list(range(points))
        self.around = [gaps * 0x1110 + ground.degree - gaps for gaps in ground.gaps]
        self.liberties = [0] * points + [_ENDLESS]
        self.size = [0] * (points + 1)
        self.has_rosette = [False] * (points + 1)
        self.empties: list[list[int]] = [[] for _ in range(ground.buckets)]
        for point in range(points):
            self.empties[ground.bucket_of[point]].append(point)
        self.windows = [0] * len(ground.rules.board.fives)
        self.stones = [0, 0, 0, 0]
        self.ko = NONE
        self.has_five = False
        self.fours = [0, 0, 0, 0]

    def copy(self) -> Self:
        """The same board, to be played on."""
        other = type(self).__new__(type(self))
        other.ground = self.ground
        other.colour = self.colour.copy()
        other.chain = self.chain.copy()
        other.next = self.next.copy()
        other.around = self.around.copy()
        other.liberties = self.liberties.copy()
        other.size = self.size.copy()
        other.has_rosette = self.has_rosette.copy()
        other.empties = [points.copy() for points in self.empties]
        other.windows = self.windows.copy()
        other.stones = self.stones.copy()
        other.ko = self.ko
        other.has_five = self.has_five
        other.fours = self.fours.copy()
        return other

    def set_up(self, position: Position) -> None:
        """Put the stones of a position on an empty board, in ascending order of points."""
        for point, colour in enumerate(position.stones):
            if colour:
                points = self.empties[self.ground.bucket_of[point]]
                self._set(points, points.index(point), colour)
        self.has_five = False
        last = position.last
        if (
            not isinstance(self.ground.rules, GoFamily)
            or last is None
            or last.action < 0
            or last.actor == position.mover
        ):
            return
        if len(position.captured) == 1:
            own, taken = self.colour[last.action], position.captured[0]
            near = [self.colour[point] for point in self.ground.neighbours[last.action] if point != taken]
            if own not in near and EMPTY not in near:
                self.ko = taken

    # -- looking -----------------------------------------------------------------------------------------------------

    def is_eye(self, point: int, colour: int) -> bool:
        """Of an empty point: whether it is an eye that its owner would not fill; as `chains.is_eye`."""
        ground = self.ground
        if (self.around[point] >> (4 * colour)) & 15 != ground.degree:
            return False
        if ground.is_grid:
            enemy, colours = 3 - colour, self.colour
            enemies = 0
            for corner in ground.diagonals[point]:
                if colours[corner] == enemy:
                    enemies += 1
            return enemies < ground.false_at[point]
        chain, liberties = self.chain, self.liberties
        around = [chain[near] for near in ground.neighbours[point]]
        return all(around.count(name) != liberties[name] for name in around)

    def is_legal(self, point: int, colour: int, mind_ko: bool = True) -> bool:
        """Of an empty point: whether a stone may be placed there; of repetitions only the simple ko counts."""
        if self.around[point] & 15:
            return True
        if mind_ko and point == self.ko:
            return False
        ground, chain, liberties = self.ground, self.chain, self.liberties
        near = ground.neighbours[point]
        around = [chain[there] for there in near]
        for there, name in zip(near, around, strict=True):
            has_more = liberties[name] != around.count(name)
            if self.colour[there] == colour:
                if has_more:
                    return True
            elif not has_more and not self.has_rosette[name]:
                return True
        if ground.rosette_suicide and ground.immunity:
            held = any(self.colour[there] == colour and self.has_rosette[chain[there]] for there in near)
            return held or self._completes_rosette(point, colour)
        return False

    def is_lone_suicide(self, point: int, colour: int) -> bool:
        """Alter Igo: whether a stone on an empty point would be alone taken off."""
        around = self.around[point]
        if around & 15 or (around >> (4 * colour)) & 15 != self.ground.gaps[point]:
            return False
        return not self.is_legal(point, colour)

    def _completes_rosette(self, point: int, colour: int) -> bool:
        colours = self.colour
        return any(
            all(corner == point or colours[corner] == colour for corner in face) for face in self.ground.faces_at[point]
        )

    # -- stones ------------------------------------------------------------------------------------------------------

    def play_at(self, points: list[int], place: int, colour: int) -> None:
        """Put a stone on the point at a place of a list of empty points, where it is legal; captures go."""
        point = points[place]
        around = self.around[point]
        self.ko = NONE
        if not self._set(points, place, colour):
            return
        game, near = self.ground.game, self.ground.neighbours[point]
        chain, liberties, colours = self.chain, self.liberties, self.colour
        if game in ("alter-igo", "pentalath"):
            looked_at = [chain[point]] if game == "alter-igo" else []
            looked_at += [chain[there] for there in near if game == "alter-igo" or colours[there] != colour]
            for name in dict.fromkeys(name for name in looked_at if not liberties[name]):
                self._remove(name)
            return
        taken, last = 0, NONE
        for there in near:
            name = chain[there]
            if colours[there] in (EMPTY, colour) or liberties[name] or self.has_rosette[name]:
                continue
            taken += self.size[name]
            last = name
            self._remove(name)
        if taken == 1 and (around >> (4 * (3 - colour))) & 15 == self.ground.degree:
            self.ko = last

    def _set(self, points: list[int], place: int, colour: int) -> bool:
        """Put a stone down and join it to its chain; whether a chain may have lost its last liberty."""
        point = points[place]
        end = points.pop()
        if end != point:
            points[place] = end
        ground, chain, liberties, arounds, colours = self.ground, self.chain, self.liberties, self.around, self.colour
        free = arounds[point] & 15
        colours[point] = colour
        self.stones[colour] += 1
        step = (1 << (4 * colour)) - 1
        is_breathless = False
        own = []
        for near in ground.neighbours[point]:
            arounds[near] += step
            name = chain[near]
            if colours[near] == colour:
                own.append(name)
            liberties[name] -= 1
            if not liberties[name]:
                is_breathless = True
        has_rosette = ground.immunity and len(own) >= 2 and self._completes_rosette(point, colour)
        if self.windows:
            self._count_windows(point, colour, 1)
        if not own:
            chain[point] = self.next[point] = point
            liberties[point], self.size[point], self.has_rosette[point] = free, 1, has_rosette
            return is_breathless or not free
        name = own[0]
        chain[point] = name
        self.next[point] = self.next[name]
        self.next[name] = point
        liberties[name] += free
        self.size[name] += 1
        if has_rosette:
            self.has_rosette[name] = True
        for index in range(1, len(own)):
            other = chain[own[index]]
            if other != name:
                name = self._merge(name, other)
        return is_breathless or not liberties[name]

    def _merge(self, a: int, b: int) -> int:
        chain, following = self.chain, self.next
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.liberties[a] += self.liberties[b]
        self.size[a] += self.size[b]
        if self.has_rosette[b]:
            self.has_rosette[a] = True
        chain[b] = a
        member = following[b]
        while member != b:
            chain[member] = a
            member = following[member]
        following[a], following[b] = following[b], following[a]
        return a

    def _remove(self, name: int) -> None:
        ground, chain, liberties, arounds = self.ground, self.chain, self.liberties, self.around
        colour = self.colour[name]
        self.stones[colour] -= self.size[name]
        step = (1 << (4 * colour)) - 1
        member = name
        while True:
            self.colour[member] = EMPTY
            chain[member] = ground.points
            self.empties[ground.bucket_of[member]].append(member)
            for near in ground.neighbours[member]:
                arounds[near] -= step
                liberties[chain[near]] += 1
            if self.windows:
                self._count_windows(member, colour, -1)
            member = self.next[member]
            if member == name:
                return

    def _count_windows(self, point: int, colour: int, sign: int) -> None:
        windows, shift, fours = self.windows, 4 * colour, self.fours
        for number in self.ground.fives_at[point]:
            before = windows[number]
            after = windows[number] = before + (sign << shift)
            if before in _FOURS:
                fours[_FOURS[before]] -= 1
            if after in _FOURS:
                fours[_FOURS[after]] += 1
            if (after >> shift) & 15 == 5:
                self.has_five = True

    def makes_five(self, point: int, colour: int) -> bool:
        """Pentalath: whether a stone on an empty point would complete a run that holds four of its colour only."""
        four = 4 << (4 * colour)
        return any(self.windows[number] == four for number in self.ground.fives_at[point])

    def takes(self, point: int, colour: int) -> bool:
        """Of an empty point: whether a stone would take something off."""
        chain, near = self.chain, self.ground.neighbours[point]
        around = [chain[there] for there in near]
        return any(
            self.colour[there] not in (EMPTY, colour) and self.liberties[name] == around.count(name)
            for there, name in zip(near, around, strict=True)
        )


class RichBoard(Board):
    """A board that also knows which chains are in atari and which shapes there are.

    `masks` holds the liberties of each chain as bits, `shapes` two bits for each of the eight points around a point.
    """

    __slots__ = ("masks", "shapes")

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        self.masks = [0] * (ground.points + 1)
        self.shapes = ground.edges.copy()

    def copy(self) -> Self:
        """The same board, to be played on."""
        other = super().copy()
        other.masks = self.masks.copy()
        other.shapes = self.shapes.copy()
        return other

    def _set(self, points: list[int], place: int, colour: int) -> bool:
        point = points[place]
        is_breathless = super()._set(points, place, colour)
        chain, colours, masks = self.chain, self.colour, self.masks
        own, bit = 0, 1 << point
        for near in self.ground.neighbours[point]:
            if colours[near]:
                masks[chain[near]] &= ~bit
            else:
                own |= 1 << near
        name = chain[point]
        # Under a name that this stone gave, nothing is left of an earlier chain.
        masks[name] = own if self.size[name] == 1 else masks[name] | own
        self._reshape(point, colour)
        return is_breathless

    def _merge(self, a: int, b: int) -> int:
        both = self.masks[a] | self.masks[b]
        name = super()._merge(a, b)
        self.masks[name] = both
        return name

    def _remove(self, name: int) -> None:
        colour = self.colour[name]
        super()._remove(name)
        chain, masks, neighbours = self.chain, self.masks, self.ground.neighbours
        member = name
        while True:
            for near in neighbours[member]:
                masks[chain[near]] |= 1 << member
            self._reshape(member, colour)
            member = self.next[member]
            if member == name:
                return

    def _reshape(self, point: int, colour: int) -> None:
        """Tell the shapes of the points around that a stone came or went."""
        if self.shapes:
            shapes = self.shapes
            for near, shift in self.ground.surroundings[point]:
                shapes[near] ^= colour << shift

    def only_liberty(self, name: int) -> int:
        """The only liberty of a chain, NONE if it has none or several."""
        mask = self.masks[name]
        return NONE if mask & (mask - 1) else mask.bit_length() - 1

    def only_liberty_without(self, name: int, point: int) -> int:
        """The only liberty a chain would have left if somebody else played on a point."""
        mask = self.masks[name] & ~(1 << point)
        return NONE if mask & (mask - 1) else mask.bit_length() - 1

    def target(self, name: int) -> int:
        """The only liberty of a chain that can be taken."""
        return NONE if self.has_rosette[name] else self.only_liberty(name)

    def stays_legal(self, point: int, colour: int) -> bool:
        """Of an empty point where a stone may be placed: whether it still may after anybody's next stone elsewhere.

        A stone that takes something is not thought of.
        """
        if self.around[point] & 15 >= 2:
            return True
        return not self.takes(point, colour) and not self.is_self_atari(point, colour)

    def is_self_atari(self, point: int, colour: int) -> bool:
        """Of an empty point: whether a stone there takes nothing and its chain would have one liberty or none."""
        if self.around[point] & 15 >= 2:
            return False
        chain, colours, masks, has_rosette = self.chain, self.colour, self.masks, self.has_rosette
        mask, bit = 0, 1 << point
        for near in self.ground.neighbours[point]:
            if not colours[near]:
                mask |= 1 << near
                continue
            name = chain[near]
            if colours[near] != colour:
                if masks[name] == bit and not has_rosette[name]:
                    return False
                continue
            if has_rosette[name]:
                return False
            mask |= masks[name]
        mask &= ~bit
        if mask & (mask - 1):
            return False
        return not (self.ground.immunity and self._completes_rosette(point, colour))
