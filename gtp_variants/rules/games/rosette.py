"""Rosette: Go on the vertices of a honeycomb, where six stones around a hexagon can never be captured.

Source: the file 002_de0d3e2916539ccb.txt of the specification, "Comment jouer".
"""

from collections.abc import Collection

from gtp_variants.rules.boards.board import Board, honeycomb
from gtp_variants.rules.boards.chains import chains
from gtp_variants.rules.games.go import GoFamily, GoPosition, kernel_facts_of_go
from gtp_variants.rules.options import Option, OptionSet, rule_options, share_supply
from gtp_variants.rules.profile import GameProfile
from gtp_variants.rules.rule_sets import RULE_SETS


def _kernel_facts(rules: "RosetteRules") -> dict[str, object]:
    return {
        **kernel_facts_of_go(rules),
        "immunity": rules.values["immunity"],
        "rosette_suicide": rules.values["rosette_suicide"] == "legal",
        "supply": rules.supply,
    }


PROFILE = GameProfile(
    small_spec="rosette:n=4",
    bench_specs=("rosette:n=4", "rosette:n=7"),
    expected_turns_a_point=1.3,
    resign_threshold=0.05,
    mark_names=("immune",),
    decisive_marks=("immune",),
    kernel_game="rosette",
    kernel_facts=_kernel_facts,
)


class RosetteRules(GoFamily[GoPosition]):
    """Go on a honeycomb, on which rosettes are immune by default."""

    name = "rosette"
    title = "Rosette"
    handicap = "free"
    profile = PROFILE
    options = OptionSet(
        (
            Option("n", "int", 7, "hexagons along a side of the board", low=1, high=13),
            Option.komi(),
            Option("immunity", "bool", True, "a chain with a rosette lives without a liberty"),
            Option.choice(
                "rosette_suicide",
                ("illegal", "legal"),
                "a move that leaves the player's own chain with a rosette without a liberty",
            ),
            Option.repetition("nssk"),
            Option.supply("stones"),
            Option.dead(),
            *rule_options(),
            Option.lang(),
        ),
        rule_sets=RULE_SETS,
    )

    def configure(self) -> None:
        super().configure()
        self.supply = share_supply(self.values, self.colours)
        self._is_immune = bool(self.values["immunity"])
        self._may_kill_rosettes = self.values["rosette_suicide"] == "legal"
        self._faces_at = tuple(
            tuple(face for face in self.board.faces if point in face) for point in range(len(self.board))
        )

    def make_board(self) -> Board:
        return honeycomb(self.values.number("n"))

    def lives(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Return True if a chain is immune through a rosette. Source: "VIE ET MORT", "survit avec tous les pions"."""
        points = set(members)
        return self._is_immune and any(points.issuperset(face) for point in points for face in self._faces_at[point])

    def may_stand(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        return self._may_kill_rosettes and self.lives(stones, members)

    def immune(self, position: GoPosition) -> list[int]:
        """Return the points of every chain that is immune because of a rosette."""
        return [
            p
            for members in chains(self.board, position.stones)
            if self.lives(position.stones, members)
            for p in members
        ]

    def find_marks(self, position: GoPosition, colour: int | None = None) -> dict[str, list[int]]:
        return {"immune": self.immune(position)}
