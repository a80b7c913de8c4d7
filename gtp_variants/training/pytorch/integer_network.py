"""A network evaluated by PyTorch, thousands of positions at a time, and self-play with it.

Results equal the kernel's bit for bit. All numbers are whole, as `nets.reference` defines. 32-bit floats are exact up
to 2^24, so a network with larger sums is refused. Pooled values are multiplied in 64 bits.
"""

from collections import deque
from dataclasses import asdict
from typing import Any

import torch
from numpy.typing import NDArray

from gtp_variants.ai.kernel._kernel import KernelSelfPlayBatch
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.kernel_network import kernel_encoder
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.reference import tensors_of
from gtp_variants.rules.rules import Rules
from gtp_variants.training.self_play import PlayedGames, make_kernel_settings, read_games
from gtp_variants.training.settings import SelfPlaySettings

# Rows are rounded up to a multiple of 64, because Triton compiles a second kernel for sizes not divisible by 16.
_ROWS_A_STEP = 64
_LARGEST_ACTIVATION = 127
_EXACT = 1 << 24
# Maximum number of games in a batch. To be busy, an H100 needs about two thousand positions at a time.
_MOST_ROWS = 2048
# While the card evaluates one batch, the processor continues the games of the other batch.
_BATCHES = 2


class TorchNetwork:
    """A network for one board on a PyTorch device: `cpu` or `cuda`.

    Its inputs are the arrays `planes` uint8 (rows, planes, points) and `globals` float32 (rows, features), as returned
    by `Encoder.encode_levels`. Its outputs are `logits` int32 (rows, points) in units of 2^-12, and `board` int32
    (rows, board outputs) in units of 2^-16.
    """

    def __init__(self, network: Network, encoder: Encoder, rows: int, device: str) -> None:
        self.shape = shape = network.shape
        self._device = torch.device(device)
        is_card = self._device.type == "cuda"
        points = len(encoder.taps)
        self._near = self._to_tensor(encoder.taps).to(torch.int32)
        self._own = torch.arange(points, dtype=torch.int32, device=self._device)[:, None].contiguous()
        self._scales = self._to_tensor(network.scales).to(torch.int32)[:, None]
        if encoder.taps.shape[1] != shape.taps or len(encoder.planes) != shape.planes:
            raise ValueError(f"expected a network for {encoder.rules.spec}, got {shape}")
        self._layers = {name: self._to_tensor(values) for name, values in tensors_of(network).items()}
        # Weights ordered by tap and input, then output, for the multiplication.
        exact = torch.float16 if is_card else torch.float32
        self._kernels = {
            name: values.permute(1, 2, 0).reshape(-1, len(values)).to(exact).contiguous()
            for name, values in self._layers.items()
            if values.ndim == 3
        }
        for name, values in self._kernels.items():
            bias = self._layers[name.replace("weight", "bias")]
            most = int((_LARGEST_ACTIVATION * values.double().abs().sum(0) + bias.abs()).max())
            if most >= _EXACT:
                raise ValueError(f"{name}: sums up to {most}, expected less than {_EXACT}")
        made = {"device": "cpu", "pin_memory": is_card}
        self.planes = torch.zeros((rows, shape.planes, points), dtype=torch.uint8, **made)
        self.globals = torch.zeros((rows, shape.globals), dtype=torch.float32, **made)
        self.logits = torch.zeros((rows, points), dtype=torch.int32, **made)
        self.board = torch.zeros((rows, shape.outputs_a_board), dtype=torch.int32, **made)
        self._answered = torch.cuda.Event() if is_card else None

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the four arrays as numpy arrays that share their memory."""
        return self.planes.numpy(), self.globals.numpy(), self.logits.numpy(), self.board.numpy()

    @torch.no_grad()
    def ask(self, rows: int) -> None:
        """Start the evaluation of the first `rows` rows. A graphics card works in the background."""
        rows = min(len(self.planes), -(-rows // _ROWS_A_STEP) * _ROWS_A_STEP)
        planes = self.planes[:rows].to(self._device, non_blocking=True)
        features = self.globals[:rows].to(self._device, non_blocking=True)
        logits, board = self.evaluate(planes, features)
        self.logits[:rows].copy_(logits, non_blocking=True)
        self.board[:rows].copy_(board, non_blocking=True)
        if self._answered is not None:
            self._answered.record()

    def wait(self) -> None:
        """Wait until the outputs are complete."""
        if self._answered is not None:
            self._answered.synchronize()

    def evaluate(self, planes: Any, features: Any) -> tuple[Any, Any]:
        """Return the points' logits and the board outputs, both on the device."""
        layers, near = self._layers, self._near
        levels = (64 * planes.to(torch.int32) + self._scales) // (2 * self._scales)
        x = levels.clamp_(max=127).to(torch.int8).transpose(1, 2).contiguous()
        g = torch.floor(features * 32 + 0.5).clamp(-127, 127).double()
        x = self._convolve("stem", x, near, told=_linear(g, layers["stem.globals.weight"]).to(torch.int32))
        for block in range(self.shape.blocks):
            name = f"blocks.{block}"
            told = self._tell(f"{name}.pool", x) if self.shape.pools(block) else None
            inner = self._convolve(f"{name}.first", x, near, told=told)
            x = self._convolve(f"{name}.second", inner, near, residual=x)
        head = self._convolve("head", x, self._own, told=self._tell("head.pool", x))
        logits = head.float() @ layers["points.weight"][0].float() + layers["points.bias"][0].float()
        sums = _linear(_pool(head), layers["dense.weight"]) + layers["dense.bias"]
        dense = torch.floor((sums + 64) / 128).clamp(0, 4095)
        board = _linear(dense, layers["board.weight"]) + layers["board.bias"]
        return logits.to(torch.int32), board.to(torch.int32)

    def _tell(self, name: str, x: Any) -> Any:
        """Return the input of a convolution that comes from the whole board."""
        return torch.floor(_linear(_pool(x), self._layers[f"{name}.weight"]) / 16).to(torch.int32)

    def _convolve(self, name: str, x: Any, near: Any, told: Any = None, residual: Any = None) -> Any:
        kernel, bias = self._kernels[f"{name}.weight"], self._layers[f"{name}.bias"].to(torch.int32)
        if x.is_cuda:
            from gtp_variants.training.pytorch.convolution import convolve

            return convolve(x, kernel, bias, near, told, residual)
        rows, points, inputs = x.shape
        # The extra last row represents neighbours off the board.
        padded = torch.cat([x, x.new_zeros((rows, 1, inputs))], 1).float()
        found = padded.index_select(1, near.flatten()).view(rows * points, -1) @ kernel
        sums = found.view(rows, points, -1).to(torch.int32) + bias
        if told is not None:
            sums += told[:, None]
        activations = (sums + 64) >> 7
        if residual is not None:
            activations += residual
        return activations.clamp_(0, 127).to(torch.int8)

    def _to_tensor(self, values: Any) -> Any:
        return torch.tensor(values, device=self._device)


def _pool(x: Any) -> Any:
    """Return the channels' means and maxima over the board, (rows, 2 * channels), in units of 2^-9."""
    mean = (x.sum(1, dtype=torch.int32) * ((1 << 20) // x.shape[1])) >> 16
    return torch.cat([mean, x.amax(1).to(torch.int32) << 4], 1).double()


def _linear(inputs: Any, weights: Any) -> Any:
    """Multiply in 64 bits, because sums of pooled values are too large for 32-bit floats."""
    return inputs @ weights.double().T


def check_gpu() -> str:
    """Run a small convolution on the GPU and return the GPU's name. Raises any error from PyTorch or the driver."""
    if not torch.cuda.is_available():
        raise OSError(f"PyTorch {torch.__version__} finds no graphics card")

    from gtp_variants.training.pytorch.convolution import convolve

    made = {"device": "cuda", "dtype": torch.int32}
    x, near = torch.ones((1, 16, 16), dtype=torch.int8, device="cuda"), torch.zeros((16, 1), **made)
    convolve(x, torch.ones((16, 16), dtype=torch.float16, device="cuda"), torch.zeros(16, **made), near)
    torch.cuda.synchronize()
    return str(torch.cuda.get_device_name())


class TorchSelfPlayer:
    """Plays games of one SPEC in the kernel's threads, with a network on a PyTorch device."""

    def __init__(self, rules: Rules, network: Network, device: str, threads: int) -> None:
        self._rules, self._network, self._device, self._threads = rules, network, device, threads

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play the games numbered `first` to `first + count - 1` for a seed."""
        rules, network = self._rules, self._network
        encoder = Encoder(rules)
        game = kernel_rules(rules), asdict(network.shape), kernel_encoder(rules)
        how = make_kernel_settings(rules, settings, seed)
        batches, parts = [], min(_BATCHES, count)
        for part in range(parts):
            start, end = count * part // parts, count * (part + 1) // parts
            rows = min(_MOST_ROWS, end - start)
            games = KernelSelfPlayBatch(*game, *how, first + start, end - start, rows, self._threads)
            batches.append((games, TorchNetwork(network, encoder, rows, self._device)))
        playing = deque(batches)
        while playing:
            games, evaluator = playing.popleft()
            evaluator.wait()
            if rows := games.advance(*evaluator.arrays()):
                evaluator.ask(rows)
                playing.append((games, evaluator))
        return PlayedGames.join([read_games(rules, games.games()) for games, _ in batches])
