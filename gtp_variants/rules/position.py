"""Positions, with the fields that all games have in common."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from gtp_variants.rules.actions import EMPTY, Event
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A position of any game. Games that need more fields derive a class from it. `print` shows the board.

    `mover`     the colour whose turn it is, even if its dice have not been thrown yet
    `turn`      number of this turn: stones, passes and swaps so far + 1, without setup, refused tries and skipped turns
    `passes`    passes in a row
    `last`      the last stone, pass, swap or leaving of a player; `captured` holds the points that it emptied
    `earlier`   the players' actions before `last`, the latest first, at most `EARLIER`; () in a game with hidden stones
    `taken`     number of stones that each colour has taken from others so far, indexed by colour
    `out`       the events by which players left the game, in order
    `ended`     the outcome if the game was ended by a rule other than the score or a player's leaving
    `board`     the board, for drawings; it is ignored when positions are compared

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=3")
    >>> position = rules.play(rules.start(), rules.board.point("B2"))
    >>> position.to_play == gv.WHITE, position.turn, position.stones[rules.board.point("B2")]
    (True, 2, 1)
    >>> rules.start().turn                                   # `play` returned a new position
    1
    >>> print(position)
    3  . . .
    2  .(X).
    1  . . .
       A B C
    <BLANKLINE>
    turn 2: White to play
    """

    # Number of actions kept in `earlier`.
    EARLIER: ClassVar[int] = 4

    # Returns a drawing of a position. The package sets this function, because the rules must not import drawing code.
    draw: ClassVar[Callable[["Position"], str] | None] = None

    board: Board | None = field(default=None, compare=False, repr=False)
    stones: bytes
    mover: int
    turn: int = 1
    passes: int = 0
    last: Event | None = None
    earlier: tuple[int, ...] = ()
    captured: tuple[int, ...] = ()
    taken: tuple[int, ...] = (0, 0, 0, 0)
    out: tuple[Event, ...] = ()
    ended: Outcome | None = None
    history: History = field(default_factory=History)

    def __str__(self) -> str:
        return repr(self) if self.board is None or Position.draw is None else Position.draw(self)

    @property
    def to_play(self) -> int:
        """The actor whose action comes next: a colour, or CHANCE if the dice are to be thrown."""
        return self.mover

    @property
    def draws(self) -> tuple[int, ...]:
        """The known draws of this turn and the next; () in a game without dice."""
        return ()

    @property
    def dead(self) -> frozenset[int]:
        """Stones declared dead after the end, by both sides or by a search of the host."""
        return frozenset()

    @property
    def handicap(self) -> int:
        """The number of handicap stones; 0 in an even game."""
        return 0

    @property
    def button(self) -> int:
        """The colour that took the button, or EMPTY."""
        return EMPTY

    @property
    def tried(self) -> frozenset[int]:
        """Points where the mover has been refused in this turn, in a game with a referee."""
        return frozenset()

    @property
    def passes_left(self) -> int:
        """The number of passes White has left, in a game that limits passes."""
        return 0
