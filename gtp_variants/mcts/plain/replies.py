"""What a playout answers to the last moves before it plays at random: stones in atari, then shapes.

The twin of `kernel/answers.hpp`; what is written there as a comment holds here.
"""

from dataclasses import dataclass

from gtp_variants.mcts.plain.playout_board import NONE, RichBoard
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import EMPTY

_ATARI_PERCENT, _SHAPES_PERCENT, _SELF_ATARI_PERCENT = 90, 95, 50
_MOST_REFUSALS = 2
_MOST_FOUND = 32


@dataclass(frozen=True, slots=True)
class Style:
    """What playouts know besides the rules; if nothing, or no more than who is obliged to play, they are uniform.

    With `tactics` both sides of Pentalath make a five where they can and prevent the next player's where they must.
    With `atari` chains in atari are taken or saved, and few chains are put into atari by their own side. With `shapes`
    Go and Aléago play shapes around the last two moves. With `obliged` whoever would pass second in a row in Aléago,
    and so suspend the game, plays on an open line all the same, be it in an own eye, while any line has a point it
    wants.
    """

    tactics: bool = False
    atari: bool = False
    shapes: bool = False
    obliged: bool = False

    @property
    def is_rich(self) -> bool:
        """Whether it takes a board that knows atari and shapes."""
        return self.atari or self.shapes


UNIFORM = Style()


class Answers:
    """The answers of one playout, on its board."""

    def __init__(self, board: RichBoard, style: Style, rng: Rng) -> None:
        self._board = board
        self._style = style
        self._rng = rng
        self._has_shapes = style.shapes and bool(board.shapes)
        self._can_fail = board.ground.game == "alter-igo"
        self._found: list[int] = []
        self._refusals = 0

    def choose(self, colour: int, last: int, previous: int, is_open: tuple[int, ...] | None = None) -> int:
        """A point to answer at; NONE if there is none or chance has it so. Only `is_open` buckets count, if given."""
        self._refusals = 0
        if self._style.atari and last != NONE:
            self._collect_atari(colour, last)
            point = self._one_of_them(colour, _ATARI_PERCENT, False, is_open)
            if point != NONE:
                return point
        if self._has_shapes:
            for move in (last, previous):
                if move == NONE:
                    continue
                self._collect_shapes(move)
                point = self._one_of_them(colour, _SHAPES_PERCENT, True, is_open)
                if point != NONE:
                    return point
        return NONE

    def refuses(self, point: int, colour: int) -> bool:
        """Of a point chosen at random: whether it is refused as self-atari, which happens a few times a turn only."""
        if not self._style.atari or self._refusals >= _MOST_REFUSALS or not self._board.is_self_atari(point, colour):
            return False
        if self._rng.below(100) >= _SELF_ATARI_PERCENT:
            return False
        self._refusals += 1
        return True

    def _add(self, point: int) -> None:
        if point != NONE and point not in self._found and len(self._found) < _MOST_FOUND:
            self._found.append(point)

    def _collect_atari(self, colour: int, last: int) -> None:
        """Takes the chain last played to, or saves those beside it: by taking a neighbour or by running away."""
        board = self._board
        self._found = []
        if board.colour[last] not in (EMPTY, colour):
            self._add(board.target(board.chain[last]))
        for near in board.ground.neighbours[last]:
            if board.colour[near] != colour:
                continue
            liberty = board.target(board.chain[near])
            if liberty == NONE:
                continue
            self._collect_neighbours(near, colour)
            if not board.is_self_atari(liberty, colour):
                self._add(liberty)

    def _collect_neighbours(self, first: int, colour: int) -> None:
        """Takes the chains in atari beside a chain."""
        board, member = self._board, first
        while True:
            for near in board.ground.neighbours[member]:
                if board.colour[near] not in (EMPTY, colour):
                    self._add(board.target(board.chain[near]))
            member = board.next[member]
            if member == first:
                return

    def _collect_shapes(self, move: int) -> None:
        board = self._board
        colours, shapes, worthy = board.colour, board.shapes, board.ground.worthy
        self._found = [
            point for point, _ in board.ground.surroundings[move] if not colours[point] and worthy[shapes[point]]
        ]

    def _one_of_them(self, colour: int, percent: int, is_careful: bool, is_open: tuple[int, ...] | None) -> int:
        found, board = self._found, self._board
        if not found or self._rng.below(100) >= percent:
            return NONE
        while found:
            k = self._rng.below(len(found))
            point = found[k]
            if (
                (is_open is None or board.ground.bucket_of[point] in is_open)
                and self._may_play(point, colour)
                and not (is_careful and board.is_self_atari(point, colour))
            ):
                return point
            found[k] = found[-1]
            found.pop()
        return NONE

    def _may_play(self, point: int, colour: int) -> bool:
        board = self._board
        return not board.is_lone_suicide(point, colour) if self._can_fail else board.is_legal(point, colour)
