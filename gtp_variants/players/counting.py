"""What hosts count of a game: the points of each side, and tries that were refused."""

from gtp_variants.rules.boards.chains import area, without
from gtp_variants.rules.game import Game


def points(game: Game) -> dict[int, int]:
    """Points of each colour without compensation: its stones and what they alone surround, dead ones taken off."""
    position = game.position
    stones = without(position.stones, position.dead) if position.dead else position.stones
    counted = area(game.rules.board, stones)
    return {colour: counted[colour] for colour in game.rules.colours}


def refused_in_a_row(game: Game) -> int:
    """How many tries were refused since anything else happened."""
    count = 0
    while count < len(game.events) and game.is_refused(len(game.events) - 1 - count):
        count += 1
    return count
