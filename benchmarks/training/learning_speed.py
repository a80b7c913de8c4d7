"""Samples a second that a network learns from: our learner, and PyTorch on a network of the same size, in one run.

    python -m benchmarks.training.learning_speed [SPEC] [THREADS]

PyTorch is timed if it is installed. Figures are medians.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules import parse
from gtp_variants.training.learner import Learner, SampleBatch, network_shape

ROWS, ROUNDS, STEPS = 128, 7, 3


def batch_of(encoder: Encoder) -> SampleBatch:
    """Positions at random, as large as real ones."""
    rng, points, colours = np.random.default_rng(1), len(encoder.rules.board), len(encoder.rules.colours)
    policy = rng.random((ROWS, points + 2), np.float32)
    ends = rng.random((ROWS, colours + 1), np.float32)
    is_scored = encoder.rules.is_scored
    return SampleBatch(
        rng.integers(0, 2, (ROWS, len(encoder.planes), points), np.uint8),
        rng.random((ROWS, len(encoder.globals)), np.float32),
        np.ones((ROWS, points + 2), np.uint8),
        policy / policy.sum(axis=1, keepdims=True),
        ends / ends.sum(axis=1, keepdims=True),
        np.ones(ROWS, np.float32),
        owners=rng.integers(-1, 2, (ROWS, points), np.int8) if is_scored else None,
        score=rng.normal(0, 8, ROWS).astype(np.float32) if is_scored else None,
    )


def ours(encoder: Encoder, threads: int) -> Callable[[], None]:
    """A step of our learner."""
    learner, batch = Learner(encoder, network_shape(encoder), 1, threads), batch_of(encoder)

    def step() -> None:
        learner.learn(batch)
        learner.step(1e-3)

    return step


def pytorch(encoder: Encoder, threads: int) -> Callable[[], None]:
    """A step of PyTorch: the same trunk and heads on the picture of the board, without rounding, which is cheaper."""
    import torch
    from torch import nn

    torch.set_num_threads(threads)
    shape, (rows, columns) = network_shape(encoder), encoder.grid
    width = shape.channels

    class Block(nn.Module):
        def __init__(self, pools: bool) -> None:
            super().__init__()
            self.first, self.second = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
            self.pool = nn.Linear(2 * width, width) if pools else None

        def forward(self, x):  # type: ignore[no-untyped-def]
            inner = self.first(x)
            if self.pool is not None:
                inner = inner + self.pool(pooled(x))[:, :, None, None]
            return (self.second(inner.clamp(0, 4)) + x).clamp(0, 4)

    def pooled(x):  # type: ignore[no-untyped-def]
        return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(shape.planes, width, 3, padding=1)
            self.globals = nn.Linear(shape.globals, width)
            self.blocks = nn.Sequential(*(Block(shape.pools(block)) for block in range(shape.blocks)))
            self.head, self.points = nn.Conv2d(width, width, 1), nn.Conv2d(width, shape.outputs_a_point, 1)
            self.dense, self.board = nn.Linear(2 * width, shape.hidden), nn.Linear(shape.hidden, shape.outputs_a_board)

        def forward(self, planes, features):  # type: ignore[no-untyped-def]
            x = (self.stem(planes) + self.globals(features)[:, :, None, None]).clamp(0, 4)
            x = self.head(self.blocks(x)).clamp(0, 4)
            return self.points(x), self.board(self.dense(pooled(x)).relu())

    net = Net().to(memory_format=torch.channels_last)
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.9, 0.99), fused=True)
    planes = torch.rand(ROWS, shape.planes, rows, columns).to(memory_format=torch.channels_last)
    features, policy = torch.rand(ROWS, shape.globals), torch.rand(ROWS, rows * columns).softmax(1)

    def step() -> None:
        adam.zero_grad()
        points, board = net(planes, features)
        loss = -(policy * points[:, 0].flatten(1).log_softmax(1)).sum(1).mean() + board.square().mean()
        (loss + points[:, 1:].square().mean() if points.shape[1] > 1 else loss).backward()
        adam.step()

    return step


def samples_a_second(step: Callable[[], None]) -> float:
    """Samples a second by processor time of all threads."""
    began = time.process_time()
    for _ in range(STEPS):
        step()
    return ROWS * STEPS / (time.process_time() - began)


def main(spec: str, threads: int) -> None:
    """Print the medians, round by round in turn."""
    encoder = Encoder(parse(spec))
    steps = {"gtp_variants": ours(encoder, threads)}
    try:
        steps["PyTorch"] = pytorch(encoder, threads)
    except ImportError:
        print("PyTorch is not installed")
    rates: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        samples_a_second(step)
    for _ in range(ROUNDS):
        for name, step in steps.items():
            rates[name].append(samples_a_second(step))
    for name, found in rates.items():
        print(f"{spec:<16}{name:<14}{statistics.median(found):>8,.0f} samples a second and core")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="?", default="go:size=9", help="the game (default %(default)s)")
    parser.add_argument("threads", nargs="?", type=int, default=1, help="(default %(default)s)")
    options = parser.parse_args()
    main(options.spec, options.threads)
