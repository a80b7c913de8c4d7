"""Moves for `kgs-genmove_cleanup`: captures the dead stones that the opponent disputes, under area scoring."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gtp_variants.gtp.engine.bot.sliced_search import OpenSearch, Owners, rank_moves
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import legal_actions, position_to_move
from gtp_variants.rules.boards.chains import chain, chains, liberties
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.mcts.result import SearchResult

# A chain is dead if its points are the other side's in so much of what playouts come to, from -1 to 1.
_DEAD = 0.6
_SLICES = 25
# With less time than this left there is none to look for dead stones.
_LEAST_S = 5.0


def cleaning_move(session: Session, colour: int) -> int | None:
    """A move that brings a dead chain of the other side nearer to its capture; None if there is none to capture."""
    rules = session.rules
    if not rules.is_go or session.clocks[colour].longest_s < _LEAST_S:
        return None
    position = position_to_move(session.table, colour)
    search = OpenSearch(rules, position)
    found = search.more()
    for _ in range(_SLICES):
        found = search.more()
    dead = _dead_chains(rules, position, colour, found)
    points = {point for members in dead for point in liberties(rules.board, position.stones, members)}
    allowed = [point for point in legal_actions(session.table, colour) if point in points]
    useful = [point for point in rank_moves(found, allowed) if is_sound(rules, position, point)]
    return useful[0] if useful else None


def _dead_chains(rules: Rules, position: Position, colour: int, found: "SearchResult") -> list[Sequence[int]]:
    """The chains of the other side that stand where playouts see no life for them."""
    owners = Owners(rules, colour)
    for _ in range(_SLICES):
        owners.more(position, found)
    owned = owners.shares(found)
    return [
        members
        for members in chains(rules.board, position.stones)
        if position.stones[members[0]] not in (0, colour)
        and sum(owned[point] for point in members) >= _DEAD * len(members)
    ]


def is_sound(rules: Rules, position: Position, point: int) -> bool:
    """Whether a stone that may be played there captures, or stands with more than one liberty."""
    after = rules.play(position, point)
    members = chain(rules.board, after.stones, point)
    return bool(after.captured) or len(liberties(rules.board, after.stones, members)) > 1
