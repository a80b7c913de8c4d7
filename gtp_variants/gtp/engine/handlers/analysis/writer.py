"""The lines of an analysis: what a search found, in the words of Leela Zero and KataGo."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from gtp_variants.gtp.engine.handlers.analysis.request import AnalysisRequest, find_moves
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.mcts.candidates import CandidateMove
    from gtp_variants.mcts.result import SearchResult

# How a dialect writes a share of 0 to 1.
ShareFormat = Callable[[float], str]


def lz_share(share: float) -> str:
    return f"{share * 10_000:.0f}"


def kata_share(share: float) -> str:
    return f"{share:.6f}"


def ownership_text(rules: Rules, key: str, owners: Sequence[float]) -> str:
    """KataGo's form: the key and a number for each cell of the grid from the top left, positive for the player."""
    cells = chain.from_iterable(rules.board.rows())
    return f"{key} " + " ".join("0" if point is None else f"{owners[point]:.3f}" for point in cells)


class AnalysisWriter:
    """Puts what was found in words, for one request."""

    def __init__(self, session: Session, request: AnalysisRequest, dialect: ShareFormat) -> None:
        self._session, self._request, self._dialect = session, request, dialect
        self._find_moves = find_moves(session, request)
        self._owners = OwnershipEstimate(session.rules, request.colour) if request.fields.need_owners else None
        # As first told: where stones are hidden it is a mean over positions, of which more come up while one looks.
        self._priors: dict[int, float] = {}

    def look(self, position: Position, found: "SearchResult") -> None:
        """See who owns what, if that is asked for."""
        if self._owners is not None:
            self._owners.sample(position, found)

    def line(self, found: "SearchResult") -> str:
        """One line: the moves, best first, and what else is asked for."""
        from gtp_variants.mcts.candidates import find_candidates

        session, request = self._session, self._request
        moves = find_candidates(session.rules, found, request.colour, self._find_moves)[: request.most]
        # What the dice open the host cannot know by itself; elsewhere only what was looked at is worth a word.
        if session.refereed_seat is not None or not session.position.draws:
            looked_at = sum(each.visits > 0 for each in moves)
            moves = moves[: max(looked_at, request.fewest)]
        parts = [self._move(found, each) for each in moves]
        if request.fields.root:
            parts.append(self._root(found))
        if request.fields.owners and self._owners is not None:
            parts.append(ownership_text(session.rules, "ownership", self._owners.shares(found)))
        if request.fields.owners_spread and self._owners is not None:
            parts.append(ownership_text(session.rules, "ownershipStdev", self._owners.spread(found)))
        return " ".join(parts)

    def _move(self, found: "SearchResult", each: "CandidateMove") -> str:
        """KataGo's fields in its order."""
        word, share = self._session.word, self._dialect
        prior = self._priors.setdefault(each.move, each.prior)
        told = [
            f"info move {word(each.move)} visits {each.visits} winrate {share(each.winrate)}",
            *_scores(each.lead, each.lead_stdev),
            f"prior {share(prior)} lcb {share(each.lcb)} order {each.order} pv {' '.join(map(word, each.line))}",
        ]
        if self._request.fields.line_visits and each.line_visits:
            told.append(f"pvVisits {' '.join(map(str, each.line_visits))}")
        if self._request.fields.line_edge_visits and each.line_visits:
            # A position is reached in one way here: its visits are those of the move that leads to it.
            told.append(f"pvEdgeVisits {' '.join(map(str, each.line_visits))}")
        if self._owners is not None:
            rules = self._session.rules
            owners, spread = self._owners.after(found, each.move), self._owners.spread_after(found, each.move)
            if self._request.fields.owners_by_move and owners is not None:
                told.append(ownership_text(rules, "movesOwnership", owners))
            if self._request.fields.owners_by_move_spread and spread is not None:
                told.append(ownership_text(rules, "movesOwnershipStdev", spread))
        return " ".join(told)

    def _root(self, found: "SearchResult") -> str:
        from gtp_variants.mcts.candidates import lead_of, winrate_of

        lead = lead_of(self._session.rules, found, self._request.colour)
        told = [
            f"rootInfo visits {sum(found.visits.values())} winrate {self._dialect(winrate_of(found))}",
            *_scores(lead, found.score_stdev),
        ]
        return " ".join(told)


def _scores(lead: float | None, stdev: float | None) -> list[str]:
    """The lead in points in the words of KataGo's old and new versions; nothing where nobody knows it."""
    if lead is None:
        return []
    return [f"scoreMean {lead:.3f} scoreStdev {stdev or 0:.3f} scoreLead {lead:.3f}"]
