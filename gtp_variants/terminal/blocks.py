"""The blocks that a session gives the terminal to show: texts, boards, dice, estimates, "clear the screen"."""

from dataclasses import dataclass

from gtp_variants.records.drawing.drawing_model import Picture
from gtp_variants.rules.boards.board import Board

# Least chance that is shown as sure.
_SURE = 0.95


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text. `kind` is "plain", "title", "said" (announcements and events), "error" or "quiet"."""

    text: str
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class BoardBlock:
    """A board as one seat may see it, or whole.

    `notes` are lines below it; `legend` are lines that explain its letters.
    """

    board: Board
    picture: Picture
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class EstimatesBlock:
    """A seat's board with each point's chance of a hidden stone. `notes` are lines below it."""

    board: Board
    picture: Picture
    chances: tuple[float, ...]
    notes: tuple[str, ...]
    title: str


@dataclass(frozen=True, slots=True)
class SuggestedMove:
    """A move that a bot considers: its part of the visits, and its side's share of wins, 0 to 1, None if unknown.

    `line` is the expected continuation, the move itself first.
    """

    action: int
    part: float | None = None
    share: float | None = None
    line: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidatesBlock:
    """Moves that a bot considers, the best first; `notes` are the same in words."""

    candidates: tuple[SuggestedMove, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiceBlock:
    """A throw of dice: the faces, the sides of a die, and the throw in words."""

    faces: tuple[int, ...]
    sides: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """A notice that a bot is thinking, for removal with the next block."""

    text: str


@dataclass(frozen=True, slots=True)
class SecretBegins:
    """The start of a secret: what is shown and typed after it must be removable."""


@dataclass(frozen=True, slots=True)
class ClearScreen:
    """The order to remove what was shown or typed in a secret."""


@dataclass(frozen=True, slots=True)
class SecretEnds:
    """The end of a secret: what was shown since its start must be removed."""


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
    """Return a chance as one letter: a point below one in twenty, a digit of tenths, # for nearly sure."""
    return "#" if chance >= _SURE else ".123456789"[min(9, int(10 * chance + 0.5))]
