"""Self-play judged by PyTorch: the kernel's games, wherever a network is evaluated; and learning on a card."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.cli import main
from gtp_variants.rules import parse
from tests.ai.nets.networks import random_network

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

import torch

from gtp_variants.training.batch import LossWeights, network_shape
from gtp_variants.training.cluster_self_play import self_player
from gtp_variants.training.pytorch.integer_network import TorchNetwork, TorchSelfPlayer
from gtp_variants.training.pytorch.learner import Learner
from gtp_variants.training.replay_window import BoardSamples
from gtp_variants.training.self_play import SelfPlayer
from gtp_variants.training.settings import SelfPlaySettings
from gtp_variants.training.trainer import Trainer
from tests.training.test_trainer import SMALL, train

torch.set_num_threads(1)
OPEN = (
    "go:size=5",
    "aleago:size=5",
    "rosette:n=2",
    "alter-igo:width=4,height=4",
    "pentalath:swap=true",
    "pentalath:players=3",
)
# Any name but `cpu`, which is the kernel's own.
DEVICES = ("cpu:0", *(("cuda",) if torch.cuda.is_available() else ()))
DEEP = SelfPlaySettings(playouts=5, considered=3, most_moves=60, deep_share=0.3, deep_playouts=20)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("spec", OPEN)
def test_games_are_those_of_the_kernel(spec: str, device: str) -> None:
    rules = parse(spec)
    network = random_network(Encoder(rules), 3, 16, 1)
    here = SelfPlayer(rules, network, 2).play(DEEP, seed=7, first=20, count=9)
    there = TorchSelfPlayer(rules, network, device, 2).play(DEEP, seed=7, first=20, count=9)
    assert len(here.places) > 10
    for field in fields(here)[1:]:
        assert np.array_equal(getattr(here, field.name), getattr(there, field.name)), field.name


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_games_are_those_of_the_kernel(count: int) -> None:
    rules = parse("go:size=5")
    network = random_network(Encoder(rules), 3, 16, 1)
    here = SelfPlayer(rules, network, 1).play(DEEP, seed=7, first=20, count=count)
    there = TorchSelfPlayer(rules, network, "cpu:0", 3).play(DEEP, seed=7, first=20, count=count)
    assert here.actions.tolist() == there.actions.tolist()
    assert len(there) == count


def test_a_network_that_cannot_judge_here_is_refused() -> None:
    go, pentalath = Encoder(parse("go:size=5")), Encoder(parse("pentalath"))
    with pytest.raises(ValueError, match="expected a network for pentalath"):
        TorchNetwork(random_network(go, 3, 16, 1), pentalath, 2, "cpu:0")
    wide = random_network(go, 3, 16, 1)
    largest = {
        name: b"\x7f" * len(raw) if name == "blocks.0.first.weight" else raw for name, raw in wide.tensors.items()
    }
    TorchNetwork(replace(wide, tensors=largest), go, 2, "cpu:0")
    shape = network_shape(go, 128, 1)
    larger = Learner(go, shape, 1).network()
    largest = {**larger.tensors, "blocks.0.first.weight": b"\x7f" * len(larger.tensors["blocks.0.first.weight"])}
    with pytest.raises(ValueError, match=r"blocks\.0\.first\.weight: sums up to 185\d+, expected less than 16777216"):
        TorchNetwork(replace(larger, tensors=largest), go, 2, "cpu:0")


def test_an_error_in_a_thread_is_raised() -> None:
    go, pentalath = parse("go:size=5"), parse("pentalath")
    network = random_network(Encoder(pentalath), 3, 16, 1)
    with pytest.raises(ValueError, match="a network of another game"):
        SelfPlayer(go, network, 2).play(DEEP, seed=7, first=20, count=4)


def test_more_games_than_rows_are_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.training.pytorch.integer_network._MOST_ROWS", 2)
    test_games_are_those_of_the_kernel("go:size=5", "cpu:0")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("spec", ["go:size=7,komi=5.5", "rosette:n=3", "pentalath:board=hexhex5"])
def test_answers_are_the_bits_of_the_reference(spec: str, device: str) -> None:
    from gtp_variants.ai.nets.reference import evaluate

    rules = parse(spec)
    encoder, rng = Encoder(rules), np.random.default_rng(5)
    network = random_network(encoder, 4, 32, 3)
    judge = TorchNetwork(network, encoder, 70, device)
    planes, features, logits, board = judge.arrays()
    planes[:] = rng.integers(0, np.array(encoder.scales)[:, None] + 1, planes.shape)
    features[:] = rng.normal(0, 1, features.shape)
    judge.ask(68)
    judge.wait()
    for row in range(0, 68, 7):
        expected = evaluate(network, encoder.taps, planes[row], features[row])
        assert np.array_equal(logits[row], expected["logits"][: len(encoder.taps)])
        assert np.array_equal(board[row], expected["board"])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no graphics card")
@pytest.mark.parametrize("spec", [*OPEN, "phantom:size=5"])
def test_a_card_learns_what_the_processor_learns(spec: str) -> None:
    rules = parse(spec)
    encoder = Encoder(rules)
    shape = network_shape(encoder, 16, 2)
    games = self_player(rules, random_network(encoder, 3, 16, 1), 1).play(replace(DEEP, deep_share=0.0), 7, 1, 4)
    samples = BoardSamples(rules.spec, 1)
    samples.append(games)
    here, card = Learner(encoder, shape, 3), Learner(encoder, shape, 3, device="cuda")
    rng = np.random.default_rng(3)
    for step in range(4):
        batch = samples.draw(rng, 32, 0.5)
        # From the same weights: rounding is a step, and small differences become large ones.
        card.restore(here.state())
        counts = LossWeights(value=3.0) if step % 2 else LossWeights()
        expected, found = here.learn(batch, encoder, counts), card.learn(batch, encoder, counts)
        for field in fields(expected):
            assert getattr(found, field.name) == pytest.approx(getattr(expected, field.name), rel=1e-4, abs=1e-6)
        slopes = card.gradients()
        most = max(np.abs(np.array(each)).max() for each in slopes.values())
        for name, values in here.gradients().items():
            assert np.allclose(slopes[name], values, rtol=1e-2, atol=2e-3 * most), name
        here.step(1e-3)


def test_a_training_continues_with_and_without_a_card(tmp_path: Path) -> None:
    settings = replace(SMALL, chunk=6)
    for name in ("kernel", "both"):
        train(tmp_path / name, 1, settings)
    train(tmp_path / "kernel", 2, settings)
    # PyTorch on the processor: a device like any other.
    trainer = Trainer(settings, tmp_path / "both", 1, device="cpu:0")
    trainer.run(lambda: trainer.progress.iteration >= 2, lambda progress: None)
    for path in (tmp_path / "kernel" / "games").iterdir():
        assert path.read_bytes() == (tmp_path / "both" / "games" / path.name).read_bytes()
    assert trainer.network.tensors == Trainer(settings, tmp_path / "kernel", 1).network.tensors
    train(tmp_path / "both", 3, settings)


def test_a_card_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    command = ["train", "go:size=4", "--into", str(tmp_path / "one"), "--iterations", "1", "--channels", "16"]
    assert main([*command, "--device", "cuda"]) != 0
    said = capsys.readouterr().err
    assert f"--device cuda: no graphics card can be used: PyTorch {torch.__version__} finds no graphics card" in said
    assert not (tmp_path / "one").exists()
    assert (
        main([*command, "--blocks", "1", "--positions", "9", "--chunk", "1024", "--playouts", "2", "--gate", "0"]) == 0
    )
    assert "networks are evaluated and learn on the processor: no graphics card" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--positions", "--batch", "--chunk"])
def test_numbers_below_one_are_refused(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "go:size=4", "--into", str(tmp_path / "one"), option, "0"])
    assert f"{option}: expected 1 to " in capsys.readouterr().err
