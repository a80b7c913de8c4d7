"""Colours and actions: the numbers everything else is written in."""

from dataclasses import dataclass
from operator import index

from gtp_variants.errors import NotationError

EMPTY, BLACK, WHITE, RED = range(4)
# An actor, not a colour: nobody plays EMPTY, nobody owns the dice.
CHANCE = 0

# Actions of 0 and more are points; for CHANCE they index the outcomes of the dice. Negative ones are a kind and an
# argument, see `pack`.
PASS, SWAP, RESIGN, RESUME, SET_DICE, MARK_DEAD, SETTLE, TURN, FLAG, FORFEIT, TOLERATE = range(-1, -12, -1)
POINT = 0
_KINDS = 16

# What one player may do to leave the game at any moment, on whoever's turn.
LEAVING = (RESIGN, FLAG, FORFEIT)


def pack(kind: int, argument: int) -> int:
    """The action of a kind with an argument, such as SET_DICE with dice or MARK_DEAD with a point."""
    return kind - _KINDS * argument


def unpack(action: int) -> tuple[int, int]:
    """Kind and argument of an action; POINT and the point for a stone."""
    if action >= 0:
        return POINT, action
    argument, kind = divmod(-action - 1, _KINDS)
    return -1 - kind, argument


def whole(name: str, value: object) -> int:
    """A number that came from outside as Python's own, such as one of numpy's.

    Raises NotationError, with the name of what it is, for a truth value and what is no whole number.
    """
    if isinstance(value, bool):
        raise NotationError(f"{name} {value}: expected a whole number")
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise NotationError(f"{name} {str(value)[:40]!r}: expected a whole number") from None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: who did what. A list of events replays a game exactly.

    >>> import gtp_variants as gv
    >>> game = gv.random_game(gv.parse("go:size=5"), seed=1, plies=2)
    >>> game.events
    [Event(actor=1, action=4), Event(actor=2, action=19)]
    >>> gv.Game.replay(game.rules, game.events) == game
    True
    """

    actor: int
    action: int
