"""The blocks that a session sends to the terminal: texts, boards, dice, estimates and orders to clear the screen."""

from dataclasses import dataclass

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
    """A board as one seat may see it, or complete. `notes` are lines below it; `legend` explains the letters on it."""

    board: Board
    picture: Picture
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class EstimatesBlock:
    """A seat's board with the chance of a hidden stone on each point. `notes` are lines shown below the board."""

    board: Board
    picture: Picture
    chances: tuple[float, ...]
    notes: tuple[str, ...]
    title: str


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


@dataclass(frozen=True, slots=True)
class SecretBegins:
    """The start of a secret: the terminal must be able to remove everything shown or typed from now on."""


@dataclass(frozen=True, slots=True)
class ClearScreen:
    """An order to remove everything that was shown or typed since the secret began."""


@dataclass(frozen=True, slots=True)
class SecretEnds:
    """The end of a secret: everything shown since its start must be removed."""


Block = (
    TextBlock
    | BoardBlock
    | EstimatesBlock
    | CandidatesBlock
    | DiceBlock
    | ThinkingBlock
    | SecretBegins
    | ClearScreen
    | SecretEnds
)


def tenths(chance: float) -> str:
    """Return a chance as one character: '.' below 5 %, a digit for tenths, or '#' if nearly certain."""
    return "#" if chance >= _SURE else ".123456789"[min(9, int(10 * chance + 0.5))]
