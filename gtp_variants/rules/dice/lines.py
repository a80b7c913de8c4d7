"""Which lines of the board a total of dice opens, and which points lie on each line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from gtp_variants.errors import NotationError
from gtp_variants.rules import words
from gtp_variants.rules.boards.board import rings
from gtp_variants.rules.dice.kinds import DiceKind, Faces


@dataclass(frozen=True, slots=True)
class LineTable:
    """The lines of a board and the agreements on what throws mean.

    `lines`             the lines some point lies on, ascending
    `star`              whether the highest total opens every line that no total can name, too
    `star_inner`        of those only the lines further inside
    `double_opens_all`  whether the highest double opens the whole board
    `rerolls`           whether a total that names no line is thrown again
    """

    lines: tuple[int, ...]
    star: bool
    star_inner: bool
    double_opens_all: bool
    rerolls: bool
    _outcomes: dict[DiceKind, Sequence[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def drawn_lines(self, dice: DiceKind, faces: Faces) -> tuple[int, ...]:
        """The lines a throw names, before any of them turns out to be full. Source: "Dés et goban", *."""
        total = sum(faces)
        drawn = {total} if total in self.lines else set()
        if self.star and total == dice.highest:
            drawn.update(line for line in self.lines if line > dice.highest)
            drawn.update(line for line in self.lines if line < dice.count and not self.star_inner)
        return tuple(sorted(drawn))

    def opens_whole_board(self, dice: DiceKind, faces: Faces) -> bool:
        """Whether a throw is the highest double and the players agreed that it opens everything."""
        return self.double_opens_all and dice.count > 1 and sum(faces) == dice.highest

    def stands_as_thrown(self, dice: DiceKind, faces: Faces) -> bool:
        """Whether a throw stands; if not it is thrown again at once."""
        return not self.rerolls or bool(self.drawn_lines(dice, faces)) or self.opens_whole_board(dice, faces)

    def outcomes(self, dice: DiceKind) -> Sequence[int]:
        """The numbers of the throws that stand, ascending."""
        if not self.rerolls:
            return range(dice.outcomes)
        if dice not in self._outcomes:
            stand = [n for n in range(dice.outcomes) if self.stands_as_thrown(dice, dice.faces(n))]
            self._outcomes[dice] = stand
        return self._outcomes[dice]


def read_mapping(text: str) -> str:
    """The value of the option `mapping` in its one form. Raises SpecError that says what is expected."""
    word = text.lower()
    if word in ("concentric", "original"):
        return word
    rows = word.split("/")
    numbers = [row.split(".") for row in rows]
    if any(len(row) != len(rows) for row in numbers) or not all(
        number.isascii() and number.isdigit() and len(number) <= 3 for row in numbers for number in row
    ):
        raise words.spec_error("mapping")
    return "/".join(".".join(str(int(number)) for number in row) for row in numbers)


def mapping_from_rows(text: str) -> str:
    """The `mapping` value of a text with one row of numbers a line, from the top. Raises NotationError."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    try:
        return read_mapping("/".join(".".join(row) for row in rows))
    except ValueError as error:
        raise NotationError(f"mapping: expected {error}") from None


@cache
def lines_of(size: int, mapping: str) -> tuple[int, ...]:
    """The line each point lies on, 0 for a point that no number opens. Shape (size * size,), row by row from A1.

    Raises SpecError if a mapping of the players' own has another size.
    """
    if mapping == "concentric":
        return rings(size)
    if mapping == "original":
        # Source: "Répartition originelle": "Le tengen est inaccessible". An even board has none.
        tengen = (size * size) // 2 if size % 2 else -1
        return tuple(0 if point == tengen else line for point, line in enumerate(rings(size)))
    rows = [[int(number) for number in row.split(".")] for row in mapping.split("/")]
    if len(rows) != size:
        raise words.spec_error("mapping rows", rows=len(rows), size=size)
    return tuple(number for row in reversed(rows) for number in row)
