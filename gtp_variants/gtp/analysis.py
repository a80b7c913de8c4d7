"""What both protocols of analysis ask alike, that of GTP and that of JSON: which moves are left out."""

from collections.abc import Set
from typing import TYPE_CHECKING

from gtp_variants.errors import IllegalMove
from gtp_variants.rules.actions import SWAP
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.mcts.settings import AvoidedMove

# No analysis looks further from its root.
_DEEPEST = 10_000


def leave_out(
    rules: Rules, colour: int, moves: Set[int], until_depth: int, *, are_allowed: bool
) -> "list[AvoidedMove]":
    """What a search leaves out for a colour: these moves or, if they are those that are allowed, all others.

    Raises IllegalMove for what is neither a point of the board nor PASS or SWAP.
    """
    from gtp_variants.mcts.settings import AvoidedMove, avoid_all_but

    if not all(SWAP <= move < len(rules.board) for move in moves):
        raise IllegalMove("off board", f"expected points of {rules.short_spec}, pass or swap")
    depth = min(until_depth, _DEEPEST)
    if are_allowed:
        return avoid_all_but(rules, colour, moves, depth)
    return [AvoidedMove(colour, move, depth) for move in sorted(moves)]
