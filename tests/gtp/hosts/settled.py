"""Positions of ordinary Go in which nothing is left to do and every point has a plain owner, in all turns and colours.

The owner of a corner of five by five points has 25 points by area, and the other side 56.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

COLUMNS = "ABCDEFGHJ"
KOMI = 7.5
# Neither side has room to live in what the other side's walls surround.
_WALLS = """
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
# All empty points are eyes, three of the corner's owner and five of the other side, so that even random moves end well.
_EYES = """
. O O O O O O O .
O O O O O O O O O
O O O O O O . O O
O O O O O O O O O
X X X X X O O . O
X . X . X O O O O
X X X X X O . O O
X X . X X O O O O
X X X X X O O O O
"""


@dataclass(frozen=True, slots=True)
class Settled:
    """One turn of a position: the colour that owns the corner, and by vertex the stones and the owners, as B and W."""

    corner: str
    small: str
    stones: Mapping[str, str]
    owners: Mapping[str, str]

    @property
    def winner(self) -> str:
        """The winner under area scoring."""
        return "W" if self.small == "B" else "B"

    @property
    def area_lead(self) -> float:
        """Black's lead with komi under area scoring."""
        count = Counter(self.owners.values())
        return count["B"] - count["W"] - KOMI

    @property
    def territory_lead(self) -> float:
        """Black's lead with komi under territory scoring, without prisoners."""
        count = Counter(owner for vertex, owner in self.owners.items() if vertex not in self.stones)
        return count["B"] - count["W"] - KOMI

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


def _positions(diagram: str) -> Iterator[Settled]:
    rows = [line.split() for line in diagram.split("\n") if line]
    vertices = {f"{COLUMNS[x]}{9 - y}": (x, y) for y in range(9) for x in range(9)}
    for corner in ("A1", "A9", "J9", "J1"):
        columns = "ABCDE" if corner[0] == "A" else "EFGHJ"
        numbers = "12345" if corner[1] == "1" else "56789"
        for small, large in ("BW", "WB"):
            colours = {"X": small, "O": large}
            stones = {vertex: colours[rows[y][x]] for vertex, (x, y) in vertices.items() if rows[y][x] != "."}
            owners = {v: small if v[0] in columns and v[1] in numbers else large for v in vertices}
            yield Settled(corner, small, stones, owners)
        # A quarter turn to the right takes the lower left corner to the upper left.
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]


POSITIONS = tuple(_positions(_WALLS))
EYES = tuple(_positions(_EYES))
each_position = pytest.mark.parametrize("position", POSITIONS, ids=lambda each: f"{each.small} {each.corner}")
