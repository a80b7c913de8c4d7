"""Train a 5x5 Go player against random moves with PPO from Ray RLlib, using RLlib's module for action masks.

pip install -e '.[gymnasium]' 'ray[rllib]' torch
python examples/train_with_rllib.py
"""

import gymnasium
import numpy as np
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

# The module that registers the environments, followed by the name of one environment.
GO = "gtp_variants.adapters.gymnasium:gtp_variants/go-v0"


class Masked(gymnasium.ObservationWrapper):
    """Observations as RLlib's module expects them: an array `observations`, and an array `action_mask`."""

    def __init__(self, config):
        super().__init__(gymnasium.make(GO, size=5, opponent="random"))
        parts = self.env.observation_space
        size = int(np.prod(parts["planes"].shape)) + parts["globals"].shape[0]
        mask = spaces.Box(0, 1, parts["action_mask"].shape, np.float32)
        self.observation_space = spaces.Dict(
            {"action_mask": mask, "observations": spaces.Box(-1e9, 1e9, (size,), np.float32)}
        )

    def observation(self, seen):
        both = np.concatenate([seen["planes"].ravel(), seen["globals"]])
        return {"action_mask": seen["action_mask"].astype(np.float32), "observations": both}


def train(rounds=10, actions=2000):
    """Train, and return the score in per cent in each round of `actions` actions."""
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [128]})
    config = (
        PPOConfig()
        .environment(env=Masked)
        .env_runners(num_env_runners=0)
        .rl_module(rl_module_spec=module)
        .training(train_batch_size_per_learner=actions, minibatch_size=128, num_epochs=4, lr=3e-4)
    )
    learner = config.build_algo()
    shares = [50 * (1 + learner.train()["env_runners"]["episode_return_mean"]) for _ in range(rounds)]
    learner.stop()
    return shares


if __name__ == "__main__":
    print(*(f"{share:.0f}" for share in train()), "of 100")
