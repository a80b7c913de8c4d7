"""Games whose turns begin with dice: the kinds of dice, and what every such game answers beyond `Rules`."""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.errors import NotationError
from gtp_variants.rules.rules import P, Rules

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
    """The dice of a text such as 1d6 or 2d4. Raises ValueError that says what is expected."""
    match = _DICE.fullmatch(text.strip().lower())
    if match is not None:
        kind = DiceKind(int(match[1]), int(match[2]))
        if kind.outcomes <= _MAX_OUTCOMES:
            return kind
    raise ValueError(f"dice such as 1d6 or 2d4, at most {_MAX_OUTCOMES} different throws")


def dice_of_code(code: int) -> DiceKind:
    """The dice of a SET_DICE action's argument. Raises NotationError."""
    count, sides = divmod(code, _DICE_BASE)
    try:
        return read_dice(f"{count}d{sides}")
    except ValueError as error:
        raise NotationError(f"{count}d{sides}: expected {error}") from None


class DicedRules(Rules[P]):
    """A game in which CHANCE throws dice before a turn, and their total names the lines of the board that are open.

    `dice`         thrown at the start; a position's own may differ: `dice_of`
    `lines`        the line of each point, 0 for one that no total opens; `on_line` the points of each line
    `free_player`  the colour that plays without dice, None if both throw
    `slots`        how many draws must be known before a stone: 1, or 2 where the next turn's draw is known, too
    """

    dice: DiceKind
    lines: tuple[int, ...]
    on_line: Mapping[int, Sequence[int]]
    free_player: int | None
    slots: int

    @abstractmethod
    def dice_of(self, position: P) -> DiceKind:
        """The dice in force; the players can agree on others during a game."""

    @abstractmethod
    def cast(self, position: P, slot: int) -> int:
        """How often the dice of this turn (slot 0) or the next (slot 1) were thrown anew because they were changed."""

    def throw_due(self, position: P) -> tuple[int, int]:
        """The turn that the next throw is for, and how often its dice were thrown anew."""
        slot = len(position.draws)
        return position.turn + slot, self.cast(position, slot)

    @abstractmethod
    def with_draws(self, position: P, draws: tuple[int, ...]) -> P:
        """The position under other draws for this turn and the next; with () the dice are still to be thrown."""

    @abstractmethod
    def owner(self, position: P, slot: int) -> int:
        """The colour whose turn a draw is for: slot 0 is the side to move, slot 1 the one after it."""

    @abstractmethod
    def free(self, dice: DiceKind) -> int:
        """The CHANCE action that opens every line for a turn."""

    @abstractmethod
    def stands_as_thrown(self, dice: DiceKind, faces: Faces) -> bool:
        """Whether a throw stands; if not it is thrown again at once."""

    @abstractmethod
    def drawn_lines(self, dice: DiceKind, faces: Faces) -> tuple[int, ...]:
        """The lines a throw names, before any of them turns out to be full."""

    @abstractmethod
    def open_lines(self, position: P) -> tuple[int, ...] | None:
        """The lines on which the side to move may place a stone, () if it must pass, None if every point is open."""

    @abstractmethod
    def open_points(self, position: P) -> list[int]:
        """The points where the side to move may place a stone under its draw."""

    @abstractmethod
    def opening_draw(self, position: P, point: int) -> int:
        """A CHANCE action under which a stone may be placed on a point."""

    @abstractmethod
    def describe_draw(self, position: P) -> dict[str, object] | None:
        """The draw in force as JSON: `dice`, `total`, `drawn` and `open` lines; None when there is none."""
