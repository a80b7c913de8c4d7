"""What hosts count of a game: the points of each side, what seems dead, and tries that were refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.rules.boards.chains import area, areas, without
from gtp_variants.rules.game import Game


def points(game: Game) -> dict[int, int]:
    """Points of each colour without compensation: its stones and what they alone surround, dead ones taken off."""
    position = game.position
    stones = without(position.stones, position.dead) if position.dead else position.stones
    counted = area(game.rules.board, stones)
    return {colour: counted[colour] for colour in game.rules.colours}


@dataclass(frozen=True, slots=True)
class Count:
    """A finished board, counted: for each colour the points of its `stones` and of the `territory` they alone surround.

    `neutral` are the points that are nobody's; dead stones are off the board and their points somebody's.
    """

    stones: Mapping[int, Sequence[int]]
    territory: Mapping[int, Sequence[int]]
    neutral: Sequence[int]


def count_board(game: Game) -> Count:
    """The board of a game as it stands, counted point by point."""
    position, colours = game.position, game.rules.colours
    stones = without(position.stones, position.dead) if position.dead else position.stones
    owned = areas(game.rules.board, stones)
    return Count(
        {colour: [point for point in owned[colour] if stones[point]] for colour in colours},
        {colour: [point for point in owned[colour] if not stones[point]] for colour in colours},
        owned[0],
    )


def find_seeming_dead(game: Game) -> Sequence[tuple[int, ...]]:
    """The chains that a search calls dead where the game has ended, and that nobody has called dead yet."""
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    position = game.position
    return [points for points in find_dead_chains(game.rules, position) if points[0] not in position.dead]


def refused_in_a_row(game: Game) -> int:
    """How many tries were refused since anything else happened."""
    count = 0
    while count < len(game.events) and game.is_refused(len(game.events) - 1 - count):
        count += 1
    return count
