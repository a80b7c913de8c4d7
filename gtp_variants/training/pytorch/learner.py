"""`TorchLearner`: a network that learns on a graphics card, by PyTorch; what it computes is the `Learner`'s.

Weights, their mean and Adam's moments are one tensor each, in the order of a `Learner`'s state: either goes on from
what the other has written. Floats are added up in another order, so that their weights differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch
from torch.autograd import Function
from torch.nn import functional

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import SPECIALS, Network, NetworkShape
from gtp_variants.training.learner import Learner, Losses, LossWeights, SampleBatch

# Bounds, units and Adam's constants are those of the kernel's learner: the largest activation,
_MOST = 127 / 32
# that of a dense layer,
_DENSE_MOST = 4095 / 512
# and the largest weight.
_LARGEST_WEIGHT = 127 / 128
_BETA1 = 0.9
_BETA2 = 0.99
_EPSILON = 1e-8
# Points.
_SCORE_UNIT = 8
# The logit of a move that is not legal: a share of nothing, and no infinity that times 0 is no number.
_NEVER = -1e4


@dataclass(frozen=True, slots=True)
class _Taps:
    """Which points lie around each, and around which each lies, int64 (points, taps)."""

    near: Any
    back: Any


class TorchLearner(Learner):
    """A network that is being trained on a device of PyTorch's: `cpu` or `cuda`."""

    _weights: Any
    _mean: Any
    _first: Any
    _second: Any
    _steps: int

    def __init__(self, encoder: Encoder, shape: NetworkShape, seed: int, device: str) -> None:
        super().__init__(encoder, shape, seed)
        self._device = torch.device(device)
        # Convolutions are exact in it: their numbers have seven bits. Cards have units for it, eight times as fast.
        torch.backends.cuda.matmul.allow_tf32 = True
        self._scales = self._on_device(np.array(encoder.scales, np.int32))[:, None]
        self._taps: dict[bytes, _Taps] = {}
        kinds = [(name, prod(sizes)) for name, (_, sizes) in shape.tensors().items()]
        self._units = self._on_device(
            np.concatenate([np.full(count, _unit(name), np.float32) for name, count in kinds])
        )
        self._is_bias = self._on_device(
            np.concatenate([np.full(count, name.endswith("bias")) for name, count in kinds])
        )
        self._load()

    def learn(self, batch: SampleBatch, encoder: Encoder | None = None, weights: LossWeights | None = None) -> Losses:
        """Add the gradients of a batch to those of the next step."""
        rows = {name: self._on_device(value) for name, value in batch.rows().items() if value is not None}
        points, board = self._forward(self._taps_of(encoder or self._encoder), rows["planes"], rows["globals"])
        counts = weights or LossWeights()
        losses = {
            "policy": _policy_loss(points, board, rows["mask"], rows["policy"]),
            "value": -(rows["ends"] * board[:, self._ends].log_softmax(1)).sum(1),
            "owners": self._chance_loss(points, 1, 2, rows.get("owners")),
            "score": _score_loss(board, rows.get("score")),
            "hidden_stones": self._chance_loss(points, 1 + self.shape.has_owners, 1, rows.get("hidden")),
        }
        found = {name: (rows["weight"] * loss).sum() for name, loss in losses.items() if loss is not None}
        total = sum(getattr(counts, name) * loss for name, loss in found.items())
        if "score" in found:
            total = total + counts.score * (rows["weight"] * _spread_loss(board, rows["score"])).sum()
        total.backward()
        told = torch.stack([rows["weight"].sum(), *(loss.detach() for loss in found.values())]).tolist()
        self._rows += told[0]
        means = dict.fromkeys(losses, 0.0) | {name: loss / told[0] for name, loss in zip(found, told[1:], strict=True)}
        return Losses(**means)

    @torch.no_grad()
    def step(self, rate: float, decay: float = 0.005, average: float = 0.998) -> None:
        """Change the weights by Adam (0.9, 0.99) with decoupled decay; `average` is the memory of their mean."""
        if self._rows <= 0:
            return
        self._steps += 1
        grad = self._rounded.grad / self._rows
        self._first.lerp_(grad, 1 - _BETA1)
        self._second.lerp_(grad.square_(), 1 - _BETA2)
        root = (self._second / (1 - _BETA2**self._steps)).sqrt_().add_(_EPSILON)
        self._weights.addcdiv_(self._first, root, value=-rate / (1 - _BETA1**self._steps))
        decayed = (self._weights * (1 - rate * decay)).clamp_(-_LARGEST_WEIGHT, _LARGEST_WEIGHT)
        self._weights = torch.where(self._is_bias, self._weights, decayed)
        # The first steps are soon forgotten.
        self._mean.lerp_(self._weights, 1 - min(average, self._steps / (self._steps + 9)))
        self._round()

    def gradients(self) -> dict[str, list[float]]:
        """The gradients since the last step, by tensor, each by tap, input and output."""
        grad, found, at = self._rounded.grad.cpu(), {}, 0
        for name, (_, sizes) in self.shape.tensors().items():
            found[name] = grad[at : at + prod(sizes)].tolist()
            at += prod(sizes)
        return found

    def network(self, training: Mapping[str, str] | None = None) -> Network:
        """The mean of the weights, rounded: what is played with."""
        self._kernel.restore(self.state())
        return super().network(training)

    def begin_from(self, network: Network) -> None:
        """Begin anew with what another network knows; see `Learner`."""
        super().begin_from(network)
        self._load()

    def state(self) -> bytes:
        """All that training goes on from: weights, their mean, both moments, the number of steps."""
        parts = [each.cpu().numpy() for each in (self._weights, self._mean, self._first, self._second)]
        steps = np.array([self._steps >> 24, self._steps & 0xFFFFFF], np.float32)
        return np.concatenate([*parts, steps]).tobytes()

    def restore(self, state: bytes) -> None:
        """Go on from a `state`. Raises ValueError for one of another network."""
        super().restore(state)
        self._load()

    def _load(self) -> None:
        """Take over what the kernel's learner has."""
        state = np.frombuffer(self._kernel.state(), np.float32)
        *parts, steps = np.split(state, [len(self._units) * part for part in range(1, 5)])
        self._weights, self._mean, self._first, self._second = (self._on_device(part.copy()) for part in parts)
        self._steps = (int(steps[0]) << 24) + int(steps[1])
        self._round()

    def _round(self) -> None:
        """Round the weights as they are played with, and forget the gradients."""
        self._rounded = (torch.round(self._weights / self._units) * self._units).requires_grad_()
        self._rows = 0.0

    def _on_device(self, values: Any) -> Any:
        return torch.from_numpy(values).to(self._device, non_blocking=True)

    def _taps_of(self, encoder: Encoder) -> _Taps:
        key = encoder.taps.tobytes()
        if key not in self._taps:
            near = encoder.taps.astype(np.int64)
            points, taps = near.shape
            back = np.full_like(near, points)
            for tap in range(taps):
                here = np.flatnonzero(near[:, tap] < points)
                back[near[here, tap], tap] = here
            self._taps[key] = _Taps(self._on_device(near), self._on_device(back))
        return self._taps[key]

    # -- forward: what `nets.reference` says, in floats

    @property
    def _ends(self) -> slice:
        return slice(SPECIALS, SPECIALS + self.shape.colours + 1)

    def _forward(self, taps: _Taps, planes: Any, features: Any) -> tuple[Any, Any]:
        """Outputs for the points, (rows, points, outputs), and for the board, (rows, outputs)."""
        shape, layers = self.shape, self._layers()

        def convolve(name: str, x: Any, told: Any = None, residual: Any = None) -> Any:
            sums = _Convolution.apply(x, layers[f"{name}.weight"], taps.near, taps.back) + layers[f"{name}.bias"]
            return _Activation.apply(sums if told is None else sums + told[:, None], residual)

        def tell(name: str, x: Any) -> Any:
            return _floor(_pool(x) @ layers[f"{name}.weight"], 4096)

        levels = (64 * planes.to(torch.int32) + self._scales) // (2 * self._scales)
        x = (levels.clamp_(max=127).float() / 32).transpose(1, 2).contiguous()
        g = torch.floor(features * 32 + 0.5).clamp(-127, 127) / 32
        x = convolve("stem", x, g @ layers["stem.globals.weight"])
        for block in range(shape.blocks):
            name = f"blocks.{block}"
            told = tell(f"{name}.pool", x) if shape.pools(block) else None
            x = convolve(f"{name}.second", convolve(f"{name}.first", x, told), residual=x)
        sums = x @ layers["head.weight"] + layers["head.bias"] + tell("head.pool", x)[:, None]
        head = _Activation.apply(sums, None)
        points = head @ layers["points.weight"] + layers["points.bias"]
        dense = _Dense.apply(_pool(head) @ layers["dense.weight"] + layers["dense.bias"])
        board = dense.double() @ layers["board.weight"].double() + layers["board.bias"].double()
        # The score is told more finely than the logits.
        return points, torch.cat([_floor(board[:, : self._ends.stop], 4096), board[:, self._ends.stop :]], 1).float()

    def _layers(self) -> dict[str, Any]:
        """The rounded weights as they are multiplied: by tap and input, then output."""
        found, at = {}, 0
        for name, (_, sizes) in self.shape.tensors().items():
            count = prod(sizes)
            part = self._rounded[at : at + count]
            found[name] = part if len(sizes) == 1 else part.view(-1, sizes[0])
            at += count
        return found

    def _chance_loss(self, points: Any, output: int, slope: int, truth: Any) -> Any:
        """Cross-entropy of an output for each point, a mean over the board; an owner is a number from -1 to 1."""
        if truth is None or output >= self.shape.outputs_a_point:
            return None
        aim = (1 + truth.float()) / 2 if slope == 2 else truth.float()
        return functional.binary_cross_entropy_with_logits(slope * points[:, :, output], aim, reduction="none").mean(1)


def _unit(name: str) -> float:
    if not name.endswith("bias"):
        return 2.0**-7
    return 2.0**-16 if name in ("dense.bias", "board.bias") else 2.0**-12


def _policy_loss(points: Any, board: Any, mask: Any, aim: Any) -> Any:
    logits = torch.cat([points[:, :, 0], board[:, :SPECIALS]], 1)
    shares = logits.masked_fill(mask == 0, _NEVER).log_softmax(1)
    return -(aim * shares).sum(1)


def _score_loss(board: Any, score: Any) -> Any:
    if score is None:
        return None
    return functional.smooth_l1_loss(board[:, -2], score / _SCORE_UNIT, reduction="none")


def _spread_loss(board: Any, score: Any) -> Any:
    """The spread aims at how far off the mean is."""
    off = (board[:, -2] - score / _SCORE_UNIT).detach().abs()
    return functional.smooth_l1_loss(board[:, -1], off, reduction="none")


def _pool(x: Any) -> Any:
    """Means and maxima over the board."""
    mean, points = x.mean(1), x.shape[1]
    totals = (x.detach() * 32).sum(1).double()
    rounded = torch.floor(torch.floor(totals + 0.5) * ((1 << 20) // points) / 65536) / 512
    return torch.cat([_Straight.apply(mean, rounded.float()), x.max(1).values], 1)


def _floor(x: Any, steps: int) -> Any:
    return _Straight.apply(x, torch.floor(x.detach() * steps) / steps)


def _gather(x: Any, table: Any) -> Any:
    """The channels around each point, side by side: (rows * points, taps * channels)."""
    rows, points, channels = x.shape
    # The row behind the last is what lies off the board.
    padded = torch.cat([x, x.new_zeros((rows, 1, channels))], 1)
    return padded.index_select(1, table.flatten()).view(rows * points, -1)


class _Convolution(Function):
    """Sums over the points around each; back by the same tables read the other way, which adds in a fixed order."""

    @staticmethod
    def forward(ctx: Any, x: Any, weights: Any, near: Any, back: Any) -> Any:
        ctx.save_for_backward(x, weights, near, back)
        return (_gather(x, near) @ weights).view(*x.shape[:2], -1)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, weights, near, back = ctx.saved_tensors
        grad = grad.contiguous()
        of_weights = _gather(x, near).T @ grad.view(-1, grad.shape[2])
        if not ctx.needs_input_grad[0]:
            return None, of_weights, None, None
        turned = weights.view(near.shape[1], x.shape[2], -1).transpose(1, 2).reshape(-1, x.shape[2])
        return (_gather(grad, back) @ turned).view_as(x), of_weights, None, None


class _Activation(Function):
    """Rounds and cuts; nothing passes back at a bound, but for what draws off the upper one."""

    @staticmethod
    def forward(ctx: Any, sums: Any, residual: Any) -> Any:
        found = torch.floor(sums * 32 + 0.5) / 32
        found = (found if residual is None else found + residual).clamp_(0, _MOST)
        ctx.has_residual = residual is not None
        ctx.save_for_backward(found)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        grad = _gate(ctx.saved_tensors[0], grad, _MOST)
        return grad, grad if ctx.has_residual else None


class _Dense(Function):
    """The same for what is pooled."""

    @staticmethod
    def forward(ctx: Any, sums: Any) -> Any:
        found = (torch.floor(sums * 512 + 0.5) / 512).clamp_(0, _DENSE_MOST)
        ctx.save_for_backward(found)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return _gate(ctx.saved_tensors[0], grad, _DENSE_MOST)


class _Straight(Function):
    """A rounded number that passes gradients back as if it had not been rounded."""

    @staticmethod
    def forward(_: Any, x: Any, rounded: Any) -> Any:
        return rounded.view_as(x)

    @staticmethod
    def backward(_: Any, grad: Any) -> Any:
        return grad, None


def _gate(found: Any, grad: Any, most: float) -> Any:
    return torch.where((found > 0) & ((found < most) | (grad > 0)), grad, 0)
