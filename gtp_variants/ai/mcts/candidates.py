"""The moves that a search looked at, each with its value, a bound of it and its line, for programs that analyse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from gtp_variants.ai.mcts.result import SearchResult, raise_share
from gtp_variants.errors import VariantsError
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# The lower bound of a value lies so many standard deviations below it.
_LCB_STDEVS = 3.0


@dataclass(frozen=True, slots=True)
class CandidateMove:
    """A move as the side to play sees it.

    `winrate` is the share its side wins after it, 0 to 1, as the result tells it, and `lcb` a lower confidence bound;
    for a move that was never tried the value of the position, and 0. `prior` is what it was worth before the search.
    `line` is how play goes on, the move first; `line_visits` how often each of its moves was visited there. `lead` is
    by how many points its side leads after it, `lead_stdev` how far single playouts are from that, both None where
    nobody knows.
    """

    move: int
    order: int
    visits: int
    winrate: float
    lcb: float
    prior: float
    line: tuple[int, ...]
    line_visits: tuple[int, ...]
    lead: float | None
    lead_stdev: float | None


def find_candidates(rules: Rules, found: SearchResult, colour: int, allowed: Sequence[int]) -> list[CandidateMove]:
    """Those of the moves that may be played, the one to play first, then by how often they were looked at."""
    side = _side(rules, colour)
    lead, stdev = found.score, found.score_stdev
    ranked = found.rank_moves(allowed)
    lines = _cut_lines(found, {move: found.lines.get(move, (move,)) for move in ranked})
    return [
        CandidateMove(
            move=move,
            order=order,
            visits=found.visits[move],
            winrate=winrate_after(found, move),
            lcb=lower_bound(found, move),
            prior=found.priors.get(move, 0.0),
            line=lines[move],
            line_visits=found.line_visits.get(move, ())[: len(lines[move])],
            lead=None if lead is None else side * (found.scores[move][0] if move in found.scores else lead),
            lead_stdev=found.scores[move][1] if move in found.scores else stdev,
        )
        for order, move in enumerate(ranked)
    ]


def playable_line(found: SearchResult, line: tuple[int, ...]) -> tuple[int, ...]:
    """How play goes on, up to the first move that the rules refuse: not every search knows that boards may not recur.

    All of it where what was searched is not known, as where stones are hidden. Which lines dice open is not asked.
    """
    return _cut_lines(found, {line[0]: line})[line[0]] if line else line


def _cut_lines(found: SearchResult, lines: Mapping[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    rules, position = found.rules, found.at
    if rules is None or not isinstance(position, Position):
        return dict(lines)
    used = _find_used_points(position)
    return {move: _cut(rules, position, line) if _may_recur(line, used) else line for move, line in lines.items()}


def _find_used_points(position: Position) -> set[int]:
    """The points that have had a stone."""
    points = len(position.stones)
    boards = int.from_bytes(position.stones)
    for key in position.history:
        boards |= int.from_bytes(key[:points])
    had = boards.to_bytes(points)
    return {point for point in range(points) if had[point]}.union(position.captured)


def _may_recur(line: tuple[int, ...], used: set[int]) -> bool:
    """Whether a line has a stone where there has been one: no other makes a board that was there before."""
    stones = [move for move in line if move >= 0]
    return len(set(stones)) < len(stones) or not used.isdisjoint(stones)


def _cut(rules: Rules, position: Position, line: tuple[int, ...]) -> tuple[int, ...]:
    for count, move in enumerate(line):
        try:
            position = _after(rules, position, move)
        except VariantsError:
            return line[: max(1, count)]
    return line


def _after(rules: Rules, position: Position, move: int) -> Position:
    while position.to_play == CHANCE:
        # Which lines are open is not asked here: each move has a throw that opens its point.
        throw = rules.dice_of(position).free if isinstance(rules, DicedRules) else rules.actions(position)[0]
        position = rules.play(position, throw)
    return rules.play(position, move)


def winrate_after(found: SearchResult, move: int) -> float:
    """What the side to play wins with a move, 0 to 1; the value of the position for a move that was never tried."""
    if found.proved is not None and move == found.action:
        return float(found.proved)
    return found.shares[move] if move in found.shares else winrate_of(found)


def winrate_of(found: SearchResult) -> float:
    """What the side to play wins in the position, 0 to 1; a half before the first playout."""
    if found.proved is not None:
        return float(found.proved)
    tried = sum(found.visits[move] for move in found.shares)
    if not tried:
        return 0.5
    compared = sum(found.visits[move] * _uncalibrate(found, share) for move, share in found.shares.items())
    return _calibrate(found, compared / tried)


def lower_bound(found: SearchResult, move: int) -> float:
    """A value below which a move's is not likely to be, by Wilson's score interval for so many visits.

    It holds for any results from 0 to 1: none vary more than those that are won or lost. It is that of the value as the
    search compares it, told as values are.
    """
    visits = found.visits.get(move, 0)
    if found.proved is not None and move == found.action:
        return float(found.proved)
    if not visits:
        return 0.0
    share, square = _uncalibrate(found, winrate_after(found, move)), _LCB_STDEVS**2 / visits
    radius = _LCB_STDEVS * sqrt(share * (1 - share) / visits + square / (4 * visits))
    return _calibrate(found, max(0.0, (share + square / 2 - radius) / (1 + square)))


def _calibrate(found: SearchResult, share: float) -> float:
    """A share as the result tells it."""
    return raise_share(share, found.calibration, max(2, len(found.values)))


def _uncalibrate(found: SearchResult, share: float) -> float:
    """A share that the result tells, as the search compares it."""
    return raise_share(share, 1 / found.calibration, max(2, len(found.values)))


def lead_of(rules: Rules, found: SearchResult, colour: int) -> float | None:
    """By how many points a colour leads; None where nobody knows."""
    return None if found.score is None else _side(rules, colour) * found.score


def _side(rules: Rules, colour: int) -> int:
    """1 for the first colour of the turn order, whose lead a search tells, -1 for the second."""
    return 1 if colour == rules.colours[0] else -1
