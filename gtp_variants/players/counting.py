"""How a game that ended by passes is counted: whether stones are called dead first, and what each side gets."""

from typing import Any

from gtp_variants.rules.chains import area, without
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules


def may_agree_on_dead(rules: Rules[Any]) -> bool:
    """Whether people may agree on dead stones after the passes that end a game."""
    return bool(rules.values.get("dead") == "agreed")


def ended_by_score(game: Game) -> bool:
    """Whether points decide a game that is over."""
    return game.outcome is not None and game.outcome.how == "score"


def points(game: Game) -> dict[int, int]:
    """Points of each colour on the board, without compensation: stones and what they alone surround, none of it dead."""
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
