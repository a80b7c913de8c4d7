"""Thinking aloud: what a search finds, told to the host while it goes on, until the host says anything else.

The lines are those that Leela Zero (`lz-`, win rates in ten-thousandths) and KataGo (`kata-`, as fractions) made usual
and that Sabaki and others draw on the board.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.session import Session
from gtp_variants.gtp.standard import verdict, wanted, whole
from gtp_variants.rules.actions import BLACK, EMPTY
from gtp_variants.rules.chains import areas
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.thinking.tree import Found

# So long the engine does not listen; a host that speaks is heard before twice this time has passed.
SLICE_S = 0.01
MEMORY_MB = 256.0

_INTERVAL_CS = 100
_MOST_MOVES = 80


# -- searching by slices -----------------------------------------------------------------------------------------------


class Search(Protocol):
    """A search that goes on by slices of time."""

    def more(self) -> "Found":
        """Search for a moment; all that was found so far."""
        ...


class OpenSearch:
    """A search of a position in which nothing is hidden."""

    def __init__(self, rules: Rules[Any], position: Position) -> None:
        from gtp_variants.thinking.thinker import Thinker

        self._position = position
        self._thinker = Thinker(rules, memory_mb=MEMORY_MB)

    def more(self) -> "Found":
        begun = time.monotonic()
        found = self._thinker.think(self._position, seconds=SLICE_S)
        # A decided game needs no more thought.
        time.sleep(max(0.0, begun + SLICE_S / 2 - time.monotonic()))
        return found


class HiddenSearch:
    """A search of what a seat knows: each slice looks at another position that agrees with it, and all count."""

    def __init__(self, rules: Rules[Any], view: View) -> None:
        self._rules, self._view, self._rng = rules, view, Random(0)
        self._found: Found | None = None

    def more(self) -> "Found":
        from gtp_variants.thinking.thinker import Thinker

        position = self._rules.imagine(self._view, self._rng)
        thinker = Thinker(self._rules, self._rng.getrandbits(63), memory_mb=MEMORY_MB)
        found = thinker.think(position, seconds=SLICE_S)
        self._found = found if self._found is None else _together(self._found, found)
        return self._found


def _together(a: "Found", b: "Found") -> "Found":
    """Two searches as if they were one."""
    from gtp_variants.thinking.tree import Found

    visits = {move: a.visits.get(move, 0) + b.visits.get(move, 0) for move in {**a.visits, **b.visits}}
    shares: dict[int, float] = {}
    for move in visits:
        parts = [(each.visits.get(move, 0), each.shares[move]) for each in (a, b) if move in each.shares]
        weight = sum(part for part, _ in parts)
        shares[move] = sum(part * share for part, share in parts) / weight if weight else 0.0
    done = a.playouts + b.playouts
    values = tuple(
        (x * a.playouts + y * b.playouts) / done if done else 0.0 for x, y in zip(a.values, b.values, strict=True)
    )
    best = max(visits, key=visits.__getitem__, default=a.action)
    return Found(best, visits, values, (best,), done, a.turns + b.turns, None, shares)


def search_of(session: Session, colour: int) -> Search:
    """A search for a colour, as if it were to move; where something is hidden, of what that colour knows.

    Raises CommandFailed where there is nothing to search.
    """
    table = session.table
    if table.is_final or session.is_revealed:
        raise CommandFailed("game over")
    if session.rules.is_open:
        return OpenSearch(session.rules, table.as_mover(colour))
    search = HiddenSearch(session.rules, table.view(colour))
    try:
        search.more()
    except NotationError as error:
        raise CommandFailed(f"cannot be analysed: {error}") from None
    return search


class Owners:
    """Who owns each point in the end, by playouts from a position after the moves that a search looked at most."""

    def __init__(self, rules: Rules[Any], position: Position, found: "Found") -> None:
        self._rules, self._position = rules, position
        self._moves: list[int | None] = [move for move, count in found.visits.items() if count] or [None]
        self._weights = [found.visits[move] for move in self._moves if move is not None] or [1]
        self._rng = Random(0)
        self._starts: dict[int | None, Any] = {}
        self._sums = [0] * len(rules.board)
        self._count = 0

    def more(self) -> list[float]:
        """Play on for a moment; for each point from -1 (White's) to 1 (Black's) what came out so far."""
        from gtp_variants.thinking.playout import Playout
        from gtp_variants.thinking.rng import Rng

        until = time.monotonic() + SLICE_S
        while self._count == 0 or time.monotonic() < until:
            start = self._start_of(self._rng.choices(self._moves, self._weights)[0])
            board = start.board.copy()
            Playout(start, board, Rng.of_playout(0, self._count), start.moment()).run()
            for colour, points in enumerate(areas(self._rules.board, bytes(board.colour))):
                for point in points:
                    self._sums[point] += 0 if colour == EMPTY else 1 if colour == BLACK else -1
            self._count += 1
        return [total / self._count for total in self._sums]

    def _start_of(self, move: int | None) -> Any:
        from gtp_variants.thinking.playout import Start

        if move not in self._starts:
            after = self._position if move is None else self._rules.play(self._position, move)
            over = self._rules.is_over(after)
            self._starts[move] = Start(self._rules, self._position if over else after)
        return self._starts[move]


# -- what a host asks for ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """For whom to search, how often to tell, and what."""

    colour: int
    interval_s: float = _INTERVAL_CS / 100
    fewest: int = 1
    most: int = _MOST_MOVES
    is_owned: bool = False


_KEYS = ("interval", "minmoves", "maxmoves", "ownership")


def read_request(session: Session, arguments: Sequence[str]) -> Request:
    """`[COLOUR] [CENTISECONDS] [KEY VALUE]...`. Raises NotationError."""
    left = list(arguments)
    colour = session.position.mover
    if left and left[0].lower() not in _KEYS and not left[0][:1].isdigit():
        colour = session.colour(left.pop(0))
    interval = whole(left.pop(0), "hundredths of a second") if left and left[0][:1].isdigit() else _INTERVAL_CS
    if len(left) % 2:
        raise NotationError(f"{left[-1][:20]}: expected pairs of KEY VALUE")
    chosen = dict(zip((key.lower() for key in left[::2]), left[1::2], strict=True))
    for key in chosen:
        if key not in _KEYS:
            raise NotationError(f"{key[:20]}: expected {', '.join(_KEYS)}")
    if "interval" in chosen:
        interval = whole(chosen["interval"], "hundredths of a second")
    fewest = whole(chosen.get("minmoves", "1"), "a number of moves")
    most = whole(chosen.get("maxmoves", str(_MOST_MOVES)), "a number of moves")
    if min(interval, fewest, most) < 0:
        raise NotationError(f"{min(interval, fewest, most)}: expected 0 or more")
    return Request(colour, interval / 100, fewest, most, chosen.get("ownership", "").lower() in ("true", "1"))


def _allowed(session: Session, colour: int) -> Sequence[int]:
    """What a colour might play or try, as far as it may know itself."""
    table = session.table
    return table.options(colour) if session.rules.is_open else table.tries(colour)


# How a dialect writes a share of 0 to 1.
Dialect = Callable[[float], str]


def _lz(share: float) -> str:
    return f"{share * 10_000:.0f}"


def _kata(share: float) -> str:
    return f"{share:.6f}"


def ranked(found: "Found", allowed: Sequence[int]) -> list[int]:
    """The moves that may be played, the one to play first, then those that were looked at most."""

    def worth(move: int) -> tuple[bool, int, float]:
        return move == found.action, found.visits.get(move, 0), share_of(found, move)

    return sorted((move for move in allowed if move in found.visits), key=worth, reverse=True)


def share_of(found: "Found", move: int) -> float:
    """What the side to play wins with a move, 0 to 1."""
    if found.proved is not None and move == found.action:
        return float(found.proved)
    return found.shares.get(move, 0.0)


def info(session: Session, found: "Found", request: Request, allowed: Sequence[int], dialect: Dialect) -> str:
    """One line about the moves, best first."""
    moves = ranked(found, allowed)[: request.most]
    # What the dice open the host cannot know by itself; elsewhere only what was looked at is worth a word.
    if not getattr(session.position, "draws", ()):
        looked_at = sum(found.visits[move] > 0 for move in moves)
        moves = moves[: max(looked_at, request.fewest)]
    return " ".join(_info_of_move(session, found, move, order, dialect) for order, move in enumerate(moves))


def _info_of_move(session: Session, found: "Found", move: int, order: int, dialect: Dialect) -> str:
    win, visits = dialect(share_of(found, move)), found.visits[move]
    prior = dialect(visits / max(1, sum(found.visits.values())))
    line = found.principal_variation if move == found.action else (move,)
    shown = " ".join(map(session.word, line))
    return (
        f"info move {session.word(move)} visits {visits} winrate {win} prior {prior} lcb {win} order {order} pv {shown}"
    )


def ownership_text(rules: Rules[Any], owners: Sequence[float], colour: int) -> str:
    """KataGo's form: a number for each cell of the grid from the top left, positive for the player."""
    board, sign = rules.board, 1 if colour == BLACK else -1
    points = [board.at(x, y) for y in range(board.height - 1, -1, -1) for x in range(board.width)]
    return "ownership " + " ".join("0" if point is None else f"{sign * owners[point]:.3f}" for point in points)


# -- handlers ----------------------------------------------------------------------------------------------------------


def analyze_by(dialect: Dialect) -> Callable[[Session, list[str]], Iterator[str]]:
    """The command that searches until the host says anything."""

    def analyze(session: Session, arguments: list[str]) -> Iterator[str]:
        request = read_request(session, arguments)
        return _tell(session, search_of(session, request.colour), request, dialect)

    return analyze


def _tell(session: Session, search: Search, request: Request, dialect: Dialect) -> Iterator[str]:
    allowed = _allowed(session, request.colour)
    owners: Owners | None = None
    while True:
        until = time.monotonic() + request.interval_s
        found = search.more()
        while not session.is_called() and time.monotonic() < until:
            found = search.more()
        line = info(session, found, request, allowed, dialect)
        if request.is_owned and session.rules.is_open:
            owners = owners or Owners(session.rules, session.table.as_mover(request.colour), found)
            line = f"{line} {ownership_text(session.rules, owners.more(), request.colour)}"
        yield line
        if session.is_called():
            return


def genmove_by(dialect: Dialect) -> Callable[[Session, list[str]], str]:
    """The command that lets the bot move as `genmove` does, and tells what it saw."""

    def genmove(session: Session, arguments: list[str]) -> str:
        def tell(found: "Found", request: Request, allowed: Sequence[int]) -> str:
            return info(session, found, request, allowed, dialect)

        return _move(session, arguments, tell)

    return genmove


def cgos_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """As the server CGOS wants it: one line of JSON, then the move."""

    def tell(found: "Found", request: Request, allowed: Sequence[int]) -> str:
        return _cgos(session, found, request, allowed)

    return _move(session, arguments, tell)


def _move(session: Session, arguments: list[str], tell: Callable[["Found", Request, Sequence[int]], str]) -> str:
    wanted(arguments, 1, "a colour")
    request = read_request(session, arguments)
    action, told = verdict(session, request.colour), ""
    if action is None:
        allowed, names = _allowed(session, request.colour), session.veil(request.colour)
        action = session.generate(request.colour)
        told = "" if session.found is None or names else tell(session.found, request, allowed)
        action = names.get(action, action)
    return f"\n{told}\nplay {session.word(action)}"


def _cgos(session: Session, found: "Found", request: Request, allowed: Sequence[int]) -> str:
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
