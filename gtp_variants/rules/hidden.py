"""Games in which a player does not see every stone and a referee announces what happened."""

from abc import abstractmethod
from collections.abc import Sequence

from gtp_variants.rules.actions import Event
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.boards.repetition import RepetitionRule
from gtp_variants.rules.rules import P, Rules
from gtp_variants.rules.views import Announcement


class HiddenRules(Rules[P]):
    """A game whose players are told less than what happens: `hears` says what.

    `only_owner_sees_captures`  whoever captures hears how many stones, and only their owner is shown which
    `refusal_shows_stone`       a refused try shows its player what stands on the point
    `refusal_is_private`        only the player hears of a refused try
    `refusal_parts_passes`      a refused try comes between two passes, which are then not in a row
    """

    is_open = False
    repetition: str  # one of `options.REPETITIONS`, or "draw"
    repetition_rule: RepetitionRule
    enemy_atari: str  # which enemy stones in atari are counted: "new", "all" or "none"
    own_atari: str  # when it is said that a stone is in atari itself: "always", "new_only" or "none"
    only_owner_sees_captures: bool = False
    refusal_shows_stone: bool = False
    refusal_is_private: bool = False
    refusal_parts_passes: bool = False

    @abstractmethod
    def announcements(self, position: P) -> tuple[Announcement, ...]:
        """What the referee said after the last try."""

    @abstractmethod
    def with_board(self, position: P, stones: bytes, before: bytes, last: Event | None, history: History) -> P:
        """The position with other stones on the board, now and before the last move, and another past."""

    @abstractmethod
    def texts(self, said: Sequence[Announcement]) -> list[str]:
        """The sentence of each thing said after one try; those joined in one sentence share it."""

    def sentences(self, said: Sequence[Announcement]) -> list[str]:
        """What the referee says after one try, in words and in the language of the game."""
        return list(dict.fromkeys(self.texts(said)))
