"""Random games to the end, from any position: uniformly random moves that fill no own eye.

`kernel/playouts/playout.hpp` plays the same games: from the same generator, in the same order of choices. Where a
game has no other end a number of turns ends it. Nobody swaps.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable
from copy import copy
from typing import ClassVar, Self

from gtp_variants.ai.mcts.plain.playout_board import NONE, BoardTables, PlayoutBoard
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, WHITE
from gtp_variants.rules.position import Position

# In the record of a playout: DRAW less the number of an opening of the dice; at last ENDED less the winner.
DRAW, ENDED = -1000, -100
# So many turns, and so many for each point of the board, end a playout.
_TURNS = 40
# A margin below this, in points, is a draw: komi is no exact fraction.
_NOTHING = 5e-7

Allowed = Callable[[int], bool]


def pick(points: list[int], wanted: Callable[[int, int], bool], colour: int, rng: Rng) -> int:
    """The place of a uniformly random one of the points that are wanted, NONE if none is."""
    left, below = len(points), rng.below
    while left:
        place = below(left)
        point = points[place]
        if wanted(point, colour):
            return place
        # The refused point goes behind those that are still asked.
        left -= 1
        points[place], points[left] = points[left], point
    return NONE


class Playout(ABC):
    """A game in progress: a tree search plays its moves, and `finish` the rest at random.

    `order` are the colours that still play, from the side to move at the start; `next` says whose turn it is. `record`
    receives the turns of `finish`: points, PASS, draws of dice and the end. `lead` is by how many points the first
    colour of the game leads, once a score has ended it.
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
        """The same game, to be played on."""
        other = copy(self)
        other.board = self.board.copy()
        other.record = []
        return other

    @property
    def mover(self) -> int:
        """The colour whose turn it is."""
        return self.order[self.next]

    @property
    def stones(self) -> bytes:
        """The board as it stands."""
        return bytes(self.board.colour)

    def regions(self) -> Iterable[tuple[int, list[int]]]:
        """The empty regions that border on one colour alone, with that colour."""
        return self.board.regions()

    def end(self, winner: int) -> None:
        """The game is over; EMPTY: a draw."""
        self.is_over, self.winner = True, winner

    def pass_on(self) -> None:
        """It is the next player's turn."""
        self.turns += 1
        self.next = (self.next + 1) % len(self.order)

    def find_legal(self, allowed: Allowed | None) -> list[int]:
        """The empty points, in order of number, where a stone may be placed and that are allowed."""
        board, mover = self.board, self.mover
        if board.stones[mover] >= self.tables.supply[mover]:
            return []
        empty = [p for p, colour in enumerate(board.colour) if not colour and (allowed is None or allowed(p))]
        return [point for point in empty if self.may_place(point, mover)]

    def may_place(self, point: int, colour: int) -> bool:
        """Whether a stone may be placed on an empty point, as far as playouts know the rules."""
        return self.board.is_legal(point, colour)

    def play_point(self, point: int) -> None:
        """Put a stone on an empty point."""
        points = self.board.empties[self.tables.bucket_of[point]]
        self.put(points, points.index(point))

    def play(self, move: int) -> None:
        """Carry out a point or PASS of `moves`."""
        if move == PASS:
            self.pass_turn()
        else:
            self.play_point(move)

    def throw(self, rng: Rng, room: list[bool]) -> Container[int] | None:
        """Throw the dice of this turn: the moves that may be chosen, None for all; `room` is that of the node."""
        return None

    def find_room(self, allowed: Allowed | None, forbidden: Container[int]) -> list[bool]:
        """Under dice, for each line whether a stone may be placed there: where it is allowed, or else not forbidden."""
        return []

    def finish(self, rng: Rng) -> None:
        """Play to the end at random."""
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
        """Who has won a game that is broken off: a draw where the game has no score."""
        return EMPTY

    @abstractmethod
    def moves(self, allowed: Allowed | None) -> list[int]:
        """The moves a tree search looks at; where there are none the game is over after this call."""

    @abstractmethod
    def put(self, points: list[int], place: int) -> None:
        """Put a stone of the side to move on a point of a list of empty points."""

    @abstractmethod
    def pass_turn(self) -> None:
        """The side to move passes."""

    @abstractmethod
    def choose(self, rng: Rng) -> tuple[list[int], int]:
        """A list of points and the place in it of a random one to play on; NONE to pass, or at the end of the game."""


class AreaPlayout(Playout):
    """Go and its kin: two passes in a row end the game, area decides; of repetitions only the simple ko counts."""

    def moves(self, allowed: Allowed | None) -> list[int]:
        mover = self.mover
        points = [point for point in self.find_legal(allowed) if not self.board.is_eye(point, mover)]
        return [*points, PASS] if allowed is None or allowed(PASS) else points

    def wants(self, point: int, colour: int) -> bool:
        """Whether a side would play on an empty point: where it is legal, and no own eye."""
        board = self.board
        return not board.is_eye(point, colour) and board.is_legal(point, colour)

    def is_ended_by(self, passes: int) -> bool:
        """Whether so many passes in a row end the game."""
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
        self.passes += 1
        self.pass_on()
        if self.is_ended_by(self.passes):
            self.end(self.judge())

    def judge(self) -> int:
        self.lead = lead = self.board.area_margin(float(self.tables.facts["komi"]))
        return BLACK if lead > _NOTHING else WHITE if lead < -_NOTHING else EMPTY


class SuicidePlayout(Playout):
    """Alter Igo and its kin: own stones are taken off, too, and whoever can only place a lone suicide loses.

    White passes, if passes are left, before filling an own eye; a board that comes too often is a draw.
    """

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
        """Whether the side to move may pass."""
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

    def wants(self, point: int, colour: int) -> bool:
        """Whether a side would play on an empty point: no own eye, and no lone suicide."""
        return not self.board.is_eye(point, colour) and self.may_place(point, colour)


class FivePlayout(Playout):
    """Pentalath and its kin: five in a row win; whoever cannot move draws, loses or passes."""

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
        """End the game of a side to move that cannot move, unless it then passes; whether it is over."""
        if self._no_move == "pass":
            return False
        is_lost = self._no_move == "loss" and len(self.tables.rules.colours) == 2
        self.end(self.order[(self.next + 1) % len(self.order)] if is_lost else EMPTY)
        return True
