"""What a pass at the end of a game would give away where the area counts: dead stones that stand, nobody's regions.

A move that captures dead stones which the opponent disputes, under area scoring.
"""

from collections.abc import Collection
from math import sqrt
from typing import TYPE_CHECKING

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

# With less on the clock there is no time to judge which stones are dead.
JUDGING_S = 5.0
# A point is ours where playouts end so, from -1 to 1, whatever stands there now.
_DEAD = 0.8
# A stone that wins by so much more rarely than a pass, from 0 to 1, wins alike: of certain wins a search tells as much.
_ALIKE = 0.03
# Points by which a stone must lead by more than a pass: where somebody could gain for sure, and anywhere else, where a
# network errs by as much on boards on which nothing is left.
_GAIN, _CLEAR_GAIN = 0.5, 4.0
# So many standard errors below its mean a lead is still believed.
_STANDARD_ERRORS = 2.0
# So many liberties a stone has where no search looked.
_ROOM = 3


class Endgame:
    """Whether a seat may pass, and where a stone gains more, on a board that it sees or imagines whole.

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
        """Whether a pass ends the game, won, on a board where each region is somebody's and nothing can be taken."""
        seat, position = self._seat, view.position
        rules = seat.rules
        if not view.ends or position is None or PASS not in view.actions or seat.avoids(PASS):
            return False
        if seat.must_play(view) or not last_liberties(rules.board, view.stones, seat.colour).isdisjoint(
            seat.points(view)
        ):
            return False
        standing = rules.standing(position)
        is_won = standing is not None and standing.winner == seat.colour
        return is_won and not areas(rules.board, view.stones)[EMPTY]

    def find_gains(self, view: View, found: "SearchResult", clock: Clock, *, has_network: bool) -> list[int]:
        """Sound points beside dead stones of the others that a pass would leave, where stones count as they stand.

        `found` is what a search found, which `has_network` says was one with a network.
        """
        seat, position = self._seat, view.position
        rules = seat.rules
        if position is None or not rules.is_scored or rules.agrees_on_dead or rules.judges_dead:
            return []
        beside = set[int]()
        for stone in self._dead_stones(view, found, clock, has_network):
            if view.stones[stone] != seat.colour:
                beside |= liberties(rules.board, view.stones, chain(rules.board, view.stones, stone))
        return self._sound_points(view, position, beside)

    def rank_open_points(self, view: View, found: "SearchResult", clock: Clock, *, has_network: bool) -> list[int]:
        """Sound points that gain what a pass would leave though they win alike, the best first.

        Those are regions that touch living stones of both sides, stones that can be taken, and whatever the search
        expects clearly more of. A search that is sure to win by the count says little of how large the win is.
        """
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
        alike = {
            move
            for move in seat.rules.legal(position)
            if move >= 0 and found.shares.get(move, share) >= share - _ALIKE and gains(move)
        }

        def worth(point: int) -> tuple[bool, float, int]:
            least = leads.least(point)
            return least is not None, least or 0.0, found.visits.get(point, 0)

        points = self._sound_points(view, position, alike)
        # What a search leaves out may be bad in ways that one stone does not show, as a shared liberty in a seki is.
        seen = [point for point in points if point in found.shares or is_sound(seat.rules, position, point, _ROOM)]
        return sorted(seen, key=worth, reverse=True)

    def _balance(self, stones: bytes) -> int:
        """By how many points our area is larger than that of the others."""
        owned = areas(self._seat.rules.board, stones)
        return 2 * len(owned[self._seat.colour]) - sum(map(len, owned[EMPTY + 1 :]))

    def _sound_points(self, view: View, position: Position, among: Collection[int]) -> list[int]:
        """Those of the points where the seat may play, wants to, and a stone stands."""
        seat = self._seat
        points = [point for point in seat.points(view) if point in among and seat.wants(view, point)]
        return [point for point in points if is_sound(seat.rules, position, point)]

    def _dead_stones(self, view: View, found: "SearchResult", clock: Clock, has_network: bool) -> set[int]:
        """Stones that do not live, by who owns the points in the end."""
        from gtp_variants.ai.mcts.final_status import find_dead_chains

        rules, stones = self._seat.rules, view.stones
        owners = found.ownership or [0.0] * len(stones)
        signs = {EMPTY: 0, **dict.fromkeys(rules.colours, -1), rules.colours[0]: 1}
        dead = {
            point
            for point, (stone, owner) in enumerate(zip(stones, owners, strict=True))
            if signs[stone] * owner <= -_DEAD
        }
        # A network has learnt whose a point is once all pass, when what stands counts: playouts judge better.
        if has_network and view.position is not None and clock.longest_s >= JUDGING_S:
            dead.update(point for members in find_dead_chains(rules, view.position) for point in members)
        return dead


class _Leads:
    """By how many points a seat leads after each move that a search visited; None where it does not know."""

    def __init__(self, found: "SearchResult", is_first: bool) -> None:
        self._found, self._sign = found, 1 if is_first else -1

    def mean(self, move: int) -> float | None:
        known = self._found.scores.get(move)
        return None if known is None else self._sign * known[0]

    def least(self, move: int) -> float | None:
        """What the lead is at least, as far as so few visits tell."""
        known, mean = self._found.scores.get(move), self.mean(move)
        if known is None or mean is None:
            return None
        return mean - _STANDARD_ERRORS * known[1] / sqrt(max(1, self._found.visits[move]))


def is_sound(rules: Rules, position: Position, point: int, room: int = 2) -> bool:
    """Whether a stone that may be played there captures, or stands with at least `room` liberties."""
    after = rules.play(position, point)
    members = chain(rules.board, after.stones, point)
    return bool(after.captured) or len(liberties(rules.board, after.stones, members)) >= room


_SLICES = 25


def find_cleanup_move(table: Table, colour: int, clock: Clock) -> int | None:
    """A move that brings a dead chain of the other side nearer to its capture.

    None if there is none to capture, or no time to look for one.
    """
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    rules = table.rules
    if clock.longest_s < JUDGING_S:
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
    useful = [point for point in found.rank_moves(allowed) if is_sound(rules, position, point)]
    return useful[0] if useful else None
