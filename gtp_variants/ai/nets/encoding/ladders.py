"""Ladders: chains that are captured by one atari after another, as KataGo's inputs define them.

A ko counts as an escape. The rules about longer repetitions, and KataGo's special case of two kos, play no part.
"""

from collections.abc import Sequence

from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import chain, ko_point, liberties, place

# Number of stones placed in reading one chain after which it counts as escaping. It bounds the time of an evaluation.
_MOST_STONES = 500
# A chain with so many liberties escapes.
_FREE = 3


def read_ladder(board: Board, stones: bytes, members: Sequence[int], free: Sequence[int]) -> tuple[bool, list[int]]:
    """Return True if a chain with these one or two liberties is caught, and the moves of the enemy that catch it.

    A chain with one liberty moves first, so that no move of the enemy is needed to catch it.
    """
    reading = _Reading(board, members[0], stones[members[0]])
    if len(free) == 1:
        return reading.is_caught(stones), []
    catching = [move for move in sorted(free) if reading.catches(stones, move, is_first=True)]
    return bool(catching), catching


class _Reading:
    """The reading of one chain, named by a stone of it."""

    def __init__(self, board: Board, target: int, colour: int) -> None:
        self._board, self._target, self._colour = board, target, colour
        self._enemy = BLACK + WHITE - colour
        self._left = _MOST_STONES

    def is_caught(self, stones: bytes) -> bool:
        """Return True if the chain, which is to move, cannot get three liberties."""
        members = chain(self._board, stones, self._target)
        free = liberties(self._board, stones, members)
        if len(free) > 1 or any(self._is_open(stones, move) for move in free):
            return False
        return not any(self._escapes(stones, move) for move in sorted(free | self._captures(stones, members)))

    def _is_open(self, stones: bytes, point: int) -> bool:
        """Return True if a stone on a liberty gives the chain three others, captures aside. Most chains escape so."""
        after = stones[:point] + bytes([self._colour]) + stones[point + 1 :]
        return len(liberties(self._board, after, chain(self._board, after, point))) >= _FREE

    def _captures(self, stones: bytes, members: Sequence[int]) -> set[int]:
        """Return the moves that capture a chain in atari beside the target's stones."""
        found: set[int] = set()
        beside = {near for member in members for near in self._board.neighbours[member] if stones[near] == self._enemy}
        for near in beside:
            free = liberties(self._board, stones, chain(self._board, stones, near))
            found |= free if len(free) == 1 else set()
        return found

    def _escapes(self, stones: bytes, move: int) -> bool:
        """Return True if the chain is not caught after this move of its own colour."""
        self._left -= 1
        if self._left < 0:
            return True
        after = place(self._board, stones, self._colour, move)
        if after is None:
            return False
        stones, taken = after
        free = liberties(self._board, stones, chain(self._board, stones, self._target))
        if len(free) != _FREE - 1:
            return len(free) >= _FREE
        ko = ko_point(self._board, stones, move, taken)
        return not any(self.catches(stones, atari) for atari in sorted(free) if atari != ko)

    def catches(self, stones: bytes, move: int, *, is_first: bool = False) -> bool:
        """Return True if the chain is caught after this move of the enemy. Only the first move may leave a ko."""
        after = place(self._board, stones, self._enemy, move)
        if after is None or self._left < 0:
            return False
        return (is_first or ko_point(self._board, after[0], move, after[1]) is None) and self.is_caught(after[0])
