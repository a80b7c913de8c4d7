"""Rosette: go on the vertices of a honeycomb, where six stones around a hexagon live for ever.

Source: 002_de0d3e2916539ccb.txt.
"""

from collections.abc import Collection, Mapping
from typing import Any

from gtp_variants.rules.boards.board import Board, honeycomb
from gtp_variants.rules.boards.chains import chains
from gtp_variants.rules.games.go import GoFamily, GoPosition
from gtp_variants.rules.options import Option, dead_option, komi_option, lang_option, repetition_option


class RosetteRules(GoFamily[GoPosition]):
    """Go on a honeycomb with immune rosettes."""

    name = "rosette"
    title = "Rosette"
    handicap = "free"
    mark_names = ("immune",)
    small_spec = "rosette:n=3"
    kernel_game = "rosette"
    options = (
        Option("n", "int", 7, "hexagons along a side of the board", low=1, high=13),
        komi_option(),
        Option("immunity", "bool", True, "whether a chain with a rosette lives without a liberty"),
        Option(
            "rosette_suicide",
            "choice",
            "illegal",
            "whether a player may leave his own chain with a rosette without a liberty",
            choices=("illegal", "legal"),
        ),
        repetition_option("nssk"),
        Option("supply", "int", None, "stones of one colour that may stand on the board", low=1, none=True),
        dead_option(),
        lang_option(),
    )

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        super().__init__(given)
        supply = self.values["supply"]
        self.supply = supply if isinstance(supply, int) else None
        self._faces_at: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
            tuple(face for face in self.board.faces if point in face) for point in range(len(self.board))
        )

    def make_board(self) -> Board:
        return honeycomb(self._int("n"))

    def kernel_facts(self) -> dict[str, object]:
        return super().kernel_facts() | {
            "immunity": bool(self.values["immunity"]),
            "rosette_suicide": self.values["rosette_suicide"] == "legal",
            "supply": self.supply,
        }

    def lives(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Whether a chain holds a rosette and is immune. Source: "VIE ET MORT", "survit avec tous les pions"."""
        return bool(self.values["immunity"]) and self.has_rosette(members)

    def may_stand(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        return self.values["rosette_suicide"] == "legal" and self.lives(stones, members)

    def has_rosette(self, members: Collection[int]) -> bool:
        """Whether the points include all six around some hexagon."""
        points = set(members)
        return any(points.issuperset(face) for point in points for face in self._faces_at[point])

    def has_supply(self, position: GoPosition) -> bool:
        return self.supply is None or position.stones.count(position.mover) < self.supply

    def immune(self, position: GoPosition) -> list[int]:
        """The points of every chain that lives by a rosette."""
        return [
            p
            for members in chains(self.board, position.stones)
            if self.lives(position.stones, members)
            for p in members
        ]

    def find_marks(self, position: GoPosition, colour: int | None = None) -> dict[str, list[int]]:
        return {"immune": self.immune(position)}

    def describe_state(self, position: GoPosition) -> dict[str, Any]:
        return {"immune": self.named(self.immune(position))}
