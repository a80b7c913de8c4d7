"""Moves for `kgs-genmove_cleanup`: captures the dead stones that the opponent disputes, under area scoring."""

from gtp_variants.gtp.engine.bot.sliced_search import OpenSearch
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import legal_actions, position_to_move
from gtp_variants.players.thinking.endgame import JUDGING_S, is_sound
from gtp_variants.rules.boards.chains import liberties

_SLICES = 25


def cleaning_move(session: Session, colour: int) -> int | None:
    """A move that brings a dead chain of the other side nearer to its capture; None if there is none to capture."""
    from gtp_variants.mcts.final_status import find_dead_chains

    rules = session.rules
    if not rules.is_go or session.clocks[colour].longest_s < JUDGING_S:
        return None
    position = position_to_move(session.table, colour)
    dead = [points for points in find_dead_chains(rules, position) if position.stones[points[0]] != colour]
    if not dead:
        return None
    search = OpenSearch(rules, position)
    found = search.more()
    for _ in range(_SLICES):
        found = search.more()
    beside = {point for members in dead for point in liberties(rules.board, position.stones, members)}
    allowed = [point for point in legal_actions(session.table, colour) if point in beside]
    useful = [point for point in found.rank_moves(allowed) if is_sound(rules, position, point)]
    return useful[0] if useful else None
