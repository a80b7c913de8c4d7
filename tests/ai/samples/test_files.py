"""Files of samples: written files are read back; incomplete files and other versions are refused by name."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from gtp_variants.ai.samples import files, formats
from gtp_variants.ai.samples.files import read_about, read_samples, write_samples
from gtp_variants.ai.samples.formats import FORMATS
from gtp_variants.ai.samples.game_samples import GameSamples
from gtp_variants.ai.samples.reader import Samples
from gtp_variants.errors import ConfigError, RecordError
from tests.ai.samples.games import make_samples

USABLE = [
    pytest.param(form, marks=pytest.mark.skipif(bool(why := formats.describe_missing(form)), reason=why))
    for form in FORMATS
]


@pytest.mark.parametrize("form", USABLE)
@pytest.mark.parametrize("spec", ["go:size=5", "phantom:size=4", "pentalath:board=hexhex5,players=3"])
def test_written_samples_are_read_back(tmp_path: Path, spec: str, form: str) -> None:
    samples = make_samples(spec, 2, plies=30)
    file = tmp_path / f"game.{form}"
    file.write_bytes(write_samples(samples, form))
    found = read_samples(file)
    assert found.about == read_about(file) == samples.about
    assert list(found.columns) == list(samples.columns)
    for name, column in samples.columns.items():
        is_float = column.dtype.kind == "f"
        assert found.columns[name].dtype.kind == column.dtype.kind
        assert np.array_equal(found.columns[name], column, equal_nan=is_float), name


@pytest.mark.parametrize("form", USABLE)
def test_a_game_without_a_row_is_a_file_too(tmp_path: Path, form: str) -> None:
    samples = make_samples("phantom:size=4", 1, plies=0)
    file = tmp_path / f"game.{form}"
    file.write_bytes(write_samples(samples, form))
    assert {name: column.shape for name, column in read_samples(file).columns.items()} == {
        name: column.shape for name, column in samples.columns.items()
    }


@pytest.mark.parametrize("form", USABLE)
@pytest.mark.parametrize("read", [read_samples, read_about])
def test_another_version_and_another_kind_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, read: object
) -> None:
    assert callable(read)
    file = tmp_path / f"game.{form}"
    samples = make_samples("go:size=3", 1, plies=5)
    file.write_bytes(write_samples(samples, form))
    monkeypatch.setattr(files, "VERSION", 2)
    with pytest.raises(RecordError, match=rf"game\.{form}: version: expected 2, got 1"):
        read(file)
    monkeypatch.setattr(files, "KIND", "songs")
    with pytest.raises(RecordError, match=rf"game\.{form}: expected a file of songs"):
        read(file)


@pytest.mark.parametrize("form", USABLE)
def test_a_damaged_file_is_named(tmp_path: Path, form: str) -> None:
    file = tmp_path / f"game.{form}"
    content = write_samples(make_samples("go:size=3", 1, plies=5), form)
    for damaged in (b"", content[: len(content) // 2], b"\x00" * 100):
        file.write_bytes(damaged)
        with pytest.raises(RecordError, match=rf"game\.{form}: "):
            read_samples(file)


@contextmanager
def suppress_named_faults(file: Path) -> Iterator[None]:
    try:
        yield
    except RecordError as error:
        if not str(error).startswith(f"{file}: "):
            raise


@pytest.mark.parametrize("form", USABLE)
def test_a_file_with_a_bit_that_flipped_is_read_or_named(tmp_path: Path, form: str) -> None:
    content = write_samples(make_samples("go:size=4", 1, plies=3), form)
    file = tmp_path / f"game.{form}"
    rng = np.random.default_rng(1)
    for place in rng.integers(len(content), size=400).tolist():
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        file.write_bytes(damaged)
        for read in (read_samples, read_about):
            with suppress_named_faults(file):
                read(file)


def test_a_sample_file_describes_itself(tmp_path: Path) -> None:
    samples = make_samples("go:size=4", 1, plies=3)
    for key, value in (("planes", None), ("spec", "gp:size=4")):
        about = {name: each for name, each in samples.about.items() if name != key} | ({key: value} if value else {})
        file = tmp_path / "game.npz"
        file.write_bytes(write_samples(GameSamples(about, samples.columns), "npz"))
        with pytest.raises(RecordError, match=r"game\.npz: (description: missing planes|unknown game 'gp')"):
            Samples(tmp_path)


def test_columns_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    samples = make_samples("go:size=3", 1, plies=5)
    for change, words in (
        ({"planes": samples.columns["planes"].astype(np.float32)}, "planes: expected uint8, got float32"),
        ({"score": samples.columns["score"][1:]}, "score: expected 5 rows, got 4"),
    ):
        out = io.BytesIO()
        np.savez(out, allow_pickle=False, about=np.array(json.dumps(samples.about)), **{**samples.columns, **change})
        (tmp_path / "game.npz").write_bytes(out.getvalue())
        with pytest.raises(RecordError, match=words):
            read_samples(tmp_path / "game.npz")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "find_spec", lambda name: None if name == "pyarrow" else object())
    with pytest.raises(ConfigError, match=r"parquet needs pyarrow; .*pip install .*\[parquet\]'"):
        files.write_samples(make_samples("go:size=3", 1, plies=1), "parquet")
    with pytest.raises(ConfigError, match="'csv': expected a format of samples, npz, jsonl, parquet"):
        read_samples(Path("game.csv"))
