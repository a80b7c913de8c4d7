"""Random games by the rules alone: for a game that the fast boards do not know, such as one that was just added."""

from collections.abc import Container, Iterable

from gtp_variants.mcts.plain.playout import Allowed, Playout
from gtp_variants.mcts.plain.playout_board import NONE, BoardTables
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import CHANCE, EMPTY, PASS
from gtp_variants.rules.boards.chains import areas, is_eye
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position


class AnyPlayout(Playout):
    """A game in progress, played by `Rules.play`: slow, and right for every game."""

    def __init__(self, tables: BoardTables, position: Position) -> None:
        super().__init__(tables, position)
        self._rules = tables.rules
        self._position = position

    @property
    def stones(self) -> bytes:
        return self._position.stones

    def regions(self) -> Iterable[tuple[int, list[int]]]:
        owned = enumerate(areas(self._rules.board, self.stones))
        return ((owner, [point for point in points if not self.stones[point]]) for owner, points in owned if owner)

    def throw(self, rng: Rng, room: list[bool]) -> Container[int] | None:
        """The dice are thrown at every visit, so that a node's mean is the expectation by odds."""
        if self._position.to_play != CHANCE:
            return None
        self._throw_dice(rng)
        return set(self._rules.legal(self._position))

    def moves(self, allowed: Allowed | None) -> list[int]:
        if self._position.to_play == CHANCE:
            moves = [*(point for point, colour in enumerate(self.stones) if not colour), PASS]
        else:
            moves = self._useful_moves()
        return [move for move in moves if allowed is None or allowed(move)]

    def play_point(self, point: int) -> None:
        self._play(point)

    def pass_turn(self) -> None:
        self._play(PASS)

    def put(self, points: list[int], place: int) -> None:
        self._play(points[place])

    def choose(self, rng: Rng) -> tuple[list[int], int]:
        while self._position.to_play == CHANCE:
            self._throw_dice(rng)
        moves = self._useful_moves()
        # Passes only where nothing else is wanted.
        points = [move for move in moves if move >= 0]
        return points, rng.below(len(points)) if points else NONE

    def judge(self) -> int:
        score = self._rules.standing(self._position)
        self._note_lead(score)
        return EMPTY if score is None else score.winner or EMPTY

    def _useful_moves(self) -> list[int]:
        """What may be played, without own eyes where there is anything else."""
        position, board = self._position, self._rules.board
        legal = [move for move in self._rules.legal(position) if move >= PASS]
        useful = [m for m in legal if m < 0 or not is_eye(board, position.stones, m, position.mover)]
        return useful or legal

    def _throw_dice(self, rng: Rng) -> None:
        rules, left = self._rules, rng.random()
        throws = [
            throw for throw in zip(rules.actions(self._position), rules.odds(self._position), strict=True) if throw[1]
        ]
        while left >= throws[0][1] and len(throws) > 1:
            left -= throws.pop(0)[1]
        self._position = rules.play(self._position, throws[0][0])

    def _play(self, move: int) -> None:
        self._position = position = self._rules.play(self._position, move)
        self.turns += 1
        if self._rules.is_over(position):
            outcome = self._rules.outcome(position)
            self._note_lead(outcome)
            self.end(EMPTY if outcome is None else outcome.winner or EMPTY)
        else:
            self.next = self.order.index(position.mover)

    def _note_lead(self, outcome: Outcome | None) -> None:
        if outcome is not None and outcome.how == "score":
            self.lead = outcome.margin if outcome.winner == self._rules.colours[0] else -outcome.margin
