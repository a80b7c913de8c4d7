"""Evaluators for tests: one rates everything as equal; the other's answers look random but never change."""

import numpy as np
from numpy.typing import NDArray

from gtp_variants.rules.rules import Rules

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]


class Even:
    """Rates all moves as equally good and every position as even. `asked` lists the number of positions per call."""

    def __init__(self, rules: Rules, batch: int = 8) -> None:
        self.batch = batch
        self.colours = len(rules.colours)
        self.asked: list[int] = []

    def evaluate(
        self,
        planes: NDArray[np.float32],
        globals: NDArray[np.float32],
        mask: NDArray[np.bool_],
        to_play: NDArray[np.int8],
    ) -> Answer:
        self.asked.append(len(planes))
        values = np.full((len(planes), self.colours), 1 / self.colours, np.float32)
        return np.ones(mask.shape, np.float32), values


class Arbitrary(Even):
    """Computes priors and values from the planes, so that they differ between positions. All numbers are whole before
    they are divided, so that the order of summation does not matter."""

    def evaluate(
        self,
        planes: NDArray[np.float32],
        globals: NDArray[np.float32],
        mask: NDArray[np.bool_],
        to_play: NDArray[np.int8],
    ) -> Answer:
        self.asked.append(len(planes))
        bits = (planes.reshape(len(planes), -1) > 0.4).astype(np.int64)
        key = bits @ (np.arange(bits.shape[1]) * 7919 % 1009) + to_play * 31 + (globals > 0.4).sum(axis=1) * 17
        priors = (key[:, None] * 37 + np.arange(mask.shape[1]) * 59) % 97 + 1
        shares = (key[:, None] * 13 + np.arange(self.colours) * 101) % 89 + 11
        values = shares / shares.sum(axis=1, keepdims=True)
        return priors.astype(np.float32), values.astype(np.float32)
