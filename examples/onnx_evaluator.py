"""An evaluator for a network in an ONNX file from any training program, run by onnxruntime.

The inputs are `planes` (n, planes, points) and `globals` (n, G). The outputs are `logits` (n, A) and `values` (n,
colours): shares of the score, beginning with the side to play. This code exports the network of `torch_evaluator.py`:

    torch.onnx.export(network, (planes, globals), "network.onnx", input_names=["planes", "globals"],
                      output_names=["logits", "values"], dynamic_axes={"planes": [0], "globals": [0]}, dynamo=False)

    python examples/onnx_evaluator.py go:size=9 network.onnx
"""

import sys

import numpy as np
import onnxruntime

import gtp_variants as gv


class OnnxEvaluator:
    """An evaluator for the network in a file. Raises ValueError if the network belongs to another game."""

    def __init__(self, rules, path, batch=64, providers=("CPUExecutionProvider",)):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=list(providers))
        self.batch, self.order = batch, np.array(rules.colours)
        encoder = gv.Encoder(rules)
        wanted = {"planes": [len(encoder.planes), len(rules.board)], "globals": [len(encoder.globals)]}
        found = {each.name: each.shape[1:] for each in self.session.get_inputs()}
        if found != wanted:
            raise ValueError(f"{path}: takes {found}, expected {wanted}")

    def evaluate(self, planes, globals, mask, to_play):
        logits, relative = self.session.run(["logits", "values"], {"planes": planes, "globals": globals})
        logits = np.where(mask, logits, -np.inf)
        priors = np.exp(logits - logits.max(axis=1, keepdims=True))
        # The network's values begin with the side to play, but a search expects them in turn order.
        seats = (to_play[:, None] == self.order).argmax(axis=1)
        steps = (np.arange(len(self.order)) - seats[:, None]) % len(self.order)
        return priors, np.take_along_axis(relative, steps, axis=1)


if __name__ == "__main__":
    rules = gv.parse(sys.argv[1])
    found = gv.search(rules, rules.start(), playouts=200, seed=1, evaluator=OnnxEvaluator(rules, sys.argv[2]))
    print(found.action, found.values)
