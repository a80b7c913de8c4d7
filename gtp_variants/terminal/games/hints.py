"""A hint: the move a bot would play here, and others it thought of, each with its part of the search."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gtp_variants.terminal.display.blocks import Block, CandidatesBlock, SuggestedMove, TextBlock
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.info_commands import word_of

if TYPE_CHECKING:
    from gtp_variants.mcts.result import SearchResult

_MOST_MOVES = 4
# What was looked at less was only looked at.
_LEAST_PART = 0.03


def tell_hint(host: GameHost, action: int, found: "SearchResult | None") -> Iterator[Block]:
    """The move first, then others that were taken seriously; the move alone where no search says more of it."""
    candidates = _candidates(action, found)
    yield CandidatesBlock(candidates, ())
    first, *others = [f"{word_of(host, each.action)}{_percent(each.part)}" for each in candidates]
    key = "terminal.hint_or" if others else "terminal.hint"
    yield TextBlock(host.say(key, action=first, others=", ".join(others)))


def _candidates(action: int, found: "SearchResult | None") -> tuple[SuggestedMove, ...]:
    if found is None or not found.visits.get(action):
        return (SuggestedMove(action),)
    total = sum(found.visits.values())
    others = [move for move in found.rank_moves(found.visits) if move != action]
    moves = [action, *(move for move in others if found.visits[move] >= _LEAST_PART * total)]
    return tuple(SuggestedMove(move, found.visits[move] / total) for move in moves[:_MOST_MOVES])


def _percent(part: float | None) -> str:
    return "" if part is None else f" ({int(100 * part + 0.5)} %)"
