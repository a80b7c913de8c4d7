"""What a host asks of an analysis: `[COLOUR] [CENTISECONDS] [KEY VALUE]...`, as KataGo reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.analysis import AnalysisFields, leave_out
from gtp_variants.gtp.engine.bot.session_search import actions_of
from gtp_variants.gtp.engine.handler import need, read_seconds, read_whole
from gtp_variants.gtp.engine.session import Session
from gtp_variants.json_values import Json
from gtp_variants.rules.words import COLOUR_WORDS

if TYPE_CHECKING:
    from gtp_variants.mcts.settings import AvoidedMove

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
    colour = session.mover
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
    from gtp_variants.mcts.settings import find_moves_to_avoid

    unwanted = find_moves_to_avoid(request.avoided, request.colour)
    allowed = [move for move in actions_of(session, request.colour) if move not in unwanted]
    if not allowed and unwanted:
        raise CommandFailed("no move is left")
    return allowed
