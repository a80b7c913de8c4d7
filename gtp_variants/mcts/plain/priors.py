"""What a new move of the tree is worth before it was ever tried: virtual games, and how many of them are won.

The twin of `kernel/priors.hpp`; what is written there as a comment holds here.
"""

from gtp_variants.mcts.plain.playout import Moment, Start
from gtp_variants.mcts.plain.playout_board import NONE, RichBoard
from gtp_variants.mcts.plain.replies import Style
from gtp_variants.rules.actions import BLACK, EMPTY, RED, WHITE

# The weights: virtual games, all won unless said.
_ONE_STONE, _SEVERAL_STONES = 15.0, 30.0  # taken, or saved from atari
_SELF_ATARI = 10.0  # none won
_PUTS_IN_ATARI, _PUTS_IN_ATARI_WON = 6.0, 5.0
_SHAPE = 10.0
_NEAR = (0.0, 24.0, 22.0, 8.0)  # by the distance to the last stone
_NEAR_WON = 0.9  # of them
_LINE = 10.0  # far from all stones: won on line 3, lost below
_OWN_EYE, _OWN_EYE_WON = 20.0, 2.0  # Alter Igo

# Pentalath: what a run of five that holds stones of one side only adds to a point, by their number.
_OWN_RUN, _THEIR_RUN = (0.2, 1.0, 4.0, 14.0, 60.0), (0.2, 0.8, 3.0, 10.0, 50.0)
_RUNS_GAMES, _RUNS_HALF = 10.0, 20.0  # games; the sum that is worth half of what can be won
_RUNS_LEAST, _RUNS_MOST = 0.25, 0.6  # their value
_RUNS_TAKE, _RUNS_TAKE_STONE, _RUNS_SAVE, _RUNS_SELF_ATARI = 6.0, 4.0, 6.0, 0.4

_FARTHEST = 3


class Priors:
    """Virtual games for the moves of a search's nodes."""

    def __init__(self, start: Start, style: Style) -> None:
        self._start = start
        self._has_shapes = style.shapes and bool(start.surroundings)
        # Under dice an answer nearby is open by chance only, and who plays on which line is not chosen.
        self._is_local = start.game in ("go", "phantom", "rosette")
        self._rings = start.rules.board.rings if start.game in ("go", "phantom") else ()
        self._board: RichBoard
        self._distance: dict[int, int] = {}
        self._near_stones: set[int] = set()

    def look(self, board: RichBoard, moment: Moment) -> None:
        """Look at the position of a node, before being asked about moves there."""
        self._board = board
        if self._is_local:
            self._distance = self._measure(moment.last)
        if self._rings:
            self._near_stones = self._find_near_stones()

    def of(self, point: int, colour: int) -> tuple[float, float]:
        """The virtual games of a move on an empty point, which is legal, and how many of them are won."""
        start, board = self._start, self._board
        if start.game == "pentalath":
            total = self._judge_runs(point, colour)
            return _RUNS_GAMES, _RUNS_GAMES * (_RUNS_LEAST + _RUNS_MOST * total / (total + _RUNS_HALF))
        games, won = self._judge_chains(point, colour)
        if self._has_shapes and start.worthy[board.shapes[point]]:
            games, won = games + _SHAPE, won + _SHAPE
        if self._rings and point not in self._near_stones and self._rings[point] <= _FARTHEST:
            games, won = games + _LINE, won + (_LINE if self._rings[point] == _FARTHEST else 0.0)
        if self._is_local:
            near = _NEAR[self._distance.get(point, 0)]
            games, won = games + near, won + near * _NEAR_WON
        if start.game == "alter-igo" and (board.around[point] >> (4 * colour)) & 15 == start.degree:
            games, won = games + _OWN_EYE, won + _OWN_EYE_WON
        return games, won

    def _deed(self, point: int, colour: int) -> tuple[int, int, bool]:
        """What a stone does to the chains around: stones taken, stones saved, whether it puts any into atari."""
        board = self._board
        taken = saved = 0
        threatens = False
        for name in dict.fromkeys(board.chain[near] for near in self._start.neighbours[point]):
            there = board.colour[name] if name < self._start.points else EMPTY
            if there == EMPTY or board.has_rosette[name]:
                continue
            if board.only_liberty(name) == point:
                if there == colour:
                    saved += board.size[name]
                else:
                    taken += board.size[name]
            elif there != colour and board.only_liberty_without(name, point) != NONE:
                threatens = True
        return taken, saved, threatens

    def _judge_chains(self, point: int, colour: int) -> tuple[float, float]:
        taken, saved, threatens = self._deed(point, colour)
        games = won = 0.0
        if taken:
            games = won = _ONE_STONE if taken == 1 else _SEVERAL_STONES
        if self._board.is_self_atari(point, colour):
            games += _SELF_ATARI
        elif saved:
            more = _ONE_STONE if saved == 1 else _SEVERAL_STONES
            games, won = games + more, won + more
        if threatens:
            games, won = games + _PUTS_IN_ATARI, won + _PUTS_IN_ATARI_WON
        return games, won

    def _judge_runs(self, point: int, colour: int) -> float:
        """Pentalath: how much the runs of five through a point and the chains around it ask for a stone there."""
        board = self._board
        total = 0.0
        for number in self._start.fives_at[point]:
            total = self._judge_run(board.windows[number], colour, total)
        taken, saved, _ = self._deed(point, colour)
        if taken:
            total += _RUNS_TAKE + _RUNS_TAKE_STONE * taken
        if board.is_self_atari(point, colour):
            total *= _RUNS_SELF_ATARI
        elif saved:
            total += _RUNS_SAVE
        return total

    def _judge_run(self, run: int, colour: int, total: float) -> float:
        """Add what one run of five asks for."""
        own = (run >> (4 * colour)) & 15
        if run == own << (4 * colour):
            total += _OWN_RUN[own]
        if own:
            return total
        for other in (BLACK, WHITE, RED):
            theirs = (run >> (4 * other)) & 15
            if other != colour and theirs and run == theirs << (4 * other):
                total += _THEIR_RUN[theirs]
        return total if run else total + _THEIR_RUN[0]

    def _measure(self, last: int) -> dict[int, int]:
        """How many steps from the last stone points are, if not too many; inside a chain steps are free."""
        distance: dict[int, int] = {}
        if last == NONE:
            return distance
        reached = self._reach(last)
        distance.update(dict.fromkeys(reached, 0))
        for steps in range(1, _FARTHEST + 1):
            following: list[int] = []
            for point in reached:
                for near in self._start.neighbours[point]:
                    if near not in distance:
                        chain = self._reach(near)
                        distance.update(dict.fromkeys(chain, steps))
                        following += chain
            reached = following
        return distance

    def _reach(self, point: int) -> list[int]:
        """All points of the chain, or the empty point alone."""
        board = self._board
        members = [point]
        if board.colour[point]:
            member = board.next[point]
            while member != point:
                members.append(member)
                member = board.next[member]
        return members

    def _find_near_stones(self) -> set[int]:
        """The points that have a stone at most three steps away."""
        reached = [point for point, colour in enumerate(self._board.colour) if colour]
        found = set(reached)
        for _ in range(_FARTHEST):
            reached = [near for point in reached for near in self._start.neighbours[point] if near not in found]
            found.update(reached)
        return found
