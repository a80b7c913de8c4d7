"""The kernel against the rules: the same random game on both, compared after every event.

Most events are legal actions; some are anything at all, which both must refuse for the same reason or accept alike.
"""

from collections.abc import Iterable
from random import Random
from typing import Any

from gtp_variants.ai.kernel import states
from gtp_variants.ai.kernel._kernel import KernelState
from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules.actions import (
    CHANCE,
    FLAG,
    FORFEIT,
    MARK_DEAD,
    PASS,
    RESIGN,
    RESUME,
    SET_DICE,
    SETTLE,
    SWAP,
    TURN,
    Event,
    pack,
)
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import AreaRules
from tests.support import kernel_states

_WILD = 0.04
_PASS = 0.06


class Difference(AssertionError):
    """The kernel and the rules disagree; the message holds the game that shows it."""


def compare_game(rules: Rules, seed: int, most: int = 0, every: int = 8) -> int:
    """Play one random game on both sides and compare; the answer is the number of events.

    It ends after `most` events (by default a few for each point), and every so many of them the legal actions are
    compared too. Raises Difference.
    """
    rng = Random(seed)
    setup, first = _setup(rules, rng) if seed % 3 == 2 else ({}, None)
    game = Game(rules, setup, first)
    state = kernel_states.start_state(rules, setup, first)
    most = most or 40 + 3 * len(rules.board)
    _compare(game, state)
    for number in range(most):
        if rules.is_final(game.position):
            _compare_legal(game, state)
            break
        if number % every == 0:
            _compare_legal(game, state)
        wild = rng.random() < _WILD
        actor, action = _anything(rules, game.position, rng) if wild else _legal(state, rng)
        _compare_play(game, state, actor, action)
        _compare(game, state)
    _compare_loaded(game, state)
    return len(game.events)


def compare_events(rules: Rules, events: Iterable[tuple[int, int]]) -> Game:
    """Play (actor, action) pairs on both sides and compare after each. Raises Difference."""
    game = Game(rules)
    state = kernel_states.start_state(rules)
    for actor, action in events:
        _compare_play(game, state, actor, action)
        _compare(game, state)
        _compare_legal(game, state)
    _compare_loaded(game, state)
    return game


def _setup(rules: Rules, rng: Random) -> tuple[dict[int, int], int | None]:
    """Return random starting stones and the colour that begins."""
    first = rng.choice([None, *rules.colours])
    for _ in range(20):
        share = rng.random()
        setup = {point: rng.choice(rules.colours) for point in range(len(rules.board)) if rng.random() < share}
        try:
            rules.start(setup, first)
        except NotationError:
            continue
        return setup, first
    return {}, first


def _legal(state: KernelState, rng: Random) -> tuple[int, int]:
    actor, actions = state.to_play, state.legal()
    if actor != CHANCE and len(actions) > 1 and actions[-1] == PASS and rng.random() >= _PASS:
        actions.pop()
    return actor, rng.choice(actions)


def _anything(rules: Rules, position: Position, rng: Random) -> tuple[int, int]:
    """Return a random action, possibly illegal, of a random colour."""
    points = len(rules.board)
    actor = rng.choice([position.to_play, position.mover, *rules.colours])
    kind = rng.randrange(12)
    if kind < 4:
        return actor, rng.randrange(points + 2)
    if kind < 6:
        return actor, pack(MARK_DEAD, rng.randrange(points + 1))
    if kind == 6:
        return actor, pack(SET_DICE, rng.choice([1002, 1003, 2002, 2003, 1005, 3002, 0, 1000]))
    if kind == 7 and rng.random() < 0.4 and actor != CHANCE:
        return actor, rng.choice([RESIGN, FLAG, FORFEIT])
    return actor, rng.choice([PASS, SWAP, RESUME, SETTLE, TURN, -11])


def _compare_play(game: Game, state: KernelState, actor: int, action: int) -> None:
    refusals: list[str] = []
    for play in (game.play, lambda actor, action: kernel_states.play(state, action, actor)):
        try:
            play(actor, action)
        except IllegalMove as error:
            refusals.append(error.reason)
        except ValueError:
            refusals.append("not an action")
        else:
            refusals.append("")
    _expect(game, f"refusal of {action} by {actor}", *refusals)


def _compare(game: Game, state: KernelState) -> None:
    rules, position = game.rules, game.position
    for key, found in facts_of(state).items():
        if hasattr(position, key):
            _expect(game, key, getattr(position, key), found)
    _expect(game, "boards seen", len(position.history), state.boards_seen)
    _expect(game, "is_over", rules.is_over(position), state.is_over)
    if isinstance(rules, AreaRules):
        _expect(game, "effective komi", rules.effective_komi(position), state.effective_komi)
    _expect(game, "suspended", rules.is_suspended(position), state.suspended)
    _expect(game, "outcome", _rounded(rules.outcome(position)), _rounded(outcome_of(state)))


def facts_of(state: KernelState) -> dict[str, Any]:
    """Return a state's facts about a position, under the names of `Position` and its kinds."""
    names = ("stones", "mover", "to_play", "turn", "passes", "settled", "button", "tries", "final", "passes_left")
    return {
        **{name: getattr(state, name) for name in names},
        **{name: tuple(getattr(state, name)) for name in ("captured", "earlier", "taken", "draws", "casts")},
        **{name: frozenset(getattr(state, name)) for name in ("dead", "tried", "seen")},
        "last": None if state.last is None else Event(*state.last),
        "out": tuple(Event(*event) for event in state.out),
        "dice": DiceKind(*state.dice),
    }


def outcome_of(state: KernelState) -> Outcome | None:
    """The outcome of a state as the rules give it."""
    found = state.outcome()
    return None if found is None else Outcome(found[0] or None, found[1], found[2])


def _rounded(outcome: Outcome | None) -> Any:
    return outcome and (outcome.winner, outcome.how, round(outcome.margin, 6))


def _compare_legal(game: Game, state: KernelState) -> None:
    rules, position = game.rules, game.position
    _expect(game, "legal", list(rules.legal(position)), state.legal())
    _expect(game, "actions", list(rules.actions(position)), state.actions())
    _expect(game, "mask", _mask(rules, position, len(state.mask())), list(state.mask()))


def _mask(rules: Rules, position: Position, size: int) -> list[int]:
    """Return the mask of possible tries by policy index: points, then PASS and SWAP if the game has them."""
    mask = [0] * size
    for action in () if position.to_play == CHANCE else rules.actions(position):
        mask[{SWAP: -1, PASS: len(rules.board)}.get(action, action)] = 1
    return mask


def _compare_loaded(game: Game, state: KernelState) -> None:
    """A state made of the position alone is the state that lived through the game."""
    loaded = states.state_of(game.rules, game.position)
    _compare(game, loaded)
    _expect(game, "legal when loaded", state.legal(), loaded.legal())
    _expect(game, "hash when loaded", state.hash, loaded.hash)
    _expect(game, "occurrences when loaded", state.occurrences(), loaded.occurrences())


def _expect(game: Game, what: str, of_rules: object, of_kernel: object) -> None:
    if of_rules != of_kernel:
        events = [(event.actor, event.action) for event in game.events]
        raise Difference(
            f"{what}: the rules say {of_rules!r}, the kernel says {of_kernel!r}\n"
            f"{game.rules.spec} from {game.setup}, {game.first} after {len(events)} events: {events}"
        )
