"""Samples per second that networks of two sizes learn from, compared with a bare PyTorch network.

    python -m benchmarks.training.learning_speed [SPEC] [--threads 1] [--rounds 9]

The forms are timed in turn, a few steps each, so that other work on the machine meets all alike. Figures are medians:
samples a second by the wall clock, and a second of processor time of all threads. The bare network is PyTorch's own
modules of the same size on the picture of the board, once as they are, once compiled (`torch.compile` needs a C++
compiler), once compiled with 16-bit floats where the forward pass no longer is what the integer network computes.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules import parse
from gtp_variants.training.batch import SampleBatch, network_shape
from gtp_variants.training.pytorch.learner import Learner

ROWS, STEPS = 128, 2
# Blocks and channels.
SIZES = ((4, 32), (6, 64))
# The unit of activations, and their maximum.
UNIT, MOST = 1 / 32, 127 / 32


def batch_of(encoder: Encoder) -> SampleBatch:
    """Draw positions at random, as large as real ones."""
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
        rng.integers(0, points, ROWS, np.int32),
        ends / ends.sum(axis=1, keepdims=True),
        owners=rng.integers(-1, 2, (ROWS, points), np.int8) if is_scored else None,
        score=rng.normal(0, 8, ROWS).astype(np.float32) if is_scored else None,
    )


def step_of(learner: Learner, encoder: Encoder) -> Callable[[], None]:
    """Return a step of a learner, which has threads of its own."""
    batch = batch_of(encoder)

    def step() -> None:
        torch.set_num_threads(1)
        learner.learn(batch)
        learner.step(1e-3)

    return step


class Rounded(torch.autograd.Function):
    """Rounds and clamps activations; gradients pass between the bounds."""

    @staticmethod
    def forward(ctx: Any, sums: Any) -> Any:
        found = (torch.floor(sums / UNIT + 0.5) * UNIT).clamp(0, MOST)
        ctx.save_for_backward(found)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (found,) = ctx.saved_tensors
        return torch.where((found > 0) & (found < MOST), grad, 0)


def pooled(x: Any) -> Any:
    """Return means and maxima over the board."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Block(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, width: int, pools: bool) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.pool = nn.Linear(2 * width, width) if pools else None

    def forward(self, x: Any) -> Any:
        inner = self.first(x)
        if self.pool is not None:
            inner = inner + self.pool(pooled(x))[:, :, None, None]
        return Rounded.apply(self.second(Rounded.apply(inner)) + x)


class BareNetwork(nn.Module):
    """The same trunk and heads in PyTorch modules, without rounded weights, which is cheaper."""

    def __init__(self, encoder: Encoder, blocks: int, width: int) -> None:
        super().__init__()
        shape = network_shape(encoder, width, blocks)
        self.stem = nn.Conv2d(shape.planes, width, 3, padding=1)
        self.globals = nn.Linear(shape.globals, width)
        self.blocks = nn.Sequential(*(Block(width, shape.pools(block)) for block in range(blocks)))
        self.head, self.points = nn.Conv2d(width, width, 1), nn.Conv2d(width, shape.outputs_a_point, 1)
        self.dense, self.board = nn.Linear(2 * width, shape.hidden), nn.Linear(shape.hidden, shape.outputs_a_board)

    def forward(self, planes: Any, features: Any) -> Any:
        x = Rounded.apply(self.stem(planes) + self.globals(features)[:, :, None, None])
        x = Rounded.apply(self.head(self.blocks(x)))
        return self.points(x), self.board(self.dense(pooled(x)).relu())


def bare(
    encoder: Encoder, size: tuple[int, int], threads: int, is_compiled: bool, is_short: bool
) -> Callable[[], None]:
    """Return a step of the bare network, compiled or not, with floats of 16 bits or not."""
    net = BareNetwork(encoder, *size).to(memory_format=torch.channels_last)
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.9, 0.99), fused=True)
    rows, columns = encoder.grid
    planes = torch.rand(ROWS, len(encoder.planes), rows, columns).to(memory_format=torch.channels_last)
    features, policy = torch.rand(ROWS, len(encoder.globals)), torch.rand(ROWS, rows * columns).softmax(1)

    def lose() -> Any:
        with torch.autocast("cpu", torch.bfloat16, enabled=is_short):
            points, board = (each.float() for each in net(planes, features))
        loss = -(policy * points[:, 0].flatten(1).log_softmax(1)).sum(1).mean() + board.square().mean()
        return loss + points[:, 1:].square().mean() if points.shape[1] > 1 else loss

    work = torch.compile(lose) if is_compiled else lose

    def step() -> None:
        torch.set_num_threads(threads)
        adam.zero_grad()
        work().backward()
        adam.step()

    return step


def time_in_turn(steps: dict[str, Callable[[], None]], rounds: int) -> dict[str, tuple[float, float]]:
    """Return samples a second of each form, by the wall clock and by processor time: medians of the rounds."""
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in steps}
    for step in steps.values():
        step()
        step()
    for _ in range(rounds):
        for name, step in steps.items():
            wall_s, processor_s = time.perf_counter(), time.process_time()
            for _ in range(STEPS):
                step()
            wall_s, processor_s = time.perf_counter() - wall_s, time.process_time() - processor_s
            rates[name].append((ROWS * STEPS / wall_s, ROWS * STEPS / processor_s))
    return {
        name: (statistics.median(a for a, _ in each), statistics.median(b for _, b in each))
        for name, each in rates.items()
    }


def main(spec: str, threads: int, rounds: int) -> None:
    """Print a line for each size and form."""
    encoder = Encoder(parse(spec))
    for blocks, width in SIZES:
        shape, size = network_shape(encoder, width, blocks), (blocks, width)
        found = time_in_turn(
            {
                "the learner": step_of(Learner(encoder, shape, 1, threads), encoder),
                "bare network": bare(encoder, size, threads, is_compiled=False, is_short=False),
                "bare, compiled": bare(encoder, size, threads, is_compiled=True, is_short=False),
                "bare, compiled, 16 bits": bare(encoder, size, threads, is_compiled=True, is_short=True),
            },
            rounds,
        )
        for name, (wall, processor) in found.items():
            print(
                f"{spec:<14}{blocks} blocks of {width}  {name:<24}{wall:>7,.0f} samples a second, "
                f"{processor:>6,.0f} a second of processor time"
            )
    print(f"load {os.getloadavg()[0]:.1f}, {threads} threads")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="?", default="go:size=9", help="the game (default %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="(default %(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="(default %(default)s)")
    options = parser.parse_args()
    main(options.spec, options.threads, options.rounds)
