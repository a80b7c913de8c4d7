"""The parts that GTP analysis and the JSON protocol share: fields, excluded moves, network descriptions."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove
from gtp_variants.lang import load
from gtp_variants.rules.actions import RESIGN, SWAP
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.settings import AvoidedMove

# Protocol, "gtp" or "json" -> word that asks for a field -> the field.
FLAGS: Mapping[str, Mapping[str, str]] = load(Path(__file__).with_suffix(".toml"))
# Maximum depth of an excluded move, in moves from the root.
_DEEPEST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisFields:
    """The optional fields of an answer.

    `owners`              the owner of each point, and how much it varies between searched positions (`owners_spread`)
    `owners_by_move`      the owners after each move, and how much they vary (`owners_by_move_spread`)
    `line_visits`         the number of visits to each position in a move's line
    `line_edge_visits`    the number of visits to each move in a move's line
    `policy`              the network's rating of each move before the search
    `no_result`           the probability that a game ends without a result
    `root`                the numbers for the position as a whole, in protocols that make them optional
    """

    owners: bool = False
    owners_spread: bool = False
    owners_by_move: bool = False
    owners_by_move_spread: bool = False
    line_visits: bool = False
    line_edge_visits: bool = False
    policy: bool = False
    no_result: bool = False
    root: bool = False

    @property
    def need_owners(self) -> bool:
        """True if ownership must be computed."""
        return self.owners or self.owners_spread or self.owners_by_move or self.owners_by_move_spread


def leave_out(
    rules: Rules, colour: int, moves: Set[int], until_depth: int, *, are_allowed: bool
) -> "list[AvoidedMove]":
    """Return the moves to exclude: `moves`, or all other moves if `are_allowed`. Raises IllegalMove for unknown moves.

    No search resigns, so resignation is left out.
    """
    from gtp_variants.ai.mcts.settings import AvoidedMove, avoid_all_but

    moves = moves - {RESIGN}
    if not all(SWAP <= move < len(rules.board) for move in moves):
        raise IllegalMove("off board", f"expected points of {rules.short_spec}, pass, swap or resign")
    depth = min(until_depth, _DEEPEST)
    if are_allowed:
        return avoid_all_but(rules, colour, moves, depth)
    return [AvoidedMove(colour, move, depth) for move in sorted(moves)]


def utility_fields(utility: float | None, lower: float | None = None) -> dict[str, float]:
    """Return KataGo's utility of a move or position for the side to play, and its lower bound, if they are known."""
    known = {"utility": utility, "utilityLcb": lower}
    return {name: value for name, value in known.items() if value is not None}


def describe_networks(files: Iterable[Path]) -> list[Json]:
    """Return descriptions of weight files in KataGo's format."""
    from gtp_variants.ai.nets.network import VERSION

    model: Json = {"maxBatchSize": 1, "usesHumanSLProfile": False, "version": int(VERSION), "usingFP16": "false"}
    return [{"name": file.name, "internalName": file.stem, **model} for file in files]
