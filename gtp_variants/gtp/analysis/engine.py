"""The analysis engine. It reads queries as lines of JSON, searches the most urgent positions, and answers in JSON."""

import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.ai.mcts.candidates import CandidateMove, find_candidates, lead_of, winrate_of
from gtp_variants.ai.mcts.result import NO_RESULT, SearchResult
from gtp_variants.base.json_values import Json, parse_json
from gtp_variants.errors import VariantsError
from gtp_variants.gtp.analysis.fields import describe_networks, utility_fields
from gtp_variants.gtp.analysis.query import AnalysisQuery, QueryDefaults, QueryRefused, read_query
from gtp_variants.gtp.identity import OURS, Identity
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.players.thinking.sliced_search import PACKAGES_NETWORK, PositionSearch, with_network_settings
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import ko_point
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.nets.raw_evaluation import RawEvaluation


def write_response(
    query: AnalysisQuery,
    turn: int,
    found: SearchResult,
    owners: OwnershipEstimate | None,
    raw: "RawEvaluation | None" = None,
    *,
    is_during_search: bool,
) -> Json:
    """Return a turn's answer. `owners`, if the query wants them, are the mover's; `raw` is the network's judgement."""
    position = query.positions[turn]
    mover, visits = position.mover, sum(found.visits.values())
    view = _Perspective(query, mover)
    candidates = find_candidates(query.rules, found, mover, [move for move, n in found.visits.items() if n])
    told: Json = {
        "id": query.id,
        "isDuringSearch": is_during_search,
        "turnNumber": turn,
        "moveInfos": [_move(query, view, found, each, owners) for each in candidates],
        "rootInfo": {
            "currentPlayer": COLOUR_LETTERS[mover].upper(),
            "visits": visits,
            "weight": visits,
            "winrate": view.share(winrate_of(found)),
            **view.orient(utility_fields(found.utility)),
            **_scores(view, lead_of(query.rules, found, mover), found.score_stdev),
            **_raw(query, view, mover, raw),
            **hash_position(query.rules, position),
        },
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
    """The side for which numbers are reported. `sign` is 1 for the side to play, and -1 for the other side."""

    def __init__(self, query: AnalysisQuery, mover: int) -> None:
        self.sign = 1 if query.perspective in (None, mover) or len(query.rules.colours) > 2 else -1

    def share(self, share: float) -> float:
        return _round(share if self.sign > 0 else 1 - share)

    def lead(self, lead: float) -> float:
        return round(self.sign * lead, 3) + 0.0

    def orient(self, fields: Json) -> Json:
        return {name: _round(self.sign * value) for name, value in fields.items()}


def _move(
    query: AnalysisQuery, view: _Perspective, found: SearchResult, each: CandidateMove, owners: OwnershipEstimate | None
) -> Json:
    board, longest = query.rules.board, 1 + query.longest_line if query.longest_line else None
    told: Json = {
        "move": write_move(board, each.move),
        **dict.fromkeys(("visits", "edgeVisits", "weight", "edgeWeight"), each.visits),
        # The order of the moves: by visits, but the chosen move comes first.
        "playSelectionValue": max(found.visits.values()) if each.order == 0 else each.visits,
        "winrate": view.share(each.winrate),
        # Always the lower bound of the side to play, as in KataGo. For the other side it is an upper bound.
        "lcb": view.share(each.lcb),
        "prior": _round(each.prior),
        "order": each.order,
        "pv": [write_move(board, move) for move in each.line[:longest]],
        **view.orient(utility_fields(each.utility, each.utility_lcb)),
        **_scores(view, each.lead, each.lead_stdev),
    }
    if query.fields.no_result:
        # No rules here end a game without a result, so the probability is 0.
        told["noResultValue"] = 0.0
    if query.fields.line_visits and each.line_visits:
        told["pvVisits"] = told["pvEdgeVisits"] = list(each.line_visits[:longest])
    if owners is not None:
        shares, spread = owners.after(found, each.move), owners.spread_after(found, each.move)
        if query.fields.owners_by_move and shares is not None:
            told["ownership"] = grid(board, [view.sign * share for share in shares])
        if query.fields.owners_by_move_spread and spread is not None:
            told["ownershipStdev"] = grid(board, spread)
    return told


def _scores(view: _Perspective, lead: float | None, stdev: float | None) -> Json:
    """Return KataGo's score fields, or an empty object in a game without a score."""
    if lead is None:
        return {}
    # Networks and playouts predict the final score of games between equals, which serves as the lead too.
    leads = dict.fromkeys(("scoreLead", "scoreMean", "scoreSelfplay"), view.lead(lead))
    return {**leads, "scoreStdev": round(stdev or 0.0, 3)}


def _raw(query: AnalysisQuery, view: _Perspective, mover: int, raw: "RawEvaluation | None") -> Json:
    """Return the network's judgement of a position without any search, or an empty object without a network."""
    if raw is None:
        return {}
    colours = query.rules.colours
    told: Json = {"rawWinrate": view.share(raw.values[colours.index(mover)])}
    if query.fields.no_result:
        told["rawNoResultProb"] = 0.0
    if raw.score is not None:
        lead = view.lead(raw.score if mover == colours[0] else -raw.score)
        told |= {"rawLead": lead, "rawScoreSelfplay": lead, "rawScoreSelfplayStdev": round(raw.score_stdev or 0.0, 3)}
    return told


def hash_position(rules: Rules, position: Position) -> dict[str, str]:
    """Return KataGo's `thisHash` and `symHash`, equal for all symmetries: our hashes of stones, mover and simple ko."""
    from gtp_variants.ai.nets.encoding.layout import point_symmetries

    stones, last = position.stones, position.last
    ko = ko_point(rules.board, stones, last.action, position.captured) if last and last.action >= 0 else None

    def digest(goes_to: Sequence[int]) -> str:
        moved = bytearray(len(stones))
        for point, there in enumerate(goes_to):
            moved[there] = stones[point]
        text = f"{rules.board.width} {position.mover} {'' if ko is None else goes_to[ko]} ".encode() + moved
        return sha256(text).hexdigest()[:32].upper()

    digests = [digest(goes_to) for goes_to in point_symmetries(rules)]
    return {"thisHash": digests[0], "symHash": min(digests)}


def grid(board: Board, numbers: Sequence[float], elsewhere: float = 0.0) -> list[float]:
    """Return one number per cell, starting at the top left, or `elsewhere` if the cell is not a point of the board."""
    return [elsewhere if point is None else _round(numbers[point]) for row in board.rows() for point in row]


def _round(number: float) -> float:
    return round(number, 6) + 0.0


# Number of search slices per slice of ownership playouts.
_SLICES_A_LOOK = 4


@dataclass(slots=True, eq=False)
class AnalysisJob:
    """One turn of a query, waiting or being searched."""

    query: AnalysisQuery
    turn: int
    number: int
    is_terminated: bool = False

    @property
    def urgency(self) -> tuple[bool, int, int]:
        """The sort key. The job with the lowest key comes first."""
        return not self.is_terminated, -self.query.priorities.get(self.turn, 0), self.number


class AnalysisEngine:
    """Reads queries in one thread and answers them in another. Both threads call `tell` with each answer.

    `network` is written as in a bot's `net`. A query about a game that the network cannot play is refused. Each search
    uses `cores` cores, and `at_once` positions are searched in turns. Hosts are told the version of `identity`.
    """

    def __init__(
        self,
        tell: Callable[[Json], None],
        defaults: QueryDefaults,
        network: str = PACKAGES_NETWORK,
        cores: int = 1,
        at_once: int = 4,
        identity: Identity = OURS,
    ) -> None:
        self._tell = tell
        self._defaults = defaults
        self._network = network
        self._settings = {"threads": cores}
        self._at_once = at_once
        self._identity = identity
        self._jobs: list[AnalysisJob] = []
        self._changed = threading.Condition()
        self._is_closed = False
        self._count = 0

    def take(self, line: str) -> None:
        """Read one line of input. Answer an invalid line at once."""
        if not line.strip():
            return
        try:
            given = parse_json(line)
        except ValueError as error:
            self._tell({"error": f"Could not parse input line as json request: {error}"})
            return
        if not isinstance(given, dict) or not isinstance(given.get("id"), str):
            self._tell({"error": "Request must be an object with a string 'id'"})
            return
        try:
            if "action" in given:
                self._act(given)
            else:
                self._ask(read_query(given, self._defaults))
        except QueryRefused as error:
            self._tell({"error": str(error), "field": error.field, "id": given["id"]})
        except VariantsError as error:
            self._tell({"error": str(error), "id": given["id"]})
        except Exception as error:
            self._fail(given["id"], error)

    def _fail(self, query_id: str, error: Exception) -> None:
        """Log an internal error and report it in the answer. The engine continues, except after a BrokenPipeError."""
        if isinstance(error, BrokenPipeError):
            raise error
        log("".join(traceback.format_exception(error)).rstrip())
        self._tell({"error": f"internal error: {error}", "id": query_id})

    def _ask(self, query: AnalysisQuery) -> None:
        warnings, asks_calibration = [*query.warnings], "calibration" in query.network_settings
        if asks_calibration or self._network != PACKAGES_NETWORK:
            from gtp_variants.ai.nets.weight_choice import choose_network

            if choose_network(query.rules, self._network) is None and asks_calibration:
                warnings.append(("overrideSettings.calibration", "Has no effect without a network"))
        for name, warning in warnings:
            self._tell({"field": name, "id": query.id, "warning": warning})
        with self._changed:
            for turn in query.turns:
                self._jobs.append(AnalysisJob(query, turn, self._count))
                self._count += 1
            self._changed.notify_all()

    def _act(self, given: Json) -> None:
        action = given["action"]
        if action == "query_version":
            self._tell({**given, "version": self._identity.version, "git_hash": f"gtp-variants {OURS.version}"})
        elif action == "query_models":
            from gtp_variants.ai.nets.weight_choice import list_judging_weights

            files = list_judging_weights() if self._network == PACKAGES_NETWORK else [Path(self._network)]
            self._tell({**given, "models": describe_networks(file for file in files if file.name != "none")})
        elif action == "clear_cache":
            # There is no cache to clear, so only answer.
            self._tell(given)
        elif action in ("terminate", "terminate_all"):
            if action == "terminate" and not isinstance(given.get("terminateId"), str):
                raise QueryRefused("terminateId", "Must be a string")
            turns = given.get("turnNumbers", [])
            if not isinstance(turns, list) or any(type(turn) is not int for turn in turns):
                raise QueryRefused("turnNumbers", "Must be a list of turns")
            with self._changed:
                for job in self._jobs:
                    is_named = action == "terminate_all" or job.query.id == given["terminateId"]
                    if is_named and ("turnNumbers" not in given or job.turn in turns):
                        job.is_terminated = True
                self._changed.notify_all()
            self._tell(given)
        else:
            raise QueryRefused("action", "Must be query_version, query_models, clear_cache, terminate or terminate_all")

    def close(self, *, finishes: bool) -> None:
        """Accept no more queries. End all queries at once unless `finishes`; a query with a time limit always ends."""
        with self._changed:
            self._is_closed = True
            if not finishes:
                for job in self._jobs:
                    job.is_terminated = True
            self._changed.notify_all()

    def work(self) -> None:
        """Answer queries until the engine is closed and no query is left. The most urgent positions take turns."""
        running: dict[AnalysisJob, Iterator[bool]] = {}
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs or self._is_closed)
                if not self._jobs:
                    return
                urgent = sorted(self._jobs, key=lambda each: each.urgency)[: self._at_once]
            for job in urgent:
                try:
                    is_answered = next(running.setdefault(job, self._answer(job)), True)
                except Exception as error:
                    self._fail(job.query.id, error)
                    is_answered = True
                if is_answered:
                    del running[job]
                    with self._changed:
                        self._jobs.remove(job)

    def _answer(self, job: AnalysisJob) -> Iterator[bool]:
        """Search a position and answer. Yield False after every slice of the search."""
        query, turn = job.query, job.turn
        position = query.positions[turn]
        if query.rules.is_final(position):
            self._tell(write_response(query, turn, _final_result(query, turn), None, is_during_search=False))
            return
        owners = OwnershipEstimate(query.rules, position.mover) if query.fields.need_owners else None
        settings = with_network_settings(query.rules, self._network, self._settings, query.network_settings)
        search = PositionSearch(query.rules, position, query.avoided, network=self._network, settings=settings)
        raw = search.judge()
        begun = time.monotonic()
        due = begun + (query.first_report_s or query.report_s)
        visits = 0
        for number in count():
            if number == 0 and job.is_terminated:
                self._tell({"id": query.id, "isDuringSearch": False, "noResults": True, "turnNumber": turn})
                return
            found = search.run_slice(max(1, query.most_visits - visits) if query.most_visits else 0)
            visits = sum(found.visits.values())
            if owners is not None and number % _SLICES_A_LOOK == 0:
                owners.sample(position, found)
            now = time.monotonic()
            is_out_of_time = query.most_seconds > 0 and (self._is_closed or query.most_seconds <= now - begun)
            is_searched = found.proved is not None or 0 < query.most_visits <= visits
            if job.is_terminated or is_out_of_time or is_searched:
                self._tell(write_response(query, turn, found, owners, raw, is_during_search=False))
                return
            if query.report_s and now >= due:
                due = now + query.report_s
                self._tell(write_response(query, turn, found, owners, raw, is_during_search=True))
            yield False


def _final_result(query: AnalysisQuery, turn: int) -> SearchResult:
    """Return the outcome of a finished game as a search result without moves; NO_RESULT without a winner."""
    position, rules = query.positions[turn], query.rules
    outcome = rules.outcome(position)
    if outcome is None or outcome.winner is None:
        return NO_RESULT
    margin = outcome.margin if outcome.winner == rules.colours[0] else -outcome.margin
    score = margin if outcome.how == "score" else None
    return replace(NO_RESULT, proved=outcome.winner == position.mover, score=score)
