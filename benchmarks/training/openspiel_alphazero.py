"""Train OpenSpiel's Python AlphaZero on our games for some minutes, then play it against random moves.

    python -m benchmarks.training.openspiel_alphazero pentalath go:size=5 [--minutes 20] [--games 100]

Needs the extra `openspiel`, and for its AlphaZero `pip install chex flax jax optax orbax-checkpoint`. Two actors play
the games and a learner trains, as `open_spiel.python.algorithms.alpha_zero` starts them, until they have used
`--minutes` of processor time: 20 are ten minutes of two cores. Afterwards the newest weights play with
the same number of simulations against random moves, each colour in half of the games. Prints the share of the games
that were won with its interval of 95%, also for the weights before training.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from time import monotonic, sleep

import numpy as np
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator

from gtp_variants.adapters import openspiel

SIMULATIONS = 24
PLAIN_ACTOR = alpha_zero.actor


def config_of(game, path, width):
    """Return the configuration of the learner and its actors."""
    return alpha_zero.Config(
        game=game,
        path=path,
        learning_rate=1e-3,
        weight_decay=1e-4,
        decouple_weight_decay=True,
        train_batch_size=128,
        replay_buffer_size=2**11,
        replay_buffer_reuse=8,
        max_steps=0,
        checkpoint_freq=10**6,
        actors=2,
        evaluators=0,
        evaluation_window=10,
        eval_levels=2,
        uct_c=2.0,
        max_simulations=SIMULATIONS,
        policy_alpha=0.5,
        policy_epsilon=0.25,
        temperature=1.0,
        temperature_drop=12,
        nn_model="mlp",
        nn_width=width,
        nn_depth=2,
        observation_shape=None,
        output_size=None,
        verbose=False,
        quiet=True,
    )


def compile_inference():
    """Let JAX compile the network's inference, which takes 0.2 ms instead of OpenSpiel's 4."""
    import jax
    from flax import nnx
    from jax import numpy as jnp
    from open_spiel.python.algorithms.alpha_zero.model_nnx import Model

    @jax.jit
    def infer(state, observation, mask):
        network = nnx.merge(state.graphdef, state.params, state.batch_stats)
        network.eval()
        logits, value = network(observation)
        return value, nnx.softmax(jnp.where(mask, logits, jnp.finfo(jnp.float32).min))

    def inference(model, observation, mask):
        value, policy = infer(model._state, np.asarray(observation, np.float32), np.asarray(mask, bool))
        return np.asarray(value), np.asarray(policy)

    Model.inference = inference


def play_games(**given):
    """Run OpenSpiel's actor with a compiled network."""
    compile_inference()
    PLAIN_ACTOR(**given)


def learn(game, path, width):
    """Train until the process is ended."""
    alpha_zero.actor = play_games
    alpha_zero.alpha_zero(config_of(game, path, width))


def bot_of(spec, path, width, step):
    """Return OpenSpiel's search with the weights of a checkpoint, or new ones without `step`."""
    game = openspiel.load_game(spec)
    config = config_of(str(game), path, width).replace(
        observation_shape=game.observation_tensor_shape(), output_size=game.num_distinct_actions()
    )
    model = alpha_zero._init_model_from_config(config)
    if step is not None:
        model.load_checkpoint(step)
    return game, mcts.MCTSBot(
        game,
        config.uct_c,
        SIMULATIONS,
        evaluator.AlphaZeroEvaluator(game, model),
        solve=False,
        child_selection_fn=mcts.SearchNode.puct_value,
        dont_return_chance_node=True,
    )


def play(game, bot, number):
    """Game `number` against random moves: 1, 0.5 or 0 for the bot, which is Black in every other game."""
    state, rng, side = game.new_initial_state(), Random(number), number % 2
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, odds)[0])
        elif state.current_player() == side:
            state.apply_action(bot.step(state))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return (state.returns()[side] + 1) / 2


def processor_s(session):
    """Return the processor seconds used so far by the processes of a session."""
    used = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has just ended
        if int(fields[3]) == session:
            used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def measure(spec, minutes, games, width):
    """Train on one game, then play it."""
    with tempfile.TemporaryDirectory() as path:
        command = [sys.executable, __file__, "--learn", str(openspiel.load_game(spec)), path, str(width)]
        began = monotonic()
        with Path(path, "learner.out").open("w") as out:
            learner = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
            while learner.poll() is None and (used := processor_s(learner.pid)) < 60 * minutes:
                sleep(1)
        if learner.poll() is not None:
            sys.exit(f"the learner ended early:\n{Path(path, 'learner.out').read_text()[-2000:]}")
        os.killpg(learner.pid, signal.SIGTERM)
        learner.wait()
        spent = monotonic() - began
        rows = [json.loads(line) for line in Path(path, "learner.jsonl").read_text().splitlines()]
        print(
            f"{spec}: {used:.0f} s of processor time, {spent:.0f} s by the clock, "
            f"{rows[-1]['total_trajectories']} games, {rows[-1]['total_states']} positions, {len(rows)} updates"
        )
        for label, step in (("before", None), ("after", -1)):
            game, bot = bot_of(spec, path, width, step)
            points = [play(game, bot, number) for number in range(games)]
            share = sum(points) / games
            error = 1.96 * (share * (1 - share) / games) ** 0.5
            print(
                f"  {label}: {100 * share:.1f}% ± {100 * error:.1f} of {games} games against random moves", flush=True
            )


def main():
    """Measure the named games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="+")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--width", type=int, default=128)
    given = parser.parse_args()
    for spec in given.spec:
        measure(spec, given.minutes, given.games, given.width)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--learn"]:
        learn(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
