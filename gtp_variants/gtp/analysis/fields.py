"""What both protocols of analysis, that of GTP and that of JSON, have alike: fields, moves to leave out, networks."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove
from gtp_variants.rules.actions import SWAP
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.settings import AvoidedMove

# No analysis looks further from its root.
_DEEPEST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisFields:
    """Which fields are told beside those that always are.

    `owners`              who owns each point, and how far that differs between the positions looked at (`spread`)
    `owners_by_move`      the same after each move
    `line_visits`         how often each position of a move's line was visited
    `line_edge_visits`    how often each move of that line was chosen
    `policy`              what the network says of each move before the search
    `root`                the position as a whole, where it is not told anyway
    """

    owners: bool = False
    owners_spread: bool = False
    owners_by_move: bool = False
    owners_by_move_spread: bool = False
    line_visits: bool = False
    line_edge_visits: bool = False
    policy: bool = False
    root: bool = False

    @property
    def need_owners(self) -> bool:
        """Whether it must be found out who owns what."""
        return self.owners or self.owners_spread or self.owners_by_move or self.owners_by_move_spread


def leave_out(
    rules: Rules, colour: int, moves: Set[int], until_depth: int, *, are_allowed: bool
) -> "list[AvoidedMove]":
    """What a search leaves out for a colour: these moves or, if they are those that are allowed, all others.

    Raises IllegalMove for what is neither a point of the board nor PASS or SWAP.
    """
    from gtp_variants.ai.mcts.settings import AvoidedMove, avoid_all_but

    if not all(SWAP <= move < len(rules.board) for move in moves):
        raise IllegalMove("off board", f"expected points of {rules.short_spec}, pass or swap")
    depth = min(until_depth, _DEEPEST)
    if are_allowed:
        return avoid_all_but(rules, colour, moves, depth)
    return [AvoidedMove(colour, move, depth) for move in sorted(moves)]


def describe_networks(files: Iterable[Path]) -> list[Json]:
    """Weight files as KataGo lists its own."""
    from gtp_variants.ai.nets.network import VERSION

    model: Json = {"maxBatchSize": 1, "usesHumanSLProfile": False, "version": int(VERSION), "usingFP16": "false"}
    return [{"name": file.name, "internalName": file.stem, **model} for file in files]
