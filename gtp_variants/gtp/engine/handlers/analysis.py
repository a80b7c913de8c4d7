"""The `lz-` and `kata-` analysis commands: reports a running search until the next line from the host.

The lines are those that Leela Zero (`lz-`, win rates in ten-thousandths) and KataGo (`kata-`, as fractions) made usual
and that Sabaki and others draw on the board.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.bot.sliced_search import (
    Owners,
    SlicedSearch,
    actions_of,
    positions_of,
    rank_moves,
    search_of,
    share_of,
)
from gtp_variants.gtp.engine.handler import Handler, need, read_seconds, read_whole
from gtp_variants.gtp.engine.handlers.moves import verdict
from gtp_variants.gtp.engine.host.decoys import decoys
from gtp_variants.gtp.engine.session import Session
from gtp_variants.json_values import Json
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.mcts.result import Ask, SearchResult
    from gtp_variants.mcts.settings import Avoided


_INTERVAL_CS = 100
_MOST_MOVES = 80
_DEEPEST = 10_000
# Engines of other people cannot be told to stop; they need not be.
_LEAVE_S = 2.0
# A bot that thinks is kept from it by the question who owns what for a slice in so many seconds.
_LOOK_EVERY_S = 0.1


# -- what a host asks for ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """For whom to search, how often to tell, what, and which moves to leave out."""

    colour: int
    interval_s: float = _INTERVAL_CS / 100
    fewest: int = 1
    most: int = _MOST_MOVES
    owners: bool = False
    owners_by_move: bool = False
    root: bool = False
    avoided: "Avoided" = ()

    @property
    def asks_owners(self) -> bool:
        """Whether anything of it needs to know who owns what."""
        return self.owners or self.owners_by_move


_NUMBERS = {"minmoves": "fewest", "maxmoves": "most"}
_FLAGS = {"ownership": "owners", "movesownership": "owners_by_move", "rootinfo": "root"}
_KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", "rootInfo", "ownership", "movesOwnership")
_BOOLS = {"true": True, "false": False, "1": True, "0": False}


def read_request(session: Session, arguments: Sequence[str]) -> AnalysisRequest:
    """`[COLOUR] [CENTISECONDS] [KEY VALUE]...`, as KataGo reads it. Raises NotationError, or CommandFailed."""
    left = list(arguments)
    colour = session.mover
    if left and left[0].lower() not in map(str.lower, _KEYS) and not left[0][:1].isdigit():
        colour = session.colour(left.pop(0))
    chosen: Json = {}
    if left and left[0][:1].isdigit():
        chosen["interval_s"] = _interval(left.pop(0))
    avoided: list[tuple[int, int, int]] = []
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
            chosen[_FLAGS[key]] = _BOOLS[value.lower()]
        else:
            raise NotationError(f"{word[:20]}: expected {', '.join(_KEYS)}")
    return AnalysisRequest(colour, avoided=tuple(avoided), **chosen)


def _interval(word: str) -> float:
    return read_seconds(word, "hundredths of a second") / 100


def _read_moves_to_avoid(session: Session, key: str, left: list[str]) -> list[tuple[int, int, int]]:
    """`COLOUR VERTEX,VERTEX,... DEPTH` after `avoid` or `allow`, taken off the list: colour, move, depth."""
    need(left, 3, f"{key} COLOUR VERTEX,VERTEX,... DEPTH")
    colour = session.colour(left.pop(0))
    moves = {PASS if word.lower() == "pass" else session.rules.board.point(word) for word in left.pop(0).split(",")}
    depth = read_whole(left[0], "a depth")
    if depth < 1:
        raise NotationError(f"{left[0][:20]}: expected a depth of 1 or more")
    del left[0]
    if key == "allow":
        moves = {PASS, *range(len(session.rules.board))} - moves
    return [(colour, move, min(depth, _DEEPEST)) for move in sorted(moves)]


def _find_moves(session: Session, request: AnalysisRequest) -> Sequence[int]:
    """What a colour might play or try, as far as it may know itself, without what the host wants left out.

    Raises CommandFailed if that is nothing.
    """
    unwanted = {move for colour, move, _ in request.avoided if colour == request.colour}
    allowed = [move for move in actions_of(session, request.colour) if move not in unwanted]
    if not allowed and unwanted:
        raise CommandFailed("no move is left")
    return allowed


# What a bot tells, why it failed, and the end.
_Lines = queue.SimpleQueue[str | Exception | None]

# How a dialect writes a share of 0 to 1.
ShareFormat = Callable[[float], str]


def _lz(share: float) -> str:
    return f"{share * 10_000:.0f}"


def _kata(share: float) -> str:
    return f"{share:.6f}"


def ownership_text(rules: Rules, key: str, owners: Sequence[float]) -> str:
    """KataGo's form: the key and a number for each cell of the grid from the top left, positive for the player."""
    board = rules.board
    points = [board.at(x, y) for y in range(board.height - 1, -1, -1) for x in range(board.width)]
    return f"{key} " + " ".join("0" if point is None else f"{owners[point]:.3f}" for point in points)


class AnalysisWriter:
    """Puts what was found in words, for one request."""

    def __init__(self, session: Session, request: AnalysisRequest, dialect: ShareFormat) -> None:
        self._session, self._request, self._dialect = session, request, dialect
        self._find_moves = _find_moves(session, request)
        self._owners = Owners(session.rules, request.colour) if request.asks_owners else None

    def look(self, position: Position, found: "SearchResult") -> None:
        """See who owns what, if that is asked for."""
        if self._owners is not None:
            self._owners.more(position, found)

    def line(self, found: "SearchResult") -> str:
        """One line: the moves, best first, and what else is asked for."""
        session, request = self._session, self._request
        moves = rank_moves(found, self._find_moves)[: request.most]
        # What the dice open the host cannot know by itself; elsewhere only what was looked at is worth a word.
        if session.remote_seat is not None or not session.position.draws:
            looked_at = sum(found.visits[move] > 0 for move in moves)
            moves = moves[: max(looked_at, request.fewest)]
        parts = [self._move(found, order, move) for order, move in enumerate(moves)]
        if request.root:
            parts.append(self._root(found))
        if request.owners and self._owners is not None:
            parts.append(ownership_text(session.rules, "ownership", self._owners.shares(found)))
        return " ".join(parts)

    def _move(self, found: "SearchResult", order: int, move: int) -> str:
        word, win, visits = self._session.word, self._dialect(share_of(found, move)), found.visits[move]
        prior = self._dialect(visits / max(1, sum(found.visits.values())))
        line = found.principal_variation if move == found.action else (move,)
        told = (
            f"info move {word(move)} visits {visits} winrate {win} prior {prior} lcb {win} order {order} "
            f"pv {' '.join(map(word, line))}"
        )
        owners = None
        if self._request.owners_by_move and self._owners is not None:
            owners = self._owners.after(move)
        return told if owners is None else f"{told} {ownership_text(self._session.rules, 'movesOwnership', owners)}"

    def _root(self, found: "SearchResult") -> str:
        visits = sum(found.visits.values())
        won = sum(count * share_of(found, move) for move, count in found.visits.items())
        return f"rootInfo visits {visits} winrate {self._dialect(won / visits if visits else 0.5)}"


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
            found = search.more()
            is_called = session.is_called()
            if is_called and is_told:
                return
            writer.look(search.position, found)
            if is_called or time.monotonic() >= until:
                break
        yield writer.line(found)
        if is_called:
            return
        is_told = True


def genmove_by(dialect: ShareFormat) -> Callable[[Session, list[str]], Iterator[str]]:
    """The command that lets the bot move as `genmove` does, and tells what it sees while it thinks."""

    def genmove(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        action = verdict(session, request.colour)
        if action is not None:
            return iter([f"play {session.word(action)}"])
        return _move_aloud(session, request, AnalysisWriter(session, request, dialect))

    return genmove


def _move_aloud(session: Session, request: AnalysisRequest, writer: AnalysisWriter) -> Iterator[str]:
    """The lines of a bot that thinks in a thread, as they come."""
    lines: _Lines = queue.SimpleQueue()
    is_left = threading.Event()
    told = looked = time.monotonic()
    positions = cycle(positions_of(session, request.colour) if request.asks_owners else ())

    def tell(found: "SearchResult") -> None:
        if not decoys(session, request.colour):
            lines.put(writer.line(found))

    def watch(so_far: Callable[[], "SearchResult"]) -> bool:
        nonlocal told, looked
        if request.asks_owners and time.monotonic() - looked >= _LOOK_EVERY_S:
            writer.look(next(positions), so_far())
            looked = time.monotonic()
        if time.monotonic() - told >= request.interval_s:
            tell(so_far())
            told = time.monotonic()
        return not is_left.is_set()

    def move() -> None:
        try:
            word = _generate(session, request, watch)
            if session.bot.found is not None:
                if request.asks_owners:
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


def _generate(session: Session, request: AnalysisRequest, watch: "Ask | None" = None) -> str:
    """Let the bot move; the word of the move."""
    names = decoys(session, request.colour)
    session.bot.watch, session.bot.avoided = watch, request.avoided
    try:
        action = session.bot.generate(request.colour)
    finally:
        session.bot.watch, session.bot.avoided = None, ()
    return session.word(names.get(action, action))


def cgos_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """As the server CGOS wants it: one line of JSON, then the move."""
    request = read_request(session, arguments)
    action = verdict(session, request.colour)
    if action is not None:
        return f"\nplay {session.word(action)}"
    allowed, is_veiled = _find_moves(session, request), bool(decoys(session, request.colour))
    word = _generate(session, request)
    told = "" if session.bot.found is None or is_veiled else _cgos(session, session.bot.found, request, allowed)
    return f"\n{told}\nplay {word}"


def _cgos(session: Session, found: "SearchResult", request: AnalysisRequest, allowed: Sequence[int]) -> str:
    import json

    moves = rank_moves(found, allowed)[: request.most]
    place = session.rules.colours.index(request.colour)
    told = {
        "winrate": round(found.values[place], 4) if found.values else 0.5,
        "visits": sum(found.visits.values()),
        "moves": [
            {
                "move": session.word(move),
                "winrate": round(share_of(found, move), 4),
                "visits": found.visits[move],
                "pv": " ".join(map(session.word, found.principal_variation if move == found.action else (move,))),
            }
            for move in moves
        ],
    }
    return json.dumps(told)


HANDLERS: dict[str, Handler] = {
    "cgos-genmove_analyze": cgos_genmove_analyze,
    "kata-analyze": analyze_by(_kata),
    "kata-genmove_analyze": genmove_by(_kata),
    "lz-analyze": analyze_by(_lz),
    "lz-genmove_analyze": genmove_by(_lz),
}
