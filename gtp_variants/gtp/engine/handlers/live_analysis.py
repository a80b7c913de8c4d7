"""The analysis commands: report a running search until the next line from the host.

`analyze`, `genmove_analyze` and the `lz-` commands answer in Leela Zero's form, with win rates in ten-thousandths; the
`kata-` commands answer in KataGo's, with win rates from 0 to 1. Sabaki and other hosts draw both on the board.

The lines of an analysis: what a search found, in the words of Leela Zero and KataGo.

What a host asks of an analysis: `[COLOUR] [CENTISECONDS] [KEY VALUE]...`, as KataGo reads it.
"""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle
from typing import TYPE_CHECKING

from gtp_variants.ai.mcts.search import find_priors
from gtp_variants.base.json_values import Json
from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.analysis.fields import AnalysisFields, leave_out
from gtp_variants.gtp.engine.commands import command, need, read_seconds, read_whole
from gtp_variants.gtp.engine.handlers.moves import reg_genmove
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import network_of, positions_of, search_of, settings_of
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.players.thinking.sliced_search import SlicedSearch
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.settings import AvoidedMove

_INTERVAL_CS = 100
_MOST_MOVES = 80


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """For whom to search, how often to tell, what, and which moves to leave out."""

    colour: int
    fields: AnalysisFields
    interval_s: float = _INTERVAL_CS / 100
    fewest: int = 1
    most: int = _MOST_MOVES
    avoided: "Sequence[AvoidedMove]" = ()


_NUMBERS = {"minmoves": "fewest", "maxmoves": "most"}
_FLAGS = {
    "ownership": "owners",
    "ownershipstdev": "owners_spread",
    "movesownership": "owners_by_move",
    "movesownershipstdev": "owners_by_move_spread",
    "pvvisits": "line_visits",
    "pvedgevisits": "line_edge_visits",
    "rootinfo": "root",
}
_KEYS = ("interval", "avoid", "allow", *_NUMBERS, *_FLAGS)
_BOOLS = {"true": True, "false": False, "1": True, "0": False}


def read_request(session: Session, arguments: Sequence[str]) -> AnalysisRequest:
    """`[COLOUR] [CENTISECONDS] [KEY VALUE]...`; a key that is not known goes by with its value.

    Raises NotationError, or CommandFailed.
    """
    left = list(arguments)
    colour = session.play.mover
    if left and _is_colour(left):
        colour = session.colour(left.pop(0))
    chosen: Json = {}
    fields: dict[str, bool] = {}
    if left and left[0][:1].isdigit():
        chosen["interval_s"] = _interval(left.pop(0))
    avoided: list[AvoidedMove] = []
    named: list[str] = []
    while left:
        word = left.pop(0)
        key = word.lower()
        named.append(key)
        if key in ("avoid", "allow"):
            if "allow" in named[:-1] or (key == "allow" and "avoid" in named):
                raise NotationError("allow: expected once, and no avoid beside it")
            avoided += _read_moves_to_avoid(session, key, left)
            continue
        if not left:
            raise NotationError(f"{word[:20]}: expected pairs of KEY VALUE")
        value = left.pop(0)
        if key == "interval":
            chosen["interval_s"] = _interval(value)
        elif key in _NUMBERS:
            chosen[_NUMBERS[key]] = read_whole(value, "a number of moves")
            if chosen[_NUMBERS[key]] < 0:
                raise NotationError(f"{value[:20]}: expected 0 or more")
        elif key in _FLAGS:
            if value.lower() not in _BOOLS:
                raise NotationError(f"{word[:20]} {value[:20]}: expected true or false")
            fields[_FLAGS[key]] = _BOOLS[value.lower()]
    return AnalysisRequest(colour, AnalysisFields(**fields), avoided=tuple(avoided), **chosen)


def _is_colour(words: Sequence[str]) -> bool:
    """Whether the first word is to be read as a colour: it is one, or nothing else that could stand there."""
    word = words[0].lower()
    if word in _KEYS or word[:1].isdigit():
        return False
    return word in COLOUR_WORDS or len(word) == 1 or len(words) == 1


def _interval(word: str) -> float:
    return read_seconds(word, "hundredths of a second") / 100


def _read_moves_to_avoid(session: Session, key: str, left: list[str]) -> "list[AvoidedMove]":
    """`COLOUR VERTEX,VERTEX,... DEPTH` after `avoid` or `allow`, taken off the list."""
    need(left, 3, f"{key} COLOUR VERTEX,VERTEX,... DEPTH")
    colour = session.colour(left.pop(0))
    moves = {session.action(word) for word in left.pop(0).split(",")}
    depth = read_whole(left[0], "a depth")
    if depth < 1:
        raise NotationError(f"{left[0][:20]}: expected a depth of 1 or more")
    del left[0]
    return leave_out(session.rules, colour, moves, depth, are_allowed=key == "allow")


def find_moves(session: Session, request: AnalysisRequest) -> Sequence[int]:
    """What a colour might play or try, as far as it may know itself, without what the host wants left out.

    Raises CommandFailed if that is nothing.
    """
    from gtp_variants.ai.mcts.settings import find_moves_to_avoid

    unwanted = find_moves_to_avoid(request.avoided, request.colour)
    allowed = [move for move in session.play.actions(request.colour) if move not in unwanted]
    if not allowed and unwanted:
        raise CommandFailed("no move is left")
    return allowed


if TYPE_CHECKING:
    from gtp_variants.ai.mcts.candidates import CandidateMove
    from gtp_variants.ai.mcts.result import SearchResult

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
        from gtp_variants.ai.mcts.candidates import find_candidates

        session, request = self._session, self._request
        moves = find_candidates(session.rules, found, request.colour, self._find_moves)[: request.most]
        # What the dice open the host cannot know by itself; elsewhere only what was looked at is worth a word.
        if not session.rules.is_open or not session.position.draws:
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
        from gtp_variants.ai.mcts.candidates import lead_of, winrate_of

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


if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import OnProgress, SearchResult


# Engines of other people cannot be told to stop; they need not be.
_LEAVE_S = 2.0
# A bot that thinks is kept from it by the question who owns what for a slice in so many seconds.
_LOOK_EVERY_S = 0.1

# Priors are asked for before the bot thinks.
_MOST_POSITIONS = 24

# KataGo's word in place of a move.
_CANCELLED = "cancelled"

# What a bot tells, why it failed, and the end.
_Lines = queue.SimpleQueue[str | Exception | None]


# -- handlers ----------------------------------------------------------------------------------------------------------


def analyze_by(dialect: ShareFormat) -> Callable[[Session, list[str]], Iterator[str]]:
    """The command that searches until the host says anything."""

    def analyze(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        search = search_of(session, request.colour, request.avoided)
        return _report_while_alone(session, search, request, AnalysisWriter(session, request, dialect))

    return analyze


def _report_while_alone(
    session: Session, search: SlicedSearch, request: AnalysisRequest, writer: AnalysisWriter
) -> Iterator[str]:
    is_told = False
    while True:
        until = time.monotonic() + request.interval_s
        while True:
            found = search.run_slice()
            has_pending_command = session.has_pending_command()
            if has_pending_command and is_told:
                return
            writer.look(search.position, found)
            if has_pending_command or time.monotonic() >= until:
                break
        yield writer.line(found)
        if has_pending_command:
            return
        is_told = True


def genmove_by(
    dialect: ShareFormat, *, is_played: bool = True, is_cancellable: bool = False
) -> Callable[[Session, list[str]], Iterator[str]]:
    """The command that lets the bot think as for `genmove`, and tells what it sees; perhaps nothing is played.

    One that is cancellable ends when the host says anything, and then tells no move.
    """

    def genmove(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        action = session.play.decide(request.colour)
        if action is not None:
            return iter([f"play {session.word(action)}"])
        return _move_aloud(session, request, AnalysisWriter(session, request, dialect), is_played, is_cancellable)

    return genmove


@command("kata-search_cancellable")
def search_cancellable(session: Session, arguments: list[str]) -> str:
    request = AnalysisRequest(session.colour(arguments[0]), AnalysisFields())
    decided = session.play.decide(request.colour)
    if decided is not None:
        return session.word(decided)
    return _generate(session, request, is_played=False, is_cancellable=True)


def _move_aloud(
    session: Session, request: AnalysisRequest, writer: AnalysisWriter, is_played: bool, is_cancellable: bool
) -> Iterator[str]:
    """The lines of a bot that thinks in a thread, as they come."""
    lines: _Lines = queue.SimpleQueue()
    is_left = threading.Event()
    told = looked = time.monotonic()
    positions = cycle(positions_of(session, request.colour) if request.fields.need_owners else ())
    priors = _find_priors(session, request)

    def tell(found: "SearchResult") -> None:
        # An empty line would end the answer.
        if any(found.visits.values()) and not session.play.find_decoys(request.colour):
            lines.put(writer.line(_with_priors(found, priors)))

    def report(so_far: Callable[[], "SearchResult"]) -> bool:
        nonlocal told, looked
        if request.fields.need_owners and time.monotonic() - looked >= _LOOK_EVERY_S:
            writer.look(next(positions), so_far())
            looked = time.monotonic()
        if time.monotonic() - told >= request.interval_s:
            tell(so_far())
            told = time.monotonic()
        return not is_left.is_set()

    def move() -> None:
        try:
            word = _generate(session, request, report, is_played=is_played, is_cancellable=is_cancellable)
            if session.bot.found is not None:
                if request.fields.need_owners:
                    writer.look(next(positions), session.bot.found)
                tell(session.bot.found)
            lines.put(f"play {word}")
        except Exception as error:
            lines.put(error)
        lines.put(None)

    thread = threading.Thread(target=move, daemon=True)
    thread.start()
    try:
        first = lines.get()
    except BaseException:
        _leave(thread, is_left)
        raise
    if isinstance(first, Exception):
        # Nothing was said yet, so the answer can still be that it failed.
        raise first
    return _pass_on(first, lines, thread, is_left)


def _pass_on(
    line: str | Exception | None, lines: "_Lines", thread: threading.Thread, is_left: threading.Event
) -> Iterator[str]:
    try:
        while line is not None:
            if isinstance(line, Exception):
                raise line
            yield line
            line = lines.get()
    finally:
        _leave(thread, is_left)


def _leave(thread: threading.Thread, is_left: threading.Event) -> None:
    """End the thinking of a bot that nobody waits for: a program must not end while its kernel searches."""
    is_left.set()
    thread.join(_LEAVE_S)


def _generate(
    session: Session,
    request: AnalysisRequest,
    on_progress: "OnProgress | None" = None,
    *,
    is_played: bool = True,
    is_cancellable: bool = False,
) -> str:
    """Let the bot move, or say what it would play; the word of the move, or that the host has cancelled it."""
    names = session.play.find_decoys(request.colour)
    is_cancelled = False

    def go_on(so_far: "Callable[[], SearchResult]") -> bool:
        nonlocal is_cancelled
        is_cancelled = is_cancelled or (is_cancellable and session.has_pending_command())
        return not is_cancelled and (on_progress is None or on_progress(so_far))

    session.bot.on_progress, session.bot.avoided = go_on, request.avoided
    try:
        think = session.bot.generate if is_played else session.bot.consider
        action = think(request.colour)
    finally:
        session.bot.on_progress, session.bot.avoided = None, ()
    return _CANCELLED if is_cancelled else session.word(names.get(action, action))


def _find_priors(session: Session, request: AnalysisRequest) -> Mapping[int, float]:
    """What each move is worth before a search that leaves moves out; of one that need not be asked apart, nothing.

    Where stones are hidden it is the mean over some of the positions that agree with what the seat knows.
    """
    if not request.avoided:
        return {}
    try:
        positions = positions_of(session, request.colour)[:_MOST_POSITIONS]
    except CommandFailed:
        # A bot moves all the same.
        return {}
    network, settings = network_of(session), settings_of(session)
    sums: Counter[int] = Counter()
    for position in positions:
        sums.update(find_priors(session.rules, position, network, settings))
    return {move: total / len(positions) for move, total in sums.items()}


def _with_priors(found: "SearchResult", priors: Mapping[int, float]) -> "SearchResult":
    return replace(found, priors=dict(priors)) if priors else found


@command("cgos-genmove_analyze")
def cgos_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """As the server CGOS wants it: one line of JSON, then the move."""
    request = read_request(session, arguments)
    action = session.play.decide(request.colour)
    if action is not None:
        return f"\nplay {session.word(action)}"
    allowed, is_veiled = find_moves(session, request), bool(session.play.find_decoys(request.colour))
    priors = _find_priors(session, request)
    word = _generate(session, request)
    found = None if session.bot.found is None or is_veiled else _with_priors(session.bot.found, priors)
    told = "" if found is None else _cgos(session, found, request, allowed)
    return f"\n{told}\nplay {word}"


def _cgos(session: Session, found: "SearchResult", request: AnalysisRequest, allowed: Sequence[int]) -> str:
    import json

    from gtp_variants.ai.mcts.candidates import find_candidates, winrate_of

    moves = find_candidates(session.rules, found, request.colour, allowed)[: request.most]
    told = {
        "winrate": round(winrate_of(found), 4),
        "visits": sum(found.visits.values()),
        "moves": [
            {
                "move": session.word(each.move),
                "winrate": round(each.winrate, 4),
                "prior": round(each.prior, 4),
                **({} if each.lead is None else {"score": round(each.lead, 2)}),
                "visits": each.visits,
                "pv": " ".join(map(session.word, each.line)),
            }
            for each in moves
        ],
    }
    return json.dumps(told)


# Sabaki prefers `analyze` and `genmove_analyze`, and reads ten-thousandths from all but `kata-` commands.
command("analyze", "lz-analyze")(analyze_by(lz_share))
command("genmove_analyze", "lz-genmove_analyze")(genmove_by(lz_share))
command("kata-analyze")(analyze_by(kata_share))
command("kata-genmove_analyze")(genmove_by(kata_share))
command("kata-search")(reg_genmove)
command("kata-search_analyze")(genmove_by(kata_share, is_played=False))
command("kata-search_analyze_cancellable")(genmove_by(kata_share, is_played=False, is_cancellable=True))
