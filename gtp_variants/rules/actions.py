"""Colours, actors, actions and events, as numbers."""

from dataclasses import dataclass
from operator import index

from gtp_variants.errors import NotationError

EMPTY, BLACK, WHITE, RED = range(4)
# The actor that throws the dice. It has the number of EMPTY, which is no player's colour.
CHANCE = 0

# Actions from 0 up are points or, for CHANCE, outcomes of the dice. Negative actions hold a kind and an argument: see
# `pack`.
PASS, SWAP, RESIGN, RESUME, SET_DICE, MARK_DEAD, SETTLE, TURN, FLAG, FORFEIT, TOLERATE = range(-1, -12, -1)
WHITE_PASSES, MATCH = -12, -13
POINT = 0
_KINDS = 16
# The kinds that have an argument: dice, a point, a number of passes, an index into MATCH_GAMES.
WITH_ARGUMENT = (SET_DICE, MARK_DEAD, WHITE_PASSES, MATCH)
# The terms of a game, which players state before its first move.
TERMS = (WHITE_PASSES, MATCH)
# The two games of a match, without and with the tie-break by moves.
MATCH_GAMES = ("1/2", "2/2", "1/2 black_moves", "2/2 black_moves")

# Actions by which a player leaves the game, on any player's turn.
LEAVING = (RESIGN, FLAG, FORFEIT)


def pack(kind: int, argument: int) -> int:
    """Return the action with a kind and an argument, such as SET_DICE with dice or MARK_DEAD with a point."""
    return kind - _KINDS * argument


def unpack(action: int) -> tuple[int, int]:
    """Return the kind and the argument of an action; for a stone, POINT and the point."""
    if action >= 0:
        return POINT, action
    argument, kind = divmod(-action - 1, _KINDS)
    return -1 - kind, argument


def whole(name: str, value: object) -> int:
    """Return a whole number of any type, such as numpy's int64, as an int.

    Raises NotationError for a boolean, or anything else that is not a whole number. The message calls the value `name`.
    """
    if isinstance(value, bool):
        raise NotationError(f"{name} {value}: expected a whole number")
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise NotationError(f"{name} {str(value)[:40]!r}: expected a whole number") from None


@dataclass(frozen=True, slots=True)
class Event:
    """An action and its actor. The events of a game, in order, replay it exactly.

    >>> import gtp_variants as gv
    >>> game = gv.random_game(gv.parse("go:size=5"), seed=1, plies=2)
    >>> game.events
    [Event(actor=1, action=4), Event(actor=2, action=19)]
    >>> gv.Game.replay(game.rules, game.events) == game
    True
    """

    actor: int
    action: int
