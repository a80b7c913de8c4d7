"""Kinds of dice such as 2d6, how their outcomes are numbered, and the lines of a board that each total opens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from gtp_variants.errors import NotationError
from gtp_variants.rules.boards.board import rings
from gtp_variants.rules.options import spec_error

Faces = tuple[int, ...]

_DICE = re.compile(r"([1-9][0-9]?)d([1-9][0-9]{0,2})")
_MAX_OUTCOMES = 100_000
_DICE_BASE = 1000


@dataclass(frozen=True, slots=True)
class DiceKind:
    """Dice with the same number of sides: `DiceKind(2, 6)` is 2d6. A throw is a tuple of faces from 1 to `sides`."""

    count: int
    sides: int

    def __str__(self) -> str:
        return f"{self.count}d{self.sides}"

    @property
    def outcomes(self) -> int:
        """The number of different throws. The order of the dice counts: 1 and 2 differ from 2 and 1."""
        return int(self.sides**self.count)

    @property
    def free(self) -> int:
        """The CHANCE action that opens every line for a turn: one more than the last outcome."""
        return self.outcomes

    @property
    def highest(self) -> int:
        return self.count * self.sides

    def faces(self, outcome: int) -> Faces:
        """Return the faces of an outcome. Outcomes are numbered from 0, with the last die changing fastest."""
        faces = []
        for _ in range(self.count):
            outcome, face = divmod(outcome, self.sides)
            faces.append(face + 1)
        return tuple(reversed(faces))

    def outcome(self, faces: Sequence[int]) -> int:
        """Return the number of the outcome with these faces. Raises NotationError if these dice cannot show them."""
        if len(faces) != self.count or not all(1 <= face <= self.sides for face in faces):
            shown = " ".join(str(face) for face in faces)[:40]
            raise NotationError(f"{shown}: expected {self.count} faces from 1 to {self.sides}")
        number = 0
        for face in faces:
            number = number * self.sides + face - 1
        return number

    @property
    def code(self) -> int:
        """These dice as the argument of a SET_DICE action."""
        return self.count * _DICE_BASE + self.sides


def read_dice(text: str) -> DiceKind:
    """Return the dice that a text such as 1d6 names. Raises SpecError for other texts and for too many outcomes."""
    match = _DICE.fullmatch(text.strip().lower())
    if match is not None:
        kind = DiceKind(int(match[1]), int(match[2]))
        if kind.outcomes <= _MAX_OUTCOMES:
            return kind
    raise spec_error("dice", most=_MAX_OUTCOMES)


def dice_of_code(code: int) -> DiceKind:
    """Return the dice that a SET_DICE action's argument stands for. Raises NotationError for other numbers."""
    count, sides = divmod(code, _DICE_BASE)
    try:
        return read_dice(f"{count}d{sides}")
    except ValueError as error:
        raise NotationError(f"{count}d{sides}: expected {error}") from None


@dataclass(frozen=True, slots=True)
class LineTable:
    """The lines of a board, and the options that decide what a throw means."""

    lines: tuple[int, ...]  # the lines that hold a point, ascending
    star: bool  # True if the highest total also opens every line that no total can name: the "star" of the source
    star_inner: bool  # True if the star does not open lines below the lowest total
    double_opens_all: bool  # True if the highest double opens the whole board
    rerolls: bool  # True if the dice are thrown again when their total names no line
    _outcomes: dict[DiceKind, Sequence[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def drawn_lines(self, dice: DiceKind, faces: Faces) -> tuple[int, ...]:
        """Return the lines that a throw names, including full lines. Source: "Dés et goban", where * is the star."""
        total = sum(faces)
        drawn = {total} if total in self.lines else set()
        if self.star and total == dice.highest:
            drawn.update(line for line in self.lines if line > dice.highest)
            drawn.update(line for line in self.lines if line < dice.count and not self.star_inner)
        return tuple(sorted(drawn))

    def opens_whole_board(self, dice: DiceKind, faces: Faces) -> bool:
        """Return True if a throw is the highest double and the options let it open the whole board."""
        return self.double_opens_all and dice.count > 1 and sum(faces) == dice.highest

    def stands_as_thrown(self, dice: DiceKind, faces: Faces) -> bool:
        """Return True if a throw counts. If it does not, the dice are thrown again at once."""
        return not self.rerolls or bool(self.drawn_lines(dice, faces)) or self.opens_whole_board(dice, faces)

    def outcomes(self, dice: DiceKind) -> Sequence[int]:
        """Return the numbers of the outcomes that count, ascending."""
        if not self.rerolls:
            return range(dice.outcomes)
        if dice not in self._outcomes:
            stand = [n for n in range(dice.outcomes) if self.stands_as_thrown(dice, dice.faces(n))]
            self._outcomes[dice] = stand
        return self._outcomes[dice]


def read_mapping(text: str) -> str:
    """Return the value of the option `mapping` in its standard form. Raises SpecError for an invalid text."""
    word = text.lower()
    if word in ("concentric", "original"):
        return word
    rows = word.split("/")
    numbers = [row.split(".") for row in rows]
    if any(len(row) != len(rows) for row in numbers) or not all(
        number.isascii() and number.isdigit() and len(number) <= 3 for row in numbers for number in row
    ):
        raise spec_error("mapping")
    return "/".join(".".join(str(int(number)) for number in row) for row in numbers)


def mapping_from_rows(text: str) -> str:
    """Return the `mapping` value for rows of numbers, one per line from the top. Raises NotationError if invalid."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    try:
        return read_mapping("/".join(".".join(row) for row in rows))
    except ValueError as error:
        raise NotationError(f"mapping: expected {error}") from None


@cache
def lines_of(size: int, mapping: str) -> tuple[int, ...]:
    """Return the line of each point, or 0 for a point that no number opens. Shape (size * size,), row by row from A1.

    Raises SpecError if a custom mapping is for a board of another size.
    """
    if mapping == "concentric":
        return rings(size)
    if mapping == "original":
        # Source: "Répartition originelle": "Le tengen est inaccessible". An even board has no tengen.
        tengen = (size * size) // 2 if size % 2 else -1
        return tuple(0 if point == tengen else line for point, line in enumerate(rings(size)))
    rows = [[int(number) for number in row.split(".")] for row in mapping.split("/")]
    if len(rows) != size:
        raise spec_error("mapping rows", rows=len(rows), size=size)
    return tuple(number for row in reversed(rows) for number in row)
