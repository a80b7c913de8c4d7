"""Random playouts in plain Python: on fast boards, or by the rules alone for games that fast boards do not support."""

from collections.abc import Container, Iterable

from gtp_variants.ai.mcts.plain.playout import Allowed, AreaPlayout, DicedPlayout, FivePlayout, Playout, SuicidePlayout
from gtp_variants.ai.mcts.plain.playout_board import NONE, BoardTables, board_tables
from gtp_variants.ai.mcts.result import PlayoutCounts
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import CHANCE, EMPTY, PASS, RED
from gtp_variants.rules.boards.chains import areas, is_eye
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules


class AnyPlayout(Playout):
    """A game in progress played by `Rules.play`: slow, but right for every game."""

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
        """Throw the dice, at each visit anew, so that a node's mean approaches the expectation; see `Playout.throw`."""
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
        # Pass only if nothing else is useful.
        points = [move for move in moves if move >= 0]
        return points, rng.below(len(points)) if points else NONE

    def judge(self) -> int:
        score = self._rules.standing(self._position)
        self._note_lead(score)
        return EMPTY if score is None else score.winner or EMPTY

    def _useful_moves(self) -> list[int]:
        """Return the legal moves that do not fill own eyes, or all legal moves if there are no others."""
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


def begin_playout(rules: Rules, position: Position, dice_aware: bool = True, obliged: bool = False) -> Playout:
    """Return a playout from a position. Without `dice_aware` every line is open; for `obliged` see `DicedPlayout`."""
    tables = board_tables(rules, dice_aware)
    if not rules.profile.kernel_game:
        return AnyPlayout(tables, position)
    if isinstance(rules, DicedRules) and dice_aware:
        return DicedPlayout(tables, position, obliged)
    if tables.is_area:
        return AreaPlayout(tables, position)
    return SuicidePlayout(tables, position) if tables.takes_own else FivePlayout(tables, position)


def run_playouts(rules: Rules, position: Position, n: int, seed: int, first: int = 0) -> PlayoutCounts:
    """Count the outcomes of the playouts with numbers `first` to `first + n - 1` of a seed."""
    outcome = rules.outcome(position)
    if outcome is not None:
        wins = [n if colour == outcome.winner else 0 for colour in rules.colours]
        return PlayoutCounts(wins, 0 if outcome.winner else n, 0)
    start = begin_playout(rules, position)
    counts = [0] * (RED + 1)
    turns = 0
    for index in range(first, first + n):
        playout = start.copy()
        playout.finish(Rng.of_playout(seed, index))
        counts[playout.winner] += 1
        turns += playout.turns
    return PlayoutCounts([counts[colour] for colour in rules.colours], counts[EMPTY], turns)


def final_stones(start: Playout, index: int, seed: int = 0) -> bytes:
    """Return the final stones of playout number `index` of a seed; `start` is unchanged."""
    playout = start.copy()
    playout.finish(Rng.of_playout(seed, index))
    return playout.stones
