"""Positions a second that a network learns from: our learner in C++, and PyTorch on a network of the same shape.

    python -m benchmarks.training.learning_speed [SPEC] [--networks 4x32 6x64] [--threads 2] [--rounds 11]

All forms take turns in short slices, so that other work on the machine burdens each alike; figures are medians over the
slices, by the clock and by the processor time of all threads. A ratio compares two slices of one round. The forms:

* `C++`: `Learner`, which rounds weights and activations forward as they are played with.
* `TorchLearner`: the package's learner for graphics cards on the processor. It computes what `Learner` does.
* `PyTorch`: convolutions of oneDNN on `channels_last` pictures of the board, Adam in one kernel. It rounds nothing,
  which is cheaper than what a learner of the package has to do.
* `compiled`: the same by `torch.compile`.
* `rounded`: the same, compiled, with weights and activations rounded forward, as a learner of the package has to.
* `bfloat16`: the same with half as many bits, backward too.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Threads of PyTorch that wait sleep instead of spinning: on a busy machine spinning costs it half of its time.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules import parse
from gtp_variants.training.learner import Learner, SampleBatch, network_shape

ROWS, STEPS = 128, 1


@dataclass
class Rates:
    """Positions a second in each slice, by the clock and by processor time."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def time(self, step: Callable[[], None]) -> None:
        """Run a slice of steps and add its rates."""
        wall_s, processor_s = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            step()
        self.wall.append(ROWS * STEPS / (time.perf_counter() - wall_s))
        self.processor.append(ROWS * STEPS / (time.process_time() - processor_s))


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


def learner_step(learner: Learner, encoder: Encoder) -> Callable[[], None]:
    """Return a step of a learner of the package."""
    batch = batch_of(encoder)

    def step() -> None:
        learner.learn(batch)
        learner.step(1e-3)

    return step


def pytorch_steps(encoder: Encoder, channels: int, blocks: int) -> dict[str, Callable[[], None]]:
    """Return a step of PyTorch's own layers in each form."""
    import torch

    whole, half = torch.float32, torch.bfloat16
    forms = {
        "PyTorch": (False, False, whole),
        "compiled": (True, False, whole),
        "rounded": (True, True, whole),
        "bfloat16": (True, True, half),
    }
    return {name: pytorch_step(encoder, channels, blocks, *form) for name, form in forms.items()}


def pytorch_step(
    encoder: Encoder, channels: int, blocks: int, is_compiled: bool, is_rounded: bool, kind: Any
) -> Callable[[], None]:
    """Return a step of PyTorch's own layers: trunk, heads and losses as large as ours."""
    import torch

    shape, (rows, columns) = network_shape(encoder, channels, blocks), encoder.grid
    net = picture_network(shape, is_rounded).to(memory_format=torch.channels_last)
    adam = torch.optim.AdamW(net.parameters(), lr=1e-3, betas=(0.9, 0.99), fused=True)
    planes = torch.rand(ROWS, shape.planes, rows, columns).to(memory_format=torch.channels_last)
    features, policy = torch.rand(ROWS, shape.globals), torch.rand(ROWS, rows * columns).softmax(1)

    def loss_of(planes: Any, features: Any, policy: Any) -> Any:
        points, board = net(planes, features)
        points, board = points.float(), board.float()
        loss = -(policy * points[:, 0].flatten(1).log_softmax(1)).sum(1).mean() + board.square().mean()
        return loss + points[:, 1:].square().mean() if points.shape[1] > 1 else loss

    compute = torch.compile(loss_of) if is_compiled else loss_of

    def step() -> None:
        adam.zero_grad()
        with torch.autocast("cpu", kind, enabled=kind is not torch.float32):
            loss = compute(planes, features, policy)
        loss.backward()
        adam.step()

    return step


def picture_network(shape: Any, is_rounded: bool) -> Any:
    """Return a network of PyTorch on the picture of the board with the trunk and the heads of a shape."""
    import torch
    from torch import nn
    from torch.nn import functional

    width = shape.channels

    def straight(x: Any, unit: float) -> Any:
        """Round forward, and pass gradients back as if nothing had been rounded."""
        return x + (torch.floor(x / unit + 0.5) * unit - x).detach() if is_rounded else x

    def bounded(x: Any) -> Any:
        return straight(x, 1 / 32).clamp(0, 127 / 32)

    def pooled(x: Any) -> Any:
        return straight(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1), 1 / 512)

    class Conv(nn.Conv2d):
        def forward(self, x: Any) -> Any:
            return functional.conv2d(x, straight(self.weight, 1 / 128), self.bias, padding=self.padding)

    class Dense(nn.Linear):
        def forward(self, x: Any) -> Any:
            return functional.linear(x, straight(self.weight, 1 / 128), self.bias)

    class Block(nn.Module):
        def __init__(self, pools: bool) -> None:
            super().__init__()
            self.first, self.second = (Conv(width, width, 3, padding=1) for _ in range(2))
            self.pool = Dense(2 * width, width) if pools else None

        def forward(self, x: Any) -> Any:
            inner = self.first(x)
            if self.pool is not None:
                inner = inner + self.pool(pooled(x))[:, :, None, None]
            return (straight(self.second(bounded(inner)), 1 / 32) + x).clamp(0, 127 / 32)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = Conv(shape.planes, width, 3, padding=1)
            self.globals = Dense(shape.globals, width)
            self.blocks = nn.Sequential(*(Block(shape.pools(block)) for block in range(shape.blocks)))
            self.head, self.points = Conv(width, width, 1), Conv(width, shape.outputs_a_point, 1)
            self.dense, self.board = Dense(2 * width, shape.hidden), Dense(shape.hidden, shape.outputs_a_board)

        def forward(self, planes: Any, features: Any) -> Any:
            x = bounded(self.stem(planes) + self.globals(features)[:, :, None, None])
            x = bounded(self.head(self.blocks(x)))
            return self.points(x), self.board(straight(self.dense(pooled(x)), 1 / 512).relu())

    return Net()


def steps_of(encoder: Encoder, channels: int, blocks: int, threads: int) -> Mapping[str, Callable[[], None]]:
    """Return a step in each form that is installed here."""
    shape = network_shape(encoder, channels, blocks)
    steps = {"C++": learner_step(Learner(encoder, shape, 1, threads), encoder)}
    try:
        import torch

        from gtp_variants.training.pytorch.learner import TorchLearner
    except ImportError:
        print("PyTorch is not installed")
        return steps
    torch.set_num_threads(threads)
    steps["TorchLearner"] = learner_step(TorchLearner(encoder, shape, 1, "cpu"), encoder)
    return steps | pytorch_steps(encoder, channels, blocks)


def main(spec: str, networks: list[str], threads: int, rounds: int) -> None:
    """Print a table for each size of network."""
    encoder = Encoder(parse(spec))
    for network in networks:
        blocks, channels = map(int, network.split("x"))
        steps = steps_of(encoder, channels, blocks, threads)
        for step in steps.values():
            # The first steps compile and allocate.
            step()
            step()
        rates = {name: Rates() for name in steps}
        for _ in range(rounds):
            for name, step in steps.items():
                rates[name].time(step)
        print(f"{spec}, {network}, {threads} threads: positions a second by the clock and by core, parts of C++'s")
        ours = rates["C++"]
        for name, found in rates.items():
            wall, processor = (
                statistics.median(one / other for one, other in zip(*pair, strict=True))
                for pair in ((found.wall, ours.wall), (found.processor, ours.processor))
            )
            print(
                f"{name:<14}{statistics.median(found.wall):>8,.0f}{statistics.median(found.processor):>8,.0f}"
                f"{wall:>7.2f}{processor:>7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="?", default="go:size=9", help="the game (default %(default)s)")
    parser.add_argument(
        "--networks", nargs="+", default=["4x32", "6x64"], metavar="BLOCKSxCHANNELS", help="(default 4x32 6x64)"
    )
    parser.add_argument("--threads", type=int, default=2, help="(default %(default)s)")
    parser.add_argument("--rounds", type=int, default=11, help="slices of each form (default %(default)s)")
    options = parser.parse_args()
    main(options.spec, options.networks, options.threads, options.rounds)
