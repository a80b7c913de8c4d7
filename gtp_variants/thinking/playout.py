"""Playouts in plain Python: games to the end by uniformly random moves that fill no own eye.

The twin of the native kernel (`kernel/rng.hpp`, `board.hpp`, `playout.hpp`): the same tables, the same generator and
the same order of choices, so that playout number i of a seed is the same game on both. What is written there as a
comment holds here.

* The Go family ends after two passes in a row or 3 * points + 40 turns, and is scored by area; a simple ko may not be
  retaken, other repetitions are not looked for. A side without a move it would play passes.
* Aléago throws its dice; it ends when neither side would play on any line, after two passes for each line, or after the
  same number of turns. Draws that are known already are used.
* Alter Igo fills no own eye and plays no lone suicide while there is anything else; White passes before filling one,
  if passes are left. After 4 * points + 40 turns it is a draw.
* Pentalath plays any legal move; five in a row end it, and 3 * points + 40 turns are a draw. Nobody swaps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gtp_variants.rules.actions import BLACK, EMPTY, PASS, RED, WHITE
from gtp_variants.rules.aleago import AleagoPosition, AleagoRules, DiceKind
from gtp_variants.rules.alter_igo import AlterIgoPosition
from gtp_variants.rules.go import GoFamily
from gtp_variants.rules.pentalath import PentalathRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rosette import RosetteRules
from gtp_variants.rules.rules import Rules

# In a recorded playout: DRAW less the number of an opening; at last ENDED less the winner.
DRAW, ENDED = -1000, -100

_NONE = -1
_WORD = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_ENDLESS = 1 << 30
_NOTHING = 5e-7

Wanted = Callable[[int, int], bool]

# A run of five that holds four stones of a colour and nothing else, as its window counts them -> the colour.
_FOURS = {4 << (4 * colour): colour for colour in (BLACK, WHITE, RED)}


def mix(z: int) -> int:
    """The output function of splitmix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class Rng:
    """splitmix64."""

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state

    @classmethod
    def of_playout(cls, seed: int, index: int) -> "Rng":
        """The generator of a playout: its number and the seed are all it depends on."""
        return cls(mix((mix((seed + _GOLDEN) & _WORD) + index) & _WORD))

    def below(self, n: int) -> int:
        """0 to n - 1."""
        self._state = z = (self._state + _GOLDEN) & _WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((z ^ (z >> 31)) >> 32) * n >> 32


@dataclass(frozen=True, slots=True)
class Opening:
    """The lines a throw opens: buckets of empty points, and below which line to look if nothing there is legal."""

    buckets: tuple[int, ...]
    below: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a playout ended: who won (EMPTY: a draw), after how many turns."""

    winner: int
    turns: int


@dataclass(slots=True)
class Tally:
    """What playouts came to: won by each colour of the turn order, drawn, and all their turns."""

    wins: list[int]
    draws: int = 0
    turns: int = 0


@dataclass(slots=True)
class Moment:
    """Where in the game a playout begins: what changes from turn to turn and is not on the board.

    `next` is an index of the order of play, `passes_left` are White's in Alter Igo, `known` says how many of the draws
    that were known are used up.
    """

    next: int = 0
    passes: int = 0
    passes_left: int = 0
    known: int = 0
    turns: int = 0


class Start:
    """What playouts from one position have in common."""

    def __init__(self, rules: Rules[Any], position: Position) -> None:
        board = rules.board
        self.rules = rules
        self.game = rules.name
        self.points = points = len(board)
        self.neighbours = board.neighbours
        self.is_grid = board.geometry == "rect"
        self.degree = 4 if self.is_grid else 3 if board.faces else 6
        self.diagonals = board.diagonals
        self.false_at = [2 if len(corners) == 4 else 1 for corners in board.diagonals]
        self.gaps = [self.degree - len(near) for near in board.neighbours]
        self.lines = sorted(set(rules.lines) - {0}) if isinstance(rules, AleagoRules) else []
        self.buckets = len(self.lines) + 1
        self.bucket_of = [self.lines.index(line) if line else len(self.lines) for line in self._line_of(points)]
        self.komi = float(rules.komi) if isinstance(rules, GoFamily) else 0.0
        supply = rules.supply if isinstance(rules, RosetteRules | PentalathRules) else None
        self.supply = _ENDLESS if supply is None else supply
        self.immunity = isinstance(rules, RosetteRules) and bool(rules.values["immunity"])
        self.rosette_suicide = isinstance(rules, RosetteRules) and rules.values["rosette_suicide"] == "legal"
        self.faces_at = [[face for face in board.faces if point in face] for point in range(points)]
        numbers = {five: number for number, five in enumerate(board.fives)}
        self.fives_at = [[numbers[five] for five in board.fives_at(point)] for point in range(points)]
        self.cap = (4 if self.game == "alter-igo" else 3) * points + 40
        self.outcome = rules.outcome(position)
        self.stones = position.stones
        self.passes = position.passes
        self.passes_left = position.passes_left if isinstance(position, AlterIgoPosition) else 0
        gone = {event.actor for event in position.out}
        first = rules.colours.index(position.mover)
        in_turn = rules.colours[first:] + rules.colours[:first]
        self.order = [colour for colour in in_turn if colour not in gone]
        self.board = Board(self)
        self.board.set_up(position)
        self.openings: list[Opening] = []
        self.throws: list[int] = []
        self.known: list[int] = []
        self.free_player: int | None = None
        self.fallback_ko = True
        if isinstance(rules, AleagoRules) and isinstance(position, AleagoPosition):
            self._open(rules, position)

    def moment(self) -> Moment:
        """The moment the position itself is in."""
        return Moment(0, self.passes, self.passes_left)

    def draw(self, moment: Moment, rng: Rng) -> int:
        """The opening of the throw that is due."""
        if moment.known < len(self.known):
            moment.known += 1
            return self.known[moment.known - 1]
        if self.order[moment.next] == self.free_player:
            return len(self.openings) - 1
        return self.throws[rng.below(len(self.throws))]

    def _line_of(self, points: int) -> tuple[int, ...]:
        rules = self.rules
        return rules.lines if isinstance(rules, AleagoRules) else (0,) * points

    def _open(self, rules: AleagoRules, position: AleagoPosition) -> None:
        dice = position.dice
        lines = len(self.lines)
        for total in range(dice.count, dice.highest + 1):
            # Which faces make the total does not count.
            faces = _faces(dice, total)
            if rules.opens_whole_board(dice, faces):
                self.openings.append(Opening(tuple(range(lines))))
                continue
            buckets = tuple(self.lines.index(line) for line in rules.drawn_lines(dice, faces))
            falls = rules.mapping != "original" and (bool(buckets) or rules.values["overflow"] != "pass")
            self.openings.append(Opening(buckets, sum(line < total for line in self.lines) if falls else 0))
        free = len(self.openings)
        self.openings.append(Opening(tuple(range(lines + 1))))
        thrown = [action for action in range(dice.outcomes) if rules.stands_as_thrown(dice, dice.faces(action))]
        self.throws = [sum(dice.faces(action)) - dice.count for action in thrown]
        self.known = [free if draw == dice.outcomes else sum(dice.faces(draw)) - dice.count for draw in position.draws]
        self.free_player = rules.free_player
        self.fallback_ko = bool(rules.values["fallback_ko"])


def _faces(dice: DiceKind, total: int) -> tuple[int, ...]:
    """A throw of the dice with a total."""
    faces = [1] * dice.count
    left = total - dice.count
    for die in range(dice.count):
        more = min(left, dice.sides - 1)
        faces[die] += more
        left -= more
    return tuple(faces)


class Board:
    """Stones, chains with counted liberties, and lists of empty points; see `kernel/board.hpp`."""

    __slots__ = (
        "around",
        "chain",
        "colour",
        "empties",
        "fours",
        "has_five",
        "has_rosette",
        "ko",
        "liberties",
        "next",
        "size",
        "start",
        "stones",
        "windows",
    )

    def __init__(self, start: Start) -> None:
        points = start.points
        self.start = start
        self.colour = [EMPTY] * points
        self.chain = [points] * points
        self.next = list(range(points))
        self.around = [gaps * 0x1110 + start.degree - gaps for gaps in start.gaps]
        self.liberties = [0] * points + [_ENDLESS]
        self.size = [0] * (points + 1)
        self.has_rosette = [False] * (points + 1)
        self.empties: list[list[int]] = [[] for _ in range(start.buckets)]
        for point in range(points):
            self.empties[start.bucket_of[point]].append(point)
        self.windows = [0] * len(start.rules.board.fives)
        self.stones = [0, 0, 0, 0]
        self.ko = _NONE
        self.has_five = False
        self.fours = [0, 0, 0, 0]

    def copy(self) -> "Board":
        """The same board, to be played on."""
        other = Board.__new__(Board)
        other.start = self.start
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
                points = self.empties[self.start.bucket_of[point]]
                self._set(points, points.index(point), colour)
        self.has_five = False
        last = position.last
        if (
            not isinstance(self.start.rules, GoFamily)
            or last is None
            or last.action < 0
            or last.actor == position.mover
        ):
            return
        if len(position.captured) == 1:
            own, taken = self.colour[last.action], position.captured[0]
            near = [self.colour[point] for point in self.start.neighbours[last.action] if point != taken]
            if own not in near and EMPTY not in near:
                self.ko = taken

    # -- looking -----------------------------------------------------------------------------------------------------

    def is_eye(self, point: int, colour: int) -> bool:
        """Of an empty point: whether it is an eye that its owner would not fill; as `chains.is_eye`."""
        start = self.start
        if (self.around[point] >> (4 * colour)) & 15 != start.degree:
            return False
        if start.is_grid:
            enemy, colours = 3 - colour, self.colour
            enemies = 0
            for corner in start.diagonals[point]:
                if colours[corner] == enemy:
                    enemies += 1
            return enemies < start.false_at[point]
        chain, liberties = self.chain, self.liberties
        around = [chain[near] for near in start.neighbours[point]]
        return all(around.count(name) != liberties[name] for name in around)

    def is_legal(self, point: int, colour: int, mind_ko: bool = True) -> bool:
        """Of an empty point: whether a stone may be placed there; of repetitions only the simple ko counts."""
        if self.around[point] & 15:
            return True
        if mind_ko and point == self.ko:
            return False
        start, chain, liberties = self.start, self.chain, self.liberties
        near = start.neighbours[point]
        around = [chain[there] for there in near]
        for there, name in zip(near, around, strict=True):
            has_more = liberties[name] != around.count(name)
            if self.colour[there] == colour:
                if has_more:
                    return True
            elif not has_more and not self.has_rosette[name]:
                return True
        if start.rosette_suicide and start.immunity:
            held = any(self.colour[there] == colour and self.has_rosette[chain[there]] for there in near)
            return held or self._completes_rosette(point, colour)
        return False

    def is_lone_suicide(self, point: int, colour: int) -> bool:
        """Alter Igo: whether a stone on an empty point would be alone taken off."""
        around = self.around[point]
        if around & 15 or (around >> (4 * colour)) & 15 != self.start.gaps[point]:
            return False
        return not self.is_legal(point, colour)

    def _completes_rosette(self, point: int, colour: int) -> bool:
        colours = self.colour
        return any(
            all(corner == point or colours[corner] == colour for corner in face) for face in self.start.faces_at[point]
        )

    # -- stones ------------------------------------------------------------------------------------------------------

    def play_at(self, points: list[int], place: int, colour: int) -> None:
        """Put a stone on the point at a place of a list of empty points, where it is legal; captures go."""
        point = points[place]
        around = self.around[point]
        self.ko = _NONE
        if not self._set(points, place, colour):
            return
        game, near = self.start.game, self.start.neighbours[point]
        chain, liberties, colours = self.chain, self.liberties, self.colour
        if game in ("alter-igo", "pentalath"):
            looked_at = [chain[point]] if game == "alter-igo" else []
            looked_at += [chain[there] for there in near if game == "alter-igo" or colours[there] != colour]
            for name in dict.fromkeys(name for name in looked_at if not liberties[name]):
                self._remove(name)
            return
        taken, last = 0, _NONE
        for there in near:
            name = chain[there]
            if colours[there] in (EMPTY, colour) or liberties[name] or self.has_rosette[name]:
                continue
            taken += self.size[name]
            last = name
            self._remove(name)
        if taken == 1 and (around >> (4 * (3 - colour))) & 15 == self.start.degree:
            self.ko = last

    def _set(self, points: list[int], place: int, colour: int) -> bool:
        """Put a stone down and join it to its chain; whether a chain may have lost its last liberty."""
        point = points[place]
        end = points.pop()
        if end != point:
            points[place] = end
        start, chain, liberties, arounds, colours = self.start, self.chain, self.liberties, self.around, self.colour
        free = arounds[point] & 15
        colours[point] = colour
        self.stones[colour] += 1
        step = (1 << (4 * colour)) - 1
        is_breathless = False
        own = []
        for near in start.neighbours[point]:
            arounds[near] += step
            name = chain[near]
            if colours[near] == colour:
                own.append(name)
            liberties[name] -= 1
            if not liberties[name]:
                is_breathless = True
        has_rosette = start.immunity and len(own) >= 2 and self._completes_rosette(point, colour)
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
        start, chain, liberties, arounds = self.start, self.chain, self.liberties, self.around
        colour = self.colour[name]
        self.stones[colour] -= self.size[name]
        step = (1 << (4 * colour)) - 1
        member = name
        while True:
            self.colour[member] = EMPTY
            chain[member] = start.points
            self.empties[start.bucket_of[member]].append(member)
            for near in start.neighbours[member]:
                arounds[near] -= step
                liberties[chain[near]] += 1
            if self.windows:
                self._count_windows(member, colour, -1)
            member = self.next[member]
            if member == name:
                return

    def _count_windows(self, point: int, colour: int, sign: int) -> None:
        windows, shift, fours = self.windows, 4 * colour, self.fours
        for number in self.start.fives_at[point]:
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
        return any(self.windows[number] == four for number in self.start.fives_at[point])

    def takes(self, point: int, colour: int) -> bool:
        """Of an empty point: whether a stone would take something off."""
        chain, near = self.chain, self.start.neighbours[point]
        around = [chain[there] for there in near]
        return any(
            self.colour[there] not in (EMPTY, colour) and self.liberties[name] == around.count(name)
            for there, name in zip(near, around, strict=True)
        )


class Playout:
    """One game to the end, on a board and from a moment that it changes.

    `trace`, if given, receives its turns: points, PASS, draws and the end. With `tactics` both sides of Pentalath make
    a five where they can and prevent the next player's where they must.
    """

    def __init__(
        self,
        start: Start,
        board: Board,
        rng: Rng,
        moment: Moment,
        trace: list[int] | None = None,
        tactics: bool = False,
    ) -> None:
        self._start = start
        self._board = board
        self._rng = rng
        self._moment = moment
        self._trace = trace
        self._tactics = tactics

    def run(self) -> Ending:
        """Play it."""
        runs = {"aleago": self._run_aleago, "alter-igo": self._run_alter_igo, "pentalath": self._run_pentalath}
        ending = runs.get(self._start.game, self._run_go)()
        self._tell(ENDED - ending.winner)
        return ending

    def _tell(self, turn: int) -> None:
        if self._trace is not None:
            self._trace.append(turn)

    def _pick(self, points: list[int], wanted: Wanted, colour: int) -> int:
        """The place of a uniformly random one of the points that are wanted, _NONE if none is."""
        below = self._rng.below
        left = len(points)
        while left:
            place = below(left)
            point = points[place]
            if wanted(point, colour):
                return place
            left -= 1
            points[place], points[left] = points[left], point
        return _NONE

    def _is_wanted(self, point: int, colour: int) -> bool:
        board = self._board
        return not board.is_eye(point, colour) and board.is_legal(point, colour)

    # -- the Go family -----------------------------------------------------------------------------------------------

    def _run_go(self) -> Ending:
        start, board = self._start, self._board
        points, supply = board.empties[0], start.supply
        moment = self._moment
        colour, passes, turns = start.order[moment.next], moment.passes, moment.turns
        while turns < start.cap:
            place = self._pick(points, self._is_wanted, colour) if board.stones[colour] < supply else _NONE
            turns += 1
            if place == _NONE:
                self._tell(PASS)
                board.ko = _NONE
                passes += 1
                if self.is_ended_by(passes):
                    break
            else:
                self._tell(points[place])
                board.play_at(points, place, colour)
                passes = 0
            colour = 3 - colour
        return Ending(self.winner(), turns)

    def is_ended_by(self, passes: int) -> bool:
        """The Go family: whether so many passes in a row end the game."""
        if self._start.game != "aleago":
            return passes >= 2
        return passes >= max(2, 2 * (self._start.buckets - 1)) or (passes % 4 == 0 and self._is_exhausted())

    def _run_aleago(self) -> Ending:
        start, board, moment = self._start, self._board, self._moment
        passes, turns = moment.passes, moment.turns
        while turns < start.cap:
            drawn = start.draw(moment, self._rng)
            colour = start.order[moment.next]
            moment.next = 1 - moment.next
            self._tell(DRAW - drawn)
            bucket, place = self._choose(start.openings[drawn], colour)
            turns += 1
            if place == _NONE:
                self._tell(PASS)
                board.ko = _NONE
                passes += 1
                if self.is_ended_by(passes):
                    break
            else:
                points = board.empties[bucket]
                self._tell(points[place])
                board.play_at(points, place, colour)
                passes = 0
        return Ending(self.winner(), turns)

    def _choose(self, opening: Opening, colour: int) -> tuple[int, int]:
        """Bucket and place of a point on the lines a throw opens; place _NONE to pass."""
        empties = self._board.empties
        if len(opening.buckets) == 1:
            bucket = opening.buckets[0]
            place = self._pick(empties[bucket], self._is_wanted, colour)
        else:
            bucket, place = self._pick_among(opening.buckets, colour)
        if place != _NONE:
            return bucket, place
        if any(self._has_room(there, colour) for there in opening.buckets):
            return _NONE, _NONE
        for below in range(opening.below - 1, -1, -1):
            place = self._pick(empties[below], self._is_wanted, colour)
            if place != _NONE or self._has_room(below, colour):
                return below, place
        return _NONE, _NONE

    def _pick_among(self, buckets: tuple[int, ...], colour: int) -> tuple[int, int]:
        lists = [self._board.empties[bucket] for bucket in buckets]
        left = [len(points) for points in lists]
        for every in range(sum(left), 0, -1):
            place = self._rng.below(every)
            i = 0
            while place >= left[i]:
                place -= left[i]
                i += 1
            points = lists[i]
            if self._is_wanted(points[place], colour):
                return buckets[i], place
            left[i] -= 1
            points[place], points[left[i]] = points[left[i]], points[place]
        return _NONE, _NONE

    def _has_room(self, bucket: int, colour: int) -> bool:
        board, mind_ko = self._board, self._start.fallback_ko
        return any(board.is_legal(point, colour, mind_ko) for point in board.empties[bucket])

    def _is_exhausted(self) -> bool:
        lines = self._board.empties if self._start.free_player else self._board.empties[:-1]
        return not any(
            self._is_wanted(point, colour) for points in lines for point in points for colour in (BLACK, WHITE)
        )

    def winner(self) -> int:
        """The Go family: who has won by area as the board stands."""
        board, start = self._board, self._start
        owned = board.stones.copy()
        seen: set[int] = set()
        for points in board.empties:
            for point in points:
                if point in seen:
                    continue
                region, border = [point], 0
                seen.add(point)
                for member in region:
                    for near in start.neighbours[member]:
                        if board.colour[near]:
                            border |= 1 << board.colour[near]
                        elif near not in seen:
                            seen.add(near)
                            region.append(near)
                for colour in (BLACK, WHITE):
                    if border == 1 << colour:
                        owned[colour] += len(region)
        margin = owned[BLACK] - owned[WHITE] - start.komi
        return BLACK if margin > _NOTHING else WHITE if margin < -_NOTHING else EMPTY

    # -- the others --------------------------------------------------------------------------------------------------

    def _run_alter_igo(self) -> Ending:
        start, board = self._start, self._board
        points = board.empties[0]
        moment = self._moment
        colour, turns, passes_left = start.order[moment.next], moment.turns, moment.passes_left

        def is_safe(point: int, colour: int) -> bool:
            return not board.is_lone_suicide(point, colour)

        def is_wanted(point: int, colour: int) -> bool:
            return not board.is_eye(point, colour) and not board.is_lone_suicide(point, colour)

        while turns < start.cap:
            place = self._pick(points, is_wanted, colour)
            turns += 1
            if place == _NONE and colour == WHITE and passes_left > 0:
                passes_left -= 1
                self._tell(PASS)
                colour = 3 - colour
                continue
            if place == _NONE:
                place = self._pick(points, is_safe, colour)
            if place == _NONE:
                self._tell(points[self._rng.below(len(points))])
                return Ending(3 - colour, turns)
            self._tell(points[place])
            board.play_at(points, place, colour)
            colour = 3 - colour
        return Ending(EMPTY, turns)

    def _run_pentalath(self) -> Ending:
        start, board = self._start, self._board
        assert isinstance(start.rules, PentalathRules)
        points, order, no_move = board.empties[0], start.order, start.rules.no_move
        moment = self._moment
        index, passes, turns = moment.next, moment.passes, moment.turns
        while turns < start.cap:
            colour = order[index]
            index = (index + 1) % len(order)
            place = _NONE
            if board.stones[colour] < start.supply:
                place = self._forced(colour, order[index]) if self._tactics else _NONE
                if place == _NONE:
                    place = self._pick(points, board.is_legal, colour)
            if place == _NONE:
                if no_move == "loss" and len(start.rules.colours) == 2:
                    return Ending(order[index], turns)
                if no_move != "pass":
                    break
                self._tell(PASS)
                turns += 1
                passes += 1
                if passes >= len(order):
                    break
                continue
            turns += 1
            self._tell(points[place])
            board.play_at(points, place, colour)
            if board.has_five:
                return Ending(colour, turns)
            passes = 0
        return Ending(EMPTY, turns)

    def _forced(self, colour: int, following: int) -> int:
        """Pentalath: the place of an own five, else of the next player's; _NONE if there is neither."""
        board = self._board
        for maker in (colour, following):
            if not board.fours[maker]:
                continue
            for place, point in enumerate(board.empties[0]):
                if board.makes_five(point, maker) and board.is_legal(point, maker) and board.is_legal(point, colour):
                    return place
        return _NONE


def run_playouts(start: Start, n: int, seed: int, first: int = 0) -> Tally:
    """Playouts number `first` to `first + n - 1` of a seed."""
    colours = start.rules.colours
    if start.outcome is not None:
        winner = start.outcome.winner
        return Tally([n if colour == winner else 0 for colour in colours], 0 if winner else n)
    counts = [0] * (RED + 1)
    turns = 0
    for index in range(first, first + n):
        ending = Playout(start, start.board.copy(), Rng.of_playout(seed, index), start.moment()).run()
        counts[ending.winner] += 1
        turns += ending.turns
    return Tally([counts[colour] for colour in colours], counts[EMPTY], turns)


def trace(start: Start, seed: int, index: int) -> list[int]:
    """The turns of one playout: points and PASS, draws of Aléago, and the end."""
    turns: list[int] = []
    if start.outcome is None:
        Playout(start, start.board.copy(), Rng.of_playout(seed, index), start.moment(), turns).run()
    return turns
