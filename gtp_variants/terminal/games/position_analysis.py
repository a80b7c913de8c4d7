"""What a search thinks of a position of an open game, for somebody who plays it."""

from gtp_variants.interruption import ShouldStop
from gtp_variants.lang import RequestRefused
from gtp_variants.mcts.candidates import playable_line
from gtp_variants.mcts.result import SearchResult
from gtp_variants.mcts.tree_search import Thinker
from gtp_variants.players.table import position_to_move
from gtp_variants.rules import words
from gtp_variants.terminal.display.blocks import CandidatesBlock, SuggestedMove
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.info_commands import word_of

_SEARCH_S = 1.0
_MOST_MOVES = 6
_LONGEST_LINE = 6


def analyse(host: GameHost, colour: int, should_stop: ShouldStop, cores: int = 1) -> CandidatesBlock:
    """The best moves of a side, which part of a second's search on so many cores went to each, and how the game stands.

    Raises RequestRefused where nothing can be searched.
    """
    table = host.table
    if table.suspended or table.is_final:
        raise RequestRefused("refusals.not_now")
    thinker = Thinker(host.rules, network="auto", threads=cores)
    position = position_to_move(table, colour)
    return _tell(host, thinker.think(position, lambda _: not should_stop(), seconds=_SEARCH_S))


def _tell(host: GameHost, found: SearchResult) -> CandidatesBlock:
    total = max(1, sum(found.visits.values()))
    candidates = tuple(
        SuggestedMove(move, visits / total, found.shares.get(move), _line(found, move))
        for move in found.rank_moves(found.visits)[:_MOST_MOVES]
        if (visits := found.visits[move])
    )
    stands = zip(host.rules.colours, found.values, strict=False)
    chances = ", ".join(f"{host.name(colour)} {_percent(share)}" for colour, share in stands)
    notes = [host.say("terminal.analysis_stands", chances=chances, playouts=found.playouts)] if chances else []
    if found.score is not None:
        leader = host.rules.colours[0 if found.score >= 0 else 1]
        points = words.number(abs(round(found.score, 1)), host.lang)
        notes.append(host.say("terminal.analysis_leads", name=host.name(leader), points=points))
    for number, each in enumerate(candidates, 1):
        line = " ".join(word_of(host, move) for move in each.line[:_LONGEST_LINE])
        share = "" if each.share is None else _percent(each.share)
        notes.append(f"{number}. {line}  {share}")
    return CandidatesBlock(candidates, tuple(notes))


def _percent(share: float) -> str:
    return f"{int(100 * share + 0.5)} %"


def _line(found: SearchResult, move: int) -> tuple[int, ...]:
    """How play goes on after a move, as far as the rules allow."""
    return playable_line(found, found.lines.get(move, (move,)))
