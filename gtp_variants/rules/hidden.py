"""Games in which a player does not see every stone and a referee announces what happened."""

from abc import abstractmethod
from collections.abc import Sequence

from gtp_variants.rules.rules import P, Rules
from gtp_variants.rules.views import Announcement


class HiddenRules(Rules[P]):
    """A game whose players are told less than what happens: `hears` says what.

    `only_owner_sees_captures`  whoever captures hears how many stones, and only their owner is shown which
    `refusal_shows_stone`       a refused try shows its player what stands on the point
    `refusal_is_private`        only the player hears of a refused try
    """

    is_open = False
    only_owner_sees_captures: bool = False
    refusal_shows_stone: bool = False
    refusal_is_private: bool = False

    @abstractmethod
    def announcements(self, position: P) -> tuple[Announcement, ...]:
        """What the referee said after the last try."""

    @abstractmethod
    def texts(self, said: Sequence[Announcement]) -> list[str]:
        """The sentence of each thing said after one try; those joined in one sentence share it."""

    def sentences(self, said: Sequence[Announcement]) -> list[str]:
        """What the referee says after one try, in words and in the language of the game."""
        return list(dict.fromkeys(self.texts(said)))
