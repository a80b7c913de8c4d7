"""`News`, which a seat is told, and `View`, which contains all that its player may know."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from gtp_variants.rules.position import Position


@dataclass(frozen=True, slots=True)
class Announcement:
    """One announcement of the referee.

    `code` is played, captured, atari, self_atari, impossible, passed or repeated. `points` are the captured points that
    are shown.
    """

    code: str
    colour: int
    count: int = 0
    points: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Seating:
    """The start of a hidden game as told to a seat: its own stones, the number of other stones, and who begins."""

    placed: tuple[int, ...]
    unseen: int
    to_play: int


@dataclass(frozen=True, slots=True)
class News:
    """One event, as told to a seat.

    `action` is None if the seat does not hear it. `refused` is True for a try that the referee did not accept; `shown`
    is then the colour on its point or EMPTY, or None if the rules do not show it. `after` is the position after the
    event in an open game, None in a hidden game. `seating` is only in the news of a start position.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=5")
    >>> game = gv.Game(rules)
    >>> _ = game.play(gv.BLACK, rules.board.point("C3"))
    >>> game.heard(gv.BLACK)[0].action, game.heard(gv.WHITE)[0].action
    (12, None)
    """

    actor: int
    action: int | None
    refused: bool = False
    captured: tuple[int, ...] = ()
    said: tuple[Announcement, ...] = ()
    after: Position | None = None
    seating: Seating | None = None
    shown: int | None = None

    @property
    def count(self) -> int:
        """The number of stones taken, including stones whose points are not shown."""
        return max([len(self.captured), *(item.count for item in self.said if item.code == "captured")])

    @property
    def repeated(self) -> bool:
        """True if the event ended the game by repeating a board."""
        return any(item.code == "repeated" for item in self.said)


@dataclass(frozen=True, slots=True)
class View:
    """Everything that the player in a seat may know.

    `stones`    one byte per point, as far as the seat knows
    `choices`   function that computes `actions` when they are needed
    `tried`     points where the seat has been refused in this turn
    `hidden`    number of the opponent's stones on the board that the seat does not see
    `passes`    passes in a row; `ends` is True if one more pass ends or suspends the game, or confirms its end
    `position`  the position itself in an open game, or None in a hidden game
    `news`      all the news heard so far, in order
    `final`     True if the game is over and cannot continue

    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=5")
    >>> game = gv.Game(rules)
    >>> _ = game.play(gv.BLACK, rules.board.point("C3"))
    >>> view = rules.view(game.heard(gv.WHITE), gv.WHITE)
    >>> view.hidden, sum(view.stones), len(view.actions)
    (1, 0, 26)
    """

    colour: int
    stones: bytes
    to_play: int
    choices: Callable[[], tuple[int, ...]] = field(repr=False, compare=False)
    turn: int
    passes: int = 0
    ends: bool = False
    tried: frozenset[int] = frozenset()
    hidden: int = 0
    position: Position | None = None
    news: tuple[News, ...] = ()
    final: bool = False
    _worked_out: list[tuple[int, ...]] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions that the seat may try now; () if it is not the seat's turn."""
        if not self._worked_out:
            self._worked_out.append(self.choices())
        return self._worked_out[0]


class Watch(Protocol):
    """A seat that hears one piece of news after the other, and can return the view that follows from the news."""

    def hear(self, news: News) -> None: ...

    def view(self) -> View: ...
