"""`Learner`, which trains a network with Adam in PyTorch. Its forward pass equals the integer network's exactly."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import prod, sqrt
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import SPECIALS, Network, NetworkShape
from gtp_variants.ai.nets.reference import TYPES, Integers, tensors_of
from gtp_variants.training.batch import Losses, LossWeights, SampleBatch
from gtp_variants.training.pytorch.forward_pass import ForwardPass, LayerLayout, Layers

_LARGEST_WEIGHT = 127 / 128
# Number of a batch's rows that a thread takes at a time. It is fixed so that the number of threads changes no sum.
_ROWS_A_PIECE = 32
# D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", 2015.
_BETA1 = 0.9
_BETA2 = 0.99
_EPSILON = 1e-8
# Factors of initial weights (K. He and others, "Delving Deep into Rectifiers", 2015). Whole-board inputs and a block's
# second layer begin smaller, and outputs smallest.
_SMALLER = {"globals": 0.5, "second": 0.5, "pool": 0.5, "points": 0.3, "board": 0.3}
# Number of arrays in a state: the weights, their mean and both moments.
_PARTS = 4

_Sizes = Mapping[str, tuple[int, ...]]
_Weights = dict[str, NDArray[np.float32]]


class Learner:
    """A network in training, which begins with random weights from a seed.

    `device` is `cpu`, with `threads` threads, or `cuda`. On the same kind of device, the same seed and batches lead to
    the same weights, regardless of the number of threads. `encoder` defines the inputs and the default board. `learn`
    also accepts batches for other boards, together with their encoders.
    """

    # The first four attributes are flat tensors of all layers, in the order of a saved state.
    _weights: Any
    _mean: Any
    _first: Any
    _second: Any
    _steps: int
    _row_weight: float

    def __init__(self, encoder: Encoder, shape: NetworkShape, seed: int, threads: int = 1, device: str = "cpu") -> None:
        self.shape, self._sizes = shape, _sizes_of(shape)
        self._encoder, self._seed, self._device = encoder, seed, torch.device(device)
        self._workers: ThreadPoolExecutor | None = None
        if self._device.type == "cpu":
            # Use our threads, because PyTorch's would wait in a busy loop after every short operation.
            torch.set_num_threads(1)
            self._workers = ThreadPoolExecutor(threads)
        else:
            # Allow TF32, because products of seven-bit numbers are exact in it and cards compute it faster.
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.deterministic = True
        self._layout = LayerLayout(shape.taps)
        self._scales = self._on_device(encoder.scales.astype(np.int32))[:, None]
        self._passes: dict[bytes, ForwardPass] = {}
        counts = [prod(sizes) for sizes in self._sizes.values()]
        self._units = self._on_device(np.repeat([_unit(name) for name in self._sizes], counts).astype(np.float32))
        self._is_bias = self._on_device(np.repeat([name.endswith("bias") for name in self._sizes], counts))
        self._begin(_draw_weights(self._sizes, seed))

    def learn(self, batch: SampleBatch, encoder: Encoder | None = None, weights: LossWeights | None = None) -> Losses:
        """Add a batch's gradients for the next step; return its losses. Raises ValueError for a wrong array size."""
        seen = encoder or self._encoder
        batch.check(self.shape, len(seen.taps))
        board, counts = seen.taps.tobytes(), weights or LossWeights()
        if board not in self._passes:
            convolution = self._layout.convolution(seen, self._device)
            self._passes[board] = ForwardPass(self.shape, self._scales, convolution)
        forward = self._passes[board]
        rows = {name: self._on_device(array) for name, array in batch.rows().items()}
        layers, leaves = self._layers, list(self._layers.values())

        def learn_piece(piece: slice) -> tuple[tuple[Any, ...], dict[str, Any]]:
            total, losses = forward.lose(layers, {name: array[piece] for name, array in rows.items()}, counts)
            return torch.autograd.grad(total, leaves), losses

        count, size = len(batch.weight), _ROWS_A_PIECE if self._workers else len(batch.weight)
        pieces = [slice(first, first + size) for first in range(0, count, size)]
        found = list(self._workers.map(learn_piece, pieces) if self._workers else map(learn_piece, pieces))
        for grads, _ in found:
            for name, grad in zip(layers, grads, strict=True):
                self._grads[name] += grad
        row_weight = float(batch.weight.sum(dtype=np.float64))
        self._row_weight += row_weight
        names = list(found[0][1])
        sums = torch.stack([torch.stack([losses[name] for name in names]) for _, losses in found]).double().sum(0)
        means = {name: value / row_weight for name, value in zip(names, sums.tolist(), strict=True)}
        return Losses(**{name: means.get(name, 0.0) for name in Losses.__slots__})

    @torch.no_grad()
    def step(self, rate: float, decay: float = 0.005, average: float = 0.998) -> None:
        """Change the weights by Adam with decoupled decay. `average` is the weight of the old mean in the new mean."""
        if self._row_weight <= 0:
            return
        self._steps += 1
        grad = self._flat_gradients() / self._row_weight
        self._first.lerp_(grad, 1 - _BETA1)
        self._second.lerp_(grad.square_(), 1 - _BETA2)
        root = (self._second / (1 - _BETA2**self._steps)).sqrt_().add_(_EPSILON)
        self._weights.addcdiv_(self._first, root, value=-rate / (1 - _BETA1**self._steps))
        decayed = (self._weights * (1 - rate * decay)).clamp_(-_LARGEST_WEIGHT, _LARGEST_WEIGHT)
        self._weights = torch.where(self._is_bias, self._weights, decayed)
        # Let the mean soon forget the first steps.
        self._mean.lerp_(self._weights, 1 - min(average, self._steps / (self._steps + 9)))
        self._round()

    def gradients(self) -> dict[str, list[float]]:
        """Return the gradients since the last step by tensor, each ordered by tap, input and output."""
        return {name: grad.ravel().tolist() for name, grad in self._by_tensor(self._flat_gradients()).items()}

    def network(self, training: Mapping[str, str] | None = None) -> Network:
        """Return the network as used in play, with the rounded running mean of the weights."""
        seen, tensors = self._encoder, _round_tensors(self.shape, self._by_tensor(self._mean))
        scales = tuple(int(scale) for scale in seen.scales)
        return Network(seen.rules.name, self.shape, seen.planes, scales, seen.globals, tensors, dict(training or {}))

    def begin_from(self, network: Network) -> None:
        """Take over the weights of another network, which may be for a similar game or have other planes.

        Planes and features are matched by name; unmatched inputs have no effect at first. Heads of another size, and
        those for later turns, begin with random weights. A smaller network is enlarged. Raises ValueError for a larger
        network or for other `taps` or `pooled`.
        """
        mine = self.shape
        for key in ("taps", "pooled"):
            theirs_is, mine_is = getattr(network.shape, key), getattr(mine, key)
            if theirs_is != mine_is:
                raise ValueError(
                    f"cannot start a network for {self._encoder.rules.name} from one for {network.game}: "
                    f"{key} is {theirs_is}, expected {mine_is}"
                )
        seen, weights = self._encoder, self._by_tensor(self._mean)
        network = network.widen(seen.planes, tuple(seen.scales.tolist()), seen.globals)
        tensors = tensors_of(network)
        if (mine.channels, mine.blocks) != (network.shape.channels, network.shape.blocks):
            tensors = _enlarge(network, replace(network.shape, channels=mine.channels, blocks=mine.blocks), self._seed)
        for name, known in tensors.items():
            found = (np.moveaxis(known, 0, -1) * _unit(name)).astype(np.float32)
            if name in weights and weights[name].shape == found.shape:
                weights[name] = found
        self._begin(weights)

    def state(self) -> bytes:
        """Return the state to continue from: the weights, their mean, both moments and the number of steps."""
        parts = [each.cpu().numpy() for each in (self._weights, self._mean, self._first, self._second)]
        # A float counts exactly up to 2^24, so two floats count up to 2^48.
        steps = np.array([self._steps >> 24, self._steps & 0xFFFFFF], np.float32)
        return np.concatenate([*parts, steps]).tobytes()

    def restore(self, state: bytes) -> None:
        """Continue from a `state`. Raises ValueError if it is another network's state.

        Older states of Go Fantôme lack the heads for later turns, which then begin with random weights.
        """
        counts = len(self._units), sum(prod(sizes) for _, sizes in self.shape.tensors().values())
        sizes = [4 * (_PARTS * count + 2) for count in counts]
        if len(state) not in sizes:
            raise ValueError(f"expected a state of this network, {sizes[0]} bytes, got {len(state)}")
        numbers = np.frombuffer(state, np.float32)
        self._begin(_draw_weights(self._sizes, self._seed))
        parts = self._weights, self._mean, self._first, self._second
        for part, saved in zip(parts, numbers[:-2].reshape(_PARTS, -1), strict=True):
            part[: len(saved)] = self._on_device(saved.copy())
        self._steps = (int(numbers[-2]) << 24) + int(numbers[-1])
        self._round()

    def _begin(self, weights: _Weights) -> None:
        """Begin with these weights and with the optimiser's moments at zero."""
        self._weights = self._on_device(np.concatenate([weights[name].ravel() for name in self._sizes]))
        self._mean = self._weights.clone()
        self._first, self._second = torch.zeros_like(self._weights), torch.zeros_like(self._weights)
        self._steps = 0
        self._round()

    def _round(self) -> None:
        """Round the weights as is done for play, and clear the gradients."""
        rounded = torch.round(self._weights / self._units) * self._units
        parts = rounded.split([prod(sizes) for sizes in self._sizes.values()])
        laid = (self._layout.lay(part, sizes) for part, sizes in zip(parts, self._sizes.values(), strict=True))
        self._layers: Layers = {name: layer.requires_grad_() for name, layer in zip(self._sizes, laid, strict=True)}
        self._grads = {name: torch.zeros_like(layer) for name, layer in self._layers.items()}
        self._row_weight = 0.0

    def _flat_gradients(self) -> Any:
        return torch.cat([self._layout.flatten(self._grads[name], sizes) for name, sizes in self._sizes.items()])

    def _by_tensor(self, flat: Any) -> _Weights:
        """Cut a flat tensor into arrays, each ordered by tap, input and output."""
        parts = flat.cpu().split([prod(sizes) for sizes in self._sizes.values()])
        return {
            name: part.numpy().reshape(*sizes[1:], sizes[0]).copy()
            for part, (name, sizes) in zip(parts, self._sizes.items(), strict=True)
        }

    def _on_device(self, values: NDArray[Any]) -> Any:
        return torch.from_numpy(values).to(self._device, non_blocking=True)


def _sizes_of(shape: NetworkShape) -> _Sizes:
    """Return the sizes of the tensors in training: the network's, then those of the heads for later turns.

    These heads predict the next action, which after a refused try is the same player's, and the chances in the short
    term. What they teach the layers below helps the network (Wu, "Accelerating Self-Play Learning in Go", 2019).
    """
    points, board = (1, shape.channels), (SPECIALS + shape.colours + 1, shape.hidden)
    return {name: sizes for name, (_, sizes) in shape.tensors().items()} | {
        "later.points.weight": points,
        "later.points.bias": points[:1],
        "later.board.weight": board,
        "later.board.bias": board[:1],
    }


def _unit(name: str) -> float:
    """Return the value of one unit of a tensor's integers."""
    if not name.endswith("bias"):
        return 2.0**-7
    return 2.0**-16 if name in ("dense.bias", "board.bias") else 2.0**-12


def _draw_weights(tensors: _Sizes, seed: int) -> _Weights:
    """Draw random initial weights, ordered by tap, input and output."""
    rng, weights = np.random.default_rng(seed), {}
    for name, sizes in tensors.items():
        made = (*sizes[1:], sizes[0])
        if name.endswith("bias"):
            weights[name] = np.zeros(made, np.float32)
            continue
        spread = _SMALLER.get(name.split(".")[-2], 1.0) * sqrt(2 / prod(sizes[1:]))
        drawn = spread * rng.standard_normal(made, np.float32)
        weights[name] = drawn.clip(-_LARGEST_WEIGHT, _LARGEST_WEIGHT)
    return weights


def _round_tensors(shape: NetworkShape, weights: _Weights) -> dict[str, bytes]:
    """Round weights to the tensors of a weight file, ordered by output, tap and input."""
    return {
        name: np.moveaxis(np.rint(weights[name] / _unit(name)), -1, 0).astype(TYPES[dtype]).tobytes()
        for name, (dtype, _) in shape.tensors().items()
    }


def _enlarge(network: Network, shape: NetworkShape, seed: int) -> dict[str, Integers]:
    """Return the tensors of a larger network with the same outputs.

    At first no old output depends on new weights. Raises ValueError for a smaller shape. Source: T. Chen and others,
    "Net2Net: Accelerating Learning via Knowledge Transfer", 2016.
    """
    old = network.shape
    if shape.channels < old.channels or shape.blocks < old.blocks:
        raise ValueError(
            f"cannot start a network with {shape.blocks} blocks of {shape.channels} channels from a larger network: "
            f"{old.blocks} blocks of {old.channels}"
        )
    drawn = _round_tensors(shape, _draw_weights(_sizes_of(shape), seed))
    known, tensors = tensors_of(network), tensors_of(replace(network, shape=shape, tensors=drawn))
    for name, made in tensors.items():
        if name in known:
            _keep(made, known[name], inputs_of=shape.channels, inputs_from=old.channels)
        elif ".second." in name:
            # The second layer is 0, so at first a new block adds nothing to its input.
            made[:] = 0
    return tensors


def _keep(made: NDArray[np.int64], found: NDArray[np.int64], inputs_of: int, inputs_from: int) -> None:
    """Copy the old weights, and set the old outputs' weights for new inputs to 0."""
    outputs = len(found)
    if made.ndim == 1 or made.shape[-1] == found.shape[-1]:
        made[:outputs] = found
        return
    made[:outputs] = 0
    # Pooled inputs are the channels' means followed by their maxima, so copy each part.
    for part in range(made.shape[-1] // inputs_of):
        read = found[..., part * inputs_from : (part + 1) * inputs_from]
        made[:outputs, ..., part * inputs_of : part * inputs_of + inputs_from] = read
