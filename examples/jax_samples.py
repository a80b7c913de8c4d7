"""Training in JAX on the samples from a match: its searches and results. PyTorch can use the same batches.

python examples/jax_samples.py
"""

import sys
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import gtp_variants as gv


def new_weights(samples, width=64, seed=0):
    points, rng = len(samples.rules.board), np.random.default_rng(seed)
    seen = len(samples.planes) * points + len(samples.globals)
    shapes = {"trunk": (seen, width), "policy": (width, len(samples.actions)), "value": (width, 2)}
    return {name: rng.normal(0, shape[0] ** -0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def loss(weights, batch):
    """Return the sum of two cross entropies: that of the policy, in rows with visits, and that of the result."""
    seen = jnp.concatenate([batch["planes"].reshape(len(batch["planes"]), -1), batch["globals"]], axis=1)
    trunk = jax.nn.relu(seen @ weights["trunk"])
    logits = jnp.where(batch["mask"], trunk @ weights["policy"], -1e9)
    visits = batch["visits"].astype(jnp.float32)
    is_told = visits.sum(1) > 0
    shares = visits / jnp.maximum(visits.sum(1, keepdims=True), 1)
    policy = -(shares * jax.nn.log_softmax(logits)).sum() / jnp.maximum(is_told.sum(), 1)
    value = -(batch["outcomes"] * jax.nn.log_softmax(trunk @ weights["value"])).sum(1).mean()
    return policy + value


def learn(samples, epochs=20, rate=0.02):
    """Train, and return the mean loss of each pass over all games."""
    weights, gradient = new_weights(samples), jax.jit(jax.value_and_grad(loss))
    means = []
    for epoch in range(epochs):
        found = []
        for batch in samples.batches(64, seed=epoch, dtype=np.float32):
            # Leave out the text columns, which have the game and the news of each move.
            numbers = {name: column for name, column in batch.items() if column.dtype.kind != "U"}
            value, slopes = gradient(weights, numbers)
            weights = jax.tree.map(lambda weight, slope: weight - rate * slope, weights, slopes)
            found.append(float(value))
        means.append(sum(found) / len(found))
        print(f"pass {epoch + 1}: loss {means[-1]:.3f}")
    return means


if __name__ == "__main__":
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "five.db"
        gv.match("go:size=5", ["mcts:playouts=200", "greedy"], pairs=pairs, seed=1, store=store, export="npz")
        learn(gv.Samples(store.with_suffix(".samples")))
