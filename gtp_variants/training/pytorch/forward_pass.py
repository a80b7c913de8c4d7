"""The integer network in PyTorch floats, with gradients that ignore rounding.

Every whole number in `nets.reference` is exact as a 32-bit float. Activations are in units of 1/32, so that they equal
the reference's numbers. Gradients pass through rounding unchanged (Bengio, Léonard and Courville, "Estimating or
Propagating Gradients Through Stochastic Neurons", 2013).
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch.autograd import Function
from torch.nn import functional

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.encoding.layout import SQUARE_STEPS
from gtp_variants.ai.nets.network import SPECIALS, NetworkShape
from gtp_variants.training.batch import LossWeights

# Number of steps per unit of an activation, and the largest activation.
_STEPS = 32
_MOST = 127
# Number of steps per unit of a pooled value, and the largest output of a dense layer.
_POOL_STEPS = 512
_DENSE_MOST = 4095
# Number of steps per unit of a sum of weighted activations.
_SUM_STEPS = 4096
# Number of points in the game per unit of the score.
_SCORE_UNIT = 8
# The logit of an illegal move, which makes its share 0. Minus infinity would not do, because infinity times 0 is NaN.
_NEVER = -1e4
# A shift that is smaller than the distance between two whole numbers: see `_gate`.
_QUARTER = 0.25

# The network's tensors by name.
Layers = Mapping[str, Any]


class Convolution(Protocol):
    """Multiplies each point's neighbours by weights. Arrays are (rows, points, channels)."""

    def forward(self, x: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
        """Return the output, which may be overwritten, and the data that `backward` needs."""

    def backward(self, grad: Any, kept: Any, weight: Any, wants_input: bool) -> tuple[Any, Any]:
        """Return the gradients of `x`, or None if they are not wanted, and the gradients of the weights."""


class PictureConvolution:
    """PyTorch's 3 x 3 convolution, for a board of squares, with weights (outputs, inputs, 3, 3)."""

    def __init__(self, rows: int, columns: int) -> None:
        self._size = rows, columns

    def forward(self, x: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
        """Return the output, and the input as a picture."""
        picture = self._picture(x)
        sums = functional.conv2d(picture, weight, bias, padding=1)
        return sums.permute(0, 2, 3, 1).reshape(*x.shape[:2], len(weight)), picture

    def backward(self, grad: Any, kept: Any, weight: Any, wants_input: bool) -> tuple[Any, Any]:
        sizes: tuple[Any, ...] = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        back = torch.ops.aten.convolution_backward
        of_picture, of_weight, _ = back(
            self._picture(grad), kept, weight, [len(weight)], *sizes, [wants_input, True, False]
        )
        of_x = of_picture.permute(0, 2, 3, 1).reshape(*grad.shape[:2], -1) if wants_input else None
        return of_x, of_weight

    def _picture(self, x: Any) -> Any:
        return x.view(len(x), *self._size, -1).permute(0, 3, 1, 2)


class GatheredConvolution:
    """A convolution on any board: the channels around each point, times weights (taps * inputs, outputs)."""

    def __init__(self, taps: Any, device: Any) -> None:
        near = taps.astype(np.int64)
        points, width = near.shape
        # Gradients are propagated back through the inverse table, so that they are added in a fixed order.
        back = np.full_like(near, points)
        for tap in range(width):
            here = np.flatnonzero(near[:, tap] < points)
            back[near[here, tap], tap] = here
        self._near, self._back = (torch.from_numpy(table).to(device) for table in (near, back))

    def forward(self, x: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
        """Return the output, and the channels around each point, which `backward` needs."""
        around = _gather(x, self._near)
        return torch.addmm(bias, around, weight).view(*x.shape[:2], -1), around

    def backward(self, grad: Any, kept: Any, weight: Any, wants_input: bool) -> tuple[Any, Any]:
        outputs = grad.shape[2]
        of_weight = kept.T @ grad.view(-1, outputs)
        if not wants_input:
            return None, of_weight
        taps = self._back.shape[1]
        turned = weight.view(taps, -1, outputs).transpose(1, 2).reshape(taps * outputs, -1)
        return (_gather(grad, self._back) @ turned).view(*grad.shape[:2], -1), of_weight


class PointConvolution:
    """A 1x1 convolution: multiplies each point's inputs by weights (inputs, outputs)."""

    def forward(self, x: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
        """Return the output, and the input as rows, one per point."""
        rows = x.view(-1, x.shape[2])
        return torch.addmm(bias, rows, weight).view(*x.shape[:2], -1), rows

    def backward(self, grad: Any, kept: Any, weight: Any, wants_input: bool) -> tuple[Any, Any]:
        return grad @ weight.T if wants_input else None, kept.T @ grad.view(-1, grad.shape[2])


class LayerLayout:
    """The layout of a layer's weights: flat by tap, input and output, or on square grids as PyTorch expects."""

    def __init__(self, taps: int) -> None:
        steps = ((0, 0), *SQUARE_STEPS)
        self._is_picture = taps == len(steps)
        # PyTorch orders a kernel's taps by rows. In `PictureConvolution`, as on boards, the lowest y comes first.
        self._order = sorted(range(len(steps)), key=lambda tap: steps[tap][::-1])
        self._places = sorted(range(len(steps)), key=self._order.__getitem__)

    def is_picture(self, sizes: tuple[int, ...]) -> bool:
        """Return True if a tensor of these sizes, outputs first, is a 3 x 3 convolution."""
        return self._is_picture and len(sizes) == 3 and sizes[1] == len(self._order)

    def lay(self, flat: Any, sizes: tuple[int, ...]) -> Any:
        """Return a layer's weights laid out for multiplication. A bias is only copied."""
        if len(sizes) == 1:
            return flat.clone()
        if not self.is_picture(sizes):
            return flat.view(-1, sizes[0]).clone()
        by_tap = flat.view(9, sizes[2], sizes[0])[self._order]
        return by_tap.view(3, 3, sizes[2], sizes[0]).permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)

    def flatten(self, layer: Any, sizes: tuple[int, ...]) -> Any:
        """Return the flat tensor of a layer that `lay` made."""
        if not self.is_picture(sizes):
            return layer.reshape(-1)
        return layer.permute(2, 3, 1, 0).reshape(9, sizes[2], sizes[0])[self._places].reshape(-1)

    def convolution(self, encoder: Encoder, device: Any) -> Convolution:
        """Return the convolution for a board."""
        return PictureConvolution(*encoder.grid) if self._is_picture else GatheredConvolution(encoder.taps, device)


class ForwardPass:
    """Computes a network's outputs and losses for batches on one board."""

    def __init__(self, shape: NetworkShape, scales: Any, convolution: Convolution) -> None:
        self._shape, self._scales, self._convolution = shape, scales, convolution
        self._ends = slice(SPECIALS, SPECIALS + shape.colours + 1)

    def lose(self, layers: Layers, rows: Mapping[str, Any], weights: LossWeights) -> tuple[Any, dict[str, Any]]:
        """Return the total loss of the rows, and its unweighted terms by name."""
        points, board, later, later_board = self.evaluate(layers, rows["planes"], rows["globals"])
        logits = torch.cat([points[:, :, 0], board[:, :SPECIALS]], 1)
        reply = torch.cat([later[:, :, 0], later_board[:, :SPECIALS]], 1)
        shares = logits.masked_fill(rows["mask"] == 0, _NEVER).log_softmax(1)
        score = rows["score"] / _SCORE_UNIT if "score" in rows else None
        distance = functional.smooth_l1_loss
        losses = {
            "policy": -(rows["policy"] * shares).sum(1),
            "value": -(rows["ends"] * board[:, self._ends].log_softmax(1)).sum(1),
            "owners": self._chance_loss(points, 1, 2, rows.get("owners")),
            "score": None if score is None else distance(board[:, -2], score, reduction="none"),
            "hidden_stones": self._chance_loss(points, 1 + self._shape.has_owners, 1, rows.get("hidden")),
            "reply": functional.cross_entropy(reply, rows["reply"].long(), reduction="none", ignore_index=-1),
            "short_term_value": -(rows["short_term_ends"] * later_board[:, self._ends].log_softmax(1)).sum(1),
        }
        found = {name: (rows["weight"] * loss).sum() for name, loss in losses.items() if loss is not None}
        total = sum(getattr(weights, name) * loss for name, loss in found.items())
        if score is not None:
            # The target of the spread is the error of the mean.
            error = (board[:, -2] - score).detach().abs()
            total = total + weights.score * (rows["weight"] * distance(board[:, -1], error, reduction="none")).sum()
        return total, {name: loss.detach() for name, loss in found.items()}

    def evaluate(self, layers: Layers, planes: Any, features: Any) -> tuple[Any, ...]:
        """Return the outputs for each point (rows, points, outputs) and for the board (rows, outputs).

        The same of the heads for later turns follow. They are not rounded.
        """
        alone = PointConvolution()

        def layer(name: str, form: Convolution, x: Any, told: Any = None, residual: Any = None) -> Any:
            bias = _STEPS * layers[f"{name}.bias"] + 0.5
            return _Layer.apply(x, layers[f"{name}.weight"], bias, told, residual, form)

        def tell(name: str, x: Any) -> Any:
            return _STEPS * _floor(_pool(x) @ layers[f"{name}.weight"], _SUM_STEPS)

        levels = (2 * _STEPS * planes.to(torch.int32) + self._scales) // (2 * self._scales)
        x = levels.clamp_(max=_MOST).float().transpose(1, 2).contiguous()
        g = torch.floor(features * _STEPS + 0.5).clamp(-_MOST, _MOST)
        x = layer("stem", self._convolution, x, g @ layers["stem.globals.weight"])
        for block in range(self._shape.blocks):
            name = f"blocks.{block}"
            told = tell(f"{name}.pool", x) if self._shape.pools(block) else None
            inner = layer(f"{name}.first", self._convolution, x, told)
            x = layer(f"{name}.second", self._convolution, inner, residual=x)
        head = layer("head", alone, x, tell("head.pool", x))
        points = (head @ layers["points.weight"]) / _STEPS + layers["points.bias"]
        dense = _Dense.apply(_pool(head) @ layers["dense.weight"] + layers["dense.bias"])
        # Use 64-bit floats, because pooled values have finer steps than activations and larger sums.
        exact = dense.double()
        board = exact @ layers["board.weight"].double() + layers["board.bias"].double()
        # Round only the logits, because the score has finer steps.
        logits = _floor(board[:, : self._ends.stop], _SUM_STEPS)
        later = (head @ layers["later.points.weight"]) / _STEPS + layers["later.points.bias"]
        later_board = exact @ layers["later.board.weight"].double() + layers["later.board.bias"].double()
        return points, torch.cat([logits, board[:, self._ends.stop :]], 1).float(), later, later_board.float()

    def _chance_loss(self, points: Any, output: int, slope: int, truth: Any) -> Any:
        """Return a point output's mean cross-entropy, None without `truth`, which is from -1 to 1 for `slope` 2."""
        if truth is None or output >= self._shape.outputs_a_point:
            return None
        aim = (1 + truth.float()) / 2 if slope == 2 else truth.float()
        return functional.binary_cross_entropy_with_logits(slope * points[:, :, output], aim, reduction="none").mean(1)


def _gather(x: Any, table: Any) -> Any:
    """Return the channels around each point, side by side: (rows * points, taps * channels)."""
    rows, points, channels = x.shape
    # The extra last row represents neighbours off the board.
    padded = torch.cat([x, x.new_zeros((rows, 1, channels))], 1)
    return padded.index_select(1, table.flatten()).view(rows * points, -1)


def _pool(x: Any) -> Any:
    """Return the channels' means and maxima over the board, scaled to numbers around 1."""
    sums, points = x.sum(1), x.shape[1]
    rounded = torch.floor(torch.floor(sums.detach() + 0.5).double() * ((1 << 20) // points) / 65536) / _POOL_STEPS
    mean = _Straight.apply(sums / (_STEPS * points), rounded.float())
    return torch.cat([mean, x.max(1).values / _STEPS], 1)


def _floor(x: Any, steps: int) -> Any:
    return _Straight.apply(x, torch.floor(x.detach() * steps) / steps)


class _Layer(Function):
    """A convolution, rounded and clamped to activations. The bias includes the 1/2 added before rounding down."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, bias: Any, told: Any, residual: Any, form: Convolution) -> Any:
        found, kept = form.forward(x, weight, bias)
        if told is not None:
            found += told[:, None]
        found.floor_()
        if residual is not None:
            found += residual
        found.clamp_(0, _MOST)
        ctx.form, ctx.is_told, ctx.has_residual = form, told is not None, residual is not None
        ctx.save_for_backward(found, kept, weight)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        found, kept, weight = ctx.saved_tensors
        grad = _gate(found, grad.contiguous(), _MOST)
        of_x, of_weight = ctx.form.backward(grad, kept, weight, ctx.needs_input_grad[0])
        of_rows, of_residual = grad.sum(1), grad if ctx.has_residual else None
        return of_x, of_weight, of_rows.sum(0), of_rows if ctx.is_told else None, of_residual, None


class _Dense(Function):
    """A rounded and clamped dense layer on pooled values."""

    @staticmethod
    def forward(ctx: Any, sums: Any) -> Any:
        found = torch.floor(sums * _POOL_STEPS + 0.5).clamp_(0, _DENSE_MOST)
        ctx.save_for_backward(found)
        return found / _POOL_STEPS

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return _gate(ctx.saved_tensors[0], grad, _DENSE_MOST)


class _Straight(Function):
    """A rounded number whose gradient passes through as if the number had not been rounded."""

    @staticmethod
    def forward(_: Any, x: Any, rounded: Any) -> Any:
        return rounded.view_as(x)

    @staticmethod
    def backward(_: Any, grad: Any) -> Any:
        return grad, None


def _gate(found: Any, grad: Any, most: int) -> Any:
    """Return the gradients that pass through a rounded and clamped number.

    At a bound no gradient passes, except to lower a number from the upper bound. A whole number shifted by a quarter is
    between the bounds exactly if its gradient may pass.
    """
    aside = torch.add(found, grad.sign(), alpha=-_QUARTER)
    return torch.ops.aten.hardtanh_backward(grad, aside, 2 * _QUARTER, most)
