"""Laws of what learners see, each tried on a random game of any rules: how many positions there were, or LawBroken.

`turn_game`     a game turned by a symmetry of its board: what is seen and what may be played turns along
`compare_news`  after everything a player can do next: other news look different, no news and equal news alike
`compare_twins` two games of hidden stones that sound alike to a seat look alike to it all along
`compare_forms` games in a `Batch`, each as a `State`, and by the rules: the same masks, planes, turns and ends
"""

from random import Random

import numpy as np

import gtp_variants as gv
from gtp_variants.ai.kernel._kernel import KernelState
from gtp_variants.ai.nets.kernel_network import kernel_encoder
from gtp_variants.rules.actions import CHANCE, Event
from tests.ai.nets.forms import choose
from tests.support import kernel_states
from tests.support.twins import make_twins

# Seen by nobody in particular: by the side to move, every stone.
WHOLE = 0
# In so many positions one is also encoded by the plain encoder, which is slow.
_PLAIN_EVERY = 16


class LawBroken(Exception):
    """A position in which a law does not hold."""


def _expect(holds: bool, rules: gv.Rules, seed: int, number: int, what: str) -> None:
    if not holds:
        raise LawBroken(f"{rules.spec}, seed {seed}, position {number}: {what}")


def encode(rules: gv.Rules, state: KernelState, viewer: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the compiled encoder's planes, as levels, and features of a state."""
    encoder = kernel_encoder(rules)
    planes = np.full((len(encoder.scales), len(rules.board)), 99, np.uint8)
    features = np.full(encoder.global_count, 99, np.float32)
    encoder.encode(state, viewer, planes, features)
    return planes, features


def tensor(rules: gv.Rules, state: KernelState, viewer: int) -> bytes:
    """The same as bytes."""
    planes, features = encode(rules, state, viewer)
    return planes.tobytes() + features.tobytes()


def turn_game(rules: gv.Rules, seed: int, most: int) -> int:
    """Play one random game and its image under a symmetry, and compare what is seen and what may be played."""
    rng, turns = Random(seed), gv.symmetries(rules)
    goes_to = turns[seed % len(turns)]
    moved = np.append(goes_to, np.arange(len(goes_to), len(goes_to) + 2))
    here, there = kernel_states.start_state(rules), kernel_states.start_state(rules)
    viewers = (WHOLE,) if rules.is_open else (WHOLE, *rules.colours)
    for number in range(most):
        for viewer in viewers:
            (planes, features), (turned, others) = (encode(rules, state, viewer) for state in (here, there))
            _expect(np.array_equal(turned[:, goes_to], planes), rules, seed, number, "planes do not turn along")
            _expect(np.array_equal(others, features), rules, seed, number, "features change")
        mask = np.frombuffer(here.mask(), np.uint8)
        is_alike = np.array_equal(np.frombuffer(there.mask(), np.uint8)[moved[: len(mask)]], mask)
        _expect(is_alike, rules, seed, number, "the mask does not turn along")
        actions = here.actions()
        if not actions or here.is_over:
            return number + 1
        by_chance = here.to_play == CHANCE
        action = rng.choice(actions if by_chance or len(actions) == 1 or rng.random() < 0.1 else actions[:-1])
        kernel_states.play(here, action)
        kernel_states.play(there, action if by_chance or action < 0 else int(goes_to[action]))
    return most


def compare_news(rules: gv.Rules, seed: int, most: int) -> int:
    """Play a random game; after everything that can be done next, what each seat sees differs just as what it heard."""
    rng, game, state, count = Random(seed), gv.Game(rules), kernel_states.start_state(rules), 0
    while not rules.is_over(game.position) and count < most:
        position = game.position
        actions = list(rules.actions(position))
        # A try that was refused a moment ago tells nothing new; what dice show may mean the same.
        fresh = [] if position.to_play == CHANCE else [each for each in actions if each not in position.tried]
        afters = []
        for action in fresh:
            after = state.copy()
            kernel_states.play(after, action)
            afters.append((action, after))
        for colour in rules.colours if fresh else ():
            told: dict[object, bytes] = {}
            if not rules.is_open:
                told[None] = tensor(rules, state, colour)
            for action, after in afters:
                # In an open game everybody hears everything.
                event = Event(position.mover, action)
                heard = action if rules.is_open else rules.hears(position, event, rules.play(position, action), colour)
                seen = tensor(rules, after, colour)
                _expect(told.setdefault(heard, seen) == seen, rules, seed, count, f"{heard}: two tensors")
            _expect(len({*told.values()}) == len(told), rules, seed, count, "two pieces of news look alike")
            count += len(afters)
        weights = rules.odds(position) if position.to_play == CHANCE else None
        stones = actions if weights or len(actions) == 1 or rng.random() < 0.1 else [a for a in actions if a != gv.PASS]
        action = rng.choices(stones, weights)[0]
        game.play(position.to_play, action)
        kernel_states.play(state, action)
    return max(count, 1)


def compare_twins(spec: str, seed: int, plies: int = 40) -> int:
    """Two games that a seat cannot tell apart: whenever it has heard the same it sees the same."""
    colour = 1 + seed % 2
    games = make_twins(spec, colour, seed, plies)
    rules = games[0].rules
    first, second = (_look_on(game, colour) for game in games)
    _expect(len(first) == len(second), rules, seed, 0, "not twins")
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        _expect(one == other, rules, seed, number, f"{colour} sees what it did not hear")
    return len(first)


def _look_on(game: gv.Game, colour: int) -> list[bytes]:
    """Yield a seat's view before the first event and after each event that it hears."""
    rules, state = game.rules, kernel_states.start_state(game.rules)
    seen = [tensor(rules, state, colour)]
    for number, event in enumerate(game.events):
        kernel_states.play(state, event.action, event.actor)
        news = rules.hears(game.positions[number], event, game.positions[number + 1], colour)
        now = tensor(rules, state, colour)
        if news is None:
            _expect(now == seen[-1], rules, 0, number, f"{colour} sees an event that it did not hear")
        else:
            seen.append(now)
    return seen


def compare_forms(rules: gv.Rules, seed: int, steps: int, games: int = 4) -> int:
    """Step a batch, and play the same in states and by the rules: all three agree in every position."""
    rng, encoder = np.random.default_rng(seed), gv.Encoder(rules)
    batch = gv.Batch(rules, games, seed=seed, chance="given")
    states = [gv.State(rules, seed, "given") for _ in range(games)]
    by_rules = [gv.Game(rules) for _ in range(games)]
    seen = batch.reset()
    planes, features = np.empty_like(seen.planes[0]), np.empty_like(seen.globals[0])
    for step in range(steps):
        for number, (state, game) in enumerate(zip(states, by_rules, strict=True)):
            where = step * games + number
            _compare_position(encoder, seen, number, state, game, (planes, features))
            if (where + seed) % _PLAIN_EVERY == 0:
                mover = game.position.mover
                view = game.position if rules.is_open else rules.view(game.heard(mover), mover)
                law = encoder.encode_plainly(view)
                is_alike = np.array_equal(law[0], seen.planes[number]) and np.array_equal(law[1], seen.globals[number])
                _expect(is_alike, rules, seed, where, "the plain encoder sees something else")
        indices = choose(rules, seen, rng)
        actors = seen.to_play.copy()
        seen, rewards, done = batch.step(indices)
        for number, index in enumerate(indices.tolist()):
            state, game = states[number], by_rules[number]
            action = index if actors[number] == CHANCE else int(encoder.actions[index])
            state.play(action)
            game.play(int(actors[number]), action)
            outcome = game.outcome
            where = step * games + number
            is_alike = state.outcome == outcome and bool(done[number]) == (outcome is not None)
            _expect(is_alike, rules, seed, where, "another end")
            shares = [0.0 if outcome is None else _share(outcome, colour) for colour in rules.colours]
            _expect(rewards[number].tolist() == shares, rules, seed, where, "other rewards")
            if outcome is not None:
                states[number], by_rules[number] = gv.State(rules, seed, "given"), gv.Game(rules)
    return steps * games


def _share(outcome: gv.Outcome, colour: int) -> float:
    return 0.5 if outcome.winner is None else float(outcome.winner == colour)


def _compare_position(
    encoder: gv.Encoder,
    seen: gv.Observations,
    number: int,
    state: gv.State,
    game: gv.Game,
    arrays: tuple[np.ndarray, np.ndarray],
) -> None:
    """A game of a batch, its state, and what the rules say."""
    rules, position = encoder.rules, game.position
    planes, features = arrays
    state.encode(planes, features)
    allowed = set() if position.to_play == CHANCE else set(rules.actions(position))
    mask = [action in allowed for action in encoder.actions.tolist()]
    for what, holds in (
        ("to_play", seen.to_play[number] == state.to_play == position.to_play),
        ("mask", seen.mask[number].tolist() == state.mask().tolist() == mask),
        ("planes", np.array_equal(planes, seen.planes[number])),
        ("globals", np.array_equal(features, seen.globals[number])),
    ):
        if not holds:
            raise LawBroken(f"{rules.spec}: {what} differ after {game.events}")
