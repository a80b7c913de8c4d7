"""`Scene`: a position, or a seat's knowledge of it, as seen by one colour; shared inputs are computed on demand."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, FLAG, FORFEIT, PASS, RESIGN, TURN, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import areas, chain, chains, is_eye, ko_point, liberties, place
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules
from gtp_variants.rules.turn_rules import AreaRules, RepeatingRules
from gtp_variants.rules.views import News, View

# Number of stones placed in reading one chain after which it counts as escaping. It bounds the time of an evaluation.
_MOST_STONES = 500
# A chain with so many liberties escapes.
_FREE = 3


def read_ladder(board: Board, stones: bytes, members: Sequence[int], free: Sequence[int]) -> tuple[bool, list[int]]:
    """Return True if the chain `members` with one or two liberties, `free`, is caught, and the moves that catch it.

    A chain with one liberty moves first, so that no move of the enemy is needed to catch it.
    """
    reading = _Reading(board, members[0], stones[members[0]])
    if len(free) == 1:
        return reading.is_caught(stones), []
    catching = [move for move in sorted(free) if reading.catches(stones, move, is_first=True)]
    return bool(catching), catching


class _Reading:
    """The reading of ladders that may catch the chain of `colour` at point `target`."""

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
        """Return True if a stone on this liberty gives the chain three liberties, ignoring any captures."""
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
        """Return True if the chain is not caught after this move of its own colour, or if reading takes too long."""
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


Levels = Sequence[int]
# Number of turns a seat remembers: its own last eight and the other side's last eight.
REMEMBERED_TURNS = 16


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of stones; `last_liberty` is -1 unless the chain has exactly one liberty and is not immune."""

    colour: int
    members: Sequence[int]
    liberties: int
    last_liberty: int


@dataclass(frozen=True, slots=True)
class Runs:
    """A colour's closeness to five in a row, by point, counting only runs of five that contain no other colour.

    `longest` is the largest number of stones in any run through the point, 0 to 5. `fives`, `fours` and `threes` count,
    for empty points, the runs in which a stone would be the fifth, fourth or third.
    """

    longest: Levels
    fives: Levels
    fours: Levels
    threes: Levels


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """The news of one turn: stones captured and put in atari, any self-atari, and refused tries before it."""

    is_own: bool
    is_pass: bool
    captured: int
    atari: int
    self_atari: bool
    refused: int


class SeatMemory:
    """The facts that a seat has heard, by point and by turn.

    `placed`, `refused`, `lost` and `taken` hold a turn for each point, or 0. `placed` is when the seat's stone there
    was placed, `refused` when its try there was refused, `lost` and `taken` when its own and the other side's stone
    there was last captured. The last three are reset when the seat places a stone there, `refused` also when a stone is
    shown or captured there.
    """

    def __init__(self, rules: Rules, view: View) -> None:
        points = len(rules.board)
        self.placed, self.refused, self.lost, self.taken = ([0] * points for _ in range(4))
        self.turns: deque[HeardTurn] = deque(maxlen=REMEMBERED_TURNS)
        self.refused_now = 0
        self.tries = 0
        self.captures = [0, 0, 0, 0]
        self.last_point = -1
        self.captured_last: tuple[int, ...] = ()
        self._colours = rules.colours
        self._colour = view.colour
        self._to_play = rules.colours[0]
        self._turn = 1
        for news in view.news:
            self._hear(news)

    def _hear(self, news: News) -> None:
        if news.seating is not None:
            self._to_play = news.seating.to_play
        elif news.refused:
            self._hear_refusal(news)
        elif news.action == TURN:
            self.refused_now = self.refused_now if news.actor == self._to_play else 0
            self._to_play = news.actor
        elif news.action in (RESIGN, FLAG, FORFEIT):
            # A player that leaves the game captures nothing, so no stone was captured last.
            self.captured_last = ()
        elif news.action is None or news.action >= 0 or news.action == PASS:
            self._hear_turn(news)

    def _hear_refusal(self, news: News) -> None:
        self.tries += 1
        self.refused_now += 1
        if news.action is not None:
            is_shown = news.shown not in (None, EMPTY, self._colour)
            self.refused[news.action] = 0 if is_shown else self._turn

    def _hear_turn(self, news: News) -> None:
        is_own = news.actor == self._colour
        self.turns.appendleft(
            HeardTurn(
                is_own,
                news.action == PASS,
                news.count,
                sum(item.count for item in news.said if item.code == "atari"),
                any(item.code == "self_atari" for item in news.said),
                self.refused_now,
            )
        )
        self.last_point = -1
        if is_own and news.action is not None and news.action >= 0:
            self.last_point = news.action
            self.placed[news.action] = self._turn
            self.refused[news.action] = self.lost[news.action] = self.taken[news.action] = 0
        for point in news.captured:
            self.placed[point] = self.refused[point] = 0
            (self.taken if is_own else self.lost)[point] = self._turn
        self.captured_last = news.captured
        self.captures[news.actor] += news.count
        self.tries += 1
        self.refused_now = 0
        self._to_play = next(colour for colour in self._colours if colour != news.actor)
        self._turn += 1


class Scene:
    """A position, or a seat's knowledge of it, as seen by one colour.

    `colours` starts with that colour, followed by the other colours in turn order. For a seat in a game with hidden
    stones, `position` is None, `memory` holds what the seat has heard, and `hidden` is the number of unseen stones.
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
            self.earlier: Sequence[int] = position.earlier
            self.captured_last = position.captured
        else:
            assert view is not None
            self.memory = memory = SeatMemory(rules, view)
            self.mover, self.stones = view.to_play, view.stones
            self.turn, self.passes = view.turn, view.passes
            self.captures, self.hidden = memory.captures, view.hidden
            self.last_point, self.captured_last = memory.last_point, memory.captured_last
            self.earlier = ()
        side = colour if colour is not None else view.colour if view is not None else self.mover
        first = rules.colours.index(side)
        self.colours = (*rules.colours[first:], *rules.colours[:first])

    @property
    def own(self) -> int:
        """The colour that sees the scene."""
        return self.colours[0]

    @cached_property
    def komi(self) -> float:
        """White's points besides its area; 0 in a game without a score."""
        if self.view is not None and isinstance(self.rules, HiddenRules):
            return float(self.rules.heard_komi(self.view))
        if self.position is None or not isinstance(self.rules, AreaRules):
            return 0.0
        return float(self.rules.effective_komi(self.position))

    @cached_property
    def is_final(self) -> bool:
        """True if the game is over for good."""
        if self.position is not None:
            return self.rules.is_final(self.position)
        return self.view is not None and self.view.final

    @cached_property
    def is_suspended(self) -> bool:
        """True if the game is over unless a player resumes it."""
        if self.position is not None:
            return self.rules.is_suspended(self.position)
        return not self.is_final and self.rules.reopens and self.passes >= self.rules.end_passes

    @property
    def next_pass_ends(self) -> bool:
        """True if one more pass would end or suspend the game, or confirm its end."""
        return 0 < self.rules.end_passes <= self.passes + 1

    @property
    def awaits_dice(self) -> bool:
        """True if the dice must be thrown now."""
        return self.position is not None and self.position.to_play == CHANCE

    @cached_property
    def actions(self) -> Sequence[int]:
        """The legal actions of the side to move, or the possible tries for a seat; () before a throw."""
        if self.view is not None:
            return self.view.actions
        assert self.position is not None
        return () if self.awaits_dice else self.rules.legal(self.position)

    @cached_property
    def legal_points(self) -> Sequence[int]:
        """The points where the side to move may place a stone under some throw, or where a seat may try to place it."""
        if isinstance(self.rules, DicedRules) and self.position is not None:
            return [] if self.is_final else self.rules.points_of_any_draw(self.position)
        return [action for action in self.actions if action >= 0]

    @cached_property
    def repeats(self) -> Mapping[int, int]:
        """The points where a stone would repeat an earlier board, and how often that board has occurred."""
        if isinstance(self.rules, RepeatingRules) and self.position is not None:
            return self.rules.repeats(self.position)
        return {}

    def marks(self, name: str) -> Sequence[int]:
        """Return the points that the rules mark under one of their `decisive_marks`; () for other names or a seat."""
        if self.position is None or name not in self.rules.profile.decisive_marks:
            return ()
        return self.rules.find_marks(self.position)[name]

    def count(self, colour: int) -> int:
        """Return the number of a colour's stones, hidden ones included."""
        return self.stones.count(colour) + (self.hidden if colour != self.own else 0)

    @cached_property
    def chains(self) -> list[Chain]:
        """Every visible chain, with its visible liberties."""
        board, stones, found = self.rules.board, self.stones, []
        immune = set(self.marks("immune"))
        for members in chains(board, stones):
            free = liberties(board, stones, members)
            last = next(iter(free)) if len(free) == 1 and members[0] not in immune else -1
            found.append(Chain(stones[members[0]], members, len(free), last))
        return found

    @cached_property
    def chain_liberties(self) -> Levels:
        """The number of liberties of the chain on each point; 0 on empty points."""
        levels = [0] * self.points
        for each in self.chains:
            for point in each.members:
                levels[point] = each.liberties
        return levels

    @cached_property
    def ladders(self) -> tuple[list[int], list[int]]:
        """The stones caught in a ladder, and the moves by which the viewing side catches a chain with two liberties."""
        board, stones = self.rules.board, bytes(self.stones)
        caught: list[int] = []
        moves: list[int] = []
        for each in self.chains:
            if 1 <= each.liberties < _FREE:
                free = liberties(board, stones, each.members)
                is_caught, catching = read_ladder(board, stones, each.members, sorted(free))
                caught += each.members if is_caught else ()
                moves += catching if each.colour != self.own else ()
        return caught, moves

    def is_eye(self, point: int, colours: Sequence[int]) -> bool:
        """Return True if a point is an eye of one of these colours, judging by visible stones."""
        return any(is_eye(self.rules.board, self.stones, point, colour) for colour in colours)

    @cached_property
    def areas(self) -> list[list[int]]:
        """The points that each colour would have if the game were counted now; empty while stones are hidden."""
        return [[], [], [], []] if self.hidden else areas(self.rules.board, self.stones)

    @cached_property
    def runs(self) -> Mapping[int, Runs]:
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
        """Return for each point the number of stones around its fullest hexagon with only one of these colours."""
        most = [0] * self.points
        for face in self.rules.board.faces:
            there = {self.stones[point] for point in face} - {0}
            if len(there) == 1 and there <= set(colours):
                count = sum(1 for point in face if self.stones[point])
                for point in face:
                    most[point] = max(most[point], count)
        return most

    @property
    def draws(self) -> Sequence[int]:
        """The known throws for this turn and the next turn; () after the end."""
        return () if self.position is None or self.is_final else self.position.draws

    @cached_property
    def open_points(self) -> Sequence[int]:
        """The points of the open lines; () before the throw."""
        rules, position = self.rules, self.position
        if not isinstance(rules, DicedRules) or position is None or self.awaits_dice or not self.draws:
            return ()
        lines = rules.open_lines(position)
        return range(self.points) if lines is None else [p for line in lines for p in rules.on_line[line]]

    @cached_property
    def next_open_points(self) -> Sequence[int]:
        """The points of the lines that the next turn's throw names, including full lines; () if it is unknown."""
        rules, position = self.rules, self.position
        if not isinstance(rules, DicedRules) or position is None or len(self.draws) < 2:
            return ()
        dice = rules.dice_of(position)
        if self.draws[1] == dice.free:
            return range(self.points)
        faces, table = dice.faces(self.draws[1]), rules.line_table
        lines = rules.on_line if table.opens_whole_board(dice, faces) else table.drawn_lines(dice, faces)
        return [p for line in lines for p in rules.on_line[line]]

    @cached_property
    def throws_naming(self) -> tuple[Levels, int]:
        """The number of throws that name each point's line, and the total number of throws."""
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
