"""Colours, actors, actions and events, as numbers."""

from dataclasses import dataclass
from operator import index

from gtp_variants.errors import NotationError

EMPTY, BLACK, WHITE, RED = range(4)
# The actor that throws the dice. It shares its number with EMPTY, which no player has.
CHANCE = 0

# Actions of 0 and more are points; for CHANCE they are outcomes of the dice. Negative ones are a kind and an argument,
# see `pack`.
PASS, SWAP, RESIGN, RESUME, SET_DICE, MARK_DEAD, SETTLE, TURN, FLAG, FORFEIT, TOLERATE = range(-1, -12, -1)
POINT = 0
_KINDS = 16

# Actions by which a player leaves the game, on any player's turn.
LEAVING = (RESIGN, FLAG, FORFEIT)


def pack(kind: int, argument: int) -> int:
    """Return the action of a kind with an argument, such as SET_DICE with dice or MARK_DEAD with a point."""
    return kind - _KINDS * argument


def unpack(action: int) -> tuple[int, int]:
    """Return kind and argument of an action; POINT and the point for a stone."""
    if action >= 0:
        return POINT, action
    argument, kind = divmod(-action - 1, _KINDS)
    return -1 - kind, argument


def whole(name: str, value: object) -> int:
    """Return a whole number from outside, such as one of numpy's, as an int.

    Raises NotationError for a truth value and for anything but a whole number; `name` names the value in the message.
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
