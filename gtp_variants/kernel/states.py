"""Games as the kernel takes them: rules as its tables, positions as its states, actions carried out there.

Importing this raises ImportError where the kernel was not built; `backend.search_backend()` says whether it was.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.kernel._kernel import KernelRules, KernelState
from gtp_variants.kernel.patterns import shape_table, surroundings
from gtp_variants.rules.actions import Event
from gtp_variants.rules.dice.kinds import DiceKind
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# The fields of a position that the kernel's state has under the same name, and that can be set.
_STATE_FIELDS = frozenset(
    "turn passes last captured taken out dead settled tried seen tries dice draws casts final passes_left".split()
)


@lru_cache(maxsize=64)
def kernel_rules(rules: Rules) -> KernelRules:
    """The kernel's tables of a configured game."""
    board = rules.board
    has_shapes = board.geometry == "rect"
    facts: dict[str, object] = {
        "game": rules.profile.kernel_game,
        "neighbours": board.neighbours,
        "diagonals": board.diagonals,
        "is_grid": has_shapes,
        "surroundings": surroundings(board) if has_shapes else (),
        "rings": board.rings,
        "shapes": shape_table() if has_shapes else b"",
        "faces": board.faces,
        "fives": board.fives,
        "colours": rules.colours,
    }
    return KernelRules(facts | dict(rules.profile.kernel_facts(rules)))


def start_state(rules: Rules, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> KernelState:
    """The kernel's state before the first event. Raises NotationError as `Rules.start` does."""
    first = rules.start(setup, to_play)
    return KernelState(kernel_rules(rules), first.stones, -1 if to_play is None else first.mover)


def play(state: KernelState, action: int, actor: int | None = None) -> None:
    """Carry out an action, or raise what `Rules.play` raises, without a sentence, and leave the state as it was."""
    refusal = state.play(action, -1 if actor is None else actor)
    if refusal in IllegalMove.REASONS:
        raise IllegalMove(refusal)
    if refusal:
        raise NotationError(f"action {action}: {refusal}")


def state_of(rules: Rules, position: Position) -> KernelState:
    """The kernel's state of a position, its history included."""
    state = KernelState(kernel_rules(rules), position.stones, position.mover)
    state.forget()
    for key, count in position.history.counts().items():
        state.remember(key, count)
    if position.ended is not None:
        state.end(position.ended.winner or 0, position.ended.how)
    for field in fields(position):
        value = getattr(position, field.name)
        if field.name == "before":
            state.set_before(value)
        elif field.name in _STATE_FIELDS:
            setattr(state, field.name, _to_kernel(value))
    return state


def _to_kernel(value: object) -> object:
    """A value of a position as the kernel takes it: sets as sorted lists, dice as numbers, events as pairs."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, DiceKind):
        return value.count, value.sides
    if isinstance(value, Event):
        return value.actor, value.action
    if isinstance(value, tuple):
        return [_to_kernel(each) for each in value]
    return value
