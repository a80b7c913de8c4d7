"""A position of ordinary Go in which nothing is left to do, counted by hand, in all its turns and colours."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

COLUMNS = "ABCDEFGHJ"
KOMI = 7.5
# White's walls leave Black no room to live, nor Black's White. Both can stay as they are for ever.
_DIAGRAM = """
. . . . . . . . .
O O O O O O O O .
. . . . . . . O .
O O O O O O . O .
X X X X X O . O .
. . X . X O . O .
. . X . X O . O .
. . X . X O . O .
. . X . X O . O .
"""
# Points of the corner's owner and of the other side: stones and territory, and territory alone.
CORNER_AREA, OTHER_AREA = 25, 56
CORNER_TERRITORY, OTHER_TERRITORY = 12, 30


@dataclass(frozen=True, slots=True)
class Settled:
    """One turn of the position: the corner that `small`, a colour's letter, owns, and the stones by vertex."""

    corner: str
    small: str
    stones: dict[str, str]
    owners: dict[str, str]

    @property
    def winner(self) -> str:
        return "W" if self.small == "B" else "B"

    @property
    def area_lead(self) -> float:
        """Black's lead with komi under area scoring."""
        return self._lead(OTHER_AREA - CORNER_AREA)

    @property
    def territory_lead(self) -> float:
        """Black's lead with komi under territory scoring, without prisoners."""
        return self._lead(OTHER_TERRITORY - CORNER_TERRITORY)

    def _lead(self, margin: int) -> float:
        return (margin if self.winner == "B" else -margin) - KOMI

    def sgf(self, rules: str, moves: str = "") -> str:
        """Return the position as an SGF text, Black to move, with further nodes."""
        stones = {
            colour: "".join(
                f"[{chr(97 + COLUMNS.index(vertex[0]))}{chr(97 + 9 - int(vertex[1]))}]"
                for vertex, stone in self.stones.items()
                if stone == colour
            )
            for colour in "BW"
        }
        return f"(;GM[1]FF[4]SZ[9]KM[{KOMI}]RU[{rules}]AB{stones['B']}AW{stones['W']}PL[B]{moves})"


def _positions() -> Iterator[Settled]:
    rows = [line.split() for line in _DIAGRAM.split("\n") if line]
    for corner in ("A1", "A9", "J9", "J1"):
        for small, colours in (("B", {"X": "B", "O": "W"}), ("W", {"X": "W", "O": "B"})):
            vertices = {f"{COLUMNS[x]}{9 - y}": (x, y) for y in range(9) for x in range(9)}
            stones = {vertex: colours[rows[y][x]] for vertex, (x, y) in vertices.items() if rows[y][x] != "."}
            left = "ABCDE" if corner[0] == "A" else "EFGHJ"
            low = "12345" if corner[1] == "1" else "56789"
            owners = {vertex: small if vertex[0] in left and vertex[1] in low else colours["O"] for vertex in vertices}
            yield Settled(corner, small, stones, owners)
        # A quarter turn to the right takes the lower left corner to the upper left.
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]


POSITIONS = tuple(_positions())
each_position = pytest.mark.parametrize("position", POSITIONS, ids=lambda each: f"{each.small} {each.corner}")
