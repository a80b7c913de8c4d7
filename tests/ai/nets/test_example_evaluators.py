"""The evaluators in examples/ and the page about them: each is short, and a search with it runs."""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from tests.ai.mcts.conftest import IS_NATIVE

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "evaluators.md"
EXAMPLES = sorted((ROOT / "examples").glob("*_evaluator.py"))
SPECS = ["go:size=5", "aleago:size=5,dice=1d3", "pentalath:players=3", "rosette:n=2"]

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="examples and pages are only in a checkout")


def load(name: str) -> ModuleType:
    """An example as a module; the test is skipped where its package is not installed."""
    if name != "numpy":
        pytest.importorskip({"onnx": "onnxruntime"}.get(name, name), reason=f"{name} is not installed")
    spec = importlib.util.spec_from_file_location(f"{name}_example", ROOT / "examples" / f"{name}_evaluator.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60


def check_search(rules: "gv.Rules", evaluator: Any) -> None:
    position = gv.random_game(rules, seed=2, plies=3).position
    found = gv.search(rules, position, playouts=20, seed=1, evaluator=evaluator)
    assert found.playouts == 20
    assert sum(found.values) == pytest.approx(1, abs=1e-3)
    assert len(set(found.priors.values())) > 1


@pytest.mark.parametrize("spec", SPECS)
def test_numpy(spec: str) -> None:
    rules = gv.parse(spec)
    check_search(rules, load("numpy").GlanceEvaluator(rules))


def test_the_side_with_more_stones_has_the_higher_value() -> None:
    rules = gv.parse("pentalath:players=3")
    glance = load("numpy").GlanceEvaluator(rules)
    # The turn order is White, Black, Red.
    start = rules.start({0: gv.BLACK, 30: gv.BLACK, 60: gv.RED})
    found = gv.search(rules, start, playouts=1, evaluator=glance)
    assert found.values[1] > found.values[2] > found.values[0]


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_torch(spec: str) -> None:
    rules, example = gv.parse(spec), load("torch")
    check_search(rules, example.TorchEvaluator(rules, example.TapNetwork(rules, channels=8, blocks=1), batch=8))


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_jax(spec: str) -> None:
    rules, example = gv.parse(spec), load("jax")
    check_search(rules, example.JaxEvaluator(rules, example.new_weights(rules, channels=8, blocks=1), batch=8))


def linear_network(rules: "gv.Rules", path: Path) -> None:
    """An ONNX file: two dense layers on the planes; the globals are read and count nothing."""
    onnx: Any = pytest.importorskip("onnx", reason="onnx is not installed")
    helper, to_initial = onnx.helper, onnx.numpy_helper.from_array
    encoder, rng = gv.Encoder(rules), np.random.default_rng(1)
    inputs, outputs = len(encoder.planes) * len(rules.board), (len(encoder.actions), len(rules.colours))
    weights = [rng.normal(0, 0.1, (inputs, width)).astype(np.float32) for width in outputs]
    nodes = [
        helper.make_node("Flatten", ["planes"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w0"], ["logits"]),
        helper.make_node("MatMul", ["flat", "w1"], ["shares"]),
        helper.make_node("Softmax", ["shares"], ["softmax"], axis=1),
        helper.make_node("ReduceSum", ["globals"], ["sum"], keepdims=1),
        helper.make_node("Mul", ["sum", "zero"], ["nothing"]),
        helper.make_node("Add", ["softmax", "nothing"], ["values"]),
    ]
    shapes = {"planes": ["n", len(encoder.planes), len(rules.board)], "globals": ["n", len(encoder.globals)]}
    shapes |= {"logits": ["n", outputs[0]], "values": ["n", outputs[1]]}
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    initial = [to_initial(weight, f"w{number}") for number, weight in enumerate(weights)]
    initial += [to_initial(np.zeros((1, 1), np.float32), "zero")]
    graph = helper.make_graph(nodes, "linear", values[:2], values[2:], initial)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def test_onnx(tmp_path: Path) -> None:
    example = load("onnx")
    for spec in SPECS:
        rules = gv.parse(spec)
        linear_network(rules, tmp_path / "network.onnx")
        check_search(rules, example.OnnxEvaluator(rules, tmp_path / "network.onnx", batch=8))
    with pytest.raises(ValueError, match=r"network.onnx: takes .*, expected "):
        example.OnnxEvaluator(gv.parse("go:size=5"), tmp_path / "network.onnx")


@pytest.mark.parametrize(
    "make",
    [
        lambda rules: load("torch").TorchEvaluator(rules, load("torch").TapNetwork(rules, 8, 1)),
        lambda rules: load("jax").JaxEvaluator(rules, load("jax").new_weights(rules, 8, 1)),
    ],
    ids=["torch", "jax"],
)
@pytest.mark.slow
def test_shares_come_in_turn_order(make: "Callable[[gv.Rules], Any]") -> None:
    """The same planes with another side to play: what was the first's share is the next one's."""
    rules = gv.parse("pentalath:players=3")
    evaluator = make(rules)
    planes, features = gv.Encoder(rules).encode(rules.start())
    mask = np.ones((3, len(gv.Encoder(rules).actions)), np.bool_)
    to_play = np.array(rules.colours, np.int8)
    _, values = evaluator.evaluate(np.stack([planes] * 3), np.stack([features] * 3), mask, to_play)
    first, second, third = np.asarray(values)
    assert second == pytest.approx(np.roll(first, 1), abs=1e-6)
    assert third == pytest.approx(np.roll(first, 2), abs=1e-6)
    assert len(set(first.tolist())) == 3


@pytest.mark.skipif(not IS_NATIVE, reason="the page shows settings that only the kernel has")
def test_the_pages_code_runs() -> None:
    names: dict[str, object] = {}
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), names)
