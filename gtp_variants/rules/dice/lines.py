"""Which lines of a board a throw of dice opens, as far as the throw alone decides it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
