"""Positions: the fields that all games have in common."""

from dataclasses import dataclass, field

from gtp_variants.rules.actions import Event
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A position of any game. Games with more fields derive from it.

    `mover`     the colour whose turn it is, also while the dice are to be thrown for it
    `turn`      number of this turn: stones and passes so far + 1 (setup, refused tries, turns passed over do not count)
    `passes`    passes in a row
    `last`      the last stone, pass, swap or resignation; `captured` every stone that left the board by it
    `taken`     stones of other colours taken so far, indexed by colour
    `out`       the events by which players left the game, in order
    `ended`     the outcome if a rule of the game ended it, apart from scores and leaving

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> position = rules.play(rules.start(), rules.board.point("C3"))
    >>> position.to_play == gv.WHITE, position.turn, position.stones[rules.board.point("C3")]
    (True, 2, 1)
    >>> rules.start().turn                                   # playing made another one
    1
    """

    stones: bytes
    mover: int
    turn: int = 1
    passes: int = 0
    last: Event | None = None
    captured: tuple[int, ...] = ()
    taken: tuple[int, ...] = (0, 0, 0, 0)
    out: tuple[Event, ...] = ()
    ended: Outcome | None = None
    history: History = field(default_factory=History)

    @property
    def to_play(self) -> int:
        """The actor whose action comes next: a colour, or CHANCE while the dice are to be thrown."""
        return self.mover

    @property
    def draws(self) -> tuple[int, ...]:
        """The known draws of this turn and the next; () in a game without dice."""
        return ()

    @property
    def dead(self) -> frozenset[int]:
        """Stones called dead after the end, by both sides or by a judge."""
        return frozenset()

    @property
    def tried(self) -> frozenset[int]:
        """Points refused to the mover in this turn, in a game with a referee."""
        return frozenset()

    @property
    def passes_left(self) -> int:
        """The number of passes White has left, in a game that limits them."""
        return 0
