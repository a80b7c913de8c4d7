"""Kernel states that play a game from its start, so that tests can compare them with the rules."""

from collections.abc import Mapping

from gtp_variants.ai.kernel._kernel import KernelState
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import AreaRules


def start_state(rules: Rules, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> KernelState:
    """Return the kernel's state before the first event. Raises NotationError in the same cases as `Rules.start`."""
    first = rules.start(setup, to_play)
    state = KernelState(kernel_rules(rules), first.stones, -1 if to_play is None else first.mover)
    if isinstance(rules, AreaRules):
        state.komi = rules.game_komi(first.handicap)
    return state


def play(state: KernelState, action: int, actor: int | None = None) -> None:
    """Carry out an action, or raise the error that `Rules.play` raises, without a message and without any change."""
    refusal = state.play(action, -1 if actor is None else actor)
    if refusal in IllegalMove.REASONS:
        raise IllegalMove(refusal)
    if refusal:
        raise NotationError(f"action {action}: {refusal}")
