"""Which boards may not be made again on a playout's way through the tree, because the game or the way has seen them.

`kernel/tree/superko.hpp` is the same in C++. Playouts know the simple ko only.
"""

from collections.abc import Set as AbstractSet

from gtp_variants.mcts.plain.playout import Playout
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.repetition import RepetitionRule
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

_NOWHERE: AbstractSet[int] = frozenset()


class Superko:
    """The boards on the way of one playout after another; nothing is forbidden where the game has no superko."""

    def __init__(self, rules: Rules, position: Position, is_enforced: bool) -> None:
        name = str(rules.profile.kernel_facts(rules).get("repetition", ""))
        self._is_enforced = (
            is_enforced and rules.is_scored and bool(rules.profile.kernel_game) and name in ("psk", "ssk", "nssk")
        )
        self._rule = RepetitionRule(name, rules.colours)
        self._root = position
        # Of each colour: points that a stone of it may have left since a board was seen.
        self._root_left: dict[int, AbstractSet[int]] = dict.fromkeys(rules.colours, _NOWHERE)
        if self._is_enforced:
            for board in position.history:
                self._root_left = self._leave(self._root_left, board[: len(position.stones)], position.stones)
        self.begin()

    def begin(self) -> None:
        """Start another way."""
        self._history = self._root.history
        self._stones = self._root.stones
        self._left = self._root_left

    def note(self, game: Playout, mover: int, move: int) -> None:
        """A move of `mover` led to the game as it stands."""
        if self._is_enforced:
            stones = game.stones
            if move != PASS and stones.count(EMPTY) >= self._stones.count(EMPTY):
                self._left = self._leave(self._left, self._stones, stones)
            self._stones = stones
            self._history = self._rule.add(self._history, stones, mover, move != PASS)

    def find_forbidden(self, game: Playout) -> AbstractSet[int]:
        """Where the side to play may not place a stone that nothing else is against.

        It stood there on the board that it would make again, and is gone.
        """
        if not self._is_enforced or not self._left[game.mover]:
            return _NOWHERE
        mover = game.mover
        forbidden = set[int]()
        for point in self._left[mover]:
            if game.stones[point] == EMPTY and game.may_place(point, mover):
                after = game.copy()
                after.play_point(point)
                if self._rule.forbids(self._history, b"", after.stones, mover):
                    forbidden.add(point)
        return forbidden

    @staticmethod
    def _leave(left: dict[int, AbstractSet[int]], before: bytes, now: bytes) -> dict[int, AbstractSet[int]]:
        """The points that stones have left, with those that they left between two boards."""
        gone = {point: colour for point, colour in enumerate(before) if colour and now[point] != colour}
        if not gone:
            return left
        return {
            colour: points | {point for point, own in gone.items() if own == colour} for colour, points in left.items()
        }
