"""The `net` command: what it says of a weight file, and of two."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.weight_choice import FOLDER
from gtp_variants.cli.engines.net import main
from tests.ai.nets.networks import random_network


@pytest.mark.skipif(load_native("gtp_variants.ai.kernel._kernel") is None, reason="the native kernel was not built")
def test_two_files_are_shown_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    files = [str(tmp_path / f"{seed}.safetensors") for seed in (1, 2)]
    for seed, file in enumerate(files):
        random_network(encoder, seed, 16, 2).save(file)
    assert main([files[0], files[1], "--spec", "go:size=5", "--positions", "5"]) == 0
    said = capsys.readouterr().out
    assert "game: go, 2 colours" in said
    assert "made: by chance" in said
    assert "same best move" in said
    assert main([files[0], files[0], "--spec", "go:size=5", "--positions", "5"]) == 0
    assert "KL 0.0000, same best move 100.0%, values 0.000 apart" in capsys.readouterr().out


def test_a_file_of_the_package_tells_of_all_its_trainings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = gv.Network.load(FOLDER / "pentalath-3.safetensors")
    file = str(tmp_path / "net.safetensors")
    replace(network, training={**network.training, "by": "us"}).save(file)
    assert main([file]) == 0
    *_, first, second, other = capsys.readouterr().out.splitlines()
    assert first.strip().startswith("trained: ")
    assert second.strip().startswith(f"trained: {network.training['hours']} hours, ")
    assert second.endswith(" positions of pentalath:players=3")
    assert other.strip() == "by: us"


@pytest.mark.skipif(load_native("gtp_variants.ai.kernel._kernel") is None, reason="the native kernel was not built")
def test_networks_that_tell_hidden_stones_are_compared_by_their_chances(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = Encoder(gv.parse("phantom:size=5"))
    files = [str(tmp_path / f"{seed}.safetensors") for seed in (1, 2)]
    for seed, file in enumerate(files):
        random_network(encoder, seed, 16, 2).save(file)
    assert main([files[0], files[1], files[0], "--spec", "phantom:size=5", "--positions", "5"]) == 0
    other, same = capsys.readouterr().out.splitlines()[-2:]
    assert "chances 0.0000 apart, 5 positions" in same
    assert "chances 0.0000 apart" not in other


@pytest.mark.slow
@pytest.mark.skipif(load_native("gtp_variants.ai.kernel._kernel") is None, reason="the native kernel was not built")
@pytest.mark.parametrize(
    "spec", ["go:size=5", "aleago:size=4", "pentalath:players=3", "alter-igo:size=4", "phantom:size=6"]
)
def test_a_page_shows_what_it_thinks(spec: str, tmp_path: Path) -> None:
    encoder = Encoder(gv.parse(spec))
    folder = tmp_path / "weights"
    folder.mkdir()
    file, page = folder / "<1>.safetensors", tmp_path / "page.html"
    random_network(encoder, 3, 16, 2).save(file)
    assert main([str(file), "--spec", spec, "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "What &lt;1&gt;.safetensors thinks" in text
    assert text.count("<figure>") in {3, 4}
    assert "Elo" not in text
    row = {"iteration": 1, "hours": 0.1, "elo": 20, "low": -10, "high": 50, "against": "no network", "games": 9}
    (tmp_path / "gates.jsonl").write_text(json.dumps(row) + "\n")
    assert main([str(file), "--spec", spec, "--html", str(page)]) == 0
    assert "against no network" in page.read_text(encoding="utf-8")
    for damaged in ("{bad", "{}"):
        (tmp_path / "gates.jsonl").write_text(damaged)
        with pytest.raises(gv.RecordError, match=r"gates\.jsonl, line 1: "):
            main([str(file), "--spec", spec, "--html", str(page)])


@pytest.mark.skipif(load_native("gtp_variants.ai.kernel._kernel") is None, reason="the native kernel was not built")
@pytest.mark.parametrize("specs", ["pentalath:players=3", "aleago:size=5,dice=1d3 aleago:size=4", "go:size=5"])
def test_networks_are_compared_on_their_training_boards(
    specs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(tmp_path / f"{seed}.safetensors") for seed in (1, 2)]
    for seed, file in enumerate(files):
        made = random_network(Encoder(gv.parse(specs.split()[0])), seed, 16, 2)
        replace(made, training={"specs": specs}).save(file)
    assert main([*files, "--positions", "3"]) == 0
    assert capsys.readouterr().out.endswith("3 positions\n")
    other = str(tmp_path / "rosette.safetensors")
    random_network(Encoder(gv.parse("rosette:n=2")), 1, 16, 2).save(other)
    with pytest.raises(gv.ConfigError, match=r"rosette\.safetensors: weights of rosette, expected"):
        main([files[0], other])


@pytest.mark.parametrize("files", [("phantom-hidden-stones", "go"), ("go", "go", "phantom-hidden-stones")])
def test_networks_of_two_kinds_are_refused_before_anything_is_said(
    files: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        gv.ConfigError, match=rf"{files[-1]}\.safetensors: this network .* expected a network .*{files[0]}\."
    ):
        main([str(FOLDER / f"{file}.safetensors") for file in files])
    assert capsys.readouterr().out == ""


def test_no_positions_are_no_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "a"), str(tmp_path / "b"), "--positions", "0"])
    assert "--positions: expected 1 or more, not '0'" in capsys.readouterr().err


def test_an_invalid_spec_is_reported_with_and_without_a_page(tmp_path: Path) -> None:
    file = str(FOLDER / "go.safetensors")
    for page in ([], ["--html", str(tmp_path / "page.html")]):
        with pytest.raises(gv.SpecError, match="unknown game 'foo'"):
            main([file, "--spec", "foo", *page])
        with pytest.raises(gv.ConfigError, match=r"go\.safetensors: weights of go, expected pentalath"):
            main([file, "--spec", "pentalath", *page])
    assert list(tmp_path.iterdir()) == []
