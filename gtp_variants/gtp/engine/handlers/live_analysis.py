"""The analysis commands, which report on a running search until the host sends another line.

`analyze`, `genmove_analyze` and the `lz-` commands answer in Leela Zero's form, with win rates in ten-thousandths. The
`kata-` commands answer in KataGo's form, with win rates from 0 to 1. Sabaki and other hosts can draw both forms.
"""

import json
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle

from gtp_variants.ai.mcts.candidates import CandidateMove, find_candidates, lead_of, winrate_of
from gtp_variants.ai.mcts.result import OnProgress, SearchResult
from gtp_variants.ai.mcts.search import find_priors
from gtp_variants.ai.mcts.settings import AvoidedMove, find_moves_to_avoid
from gtp_variants.base.json_values import Json
from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.analysis.fields import FLAGS, AnalysisFields, leave_out, utility_fields
from gtp_variants.gtp.engine.commands import command, need, read_seconds, read_whole, register_all
from gtp_variants.gtp.engine.handlers.moves import reg_genmove
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import network_of, positions_of, search_of, settings_of
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.players.thinking.sliced_search import SlicedSearch
from gtp_variants.rules.actions import RESIGN
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

_INTERVAL_CS = 100
_MOST_MOVES = 80
# Seconds to wait for a bot to stop. An external engine searches in its own process, so it need not stop.
_LEAVE_S = 2.0
# Seconds between two samples of ownership. Each sample interrupts the bot's search.
_SAMPLE_EVERY_S = 0.1
# Maximum number of positions of a hidden game whose priors are averaged before the bot starts to think.
_MOST_POSITIONS = 24
# KataGo's answer in place of a move when a search is cancelled.
_CANCELLED = "cancelled"

# The lines of a thinking bot, its error if it fails, and None at the end.
_Lines = queue.SimpleQueue[str | Exception | None]
# A function that writes a share from 0 to 1 in the format of a dialect.
ShareFormat = Callable[[float], str]


# -- requests ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A request for analysis. A report has from `fewest` to `most` moves, without the `avoided` moves.

    `may_resign` is False if resignation was to be avoided. If the bot is to move, its move is also played if
    `is_played`; if `is_cancellable`, a line from the host ends the search without a move.
    """

    colour: int
    fields: AnalysisFields
    interval_s: float = _INTERVAL_CS / 100
    fewest: int = 1
    most: int = _MOST_MOVES
    avoided: Sequence[AvoidedMove] = ()
    may_resign: bool = True
    is_played: bool = True
    is_cancellable: bool = False


_NUMBERS = {"minmoves": "fewest", "maxmoves": "most"}
_KEYS = ("interval", "avoid", "allow", *_NUMBERS, *FLAGS["gtp"])
_BOOLS = {"true": True, "false": False, "1": True, "0": False}


def read_request(session: Session, arguments: Sequence[str], **how: bool) -> AnalysisRequest:
    """Read `[COLOUR] [CENTISECONDS] [KEY VALUE]...` as KataGo does. An unknown key and its value are ignored.

    `how` are other fields of the request. Raises NotationError for invalid arguments, IllegalMove for an excluded move
    that does not exist.
    """
    left = list(arguments)
    colour = session.colour(left.pop(0)) if left and _is_colour(left) else session.play.mover
    chosen: Json = {**how}
    fields: dict[str, bool] = {}
    if left and left[0][:1].isdigit():
        # A number without a key is the interval.
        left.insert(0, "interval")
    avoided: list[AvoidedMove] = []
    named: list[str] = []
    while left:
        word = left.pop(0)
        key = word.lower()
        named.append(key)
        if key in ("avoid", "allow"):
            if "allow" in named[:-1] or (key == "allow" and "avoid" in named):
                raise NotationError("allow: cannot be repeated or combined with avoid")
            player, moves, depth = _read_moves(session, key, left)
            avoided += leave_out(session.rules, player, moves, depth, are_allowed=key == "allow")
            if key == "avoid" and RESIGN in moves and player == colour:
                chosen["may_resign"] = False
            continue
        if not left:
            raise NotationError(f"{word[:20]}: expected pairs of KEY VALUE")
        value = left.pop(0)
        if key == "interval":
            chosen["interval_s"] = read_seconds(value, "hundredths of a second") / 100
        elif key in _NUMBERS:
            chosen[_NUMBERS[key]] = read_whole(value, "a number of moves, 0 or more", 0)
        elif key in FLAGS["gtp"]:
            if value.lower() not in _BOOLS:
                raise NotationError(f"{word[:20]} {value[:20]}: expected true or false")
            fields[FLAGS["gtp"][key]] = _BOOLS[value.lower()]
    return AnalysisRequest(colour, AnalysisFields(**fields), avoided=tuple(avoided), **chosen)


def _is_colour(words: Sequence[str]) -> bool:
    """Return True if the first word is a colour, or cannot be anything else."""
    word = words[0].lower()
    if word in _KEYS or word[:1].isdigit():
        return False
    return word in COLOUR_WORDS or len(word) == 1 or len(words) == 1


def _read_moves(session: Session, key: str, left: list[str]) -> tuple[int, set[int], int]:
    """Take `COLOUR VERTEX,VERTEX,... DEPTH` after `avoid` or `allow` from `left`, and return the three values."""
    need(left, 3, f"{key} COLOUR VERTEX,VERTEX,... DEPTH")
    colour = session.colour(left.pop(0))
    moves = {session.action(word) for word in left.pop(0).split(",")}
    return colour, moves, read_whole(left.pop(0), "a depth of 1 or more", 1)


def find_moves(session: Session, request: AnalysisRequest) -> Sequence[int]:
    """Return the moves that a colour may try and the host does not exclude. Raises CommandFailed if no move is left."""
    unwanted = find_moves_to_avoid(request.avoided, request.colour)
    allowed = [move for move in session.play.actions(request.colour) if move not in unwanted]
    if not allowed and unwanted:
        raise CommandFailed("cannot search: no legal move is left")
    return allowed


# -- reports -----------------------------------------------------------------------------------------------------------


def lz_share(share: float) -> str:
    return f"{share * 10_000:.0f}"


def kata_share(share: float) -> str:
    return f"{share:.6f}"


def ownership_text(rules: Rules, key: str, owners: Sequence[float]) -> str:
    """Return the key, then the ownership of each cell from the top left, positive for the player."""
    cells = chain.from_iterable(rules.board.rows())
    return f"{key} " + " ".join("0" if point is None else f"{owners[point]:.3f}" for point in cells)


class AnalysisWriter:
    """A writer of search results, which produces the lines of one answer."""

    def __init__(self, session: Session, request: AnalysisRequest, dialect: ShareFormat) -> None:
        self._session, self._request, self._dialect = session, request, dialect
        self._moves = find_moves(session, request)
        self._owners = OwnershipEstimate(session.rules, request.colour) if request.fields.need_owners else None
        # Priors as first reported, because in a hidden game the search adds positions, which changes the mean priors.
        self._priors: dict[int, float] = {}

    def sample(self, position: Position, found: SearchResult) -> None:
        """Sample the ownership of points, if the request needs it."""
        if self._owners is not None:
            self._owners.sample(position, found)

    def line(self, found: SearchResult) -> str:
        """Return one line with the moves, the best first, and the other fields that the host requested."""
        session, request = self._session, self._request
        moves = find_candidates(session.rules, found, request.colour, self._moves)[: request.most]
        # The host cannot know which moves the dice open, so unvisited moves are reported too.
        if not session.rules.is_open or not session.position.draws:
            moves = moves[: max(sum(each.visits > 0 for each in moves), request.fewest)]
        parts = [self._move(found, each) for each in moves]
        if request.fields.root:
            lead = lead_of(session.rules, found, request.colour)
            visits = sum(found.visits.values())
            parts.append(f"rootInfo visits {visits} winrate {self._dialect(winrate_of(found))}")
            parts += self._extras(visits, utility_fields(found.utility))
            parts += _scores(lead, found.score_stdev)
        if request.fields.owners and self._owners is not None:
            parts.append(ownership_text(session.rules, "ownership", self._owners.shares(found)))
        if request.fields.owners_spread and self._owners is not None:
            parts.append(ownership_text(session.rules, "ownershipStdev", self._owners.spread(found)))
        return " ".join(parts)

    def _move(self, found: SearchResult, each: CandidateMove) -> str:
        """Return the fields of a move in KataGo's order."""
        word, share, fields = self._session.word, self._dialect, self._request.fields
        prior = self._priors.setdefault(each.move, each.prior)
        parts = [
            f"info move {word(each.move)} visits {each.visits} winrate {share(each.winrate)}",
            *self._extras(each.visits, utility_fields(each.utility, each.utility_lcb)),
            *_scores(each.lead, each.lead_stdev),
            *(["noResultValue 0"] if fields.no_result else []),
            f"prior {share(prior)} lcb {share(each.lcb)} order {each.order} pv {' '.join(map(word, each.line))}",
        ]
        # Here only one move leads to a position in the tree, so position and move have equal visits.
        keys = (("pvVisits", fields.line_visits), ("pvEdgeVisits", fields.line_edge_visits))
        parts += [f"{key} {' '.join(map(str, each.line_visits))}" for key, is_on in keys if is_on and each.line_visits]
        if self._owners is not None:
            rules = self._session.rules
            owners, spread = self._owners.after(found, each.move), self._owners.spread_after(found, each.move)
            if fields.owners_by_move and owners is not None:
                parts.append(ownership_text(rules, "movesOwnership", owners))
            if fields.owners_by_move_spread and spread is not None:
                parts.append(ownership_text(rules, "movesOwnershipStdev", spread))
        return " ".join(parts)

    def _extras(self, visits: int, utilities: Mapping[str, float]) -> list[str]:
        """Return the fields that only KataGo's form has, or [] in Leela Zero's form."""
        if self._dialect is lz_share:
            return []
        return [f"weight {visits}", *(f"{name} {value:.6f}" for name, value in utilities.items())]


def _scores(lead: float | None, stdev: float | None) -> list[str]:
    """Return the lead under KataGo's old and new names, or [] if the lead is unknown."""
    if lead is None:
        return []
    return [f"scoreMean {lead:.3f} scoreStdev {stdev or 0:.3f} scoreLead {lead:.3f} scoreSelfplay {lead:.3f}"]


# -- handlers ----------------------------------------------------------------------------------------------------------


def analyze_by(dialect: ShareFormat) -> Callable[[Session, list[str]], Iterator[str]]:
    """Return a handler that searches, and reports in a dialect until the host sends a line."""

    def analyze(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        search = search_of(session, request.colour, request.avoided)
        return _report_until_line(session, search, request, AnalysisWriter(session, request, dialect))

    return analyze


def _report_until_line(
    session: Session, search: SlicedSearch, request: AnalysisRequest, writer: AnalysisWriter
) -> Iterator[str]:
    has_reported = False
    while True:
        until = time.monotonic() + request.interval_s
        while True:
            found = search.run_slice()
            has_pending_command = session.has_pending_command()
            if has_pending_command and has_reported:
                return
            writer.sample(search.position, found)
            if has_pending_command or time.monotonic() >= until:
                break
        yield writer.line(found)
        if has_pending_command:
            return
        has_reported = True


def genmove_by(dialect: ShareFormat, **how: bool) -> Callable[[Session, list[str]], Iterator[str]]:
    """Return a handler that reports while the bot thinks, and then gives its move; `how` are fields of the request."""

    def genmove(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments, **how)
        action = session.play.decide(request.colour)
        if action is not None:
            return iter([f"play {session.word(action)}"])
        return _think_aloud(session, request, AnalysisWriter(session, request, dialect))

    return genmove


@command("kata-search_cancellable")
def search_cancellable(session: Session, arguments: list[str]) -> str:
    colour = session.colour(arguments[0])
    request = AnalysisRequest(colour, AnalysisFields(), is_played=False, is_cancellable=True)
    decided = session.play.decide(colour)
    return _generate(session, request) if decided is None else session.word(decided)


def _think_aloud(session: Session, request: AnalysisRequest, writer: AnalysisWriter) -> Iterator[str]:
    """Let the bot think in a thread, and return an iterator over its answer's lines. Raises the bot's early errors."""
    lines: _Lines = queue.SimpleQueue()
    is_left = threading.Event()
    reported = sampled = time.monotonic()
    positions = cycle(positions_of(session, request.colour) if request.fields.need_owners else ())
    priors = _find_priors(session, request)

    def report(found: SearchResult) -> None:
        # A report without moves would be an empty line, which would end the answer.
        if any(found.visits.values()) and not session.play.find_decoys(request.colour):
            lines.put(writer.line(_with_priors(found, priors)))

    def on_progress(so_far: Callable[[], SearchResult]) -> bool:
        nonlocal reported, sampled
        if request.fields.need_owners and time.monotonic() - sampled >= _SAMPLE_EVERY_S:
            writer.sample(next(positions), so_far())
            sampled = time.monotonic()
        if time.monotonic() - reported >= request.interval_s:
            report(so_far())
            reported = time.monotonic()
        return not is_left.is_set()

    def move() -> None:
        try:
            word = _generate(session, request, on_progress)
            if session.bot.found is not None:
                if request.fields.need_owners:
                    writer.sample(next(positions), session.bot.found)
                report(session.bot.found)
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
        # Nothing has been sent yet, so the answer can still be a failure.
        raise first
    return _pass_on(first, lines, thread, is_left)


def _pass_on(
    line: str | Exception | None, lines: _Lines, thread: threading.Thread, is_left: threading.Event
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
    """Stop a bot whose answer is not needed, and wait, because the program must not end while the kernel searches."""
    is_left.set()
    thread.join(_LEAVE_S)


def _generate(session: Session, request: AnalysisRequest, on_progress: OnProgress | None = None) -> str:
    """Return the bot's move, or `cancelled` if the host cancelled the search."""
    names = session.play.find_decoys(request.colour)
    is_cancelled = False

    def shall_continue(so_far: Callable[[], SearchResult]) -> bool:
        nonlocal is_cancelled
        is_cancelled = is_cancelled or (request.is_cancellable and session.has_pending_command())
        return not is_cancelled and (on_progress is None or on_progress(so_far))

    session.bot.on_progress, session.bot.avoided = shall_continue, request.avoided
    session.bot.may_resign = request.may_resign
    try:
        think = session.bot.generate if request.is_played else session.play.consider
        action = think(request.colour)
    finally:
        session.bot.on_progress, session.bot.avoided, session.bot.may_resign = None, (), True
    return _CANCELLED if is_cancelled else session.word(names.get(action, action))


def _find_priors(session: Session, request: AnalysisRequest) -> Mapping[int, float]:
    """Return the priors of all moves for a search that excludes moves; {} if none is excluded or no position fits.

    In a hidden game the priors are means over some of the positions that agree with the seat's knowledge.
    """
    if not request.avoided:
        return {}
    try:
        positions = positions_of(session, request.colour)[:_MOST_POSITIONS]
    except CommandFailed:
        # The bot can move without priors, so they are only left out of the report.
        return {}
    network, settings = network_of(session), settings_of(session)
    sums: Counter[int] = Counter()
    for position in positions:
        sums.update(find_priors(session.rules, position, network, settings))
    return {move: total / len(positions) for move, total in sums.items()}


def _with_priors(found: SearchResult, priors: Mapping[int, float]) -> SearchResult:
    return replace(found, priors=dict(priors)) if priors else found


@command("cgos-genmove_analyze")
def cgos_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """Answer in the form that the server CGOS needs: one line of JSON, then the move."""
    request = read_request(session, arguments)
    action = session.play.decide(request.colour)
    if action is not None:
        return f"\nplay {session.word(action)}"
    allowed, has_decoys = find_moves(session, request), bool(session.play.find_decoys(request.colour))
    priors = _find_priors(session, request)
    word = _generate(session, request)
    found = None if session.bot.found is None or has_decoys else _with_priors(session.bot.found, priors)
    report = "" if found is None else _cgos(session, found, request, allowed)
    return f"\n{report}\nplay {word}"


def _cgos(session: Session, found: SearchResult, request: AnalysisRequest, allowed: Sequence[int]) -> str:
    moves = [
        {
            "move": session.word(each.move),
            "winrate": round(each.winrate, 4),
            "prior": round(each.prior, 4),
            **({} if each.lead is None else {"score": round(each.lead, 2)}),
            "visits": each.visits,
            "pv": " ".join(map(session.word, each.line)),
        }
        for each in find_candidates(session.rules, found, request.colour, allowed)[: request.most]
    ]
    visits = sum(found.visits.values())
    return json.dumps({"winrate": round(winrate_of(found), 4), "visits": visits, "moves": moves})


# Sabaki prefers `analyze` and `genmove_analyze`, and expects ten-thousandths from all but `kata-` commands.
command("analyze", "lz-analyze")(analyze_by(lz_share))
command("genmove_analyze", "lz-genmove_analyze")(genmove_by(lz_share))
register_all(
    {
        "kata-analyze": analyze_by(kata_share),
        "kata-genmove_analyze": genmove_by(kata_share),
        "kata-search": reg_genmove,
        "kata-search_analyze": genmove_by(kata_share, is_played=False),
        "kata-search_analyze_cancellable": genmove_by(kata_share, is_played=False, is_cancellable=True),
    }
)
