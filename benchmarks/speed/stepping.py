"""Measure a step with mask and observation: `gv.Batch` and `gv.State` compared with OpenSpiel and pgx.

    python -m benchmarks.speed.stepping [--games 256] [--steps 40] [--rounds 5] [--peers PYTHON]

`--peers` is the interpreter of an environment where `pip install open_spiel pgx` was done; what is missing there is
left out. Prints medians over the rounds in microseconds of processor time a step, all threads counted, so that other
programs on the machine matter little, and how often one of our steps fits into theirs. Moves are random, passes rare;
choosing them is not counted. A slow machine is not a failure.
"""

import argparse
import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

# Our game, the target in microseconds per step, and the most similar games of other libraries.
GAMES = {
    "go:size=9": (3.0, ("openspiel go(board_size=9)", "pgx go_9x9")),
    "aleago:size=13": (6.0, ("openspiel go(board_size=13)",)),
    "rosette:n=7": (8.0, ()),
    "pentalath": (0.0, ("openspiel havannah(board_size=5)",)),
    "phantom:size=9": (0.0, ("openspiel phantom_go(board_size=9)",)),
    "alter-igo": (0.0, ()),
}


def measure_batch(spec: str, games: int, steps: int) -> float:
    """Return the microseconds per step of `gv.Batch`."""
    import gtp_variants as gv

    rules = gv.parse(spec)
    batch, rng = gv.Batch(rules, games), np.random.default_rng(1)
    seen, spent = batch.reset(), 0.0
    for _ in range(steps):
        weights = rng.random(seen.mask.shape, dtype=np.float32) * seen.mask
        if rules.has_pass:
            weights[:, len(rules.board)] *= 0.02
        indices = weights.argmax(1).astype(np.int32)
        began = process_time()
        batch.step(indices)
        spent += process_time() - began
    return 1e6 * spent / steps / games


def measure_state(spec: str, games: int, steps: int) -> float:
    """Return the microseconds of `gv.State.play` alone."""
    import gtp_variants as gv

    rules, rng = gv.parse(spec), np.random.default_rng(1)
    spent, played = 0.0, 0
    for seed in range(games // 8):
        state = gv.State(rules, seed)
        actions = []
        for _ in range(steps):
            points = np.flatnonzero(state.mask()[: len(rules.board)])
            if state.outcome is not None or not len(points):
                break
            actions.append(int(rng.choice(points)))
            state.play(actions[-1])
        state = gv.State(rules, seed)
        began = process_time()
        for action in actions:
            state.play(action)
        spent += process_time() - began
        played += len(actions)
    return 1e6 * spent / played


def measure_openspiel(name: str, games: int, steps: int) -> float:
    """Return OpenSpiel's microseconds per step in single games: action, mask and tensor of the side to move."""
    import pyspiel

    game, rng = pyspiel.load_game(name), np.random.default_rng(1)
    states, spent = [game.new_initial_state() for _ in range(games // 8)], 0.0
    for _ in range(steps):
        for number, state in enumerate(states):
            legal = state.legal_actions()
            action = legal[int(rng.integers(max(1, len(legal) - 1)))]
            began = process_time()
            state.apply_action(action)
            if state.is_terminal():
                states[number] = state = game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor(state.current_player())
            spent += process_time() - began
    return 1e6 * spent / steps / len(states)


def measure_pgx(name: str, games: int, steps: int) -> float:
    """Return pgx's microseconds per step, compiled and vectorised, with mask and observation."""
    import jax
    import pgx

    env = pgx.make(name)
    keys = jax.random.split(jax.random.PRNGKey(1), games)
    state = jax.jit(jax.vmap(env.init))(keys)
    step, rng, spent = jax.jit(jax.vmap(env.step)), np.random.default_rng(1), 0.0
    for number in range(steps + 1):
        mask = np.asarray(state.legal_action_mask)
        actions = (rng.random(mask.shape) * mask).argmax(1).astype(np.int32)
        began = process_time()
        state = jax.block_until_ready(step(state, actions))
        # The first call compiles.
        spent += process_time() - began if number else 0.0
    return 1e6 * spent / steps / games


MEASURES: dict[str, Callable[[str, int, int], float]] = {
    "batch": measure_batch,
    "state": measure_state,
    "openspiel": measure_openspiel,
    "pgx": measure_pgx,
}


def ask_peer(python: str, library: str, name: str, games: int, steps: int) -> float | None:
    """Return another environment's measurement, or None if it lacks the library or the game."""
    command = [python, str(Path(__file__).resolve()), "--only", json.dumps([library, name, games, steps])]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return float(answer.stdout.split()[-1]) if answer.returncode == 0 else None


def main() -> None:
    """Measure everything in each round, and print medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=256, help="games stepped together (default %(default)s)")
    parser.add_argument("--steps", type=int, default=40, help="steps of each in a round (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default %(default)s)")
    parser.add_argument("--peers", help="an interpreter that has open_spiel and pgx")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        library, name, games, steps = json.loads(arguments.only)
        print(MEASURES[library](name, games, steps))
        return
    size = (arguments.games, arguments.steps)
    times: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        for spec, (_, peers) in GAMES.items():
            runs = {
                f"{spec} Batch": partial(measure_batch, spec, *size),
                f"{spec} State.play": partial(measure_state, spec, *size),
            }
            for peer in peers if arguments.peers else ():
                library, _, name = peer.partition(" ")
                runs[f"{spec} {peer}"] = partial(ask_peer, arguments.peers, library, name, *size)
            for what, run in runs.items():
                found = run()
                if found is not None:
                    times.setdefault(what, []).append(found)
    for spec, (aim, _) in GAMES.items():
        ours = median(times[f"{spec} Batch"])
        for what in (each for each in times if each.startswith(spec)):
            here = median(times[what])
            note = f"aim {aim}" if aim and what.endswith(" Batch") else f"{here / ours:8.1f} times a step of Batch"
            print(f"{what:48} {here:9.2f} us   {note}")


if __name__ == "__main__":
    main()
