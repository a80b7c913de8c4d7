"""The blocks that a session sends to the terminal: texts, boards, dice, estimates and orders to clear the screen."""

from dataclasses import dataclass
from enum import Enum

from gtp_variants.records.drawing.drawing_model import Picture
from gtp_variants.rules.boards.board import Board

# Minimum chance that is shown as certain.
_SURE = 0.95


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text. Its `kind` is "plain", "title", "said" (for announcements and events), "error" or "quiet"."""

    text: str
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class BoardBlock:
    """A board as one seat may see it, or complete. `notes` are lines below it; `legend` explains the letters on it.

    Estimates have the chance of a hidden stone on each point in `chances`, which is () for any other board.
    """

    board: Board
    picture: Picture
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    title: str = ""
    chances: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class SuggestedMove:
    """A move that a bot considers.

    `part` is its share of the visits, and `share` the win rate of its side, both from 0 to 1 or None if unknown. `line`
    is the expected continuation, which begins with the move itself.
    """

    action: int
    part: float | None = None
    share: float | None = None
    line: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidatesBlock:
    """The moves that a bot considers, the best first. `notes` describe them in words."""

    candidates: tuple[SuggestedMove, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiceBlock:
    """A throw of dice: the faces, the number of sides of each die, and the throw in words."""

    faces: tuple[int, ...]
    sides: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """A notice that a bot is thinking, which the next block removes."""

    text: str


class Secret(Enum):
    """Orders about a secret: the terminal must be able to remove everything shown or typed since it began."""

    BEGINS = "from now on"
    CLEARED = "remove everything since the beginning"
    ENDS = "remove everything since the beginning, and show what follows openly"


Block = TextBlock | BoardBlock | CandidatesBlock | DiceBlock | ThinkingBlock | Secret


def tenths(chance: float) -> str:
    """Return a chance as one character: '.' below 5 %, a digit for tenths, or '#' if nearly certain."""
    return "#" if chance >= _SURE else ".123456789"[min(9, int(10 * chance + 0.5))]
