"""Random games from any position to the end, with uniformly random moves that do not fill the player's own eyes.

`kernel/playouts/playout.hpp` plays the same games, with the same random generator and order of choices. A limit on
turns ends games that would not end otherwise. Nobody swaps sides.

Under dice, as in Aléago, a throw before every turn opens the lines on which its stone may be placed; known throws are
used first. Such games end when neither side wants to play, after two passes per line, or at the limit.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Self

from gtp_variants.ai.mcts.plain.playout_board import NONE, BoardTables, PlayoutBoard
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, WHITE
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.position import Position
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.turn_rules import BUTTON, AreaRules

# Codes in a playout's record: a throw is DRAW minus the index of the lines it opens, the end ENDED minus the winner.
DRAW, ENDED = -1000, -100
# Turns before the limit ends a playout, in addition to `turns_a_point` for each point of the board.
_TURNS = 40
# Margin in points below which a game counts as drawn, because komi is not exact in binary.
_NOTHING = 5e-7

Allowed = Callable[[int], bool]


def pick(points: list[int], wanted: Callable[[int, int], bool], colour: int, rng: Rng) -> int:
    """Return the index of a random wanted point in `points`, or NONE if no point is wanted; reorders `points`."""
    left, below = len(points), rng.below
    while left:
        place = below(left)
        point = points[place]
        if wanted(point, colour):
            return place
        # Move the unwanted point behind the remaining candidates.
        left -= 1
        points[place], points[left] = points[left], point
    return NONE


class Playout(ABC):
    """A game in progress: a tree search plays its moves, and `finish` plays the rest at random.

    `order` lists the colours still in the game, starting with the first to move; `next` is the index of the colour to
    move. `finish` appends points, PASS, throws and the end of the game to `record`. `lead` is the first colour's lead
    in points, once the game has been scored.
    """

    turns_a_point: ClassVar[int] = 3

    def __init__(self, tables: BoardTables, position: Position) -> None:
        self.tables = tables
        gone = {event.actor for event in position.out}
        colours = tables.rules.colours
        first = colours.index(position.mover)
        self.order = [colour for colour in colours[first:] + colours[:first] if colour not in gone]
        self.board = PlayoutBoard.of(tables, position)
        self.next = 0
        self.passes = position.passes
        self.turns = 0
        self.cap = self.turns_a_point * tables.points + _TURNS
        self.is_over = False
        self.winner = EMPTY
        self.lead: float | None = None
        self.record: list[int] = []

    def copy(self) -> Self:
        other = copy(self)
        other.board = self.board.copy()
        other.record = []
        return other

    @property
    def mover(self) -> int:
        """The colour to move."""
        return self.order[self.next]

    @property
    def stones(self) -> bytes:
        """The colour of each point, one byte per point."""
        return bytes(self.board.colour)

    def regions(self) -> Iterable[tuple[int, list[int]]]:
        """Yield each empty region bordered by one colour only, as (colour, points)."""
        return self.board.regions()

    def end(self, winner: int) -> None:
        """End the game; the winner EMPTY means a drawn game."""
        self.is_over, self.winner = True, winner

    def pass_on(self) -> None:
        """Make it the next player's turn."""
        self.turns += 1
        self.next = (self.next + 1) % len(self.order)

    def find_legal(self, allowed: Allowed | None) -> list[int]:
        """Return the allowed empty points, ascending, where a stone may be placed."""
        board, mover = self.board, self.mover
        if board.stones[mover] >= self.tables.supply[mover]:
            return []
        empty = [p for p, colour in enumerate(board.colour) if not colour and (allowed is None or allowed(p))]
        return [point for point in empty if self.may_place(point, mover)]

    def may_place(self, point: int, colour: int) -> bool:
        """Return True if a stone may be placed on an empty point, under the simplified rules of playouts."""
        return self.board.is_legal(point, colour)

    def wants(self, point: int, colour: int) -> bool:
        """Return True if a stone may be placed on a point and does not fill the colour's own eye."""
        return not self.board.is_eye(point, colour) and self.may_place(point, colour)

    def play_point(self, point: int) -> None:
        points = self.board.empties[self.tables.bucket_of[point]]
        self.put(points, points.index(point))

    def play(self, move: int) -> None:
        """Carry out a move from `moves`: a point or PASS."""
        if move == PASS:
            self.pass_turn()
        else:
            self.play_point(move)

    def throw(self, rng: Rng, room: list[bool]) -> Container[int] | None:
        """Throw this turn's dice. Return the moves they allow, given `find_room`'s result; None if all are allowed."""
        return None

    def find_room(self, allowed: Allowed | None, forbidden: Container[int]) -> list[bool]:
        """Return for each line if it has an `allowed` or, if None, a legal point not `forbidden`; [] without dice."""
        return []

    def finish(self, rng: Rng) -> None:
        """Play random moves to the end of the game or the turn limit."""
        record = self.record
        while not self.is_over and self.turns < self.cap:
            points, place = self.choose(rng)
            if place != NONE:
                record.append(points[place])
                self.put(points, place)
            elif not self.is_over:
                record.append(PASS)
                self.pass_turn()
        if not self.is_over:
            self.end(self.judge())
        record.append(ENDED - self.winner)

    def judge(self) -> int:
        """Return the winner of a game that the turn limit ended: EMPTY for a drawn game or a game without a score."""
        return EMPTY

    @abstractmethod
    def moves(self, allowed: Allowed | None) -> list[int]:
        """Return the moves, only `allowed` ones if given, that a search considers. Without any, the game may end."""

    @abstractmethod
    def put(self, points: list[int], place: int) -> None:
        """Place a stone of the side to move on `points[place]`, an empty point."""

    @abstractmethod
    def pass_turn(self) -> None:
        """Pass for the side to move."""

    @abstractmethod
    def choose(self, rng: Rng) -> tuple[list[int], int]:
        """Return a list of points and the index of a random point in it; NONE means a pass or the end."""


class AreaPlayout(Playout):
    """Go and its kin: two passes in a row end the game, and the larger area wins; only the simple ko is checked.

    `komi` is White's points besides its area. Where territory is counted, only moves of the tree change `komi`, because
    in the random part both sides place about equally many stones.
    """

    def __init__(self, tables: BoardTables, position: Position) -> None:
        super().__init__(tables, position)
        rules = tables.rules
        assert isinstance(rules, AreaRules)
        self.komi = rules.effective_komi(position)
        self._has_button = rules.has_button(position)
        self._counts_territory = rules.counts_territory

    def play(self, move: int) -> None:
        if move != PASS and self._counts_territory:
            self.komi += 1 if self.mover == BLACK else -1
        super().play(move)

    def moves(self, allowed: Allowed | None) -> list[int]:
        mover = self.mover
        points = [point for point in self.find_legal(allowed) if not self.board.is_eye(point, mover)]
        return [*points, PASS] if allowed is None or allowed(PASS) else points

    def is_ended_by(self, passes: int) -> bool:
        """Return True if this many passes in a row end the game."""
        return passes >= 2

    def choose(self, rng: Rng) -> tuple[list[int], int]:
        board, colour = self.board, self.order[self.next]
        points = board.empties[0]
        if board.stones[colour] >= self.tables.supply[colour]:
            return points, NONE
        return points, pick(points, self.wants, colour, rng)

    def put(self, points: list[int], place: int) -> None:
        mover = self.next
        self.board.play_at(points, place, self.order[mover])
        self.next = 1 - mover
        self.passes = 0
        self.turns += 1

    def pass_turn(self) -> None:
        self.board.ko = NONE
        if self._has_button:
            self._has_button = False
            self.komi += BUTTON if self.mover == WHITE else -BUTTON
            self.pass_on()
            return
        self.passes += 1
        self.pass_on()
        if self.is_ended_by(self.passes):
            self.end(self.judge())

    def judge(self) -> int:
        self.lead = lead = self.board.area_margin(self.komi)
        return BLACK if lead > _NOTHING else WHITE if lead < -_NOTHING else EMPTY


class SuicidePlayout(Playout):
    """Alter Igo and its kin: own stones are captured too, and a side that has no moves but lone suicides loses."""

    turns_a_point = 4

    def __init__(self, tables: BoardTables, position: Position) -> None:
        super().__init__(tables, position)
        self.passes_left = position.passes_left
        self._history = position.history
        self._tells_sides = tables.facts["repetition"] == "situation"
        self._repeat_count = int(tables.facts["repeat_count"])
        self._seen: list[bytes] = []

    def copy(self) -> Self:
        other = super().copy()
        other._seen = self._seen.copy()
        return other

    def may_place(self, point: int, colour: int) -> bool:
        return not self.board.is_lone_suicide(point, colour)

    @property
    def may_pass(self) -> bool:
        return self.mover == WHITE and self.passes_left > 0

    def moves(self, allowed: Allowed | None) -> list[int]:
        mover, safe = self.mover, self.find_legal(allowed)
        moves = [point for point in safe if not self.board.is_eye(point, mover)]
        if self.may_pass and (allowed is None or allowed(PASS)):
            moves.append(PASS)
        if not moves and not safe:
            self.end(3 - mover)
        return moves or safe

    def play(self, move: int) -> None:
        super().play(move)
        if move != PASS:
            key = self.stones + (bytes((self.mover,)) if self._tells_sides else b"")
            if self._history.count(key) + self._seen.count(key) + 1 >= self._repeat_count:
                self.end(EMPTY)
            self._seen.append(key)

    def put(self, points: list[int], place: int) -> None:
        self.board.play_at(points, place, self.order[self.next])
        self.pass_on()

    def pass_turn(self) -> None:
        self.passes_left -= 1
        self.pass_on()

    def choose(self, rng: Rng) -> tuple[list[int], int]:
        points, colour = self.board.empties[0], self.mover
        place = pick(points, self.wants, colour, rng)
        if place == NONE and not self.may_pass:
            place = pick(points, self.may_place, colour, rng)
            if place == NONE:
                self.record.append(points[rng.below(len(points))])
                self.pass_on()
                self.end(3 - colour)
        return points, place


class FivePlayout(Playout):
    """Pentalath and its kin: five in a row win; without a move a side draws, loses or passes, as the options say."""

    def __init__(self, tables: BoardTables, position: Position) -> None:
        super().__init__(tables, position)
        self._no_move = str(tables.facts["no_move"])

    def moves(self, allowed: Allowed | None) -> list[int]:
        moves = self.find_legal(allowed)
        if moves or not self._end_without_move():
            return moves or [PASS]
        return []

    def put(self, points: list[int], place: int) -> None:
        colour = self.order[self.next]
        self.board.play_at(points, place, colour)
        self.passes = 0
        self.pass_on()
        if self.board.has_five:
            self.end(colour)

    def pass_turn(self) -> None:
        self.passes += 1
        self.pass_on()
        if self.passes >= len(self.order):
            self.end(EMPTY)

    def choose(self, rng: Rng) -> tuple[list[int], int]:
        points, colour, place = self.board.empties[0], self.order[self.next], NONE
        if self.board.stones[colour] < self.tables.supply[colour]:
            place = pick(points, self.board.is_legal, colour, rng)
        if place == NONE:
            self._end_without_move()
        return points, place

    def _end_without_move(self) -> bool:
        """End the game because a side cannot move, unless it may pass; return True if the game ended."""
        if self._no_move == "pass":
            return False
        is_lost = self._no_move == "loss" and len(self.tables.rules.colours) == 2
        self.end(self.order[(self.next + 1) % len(self.order)] if is_lost else EMPTY)
        return True


@dataclass(frozen=True, slots=True)
class OpenLines:
    """The `buckets` that a throw opens. If all are full, the last bucket before number `below` with room is open."""

    buckets: tuple[int, ...]
    below: int = 0


class DicedPlayout(AreaPlayout):
    """A game with dice. If `obliged`, a side must play if its pass would end the game and any line has a wanted point.

    Source: "le deuxième joueur voulant passer est obligé de jouer".
    """

    def __init__(self, tables: BoardTables, position: Position, obliged: bool = False) -> None:
        super().__init__(tables, position)
        rules = tables.rules
        assert isinstance(rules, DicedRules)
        self.obliged = obliged
        self.known_used = 0
        self._free_player = rules.free_player
        self._fallback_ko = bool(tables.facts["fallback_ko"])
        self._end_passes = rules.end_passes
        dice = rules.dice_of(position)
        totals = range(dice.count, dice.highest + 1)
        self.openings = [_open_lines_of(tables, rules, dice, total) for total in totals]
        free = len(self.openings)
        self.openings.append(OpenLines(tuple(range(tables.buckets))))
        thrown = rules.line_table.outcomes(dice)
        self._throws = [sum(dice.faces(action)) - dice.count for action in thrown]
        self.known = [free if draw == dice.free else sum(dice.faces(draw)) - dice.count for draw in position.draws]

    def draw(self, rng: Rng) -> int:
        """Return the index in `openings` of a known or new throw for this turn; for the free player, the last index."""
        if self.known_used < len(self.known):
            self.known_used += 1
            return self.known[self.known_used - 1]
        if self.mover == self._free_player:
            return len(self.openings) - 1
        return self._throws[rng.below(len(self._throws))]

    @property
    def may_pass(self) -> bool:
        """True if the side to move may pass even if it has a wanted move."""
        return self.passes + 1 < self._end_passes

    def moves(self, allowed: Allowed | None) -> list[int]:
        # A side that may not pass may have to fill an eye of its own, so add the points of its eyes.
        mover, legal = self.mover, self.find_legal(allowed)
        moves = [point for point in legal if not self.board.is_eye(point, mover)]
        if moves and not self.may_pass:
            moves += [point for point in legal if self.board.is_eye(point, mover)]
        return [*moves, PASS] if allowed is None or allowed(PASS) else moves

    def find_room(self, allowed: Allowed | None, forbidden: Container[int]) -> list[bool]:
        if allowed is not None:
            return [any(allowed(point) for point in points) for points in self.board.empties]
        repeated = forbidden if self._fallback_ko else ()
        return [self._has_room(bucket, self.mover, repeated) for bucket in range(self.tables.buckets)]

    def throw(self, rng: Rng, room: list[bool]) -> Container[int] | None:
        return self.open_moves(self.openings[self.draw(rng)], room)

    def open_moves(self, opening: OpenLines, room: list[bool]) -> set[int]:
        """Return the empty points on the open lines, or else on the first lower line with room, and PASS if allowed."""
        buckets = opening.buckets
        if not any(room[bucket] for bucket in buckets):
            buckets = tuple(bucket for bucket in range(opening.below - 1, -1, -1) if room[bucket])[:1]
        found = {point for bucket in buckets for point in self.board.empties[bucket]}
        return found | {PASS} if self.may_pass else found

    def is_ended_by(self, passes: int) -> bool:
        if passes >= max(2, 2 * (self.tables.buckets - 1)):
            return True
        return passes % 4 == 0 and not self._wants_any(BLACK) and not self._wants_any(WHITE)

    def choose(self, rng: Rng) -> tuple[list[int], int]:
        drawn = self.draw(rng)
        self.record.append(DRAW - drawn)
        opening, colour = self.openings[drawn], self.mover
        must_play = self.obliged and not self.may_pass
        points, place = self._pick_among(opening.buckets, self.wants, colour, rng)
        if place != NONE:
            return points, place
        if any(self._has_room(bucket, colour) for bucket in opening.buckets):
            if must_play and self._wants_any(colour):
                return self._pick_among(opening.buckets, self.board.is_legal, colour, rng)
            return points, NONE
        # The first lower line with a legal move is used, even if no move there is wanted.
        for below in range(opening.below - 1, -1, -1):
            points = self.board.empties[below]
            place = pick(points, self.wants, colour, rng)
            if place != NONE:
                return points, place
            if self._has_room(below, colour):
                must_play = must_play and self._wants_any(colour)
                return points, pick(points, self.board.is_legal, colour, rng) if must_play else NONE
        return points, NONE

    def _pick_among(
        self, buckets: tuple[int, ...], wanted: Callable[[int, int], bool], colour: int, rng: Rng
    ) -> tuple[list[int], int]:
        """Pick a wanted point from several lines, as `pick` does; return the list and the index."""
        lists = [self.board.empties[bucket] for bucket in buckets]
        if len(lists) == 1:
            return lists[0], pick(lists[0], wanted, colour, rng)
        left = [len(points) for points in lists]
        for every in range(sum(left), 0, -1):
            place = rng.below(every)
            i = 0
            while place >= left[i]:
                place -= left[i]
                i += 1
            points = lists[i]
            if wanted(points[place], colour):
                return points, place
            left[i] -= 1
            points[place], points[left[i]] = points[left[i]], points[place]
        return [], NONE

    def _has_room(self, bucket: int, colour: int, forbidden: Container[int] = ()) -> bool:
        board, mind_ko = self.board, self._fallback_ko
        points = (point for point in board.empties[bucket] if point not in forbidden)
        return any(board.is_legal(point, colour, mind_ko) for point in points)

    def _wants_any(self, colour: int) -> bool:
        """Return True if a side wants to play on any line."""
        lines = self.board.empties if self._free_player else self.board.empties[:-1]
        return any(self.wants(point, colour) for points in lines for point in points)


def _open_lines_of(tables: BoardTables, rules: DicedRules[Position], dice: DiceKind, total: int) -> OpenLines:
    """Return the lines that a total of the dice opens, whichever faces add up to it."""
    faces = [1] * dice.count
    for die in range(dice.count):
        faces[die] += min(total - sum(faces), dice.sides - 1)
    if rules.line_table.opens_whole_board(dice, tuple(faces)):
        return OpenLines(tuple(range(len(tables.lines))))
    buckets = tuple(tables.lines.index(line) for line in rules.line_table.drawn_lines(dice, tuple(faces)))
    falls = tables.facts["has_fallback"] and (bool(buckets) or tables.facts["overflow"] != "pass")
    return OpenLines(buckets, sum(line < total for line in tables.lines) if falls else 0)
