"""Compare evaluations per second of one network: the kernel's integers and onnxruntime's floats.

    python -m benchmarks.speed.inference_speed [SPEC]...

Needs `pip install onnx onnxruntime`. Figures are medians.

The kernel evaluates one position at a time, in a loop of its own: calls from Python cost 4 to 13 percent more. For
onnxruntime the same weights stand in a graph of 32-bit floats, on squares with Conv and elsewhere with Gather over the
table of taps and MatMul, which on Pentalath's board is a third faster than Conv on a masked rectangle; Rosette's has no
directions that Conv knows. It is spared reading its inputs and the shares that the kernel makes of its outputs.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gtp_variants as gv
from gtp_variants.ai.nets.adaptation import adapt_to_rules
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.kernel_network import kernel_network, network_board
from gtp_variants.ai.nets.network import SPECIALS, Network
from gtp_variants.ai.nets.reference import tensors_of
from gtp_variants.ai.nets.weight_choice import find_weights, instruction_set

SPECS = ("go:size=9", "go:size=13", "pentalath", "rosette:n=4")
BATCHES = (1, 8, 64)
ROUNDS, ROUND_S, PLIES = 7, 0.2, 20
# Units of the integers, as in `nets.reference`: activations, weights, sums, pooled values and their sums.
ACTIVATION, WEIGHT, SUM, POOLED, POOLED_SUM = 32, 128, 4096, 512, 65536
# Maximum effect of rounding on a colour's share, and on a move's logit.
VALUE_TOLERANCE, LOGIT_TOLERANCE = 0.05, 0.25

Array = NDArray[np.float32]


class FloatGraph:
    """A network as an ONNX graph of 32-bit floats for a board and a size of the batch.

    On squares activations are (batch, channels, rows, columns), elsewhere (batch, points, channels).
    """

    def __init__(self, network: Network, encoder: Encoder, batch: int) -> None:
        self.encoder, self.batch = encoder, batch
        self.points = len(encoder.cells)
        self.is_picture = encoder.grid[0] * encoder.grid[1] == self.points
        self._tensors = tensors_of(network)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        shape = network.shape
        x = self._layer("stem", "planes", self._dense("stem.globals", "globals"))
        for block in range(shape.blocks):
            name = f"blocks.{block}"
            told = self._dense(f"{name}.pool", self._pool(x)) if shape.pools(block) else ""
            x = self._layer(f"{name}.second", self._layer(f"{name}.first", x, told), x)
        head = self._layer("head", x, self._dense("head.pool", self._pool(x)))
        hidden = self._clip(self._dense("dense", self._pool(head), POOLED_SUM), 4095 / POOLED)
        self._outputs = self._dense("points", head, SUM), self._dense("board", hidden, POOLED_SUM)

    def session(self) -> Any:
        """Return the graph in onnxruntime, on one thread."""
        import onnxruntime
        from onnx import TensorProto, helper

        planes, features = len(self.encoder.planes), len(self.encoder.globals)
        sizes = (
            {"planes": (planes, *self.encoder.grid), "globals": (features, 1, 1)}
            if self.is_picture
            else {"planes": (self.points, planes), "globals": (1, features)}
        )
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, (self.batch, *each)) for name, each in sizes.items()
        ]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self._outputs]
        graph = helper.make_graph(self._nodes, "network", inputs, outputs, self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])

    def inputs(self, levels: NDArray[np.uint8], features: Array) -> dict[str, Array]:
        """The encoder's arrays of positions, (batch, planes, points) and (batch, globals), as the graph takes them."""
        planes = (levels / self.encoder.scales[:, None]).astype(np.float32)
        bounded = np.clip(features, -127 / ACTIVATION, 127 / ACTIVATION).astype(np.float32)
        if not self.is_picture:
            return {"planes": np.ascontiguousarray(planes.transpose(0, 2, 1)), "globals": bounded[:, None]}
        picture = np.zeros((*planes.shape[:2], *self.encoder.grid), np.float32)
        rows, columns = self.encoder.cells.T
        picture[:, :, rows, columns] = planes
        return {"planes": picture, "globals": bounded[:, :, None, None]}

    def read(self, outputs: list[Array]) -> tuple[Array, Array]:
        """The policy's logits of the points, (batch, points), and the outputs for the board, (batch, outputs)."""
        points, board = outputs
        rows, columns = self.encoder.cells.T
        policy = points[:, 0, rows, columns] if self.is_picture else points[:, :, 0]
        return policy, board.reshape(self.batch, -1)

    def _constant(self, values: NDArray[Any] | np.float32) -> str:
        from onnx import numpy_helper

        name = f"constant{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def _add(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Add a node and return the name of its output."""
        from onnx import helper

        name = f"node{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _weights(self, name: str) -> Array:
        return (self._tensors[f"{name}.weight"] / WEIGHT).astype(np.float32)

    def _bias(self, name: str, unit: int) -> str:
        return self._constant((self._tensors[f"{name}.bias"] / unit).astype(np.float32))

    def _clip(self, x: str, most: float) -> str:
        return self._add("Clip", x, *(self._constant(np.float32(bound)) for bound in (0, most)))

    def _layer(self, name: str, x: str, *added: str) -> str:
        """A convolution, to whose sums others are added, and its activation."""
        weights, bias = self._weights(name), self._bias(name, SUM)
        sums = self._convolve(weights, x, bias) if self.is_picture else self._gather(weights, x, bias)
        for each in filter(None, added):
            sums = self._add("Add", sums, each)
        return self._clip(sums, 127 / ACTIVATION)

    def _convolve(self, weights: Array, x: str, bias: str) -> str:
        outputs, taps, inputs = weights.shape
        if taps == 1:
            return self._add("Conv", x, self._constant(weights.reshape(outputs, inputs, 1, 1)), bias)
        kernel = np.zeros((outputs, inputs, 3, 3), np.float32)
        for tap in range(taps):
            here = self.encoder.taps[:, tap] < self.points
            steps = self.encoder.cells[self.encoder.taps[here, tap]] - self.encoder.cells[here]
            row, column = steps[0] + 1
            kernel[:, :, row, column] = weights[:, tap]
        return self._add("Conv", x, self._constant(kernel), bias, pads=[1, 1, 1, 1])

    def _gather(self, weights: Array, x: str, bias: str) -> str:
        outputs, taps, inputs = weights.shape
        if taps > 1:
            empty = self._constant(np.zeros((self.batch, 1, inputs), np.float32))
            rows = self._add("Concat", x, empty, axis=1)
            near = self._add("Gather", rows, self._constant(self.encoder.taps.ravel().astype(np.int64)), axis=1)
            x = self._add("Reshape", near, self._constant(np.array([0, self.points, taps * inputs])))
        return self._add("Add", self._add("MatMul", x, self._constant(weights.reshape(outputs, -1).T)), bias)

    def _pool(self, x: str) -> str:
        """Return means and maxima over the board."""
        if self.is_picture:
            return self._add("Concat", self._add("GlobalAveragePool", x), self._add("GlobalMaxPool", x), axis=1)
        axes = self._constant(np.array([1]))
        return self._add("Concat", self._add("ReduceMean", x, axes), self._add("ReduceMax", x, axes), axis=2)

    def _dense(self, name: str, x: str, unit: int = 0) -> str:
        """A layer without neighbours; `unit` is that of its bias, 0 for none."""
        weights = self._weights(name)
        bias = [self._bias(name, unit)] if unit else []
        if self.is_picture:
            return self._add("Conv", x, self._constant(weights[..., None, None]), *bias)
        sums = self._add("MatMul", x, self._constant(weights.T))
        return self._add("Add", sums, *bias) if unit else sums


class Contest:
    """A network on positions of a game, for the kernel and for onnxruntime."""

    def __init__(self, spec: str) -> None:
        self.spec, self.rules = spec, gv.parse(spec)
        self.encoder = Encoder(self.rules)
        path = find_weights(self.rules)
        if path is None:
            raise SystemExit(f"{spec}: the package has no weights for this game")
        self.network = adapt_to_rules(Network.load(path), self.rules, str(path))
        seen = [
            self.encoder.encode_levels(gv.random_game(self.rules, seed=seed, plies=PLIES).position)
            for seed in range(max(BATCHES))
        ]
        self.levels, self.features = np.array([each[0] for each in seen]), np.array([each[1] for each in seen])
        self._kernel = kernel_network(self.network)

    def kernel(self, row: int = 0, times: int = 1) -> dict[str, Any]:
        """Return the kernel's answer for a position, evaluated a number of times."""
        planes, features = self.levels[row].tobytes(), self.features[row].tolist()
        return self._kernel.evaluate(network_board(self.rules), planes, features, times)

    def onnxruntime(self, batch: int) -> Callable[[], None]:
        """Return a function that evaluates a batch, after comparing its first answers with the kernel's."""
        from onnxruntime import OrtValue

        graph = FloatGraph(self.network, self.encoder, batch)
        session, inputs = graph.session(), graph.inputs(self.levels[:batch], self.features[:batch])
        outputs = session.run(None, inputs)
        same = self._compare(*graph.read(outputs))
        print(f"{self.spec:<14}{batch} positions, the same best move in {same}")
        binding = session.io_binding()
        for name, array in inputs.items():
            binding.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(array))
        for output, array in zip(session.get_outputs(), outputs, strict=True):
            binding.bind_ortvalue_output(output.name, OrtValue.ortvalue_from_numpy(array))
        return lambda: session.run_with_iobinding(binding)

    def _compare(self, policy: Array, board: Array) -> int:
        """Count the positions in which floats and integers have the same best move.

        Raises SystemExit if they differ by more than rounding explains: in a value, or in what that move is worth.
        """
        same = 0
        ends = np.exp(board[:, SPECIALS : SPECIALS + self.network.shape.colours + 1])
        ends /= ends.sum(1, keepdims=True)
        values = ends[:, :-1] + ends[:, -1:] / self.network.shape.colours
        for row, (logits, value) in enumerate(zip(policy, values, strict=True)):
            found = self.kernel(row)
            ours = np.array(found["logits"][: len(logits)]) / SUM
            behind, apart = ours.max() - ours[logits.argmax()], np.abs(value - found["values"]).max()
            same += behind == 0
            if behind > LOGIT_TOLERANCE or apart > VALUE_TOLERANCE:
                raise SystemExit(
                    f"{self.spec}, position {row}: values {apart:.3f} apart, expected {VALUE_TOLERANCE} at most;"
                    f" the best move of floats {behind:.3f} behind, expected {LOGIT_TOLERANCE} at most"
                )
        return same


def rate(step: Callable[[], object], evaluations: int) -> float:
    """Return evaluations per second of processor time; a step makes `evaluations`."""
    steps, began = 0, time.process_time()
    while (elapsed := time.process_time() - began) < ROUND_S:
        step()
        steps += 1
    return steps * evaluations / elapsed


def main(*specs: str) -> None:
    """Print the medians of alternating rounds, and the kernel's speed relative to onnxruntime."""
    try:
        import onnx  # noqa: F401
        import onnxruntime
    except ImportError as error:
        raise SystemExit(f"this needs {error.name}: pip install onnx onnxruntime") from None
    print(f"instruction set: {instruction_set()}; onnxruntime {onnxruntime.__version__}")
    largest = max(BATCHES)
    for spec in specs or SPECS:
        contest = Contest(spec)
        steps: dict[str, tuple[Callable[[], object], int]] = {"kernel": (partial(contest.kernel, 0, largest), largest)}
        steps |= {f"onnxruntime, batch {batch}": (contest.onnxruntime(batch), batch) for batch in BATCHES}
        rates: dict[str, list[float]] = {name: [] for name in steps}
        for step in steps.values():
            rate(*step)
        for _ in range(ROUNDS):
            for name, step in steps.items():
                rates[name].append(rate(*step))
        for name, found in rates.items():
            ratio = statistics.median(ours / each for ours, each in zip(rates["kernel"], found, strict=True))
            told = "" if name == "kernel" else f", the kernel {ratio:.1f} times as fast"
            print(f"{spec:<14}{name:<22}{statistics.median(found):>8,.0f} evaluations a second{told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="*", help=f"the games; without any {' '.join(SPECS)}")
    main(*parser.parse_args().spec)
