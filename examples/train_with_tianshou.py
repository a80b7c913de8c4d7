"""Train a 5x5 Go player against random moves with deep Q-learning from Tianshou, using action masks.

pip install -e '.[gymnasium]' tianshou
python examples/train_with_tianshou.py
"""

import gymnasium
import numpy as np
from gymnasium import spaces
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

# The module that registers the environments, followed by the name of one environment.
GO = "gtp_variants.adapters.gymnasium:gtp_variants/go-v0"


class Flat(gymnasium.Wrapper):
    """Observations in Tianshou's form: an array `obs` and a Boolean `mask`. Tianshou cannot store the news."""

    def __init__(self, env):
        super().__init__(env)
        parts = env.observation_space
        size = int(np.prod(parts["planes"].shape)) + parts["globals"].shape[0]
        mask = spaces.MultiBinary(int(env.action_space.n))
        self.observation_space = spaces.Dict({"obs": spaces.Box(-np.inf, np.inf, (size,)), "mask": mask})

    def reset(self, **given):
        return self.look(self.env.reset(**given)[0]), {}

    def step(self, action):
        seen, *ends, _ = self.env.step(action)
        return self.look(seen), *ends, {}

    def look(self, seen):
        both = np.concatenate([seen["planes"].ravel(), seen["globals"]])
        return {"obs": both, "mask": seen["action_mask"].astype(bool)}


def make():
    return Flat(gymnasium.make(GO, size=5, opponent="random"))


def train(epochs=4, steps=5000, seed=1):
    """Return a policy, and its score in per cent before and after training."""
    envs, env = DummyVectorEnv([make] * 8), make()
    envs.seed(seed)
    net = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.97, target_update_freq=200)
    training = Collector(learner, envs, VectorReplayBuffer(20_000, 8), exploration_noise=True)
    test = Collector(learner, DummyVectorEnv([make] * 8))
    before = win_share(test)
    learner.run_training(
        OffPolicyTrainerParams(
            training_collector=training,
            test_collector=test,
            max_epochs=epochs,
            epoch_num_steps=steps,
            collection_step_num_env_steps=80,
            update_step_num_gradient_steps_per_sample=0.5,
            batch_size=64,
            test_step_num_episodes=8,
            show_progress=False,
            verbose=False,
        )
    )
    return policy, before, win_share(test)


def win_share(collector, games=100):
    """Return the policy's score against random moves in per cent, with random colours."""
    collector.reset()
    return 50 * (1 + collector.collect(n_episode=games).returns_stat.mean)


if __name__ == "__main__":
    print("before {1:.0f}, after {2:.0f} of 100".format(*train()))
