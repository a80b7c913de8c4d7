"""What a session hands to the terminal to show: texts, boards, dice, estimates, "clear the screen"."""

from dataclasses import dataclass

from gtp_variants.records.drawing.drawing_model import Picture
from gtp_variants.rules.boards.board import Board

# From here on a chance is nearly sure.
_SURE = 0.95


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Words. `kind` is "plain", "title", "said" (by the referee, or what happened), "error" or "quiet"."""

    text: str
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class BoardBlock:
    """A board as one seat may see it, or as it is when nothing is hidden any more.

    `notes` are lines below it; `legend` are lines that explain its letters.
    """

    board: Board
    picture: Picture
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class EstimatesBlock:
    """A board as one seat sees it, and the chance of a hidden stone on each point; `notes` are lines below it."""

    board: Board
    picture: Picture
    chances: tuple[float, ...]
    notes: tuple[str, ...]
    title: str


@dataclass(frozen=True, slots=True)
class SuggestedMove:
    """A move that a bot thinks of: which part of its visits went there, 0 to 1, and what its side wins after it.

    `line` is how play may go on, the move itself first. What is not known is None.
    """

    action: int
    part: float | None = None
    share: float | None = None
    line: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidatesBlock:
    """Moves a bot thinks of, the best first; `notes` say it in words."""

    candidates: tuple[SuggestedMove, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiceBlock:
    """Dice that have fallen: the faces, how many sides a die has, and the throw in words."""

    faces: tuple[int, ...]
    sides: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """A bot thinks now: words that may be wiped away when the next block comes."""

    text: str


@dataclass(frozen=True, slots=True)
class SecretBegins:
    """From here on everything shown and typed must be able to vanish."""


@dataclass(frozen=True, slots=True)
class ClearScreen:
    """Everything shown or typed since the veil fell must vanish before the next block comes."""


@dataclass(frozen=True, slots=True)
class SecretEnds:
    """What was veiled must vanish; from here on nothing is to be hidden."""


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
    """A chance as one letter: a point for less than one in twenty, a digit, # for nearly sure."""
    return "#" if chance >= _SURE else ".123456789"[min(9, int(10 * chance + 0.5))]
