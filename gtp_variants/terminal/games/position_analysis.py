"""What a search thinks of a position of an open game, for somebody who plays it.

Where the stones may be that a seat of Go Fantôme does not see: from its news and nothing else.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gtp_variants.ai.belief.stone_odds import StoneChances, StoneOdds
from gtp_variants.ai.mcts.candidates import playable_line
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.tree_search import Thinker
from gtp_variants.base.interruption import ShouldStop
from gtp_variants.lang import RequestRefused
from gtp_variants.players.table import position_to_move
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.rules import words
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import CandidatesBlock, EstimatesBlock, SuggestedMove, TextBlock
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.info_commands import word_of

# How long games are looked for.
_MOST_S = 4.0
_BAR = 20
_MOST_LISTED = 6


class Estimates:
    """The chance of a stone of the other side on each point, for one seat; they go on with its news."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules, self._other = rules, others(rules.colours, colour)[0]
        self._odds = StoneOdds()

    def find(self, view: View) -> StoneChances | None:
        """The chance for each point; None if no board was found in time. `view` is that of the seat."""
        deadline_s = time.monotonic() + _MOST_S
        return self._odds.find(self._rules, view, lambda: time.monotonic() > deadline_s)

    def show(self, host: GameHost, view: View) -> EstimatesBlock | TextBlock:
        """The board with the chances on it, and the likeliest points below; a sentence if there are none."""
        found = self.find(view)
        if found is None:
            return host.error("terminal.odds_none")
        seen = replace(picture(host.rules, None, view), last=None, tried=frozenset())
        stones = words.stones(self._other, view.hidden, host.lang)
        said = host.say("terminal.odds_how", stones=stones, boards=found.boards)
        key = "terminal.odds_counted" if found.error == 0 else "terminal.odds_error"
        sure = host.say(key, percent=_whole_percent(found.error))
        notes = (f"{said} {sure}", *_likeliest(host, view, found.chances))
        title = host.say("terminal.odds", name=host.name(view.colour))
        return EstimatesBlock(host.rules.board, seen, found.chances, notes, title)


def _likeliest(host: GameHost, view: View, chances: Sequence[float]) -> Iterator[str]:
    """The points where a hidden stone is likeliest, a line each, the likeliest first."""
    hidden = [point for point in host.rules.board.order if not view.stones[point] and chances[point]]
    for point in sorted(hidden, key=lambda point: -chances[point])[:_MOST_LISTED]:
        percent, vertex = _whole_percent(chances[point]), host.rules.board.vertex(point)
        yield host.say("terminal.odds_of", vertex=vertex, percent=percent, bar=bar(chances[point]))


def _whole_percent(share: float) -> int:
    return int(100 * share + 0.5)


def bar(chance: float) -> str:
    """A chance as a line of twenty letters."""
    length = int(_BAR * chance + 0.5)
    return "#" * length + "-" * (_BAR - length)


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
