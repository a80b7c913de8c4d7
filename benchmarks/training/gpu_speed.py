"""The speed of training on a graphics card: evaluations, learnt positions and self-play playouts per second.

    python -m benchmarks.training.gpu_speed [SPEC] [DEVICE]

The defaults are go:size=9 and cuda; the device `cpu:0` is PyTorch on the processor.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import Network
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.rules import parse
from gtp_variants.training.batch import network_shape
from gtp_variants.training.pytorch.integer_network import TorchNetwork, TorchSelfPlayer
from gtp_variants.training.pytorch.learner import Learner
from gtp_variants.training.replay_window import BoardSamples
from gtp_variants.training.settings import SelfPlaySettings

ROUNDS = 7
# Blocks and channels.
SIZES = ((4, 32), (6, 128))
ROWS, BATCH, GAMES = 4096, 512, 4096
# Every move is searched in full, so that all positions count.
SETTINGS = SelfPlaySettings(deep_share=1.0, deep_playouts=100, most_moves=4)


def rate(count: int, work: Callable[[], object]) -> float:
    """Return the rate per second over the rounds, after one that compiles."""
    seconds = []
    for _ in range(ROUNDS + 1):
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        began = time.perf_counter()
        work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    return count / statistics.median(seconds[1:])


def evaluations(network: Network, encoder: Encoder, device: str) -> float:
    """Measure evaluations of random positions, including the copies to and from the card."""
    judge = TorchNetwork(network, encoder, ROWS, device)
    judge.planes.random_(0, 2)

    def ask() -> None:
        judge.ask(ROWS)
        judge.wait()

    return rate(ROWS, ask)


def positions_learnt(network: Network, encoder: Encoder, device: str, samples: BoardSamples) -> float:
    """Measure learning alone, on positions drawn beforehand."""
    learner = Learner(encoder, network.shape, 1, device=device)
    batch = samples.draw(np.random.default_rng(1), BATCH, 0.5)

    def step() -> None:
        learner.learn(batch, encoder)
        learner.step(1e-4)

    return rate(BATCH, step)


def main(spec: str, device: str) -> None:
    """Print a line for each size."""
    rules = parse(spec)
    encoder, threads = Encoder(rules), available_cores()
    for blocks, channels in SIZES:
        network = Learner(encoder, network_shape(encoder, channels, blocks), 1).network()
        player = TorchSelfPlayer(rules, network, device, threads)
        began = time.perf_counter()
        games = player.play(SETTINGS, 1, 0, GAMES)
        playouts = len(games.places) * SETTINGS.deep_playouts / (time.perf_counter() - began)
        samples = BoardSamples(rules.spec, threads)
        samples.append(games)
        found = evaluations(network, encoder, device), positions_learnt(network, encoder, device, samples), playouts
        print(
            f"{spec}  {blocks} blocks of {channels}: {found[0]:,.0f} evaluations a second, {found[1]:,.0f} positions "
            f"learnt from, {found[2]:,.0f} playouts of self-play in {threads} threads"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="?", default="go:size=9", help="the game (default %(default)s)")
    parser.add_argument("device", nargs="?", default="cuda", help="PyTorch's name of it (default %(default)s)")
    options = parser.parse_args()
    main(options.spec, options.device)
