"""Pentalath between two: a small search for wins by fours, each of which has to be answered.

The twin of `kernel/threats.hpp`; what is written there as a comment holds here.
"""

from gtp_variants.mcts.plain.playout import Start
from gtp_variants.mcts.plain.playout_board import NONE, RichBoard
from gtp_variants.rules.actions import EMPTY
from gtp_variants.rules.games.pentalath import PentalathRules

_DEPTH = 10


class Threats:
    """The search for such wins in one game."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._colour = self._other = EMPTY
        self._left = 0

    def find(self, board: RichBoard, colour: int, other: int, most: int) -> int:
        """A move by which `colour`, who has no five and need prevent none, wins against every answer.

        NONE if none is found after `most` boards were looked at.
        """
        self._colour, self._other, self._left = colour, other, most
        rules = self._start.rules
        # Who runs out of discs, or repeats a board, may escape.
        if not isinstance(rules, PentalathRules) or rules.repetition != "none":
            return NONE
        if max(board.stones[colour], board.stones[other]) + _DEPTH >= self._start.supply:
            return NONE
        return self._attack(board, 0)

    def _attack(self, board: RichBoard, depth: int) -> int:
        """The first move of a win, NONE if there is none."""
        colour, three = self._colour, 3 << (4 * self._colour)
        seen = set()
        for number, five in enumerate(self._start.rules.board.fives):
            if board.windows[number] != three:
                continue
            for point in five:
                if board.colour[point] or point in seen:
                    continue
                seen.add(point)
                if not board.is_legal(point, colour):
                    continue
                self._left -= 1
                if self._left < 0:
                    return NONE
                after = _played(board, point, colour)
                if self._threatens(after) and not _can_five(after, self._other) and not self._answers(after, depth):
                    return point
        return NONE

    def _threatens(self, board: RichBoard) -> bool:
        """Whether a five is threatened that only its point or taking stones prevents."""
        colour = self._colour
        if not board.fours[colour]:
            return False
        fives = [p for p in board.empties[0] if board.makes_five(p, colour) and board.is_legal(p, colour)]
        return bool(fives) and all(board.stays_legal(point, colour) for point in fives)

    def _answers(self, board: RichBoard, depth: int) -> bool:
        """Whether the other side can prevent the five and all that follows: on its point, or by taking stones."""
        has_move = False
        for point, stone in enumerate(board.colour):
            if stone or not board.is_legal(point, self._other):
                continue
            has_move = True
            if not board.makes_five(point, self._colour) and not board.takes(point, self._other):
                continue
            self._left -= 1
            if self._left < 0:
                return True
            after = _played(board, point, self._other)
            if _can_five(after, self._colour):
                continue
            if depth + 1 >= _DEPTH or self._attack(after, depth + 1) == NONE:
                return True
        return not has_move


def _played(board: RichBoard, point: int, colour: int) -> RichBoard:
    after = board.copy()
    points = after.empties[0]
    after.play_at(points, points.index(point), colour)
    return after


def _can_five(board: RichBoard, colour: int) -> bool:
    return bool(board.fours[colour]) and any(
        board.makes_five(point, colour) and board.is_legal(point, colour) for point in board.empties[0]
    )
