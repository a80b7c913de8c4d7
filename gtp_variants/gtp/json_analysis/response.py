"""What was found of a position, as KataGo's JSON protocol tells it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gtp_variants.gtp.json_analysis.query import AnalysisQuery
from gtp_variants.json_values import Json
from gtp_variants.mcts.candidates import CandidateMove, find_candidates, lead_of, winrate_of
from gtp_variants.mcts.result import SearchResult
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.words import COLOUR_LETTERS

if TYPE_CHECKING:
    from gtp_variants.players.thinking.ownership import OwnershipEstimate


def write_response(
    query: AnalysisQuery, turn: int, found: SearchResult, owners: "OwnershipEstimate | None", *, is_during_search: bool
) -> Json:
    """The answer about one turn; `owners` is who owns what, seen from the side to play, if that was asked for."""
    mover = query.positions[turn].mover
    view = _Perspective(query, mover)
    candidates = find_candidates(query.rules, found, mover, [move for move, n in found.visits.items() if n])
    told: Json = {
        "id": query.id,
        "isDuringSearch": is_during_search,
        "turnNumber": turn,
        "moveInfos": [_move(query, view, found, each, owners) for each in candidates],
        "rootInfo": _root(query, view, found, mover),
    }
    if owners is not None and query.fields.owners:
        told["ownership"] = grid(query.rules.board, [view.sign * share for share in owners.shares(found)])
    if owners is not None and query.fields.owners_spread:
        told["ownershipStdev"] = grid(query.rules.board, owners.spread(found))
    if query.fields.policy:
        board = query.rules.board
        told["policy"] = [*grid(board, [found.priors.get(p, -1.0) for p in range(len(board))], -1.0)]
        told["policy"].append(_round(found.priors.get(PASS, -1.0)))
    return told


class _Perspective:
    """From whose side numbers are told: `sign` is 1 if that is the side to play, else -1."""

    def __init__(self, query: AnalysisQuery, mover: int) -> None:
        self.sign = 1 if query.perspective in (None, mover) or len(query.rules.colours) > 2 else -1

    def share(self, share: float) -> float:
        return _round(share if self.sign > 0 else 1 - share)

    def lead(self, lead: float) -> float:
        return round(self.sign * lead, 3) + 0.0


def _move(
    query: AnalysisQuery,
    view: _Perspective,
    found: SearchResult,
    each: CandidateMove,
    owners: "OwnershipEstimate | None",
) -> Json:
    board, longest = query.rules.board, 1 + query.longest_line if query.longest_line else None
    told: Json = {
        "move": write_move(board, each.move),
        "visits": each.visits,
        "edgeVisits": each.visits,
        "winrate": view.share(each.winrate),
        # The bound of the side to play, whoever is told: from the other side it is an upper one, as in KataGo.
        "lcb": view.share(each.lcb),
        "prior": _round(each.prior),
        "order": each.order,
        "pv": [write_move(board, move) for move in each.line[:longest]],
        **_scores(view, each.lead, each.lead_stdev),
    }
    if query.fields.line_visits and each.line_visits:
        told["pvVisits"] = told["pvEdgeVisits"] = list(each.line_visits[:longest])
    if owners is not None:
        shares, spread = owners.after(found, each.move), owners.spread_after(found, each.move)
        if query.fields.owners_by_move and shares is not None:
            told["ownership"] = grid(board, [view.sign * share for share in shares])
        if query.fields.owners_by_move_spread and spread is not None:
            told["ownershipStdev"] = grid(board, spread)
    return told


def _root(query: AnalysisQuery, view: _Perspective, found: SearchResult, mover: int) -> Json:
    return {
        "currentPlayer": COLOUR_LETTERS[mover].upper(),
        "visits": sum(found.visits.values()),
        "winrate": view.share(winrate_of(found)),
        **_scores(view, lead_of(query.rules, found, mover), found.score_stdev),
    }


def _scores(view: _Perspective, lead: float | None, stdev: float | None) -> Json:
    """What KataGo says of the score; nothing in a game that has none."""
    if lead is None:
        return {}
    return {"scoreLead": view.lead(lead), "scoreMean": view.lead(lead), "scoreStdev": round(stdev or 0.0, 3)}


def grid(board: Board, numbers: Sequence[float], elsewhere: float = 0.0) -> list[float]:
    """A number for each cell, from the top left; `elsewhere` where the board has no point."""
    return [elsewhere if point is None else _round(numbers[point]) for row in board.rows() for point in row]


def _round(number: float) -> float:
    return round(number, 6) + 0.0
