"""Random games under dice, as in Aléago: a throw before every turn says on which lines a stone may be placed.

They end when neither side would play on any line, after two passes for each line, or after a number of turns. Draws
that are known already are used.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass

from gtp_variants.ai.mcts.plain.playout import DRAW, Allowed, AreaPlayout, pick
from gtp_variants.ai.mcts.plain.playout_board import NONE, BoardTables
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.position import Position
from gtp_variants.rules.traits import DicedRules


@dataclass(frozen=True, slots=True)
class OpenLines:
    """The lines a throw opens: buckets of empty points, and below which line to look if nothing there is legal."""

    buckets: tuple[int, ...]
    below: int = 0


class DicedPlayout(AreaPlayout):
    """A game under dice. Who is `obliged` plays where a pass would end the game, while any line has a wanted point.

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
        """The number of the opening of the throw that is due."""
        if self.known_used < len(self.known):
            self.known_used += 1
            return self.known[self.known_used - 1]
        if self.mover == self._free_player:
            return len(self.openings) - 1
        return self._throws[rng.below(len(self._throws))]

    @property
    def may_pass(self) -> bool:
        """Whether the side to move may pass while there is anything it wants."""
        return self.passes + 1 < self._end_passes

    # -- for a tree search -------------------------------------------------------------------------------------------

    def moves(self, allowed: Allowed | None) -> list[int]:
        # Who may not pass may have to fill an own eye.
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
        """The empty points on the lines of a throw, or on the first below that has room; and a pass if it is free."""
        buckets = opening.buckets
        if not any(room[bucket] for bucket in buckets):
            buckets = tuple(bucket for bucket in range(opening.below - 1, -1, -1) if room[bucket])[:1]
        found = {point for bucket in buckets for point in self.board.empties[bucket]}
        return found | {PASS} if self.may_pass else found

    # -- at random ---------------------------------------------------------------------------------------------------

    def is_ended_by(self, passes: int) -> bool:
        return passes >= max(2, 2 * (self.tables.buckets - 1)) or (passes % 4 == 0 and self._neither_wants_any())

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
        # It falls back by what is legal, not by what is wanted.
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
        """As `pick`, among the points of several lines: the list and the place in it."""
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
        """Whether a side has a point on any line that it would play."""
        lines = self.board.empties if self._free_player else self.board.empties[:-1]
        return any(self.wants(point, colour) for points in lines for point in points)

    def _neither_wants_any(self) -> bool:
        return not self._wants_any(BLACK) and not self._wants_any(WHITE)


def _open_lines_of(tables: BoardTables, rules: DicedRules[Position], dice: DiceKind, total: int) -> OpenLines:
    """What a total opens; which faces make it does not count."""
    faces = [1] * dice.count
    for die in range(dice.count):
        faces[die] += min(total - sum(faces), dice.sides - 1)
    if rules.line_table.opens_whole_board(dice, tuple(faces)):
        return OpenLines(tuple(range(len(tables.lines))))
    buckets = tuple(tables.lines.index(line) for line in rules.line_table.drawn_lines(dice, tuple(faces)))
    falls = tables.facts["has_fallback"] and (bool(buckets) or tables.facts["overflow"] != "pass")
    return OpenLines(buckets, sum(line < total for line in tables.lines) if falls else 0)
