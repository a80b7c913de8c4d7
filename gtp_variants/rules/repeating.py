"""`RepeatingRules`: what games in which a board may come again implement beyond `Rules`."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from gtp_variants.rules.rules import P, Rules


class RepeatingRules(Rules[P]):
    """A game in which a board that was seen before may not be made again, or draws the game if it is.

    `draws_by_repetition`  whether it may be made: then its occurrences are counted
    `most_occurrences`     of one board: so many are forbidden, or draw the game
    """

    draws_by_repetition: ClassVar[bool] = False
    most_occurrences: int = 2

    @abstractmethod
    def repeats(self, position: P) -> Mapping[int, int]:
        """The empty points where a stone of the side to move would make a board that occurred before, and how often.

        In games that forbid it: the points where nothing else is against a stone.
        """

    def occurrences(self, position: P) -> int:
        """How often the board as it stands has occurred, now included; 1 where that is not counted."""
        return 1
