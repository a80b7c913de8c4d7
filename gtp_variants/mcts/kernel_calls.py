"""The native kernel as Python sees it: rules and positions turned into its tables.

Importing this raises ImportError where the kernel was not built; `mcts.search_backend()` says whether it was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.mcts import _kernel, patterns
from gtp_variants.mcts.result import Ask, SearchResult
from gtp_variants.mcts.settings import Avoided, SearchLimits, SearchSettings
from gtp_variants.rules.actions import Event
from gtp_variants.rules.dice.kinds import DiceKind
from gtp_variants.rules.games.aleago import AleagoPosition
from gtp_variants.rules.games.alter_igo import AlterIgoPosition
from gtp_variants.rules.games.go import GoPosition
from gtp_variants.rules.games.phantom import PhantomPosition
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

State = _kernel.State

_PENTALATH_REPETITION = {"none": "none", "draw3": "board", "draw3_situation": "situation"}
_PENTALATH_OCCURRENCES = 3


@lru_cache(maxsize=64)
def kernel_rules(rules: Rules) -> _kernel.Rules:
    """The kernel's tables of a configured game."""
    board = rules.board
    facts: dict[str, Any] = {
        "game": rules.kernel_game,
        "neighbours": board.neighbours,
        "diagonals": board.diagonals,
        "is_grid": board.geometry == "rect",
        "surroundings": patterns.surroundings(board) if board.geometry == "rect" else (),
        "rings": board.rings,
        "shapes": patterns.table() if board.geometry == "rect" else b"",
        "faces": board.faces,
        "fives": board.fives,
        "colours": rules.colours,
    }
    return _kernel.Rules({**facts, **rules.kernel_facts})


def start(rules: Rules, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> State:
    """The kernel's state before the first event. Raises NotationError as `Rules.start` does."""
    first = rules.start(setup, to_play)
    return State(kernel_rules(rules), first.stones, -1 if to_play is None else first.mover)


def replay(rules: Rules, events: Iterable[Event], setup: Mapping[int, int] | None = None) -> State:
    """The kernel's state after these events. Raises IllegalMove or NotationError for one that could not be."""
    state = start(rules, setup)
    for event in events:
        play(state, event.action, event.actor)
    return state


def play(state: State, action: int, actor: int | None = None) -> None:
    """Carry out an action, or raise what `Rules.play` raises, without a sentence, and leave the state as it was."""
    refusal = state.play(action, -1 if actor is None else actor)
    if refusal in IllegalMove.REASONS:
        raise IllegalMove(refusal)
    if refusal:
        raise NotationError(f"action {action}: {refusal}")


def state_of(rules: Rules, position: Position) -> State:
    """The kernel's state of a position, its history included."""
    state = State(kernel_rules(rules), position.stones, position.mover)
    state.turn = position.turn
    state.passes = position.passes
    state.last = None if position.last is None else (position.last.actor, position.last.action)
    state.captured = position.captured
    state.taken = position.taken
    state.out = [(event.actor, event.action) for event in position.out]
    state.forget()
    for key, count in position.history.counts().items():
        state.remember(key, count)
    if position.ended is not None:
        state.end(position.ended.winner or 0, position.ended.how)
    if isinstance(position, GoPosition):
        state.set_before(position.before)
        state.dead = sorted(position.dead)
        state.settled = position.settled
    if isinstance(position, PhantomPosition):
        state.tried = sorted(position.tried)
        state.seen = sorted(position.seen)
        state.tries = position.tries
    elif isinstance(position, AleagoPosition):
        state.dice = (position.dice.count, position.dice.sides)
        state.draws = position.draws
        state.casts = position.casts
        state.final = position.final
    elif isinstance(position, AlterIgoPosition):
        state.passes_left = position.passes_left
    return state


def _by_name(settings: SearchLimits) -> dict[str, Any]:
    """What `dataclasses.asdict` gives, which copies every value and takes as long as a hundred playouts."""
    return {field.name: getattr(settings, field.name) for field in fields(settings)}


class KernelTree:
    """A search in the kernel; see `tree.PlainTree`."""

    def __init__(self, rules: Rules, position: Position, settings: SearchSettings, avoided: Avoided = ()) -> None:
        self._rules = rules
        self._search = _kernel.make_search(state_of(rules, position), _by_name(settings), avoided)

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        """Go on to a position that lies so many moves ahead of the one before, or, without them, to any one anew."""
        self._search.go_on(state_of(self._rules, position), moves)

    def think(self, limits: SearchLimits, ask: Ask | None = None) -> SearchResult:
        """Search until the playouts are done, the time is over, the game is decided, or `ask` says so."""
        if ask is None:
            return found_of(self._search.think(_by_name(limits)))
        search, wish = self._search, ask
        return found_of(search.think(_by_name(limits), lambda: wish(lambda: found_of(search.so_far()))))

    def ponder(self) -> None:
        """Think in the background, without a limit, until `stop`, or until the memory is used up."""
        self._search.ponder()

    def stop(self) -> None:
        """End what `ponder` began; nothing runs any more when this returns."""
        self._search.stop()

    @property
    def is_pondering(self) -> bool:
        """Whether it thinks in the background."""
        return self._search.is_pondering


def found_of(found: _kernel.Found) -> SearchResult:
    """What the kernel found, as both forms say it."""
    proved = {1: True, -1: False}.get(found.proved)
    values, principal = tuple(found.values), tuple(found.principal)
    return SearchResult(
        found.action,
        dict(found.visits),
        values,
        principal,
        found.playouts,
        found.turns,
        proved,
        dict(found.shares),
    )


def outcome(state: State) -> Outcome | None:
    """The outcome of a state as the rules give it."""
    found = state.outcome()
    return None if found is None else Outcome(found[0] or None, found[1], found[2])


def facts_of(state: State) -> dict[str, Any]:
    """What a state says of a position, under the names of `Position` and its kinds; for comparing the two."""
    return {
        "stones": state.stones,
        "mover": state.mover,
        "to_play": state.to_play,
        "turn": state.turn,
        "passes": state.passes,
        "last": None if state.last is None else Event(*state.last),
        "captured": tuple(state.captured),
        "taken": tuple(state.taken),
        "out": tuple(Event(*event) for event in state.out),
        "dead": frozenset(state.dead),
        "settled": state.settled,
        "tried": frozenset(state.tried),
        "seen": frozenset(state.seen),
        "tries": state.tries,
        "dice": DiceKind(*state.dice),
        "draws": tuple(state.draws),
        "casts": tuple(state.casts),
        "final": state.final,
        "passes_left": state.passes_left,
    }
