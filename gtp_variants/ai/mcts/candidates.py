"""The moves that a search tried, for analysis: each with its value, lower bound and line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from gtp_variants.ai.mcts.result import SearchResult, raise_share
from gtp_variants.errors import VariantsError
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# Distance of the lower bound below the value, in standard deviations.
_LCB_STDEVS = 3.0


@dataclass(frozen=True, slots=True)
class CandidateMove:
    """A searched move, from the point of view of the side to play.

    `winrate` is the share of games, 0 to 1, that the side to play wins after the move, and `lcb` is the lower
    confidence bound of that share. For an unvisited move `winrate` is the position's win rate and `lcb` is 0. `prior`
    is the move's probability before the search, `line` the move and its continuation, and `line_visits` the visits
    along it. `lead` is the side's lead in points, `lead_stdev` its standard deviation in single playouts, `utility`
    the value by which the search chooses, and `utility_lcb` its lower bound; each of these is None if unknown.
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
    utility: float | None
    utility_lcb: float | None


def find_candidates(rules: Rules, found: SearchResult, colour: int, allowed: Sequence[int]) -> list[CandidateMove]:
    """Return the allowed moves that were searched: first the move to play, then the others by visits."""
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
            utility=found.utilities.get(move, (None, None))[0],
            utility_lcb=found.utilities.get(move, (None, None))[1],
        )
        for order, move in enumerate(ranked)
    ]


def playable_line(found: SearchResult, line: tuple[int, ...]) -> tuple[int, ...]:
    """Return a line's moves before the first illegal move, but at least one move; all if the position is unknown."""
    return _cut_lines(found, {line[0]: line})[line[0]] if line else line


def _cut_lines(found: SearchResult, lines: Mapping[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    rules, position = found.rules, found.at
    if rules is None or not isinstance(position, Position):
        return dict(lines)
    used = _find_used_points(position)

    def may_recur(line: tuple[int, ...]) -> bool:
        stones = [move for move in line if move >= 0]
        return len(set(stones)) < len(stones) or not used.isdisjoint(stones)

    # A line that reuses no point cannot repeat a board, so it needs no cut.
    return {move: _cut(rules, position, line) if may_recur(line) else line for move, line in lines.items()}


def _find_used_points(position: Position) -> set[int]:
    """Return the points that have ever held a stone."""
    points = len(position.stones)
    boards = int.from_bytes(position.stones)
    for key in position.history:
        boards |= int.from_bytes(key[:points])
    had = boards.to_bytes(points)
    return {point for point in range(points) if had[point]}.union(position.captured)


def _cut(rules: Rules, position: Position, line: tuple[int, ...]) -> tuple[int, ...]:
    for count, move in enumerate(line):
        try:
            while position.to_play == CHANCE:
                # Play the throw that opens every line of the board, because the move may be legal under some throw.
                throw = rules.dice_of(position).free if isinstance(rules, DicedRules) else rules.actions(position)[0]
                position = rules.play(position, throw)
            position = rules.play(position, move)
        except VariantsError:
            return line[: max(1, count)]
    return line


def winrate_after(found: SearchResult, move: int) -> float:
    """Return the win rate of the side to play after a move, 0 to 1; for an untried move, the position's win rate."""
    if found.proved is not None and move == found.action:
        return float(found.proved)
    return found.shares[move] if move in found.shares else winrate_of(found)


def winrate_of(found: SearchResult) -> float:
    """Return the win rate of the side to play in the position, 0 to 1; 0.5 before the first playout."""
    if found.proved is not None:
        return float(found.proved)
    tried = sum(found.visits[move] for move in found.shares)
    if not tried:
        return 0.5
    compared = sum(found.visits[move] * _uncalibrate(found, share) for move, share in found.shares.items())
    return _calibrate(found, compared / tried)


def lower_bound(found: SearchResult, move: int) -> float:
    """Return a lower confidence bound of a move's win rate, by Wilson's interval; 0 if unvisited, exact if proved."""
    visits = found.visits.get(move, 0)
    if found.proved is not None and move == found.action:
        return float(found.proved)
    if not visits:
        return 0.0
    # Results that are all wins or losses vary most, so the interval is valid for any results from 0 to 1.
    share, square = _uncalibrate(found, winrate_after(found, move)), _LCB_STDEVS**2 / visits
    radius = _LCB_STDEVS * sqrt(share * (1 - share) / visits + square / (4 * visits))
    return _calibrate(found, max(0.0, (share + square / 2 - radius) / (1 + square)))


def _calibrate(found: SearchResult, share: float) -> float:
    """Convert a share from the search's scale to the scale of reported values."""
    return raise_share(share, found.calibration, max(2, len(found.values)))


def _uncalibrate(found: SearchResult, share: float) -> float:
    """Convert a reported share to the scale on which the search compares moves."""
    return raise_share(share, 1 / found.calibration, max(2, len(found.values)))


def lead_of(rules: Rules, found: SearchResult, colour: int) -> float | None:
    """Return a colour's lead in points; None if unknown."""
    return None if found.score is None else _side(rules, colour) * found.score


def _side(rules: Rules, colour: int) -> int:
    """Return the sign of a colour's lead: 1 for the first colour, whose lead a search reports, else -1."""
    return 1 if colour == rules.colours[0] else -1
