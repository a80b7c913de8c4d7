"""`Scene`: what is to be encoded, from one colour's side: a position, or what a seat knows where stones are hidden.

Everything that planes and features share is worked out here, once and only if one of them asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gtp_variants.ai.nets.encoding.seat_memory import SeatMemory
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.boards.chains import areas, chains, is_eye, liberties
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.turn_rules import RepeatingRules
from gtp_variants.rules.views import View

Levels = Sequence[int]


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of stones; `last_liberty` is where it can be captured, -1 unless it has one liberty and is not immune."""

    colour: int
    members: Sequence[int]
    liberties: int
    last_liberty: int


@dataclass(frozen=True, slots=True)
class Runs:
    """How near a colour is to five in a row, point by point. Only runs of five without a stone of another count.

    `longest`  most of its stones in a run through the point, 0 to 5
    `fives`, `fours`, `threes`  empty points only: runs in which a stone there would be the fifth, fourth, third
    """

    longest: Levels
    fives: Levels
    fours: Levels
    threes: Levels


class Scene:
    """A position from one colour's side, or what a seat knows.

    `colours` begins with the one whose side it is and goes on in turn order. `position` is None where the seat does not
    know it; `memory` is what the seat then remembers. `hidden` stones stand unseen.
    """

    def __init__(self, rules: Rules, seen: Position | View, colour: int | None = None) -> None:
        self.rules = rules
        self.points = len(rules.board)
        view = seen if isinstance(seen, View) and seen.position is None else None
        position = seen.position if isinstance(seen, View) else seen
        self.position, self.view = position, view
        self.memory: SeatMemory | None = None
        self.hidden = 0
        if position is not None:
            self.mover, self.stones = position.mover, position.stones
            self.turn, self.passes = position.turn, position.passes
            self.captures: Sequence[int] = position.taken
            self.last_point = -1 if position.last is None else position.last.action
            self.captured_last = position.captured
        else:
            assert view is not None
            self.memory = memory = SeatMemory(rules, view)
            self.mover, self.stones = view.to_play, view.stones
            self.turn, self.passes = view.turn, view.passes
            self.captures, self.hidden = memory.captures, view.hidden
            self.last_point, self.captured_last = memory.last_point, memory.captured_last
        side = colour if colour is not None else view.colour if view is not None else self.mover
        first = rules.colours.index(side)
        self.colours = (*rules.colours[first:], *rules.colours[:first])

    @property
    def own(self) -> int:
        """The colour whose side it is."""
        return self.colours[0]

    # -- who may do what ---------------------------------------------------------------------------------------------

    @cached_property
    def is_final(self) -> bool:
        """Whether the game is over for good."""
        if self.position is not None:
            return self.rules.is_final(self.position)
        return self.view is not None and self.view.final

    @cached_property
    def is_suspended(self) -> bool:
        """Whether the game has ended unless somebody objects."""
        if self.position is not None:
            return self.rules.is_suspended(self.position)
        return not self.is_final and self.rules.reopens and self.passes >= self.rules.end_passes

    @property
    def next_pass_ends(self) -> bool:
        """Whether one more pass ends or suspends the game, or confirms its end."""
        return 0 < self.rules.end_passes <= self.passes + 1

    @property
    def awaits_dice(self) -> bool:
        """Whether the dice are to be thrown now."""
        return self.position is not None and self.position.to_play == CHANCE

    @cached_property
    def actions(self) -> Sequence[int]:
        """What the side to move may do, () for chance; for a seat what it may try."""
        if self.view is not None:
            return self.view.actions
        assert self.position is not None
        return () if self.awaits_dice else self.rules.legal(self.position)

    @cached_property
    def legal_points(self) -> Sequence[int]:
        """Where the side to move may place a stone, under some throw at least; for a seat where it may try."""
        if isinstance(self.rules, DicedRules) and self.position is not None:
            return [] if self.is_final else self.rules.points_of_any_draw(self.position)
        return [action for action in self.actions if action >= 0]

    @cached_property
    def repeats(self) -> Mapping[int, int]:
        """The points where a stone would make a board that was seen before, and how often it was."""
        if isinstance(self.rules, RepeatingRules) and self.position is not None:
            return self.rules.repeats(self.position)
        return {}

    def marks(self, name: str) -> Sequence[int]:
        """The points that the rules find under one of their `mark_names`."""
        if self.position is None or name not in self.rules.profile.decisive_marks:
            return ()
        return self.rules.find_marks(self.position)[name]

    # -- stones ------------------------------------------------------------------------------------------------------

    def count(self, colour: int) -> int:
        """How many stones of a colour are on the board, hidden ones too."""
        return self.stones.count(colour) + (self.hidden if colour != self.own else 0)

    @cached_property
    def chains(self) -> list[Chain]:
        """Every chain that is seen, with the liberties it has as far as is seen."""
        board, stones, found = self.rules.board, self.stones, []
        immune = set(self.marks("immune"))
        for members in chains(board, stones):
            free = liberties(board, stones, members)
            last = next(iter(free)) if len(free) == 1 and members[0] not in immune else -1
            found.append(Chain(stones[members[0]], members, len(free), last))
        return found

    @cached_property
    def chain_liberties(self) -> Levels:
        """The liberties of the chain on each point, 0 on empty points."""
        levels = [0] * self.points
        for each in self.chains:
            for point in each.members:
                levels[point] = each.liberties
        return levels

    def is_eye(self, point: int, colours: Sequence[int]) -> bool:
        """Whether a point is an eye of one of some colours, as far as is seen."""
        return any(is_eye(self.rules.board, self.stones, point, colour) for colour in colours)

    @cached_property
    def areas(self) -> list[list[int]]:
        """The points of each colour if the game were counted now; none while stones are hidden."""
        return [[], [], [], []] if self.hidden else areas(self.rules.board, self.stones)

    @cached_property
    def runs(self) -> Mapping[int, Runs]:
        """How near each colour is to five in a row."""
        return {colour: self._runs_of(colour) for colour in self.colours}

    def _runs_of(self, colour: int) -> Runs:
        stones, points = self.stones, self.points
        longest, fives, fours, threes = ([0] * points for _ in range(4))
        by_count = {4: fives, 3: fours, 2: threes}
        for five in self.rules.board.fives:
            there = bytes(stones[point] for point in five)
            count = there.count(colour)
            if count + there.count(0) < len(five):
                continue
            grows = by_count.get(count)
            for point in five:
                longest[point] = max(longest[point], count)
                if grows is not None and not stones[point]:
                    grows[point] += 1
        return Runs(longest, fives, fours, threes)

    def rings(self, colours: Sequence[int]) -> Levels:
        """Most stones of one of some colours around a hexagon at each point on whose corners no other stands."""
        most = [0] * self.points
        for face in self.rules.board.faces:
            there = {self.stones[point] for point in face} - {0}
            if len(there) == 1 and there <= set(colours):
                count = sum(1 for point in face if self.stones[point])
                for point in face:
                    most[point] = max(most[point], count)
        return most

    # -- dice --------------------------------------------------------------------------------------------------------

    @property
    def draws(self) -> Sequence[int]:
        """What is known of the draws of this turn and the next."""
        return () if self.position is None or self.is_final else self.position.draws

    @cached_property
    def open_points(self) -> Sequence[int]:
        """The points of the lines on which a stone may be placed now; none while the dice are to be thrown."""
        rules, position = self.rules, self.position
        if not isinstance(rules, DicedRules) or position is None or self.awaits_dice or not self.draws:
            return ()
        lines = rules.open_lines(position)
        return range(self.points) if lines is None else [p for line in lines for p in rules.on_line[line]]

    @cached_property
    def next_open_points(self) -> Sequence[int]:
        """The points of the lines that the next turn's throw names, before any of them turns out to be full."""
        rules, position = self.rules, self.position
        if not isinstance(rules, DicedRules) or position is None or len(self.draws) < 2:
            return ()
        dice = rules.dice_of(position)
        if self.draws[1] == dice.free:
            return range(self.points)
        faces = dice.faces(self.draws[1])
        lines = (
            rules.on_line
            if rules.line_table.opens_whole_board(dice, faces)
            else rules.line_table.drawn_lines(dice, faces)
        )
        return [p for line in lines for p in rules.on_line[line]]

    @cached_property
    def throws_naming(self) -> tuple[Levels, int]:
        """How many throws of the dice in force name the line of each point, and how many throws there are."""
        rules, position = self.rules, self.position
        if not isinstance(rules, DicedRules) or position is None:
            return [0] * self.points, 1
        dice, table = rules.dice_of(position), rules.line_table
        naming = dict.fromkeys(rules.on_line, 0)
        outcomes = table.outcomes(dice)
        for outcome in outcomes:
            faces = dice.faces(outcome)
            for line in naming if table.opens_whole_board(dice, faces) else table.drawn_lines(dice, faces):
                naming[line] += 1
        return [naming.get(line, 0) for line in rules.lines], len(outcomes)
