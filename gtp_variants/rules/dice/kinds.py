"""Kinds of dice such as 2d6, and the numbering of their outcomes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gtp_variants.errors import NotationError
from gtp_variants.rules import words

Faces = tuple[int, ...]

_DICE = re.compile(r"([1-9][0-9]?)d([1-9][0-9]{0,2})")
_MAX_OUTCOMES = 100_000
_DICE_BASE = 1000


@dataclass(frozen=True, slots=True)
class DiceKind:
    """So many dice with so many sides: `DiceKind(2, 6)` is 2d6. A throw is a tuple of faces, 1 to `sides` each."""

    count: int
    sides: int

    def __str__(self) -> str:
        return f"{self.count}d{self.sides}"

    @property
    def outcomes(self) -> int:
        """How many different throws there are, the order of the dice counted."""
        return int(self.sides**self.count)

    @property
    def free(self) -> int:
        """The CHANCE action that opens every line for a turn: one more than the last outcome."""
        return self.outcomes

    @property
    def highest(self) -> int:
        """The highest total."""
        return self.count * self.sides

    def faces(self, outcome: int) -> Faces:
        """The faces of an outcome, numbered from 0 with the last die fastest."""
        faces = []
        for _ in range(self.count):
            outcome, face = divmod(outcome, self.sides)
            faces.append(face + 1)
        return tuple(reversed(faces))

    def outcome(self, faces: Sequence[int]) -> int:
        """The number of the outcome with these faces. Raises NotationError if they cannot fall."""
        if len(faces) != self.count or not all(1 <= face <= self.sides for face in faces):
            shown = " ".join(str(face) for face in faces)[:40]
            raise NotationError(f"{shown}: expected {self.count} faces from 1 to {self.sides}")
        number = 0
        for face in faces:
            number = number * self.sides + face - 1
        return number

    @property
    def code(self) -> int:
        """This kind of dice as the argument of a SET_DICE action."""
        return self.count * _DICE_BASE + self.sides


def read_dice(text: str) -> DiceKind:
    """The dice of a text such as 1d6 or 2d4. Raises SpecError that says what is expected."""
    match = _DICE.fullmatch(text.strip().lower())
    if match is not None:
        kind = DiceKind(int(match[1]), int(match[2]))
        if kind.outcomes <= _MAX_OUTCOMES:
            return kind
    raise words.spec_error("dice", most=_MAX_OUTCOMES)


def dice_of_code(code: int) -> DiceKind:
    """The dice of a SET_DICE action's argument. Raises NotationError."""
    count, sides = divmod(code, _DICE_BASE)
    try:
        return read_dice(f"{count}d{sides}")
    except ValueError as error:
        raise NotationError(f"{count}d{sides}: expected {error}") from None
