"""Networks of integers: every path of the kernel gives the bits of the numpy reference; weight files keep them."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets import reference
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import FOLDER, SUFFIX
from gtp_variants.base.json_values import Json
from tests.ai.nets.networks import random_network, shares_of

pytestmark = pytest.mark.skipif(
    load_native("gtp_variants.ai.kernel._kernel") is None, reason="the native kernel was not built"
)

SPECS = ["go:size=5", "go:size=9", "aleago:size=7", "phantom:size=5", "rosette:n=3", "alter-igo:size=6", "pentalath",
         "pentalath:players=3"]  # fmt: skip


def evaluate_natively(network: Network, encoder: Encoder, levels: reference.Levels, features: reference.Features,
                      instruction_set: str = "") -> dict[str, object]:  # fmt: skip
    from gtp_variants.ai.kernel._kernel import KernelNetwork, KernelNetworkBoard

    points, taps = encoder.taps.shape
    board = KernelNetworkBoard(points, taps, encoder.taps.ravel().tolist())
    kernel = KernelNetwork(asdict(network.shape), network.scales, network.tensors, instruction_set)
    return kernel.evaluate(board, levels.tobytes(), features.tolist())


def instruction_sets() -> list[str]:
    kernel = load_native("gtp_variants.ai.kernel._kernel")
    return [] if kernel is None else kernel.instruction_sets()


@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize("spec", SPECS)
def test_every_path_gives_the_bits_of_the_reference(spec: str, instruction_set: str) -> None:
    rules = gv.parse(spec)
    encoder = Encoder(rules)
    for seed, (channels, blocks, pooled) in enumerate([(32, 4, 2), (16, 2, 1), (48, 3, 0), (64, 1, 1)]):
        network = random_network(encoder, seed, channels, blocks, pooled)
        levels, features = encoder.encode_levels(gv.random_game(rules, seed=seed, plies=5 * seed).position)
        expected = reference.evaluate(network, encoder.taps, levels, features)
        found = evaluate_natively(network, encoder, levels, features, instruction_set)
        assert found["logits"] == expected["logits"].tolist()
        shares = shares_of(network, expected)
        assert found["values"] == pytest.approx(shares["values"].tolist(), abs=1e-6)
        assert found["draw"] == pytest.approx(shares["draw"][0], abs=1e-6)
        assert found["owners"] == pytest.approx(shares["owners"].tolist(), abs=1e-6)
        assert found["hidden_stones"] == pytest.approx(shares["hidden_stones"].tolist(), abs=1e-6)
        assert [found["score"], found["score_spread"]] == pytest.approx(shares["score"].tolist(), abs=1e-6)


def test_extremes_do_not_overflow() -> None:
    """Sums of products fit 16 bits as long as a path adds in them: the largest, and smaller ones for many steps."""
    encoder = Encoder(gv.parse("go:size=5"))
    network = random_network(encoder, 1)
    for most in (127, -127, 65, 64, 43, -43, 13, 1):
        tensors = {
            name: np.full(sizes, most, "<i1").tobytes() if dtype == "I8" else network.tensors[name]
            for name, (dtype, sizes) in network.shape.tensors().items()
        }
        extreme = Network(network.game, network.shape, network.planes, network.scales, network.globals, tensors)
        levels = np.repeat(encoder.scales[:, None], 25, axis=1)
        features = np.full(len(encoder.globals), 100, np.float32)
        expected = reference.evaluate(extreme, encoder.taps, levels, features)["logits"].tolist()
        for instruction_set in instruction_sets():
            assert evaluate_natively(extreme, encoder, levels, features, instruction_set)["logits"] == expected


def test_priors_are_shares_of_what_is_allowed() -> None:
    from gtp_variants.ai.kernel._kernel import softmax

    rng = np.random.default_rng(3)
    for width in (100, 4096, 200_000):
        logits = rng.integers(-width, width, 50)
        mask = rng.random(50) < 0.6
        powers = np.where(mask, np.exp((logits - logits[mask].max()) / 4096), 0)
        found = softmax(logits.tolist(), mask.astype(np.uint8).tobytes())
        assert found == pytest.approx((powers / powers.sum()).tolist(), abs=1e-6)


# -- weight files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def network() -> Network:
    return random_network(Encoder(gv.parse("go:size=5")), 5)


def test_a_file_keeps_everything(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    assert Network.load(file) == network
    assert network.calibration == 1
    told = replace(network, calibration=2.5)
    told.save(tmp_path / "told.safetensors")
    assert Network.load(tmp_path / "told.safetensors") == told != network
    assert file.stat().st_size < 110_000


def test_a_file_is_written_whole_or_not_at_all(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(fresh: Path, place: Path) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "go.safetensors"
    network.save(file)
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        random_network(Encoder(gv.parse("go:size=5")), 6).save(file)
    assert Network.load(file) == network
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"calibration": 0.0}, "calibration is 0.0, expected 0.001 to 1000"),
        ({"calibration": -2}, "calibration is -2, expected 0.001 to 1000"),
        ({"calibration": 1e300}, "calibration is 1e+300, expected 0.001 to 1000"),
        ({"calibration": float("nan")}, "calibration is NaN"),
        ({"calibration": float("inf")}, "calibration is Infinity"),
        ({"scales": (1,)}, "scales is "),
        ({"planes": ("board",)}, "planes is "),
        ({"tensors": {}}, "stem.weight has 0 bytes, expected "),
    ],
)
def test_a_network_that_cannot_be_loaded_is_not_saved(
    network: Network, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    with pytest.raises(gv.RecordError) as caught:
        replace(network, **change).save(file)
    assert str(caught.value).startswith(f"{file}: {said}")
    larger = replace(network, shape=replace(network.shape, blocks=network.shape.blocks + 1))
    with pytest.raises(gv.RecordError, match=r"first\.weight has 0 bytes"):
        larger.save(file)
    assert Network.load(file) == network


def change_header(file: Path, change: object) -> None:
    raw = file.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    change(header)  # type: ignore[operator]
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])


def test_a_tensor_of_another_shape_is_refused_with_both_shapes(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    change_header(file, lambda header: header["head.weight"].update(shape=[16, 1, 32]))
    with pytest.raises(gv.RecordError, match=r"head\.weight is I8 \[16, 1, 32\], expected I8 \[32, 1, 32\]"):
        Network.load(file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda header: header.pop("stem.bias"), r"stem\.bias is missing, expected I32 \[32\]"),
        (lambda header: header["__metadata__"].update(version="7"), "weights of version 7, expected 1"),
        (lambda header: header.pop("__metadata__"), "not a weight file of gtp_variants"),
        (lambda header: header["dense.bias"].update(data_offsets=[0, 7]), r"dense\.bias has 7 bytes, expected 256"),
    ],
)
def test_a_wrong_file_is_refused(network: Network, tmp_path: Path, change: object, said: str) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    change_header(file, change)
    with pytest.raises(gv.RecordError, match=said):
        Network.load(file)


def change_metadata(**changes: object) -> Callable[[Json], None]:
    return lambda header: header["__metadata__"].update(changes)


def change_shape(**changes: object) -> Callable[[Json], None]:
    def change(header: Json) -> None:
        about = header["__metadata__"]
        about["shape"] = json.dumps(json.loads(about["shape"]) | changes)

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_shape(pooled="a"), "shape: pooled is 'a', expected a whole number from 0 to 4096"),
        (change_shape(channels=None), "shape: channels is None, expected a multiple of 16 from 1 to 4096"),
        (change_shape(channels=40), "shape: channels is 40, expected a multiple of 16 from 1 to 4096"),
        (change_shape(blocks=10**9), "shape: blocks is 1000000000, expected a whole number from 0 to 4096"),
        (change_shape(blocks=-1), "shape: blocks is -1, expected"),
        (change_shape(colours=True), "shape: colours is True, expected a whole number from 2 to 3"),
        (change_shape(has_score=1), "shape: has_score is 1, expected true or false"),
        (change_metadata(shape="[1]"), r"shape is \[1\], expected an object"),
        (change_metadata(scales="[1]"), r"scales is \[1\], expected a list of 25 numbers"),
        (change_metadata(scales=json.dumps([1] * 24 + [0])), "scales: 0, expected a whole number from 1 to 127"),
        (change_metadata(scales=json.dumps([1] * 24 + [128])), "scales: 128, expected"),
        (change_metadata(planes="5"), "planes is 5, expected a list of 25 names"),
        (change_metadata(globals='["a"]'), r"globals is \['a'\], expected a list of 23 names"),
        (change_metadata(training="[1]"), r"training is \[1\], expected an object of strings"),
        (change_metadata(training='{"hours": 1}'), "training is {'hours': 1}, expected an object of strings"),
        *(
            (change_metadata(calibration=power), f"calibration is {power}, expected 0.001 to 1000")
            for power in ("0", "-1", "true", '"2"', "NaN", "1e300", "1e-300")
        ),
        (change_metadata(training="[" * 200_000), r"training is \[+, expected JSON: nested too deep"),
        (change_metadata(game=5), "game is 5, expected a string"),
        (change_metadata(version=1), "version is 1, expected a string"),
        (lambda header: header["__metadata__"].pop("game"), "game: missing, expected a name"),
        (lambda header: header["__metadata__"].pop("planes"), "planes is missing, expected JSON"),
        (change_metadata(calibratioN="2.5"), "calibratioN: unknown metadata, expected version, game, "),
        (lambda header: header["stem.bias"].update(data_offsets=[1, 2, 3]), r"data_offsets is \[1, 2, 3\], expected"),
        (lambda header: header["stem.bias"].update(data_offsets=["a", 5]), r"data_offsets is \['a', 5\], expected"),
        (lambda header: header["stem.bias"].update(shape=5), r"stem\.bias is I32 5, expected I32 \[32\]"),
        (lambda header: header.update({"stem.bias": 1}), r"stem\.bias is missing"),
        (lambda header: header.update({"other.bias": {}}), r"other\.bias: unknown tensor"),
        (
            lambda header: header["blocks.1.first.bias"].update(data_offsets=header["stem.bias"]["data_offsets"]),
            r"stem\.bias begins at byte \d+, expected \d+, where the tensor before it ends",
        ),
    ],
)
def test_an_invalid_value_is_refused_with_the_expected_one(
    network: Network, tmp_path: Path, change: object, said: str
) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    change_header(file, change)
    with pytest.raises(gv.RecordError, match=rf"go\.safetensors: .*{said}"):
        Network.load(file)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"hello", b"\xff" * 100, (5).to_bytes(8, "little") + b"[1,2]"),
        (200_000).to_bytes(8, "little") + b"[" * 200_000,
    ],
)
def test_a_file_without_weights_is_rejected(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.safetensors"
    file.write_bytes(content)
    with pytest.raises(gv.RecordError, match="not a weight file of gtp_variants"):
        Network.load(file)
    with pytest.raises(gv.RecordError, match="No such file"):
        Network.load(tmp_path / "none.safetensors")


def test_a_bias_that_sums_cannot_hold_is_refused(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    file.write_bytes(file.read_bytes().replace(network.tensors["head.bias"], b"\x7f" * 128))
    with pytest.raises(gv.RecordError, match=r"head\.bias has 2139062143, expected at most 536870912"):
        Network.load(file)


def test_frozen_layers_do_not_change(network: Network) -> None:
    rng = np.random.default_rng(1)
    encoder = Encoder(gv.parse("go:size=5"))
    levels = rng.integers(0, 2, (len(network.planes), 25)).astype(np.uint8)
    features = rng.uniform(-1, 1, len(network.globals)).astype(np.float32)
    frozen = network.freeze_inputs(["last", "ladders"], {"komi": 0.5, "repetition=psk": 1.0, "weather": 1.0})
    fixed, seen = levels.copy(), features.copy()
    fixed[network.planes.index("last")] = 0
    seen[network.globals.index("komi")], seen[network.globals.index("repetition=psk")] = 0.5, 1.0
    expected = reference.evaluate(network, encoder.taps, fixed, seen)
    found = reference.evaluate(frozen, encoder.taps, levels, features)
    assert all((expected[name] == found[name]).all() for name in expected)


def test_a_cut_file_is_refused(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    raw = file.read_bytes()
    file.write_bytes(raw[:-10])
    with pytest.raises(gv.RecordError, match=r"board\.bias has 18 bytes, expected 28"):
        Network.load(file)


def test_bytes_behind_the_tensors_are_refused(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    file.write_bytes(file.read_bytes() + bytes(100))
    with pytest.raises(gv.RecordError, match="expected no data after the last tensor, got 100 bytes"):
        Network.load(file)


def test_a_file_in_which_any_bit_changed_is_refused(network: Network, tmp_path: Path) -> None:
    file, rng = tmp_path / "go.safetensors", Random(1)
    replace(network, calibration=2.5).save(file)
    raw = file.read_bytes()
    header = 8 + int.from_bytes(raw[:8], "little")
    for at in [*(rng.randrange(header) for _ in range(300)), *(rng.randrange(header, len(raw)) for _ in range(300))]:
        damaged = bytearray(raw)
        damaged[at] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged)
        with pytest.raises(gv.RecordError, match=r"go\.safetensors: "):
            Network.load(file)


def test_a_file_without_a_checksum_is_read(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)
    change_header(file, lambda header: header["__metadata__"].pop("sha256"))
    assert Network.load(file) == network


def test_the_order_of_the_tensors_in_a_file_is_free(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "go.safetensors"
    network.save(file)

    def turn(header: Json) -> None:
        about, at = header.pop("__metadata__"), 0
        for name, row in sorted(header.items(), reverse=True):
            row["data_offsets"] = [at, at + len(network.tensors[name])]
            at += len(network.tensors[name])
        header["__metadata__"] = about

    change_header(file, turn)
    raw = file.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    file.write_bytes(raw[:begin] + b"".join(network.tensors[name] for name in sorted(network.tensors, reverse=True)))
    assert Network.load(file) == network


@pytest.mark.parametrize("file", sorted(FOLDER.glob(f"*{SUFFIX}")), ids=lambda file: file.stem)
def test_a_file_of_the_package_has_a_checksum(file: Path, tmp_path: Path) -> None:
    Network.load(file).save(tmp_path / file.name)
    assert (tmp_path / file.name).read_bytes() == file.read_bytes()
    assert b'"sha256"' in file.read_bytes()
