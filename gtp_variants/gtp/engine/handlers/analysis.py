"""Thinking aloud: what a search finds, told to the host while it goes on, until the host says anything else.

The lines are those that Leela Zero (`lz-`, win rates in ten-thousandths) and KataGo (`kata-`, as fractions) made usual
and that Sabaki and others draw on the board.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from gtp_variants.errors import CommandFailed, GameOver, IllegalMove, NotationError
from gtp_variants.gtp.engine.handlers.standard import seconds, verdict, wanted, whole
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import position_to_move
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.mcts.result import Ask, SearchResult
    from gtp_variants.mcts.settings import Avoided

# So long the engine does not listen; a host that speaks is heard before twice this time has passed.
SLICE_S = 0.01
MEMORY_MB = 256.0

_INTERVAL_CS = 100
_MOST_MOVES = 80
_DEEPEST = 10_000
# Engines of other people cannot be told to stop; they need not be.
_LEAVE_S = 2.0
# A bot that thinks is kept from it by the question who owns what for a slice in so many seconds.
_LOOK_EVERY_S = 0.1


# -- searching by slices -----------------------------------------------------------------------------------------------


class Search(Protocol):
    """A search that goes on by slices of time."""

    def more(self) -> "SearchResult":
        """Search for a moment; all that was found so far."""
        ...

    @property
    def position(self) -> Position:
        """What the last slice was a search of."""
        ...


class OpenSearch:
    """A search of a position in which nothing is hidden."""

    def __init__(self, rules: Rules, position: Position, avoided: "Avoided" = (), memory_mb: float = MEMORY_MB) -> None:
        from gtp_variants.mcts.tree_search import Thinker

        self._position = position
        self._thinker = Thinker(rules, avoided=avoided, memory_mb=memory_mb)

    @property
    def position(self) -> Position:
        return self._position

    def more(self) -> "SearchResult":
        begun = time.monotonic()
        found = self._thinker.think(self._position, seconds=SLICE_S)
        # A decided game needs no more thought.
        time.sleep(max(0.0, begun + SLICE_S / 2 - time.monotonic()))
        return found


class HiddenSearch:
    """A search of what a seat knows: of positions that agree with it, in turn, and what all of them came to."""

    def __init__(self, rules: Rules, positions: Sequence[Position], avoided: "Avoided" = ()) -> None:
        different = {position.stones: position for position in positions}
        memory_mb = MEMORY_MB / len(different)
        self._searches = [OpenSearch(rules, position, avoided, memory_mb) for position in different.values()]
        self._found: list[SearchResult | None] = [None] * len(self._searches)
        self._turn = -1

    @property
    def position(self) -> Position:
        return self._searches[self._turn].position

    def more(self) -> "SearchResult":
        from gtp_variants.mcts.result import SearchResult

        self._turn = (self._turn + 1) % len(self._searches)
        self._found[self._turn] = self._searches[self._turn].more()
        return SearchResult.merge([found for found in self._found if found is not None])


def search_of(session: Session, colour: int, avoided: "Avoided" = ()) -> Search:
    """A search for a colour, as if it were to move; where something is hidden, of what that colour knows.

    Raises CommandFailed where there is nothing to search.
    """
    if session.is_over:
        raise CommandFailed("game over")
    positions = _positions(session, colour)
    if session.rules.is_open:
        return OpenSearch(session.rules, positions[0], avoided)
    return HiddenSearch(session.rules, positions, avoided)


def _positions(session: Session, colour: int) -> Sequence[Position]:
    """The position with a colour to move; where something is hidden, several that agree with what it knows."""
    if session.rules.is_open:
        return [position_to_move(session.table, colour)]
    try:
        return session.imagined(colour)
    except GameOver as error:
        raise CommandFailed(f"cannot be analysed: {error}") from None


class Owners:
    """Who owns each point in the end, by playouts from positions after the moves that a search looked at.

    A share is from -1, another side's, to 1, that of `colour`.
    """

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules, self._colour = rules, colour
        self._rng = Random(0)
        self._position: Position | None = None
        self._starts: dict[int, Any] = {}
        self._sums: dict[int, list[int]] = {}
        self._counts: dict[int, int] = {}
        self._count = 0

    def more(self, position: Position, found: "SearchResult") -> None:
        """Play on for a moment from a position that was searched."""
        if position is not self._position:
            self._position = position
            self._starts = {}
        moves = [move for move, count in found.visits.items() if count] or [PASS]
        weights = [found.visits.get(move, 1) for move in moves]
        # Those that were looked at most come first.
        unseen = sorted(
            (move for move in moves if move not in self._counts), key=lambda move: found.visits.get(move, 0)
        )
        until = time.monotonic() + SLICE_S
        # At least once, but not until it succeeds: of positions that only may be there some allow none of the moves.
        while True:
            self._play(unseen.pop() if unseen else self._rng.choices(moves, weights)[0])
            if time.monotonic() >= until:
                return

    def after(self, move: int) -> list[float] | None:
        """The share of each point in the games that began with a move, None before the first."""
        count = self._counts.get(move)
        return None if not count else [total / count for total in self._sums[move]]

    def shares(self, found: "SearchResult") -> list[float]:
        """The share of each point; each move counts as much as the search looked at it."""
        weights = {move: max(1, found.visits.get(move, 0)) for move in self._counts}
        whole = sum(weights.values())
        shares = [0.0] * len(self._rules.board)
        for move, weight in weights.items():
            part = weight / whole / self._counts[move]
            shares = [share + part * total for share, total in zip(shares, self._sums[move], strict=True)]
        return shares

    def _play(self, move: int) -> None:
        from gtp_variants.mcts.plain.playout import Playout
        from gtp_variants.rng import Rng

        start = self._start_of(move)
        if start is None:
            return
        board = start.board.copy()
        Playout(start, board, Rng.of_playout(0, self._count), start.moment()).run()
        sums = self._sums.setdefault(move, [0] * len(self._rules.board))
        for owner, points in enumerate(areas(self._rules.board, bytes(board.colour))):
            for point in points:
                sums[point] += 0 if owner == EMPTY else 1 if owner == self._colour else -1
        self._counts[move] = self._counts.get(move, 0) + 1
        self._count += 1

    def _start_of(self, move: int) -> Any:
        """Where playouts after a move begin; None if it cannot be played, as one of another position that agrees."""
        if move not in self._starts:
            assert self._position is not None
            try:
                after = self._rules.play(self._position, move)
            except IllegalMove:
                self._starts[move] = self._start_at(self._position) if move == PASS else None
            else:
                self._starts[move] = self._start_at(self._position if self._rules.is_over(after) else after)
        return self._starts[move]

    def _start_at(self, position: Any) -> Any:
        from gtp_variants.mcts.plain.playout import Start

        return Start(self._rules, position)


# -- what a host asks for ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
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


def read_request(session: Session, arguments: Sequence[str]) -> Request:
    """`[COLOUR] [CENTISECONDS] [KEY VALUE]...`, as KataGo reads it. Raises NotationError, or CommandFailed."""
    left = list(arguments)
    colour = session.mover
    if left and left[0].lower() not in map(str.lower, _KEYS) and not left[0][:1].isdigit():
        colour = session.colour(left.pop(0))
    chosen: dict[str, Any] = {}
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
            avoided += _read_avoided(session, key, left)
            continue
        if not left:
            raise NotationError(f"{word[:20]}: expected pairs of KEY VALUE")
        value = left.pop(0)
        if key == "interval":
            chosen["interval_s"] = _interval(value)
        elif key in _NUMBERS:
            chosen[_NUMBERS[key]] = whole(value, "a number of moves")
            if chosen[_NUMBERS[key]] < 0:
                raise NotationError(f"{value[:20]}: expected 0 or more")
        elif key in _FLAGS:
            if value.lower() not in _BOOLS:
                raise NotationError(f"{word[:20]} {value[:20]}: expected true or false")
            chosen[_FLAGS[key]] = _BOOLS[value.lower()]
        else:
            raise NotationError(f"{word[:20]}: expected {', '.join(_KEYS)}")
    return Request(colour, avoided=tuple(avoided), **chosen)


def _interval(word: str) -> float:
    return seconds(word, "hundredths of a second") / 100


def _read_avoided(session: Session, key: str, left: list[str]) -> list[tuple[int, int, int]]:
    """`COLOUR VERTEX,VERTEX,... DEPTH` after `avoid` or `allow`, taken off the list: colour, move, depth."""
    wanted(left, 3, f"{key} COLOUR VERTEX,VERTEX,... DEPTH")
    colour = session.colour(left.pop(0))
    moves = {PASS if word.lower() == "pass" else session.rules.board.point(word) for word in left.pop(0).split(",")}
    depth = whole(left[0], "a depth")
    if depth < 1:
        raise NotationError(f"{left[0][:20]}: expected a depth of 1 or more")
    del left[0]
    if key == "allow":
        moves = {PASS, *range(len(session.rules.board))} - moves
    return [(colour, move, min(depth, _DEEPEST)) for move in sorted(moves)]


def _allowed(session: Session, request: Request) -> Sequence[int]:
    """What a colour might play or try, as far as it may know itself, without what the host wants left out.

    Raises CommandFailed if that is nothing.
    """
    unwanted = {move for colour, move, _ in request.avoided if colour == request.colour}
    allowed = [move for move in session.tries(request.colour) if move not in unwanted]
    if not allowed and unwanted:
        raise CommandFailed("no move is left")
    return allowed


# What a bot tells, why it failed, and the end.
_Lines = queue.SimpleQueue[str | Exception | None]

# How a dialect writes a share of 0 to 1.
Dialect = Callable[[float], str]


def _lz(share: float) -> str:
    return f"{share * 10_000:.0f}"


def _kata(share: float) -> str:
    return f"{share:.6f}"


def ranked(found: "SearchResult", allowed: Sequence[int]) -> list[int]:
    """The moves that may be played, the one to play first, then those that were looked at most."""

    def worth(move: int) -> tuple[bool, int, float]:
        return move == found.action, found.visits.get(move, 0), share_of(found, move)

    return sorted((move for move in allowed if move in found.visits), key=worth, reverse=True)


def share_of(found: "SearchResult", move: int) -> float:
    """What the side to play wins with a move, 0 to 1."""
    if found.proved is not None and move == found.action:
        return float(found.proved)
    return found.shares.get(move, 0.0)


def ownership_text(rules: Rules, key: str, owners: Sequence[float]) -> str:
    """KataGo's form: the key and a number for each cell of the grid from the top left, positive for the player."""
    board = rules.board
    points = [board.at(x, y) for y in range(board.height - 1, -1, -1) for x in range(board.width)]
    return f"{key} " + " ".join("0" if point is None else f"{owners[point]:.3f}" for point in points)


class Teller:
    """Puts what was found in words, for one request."""

    def __init__(self, session: Session, request: Request, dialect: Dialect) -> None:
        self._session, self._request, self._dialect = session, request, dialect
        self._allowed = _allowed(session, request)
        self._owners = Owners(session.rules, request.colour) if request.asks_owners else None

    def look(self, position: Position, found: "SearchResult") -> None:
        """See who owns what, if that is asked for."""
        if self._owners is not None:
            self._owners.more(position, found)

    def line(self, found: "SearchResult") -> str:
        """One line: the moves, best first, and what else is asked for."""
        session, request = self._session, self._request
        moves = ranked(found, self._allowed)[: request.most]
        # What the dice open the host cannot know by itself; elsewhere only what was looked at is worth a word.
        if not session.is_bound:
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


def analyze_by(dialect: Dialect) -> Callable[[Session, list[str]], Iterator[str]]:
    """The command that searches until the host says anything."""

    def analyze(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        search = search_of(session, request.colour, request.avoided)
        return _tell(session, search, request, Teller(session, request, dialect))

    return analyze


def _tell(session: Session, search: Search, request: Request, teller: Teller) -> Iterator[str]:
    is_told = False
    while True:
        until = time.monotonic() + request.interval_s
        while True:
            found = search.more()
            is_called = session.is_called()
            if is_called and is_told:
                return
            teller.look(search.position, found)
            if is_called or time.monotonic() >= until:
                break
        yield teller.line(found)
        if is_called:
            return
        is_told = True


def genmove_by(dialect: Dialect) -> Callable[[Session, list[str]], Iterator[str]]:
    """The command that lets the bot move as `genmove` does, and tells what it sees while it thinks."""

    def genmove(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        action = verdict(session, request.colour)
        if action is not None:
            return iter([f"play {session.word(action)}"])
        return _move_aloud(session, request, Teller(session, request, dialect))

    return genmove


def _move_aloud(session: Session, request: Request, teller: Teller) -> Iterator[str]:
    """The lines of a bot that thinks in a thread, as they come."""
    lines: _Lines = queue.SimpleQueue()
    is_left = threading.Event()
    told = looked = time.monotonic()
    positions = cycle(_positions(session, request.colour) if request.asks_owners else ())

    def tell(found: "SearchResult") -> None:
        if not session.veil(request.colour):
            lines.put(teller.line(found))

    def watch(so_far: Callable[[], "SearchResult"]) -> bool:
        nonlocal told, looked
        if request.asks_owners and time.monotonic() - looked >= _LOOK_EVERY_S:
            teller.look(next(positions), so_far())
            looked = time.monotonic()
        if time.monotonic() - told >= request.interval_s:
            tell(so_far())
            told = time.monotonic()
        return not is_left.is_set()

    def move() -> None:
        try:
            word = _moved(session, request, watch)
            if session.found is not None:
                if request.asks_owners:
                    teller.look(next(positions), session.found)
                tell(session.found)
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
    return _said(first, lines, thread, is_left)


def _said(
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


def _moved(session: Session, request: Request, watch: "Ask | None" = None) -> str:
    """Let the bot move; the word of the move."""
    names = session.veil(request.colour)
    session.watch, session.avoided = watch, request.avoided
    try:
        action = session.generate(request.colour)
    finally:
        session.watch, session.avoided = None, ()
    return session.word(names.get(action, action))


def cgos_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """As the server CGOS wants it: one line of JSON, then the move."""
    request = read_request(session, arguments)
    action = verdict(session, request.colour)
    if action is not None:
        return f"\nplay {session.word(action)}"
    allowed, is_veiled = _allowed(session, request), bool(session.veil(request.colour))
    word = _moved(session, request)
    told = "" if session.found is None or is_veiled else _cgos(session, session.found, request, allowed)
    return f"\n{told}\nplay {word}"


def _cgos(session: Session, found: "SearchResult", request: Request, allowed: Sequence[int]) -> str:
    import json

    moves = ranked(found, allowed)[: request.most]
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


HANDLERS: dict[str, Callable[[Session, list[str]], str | Iterator[str]]] = {
    "cgos-genmove_analyze": cgos_genmove_analyze,
    "kata-analyze": analyze_by(_kata),
    "kata-genmove_analyze": genmove_by(_kata),
    "lz-analyze": analyze_by(_lz),
    "lz-genmove_analyze": genmove_by(_lz),
}
