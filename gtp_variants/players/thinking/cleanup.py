"""A move that captures dead stones which the opponent disputes, under area scoring."""

from gtp_variants.players.clock import Clock
from gtp_variants.players.table import Table, legal_actions, position_to_move
from gtp_variants.players.thinking.endgame import JUDGING_S, is_sound
from gtp_variants.players.thinking.sliced_search import PositionSearch
from gtp_variants.rules.boards.chains import liberties

_SLICES = 25


def find_cleanup_move(table: Table, colour: int, clock: Clock) -> int | None:
    """A move that brings a dead chain of the other side nearer to its capture.

    None if there is none to capture, or no time to look for one.
    """
    from gtp_variants.mcts.final_status import find_dead_chains

    rules = table.rules
    if clock.longest_s < JUDGING_S:
        return None
    position = position_to_move(table, colour)
    dead = [points for points in find_dead_chains(rules, position) if position.stones[points[0]] != colour]
    if not dead:
        return None
    search = PositionSearch(rules, position)
    found = search.run_slice()
    for _ in range(_SLICES):
        found = search.run_slice()
    beside = {point for members in dead for point in liberties(rules.board, position.stones, members)}
    allowed = [point for point in legal_actions(table, colour) if point in beside]
    useful = [point for point in found.rank_moves(allowed) if is_sound(rules, position, point)]
    return useful[0] if useful else None
