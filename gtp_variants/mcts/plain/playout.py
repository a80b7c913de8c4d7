"""Playouts in plain Python: games to the end by uniformly random moves that fill no own eye.

The twin of `kernel/playout.hpp`: on the same boards, with the same generator and the same order of choices, so that
playout number i of a seed is the same game on both. What is written there as a comment holds here.

* The Go family ends after two passes in a row or 3 * points + 40 turns, and is scored by area; a simple ko may not be
  retaken, other repetitions are not looked for. A side without a move it would play passes.
* Aléago throws its dice; it ends when neither side would play on any line, after two passes for each line, or after the
  same number of turns. Draws that are known already are used.
* Alter Igo fills no own eye and plays no lone suicide while there is anything else; White passes before filling one,
  if passes are left. After 4 * points + 40 turns it is a draw.
* Pentalath plays any legal move; five in a row end it, and 3 * points + 40 turns are a draw. Nobody swaps.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gtp_variants.mcts.plain.playout_board import NONE, Board, Ground, RichBoard
from gtp_variants.mcts.plain.replies import UNIFORM, Answers, Style
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, RED, WHITE
from gtp_variants.rules.dice.kinds import DiceKind
from gtp_variants.rules.games.aleago import AleagoPosition, AleagoRules
from gtp_variants.rules.games.alter_igo import AlterIgoPosition
from gtp_variants.rules.games.pentalath import PentalathRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# In a recorded playout: DRAW less the number of an opening; at last ENDED less the winner.
DRAW, ENDED = -1000, -100

_NOTHING = 5e-7

Wanted = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Opening:
    """The lines a throw opens: buckets of empty points, and below which line to look if nothing there is legal."""

    buckets: tuple[int, ...]
    below: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a playout ended: who won (EMPTY: a draw), after how many turns."""

    winner: int
    turns: int


@dataclass(slots=True)
class Tally:
    """What playouts came to: won by each colour of the turn order, drawn, and all their turns."""

    wins: list[int]
    draws: int = 0
    turns: int = 0


@dataclass(slots=True)
class Moment:
    """Where in the game a playout begins: what changes from turn to turn and is not on the board.

    `next` is an index of the order of play, `passes_left` are White's in Alter Igo, `known` says how many of the draws
    that were known are used up, `last` and `previous` are where the last stones were put, NONE for anything else.
    """

    next: int = 0
    passes: int = 0
    passes_left: int = 0
    known: int = 0
    turns: int = 0
    last: int = NONE
    previous: int = NONE

    def tell(self, move: int) -> None:
        """What was played in this turn: a point, or anything else."""
        self.previous, self.last = self.last, max(move, NONE)


class Start(Ground):
    """What playouts from one position have in common."""

    def __init__(self, rules: Rules, position: Position, is_rich: bool = False, dice_aware: bool = True) -> None:
        super().__init__(rules, dice_aware)
        self.cap = (4 if self.game == "alter-igo" else 3) * self.points + 40
        self.outcome = rules.outcome(position)
        self.stones = position.stones
        self.passes = position.passes
        self.passes_left = position.passes_left if isinstance(position, AlterIgoPosition) else 0
        gone = {event.actor for event in position.out}
        first = rules.colours.index(position.mover)
        in_turn = rules.colours[first:] + rules.colours[:first]
        self.order = [colour for colour in in_turn if colour not in gone]
        last = position.last
        self.last = last.action if last is not None and last.action >= 0 else NONE
        self.board: Board = RichBoard(self) if is_rich else Board(self)
        self.board.set_up(position)
        self.openings: list[Opening] = []
        self.throws: list[int] = []
        self.known: list[int] = []
        self.free_player: int | None = None
        self.fallback_ko = True
        self.end_passes = 2
        if self.game == "aleago" and isinstance(rules, AleagoRules) and isinstance(position, AleagoPosition):
            self._open(rules, position)

    def moment(self) -> Moment:
        """The moment the position itself is in."""
        return Moment(0, self.passes, self.passes_left, last=self.last)

    def may_pass(self, passes: int) -> bool:
        """Aléago: whether a side may pass after so many passes in a row while there is anything it wants.

        Whoever would end or suspend the game has to play. Source: "le deuxième joueur voulant passer est obligé de
        jouer".
        """
        return passes + 1 < self.end_passes

    def draw(self, moment: Moment, rng: Rng) -> int:
        """The opening of the throw that is due."""
        if moment.known < len(self.known):
            moment.known += 1
            return self.known[moment.known - 1]
        if self.order[moment.next] == self.free_player:
            return len(self.openings) - 1
        return self.throws[rng.below(len(self.throws))]

    def _open(self, rules: AleagoRules, position: AleagoPosition) -> None:
        dice = position.dice
        lines = len(self.lines)
        for total in range(dice.count, dice.highest + 1):
            # Which faces make the total does not count.
            faces = _faces(dice, total)
            if rules.line_table.opens_whole_board(dice, faces):
                self.openings.append(Opening(tuple(range(lines))))
                continue
            buckets = tuple(self.lines.index(line) for line in rules.line_table.drawn_lines(dice, faces))
            falls = rules.mapping != "original" and (bool(buckets) or rules.values["overflow"] != "pass")
            self.openings.append(Opening(buckets, sum(line < total for line in self.lines) if falls else 0))
        free = len(self.openings)
        self.openings.append(Opening(tuple(range(lines + 1))))
        thrown = [
            action for action in range(dice.outcomes) if rules.line_table.stands_as_thrown(dice, dice.faces(action))
        ]
        self.throws = [sum(dice.faces(action)) - dice.count for action in thrown]
        self.known = [free if draw == dice.outcomes else sum(dice.faces(draw)) - dice.count for draw in position.draws]
        self.free_player = rules.free_player
        self.fallback_ko = bool(rules.values["fallback_ko"])
        self.end_passes = rules.end_passes


def _faces(dice: DiceKind, total: int) -> tuple[int, ...]:
    """A throw of the dice with a total."""
    faces = [1] * dice.count
    left = total - dice.count
    for die in range(dice.count):
        more = min(left, dice.sides - 1)
        faces[die] += more
        left -= more
    return tuple(faces)


class Playout:
    """One game to the end, on a board and from a moment that it changes.

    `trace`, if given, receives its turns: points, PASS, draws and the end. A style that answers takes a rich board.
    """

    def __init__(
        self,
        start: Start,
        board: Board,
        rng: Rng,
        moment: Moment,
        trace: list[int] | None = None,
        style: Style = UNIFORM,
    ) -> None:
        self._start = start
        self._board = board
        self._rng = rng
        self._moment = moment
        self._trace = trace
        self._tactics = style.tactics
        self._obliged = style.obliged
        self._answers = Answers(board, style, rng) if isinstance(board, RichBoard) else None
        self._wanted = self._is_not_refused if style.atari else self._is_wanted

    def run(self) -> Ending:
        """Play it."""
        runs = {"alter-igo": self._run_alter_igo, "pentalath": self._run_pentalath}
        ending = runs.get(self._start.game, self._run_go_family)()
        self._tell(ENDED - ending.winner)
        return ending

    def _tell(self, turn: int) -> None:
        if self._trace is not None:
            self._trace.append(turn)

    def _pick(self, points: list[int], wanted: Wanted, colour: int) -> int:
        """The place of a uniformly random one of the points that are wanted, NONE if none is."""
        below = self._rng.below
        left = len(points)
        while left:
            place = below(left)
            point = points[place]
            if wanted(point, colour):
                return place
            left -= 1
            points[place], points[left] = points[left], point
        return NONE

    def _is_wanted(self, point: int, colour: int) -> bool:
        board = self._board
        return not board.is_eye(point, colour) and board.is_legal(point, colour)

    def _is_not_refused(self, point: int, colour: int) -> bool:
        """As `_is_wanted`, but for most points that would be self-atari."""
        assert self._answers is not None
        return self._is_wanted(point, colour) and not self._answers.refuses(point, colour)

    def _answer(self, colour: int, is_open: tuple[int, ...] | None = None) -> int:
        """A point to answer at, NONE if there is nothing to answer."""
        moment = self._moment
        return self._answers.choose(colour, moment.last, moment.previous, is_open) if self._answers else NONE

    # -- the Go family -----------------------------------------------------------------------------------------------

    def _run_go_family(self) -> Ending:
        start, board, moment = self._start, self._board, self._moment
        has_dice, supply = start.game == "aleago", start.supply
        points, place, is_rich = board.empties[0], NONE, self._answers is not None
        passes, turns = moment.passes, moment.turns
        while turns < start.cap:
            colour = start.order[moment.next]
            if has_dice:
                bucket, place = self._throw(colour, not self._obliged or start.may_pass(passes))
                points = board.empties[bucket]
            elif board.stones[colour] >= supply:
                place = NONE
            else:
                place = self._choose(points, colour) if is_rich else self._pick(points, self._is_wanted, colour)
            moment.next = 1 - moment.next
            turns += 1
            if place == NONE:
                self._tell(PASS)
                if is_rich:
                    moment.tell(PASS)
                board.ko = NONE
                passes += 1
                if self.is_ended_by(passes):
                    break
            else:
                self._tell(points[place])
                if is_rich:
                    moment.tell(points[place])
                board.play_at(points, place, colour)
                passes = 0
        return Ending(self.winner(), turns)

    def is_ended_by(self, passes: int) -> bool:
        """The Go family: whether so many passes in a row end the game."""
        if self._start.game != "aleago":
            return passes >= 2
        return passes >= max(2, 2 * (self._start.buckets - 1)) or (passes % 4 == 0 and self._is_exhausted())

    def _throw(self, colour: int, may_pass: bool) -> tuple[int, int]:
        """Throw the dice: bucket and place of a point on the lines they open; place NONE to pass."""
        drawn = self._start.draw(self._moment, self._rng)
        self._tell(DRAW - drawn)
        return self._choose_on(self._start.openings[drawn], colour, may_pass)

    def _choose(self, points: list[int], colour: int) -> int:
        """The place of the point to play on, NONE to pass."""
        answer = self._answer(colour)
        return points.index(answer) if answer != NONE else self._pick(points, self._wanted, colour)

    def _choose_on(self, opening: Opening, colour: int, may_pass: bool) -> tuple[int, int]:
        """Bucket and place of a point on the lines a throw opens; place NONE to pass."""
        board, empties = self._board, self._board.empties
        answer = self._answer(colour, opening.buckets)
        if answer != NONE:
            bucket = self._start.bucket_of[answer]
            return bucket, empties[bucket].index(answer)
        bucket, place = self._pick_among(opening.buckets, self._wanted, colour)
        if place != NONE:
            return bucket, place
        if any(self._has_room(there, colour) for there in opening.buckets):
            if may_pass or not self._has_wanted(colour):
                return NONE, NONE
            return self._pick_among(opening.buckets, board.is_legal, colour)
        for below in range(opening.below - 1, -1, -1):
            place = self._pick(empties[below], self._wanted, colour)
            if place != NONE:
                return below, place
            if self._has_room(below, colour):
                must_play = not may_pass and self._has_wanted(colour)
                return below, self._pick(empties[below], board.is_legal, colour) if must_play else NONE
        return NONE, NONE

    def _pick_among(self, buckets: tuple[int, ...], wanted: Wanted, colour: int) -> tuple[int, int]:
        """As `_pick`, among the points of several buckets: bucket and place."""
        if len(buckets) == 1:
            return buckets[0], self._pick(self._board.empties[buckets[0]], wanted, colour)
        lists = [self._board.empties[bucket] for bucket in buckets]
        left = [len(points) for points in lists]
        for every in range(sum(left), 0, -1):
            place = self._rng.below(every)
            i = 0
            while place >= left[i]:
                place -= left[i]
                i += 1
            points = lists[i]
            if wanted(points[place], colour):
                return buckets[i], place
            left[i] -= 1
            points[place], points[left[i]] = points[left[i]], points[place]
        return NONE, NONE

    def _has_room(self, bucket: int, colour: int) -> bool:
        board, mind_ko = self._board, self._start.fallback_ko
        return any(board.is_legal(point, colour, mind_ko) for point in board.empties[bucket])

    def _has_wanted(self, colour: int) -> bool:
        """Whether a side has a point on any line that it would play."""
        lines = self._board.empties if self._start.free_player else self._board.empties[:-1]
        return any(self._is_wanted(point, colour) for points in lines for point in points)

    def _is_exhausted(self) -> bool:
        return not self._has_wanted(BLACK) and not self._has_wanted(WHITE)

    def winner(self) -> int:
        """The Go family: who has won by area as the board stands."""
        board, start = self._board, self._start
        owned = board.stones.copy()
        seen: set[int] = set()
        for points in board.empties:
            for point in points:
                if point in seen:
                    continue
                region, border = [point], 0
                seen.add(point)
                for member in region:
                    for near in start.neighbours[member]:
                        if board.colour[near]:
                            border |= 1 << board.colour[near]
                        elif near not in seen:
                            seen.add(near)
                            region.append(near)
                for colour in (BLACK, WHITE):
                    if border == 1 << colour:
                        owned[colour] += len(region)
        margin = owned[BLACK] - owned[WHITE] - start.komi
        return BLACK if margin > _NOTHING else WHITE if margin < -_NOTHING else EMPTY

    # -- the others --------------------------------------------------------------------------------------------------

    def _run_alter_igo(self) -> Ending:
        start, board = self._start, self._board
        points = board.empties[0]
        moment = self._moment
        colour, turns, passes_left = start.order[moment.next], moment.turns, moment.passes_left

        def is_safe(point: int, colour: int) -> bool:
            return not board.is_lone_suicide(point, colour)

        def is_wanted(point: int, colour: int) -> bool:
            if board.is_eye(point, colour) or board.is_lone_suicide(point, colour):
                return False
            return self._answers is None or not self._answers.refuses(point, colour)

        while turns < start.cap:
            answer = self._answer(colour)
            place = points.index(answer) if answer != NONE else self._pick(points, is_wanted, colour)
            turns += 1
            if place == NONE and colour == WHITE and passes_left > 0:
                passes_left -= 1
                self._tell(PASS)
                moment.tell(PASS)
                colour = 3 - colour
                continue
            if place == NONE:
                place = self._pick(points, is_safe, colour)
            if place == NONE:
                self._tell(points[self._rng.below(len(points))])
                return Ending(3 - colour, turns)
            self._tell(points[place])
            moment.tell(points[place])
            board.play_at(points, place, colour)
            colour = 3 - colour
        return Ending(EMPTY, turns)

    def _run_pentalath(self) -> Ending:
        start, board = self._start, self._board
        assert isinstance(start.rules, PentalathRules)
        points, order, no_move = board.empties[0], start.order, start.rules.no_move
        moment = self._moment
        index, passes, turns = moment.next, moment.passes, moment.turns
        while turns < start.cap:
            colour = order[index]
            index = (index + 1) % len(order)
            place = NONE
            if board.stones[colour] < start.supply:
                place = self._forced(colour, order[index]) if self._tactics else NONE
                if place == NONE:
                    place = self._pick(points, board.is_legal, colour)
            if place == NONE:
                if no_move == "loss" and len(start.rules.colours) == 2:
                    return Ending(order[index], turns)
                if no_move != "pass":
                    break
                self._tell(PASS)
                turns += 1
                passes += 1
                if passes >= len(order):
                    break
                continue
            turns += 1
            self._tell(points[place])
            board.play_at(points, place, colour)
            if board.has_five:
                return Ending(colour, turns)
            passes = 0
        return Ending(EMPTY, turns)

    def _forced(self, colour: int, following: int) -> int:
        """Pentalath: the place of an own five, else of the next player's; NONE if there is neither."""
        board = self._board
        for maker in (colour, following):
            if not board.fours[maker]:
                continue
            for place, point in enumerate(board.empties[0]):
                if board.makes_five(point, maker) and board.is_legal(point, maker) and board.is_legal(point, colour):
                    return place
        return NONE


def run_playouts(start: Start, n: int, seed: int, first: int = 0) -> Tally:
    """Playouts number `first` to `first + n - 1` of a seed."""
    colours = start.rules.colours
    if start.outcome is not None:
        winner = start.outcome.winner
        return Tally([n if colour == winner else 0 for colour in colours], 0 if winner else n)
    counts = [0] * (RED + 1)
    turns = 0
    for index in range(first, first + n):
        ending = Playout(start, start.board.copy(), Rng.of_playout(seed, index), start.moment()).run()
        counts[ending.winner] += 1
        turns += ending.turns
    return Tally([counts[colour] for colour in colours], counts[EMPTY], turns)


def trace(start: Start, seed: int, index: int, style: Style = UNIFORM) -> list[int]:
    """The turns of one playout: points and PASS, draws of Aléago, and the end."""
    turns: list[int] = []
    if start.outcome is None:
        Playout(start, start.board.copy(), Rng.of_playout(seed, index), start.moment(), turns, style).run()
    return turns
