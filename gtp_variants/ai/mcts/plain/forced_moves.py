"""The moves that a five in reach leaves: one's own is made, and the next player's is prevented.

`kernel/puct/forced_moves.hpp` is the same in C++.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gtp_variants.rules.actions import EMPTY
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules


@dataclass(frozen=True, slots=True)
class ForcedMoves:
    """Points that have to be looked at, and no others; none if every move has to be.

    `is_all` says that every other move is sure to lose.
    """

    points: Sequence[int] = ()
    is_all: bool = True


def find_forced_moves(rules: Rules, position: Position, legal: Sequence[int]) -> ForcedMoves:
    """What a position leaves to the side to play, among its legal moves."""
    if not rules.board.fives:
        return ForcedMoves()
    own = [point for point in _five_points(rules, position, position.mover) if point in legal]
    if own:
        return ForcedMoves(own)
    following = _next_colour(rules, position)
    threats = _five_points(rules, position, following)
    if threats:
        answers = rules.legal(replace(position, mover=following))
        threats = [point for point in threats if point in answers]
    if not threats:
        return ForcedMoves()
    points = [
        point for point in legal if point >= 0 and (point in threats or any(rules.play(position, point).captured))
    ]
    is_sure = any(_stays_open(rules, position, point, following) for point in threats)
    return ForcedMoves(points, len(rules.colours) == 2 and is_sure)


def _five_points(rules: Rules, position: Position, colour: int) -> list[int]:
    """The empty points where a colour's stone would be the fifth of a row."""
    found = set[int]()
    for five in rules.board.fives:
        stones = [position.stones[point] for point in five]
        if stones.count(colour) == 4 and EMPTY in stones:
            found.add(five[stones.index(EMPTY)])
    return sorted(found)


def _stays_open(rules: Rules, position: Position, point: int, colour: int) -> bool:
    """Whether a colour may still place a stone on a point after any one stone elsewhere that takes nothing."""
    board, stones = rules.board, position.stones
    near = board.neighbours[point]
    own = [there for there in near if stones[there] == colour]
    has_room = any(len(liberties(board, stones, chain(board, stones, there))) > 2 for there in own)
    return has_room or sum(stones[there] == EMPTY for there in near) > 1


def _next_colour(rules: Rules, position: Position) -> int:
    """Who plays after the side to play."""
    gone = {event.actor for event in position.out}
    order = rules.colours * 2
    return next(colour for colour in order[order.index(position.mover) + 1 :] if colour not in gone)
