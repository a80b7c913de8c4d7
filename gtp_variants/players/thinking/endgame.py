"""Passing at the end of a game with area scoring: what a pass would give away, and how to capture dead stones."""

from collections.abc import Collection
from math import sqrt
from typing import TYPE_CHECKING

from gtp_variants.ai.backend import search_backend
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Seat
from gtp_variants.players.table import Table, legal_actions, position_to_move
from gtp_variants.players.thinking.sliced_search import PositionSearch
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.chains import areas, chain, last_liberties, liberties, without
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

# Minimum seconds on the clock for judging which stones are dead on up to 81 points, and the factor in plain Python.
# Judging takes less than a tenth of that time, but the machine may be busy.
_JUDGING_S, _PLAIN_JUDGING = 5.0, 8.0
_JUDGED_POINTS = 81
# Enemy ownership of a point, 0 to 1, from which a stone on it counts as dead.
_DEAD = 0.8
# Maximum loss in win share, 0 to 1, for a move to count as equal to a pass. All certain wins have similar shares.
_ALIKE = 0.03
# Minimum gain over a pass, in points, on a point whose owner is open, and elsewhere, where networks often err.
_GAIN, _CLEAR_GAIN = 0.5, 4.0
# Number of standard errors to subtract from a mean lead.
_STANDARD_ERRORS = 2.0
# Minimum liberties of a new stone on a point that no search has looked at.
_ROOM = 3


class Endgame:
    """The decision to pass, and the points that gain more than a pass.

    With hidden stones, it finds neither unless a position that fits the news is known or guessed.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> wall = {rules.board.point(f"{column}3"): gv.BLACK for column in "ABCDE"}
    >>> table, seat = gv.Table(rules, gv.DiceStream, wall, gv.WHITE), gv.Seat()
    >>> table.seat(gv.BLACK, seat, seed="1")
    >>> _ = table.play(gv.WHITE, gv.PASS)
    >>> gv.Endgame(seat).wins_by_passing(table.view(gv.BLACK))
    False
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def wins_by_passing(self, view: View) -> bool:
        """Return True if a pass ends and wins the game, with every region owned and nothing left to capture."""
        seat, position = self._seat, view.position
        rules = seat.rules
        if not view.ends or position is None or PASS not in view.actions or seat.avoids(PASS):
            return False
        captures = last_liberties(rules.board, view.stones, seat.colour)
        if seat.must_play(view) or not captures.isdisjoint(seat.points(view)):
            return False
        standing = rules.standing(position)
        is_won = standing is not None and standing.winner == seat.colour
        return is_won and not areas(rules.board, view.stones)[EMPTY]

    def find_gains(self, view: View, found: "SearchResult", clock: Clock, *, has_network: bool) -> list[int]:
        """Return sound points beside dead enemy stones, or [] if a pass does not leave these stones on the board."""
        seat, position = self._seat, view.position
        rules = seat.rules
        # With dead=judged, also capture dead stones: it costs nothing, and a host may count every stone as alive.
        if position is None or not rules.is_scored or rules.agrees_on_dead:
            return []
        beside = set[int]()
        for stone in self._dead_stones(view, found, clock, has_network):
            if view.stones[stone] != seat.colour:
                beside |= liberties(rules.board, view.stones, chain(rules.board, view.stones, stone))
        return self._sound_points(view, position, beside)

    def rank_open_points(self, view: View, found: "SearchResult", clock: Clock, *, has_network: bool) -> list[int]:
        """Return sound points that win about as often as a pass but gain more points, best first; [] without scores."""
        seat, position = self._seat, view.position
        board = seat.rules.board
        if position is None or not seat.rules.is_scored:
            return []
        dead = self._dead_stones(view, found, clock, has_network)
        living = without(view.stones, dead)
        nobodys = set(areas(board, living)[EMPTY]).difference(dead)
        touching = {point for point in nobodys if len({living[near] for near in board.neighbours[point]} - {EMPTY}) > 1}
        uncertain = nobodys | last_liberties(board, living, seat.colour)
        leads = _Leads(found, seat.colour == seat.rules.colours[0])
        left_by_pass = leads.mean(PASS)
        if left_by_pass is not None and (seat.rules.agrees_on_dead or seat.rules.judges_dead):
            left_by_pass += self._balance(living) - self._balance(view.stones)

        def gains(point: int) -> bool:
            if point in touching:
                return True
            least = leads.least(point)
            if least is None or left_by_pass is None:
                return False
            if point in uncertain:
                return (leads.mean(point) or 0.0) >= left_by_pass + _GAIN
            return least >= left_by_pass + _CLEAR_GAIN

        share = found.shares.get(PASS, 0.0)
        points = [move for move in seat.rules.legal(position) if move >= 0]
        alike = {point for point in points if found.shares.get(point, share) >= share - _ALIKE and gains(point)}

        def worth(point: int) -> tuple[bool, float, int]:
            least = leads.least(point)
            return least is not None, least or 0.0, found.visits.get(point, 0)

        points = self._sound_points(view, position, alike)
        # A point that the search did not consider may be bad, such as a shared liberty in a seki, so it needs room.
        seen = [point for point in points if point in found.shares or is_sound(seat.rules, position, point, _ROOM)]
        return sorted(seen, key=worth, reverse=True)

    def _balance(self, stones: bytes) -> int:
        """Return our area minus the other sides' area, in points."""
        owned = areas(self._seat.rules.board, stones)
        return 2 * len(owned[self._seat.colour]) - sum(map(len, owned[EMPTY + 1 :]))

    def _sound_points(self, view: View, position: Position, among: Collection[int]) -> list[int]:
        """Return the points in `among` where the seat may and wants to play without losing the stone."""
        seat = self._seat
        points = [point for point in seat.points(view) if point in among and seat.wants(view, point)]
        return [point for point in points if is_sound(seat.rules, position, point)]

    def _dead_stones(self, view: View, found: "SearchResult", clock: Clock, has_network: bool) -> set[int]:
        """Return the points of dead stones, judged by who finally owns each point and, with a network, by searches."""
        from gtp_variants.ai.mcts.final_status import find_dead_chains

        rules, stones = self._seat.rules, view.stones
        owners = found.ownership or [0.0] * len(stones)
        signs = {EMPTY: 0, **dict.fromkeys(rules.colours, -1), rules.colours[0]: 1}
        pairs = enumerate(zip(stones, owners, strict=True))
        dead = {point for point, (stone, owner) in pairs if signs[stone] * owner <= -_DEAD}
        # A network learns ownership from final boards without removing dead stones, so playouts judge better.
        if has_network and view.position is not None and has_time_to_judge(rules, clock):
            dead.update(point for members in find_dead_chains(rules, view.position) for point in members)
        return dead


class _Leads:
    """A seat's expected lead in points after each move that a search visited, or None where it is unknown."""

    def __init__(self, found: "SearchResult", is_first: bool) -> None:
        self._found, self._sign = found, 1 if is_first else -1

    def mean(self, move: int) -> float | None:
        known = self._found.scores.get(move)
        return None if known is None else self._sign * known[0]

    def least(self, move: int) -> float | None:
        """Return the mean lead minus `_STANDARD_ERRORS` standard errors, or None if it is unknown."""
        known, mean = self._found.scores.get(move), self.mean(move)
        if known is None or mean is None:
            return None
        return mean - _STANDARD_ERRORS * known[1] / sqrt(max(1, self._found.visits[move]))


def has_time_to_judge(rules: Rules, clock: Clock) -> bool:
    """Return True if the clock has time to judge which stones are dead."""
    least_s = _JUDGING_S * (_PLAIN_JUDGING if search_backend(rules) == "python" else 1.0)
    return clock.longest_s >= least_s * max(1.0, len(rules.board) / _JUDGED_POINTS)


def is_sound(rules: Rules, position: Position, point: int, room: int = 2) -> bool:
    """Return True if a stone on this legal point would capture, or keep at least `room` liberties."""
    after = rules.play(position, point)
    members = chain(rules.board, after.stones, point)
    return bool(after.captured) or len(liberties(rules.board, after.stones, members)) >= room


_SLICES = 25


def find_cleanup_move(table: Table, colour: int, clock: Clock) -> int | None:
    """Return a move that helps to capture a dead enemy chain, or None without such a move or time to judge."""
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    rules = table.rules
    if not has_time_to_judge(rules, clock):
        return None
    position = position_to_move(table, colour)
    dead = [points for points in find_dead_chains(rules, position) if position.stones[points[0]] != colour]
    if not dead:
        return None
    search = PositionSearch(rules, position)
    found = search.run_slice()
    for _ in range(_SLICES):
        found = search.run_slice()
    beside = {point for members in dead for point in liberties(rules.board, position.stones, members)}
    allowed = [point for point in legal_actions(table, colour) if point in beside]
    return next((point for point in found.rank_moves(allowed) if is_sound(rules, position, point)), None)
