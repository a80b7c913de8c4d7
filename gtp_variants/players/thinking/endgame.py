"""What a pass at the end of a game would give away where the area counts: dead stones that stand, nobody's regions."""

from typing import TYPE_CHECKING

from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Seat
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.chains import areas, chain, last_liberties, liberties
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.mcts.result import SearchResult

# With less on the clock there is no time to judge which stones are dead.
JUDGING_S = 5.0
# A point is ours where playouts end so, from -1 to 1, whatever stands there now.
_DEAD = 0.8


class Endgame:
    """Whether a seat that sees every stone may pass, and where a stone gains more.

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
            beside |= liberties(rules.board, view.stones, chain(rules.board, view.stones, stone))
        points = [point for point in seat.points(view) if point in beside and seat.wants(view, point)]
        return [point for point in points if is_sound(rules, position, point)]

    def _dead_stones(self, view: View, found: "SearchResult", clock: Clock, has_network: bool) -> set[int]:
        """Stones of the others that do not live, by who owns the points in the end."""
        from gtp_variants.mcts.final_status import find_dead_chains

        colour, rules, stones = self._seat.colour, self._seat.rules, view.stones
        sign = 1 if colour == rules.colours[0] else -1
        owners = found.ownership or [0.0] * len(stones)
        dead = {
            point
            for point, (stone, owner) in enumerate(zip(stones, owners, strict=True))
            if stone not in (EMPTY, colour) and sign * owner >= _DEAD
        }
        # A network has learnt whose a point is once all pass, when what stands counts: playouts judge better.
        if has_network and view.position is not None and clock.longest_s >= JUDGING_S:
            chains = find_dead_chains(rules, view.position)
            dead.update(point for members in chains for point in members if stones[point] != colour)
        return dead


def is_sound(rules: Rules, position: Position, point: int) -> bool:
    """Whether a stone that may be played there captures, or stands with more than one liberty."""
    after = rules.play(position, point)
    members = chain(rules.board, after.stones, point)
    return bool(after.captured) or len(liberties(rules.board, after.stones, members)) > 1
