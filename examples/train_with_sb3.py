"""Train a 5x5 Go player against random moves with MaskablePPO from sb3-contrib.

pip install -e '.[gymnasium]' sb3-contrib
python examples/train_with_sb3.py
"""

import gymnasium
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

# The module that registers the environments, followed by the name of one environment.
GO = "gtp_variants.adapters.gymnasium:gtp_variants/go-v0"


def train(steps=20_000, seed=1):
    """Return a model that was trained for `steps` actions."""
    env = gymnasium.make(GO, size=5, opponent="random")
    # The masks come from the environment's method `action_masks()`.
    model = MaskablePPO("MultiInputPolicy", env, n_steps=512, batch_size=128, ent_coef=0.01, seed=seed)
    return model.learn(steps)


def win_share(model, games=100):
    """Return the model's score against random moves in per cent, with random colours."""
    env = gymnasium.make(GO, size=5, opponent="random")
    reward, _ = evaluate_policy(model, env, n_eval_episodes=games, warn=False)
    return 50 * (1 + reward)


if __name__ == "__main__":
    print("before", win_share(train(0)))
    print("after", win_share(train()))
