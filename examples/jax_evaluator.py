"""An evaluator in JAX: a residual network over the neighbours of each point, compiled for full batches.

python examples/jax_evaluator.py pentalath:players=3
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import gtp_variants as gv


class JaxEvaluator:
    """A network with weights such as those from `new_weights`, which can be trained with optax, for example."""

    def __init__(self, rules, weights, batch=64):
        encoder = gv.Encoder(rules)
        self.batch, self.weights, self.order = batch, weights, np.array(rules.colours)
        self.special, self.taps = len(encoder.actions) - len(rules.board), jnp.asarray(encoder.taps)
        self.judge = jax.jit(self.forward)

    def around(self, x):
        """Return the values at the taps of each point, with zeros beyond the edge: (n, points, taps * channels)."""
        return jnp.pad(x, ((0, 0), (0, 1), (0, 0)))[:, self.taps].reshape(*x.shape[:2], -1)

    def forward(self, weights, planes, globals, mask):
        x = jax.nn.relu(self.around(planes.mT) @ weights["stem"] + (globals @ weights["globals"])[:, None])
        for first, second in weights["blocks"]:
            x = jax.nn.relu(x + self.around(jax.nn.relu(self.around(x) @ first)) @ second)
        board = jnp.concatenate([x.mean(axis=1), x.max(axis=1)], axis=1) @ weights["board"]
        logits = jnp.concatenate([(x @ weights["points"])[..., 0], board[:, : self.special]], axis=1)
        return jax.nn.softmax(jnp.where(mask, logits, -jnp.inf)), jax.nn.softmax(board[:, self.special :])

    def evaluate(self, planes, globals, mask, to_play):
        # JAX compiles again for every new shape, so copies of the last row fill the batch.
        count, rows = len(to_play), np.minimum(np.arange(self.batch), len(to_play) - 1)
        priors, relative = self.judge(self.weights, planes[rows], globals[rows], mask[rows])
        # The network's values begin with the side to play, but a search expects them in turn order.
        seats = (to_play[:, None] == self.order).argmax(axis=1)
        steps = (np.arange(len(self.order)) - seats[:, None]) % len(self.order)
        return priors[:count], np.take_along_axis(np.asarray(relative)[:count], steps, axis=1)


def new_weights(rules, channels=32, blocks=4, seed=0):
    encoder, rng = gv.Encoder(rules), np.random.default_rng(seed)
    width, special = encoder.taps.shape[1], len(encoder.actions) - len(rules.board)
    shapes = {"stem": (width * len(encoder.planes), channels), "globals": (len(encoder.globals), channels)}
    shapes |= {"points": (channels, 1), "board": (2 * channels, special + len(rules.colours))}
    shapes["blocks"] = [((width * channels, channels),) * 2] * blocks
    is_shape = lambda leaf: isinstance(leaf, tuple) and isinstance(leaf[0], int)  # noqa: E731
    return jax.tree.map(lambda s: rng.normal(0, s[0] ** -0.5, s).astype(np.float32), shapes, is_leaf=is_shape)


if __name__ == "__main__":
    rules = gv.parse(sys.argv[1] if len(sys.argv) > 1 else "go:size=9")
    found = gv.search(rules, rules.start(), playouts=200, evaluator=JaxEvaluator(rules, new_weights(rules)))
    print(found.action, found.values)
