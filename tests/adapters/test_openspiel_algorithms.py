"""OpenSpiel's algorithms in Python on small boards: each takes a few steps of what it does."""

from random import Random
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

# The packages that they stand on warn of each other.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
# What the algorithms for PyTorch import.
TORCH = "dm-tree and PyTorch are not installed: OpenSpiel's algorithms for it need them"


@pytest.fixture
def adapter() -> Any:
    import gtp_variants.adapters.openspiel as adapter

    return adapter


def with_torch() -> None:
    for package in ("tree", "torch"):
        pytest.importorskip(package, reason=TORCH)


@pytest.mark.parametrize("spec", ["phantom:size=3", "phantom:size=3,rules=openspiel"])
def test_is_mcts(spec: str, adapter: Any) -> None:
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    game, rng = adapter.load_game(spec), Random(1)
    state = game.new_initial_state()
    bot = ISMCTSBot(
        game=game,
        uct_c=2.0,
        max_simulations=12,
        evaluator=RandomRolloutEvaluator(1, np.random.RandomState(1)),
        random_state=np.random.RandomState(1),
    )
    for _ in range(12):
        if state.is_terminal():
            break
        action = bot.step(state) if state.current_player() == 0 else rng.choice(state.legal_actions())
        assert action in state.legal_actions()
        state.apply_action(action)


@pytest.mark.parametrize("spec", ["go:size=4", "aleago:size=5,dice=1d3", "pentalath:players=3"])
def test_mcts(spec: str, adapter: Any) -> None:
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

    game = adapter.load_game(spec)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    random = np.random.RandomState(1)
    assert MCTSBot(game, 2, 12, RandomRolloutEvaluator(1, random), random_state=random).step(state) >= 0


def test_best_response_and_cfr(adapter: Any) -> None:
    """A whole tree: so few events that every history can be walked."""
    from open_spiel.python.algorithms import best_response, cfr, exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    game = adapter.load_game("phantom:size=2,komi=0.5", max_game_length=3)
    uniform = UniformRandomPolicy(game)
    best = best_response.BestResponsePolicy(game, 0, uniform)
    assert best.value(game.new_initial_state()) > 0.5
    before = exploitability.nash_conv(game, uniform)
    solver = cfr.CFRSolver(game)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < before


def test_deep_cfr(adapter: Any) -> None:
    with_torch()
    from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

    solver = DeepCFRSolver(
        adapter.load_game("phantom:size=2", max_game_length=4),
        policy_network_layers=(16,),
        advantage_network_layers=(16,),
        num_iterations=2,
        num_traversals=2,
        batch_size_advantage=8,
        batch_size_strategy=8,
        memory_capacity=1000,
    )
    _, losses, _ = solver.solve()
    assert set(losses) == {0, 1}


@pytest.mark.parametrize("algorithm", ["dqn", "nfsp"])
def test_agents_that_learn_from_an_rl_environment(algorithm: str, adapter: Any) -> None:
    with_torch()
    from open_spiel.python.pytorch.dqn import DQN
    from open_spiel.python.pytorch.nfsp import NFSP
    from open_spiel.python.rl_environment import Environment

    environment = Environment(adapter.load_game("phantom:size=3", max_game_length=20))
    size, actions = environment.observation_spec()["info_state"][0], environment.action_spec()["num_actions"]
    some: dict[str, Any] = {"hidden_layers_sizes": [32], "batch_size": 8, "min_buffer_size_to_learn": 20}
    agents: list[Any] = [
        DQN(player, size, actions, replay_buffer_capacity=200, **some)
        if algorithm == "dqn"
        else NFSP(player, size, actions, reservoir_buffer_capacity=200, anticipatory_param=0.1, **some)
        for player in (0, 1)
    ]
    for _ in range(4):
        step = environment.reset()
        while not step.last():
            step = environment.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    assert {sum(step.rewards), len(step.rewards)} == {0, 2}


@pytest.mark.parametrize("spec", ["go:size=3", "aleago:size=3,dice=1d2"])
def test_alphazero(spec: str, adapter: Any) -> None:
    """A game with its search and its network, and an update of the network from it."""
    for package in ("chex", "flax", "optax", "orbax.checkpoint"):
        pytest.importorskip(package, reason=f"{package} is not installed: OpenSpiel's AlphaZero needs it")
    from open_spiel.python.algorithms.alpha_zero import evaluator, model_nnx, utils
    from open_spiel.python.algorithms.mcts import MCTSBot, SearchNode

    game, rng = adapter.load_game(spec, max_game_length=8), Random(1)
    shape, actions = game.observation_tensor_shape(), game.num_distinct_actions()
    model = model_nnx.Model.build_model("mlp", shape, actions, 8, 1, 1e-4, 1e-2, None)
    bot = MCTSBot(
        game,
        2,
        4,
        evaluator.AlphaZeroEvaluator(game, model),
        child_selection_fn=SearchNode.puct_value,
        dont_return_chance_node=True,
    )
    state, inputs = game.new_initial_state(), []
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.chance_outcomes())[0])
            continue
        policy = np.zeros(actions, np.float32)
        policy[bot.step(state)] = 1
        seen, mask = np.array(state.observation_tensor(), np.float32), np.array(state.legal_actions_mask(), bool)
        inputs.append(utils.TrainInput(observation=seen, legals_mask=mask, policy=policy, value=np.float32(0)))
        state.apply_action(int(policy.argmax()))
    before = float(model.update(utils.TrainInput.stack(inputs)).policy)
    for _ in range(20):
        losses = model.update(utils.TrainInput.stack(inputs))
    assert float(losses.policy) < before
