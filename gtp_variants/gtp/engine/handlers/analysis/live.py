"""The analysis commands: report a running search until the next line from the host.

`analyze`, `genmove_analyze` and the `lz-` commands answer in Leela Zero's form, with win rates in ten-thousandths; the
`kata-` commands answer in KataGo's, with win rates from 0 to 1. Sabaki and other hosts draw both on the board.
"""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.analysis import AnalysisFields
from gtp_variants.gtp.engine.bot.session_search import network_of, positions_of, search_of, settings_of
from gtp_variants.gtp.engine.handler import Handler, need
from gtp_variants.gtp.engine.handlers.analysis.request import AnalysisRequest, find_moves, read_request
from gtp_variants.gtp.engine.handlers.analysis.writer import AnalysisWriter, ShareFormat, kata_share, lz_share
from gtp_variants.gtp.engine.handlers.moves import reg_genmove, verdict
from gtp_variants.gtp.engine.session import Session, decoys
from gtp_variants.mcts.search import find_priors
from gtp_variants.players.thinking.sliced_search import SlicedSearch

if TYPE_CHECKING:
    from gtp_variants.mcts.result import OnProgress, SearchResult


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
        action = verdict(session, request.colour)
        if action is not None:
            return iter([f"play {session.word(action)}"])
        return _move_aloud(session, request, AnalysisWriter(session, request, dialect), is_played, is_cancellable)

    return genmove


def search_cancellable(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "kata-search_cancellable COLOUR")
    request = AnalysisRequest(session.colour(arguments[0]), AnalysisFields())
    decided = verdict(session, request.colour)
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
        if any(found.visits.values()) and not decoys(session, request.colour):
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
    names = decoys(session, request.colour)
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


def cgos_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """As the server CGOS wants it: one line of JSON, then the move."""
    request = read_request(session, arguments)
    action = verdict(session, request.colour)
    if action is not None:
        return f"\nplay {session.word(action)}"
    allowed, is_veiled = find_moves(session, request), bool(decoys(session, request.colour))
    priors = _find_priors(session, request)
    word = _generate(session, request)
    found = None if session.bot.found is None or is_veiled else _with_priors(session.bot.found, priors)
    told = "" if found is None else _cgos(session, found, request, allowed)
    return f"\n{told}\nplay {word}"


def _cgos(session: Session, found: "SearchResult", request: AnalysisRequest, allowed: Sequence[int]) -> str:
    import json

    from gtp_variants.mcts.candidates import find_candidates, winrate_of

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


HANDLERS: dict[str, Handler] = {
    # Sabaki prefers `analyze` and `genmove_analyze`, and reads ten-thousandths from all but `kata-` commands.
    "analyze": analyze_by(lz_share),
    "cgos-genmove_analyze": cgos_genmove_analyze,
    "genmove_analyze": genmove_by(lz_share),
    "kata-analyze": analyze_by(kata_share),
    "kata-genmove_analyze": genmove_by(kata_share),
    "kata-search": reg_genmove,
    "kata-search_analyze": genmove_by(kata_share, is_played=False),
    "kata-search_analyze_cancellable": genmove_by(kata_share, is_played=False, is_cancellable=True),
    "kata-search_cancellable": search_cancellable,
    "lz-analyze": analyze_by(lz_share),
    "lz-genmove_analyze": genmove_by(lz_share),
}
